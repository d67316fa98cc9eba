"""Tools that are like another one, and why: the parameters and the telling words that both have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from catalog.models import Tool
from catalog.search import search_index, vocabulary
from catalog.search.ranking import IndexedText
from catalog.search.similar_query import similar_to
from catalog.search.tokenizer import is_unspaced, runs_of, token_of
from catalog.search.verbs import actions_of

MAX_SHOWN: Final = 6
LOOKED_AT: Final = 2  # times as many as are wanted
MAX_READ_CHARS: Final = 600  # of a description
REASONS_SHOWN: Final = 4
FEW: Final = 10  # tools; a word that no more have tells them apart on any shelf
COMMON_SHARE: Final = 0.1  # a word that more tools have than this says little of any two of them


@dataclass(frozen=True, slots=True)
class Similar:
    """A tool that is like another one. `parameters`, `words`: what both have, the most telling words first."""

    tool: Tool
    parameters: tuple[str, ...]
    words: tuple[str, ...]


def similar_tools(tool: Tool, *, limit: int = MAX_SHOWN) -> list[Similar]:
    """The tools that are most like `tool`, the closest first; archived ones are none of them.

    What they share can be told: those that were found by words that most tools have are left out.
    """
    keys = similar_to(tool.pk, limit=limit * LOOKED_AT)
    others = Tool.objects.for_rows().in_bulk(keys)
    index = search_index()
    fields = index.fields([tool.pk, *keys])
    text = index.texts([tool.pk]).get(tool.pk)
    own = frozenset(_words(tool)) if text is None else _tokens(text).union(_words(tool))
    read = {pk: _words(other) for pk, other in others.items()}
    shared = {token for words in read.values() for token in words if not actions_of([token])} & own
    counts = vocabulary.counts_of([vocabulary.ALL, *shared])
    most = max(counts.pop(vocabulary.ALL, 0) * COMMON_SHARE, FEW)
    distinctive = sorted(
        (token for token in shared if counts.get(token, 0) <= most), key=lambda one: counts.get(one, 0)
    )
    mine = set(_parameters(fields.get(tool.pk, "")))
    found = (
        Similar(
            others[pk],
            tuple(name for name in _parameters(fields.get(pk, "")) if name in mine)[:REASONS_SHOWN],
            tuple(read[pk][token] for token in distinctive if token in read[pk])[:REASONS_SHOWN],
        )
        for pk in keys
        if pk in others
    )
    return [one for one in found if one.parameters or one.words][:limit]


def _tokens(text: IndexedText) -> frozenset[str]:
    return frozenset([*text.names.split(), *text.about.split()])


def _words(tool: Tool) -> dict[str, str]:
    """The words of a tool's name and description as they are written, by their tokens.

    In scripts without spaces, whose tokens are single characters, each two that stand side by side.
    """
    found: dict[str, str] = {}
    for run in runs_of(f"{tool.name} {tool.description[:MAX_READ_CHARS]}"):
        if is_unspaced(run):
            found |= {pair: pair for pair in map("".join, pairwise(run))}
        elif len(run) > 2:
            found.setdefault(token_of(run), run)
    return found


def _parameters(fields: str) -> Iterable[str]:
    """The names of parameters, of what the index holds of fields."""
    lines = (line.split("\t") for line in fields.split("\n"))
    return dict.fromkeys(line[1] for line in lines if line[0] == "t" and len(line) > 1)
