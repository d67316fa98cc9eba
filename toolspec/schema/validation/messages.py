"""Phrases for the messages of validation: what the schema requires at a pointer ("must be null").

They quote values of the schema, shortened and in JSON notation, and names of members, never the
value that was checked: it may be long, or a secret. A constraint has the words of
`toolspec.schema.describe`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

from toolspec.schema.describe import (
    FORMATS,
    LIMITS,
    NOUNS,
    TYPES,
    amount,
    cut,
    join_words,
    plural,
    with_article,
)
from toolspec.text.reader import JSON, Number

Numeric: TypeAlias = int | Decimal | float

MAX_MESSAGE_CHARACTERS: Final = 200
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_MAX_TEXT_CHARACTERS: Final = 40
_MAX_NUMBER_CHARACTERS: Final = 30
_MAX_CHOICES: Final = 6
_MAX_PARTS: Final = 3  # items or members of a value


def show(value: JSON | Decimal | float) -> str:
    """`value` in a few characters: "K", 19.90, true, null, {"a": 1}, an array of 30 items."""
    if isinstance(value, str):
        return show_text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        if len(value) > _MAX_PARTS:
            return f"a certain array of {count(len(value), 'item')}"
        items = ", ".join(map(_show_part, value))
        return f"[{items}]"
    if isinstance(value, dict):
        if len(value) > _MAX_PARTS:
            return f"a certain object with {count(len(value), 'property')}"
        members = [f"{show_text(name)}: {_show_part(member)}" for name, member in value.items()]
        return f"{{{', '.join(members)}}}"
    return cut(_show_number(value), _MAX_NUMBER_CHARACTERS)


def _show_part(value: JSON) -> str:
    """An item or member, without its own members."""
    if isinstance(value, list | dict) and value:
        if isinstance(value, list):
            return "[…]"
        return "{…}"
    return show(value)


def show_text(text: str) -> str:
    """`text` as JSON, shortened, on one line."""
    quoted = json.dumps(cut(text, _MAX_TEXT_CHARACTERS), ensure_ascii=False)
    return _UNSEEN.sub(_escape, quoted)


def show_source(source: str) -> str:
    """A pattern or a name as it is written, shortened, on one line."""
    return _UNSEEN.sub(_escape, cut(source, _MAX_TEXT_CHARACTERS))


def show_choice(values: Sequence[JSON]) -> str:
    """`values` as a choice: "C" or "F"; of many, the first: one of 1, 2, 3, 4, 5 and 14 more."""
    words: list[str] = []
    for value in values[:_MAX_CHOICES]:
        words.append(show(value))
        if sum(map(len, words)) > MAX_MESSAGE_CHARACTERS // 2:
            break
    if len(words) < len(values):
        return f"one of {', '.join(words)} and {len(values) - len(words)} more"
    return join_words(words)


def show_types(names: Iterable[str]) -> str:
    """Types as a choice: "a string or null"."""
    words = [_show_type(name) for name in names]
    return join_words(words) or "anything"


def _show_type(name: str) -> str:
    if name in TYPES:
        return with_article(name)
    return show_text(name)


def show_format(name: str) -> str:
    """A format with its article: "a date, like 2024-05-31", "an email address"."""
    if name in FORMATS:
        return with_article(FORMATS[name])
    return f"in the format {show_source(name)}"


def limit(keyword: str, value: Numeric) -> str:
    """A limit in words: "at least 3", "at most 1 item"."""
    number = count(value, NOUNS[keyword]) if keyword in NOUNS else show(value)
    return f"{LIMITS[keyword]} {number}"


def describe_requirement(keyword: str, value: Any, schema: Any) -> str:
    """What a keyword with this `value` requires: "must have at most 3 items"."""
    if keyword == "type":
        names = [value] if isinstance(value, str) else value
        return f"must be {show_types(names)}"
    if keyword == "minLength" and value == 1:
        return "must not be empty"
    if keyword in NOUNS:
        return f"must have {limit(keyword, value)}"
    exclusive = f"exclusive{keyword.capitalize()}"
    is_exclusive = schema.get(exclusive) is True  # draft-04
    if is_exclusive:
        keyword = exclusive
    return f"must be {limit(keyword, value)}"


def count(number: Numeric, noun: str) -> str:
    """Number and noun: 1 item, 3 items, 50,000 characters."""
    digits = cut(amount(_show_number(number)), _MAX_NUMBER_CHARACTERS)
    return f"{digits} {plural(noun, number)}"


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _show_number(value: Numeric) -> str:
    if isinstance(value, int) and abs(value) >= 10**300:
        return "a very large number"
    if isinstance(value, Number):
        return value.lexeme
    return str(value)
