"""Phrases for the messages of validation, which never quote a whole value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

from catalog.json_schema.describe import TYPES, cut, listed, plural, with_article
from catalog.jsontext.reader import JSON, Number

Numeric: TypeAlias = int | Decimal | float

MAX_MESSAGE_CHARACTERS: Final = 200
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_MAX_TEXT_CHARACTERS: Final = 40
_MAX_NUMBER_CHARACTERS: Final = 30
_MAX_CHOICES: Final = 6


def show(value: JSON | Decimal | float) -> str:
    """`value` in a few characters: 'K', 19.90, true, null, an array of 3 items."""
    if isinstance(value, str):
        return show_text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"an array of {count(len(value), 'item')}"
    if isinstance(value, dict):
        return f"an object with {count(len(value), 'property')}"
    return cut(_number(value), _MAX_NUMBER_CHARACTERS)


def show_text(text: str) -> str:
    """`text` in quotes, shortened, on one line."""
    return f"'{_UNSEEN.sub(_escaped, cut(text, _MAX_TEXT_CHARACTERS))}'"


def show_all(values: Sequence[JSON]) -> str:
    """`values` as a list: ['C', 'F'], shortened if there are many."""
    shown: list[str] = []
    for value in values[:_MAX_CHOICES]:
        shown.append(show(value))
        if sum(map(len, shown)) > MAX_MESSAGE_CHARACTERS // 2:
            break
    if len(shown) < len(values):
        shown.append(f"… {len(values) - len(shown)} more")
    return f"[{', '.join(shown)}]"


def types(names: Iterable[str]) -> str:
    """Types as a choice: "a string or null"."""
    return listed([with_article(name) if name in TYPES else show_text(name) for name in names]) or "anything"


def count(number: Numeric, noun: str) -> str:
    """Number and noun: 1 item, 3 items."""
    return f"{cut(_number(number), _MAX_NUMBER_CHARACTERS)} {plural(noun, number)}"


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _number(value: Numeric) -> str:
    if isinstance(value, int) and abs(value) >= 10**300:
        return "a very large number"
    return value.lexeme if isinstance(value, Number) else str(value)
