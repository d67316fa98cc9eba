"""Similar tools, and the reasons: the parameters and distinctive words that two tools share.

Without a reason, the reader would have to open each tool to see whether it is an alternative. The
reasons also remove chance matches: a tool without one is not shown. Among 2,600 tools, they take 2
of 15 ms of CPU time; finding the tools takes nearly all of the rest.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
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
TOOLKIT_SAMPLE: Final = (
    20  # tools of the same toolkit that show which words its descriptions repeat
)
BOILERPLATE_SHARE: Final = (
    0.5  # a word in a larger share of a toolkit's tools does not tell them apart
)


@dataclass(frozen=True, slots=True)
class Similar:
    """A similar tool. `parameters`, `words`: those that both tools have, the most distinctive words first."""

    tool: Tool
    parameters: tuple[str, ...]
    words: tuple[str, ...]


def similar_tools(tool: Tool, person: Person | None, *, limit: int = MAX_SHOWN) -> list[Similar]:
    """The tools most similar to `tool` that `person` may see, the closest first; without archived ones.

    Tools that share only common words are left out, since there is no reason to show for them.
    """
    visibility = Audience.objects.visibility_for(person)
    index = search_index()
    text = index.read_texts([tool.pk]).get(tool.pk)
    if text is None:
        return []
    keys = _closest(tool.pk, text, visibility, limit=limit * CANDIDATES_PER_RESULT)
    others = Tool.objects.for_rows().in_bulk(keys)
    for other in others.values():
        other.hide_successor(visibility)
    fields = index.read_fields([tool.pk, *keys])
    own = {*text.names.split(), *text.about.split(), *_words(tool)}
    read = {pk: _words(other) for pk, other in others.items()}
    shared = {token for words in read.values() for token in words if not actions_of([token])} & own
    counts = vocabulary.read_counts([vocabulary.ALL, *shared])
    most = max(counts.pop(vocabulary.ALL, 0) * COMMON_SHARE, RARE)
    distinctive = sorted(
        (token for token in shared if counts.get(token, 0) <= most),
        key=lambda token: (counts.get(token, 0), token),
    )
    parameters_of = {
        pk: dict.fromkeys(list_names(text, "parameter")) for pk, text in fields.items()
    }
    mine = parameters_of.get(tool.pk, {})
    repeated = _repeated_in_toolkit(tool, visibility)
    found: list[Similar] = []
    for pk, other in ((pk, others[pk]) for pk in keys if pk in others):
        parameters = tuple(name for name in parameters_of.get(pk, ()) if name in mine)
        words = [token for token in distinctive if token in read[pk]]
        if not parameters and not words:
            continue
        if other.toolkit_key == tool.toolkit_key:
            words = [token for token in words if token not in repeated]
        shown = tuple(read[pk][token] for token in words)
        found.append(Similar(other, parameters[:REASONS_SHOWN], shown[:REASONS_SHOWN]))
    return found[:limit]


def _repeated_in_toolkit(tool: Tool, visibility: Visibility) -> frozenset[str]:
    """The words that most tools of the same toolkit have, for example those of "Error responses: 400 Bad request"."""
    if not tool.toolkit_key:
        return frozenset()
    siblings = (
        Tool.objects.available()
        .with_visibility(visibility)
        .in_toolkit(tool.toolkit)
        .exclude(pk=tool.pk)
    )
    words = [
        _words(sibling)
        for sibling in siblings.only("name", "description").order_by("pk")[:TOOLKIT_SAMPLE]
    ]
    numbers = Counter(token for one in words for token in one)
    return frozenset(
        token
        for token, number in numbers.items()
        if number > max(2, len(words) * BOILERPLATE_SHARE)
    )


def _closest(pk: int, text: IndexedText, visibility: Visibility, *, limit: int) -> list[int]:
    """Primary keys of the visible tools that are similar to the one with this text; without archived ones.

    A tool is similar if it matches the distinctive words at least `LEAST_LIKENESS` times as well as
    the given one itself.
    """
    index = search_index()
    names = frozenset(text.names.split())
    counts = vocabulary.read_counts({vocabulary.ALL, *names, *text.about.split()})
    total = counts.pop(vocabulary.ALL, 0)
    terms = [
        _term(token, documents, total, in_name=token in names)
        for token, documents in counts.items()
    ]
    terms.sort(key=lambda term: -term.importance)
    distinctive = tuple(terms[:WORDS])
    plan = Plan(Query(), distinctive, has_unknown=True, corrections=(), actions=actions_of(names))
    among = visibility.limit(Match((EVERY_TOOL,), excluded=(Token("f_archived"),)))
    candidates = set(find_likely(index, plan.terms, among, CANDIDATES)) - {pk}
    ranking = Ranking(plan)
    scores = {other: ranking.score(read) for other, read in index.read_texts(candidates).items()}
    least = LEAST_LIKENESS * ranking.score(text)
    return [other for other in sort_by_score(scores)[:limit] if scores[other] >= least]


def _term(token: str, documents: int, total: int, *, in_name: bool) -> Term:
    importance = inverse_document_frequency(documents, total) * (NAME_SHARE if in_name else 1)
    return Term(
        Word(token, token, exact=True),
        (Alternative(token, 1.0, documents, importance),),
        (),
        importance,
    )


def _words(tool: Tool) -> dict[str, str]:
    """The words of a tool's name and description as written, by their tokens.

    In scripts without spaces, whose tokens are single characters, each pair of adjacent characters.
    """
    found: dict[str, str] = {}
    for run in runs_of(f"{tool.name} {tool.description[:MAX_READ_CHARS]}"):
        if is_unspaced(run):
            found |= {pair: pair for pair in map("".join, pairwise(run))}
        elif len(run) > 2:
            found.setdefault(token_of(run), run)
    return found
