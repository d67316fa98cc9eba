"""Pretty-printed JSON: many specs are uploaded on a single line."""

from __future__ import annotations

from catalog.errors import DocumentError
from catalog.jsontext.reader import dumps, loads


def is_one_line(text: str) -> bool:
    return "\n" not in text.strip()


def pretty_print(text: str) -> str:
    """`text` on several lines, with numbers as they were written; unchanged if it is not JSON."""
    try:
        return dumps(loads(text), indent=2)
    except DocumentError:
        return text
