"""Statistics over a table that is given as a list of objects."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from playground.builtin.rounding import rounded
from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

Number = int | float
Scalar = str | int | float | bool | None

NUMERIC: dict[str, Callable[[Sequence[Number]], Number]] = {
    "sum": lambda values: (
        sum(values) if all(isinstance(value, int) for value in values) else math.fsum(values)
    ),
    "mean": statistics.fmean,
    "median": statistics.median,
    "minimum": min,
    "maximum": max,
    "standard_deviation": statistics.stdev,
}


@tool(spec=SPECS / "summarize_table.json")
def summarize_table(
    rows: list[dict[str, Any]], measures: list[dict[str, str]], group_by: Sequence[str] = ()
) -> dict[str, Any]:
    by_name = {name_of(measure): measure for measure in measures}
    if len(by_name) < len(measures):
        raise ValueError("Two measures have the same name; give one of them another `name`.")
    groups = [summary_of(group, by_name, group_by) for group in grouped(rows, group_by)]
    return {"row_count": len(rows), "groups": groups}


def name_of(measure: dict[str, str]) -> str:
    return measure.get("name", f"{measure['statistic']}_{measure['column']}")


def summary_of(
    group: list[dict[str, Scalar]], measures: dict[str, dict[str, str]], group_by: Sequence[str]
) -> dict[str, Any]:
    return {
        "key": {column: group[0].get(column) for column in group_by},
        "row_count": len(group),
        "measures": {name: compute(group, measure) for name, measure in measures.items()},
    }


def grouped(
    rows: list[dict[str, Scalar]], group_by: Sequence[str]
) -> Iterable[list[dict[str, Scalar]]]:
    """Groups of rows with equal values in `group_by`, in order of appearance; one group if it is empty."""
    if not group_by:
        return [rows]
    groups: dict[tuple[object, ...], list[dict[str, Scalar]]] = {}
    for row in rows:
        groups.setdefault(tuple(identity(row.get(column)) for column in group_by), []).append(row)
    return groups.values()


def identity(value: Scalar) -> tuple[bool, Scalar]:
    """A key that distinguishes JSON values: in Python, true equals 1."""
    return isinstance(value, bool), value


def compute(rows: list[dict[str, Scalar]], measure: dict[str, str]) -> Number | None:
    """The statistic of one column over some rows; None if there is no value to count.

    Raises:
        ValueError: it needs numbers, and a cell is none.
    """
    column, statistic = measure["column"], measure["statistic"]
    cells = [row[column] for row in rows if row.get(column) is not None]
    if statistic == "count":
        return len(cells)
    if statistic == "distinct":
        return len({identity(cell) for cell in cells})
    numbers = [
        cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)
    ]
    if len(numbers) < len(cells):
        other = next(cell for cell in cells if isinstance(cell, str | bool))
        raise ValueError(
            f"The {statistic} of column {column!r} needs numbers, but one of its cells is {other!r}."
        )
    if len(numbers) < (2 if statistic == "standard_deviation" else 1):
        return None
    try:
        value = NUMERIC[statistic](numbers)
        return value if isinstance(value, int) else rounded(value, significant_digits=12)
    except OverflowError:
        raise ValueError(
            f"The numbers of column {column!r} are too large for their {statistic}."
        ) from None
