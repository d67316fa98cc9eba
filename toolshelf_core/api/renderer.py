"""Write the API's responses as JSON text: times as RFC 3339, numbers exactly as they were uploaded.

A page of a list is limited in bytes, too: texts of users, above all descriptions, can be up to 1
MiB each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Final, cast

from toolspec.text.reader import Number, dumps

MAX_PAGE_BYTES: Final = 1024 * 1024  # UTF-8; a single item may exceed it


class _HasNumbers(Exception):
    """The standard writer met a `Number`, whose text it cannot preserve."""


def text_of(value: object) -> str:
    """`value` as JSON text; it may contain tuples, days and times in UTC besides JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_convert_plain)
    except _HasNumbers:
        return dumps(cast("Any", _convert_all(value)))


def count_that_fit(items: Iterable[object]) -> int:
    """How many of `items`, from the first on, fit into `MAX_PAGE_BYTES` as JSON; at least 1."""
    total = number = 0
    for item in items:
        total += len(text_of(item).encode())
        if total > MAX_PAGE_BYTES:
            break
        number += 1
    return max(1, number)


def _convert_plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Number):
        raise _HasNumbers
    raise TypeError(f"{type(value).__name__} is no JSON type")


def _convert_all(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _convert_all(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_convert_all(item) for item in value]
    if isinstance(value, date):
        return _convert_plain(value)
    return value
