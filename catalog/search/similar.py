"""Similar tools, and the reasons: the parameters and distinctive words that two tools share.

Without a reason, the reader would have to open each tool to see whether it is an alternative. The
reasons also remove chance matches: a tool without one is not shown. Among 2,600 tools, they take 2
of 15 ms of CPU time; finding the tools takes nearly all of the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final

from accounts.models import Person
from catalog.access.models import Audience
from catalog.index import Match, search_index, vocabulary
from catalog.index.boolean_query import EVERY_TOOL, Token
from catalog.index.document import IndexedText, list_names
from catalog.index.parser import Query, Word
from catalog.index.plan import Alternative, Plan, Term, inverse_document_frequency
from catalog.index.ranking import Ranking, sort_by_score
from catalog.index.retrieval import CANDIDATES, find_likely
from catalog.index.tokenizer import is_unspaced, runs_of, token_of
from catalog.index.verbs import actions_of
from catalog.index.visibility import Visibility
from catalog.tools.models import Tool

WORDS: Final = 12  # by which similar tools are searched
LEAST_LIKENESS: Final = 0.12  # below it, tools share a word by chance
NAME_SHARE: Final = 2.0  # the weight of words in the name relative to the description
MAX_SHOWN: Final = 6
CANDIDATES_PER_RESULT: Final = 2
MAX_READ_CHARS: Final = 600  # of a description
REASONS_SHOWN: Final = 4
RARE: Final = 10  # a word in at most so many tools is distinctive in a catalog of any size
COMMON_SHARE: Final = 0.1  # a word in a larger share of the tools is not distinctive
# Tools of the same toolkit that show which words its descriptions repeat.
TOOLKIT_SAMPLE: Final = 20
# A word in a larger share of a toolkit's tools does not tell them apart.
BOILERPLATE_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Similar:
    """A similar tool.

    `parameters`, `words`: those that both tools have, the most distinctive words first.
    """

    tool: Tool
    parameters: tuple[str, ...]
    words: tuple[str, ...]


def find_similar_tools(
    tool: Tool, person: Person | None, *, limit: int = MAX_SHOWN
) -> list[Similar]:
    """The tools most similar to `tool` that `person` may see, the closest first.

    Archived tools are left out, and tools that share only common words, since there is no reason to
    show for them.
    """
    visibility = Audience.objects.visibility_for(person)
    index = search_index()
    text = index.read_texts([tool.pk]).get(tool.pk)
    if text is None:
        return []
    pks = _find_closest(tool.pk, text, visibility, limit=limit * CANDIDATES_PER_RESULT)
    others = Tool.objects.for_rows().in_bulk(pks)
    words_of = {pk: _read_words(other) for pk, other in others.items()}
    tokens = {*text.names.split(), *text.about.split(), *_read_words(tool)}
    distinctive = _choose_distinctive(tokens & set(chain.from_iterable(words_of.values())))
    boilerplate = _find_boilerplate(tool, visibility)
    fields = index.read_fields([tool.pk, *pks])
    parameters = set(list_names(fields.get(tool.pk, ""), "parameter"))
    similar: list[Similar] = []
    for pk in filter(others.get, pks):
        other = others[pk]
        other.hide_successor(visibility)
        names = dict.fromkeys(list_names(fields.get(pk, ""), "parameter"))
        common_names = tuple(filter(parameters.__contains__, names))
        common_tokens = [token for token in distinctive if token in words_of[pk]]
        if not common_names and not common_tokens:
            continue
        if other.toolkit_key == tool.toolkit_key:
            common_tokens = [token for token in common_tokens if token not in boilerplate]
        words = tuple(words_of[pk][token] for token in common_tokens[:REASONS_SHOWN])
        similar.append(Similar(other, common_names[:REASONS_SHOWN], words))
    return similar[:limit]


def _choose_distinctive(tokens: Collection[str]) -> list[str]:
    """The tokens that few tools contain, the rarest first; without actions."""
    nouns = [token for token in tokens if not actions_of([token])]
    counts = vocabulary.read_counts([vocabulary.ALL, *nouns])
    most = max(counts.pop(vocabulary.ALL, 0) * COMMON_SHARE, RARE)
    rare = [token for token in nouns if counts.get(token, 0) <= most]
    return sorted(rare, key=lambda token: (counts.get(token, 0), token))


def _find_boilerplate(tool: Tool, visibility: Visibility) -> frozenset[str]:
    """The words that most tools of the same toolkit have.

    For example those of "Error responses: 400 Bad request".
    """
    if not tool.toolkit_key:
        return frozenset()
    toolkit = Tool.objects.available().with_visibility(visibility).in_toolkit(tool.toolkit)
    others = toolkit.exclude(pk=tool.pk).only("name", "description").order_by("pk")
    siblings = others[:TOOLKIT_SAMPLE]
    numbers: Counter[str] = Counter()
    for sibling in siblings:
        numbers.update(_read_words(sibling).keys())
    most = max(2, len(siblings) * BOILERPLATE_SHARE)
    return frozenset(token for token, number in numbers.items() if number > most)


def _find_closest(pk: int, text: IndexedText, visibility: Visibility, *, limit: int) -> list[int]:
    """Primary keys of the visible tools that are similar to the one with this text.

    A tool is similar if it matches the distinctive words at least `LEAST_LIKENESS` times as well as
    the given one itself. Archived tools are left out.
    """
    index = search_index()
    names = frozenset(text.names.split())
    counts = vocabulary.read_counts({vocabulary.ALL, *names, *text.about.split()})
    total = counts.pop(vocabulary.ALL, 0)
    terms = []
    for token, documents in counts.items():
        importance = inverse_document_frequency(documents, total)
        if token in names:
            importance *= NAME_SHARE
        alternative = Alternative(token, 1.0, documents, importance)
        terms.append(Term(Word(token, token, exact=True), (alternative,), (), importance))
    terms.sort(key=lambda term: -term.importance)
    distinctive = tuple(terms[:WORDS])
    plan = Plan(Query(), distinctive, has_unknown=True, corrections=(), actions=actions_of(names))
    among = visibility.limit(Match((EVERY_TOOL,), excluded=(Token("f_archived"),)))
    candidates = set(find_likely(index, plan.terms, among, CANDIDATES)) - {pk}
    ranking = Ranking(plan)
    scores = {other: ranking.score(texts) for other, texts in index.read_texts(candidates).items()}
    least = LEAST_LIKENESS * ranking.score(text)
    return [other for other in sort_by_score(scores)[:limit] if scores[other] >= least]


def _read_words(tool: Tool) -> dict[str, str]:
    """The words of a tool's name and description as written, by their tokens.

    In scripts without spaces, whose tokens are single characters, each pair of adjacent characters.
    """
    words: dict[str, str] = {}
    for run in runs_of(f"{tool.name} {tool.description[:MAX_READ_CHARS]}"):
        if is_unspaced(run):
            words |= {pair: pair for pair in map("".join, pairwise(run))}
        elif len(run) > 2:
            words.setdefault(token_of(run), run)
    return words
