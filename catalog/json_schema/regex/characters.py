"""The characters of a regular expression of ECMA-262: escapes, character classes, and the reader that scans them.

Source: ECMA-262, "CharacterEscape", "CharacterClassEscape" and "CharacterClass".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import regex

MAX_NAME_CHARACTERS: Final = (
    100  # of a group, a property, the bounds of a repetition: so that reading stays linear
)
MAX_CODE: Final = 0x10FFFF

Range: TypeAlias = tuple[int, int]
"""The first and the last code point of a range."""


class PatternSyntaxError(Exception):
    """The pattern breaks the syntax of ECMA-262, or a limit; `position` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


def complement(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """The ranges of all other code points, in order."""
    found, low = [], 0
    for start, end in sorted(ranges):
        if start > low:
            found.append((low, start - 1))
        low = max(low, end + 1)
    return (*found, (low, MAX_CODE)) if low <= MAX_CODE else tuple(found)


_DIGITS: Final = ((0x30, 0x39),)
_WORD: Final = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Final = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
_RANGES_OF_ESCAPES: Final[dict[str, tuple[Range, ...]]] = {
    "d": _DIGITS,
    "D": complement(_DIGITS),
    "w": _WORD,
    "W": complement(_WORD),
    "s": _SPACE,
    "S": complement(_SPACE),
    "p{Any}": ((0, MAX_CODE),),
}


@dataclass(frozen=True, slots=True)
class SetEscape:
    r"""An escape that stands for a set of characters. `name`: what follows the backslash, as "d" or "p{Lu}"."""

    name: str

    @property
    def ranges(self) -> tuple[Range, ...] | None:
        """Its code points; None for a Unicode property, which only the engine knows."""
        return _RANGES_OF_ESCAPES.get(self.name)


@dataclass(frozen=True, slots=True)
class CharacterSet:
    r"""One character of a set: a class as `[a-z\d]`, or an escape. `items` are in the order of the pattern."""

    items: tuple[Range | SetEscape, ...]
    negated: bool = False


_CONTROL_ESCAPES: Final = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SYNTAX_CHARACTERS: Final = frozenset("^$\\.*+?()[]{}|/")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
DECIMAL: Final = frozenset("0123456789")
_PROPERTY_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_="
)


@dataclass(slots=True)
class PatternReader:
    """A position in a pattern, with the readers of what may follow there.

    Attributes:
        strict: whether to follow the letter of the standard, or to accept what real schemas contain.
        at: the index of the next character.
    """

    source: str
    strict: bool
    at: int = 0

    def error(self, message: str) -> PatternSyntaxError:
        return PatternSyntaxError(message, self.at)

    def take(self, text: str) -> bool:
        if self.source.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def until(self, end: str) -> str | None:
        """The text up to `end`, which is consumed too; None, consuming nothing, if `end` is not near."""
        found = self.source.find(end, self.at, self.at + MAX_NAME_CHARACTERS)
        if found < 0:
            return None
        text = self.source[self.at : found]
        self.at = found + 1
        return text

    def digits(self) -> int:
        start = self.at
        while self.peek() and self.peek() in DECIMAL:
            self.at += 1
        return bounded_int(self.source[start : self.at])

    # Escapes, from behind the backslash.

    def set_escape(self) -> SetEscape | None:
        r"""`\d`, `\p{…}` and the like; None, consuming nothing, for any other escape."""
        character = self.peek()
        if character in _RANGES_OF_ESCAPES:
            self.at += 1
            return SetEscape(character)
        if character not in {"p", "P"}:
            return None
        self.at += 1
        name = self.until("}") if self.take("{") else None
        if not name or not _PROPERTY_CHARACTERS.issuperset(name):
            raise self.error(f"`\\{character}` must be followed by a Unicode property in braces.")
        escape = SetEscape(f"{character}{{{name}}}")
        try:
            _compile_property(escape.name)
        except regex.error:
            raise self.error(f"{name[:40]!r} is not a Unicode property.") from None
        return escape

    def character_escape(self, *, in_class: bool = False) -> int:
        """The code point that an escape stands for."""
        character = self.peek()
        self.at += 1
        if character in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[character]
        if character == "c" and self.peek().isascii() and self.peek().isalpha():
            self.at += 1
            return ord(self.source[self.at - 1]) % 32
        if character == "0" and self.peek() not in DECIMAL:
            return 0
        if character == "x":
            return self._hexadecimal(2)
        if character == "u":
            return self._unicode_escape()
        if character in _SYNTAX_CHARACTERS or (character == "-" and in_class):
            return ord(character)
        if character and not self.strict and not character.isalnum():
            return ord(character)
        raise self.error(
            f"`\\{character}` is not an escape in ECMA-262."
            if character
            else "it ends with a backslash."
        )

    def _hexadecimal(self, length: int) -> int:
        digits = self.source[self.at : self.at + length]
        if len(digits) < length or not _HEX.issuperset(digits):
            raise self.error(f"this escape needs {length} hexadecimal digits.")
        self.at += length
        return int(digits, 16)

    def _unicode_escape(self) -> int:
        if not self.take("{"):
            code = self._hexadecimal(4)
            low = self.source[self.at + 2 : self.at + 6]
            if (
                0xD800 <= code < 0xDC00
                and self.source.startswith("\\u", self.at)
                and _is_low_surrogate(low)
            ):
                self.at += 6
                return 0x10000 + ((code - 0xD800) << 10) + (int(low, 16) - 0xDC00)
            return code
        digits = self.until("}")
        if not digits or not _HEX.issuperset(digits) or int(digits, 16) > MAX_CODE:
            raise self.error("`\\u{…}` must contain a hexadecimal code point.")
        return int(digits, 16)

    # Classes.

    def character_class(self) -> CharacterSet:
        """A class, from behind its opening bracket."""
        negated = self.take("^")
        items: list[Range | SetEscape] = []
        while not self.take("]"):
            low = self._class_atom()
            if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                items += self._class_range(low, self._class_atom())
            else:
                items.append(_item(low))
        return CharacterSet(tuple(items), negated)

    def _class_atom(self) -> int | SetEscape:
        """A code point, or a set."""
        character = self.peek()
        if not character:
            raise self.error("missing `]`.")
        self.at += 1
        if character != "\\":
            return ord(character)
        if self.take("b"):
            return 0x08
        return self.set_escape() or self.character_escape(in_class=True)

    def _class_range(self, low: int | SetEscape, high: int | SetEscape) -> list[Range | SetEscape]:
        if isinstance(low, SetEscape) or isinstance(high, SetEscape):
            if self.strict:
                raise self.error(
                    "a range must start and end with a single character, not with a set such as `\\d`."
                )
            return [_item(low), _item(ord("-")), _item(high)]
        if high < low:
            raise self.error("the range ends before it starts.")
        return [(low, high)]


def _item(atom: int | SetEscape) -> Range | SetEscape:
    return atom if isinstance(atom, SetEscape) else (atom, atom)


def bounded_int(digits: str) -> int:
    """The number that `digits` write, or one that exceeds every limit."""
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) < 12 else 10**12


def _is_low_surrogate(digits: str) -> bool:
    return len(digits) == 4 and _HEX.issuperset(digits) and 0xDC00 <= int(digits, 16) < 0xE000


@lru_cache(maxsize=1024)
def _compile_property(escape: str) -> None:
    regex.compile(f"\\{escape}", regex.VERSION0)
