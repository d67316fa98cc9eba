"""One pass over a JSON text that knows where everything stands: it finds the first thing wrong, and places of values.

Nothing here knows Django. It is linear in the text and does not recurse. `strict_json` uses it when its fast reader has
refused a text, or when a problem needs its line and column.

Source: RFC 8259.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NoReturn

from catalog.errors import JSONTextError, Problem
from catalog.jsontext.numbers import NUMBER, NumberError, number_from
from catalog.jsontext.pointers import pointer_join, split_pointer

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"')
_STRING_BODY: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_STRING_OR_BRACKET: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
# In text known to be valid JSON: a scalar or an empty container, with the comma after it.
_PLAIN: Final = r'(?:"(?:[^"\\]++|\\.)*+"|\{[ \t\n\r]*+\}|\[[ \t\n\r]*+\]|[^][{}",: \t\n\r]++)[ \t\n\r]*+,[ \t\n\r]*+'
_PLAIN_ITEM: Final = re.compile(_PLAIN, re.DOTALL)
_PLAIN_MEMBER: Final = re.compile(rf'"(?P<name>[^"\\]*+)"[ \t\n\r]*+:[ \t\n\r]*+{_PLAIN}', re.DOTALL)
_COMMA: Final = re.compile(r"[ \t\n\r]*+,[ \t\n\r]*+")
_BAD_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|.)", re.DOTALL)
_LITERAL: Final = re.compile(r"(?:true|false|null)(?![A-Za-z0-9_$])")
_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER_LIKE: Final = re.compile(r"[-+.]?[0-9][0-9A-Za-z_.+-]*")
_LINE_END: Final = re.compile(r"\r\n?|\n")

_CONTROL_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_OTHER_LANGUAGES: Final = {
    "True": "JSON writes `true` in small letters.",
    "False": "JSON writes `false` in small letters.",
    "None": "JSON writes `null`, not `None`.",
    "undefined": "JSON knows no `undefined`; write null or leave the member out.",
}
_FOREIGN_QUOTES: Final = "'`\u201c\u201d\u2018\u2019\u00ab\u00bb"
_NO_NUMBERS: Final = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity"})


class Lines:
    """Line and column of offsets in a text, both from 1. A line ends with LF, CR or both."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def explain(text: str, *, max_depth: int) -> None:
    """Do nothing if `text` is JSON as Toolshelf reads it.

    Raises:
        JSONTextError: it is not; one problem, the first, with pointer, line and column.
    """
    _Scan(text, max_depth=max_depth).run()


