"""Pages of a list: numbers in a URL, and the rows of one page."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def number_in(text: str, *, digits: int = 9) -> int | None:
    """The whole number that a query or a form contains; None for anything else, and for a longer one."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def read_page(
    rows: QuerySet[Row, Any], cursor: int | str | None, limit: int, key: str = "-pk"
) -> tuple[list[Row], str | None]:
    """One page of `rows` in the order of `key`, which is unique: at most `limit` that follow the one at `cursor`.

    Without a cursor it is the first page.

    Returns:
        The rows, and the cursor of the next page: the key of the last one; None at the end.
    """
    name = key.removeprefix("-")
    if cursor:
        comparison = "lt" if key.startswith("-") else "gt"
        rows = rows.filter(**{f"{name}__{comparison}": cursor})
    found = list(rows.order_by(key)[: limit + 1])
    shown = found[:limit]
    return shown, str(getattr(shown[-1], name)) if len(found) > limit else None
