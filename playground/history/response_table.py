"""A response as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toolspec.errors import Problem
from toolspec.text.numbers import is_number
from toolspec.text.pointers import pointer_join, split_pointer
from toolspec.text.reader import JSON

MAX_ROWS = 200
MAX_COLUMNS = 24


@dataclass(frozen=True)
class Table:
    """A list of objects as rows. `pointer` leads to the list in the response."""

    pointer: str
    columns: list[str]
    rows: list[Row]
    rows_in_all: int
    columns_in_all: int

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """The name of each column, and whether all its values are numbers, which are aligned at their ends."""
        columns = zip(
            self.columns, zip(*(row.cells for row in self.rows), strict=True), strict=True
        )
        return [
            (name, all(cell.is_number for cell in cells if cell.is_present))
            for name, cells in columns
        ]


@dataclass(frozen=True)
class Row:
    """One object, with the messages of the problems of the object as a whole, or of its columns that are not shown."""

    cells: list[Cell]
    problems: list[str]


@dataclass(frozen=True)
class Cell:
    """One value of a table and the messages of its problems.

    A value that is no string or number is shown as JSON.
    """

    value: JSON
    is_present: bool
    problems: list[str]

    @property
    def is_text(self) -> bool:
        return isinstance(self.value, str)

    @property
    def is_number(self) -> bool:
        return is_number(self.value)

    @property
    def classes(self) -> str:
        """The classes of its element."""
        kind = (
            "muted"
            if not self.is_present
            else "cell-text"
            if self.is_text
            else "number"
            if self.is_number
            else ""
        )
        return f"{kind} cell-bad".strip() if self.problems else kind


def as_table(response: JSON, problems: Iterable[Problem] = ()) -> Table | None:
    """The response as a table, if it is a list of objects, or an object with exactly one such list.

    Else None.

    Each of `problems`, those of the response, is in the cell of its value.
    """
    pointer, found = "", response
    if isinstance(response, dict):
        lists = [(name, value) for name, value in response.items() if _is_table(value)]
        if len(lists) != 1:
            return None
        name, found = lists[0]
        pointer = pointer_join("", name)
    if not _is_table(found) or not isinstance(found, list):
        return None
    objects = [row for row in found if isinstance(row, dict)]
    columns = list(dict.fromkeys(name for row in objects for name in row))
    shown = columns[:MAX_COLUMNS]
    messages = _messages_by_cell(pointer, problems, set(shown))
    rows = [
        Row(
            [
                Cell(row.get(name), name in row, messages.get((str(index), name), []))
                for name in shown
            ],
            messages.get((str(index), None), []),
        )
        for index, row in enumerate(objects[:MAX_ROWS])
    ]
    return Table(pointer, shown, rows, len(objects), len(columns))


def _messages_by_cell(
    pointer: str, problems: Iterable[Problem], columns: set[str]
) -> dict[tuple[str, str | None], list[str]]:
    """The messages of problems in the list at `pointer`, by index and column.

    None for the whole object.
    """
    found: dict[tuple[str, str | None], list[str]] = {}
    for problem in problems:
        if problem.pointer.startswith(f"{pointer}/"):
            index, *path = split_pointer(problem.pointer.removeprefix(pointer))
            column = path[0] if path and path[0] in columns else None
            found.setdefault((index, column), []).append(problem.message)
    return found


def _is_table(value: JSON) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, dict) and row for row in value)
    )
