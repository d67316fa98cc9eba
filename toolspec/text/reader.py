"""JSON as Toolshelf reads and writes it: one strict reader for all of it, and exact numbers.

It accepts JSON by RFC 8259 with further restrictions: UTF-8 (a byte order mark is ignored), no NUL
character, no lone surrogate, no duplicate member, no number beyond the range of a double; size,
digits and nesting are bounded.

    loads(data)    -> a JSON value, or JSONTextError with line, column and a sentence
    dumps(value)   -> text, with numbers as they were written
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from json.encoder import encode_basestring
from operator import is_
from typing import Any, Final, TypeAlias

from toolspec.errors import JSONTextError, Problem
from toolspec.text.numbers import Number, integer_from
from toolspec.text.positions import Lines
from toolspec.text.syntax_errors import MAY_CONTAIN_NUL, SURROGATE, raise_first_error

__all__ = [
    "JSON",
    "MAX_BYTES",
    "MAX_DEPTH",
    "Layout",
    "Number",
    "count_layout",
    "decode",
    "dumps",
    "dumps_start",
    "loads",
    "parse",
    "plain",
]

JSON: TypeAlias = "bool | int | Number | str | list[JSON] | dict[str, JSON] | None"

MAX_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 64

_SUSPECT_ESCAPE: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_NOT_LAYOUT: Final = bytes(set(range(256)) - set(b"[]{},"))
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1, ord(","): 0}


def loads(data: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> JSON:
    """The JSON value in `data`: at most `max_bytes` bytes of UTF-8, at most `max_depth` levels.

    Raises:
        JSONTextError: it is not JSON as Toolshelf reads it; one problem, with line and column.
    """
    return parse(decode(data, max_bytes=max_bytes), max_depth=max_depth)


def decode(data: bytes | str, *, max_bytes: int = MAX_BYTES) -> str:
    """The text in `data` without a byte order mark; text that is too big is refused unread.

    Raises:
        JSONTextError: it is too big, or not UTF-8.
    """
    size = len(data)
    if isinstance(data, str) and size <= max_bytes and not data.isascii():
        size = _utf8_size(data)
    if size > max_bytes:
        message = f"The text has {size:,} bytes; at most {max_bytes:,} are allowed."
        raise _make_error(message, "json.too-large")
    if isinstance(data, bytes):
        return _decode_utf8(data.removeprefix(BOM_UTF8))
    return data.removeprefix("\ufeff")


def parse(text: str, *, max_depth: int = MAX_DEPTH) -> JSON:
    """The JSON value in `text`, whose size is known to be bounded.

    Raises:
        JSONTextError: as `loads`.
    """
    brackets = text.count("{") + text.count("[")
    if brackets > max_depth and _measure_depth(text) > max_depth:
        raise_first_error(text, max_depth=max_depth)
    try:
        value: JSON = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise_first_error(text, max_depth=max_depth)
        raise
    is_suspect = "\\u" in text and _SUSPECT_ESCAPE.search(text)
    if is_suspect and not all(map(_is_storable, _iterate_strings(value))):
        raise_first_error(text, max_depth=max_depth)
    return value


def dumps(
    value: JSON, *, indent: int | None = None, sort_keys: bool = False, blanks: bool = True
) -> str:
    """`value` as JSON text, with numbers as they were written and without needless escapes.

    On one line, a blank follows each comma and colon, unless `blanks` is false.

    Raises:
        ValueError: `value` contains something that JSON cannot: a NaN, an infinity, another type, a
            lone surrogate, or itself.
    """
    try:
        text = json.dumps(
            value,
            ensure_ascii=False,
            allow_nan=False,
            indent=indent,
            sort_keys=sort_keys,
            separators=None if blanks else (",", ":"),
            default=_refuse_foreign,
        )
    except _HasNumbers:
        blank = " " if blanks else ""
        text = "".join(_write(value, indent, sort_keys, "\n", blank))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"Not JSON: {error}") from None
    text.encode()
    return text


def dumps_start(value: JSON, characters: int, *, indent: int) -> str:
    """The first `characters` of the text that `dumps` makes of `value`; the rest is not made.

    Raises:
        ValueError: as `dumps`, if it is in that part.
    """
    parts = []
    left = characters
    for piece in _write(value, indent, False, "\n"):
        parts.append(piece)
        left -= len(piece)
        if left <= 0:
            break
    return "".join(parts)[:characters]


@dataclass(frozen=True, slots=True)
class Layout:
    """What determines the lines of a JSON text: its commas, and the brackets of filled containers.

    `levels` is the sum of the depths after each of them.
    """

    commas: int
    brackets: int
    levels: int


def count_layout(compact: str) -> Layout:
    """The layout of JSON text without blanks between brackets, as `dumps` writes it on one line."""
    bare = _STRING.sub(b"0", compact.encode()).replace(b"[]", b"").replace(b"{}", b"")
    marks = bare.translate(None, delete=_NOT_LAYOUT)
    commas = marks.count(b",")
    depths = accumulate(map(_STEP.__getitem__, marks))
    return Layout(commas, brackets=len(marks) - commas, levels=sum(depths))


def plain(value: JSON) -> Any:
    """`value` with each `Number` as a plain Decimal; `value` itself if it contains none."""
    if isinstance(value, Number):
        return Decimal(value)
    if isinstance(value, list):
        items = [plain(item) for item in value]
        if all(map(is_, items, value)):
            return value
        return items
    if isinstance(value, dict):
        members = {name: plain(member) for name, member in value.items()}
        is_unchanged = all(map(is_, members.values(), value.values()))
        return value if is_unchanged else members
    return value


# Reading


class _DuplicateError(ValueError):
    """An object has two members of the same name."""


def _make_object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateError
    return members


def _refuse_constant(name: str) -> JSON:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_make_object,
    parse_int=integer_from,
    parse_float=Number,
    parse_constant=_refuse_constant,
)


def _decode_utf8(data: bytes) -> str:
    if b"\0" in data[:4]:
        raise _make_error("The text is UTF-16 or UTF-32; save it as UTF-8.", "json.encoding")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        text_before = data[: error.start].decode()
        position = Lines(text_before).position(len(text_before))
        message = f"The byte {data[error.start]:#04x} is not UTF-8; save the text as UTF-8."
        raise _make_error(message, "json.encoding", position) from None


def _utf8_size(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        message = "There is an unpaired surrogate here, which UTF-8 cannot represent; remove it."
        position = Lines(text).position(error.start)
        raise _make_error(message, "json.surrogate", position) from None


def _make_error(message: str, rule: str, position: tuple[int, int] = (1, 1)) -> JSONTextError:
    line, column = position
    return JSONTextError([Problem("", message, rule, line=line, column=column)])


def _measure_depth(text: str) -> int:
    """How deeply `text` is nested, counted by its brackets outside strings, without recursion."""
    brackets = _STRING.sub(b"", text.encode()).translate(None, delete=_NOT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _iterate_strings(value: JSON) -> Iterator[str]:
    """Every string in `value`, names included; U+0000 is left out where it is allowed."""
    rest = [value]
    while rest:
        value = rest.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            rest.extend(value)
        elif isinstance(value, dict):
            yield from value
            for name, member in value.items():
                if name == MAY_CONTAIN_NUL and isinstance(member, str):
                    yield member.replace("\0", "")
                else:
                    rest.append(member)


def _is_storable(text: str) -> bool:
    return "\0" not in text and not SURROGATE.search(text)


# Writing


class _HasNumbers(Exception):
    """The standard writer met a `Number`, whose text it cannot write."""


def _refuse_foreign(value: object) -> object:
    if isinstance(value, Number):
        raise _HasNumbers
    raise TypeError(f"{type(value).__name__} is not a JSON type")


_SCALARS: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_refuse_foreign)


def _write(
    value: JSON, indent: int | None, sort_keys: bool, line: str, blank: str = " "
) -> Iterator[str]:
    """The pieces of `value`'s text, as `json.dumps` lays it out.

    `line` starts a line at the current depth.
    """
    if isinstance(value, Number):
        yield value.lexeme
        return
    if not value or not isinstance(value, list | dict):
        yield _SCALARS.encode(value)
        return
    opening, closing = "[]" if isinstance(value, list) else "{}"
    yield opening
    if indent is None:
        inner = line
        first, between = "", f",{blank}"
    else:
        inner = line + " " * indent
        first, between = inner, f",{inner}"
    separator = first
    for start, item in _list_entries(value, sort_keys, blank):
        yield separator
        yield start
        yield from _write(item, indent, sort_keys, inner, blank)
        separator = between
    if indent is not None:
        yield line
    yield closing


def _list_entries(
    value: list[JSON] | dict[str, JSON], sort_keys: bool, blank: str
) -> Iterator[tuple[str, JSON]]:
    """The items, each with the text that comes before it: the name of a member, or nothing."""
    if isinstance(value, list):
        for item in value:
            yield "", item
        return
    names = sorted(value) if sort_keys else value
    for name in names:
        yield f"{encode_basestring(name)}:{blank}", value[name]
