"""JSON values in a form: their types, the absence of a value, and their text inside a control."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from typing import Final, Literal, TypeAlias, cast

from toolspec.errors import JSONTextError, Problem
from toolspec.schema.types import json_type
from toolspec.text import reader
from toolspec.text.pretty import MAX_PRINTED, print_json
from toolspec.text.reader import JSON, Number

Kind = Literal["text", "number", "boolean", "null", "object", "array"]
KINDS: Final[tuple[Kind, ...]] = ("text", "number", "boolean", "null", "object", "array")

MAX_TEXT_BYTES: Final = 1024 * 1024

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")

# The characters that an HTML control does not return unchanged, or that are invisible there:
# control characters except tab and newline, the byte order mark, lone surrogates and
# non-characters.
_FRAGILE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff\ufdd0-\ufdef"
    + "".join(
        f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17)
    )
    + "]"
)


class Absent(Enum):
    """The type of `ABSENT`: no value, as opposed to null or an empty value."""

    ABSENT = "absent"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT

Maybe: TypeAlias = "JSON | Absent"


def kind_of(value: JSON) -> Kind:
    """The type of `value`, which determines its control."""
    name = json_type(value)
    return "text" if name == "string" else name


def is_fragile(text: str) -> bool:
    """Whether an HTML control would change `text`, so that it must be written as a JSON literal."""
    return _FRAGILE.search(text) is not None


def literal(value: JSON) -> str:
    """`value` as JSON text that survives any HTML control."""
    return _write_for_controls(value, reader.dumps)


def print_literal(value: JSON, *, most: int = MAX_PRINTED) -> str:
    """`value` as such text on several lines, or on one if it would exceed `most` characters."""
    return _write_for_controls(value, lambda value: print_json(value, most=most))


def _write_for_controls(value: JSON, write: Callable[[JSON], str]) -> str:
    try:
        text = write(value)
    except UnicodeEncodeError:  # a lone surrogate
        text = _write_ascii(value)
    return _FRAGILE.sub(_escape, text)


def _write_ascii(value: JSON) -> str:
    """`value` as JSON text in ASCII."""
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}: {_write_ascii(member)}" for name, member in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_write_ascii, value)) + "]"
    if isinstance(value, Number):
        return value.lexeme
    return json.dumps(value)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def read_literal(text: str) -> JSON:
    r"""The value of JSON `text`, exactly.

    Like the strict reader, except that strings may contain `\u0000` and lone surrogates: the form
    accepts such a value, and it is refused when it would be stored or sent.

    Raises:
        JSONTextError: with line and column.
    """
    try:
        return reader.loads(text, max_bytes=MAX_TEXT_BYTES)
    except JSONTextError:
        if not re.search(r"\\u(0000|[dD][89a-fA-F])", text):
            raise
        return _read_unstorable(text)


def _read_unstorable(text: str) -> JSON:
    try:
        value: JSON = json.loads(
            text,
            parse_int=read_number,
            parse_float=read_number,
            parse_constant=read_number,
            object_pairs_hook=_make_object,
        )
    except json.JSONDecodeError as error:
        problem = Problem("", error.msg, "json.syntax", line=error.lineno, column=error.colno)
        raise JSONTextError([problem]) from error
    except (ValueError, RecursionError) as error:
        problem = Problem("", f"This is not JSON: {error}", "json.syntax", line=1, column=1)
        raise JSONTextError([problem]) from error
    return value


def _make_object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object has two properties of the same name")
    return members


def read_number(text: str) -> int | Number:
    """The number that `text` spells, with its spelling.

    Raises:
        JSONTextError: it is not a JSON number.
    """
    stripped = text.strip()
    if not _NUMBER.fullmatch(stripped):
        excerpt = stripped if len(stripped) <= 40 else stripped[:39] + "…"
        message = f"“{excerpt}” is not a number; write it like 12, -3.5 or 1e6"
        raise JSONTextError([Problem("", message, "form.number")])
    try:
        return cast("int | Number", reader.loads(stripped))
    except JSONTextError as error:
        raise JSONTextError([Problem("", error.problems[0].message, "form.number")]) from None
