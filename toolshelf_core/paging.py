"""Pages of a list: numbers in a URL, and the rows of one page."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


def read_number(text: str, *, digits: int = 9) -> int | None:
    """The whole number that a query or a form contains; None for anything else.

    A number with more than `digits` digits is None, too.
    """
    if len(text) > digits or not (text.isascii() and text.isdecimal()):
        return None
    return int(text)


def read_page(
    rows: QuerySet[Row, Any], cursor: int | str | None, limit: int, key: str = "-pk"
) -> tuple[list[Row], str | None]:
    """One page of `rows` in the order of `key`, which is unique.

    It has at most `limit` rows, which follow the one at `cursor`. Without a cursor it is
    the first page.

    Returns:
        The rows, and the cursor of the next page: the key of the last one; None at the end.
    """
    name = key.removeprefix("-")
    if cursor:
        comparison = "lt" if key.startswith("-") else "gt"
        rows = rows.filter(**{f"{name}__{comparison}": cursor})
    page = list(rows.order_by(key)[: limit + 1])
    if len(page) <= limit:
        return page, None
    page.pop()
    return page, str(getattr(page[-1], name))
