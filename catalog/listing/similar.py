"""Similar tools, and the reasons: the parameters and distinctive words that two tools share.

Among 2,600 tools, the reasons take 2 of 15 ms of CPU time; finding the tools takes nearly all of the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from catalog.accounts.models import Person
from catalog.models import Audience, Tool
from catalog.search import search_index, vocabulary
from catalog.search.document import IndexedText
from catalog.search.similar_query import similar_to
from catalog.search.tokenizer import is_unspaced, runs_of, token_of
from catalog.search.verbs import actions_of
from catalog.search.visibility import Visibility

MAX_SHOWN: Final = 6
CANDIDATES_PER_RESULT: Final = 2
MAX_READ_CHARS: Final = 600  # of a description
REASONS_SHOWN: Final = 4
RARE: Final = 10  # a word in at most so many tools is distinctive in a catalog of any size
COMMON_SHARE: Final = 0.1  # a word in a larger share of the tools is not distinctive
TOOLKIT_SAMPLE: Final = 20  # tools of the same toolkit that show which words its descriptions repeat
BOILERPLATE_SHARE: Final = 0.5  # a word in a larger share of a toolkit's tools does not tell them apart


@dataclass(frozen=True, slots=True)
class Similar:
    """A tool similar to another one. `parameters`, `words`: those that both have, the most distinctive words first."""

    tool: Tool
    parameters: tuple[str, ...]
    words: tuple[str, ...]


def similar_tools(tool: Tool, person: Person | None, *, limit: int = MAX_SHOWN) -> list[Similar]:
    """The tools most similar to `tool` that `person` may see, the closest first; without archived ones.

    Tools that share only common words are left out, since there is no reason to show for them.
    """
    visibility = Audience.objects.visibility_for(person)
    keys = similar_to(tool.pk, limit=limit * CANDIDATES_PER_RESULT, visibility=visibility)
    others = Tool.objects.for_rows().in_bulk(keys)
    for other in others.values():
        other.hide_successor(visibility)
    index = search_index()
    fields = index.fields([tool.pk, *keys])
    text = index.texts([tool.pk]).get(tool.pk)
    own = frozenset(_words(tool)) if text is None else _tokens(text).union(_words(tool))
    read = {pk: _words(other) for pk, other in others.items()}
    shared = {token for words in read.values() for token in words if not actions_of([token])} & own
    counts = vocabulary.counts_of([vocabulary.ALL, *shared])
    most = max(counts.pop(vocabulary.ALL, 0) * COMMON_SHARE, RARE)
    distinctive = sorted(
        (token for token in shared if counts.get(token, 0) <= most), key=lambda one: counts.get(one, 0)
    )
    mine = set(_parameters(fields.get(tool.pk, "")))
    repeated = _repeated_in_toolkit(tool, visibility)
    found: list[Similar] = []
    for pk, other in ((pk, others[pk]) for pk in keys if pk in others):
        parameters = tuple(name for name in _parameters(fields.get(pk, "")) if name in mine)
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
    siblings = Tool.objects.available().with_visibility(visibility).in_toolkit(tool.toolkit).exclude(pk=tool.pk)
    words = [_words(sibling) for sibling in siblings.only("name", "description").order_by("pk")[:TOOLKIT_SAMPLE]]
    numbers = Counter(token for one in words for token in one)
    return frozenset(token for token, number in numbers.items() if number > max(2, len(words) * BOILERPLATE_SHARE))


def _tokens(text: IndexedText) -> frozenset[str]:
    return frozenset([*text.names.split(), *text.about.split()])


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


def _parameters(fields: str) -> Iterable[str]:
    """The names of parameters in the indexed fields (see `SearchDocument.fields`)."""
    lines = (line.split("\t") for line in fields.split("\n"))
    return dict.fromkeys(line[1] for line in lines if line[0] == "t" and len(line) > 1)
