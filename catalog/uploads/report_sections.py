"""The rows of a report by file, with specs that are rejected for the same reason as one item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from catalog.tools.models import Tool
from catalog.uploads.entries import Entry
from catalog.uploads.summary import summary_of
from toolshelf_core.rendering import text_diff
from toolspec.diff import Difference

FEWEST: Final = 3  # specs with the same problem that become one item


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a report or a preview.

    Attributes:
        text: to correct; "" if there is none.
        tool: as it is now, if it is visible.
        semantic_difference: the changes of a breaking revision, if there was time to compare it.
        difference: the lines that it would change, in a preview.
        real_calls: how the recent calls of its tool would fare with it, in a preview, if it may
            break callers (`RealCalls` of the playground).
        preview: the converted spec of an imported tool, in a preview.
        is_selected: whether its box is checked.
        has_id_field: whether its id can be changed, in a preview.
    """

    position: int
    entry: Entry
    text: str = ""
    tool: Tool | None = None
    semantic_difference: Difference | None = None
    difference: text_diff.Difference | None = None
    real_calls: object = None
    preview: str = ""
    is_selected: bool = True
    has_id_field: bool = False


@dataclass(frozen=True, slots=True)
class Repeated:
    """Several specs with the same problems."""

    rows: list[Row]

    @property
    def first(self) -> Row:
        return self.rows[0]

    @property
    def source(self) -> str:
        """The file that contains them; "" if there are several."""
        sources = {row.entry.source for row in self.rows}
        return sources.pop() if len(sources) == 1 else ""

    @property
    def names_first(self) -> bool:
        """Whether the messages name the first tool, as an example of all."""
        return _messages(self.first.entry) != _messages(self.first.entry, without_id=True)


Item = Row | Repeated


@dataclass(frozen=True, slots=True)
class Section:
    """The items of one file; of several files that have one row each if `source` is ""."""

    source: str
    items: list[Item]
    summary: str


def sections_of(rows: Sequence[Row]) -> list[Section]:
    """The rows in their order, by file if there are several and one has more than one row."""
    numbers = Counter(row.entry.source for row in rows)
    has_headings = 1 < len(numbers) < len(rows)
    fewest_rows = 2 if list(numbers.values()).count(1) > 1 else 1  # of a file with its own section
    by_file: dict[str, list[Row]] = {}
    for row in rows:
        source = (
            row.entry.source if has_headings and numbers[row.entry.source] >= fewest_rows else ""
        )
        by_file.setdefault(source, []).append(row)
    return [
        Section(
            source,
            with_repeated(found),
            summary_of([row.entry for row in found if row.is_selected]).text,
        )
        for source, found in by_file.items()
    ]


def with_repeated(rows: Sequence[Row]) -> list[Item]:
    """The rows, those with the same problems as one item, which takes the position of the first."""
    alike: dict[Hashable, list[Row]] = {}
    for row in rows:
        entry = row.entry
        is_alone = not entry.faults or entry.has_new_id
        key = row.position if is_alone else (entry.outcome, _messages(entry, without_id=True))
        alike.setdefault(key, []).append(row)
    items: list[Item] = []
    for found in alike.values():
        items += [Repeated(found)] if len(found) >= FEWEST else found
    return items


def _messages(entry: Entry, *, without_id: bool = False) -> tuple[tuple[str, str], ...]:
    """The rules and messages of the problems of an entry; `without_id` they are the same for each tool."""
    own = repr(entry.tool_id) if without_id and entry.tool_id else None
    messages = [(fault.problem.rule, fault.problem.message) for fault in entry.faults]
    return tuple(
        (rule, message.replace(own, "…") if own else message) for rule, message in messages
    )