def locate(text: str, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Line and column, from 1, of the value that each pointer names.

    Where a pointer names nothing, the place is that of the nearest value around it that is there.

    What lies aside of the pointers is passed over: `text` is known to be JSON.
    """
    pointers = list(pointers)
    wanted = _Wanted()
    for pointer in pointers:
        wanted.add(pointer)
    _Scan(text, max_depth=len(text), wanted=wanted).run()
    lines = Lines(text)
    return {pointer: lines.place(_offset_of(wanted, pointer)) for pointer in pointers}


@dataclass(slots=True)
class _Wanted:
    """A tree of the places that are looked for; `offset` is filled in where the scan meets the value."""

    offset: int | None = None
    members: dict[str, _Wanted] = field(default_factory=dict)

    def add(self, pointer: str) -> None:
        node = self
        for token in split_pointer(pointer):
            node = node.members.setdefault(token, _Wanted())

    def count(self) -> int:
        """How many places there are to find, this one included."""
        waiting = [self]
        for node in waiting:
            waiting.extend(node.members.values())
        return len(waiting)


def _offset_of(wanted: _Wanted, pointer: str) -> int:
    """Where the value at `pointer` starts, else the nearest one around it."""
    offset = wanted.offset or 0
    for token in split_pointer(pointer):
        wanted = wanted.members[token]
        if wanted.offset is None:
            break
        offset = wanted.offset
    return offset


def _leads_on(wanted: _Wanted | None) -> bool:
    """Whether any wanted value is below this one."""
    return wanted is not None and bool(wanted.members)


@dataclass(slots=True)
class _Open:
    """An array or object that the scan is in.

    `names` are the members met (None: an array); `token` is where in it the scan is (None: before a member's name).
    """

    start: int
    names: set[str] | None
    wanted: _Wanted | None
    count: int = 0
    token: str | int | None = None

    @property
    def end(self) -> str:
        return "]" if self.names is None else "}"


class _Scan:
    def __init__(self, text: str, *, max_depth: int, wanted: _Wanted | None = None) -> None:
        self.text = text
        self.max_depth = max_depth
        self.wanted = wanted
        self.missing = wanted.count() if wanted else 1  # without anything wanted, all is read
        self.open: list[_Open] = []

    def run(self) -> None:
        at = self._value(self._space(0), self.wanted)
        while self.open and self.missing:
            at = self._go_on(self._space(at))
        if self.wanted:
            return
        at = self._space(at)
        if at < len(self.text):
            self._fail(at, "The document ends before this; remove what follows.")

    def _space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _value(self, at: int, wanted: _Wanted | None) -> int:
        """Read the value that starts at `at`, of a container its opening alone; the offset behind it."""
        if wanted is not None:
            wanted.offset = at
            self.missing -= 1
        first = self.text[at : at + 1]
        if first == '"':
            return self._string(at)[1]
        if first in "{[" and first:
            return self._enter(at, first, wanted) if self.wanted is None or _leads_on(wanted) else self._pass_over(at)
        if match := NUMBER.match(self.text, at):
            return self._number(at, match.end())
        match = _LITERAL.match(self.text, at)
        return match.end() if match else self._fail_at_value(at, first)

    def _enter(self, at: int, bracket: str, wanted: _Wanted | None) -> int:
        if len(self.open) == self.max_depth:
            self._fail(at, f"Values are nested more than {self.max_depth} deep here.", "json.depth")
        self.open.append(_Open(start=at, names=set() if bracket == "{" else None, wanted=wanted))
        return at + 1

    def _pass_over(self, at: int) -> int:
        """The offset behind the container that opens at `at`."""
        depth = 0
        for match in _STRING_OR_BRACKET.finditer(self.text, at):
            first = self.text[match.start()]
            depth += (first in "{[") - (first in "}]")
            if not depth:
                return match.end()
        return len(self.text)

    def _go_on(self, at: int) -> int:
        """Go on in the innermost container: its end, or its next member or item."""
        inner = self.open[-1]
        first = self.text[at : at + 1]
        if first == inner.end:
            self.open.pop()
            return at + 1
        if inner.count:
            at = self._comma(at, first, inner)
        if inner.wanted is not None:
            at = self._skip(at, inner, inner.wanted)
        inner.token = inner.count if inner.names is None else None
        inner.count += 1
        if inner.names is not None:
            at = self._name(at, inner, inner.names)
        wanted = inner.wanted.members.get(str(inner.token)) if inner.wanted else None
        return self._value(at, wanted)

    def _skip(self, at: int, inner: _Open, wanted: _Wanted) -> int:
        """The offset of the next member or item that is wanted, must be examined, or is the last one.

        Only for finding positions: the text is known to be JSON then.
        """
        if inner.names is not None:
            while (match := _PLAIN_MEMBER.match(self.text, at)) and match["name"] not in wanted.members:
                at = match.end()
            return at
        indexes = (int(token) for token in wanted.members if token.isdecimal())
        following = min((index for index in indexes if index >= inner.count), default=-1)
        while inner.count != following and self.text[at] != "]":
            match = _PLAIN_ITEM.match(self.text, at)
            if match is None and self.text[at] in "[{":
                match = _COMMA.match(self.text, self._pass_over(at))
            if match is None:
                break
            at = match.end()
            inner.count += 1
        return at

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
            self._fail(at, f"The member {_shown(name)} stands here a second time; keep one.", "json.duplicate")
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
        if "\0" in value:
            self._fail(at, "This string holds the character U+0000, which cannot be stored; remove it.", "json.nul")
        if any("\ud800" <= character <= "\udfff" for character in value):
            self._fail(
                at, "This string holds half of a surrogate pair; write both halves, or neither.", "json.surrogate"
            )

    def _number(self, at: int, end: int) -> int:
        if (match := _NUMBER_LIKE.match(self.text, at)) and match.end() > end:
            self._fail_at_number(at, match.group())
        try:
            number_from(self.text[at:end])
        except NumberError as error:
            self._fail(at, str(error), error.rule)
        return end

    # What is wrong, in a sentence that says what to do.

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
        line, _ = Lines(self.text).place(self.open[-1].start)
        what = "array" if self.open[-1].names is None else "object"
        end = self.open[-1].end
        self._fail(at, f"The text ends too early: '{end}' is missing for the {what} that starts in line {line}.")

    def _fail_at_word(self, at: int, word: str) -> NoReturn:
        if word in _NO_NUMBERS:
            self._fail(at, f"JSON has no {word}; write null, or a number.", "json.number")
        if word in _OTHER_LANGUAGES:
            self._fail(at, _OTHER_LANGUAGES[word])
        self._fail(at, f"{_shown(word)} is no JSON value; a text stands in double quotes.")

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
        self._fail(at, f"{_shown(lexeme)} is no JSON number; {hint}.")

    def _fail_at_name(self, at: int) -> NoReturn:
        first = self.text[at : at + 1]
        if not first:
            self._fail_at_end(at)
        if first == ",":
            self._fail(at, "A member is expected before this comma.")
        if match := _WORD.match(self.text, at):
            self._fail(at, f"The name {_shown(match.group())} must stand in double quotes.")
        if first in "{[-0123456789":
            self._fail(at, "A member's name in double quotes is expected here.")
        self._fail_at_character(at, first)

    def _fail_at_character(self, at: int, first: str) -> NoReturn:
        if first in _FOREIGN_QUOTES:
            self._fail(at, f'Strings and names stand in straight double quotes ("…") in JSON, not in {first}.')
        if first in "/#":
            self._fail(at, "JSON has no comments; remove this one.")
        if first == "\ufeff":
            self._fail(at, "A byte order mark stands here; save the text without it.", "json.bom")
        if first == "\0":
            self._fail(at, "The character U+0000 stands here; remove it.", "json.nul")
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
            self._fail(bad, f"{escape.group()} is no escape in JSON; a backslash itself is written \\\\.")
        if first == "\0":
            self._fail(bad, "The character U+0000 stands in this string; remove it.", "json.nul")
        written = _CONTROL_ESCAPES.get(first, f"\\u{ord(first):04x}")
        what = "A line break" if first in "\r\n" else _character(first)
        self._fail(bad, f"{what} inside a string is written {written}; or a closing double quote is missing.")

    def _fail(self, at: int, message: str, rule: str = "json.syntax") -> NoReturn:
        pointer = pointer_join("", *(inner.token for inner in self.open if inner.token is not None))
        line, column = Lines(self.text).place(at)
        raise JSONTextError([Problem(pointer=pointer, message=message, rule=rule, line=line, column=column)])


def _shown(text: str) -> str:
    """`text` in quotes, cut where it is long, without characters that break a line."""
    cut = text if len(text) <= 60 else text[:60] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def _character(character: str) -> str:
    return f"'{character}'" if character.isprintable() else f"The character U+{ord(character):04X}"
