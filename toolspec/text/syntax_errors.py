"""The first error in a text that is not JSON, with its position and a sentence that says what to do.

The fast reader (`reader.parse`) only notices that a text is invalid; this pass finds out why and where. It is linear in
the text and does not recurse.

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
# The member whose text may contain U+0000, written as an escape: regular expressions like "[^\u0000]" exclude it.
MAY_CONTAIN_NUL: Final = "pattern"

_NUMBER_LIKE: Final = re.compile(r"[-+.]?[0-9][0-9A-Za-z_.+-]*")

_CONTROL_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_OTHER_LANGUAGES: Final = {
    "True": "JSON writes `true` in lowercase.",
    "False": "JSON writes `false` in lowercase.",
    "None": "JSON writes `null`, not `None`.",
    "undefined": "JSON has no `undefined`; write null, or leave the property out.",
}
_FOREIGN_QUOTES: Final = "'`\u201c\u201d\u2018\u2019\u00ab\u00bb"
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
    """One pass over a text. Methods take the offset that they read from and return the offset after what they read."""

    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.open: list[_Open] = []

    def run(self) -> None:
        at = self._value(self._space(0))
        while self.open:
            at = self._next_entry(self._space(at))
        at = self._space(at)
        if at < len(self.text):
            self._fail(at, "There is more text after the end of the document; remove it.")

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _value(self, at: int) -> int:
        """Read a string, number or literal, or the opening bracket of an array or object."""
        first = self.text[at : at + 1]
        if first == '"':
            return self._string(at)[1]
        if first and first in "{[":
            return self._opening_bracket(at, first)
        if match := NUMBER.match(self.text, at):
            return self._number(at, match.end())
        match = _LITERAL.match(self.text, at)
        return match.end() if match else self._fail_at_value(at, first)

    def _opening_bracket(self, at: int, bracket: str) -> int:
        if len(self.open) == self.max_depth:
            self._fail(
                at, f"Values are nested more than {self.max_depth} levels deep here.", "json.depth"
            )
        self.open.append(_Open(start=at, names=set() if bracket == "{" else None))
        return at + 1

    def _next_entry(self, at: int) -> int:
        """Read the next member or item of the innermost container, or its closing bracket."""
        inner = self.open[-1]
        first = self.text[at : at + 1]
        if first == inner.end:
            self.open.pop()
            return at + 1
        if inner.count:
            at = self._comma(at, first, inner)
        inner.token = inner.count if inner.names is None else None
        inner.count += 1
        if inner.names is not None:
            at = self._name(at, inner, inner.names)
        return self._value(at)

    def _comma(self, at: int, first: str, inner: _Open) -> int:
        if first != ",":
            self._fail_between(at, first, inner)
        behind = self._space(at + 1)
        if self.text[behind : behind + 1] == inner.end:
            self._fail(at, f"Nothing follows this comma; remove it before '{inner.end}'.")
        return behind

    def _name(self, at: int, inner: _Open, names: set[str]) -> int:
        if self.text[at : at + 1] != '"':
            self._fail_at_name(at)
        name, behind = self._string(at)
        inner.token = name
        if name in names:
            self._fail(
                at,
                f"The property {_shown(name)} is a duplicate; remove one of them.",
                "json.duplicate",
            )
        names.add(name)
        behind = self._space(behind)
        if self.text[behind : behind + 1] != ":":
            self._fail(behind, f"A colon is expected here, after the name {_shown(name)}.")
        return self._space(behind + 1)

    def _string(self, at: int) -> tuple[str, int]:
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
            self._fail(
                at,
                "This string contains the character U+0000, which cannot be stored; remove it.",
                "json.nul",
            )
        if any("\ud800" <= character <= "\udfff" for character in value):
            self._fail(
                at,
                "This string contains an unpaired surrogate; write both halves of the pair, or remove it.",
                "json.surrogate",
            )

    def _number(self, at: int, end: int) -> int:
        if (match := _NUMBER_LIKE.match(self.text, at)) and match.end() > end:
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
        line, _ = Lines(self.text).position(self.open[-1].start)
        what = "array" if self.open[-1].names is None else "object"
        end = self.open[-1].end
        self._fail(
            at,
            f"The text ends too early: '{end}' is missing for the {what} that starts on line {line}.",
        )

    def _fail_at_word(self, at: int, word: str) -> NoReturn:
        if word in _NO_NUMBERS:
            self._fail(at, f"JSON has no {word}; write null, or a number.", "json.number")
        if word in _OTHER_LANGUAGES:
            self._fail(at, _OTHER_LANGUAGES[word])
        self._fail(at, f"{_shown(word)} is not a JSON value; strings must be in double quotes.")

    def _fail_at_number(self, at: int, lexeme: str) -> NoReturn:
        digits = lexeme.lstrip("+-")
        hints = (
            (lexeme.startswith("+"), "leave out the plus sign"),
            (digits.startswith("."), "write a 0 before the point"),
            (digits[:2].lower() in {"0x", "0o", "0b"}, "write it in decimal digits"),
            (digits[:1] == "0" and digits[1:2].isdecimal(), "leave out the leading zeros"),
            (digits.endswith("."), "write a digit after the point"),
            (digits[-1:] in "eE+-", "write the digits of the exponent"),
        )
        hint = next((text for applies, text in hints if applies), "write it in decimal digits")
        self._fail(at, f"{_shown(lexeme)} is not a JSON number; {hint}.")

    def _fail_at_name(self, at: int) -> NoReturn:
        first = self.text[at : at + 1]
        if not first:
            self._fail_at_end(at)
        if first == ",":
            self._fail(at, "A property is expected before this comma.")
        if match := _WORD.match(self.text, at):
            self._fail(at, f"The name {_shown(match.group())} must be in double quotes.")
        if first in "{[-0123456789":
            self._fail(at, "A property name in double quotes is expected here.")
        self._fail_at_character(at, first)

    def _fail_at_character(self, at: int, first: str) -> NoReturn:
        if first in _FOREIGN_QUOTES:
            self._fail(
                at, f'JSON puts strings and names in straight double quotes ("…"), not in {first}.'
            )
        if first in "/#":
            self._fail(at, "JSON has no comments; remove this one.")
        if first == "\ufeff":
            self._fail(at, "There is a byte order mark here; save the text without it.", "json.bom")
        if first == "\0":
            self._fail(at, "The character U+0000 is not allowed; remove it.", "json.nul")
        self._fail(at, f"{_character(first)} is not expected here.")

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
            self._fail(
                bad, f"{escape.group()} is not an escape in JSON; a backslash is written \\\\."
            )
        if first == "\0":
            self._fail(bad, "This string contains the character U+0000; remove it.", "json.nul")
        written = _CONTROL_ESCAPES.get(first, f"\\u{ord(first):04x}")
        what = "A line break" if first in "\r\n" else _character(first)
        self._fail(
            bad,
            f"{what} inside a string must be written {written}; or a closing double quote is missing.",
        )

    def _fail(self, at: int, message: str, rule: str = "json.syntax") -> NoReturn:
        pointer = pointer_join("", *(inner.token for inner in self.open if inner.token is not None))
        line, column = Lines(self.text).position(at)
        raise JSONTextError(
            [Problem(pointer=pointer, message=message, rule=rule, line=line, column=column)]
        )


def _shown(text: str) -> str:
    """`text` in quotes, shortened if it is long, without characters that break a line."""
    cut = text if len(text) <= 60 else text[:60] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def _character(character: str) -> str:
    return f"'{character}'" if character.isprintable() else f"The character U+{ord(character):04X}"
