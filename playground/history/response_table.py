"""A response as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from toolspec.errors import Problem
from toolspec.text.containers import items_of, members_of
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
        """The name of each column, and whether all its values are numbers.

        Numbers are aligned at their ends.
        """
        headings = []
        for index, name in enumerate(self.columns):
            cells = (row.cells[index] for row in self.rows)
            are_numbers = all(cell.is_number for cell in cells if cell.is_present)
            headings.append((name, are_numbers))
        return headings


@dataclass(frozen=True)
class Row:
    """One object.

    `problems` are messages about the object as a whole, or about columns that are not shown.
    """

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
        classes = []
        if not self.is_present:
            classes.append("muted")
        elif self.is_text:
            classes.append("cell-text")
        elif self.is_number:
            classes.append("number")
        if self.problems:
            classes.append("cell-bad")
        return " ".join(classes)


def make_table(response: JSON, problems: Iterable[Problem] = ()) -> Table | None:
    """The response as a table, if it is a list of objects, or an object with exactly one such list.

    Else None.

    Each of `problems`, those of the response, is in the cell of its value.
    """
    pointer, value = "", response
    if isinstance(response, dict):
        names = [name for name, member in response.items() if _is_table(member)]
        if len(names) != 1:
            return None
        value = response[names[0]]
        pointer = pointer_join("", names[0])
    if not _is_table(value):
        return None
    objects = [members_of(item) for item in items_of(value)]
    all_columns = list(dict.fromkeys(chain.from_iterable(objects)))
    columns = all_columns[:MAX_COLUMNS]
    messages = _group_messages(pointer, problems, set(columns))
    rows = []
    for index, members in enumerate(objects[:MAX_ROWS]):
        cells = [
            Cell(members.get(name), name in members, messages.get((str(index), name), []))
            for name in columns
        ]
        rows.append(Row(cells, messages.get((str(index), None), [])))
    return Table(pointer, columns, rows, len(objects), len(all_columns))


def _group_messages(
    pointer: str, problems: Iterable[Problem], columns: set[str]
) -> dict[tuple[str, str | None], list[str]]:
    """The messages of problems in the list at `pointer`, by index and column.

    None for the whole object.
    """
    messages: dict[tuple[str, str | None], list[str]] = {}
    for problem in problems:
        if problem.pointer.startswith(f"{pointer}/"):
            index, *path = split_pointer(problem.pointer.removeprefix(pointer))
            column = path[0] if path and path[0] in columns else None
            messages.setdefault((index, column), []).append(problem.message)
    return messages


def _is_table(value: JSON) -> bool:
    rows = items_of(value)
    return bool(rows) and all(isinstance(row, dict) and row for row in rows)
