"""Laying JSON out on several lines, for people. Many specs come on a single one.

Nothing here knows Django.
"""

from __future__ import annotations

from catalog.errors import DocumentError
from catalog.jsontext.reader import dumps, loads


def is_one_line(text: str) -> bool:
    return "\n" not in text.strip()


def pretty_print(text: str) -> str:
    """`text` on several lines, numbers as they were written; as it is where that is no JSON."""
    try:
        return dumps(loads(text), indent=2)
    except DocumentError:
        return text
