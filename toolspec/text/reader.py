"""JSON as Toolshelf reads and writes it: one strict reader for all of it, and exact numbers.

It accepts JSON by RFC 8259 with further restrictions: UTF-8 (a byte order mark is ignored), no NUL character, no lone
surrogate, no duplicate member, no number beyond the range of a double; size, digits and nesting are bounded.

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
from typing import Any, Final, TypeAlias

from toolspec.errors import JSONTextError, Problem
from toolspec.text.numbers import Number, integer_from
from toolspec.text.positions import Lines
from toolspec.text.syntax_errors import MAY_CONTAIN_NUL, raise_first_error

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
    """The JSON value in `data`, of at most `max_bytes` bytes of UTF-8, nested at most `max_depth` deep.

    Raises:
        JSONTextError: it is not JSON as Toolshelf reads it; one problem, with line and column.
    """
    return parse(decode(data, max_bytes=max_bytes), max_depth=max_depth)


def decode(data: bytes | str, *, max_bytes: int = MAX_BYTES) -> str:
    """The text in `data` without a byte order mark; if it is too big, it is refused before it is read.

    Raises:
        JSONTextError: it is too big, or not UTF-8.
    """
    size = (
        len(data)
        if isinstance(data, bytes) or data.isascii() or len(data) > max_bytes
        else _utf8_size(data)
    )
    if size > max_bytes:
        raise _refusal(
            f"The text has {size:,} bytes; at most {max_bytes:,} are allowed.", "json.too-large"
        )
    return (
        _decoded(data.removeprefix(BOM_UTF8))
        if isinstance(data, bytes)
        else data.removeprefix("\ufeff")
    )


def parse(text: str, *, max_depth: int = MAX_DEPTH) -> JSON:
    """The JSON value in `text`, whose size is known to be bounded.

    Raises:
        JSONTextError: as `loads`.
    """
    if text.count("{") + text.count("[") > max_depth and _depth(text) > max_depth:
        raise_first_error(text, max_depth=max_depth)
    try:
        value: JSON = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise_first_error(text, max_depth=max_depth)
        raise
    if (
        "\\u" in text
        and _SUSPECT_ESCAPE.search(text)
        and not all(map(_is_storable, _strings(value)))
    ):
        raise_first_error(text, max_depth=max_depth)
    return value


def dumps(
    value: JSON, *, indent: int | None = None, sort_keys: bool = False, blanks: bool = True
) -> str:
    """`value` as JSON text, with numbers as they were written and without needless escapes.

    On one line, a blank follows each comma and colon, unless `blanks` is false.

    Raises:
        ValueError: `value` contains something that JSON cannot: a NaN, an infinity, another type, a lone surrogate,
            or itself.
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
        text = "".join(_written(value, indent, sort_keys, "\n", " " if blanks else ""))
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
    for piece in _written(value, indent, False, "\n"):
        parts.append(piece)
        left -= len(piece)
        if left <= 0:
            break
    return "".join(parts)[:characters]


@dataclass(frozen=True, slots=True)
class Layout:
    """What determines the lines of a JSON text: its commas, and its brackets without those of empty containers.

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
    return Layout(commas, len(marks) - commas, sum(accumulate(map(_STEP.__getitem__, marks))))


def plain(value: JSON) -> Any:
    """`value` with each `Number` as a plain Decimal; `value` itself if it contains none."""
    if isinstance(value, Number):
        return Decimal(value)
    if isinstance(value, list):
        items = [plain(item) for item in value]
        return (
            items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        )
    if isinstance(value, dict):
        members = {name: plain(member) for name, member in value.items()}
        return (
            members if any(members[name] is not member for name, member in value.items()) else value
        )
    return value


# Reading


class _DuplicateError(ValueError):
    """An object has two members of the same name."""


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateError
    return members


def _refuse_constant(name: str) -> JSON:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=integer_from,
    parse_float=Number,
    parse_constant=_refuse_constant,
)


def _decoded(data: bytes) -> str:
    if b"\0" in data[:4]:
        raise _refusal("The text is UTF-16 or UTF-32; save it as UTF-8.", "json.encoding")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        position = Lines(before := data[: error.start].decode()).position(len(before))
        message = f"The byte {data[error.start]:#04x} is not UTF-8; save the text as UTF-8."
        raise _refusal(message, "json.encoding", position) from None


def _utf8_size(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        message = "There is an unpaired surrogate here, which UTF-8 cannot represent; remove it."
        raise _refusal(message, "json.surrogate", Lines(text).position(error.start)) from None


def _refusal(message: str, rule: str, position: tuple[int, int] = (1, 1)) -> JSONTextError:
    line, column = position
    return JSONTextError(
        [Problem(pointer="", message=message, rule=rule, line=line, column=column)]
    )


def _depth(text: str) -> int:
    """How deeply `text` is nested, counted by its brackets outside strings, without recursion."""
    brackets = _STRING.sub(b"", text.encode()).translate(None, delete=_NOT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _strings(value: JSON) -> Iterator[str]:
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
            rest.extend(
                member.replace("\0", "")
                if name == MAY_CONTAIN_NUL and isinstance(member, str)
                else member
                for name, member in value.items()
            )


def _is_storable(text: str) -> bool:
    return "\0" not in text and (
        text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
    )


# Writing


class _HasNumbers(Exception):
    """The standard writer met a `Number`, whose text it cannot write."""


def _refuse_foreign(value: object) -> object:
    if isinstance(value, Number):
        raise _HasNumbers
    raise TypeError(f"{type(value).__name__} is not a JSON type")


_SCALARS: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_refuse_foreign)


def _written(
    value: JSON, indent: int | None, sort_keys: bool, line: str, blank: str = " "
) -> Iterator[str]:
    """The pieces of `value`'s text, as `json.dumps` lays it out; `line` starts a line at the current depth."""
    if isinstance(value, Number):
        yield value.lexeme
    elif isinstance(value, list | dict) and value:
        inner = line if indent is None else line + " " * indent
        yield "[" if isinstance(value, list) else "{"
        between = ""
        for start, item in _entries(value, sort_keys, blank):
            yield between if indent is None else between.rstrip() + inner
            yield start
            yield from _written(item, indent, sort_keys, inner, blank)
            between = f",{blank}"
        if indent is not None:
            yield line
        yield "]" if isinstance(value, list) else "}"
    else:
        yield _SCALARS.encode(value)


def _entries(
    value: list[JSON] | dict[str, JSON], sort_keys: bool, blank: str
) -> Iterator[tuple[str, JSON]]:
    if isinstance(value, list):
        yield from (("", item) for item in value)
    else:
        for name in sorted(value) if sort_keys else value:
            yield f"{encode_basestring(name)}:{blank}", value[name]
