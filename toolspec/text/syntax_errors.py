"""The first error in a text that is not JSON, with its position and a sentence on what to do.

The fast reader (`reader.parse`) only notices that a text is invalid; this pass finds out why and
where. It is linear in the text and does not recurse.

Source: RFC 8259.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, NoReturn

from toolspec.errors import JSONTextError, Problem
from toolspec.text.numbers import NUMBER, NumberError, number_from
from toolspec.text.pointers import pointer_join
from toolspec.text.positions import Lines

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"')
_STRING_BODY: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_BAD_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|.)", re.DOTALL)
_LITERAL: Final = re.compile(r"(?:true|false|null)(?![A-Za-z0-9_$])")
_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
# The member whose text may contain U+0000, written as an escape: regular expressions like
# "[^\u0000]" exclude it.
MAY_CONTAIN_NUL: Final = "pattern"
SURROGATE: Final = re.compile("[\ud800-\udfff]")

_NUMBER_LIKE: Final = re.compile(r"[-+.]?[0-9][0-9A-Za-z_.+-]*")

_CONTROL_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_OTHER_LANGUAGES: Final = {
    "True": "JSON writes `true` in lowercase.",
    "False": "JSON writes `false` in lowercase.",
    "None": "JSON writes `null`, not `None`.",
    "undefined": "JSON has no `undefined`; write null, or leave the property out.",
}
_FOREIGN_QUOTES: Final = "'`\u201c\u201d\u2018\u2019\u00ab\u00bb"
_BASES: Final = ("0x", "0X", "0o", "0O", "0b", "0B")
_NO_NUMBERS: Final = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity"})


def raise_first_error(text: str, *, max_depth: int) -> None:
    """Return if `text` is JSON as Toolshelf reads it.

    Raises:
        JSONTextError: it is not; one problem, the first, with pointer, line and column.
    """
    _Scan(text, max_depth).run()


@dataclass(slots=True)
class _Open:
    """An array or object that the scan is in.

    Attributes:
        names: the members read so far; None for an array.
        token: the name or index of the entry being read; None before a member's name.
        count: entries read so far.
    """

    start: int
    names: set[str] | None
    count: int = 0
    token: str | int | None = None

    @property
    def end(self) -> str:
        return "]" if self.names is None else "}"


class _Scan:
    """One pass over a text.

    Methods take the offset that they read from, and return the offset after what they read.
    """

    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.open: list[_Open] = []

    def run(self) -> None:
        at = self._read_value(self._skip_space(0))
        while self.open:
            at = self._read_next_entry(self._skip_space(at))
        at = self._skip_space(at)
        if at < len(self.text):
            self._fail(at, "There is more text after the end of the document; remove it.")

    def _skip_space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _read_value(self, at: int) -> int:
        """Read a string, number or literal, or the opening bracket of an array or object."""
        first = self.text[at : at + 1]
        if first == '"':
            return self._read_string(at)[1]
        if first and first in "{[":
            return self._open_container(at, first)
        if match := NUMBER.match(self.text, at):
            return self._check_number(at, match.end())
        if match := _LITERAL.match(self.text, at):
            return match.end()
        return self._fail_at_value(at, first)

    def _open_container(self, at: int, bracket: str) -> int:
        if len(self.open) == self.max_depth:
            message = f"Values are nested more than {self.max_depth} levels deep here."
            self._fail(at, message, "json.depth")
        names: set[str] | None = set() if bracket == "{" else None
        self.open.append(_Open(at, names))
        return at + 1

    def _read_next_entry(self, at: int) -> int:
        """Read the next member or item of the innermost container, or its closing bracket."""
        inner = self.open[-1]
        first = self.text[at : at + 1]
        if first == inner.end:
            self.open.pop()
            return at + 1
        if inner.count:
            at = self._skip_comma(at, first, inner)
        inner.token = None
        if inner.names is None:
            inner.token = inner.count
        else:
            at = self._read_name(at, inner, inner.names)
        inner.count += 1
        return self._read_value(at)

    def _skip_comma(self, at: int, first: str, inner: _Open) -> int:
        if first != ",":
            self._fail_between(at, first, inner)
        behind = self._skip_space(at + 1)
        if self.text[behind : behind + 1] == inner.end:
            self._fail(at, f"Nothing follows this comma; remove it before '{inner.end}'.")
        return behind

    def _read_name(self, at: int, inner: _Open, names: set[str]) -> int:
        if self.text[at : at + 1] != '"':
            self._fail_at_name(at)
        name, behind = self._read_string(at)
        inner.token = name
        if name in names:
            message = f"The property {_quote(name)} is a duplicate; remove one of them."
            self._fail(at, message, "json.duplicate")
        names.add(name)
        behind = self._skip_space(behind)
        if self.text[behind : behind + 1] != ":":
            self._fail(behind, f"A colon is expected here, after the name {_quote(name)}.")
        return self._skip_space(behind + 1)

    def _read_string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            self._fail_in_string(at)
        token = match.group()
        if "\\" not in token:
            return token[1:-1], match.end()
        value: str = json.loads(token)
        if "\\u" in token:
            self._check_escapes(at, value)
        return value, match.end()

    def _check_escapes(self, at: int, value: str) -> None:
        is_allowed = bool(self.open) and self.open[-1].token == MAY_CONTAIN_NUL
        if "\0" in value and not is_allowed:
            message = (
                "This string contains the character U+0000, which cannot be stored; remove it."
            )
            self._fail(at, message, "json.nul")
        if SURROGATE.search(value):
            message = (
                "This string contains an unpaired surrogate; "
                "write both halves of the pair, or remove it."
            )
            self._fail(at, message, "json.surrogate")

    def _check_number(self, at: int, end: int) -> int:
        match = _NUMBER_LIKE.match(self.text, at)
        if match and match.end() > end:
            self._fail_at_number(at, match.group())
        try:
            number_from(self.text[at:end])
        except NumberError as error:
            self._fail(at, str(error), error.rule)
        return end

    # Errors, each in a sentence that says what to do.

    def _fail_at_value(self, at: int, first: str) -> NoReturn:
        if not first:
            self._fail_at_end(at)
        if first in "}],:":
            self._fail(at, f"A value is expected before this '{first}'.")
        if match := _NUMBER_LIKE.match(self.text, at):
            self._fail_at_number(at, match.group())
        word = _WORD.match(self.text, at + (first in "+-"))
        if word:
            self._fail_at_word(at, self.text[at : word.end()])
        self._fail_at_character(at, first)

    def _fail_at_end(self, at: int) -> NoReturn:
        if not self.open:
            self._fail(at, "The text is empty; a JSON document is expected.")
        inner = self.open[-1]
        line, _ = Lines(self.text).position(inner.start)
        kind = "array" if inner.names is None else "object"
        message = (
            f"The text ends too early: '{inner.end}' is missing "
            f"for the {kind} that starts on line {line}."
        )
        self._fail(at, message)

    def _fail_at_word(self, at: int, word: str) -> NoReturn:
        if word in _NO_NUMBERS:
            self._fail(at, f"JSON has no {word}; write null, or a number.", "json.number")
        if word in _OTHER_LANGUAGES:
            self._fail(at, _OTHER_LANGUAGES[word])
        self._fail(at, f"{_quote(word)} is not a JSON value; strings must be in double quotes.")

    def _fail_at_number(self, at: int, lexeme: str) -> NoReturn:
        digits = lexeme.lstrip("+-")
        if lexeme.startswith("+"):
            hint = "leave out the plus sign"
        elif digits.startswith("."):
            hint = "write a 0 before the point"
        elif digits.startswith(_BASES):
            hint = "write it in decimal digits"
        elif digits.startswith("0") and digits[1:2].isdecimal():
            hint = "leave out the leading zeros"
        elif digits.endswith("."):
            hint = "write a digit after the point"
        elif digits.endswith(("e", "E", "-", "+")):
            hint = "write the digits of the exponent"
        else:
            hint = "write it in decimal digits"
        self._fail(at, f"{_quote(lexeme)} is not a JSON number; {hint}.")

    def _fail_at_name(self, at: int) -> NoReturn:
        first = self.text[at : at + 1]
        if not first:
            self._fail_at_end(at)
        if first == ",":
            self._fail(at, "A property is expected before this comma.")
        if match := _WORD.match(self.text, at):
            self._fail(at, f"The name {_quote(match.group())} must be in double quotes.")
        if first in "{[-0123456789":
            self._fail(at, "A property name in double quotes is expected here.")
        self._fail_at_character(at, first)

    def _fail_at_character(self, at: int, first: str) -> NoReturn:
        if first in _FOREIGN_QUOTES:
            message = (
                f'JSON puts strings and names in straight double quotes ("…"), not in {first}.'
            )
            self._fail(at, message)
        if first in "/#":
            self._fail(at, "JSON has no comments; remove this one.")
        if first == "\ufeff":
            self._fail(at, "There is a byte order mark here; save the text without it.", "json.bom")
        if first == "\0":
            self._fail(at, "The character U+0000 is not allowed; remove it.", "json.nul")
        self._fail(at, f"{_describe_character(first)} is not expected here.")

    def _fail_between(self, at: int, first: str, inner: _Open) -> NoReturn:
        if not first:
            self._fail_at_end(at)
        if first in "/#\0":
            self._fail_at_character(at, first)
        if first in "}]":
            self._fail(at, f"'{inner.end}' is expected here, not '{first}'.")
        self._fail(at, f"A comma or '{inner.end}' is expected here.")

    def _fail_in_string(self, at: int) -> NoReturn:
        body = _STRING_BODY.match(self.text, at)
        bad = body.end() if body else at + 1
        first = self.text[bad : bad + 1]
        if not first or bad + 1 == len(self.text):
            self._fail(at, "This string has no closing double quote.")
        if escape := _BAD_ESCAPE.match(self.text, bad):
            message = f"{escape.group()} is not an escape in JSON; a backslash is written \\\\."
            self._fail(bad, message)
        if first == "\0":
            self._fail(bad, "This string contains the character U+0000; remove it.", "json.nul")
        escaped = _CONTROL_ESCAPES.get(first, f"\\u{ord(first):04x}")
        what = "A line break" if first in "\r\n" else _describe_character(first)
        message = (
            f"{what} inside a string must be written {escaped}; "
            "or a closing double quote is missing."
        )
        self._fail(bad, message)

    def _fail(self, at: int, message: str, rule: str = "json.syntax") -> NoReturn:
        pointer = pointer_join("", *(inner.token for inner in self.open if inner.token is not None))
        line, column = Lines(self.text).position(at)
        raise JSONTextError([Problem(pointer, message, rule, line=line, column=column)])


def _quote(text: str) -> str:
    """`text` in quotes, shortened if it is long, without characters that break a line."""
    if len(text) > 60:
        text = f"{text[:60]}…"
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _describe_character(character: str) -> str:
    if character.isprintable():
        return f"'{character}'"
    return f"The character U+{ord(character):04X}"
