"""Reading a regular expression of ECMA-262: its characters, escapes and character classes, for the `regex` module.

Nothing here knows Django. Every step is bounded by what it has read.

Source: ECMA-262, "CharacterEscape", "CharacterClassEscape" and "CharacterClass".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

MAX_NAME_CHARACTERS: Final = 100  # of a group, a property, the bounds of a repetition: so that reading stays linear


class PatternSyntaxError(Exception):
    """What ECMA-262 does not know; `position` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


_DIGITS = ((0x30, 0x39),)
_WORD = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE = (
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


def _ranges(pairs: tuple[tuple[int, int], ...]) -> str:
    return "".join(
        character_of(low) if low == high else f"{character_of(low)}-{character_of(high)}" for low, high in pairs
    )


def _complement(pairs: tuple[tuple[int, int], ...]) -> str:
    bounds = [-1, *(bound for pair in pairs for bound in pair), 0x110000]
    return _ranges(tuple((bounds[i] + 1, bounds[i + 1] - 1) for i in range(0, len(bounds), 2)))


def character_of(code: int) -> str:
    """A code point as it may stand anywhere in a pattern of `regex`, inside a class or outside."""
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\U{code:08x}"


_CLASS_ESCAPES = {
    "d": _ranges(_DIGITS),
    "D": _complement(_DIGITS),
    "w": _ranges(_WORD),
    "W": _complement(_WORD),
    "s": _ranges(_SPACE),
    "S": _complement(_SPACE),
}
_CONTROL_ESCAPES = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SYNTAX_CHARACTERS = frozenset("^$\\.*+?()[]{}|/")
_HEX = frozenset("0123456789abcdefABCDEF")
DECIMAL = frozenset("0123456789")
_PROPERTY_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=")


@dataclass(slots=True)
class PatternReader:
    """Where reading a pattern stands.

    Attributes:
        strict: whether the letter of the standard counts, or what real schemas write.
        at: the next character.
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
        """The text up to `end`, which is read too; None, and nothing read, where `end` is not near."""
        found = self.source.find(end, self.at, self.at + MAX_NAME_CHARACTERS)
        if found < 0:
            return None
        text = self.source[self.at : found]
        self.at = found + 1
        return text

    # Escapes.

    def character_set(self) -> str | None:
        r"""`\d`, `\p{…}` and their like, as the inside of a class; None, and nothing read, for anything else."""
        character = self.peek()
        if character in _CLASS_ESCAPES:
            self.at += 1
            return _CLASS_ESCAPES[character]
        if character not in {"p", "P"} or not character:
            return None
        self.at += 1
        name = self.until("}") if self.take("{") else None
        if not name or not _PROPERTY_CHARACTERS.issuperset(name):
            raise self.error(f"'\\{character}' needs the name of a property in braces.")
        if name == "Any":
            return "\\U00000000-\\U0010ffff" if character == "p" else "\\P{Any}"
        escape = f"\\{character}{{{name}}}"
        try:
            _known_property(escape)
        except regex.error:
            raise self.error(f"{name[:40]!r} is not the name of a property of characters.") from None
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
        raise self.error(f"'\\{character}' is no escape of ECMA-262." if character else "The pattern ends in '\\'.")

    def _hexadecimal(self, length: int) -> int:
        digits = self.source[self.at : self.at + length]
        if len(digits) < length or not _HEX.issuperset(digits):
            raise self.error(f"An escape needs {length} hexadecimal digits.")
        self.at += length
        return int(digits, 16)

    def _unicode_escape(self) -> int:
        if not self.take("{"):
            code = self._hexadecimal(4)
            low = self.source[self.at + 2 : self.at + 6]
            if 0xD800 <= code < 0xDC00 and self.source.startswith("\\u", self.at) and _is_low_surrogate(low):
                self.at += 6
                return 0x10000 + ((code - 0xD800) << 10) + (int(low, 16) - 0xDC00)
            return code
        digits = self.until("}")
        if not digits or not _HEX.issuperset(digits) or int(digits, 16) > 0x10FFFF:
            raise self.error("'\\u{…}' needs a code point.")
        return int(digits, 16)

    def digits(self) -> int:
        start = self.at
        while self.peek() and self.peek() in DECIMAL:
            self.at += 1
        return bounded_int(self.source[start : self.at])

    # Classes.

    def character_class(self) -> str:
        """A class, from behind its opening bracket."""
        negated = self.take("^")
        parts: list[str] = []
        while not self.take("]"):
            low = self._class_atom()
            if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                parts.append(self._class_range(low, self._class_atom()))
            else:
                parts.append(low if isinstance(low, str) else character_of(low))
        if parts:
            return f"[{'^' if negated else ''}{''.join(parts)}]"
        return "(?s:.)" if negated else "(?!)"

    def _class_atom(self) -> int | str:
        """One character's code point, or a set as the inside of a class."""
        character = self.peek()
        if not character:
            raise self.error("A character class is never closed.")
        self.at += 1
        if character != "\\":
            return ord(character)
        if self.take("b"):
            return 0x08
        text = self.character_set()
        return text if text is not None else self.character_escape(in_class=True)

    def _class_range(self, low: int | str, high: int | str) -> str:
        if isinstance(low, str) or isinstance(high, str):
            if self.strict:
                raise self.error("A set of characters cannot bound a range.")
            return "".join(part if isinstance(part, str) else character_of(part) for part in (low, ord("-"), high))
        if high < low:
            raise self.error("The bounds of a range are out of order.")
        return f"{character_of(low)}-{character_of(high)}"


def bounded_int(digits: str) -> int:
    """The number that `digits` write, or one too large for anything."""
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) < 12 else 10**12


def _is_low_surrogate(digits: str) -> bool:
    return len(digits) == 4 and _HEX.issuperset(digits) and 0xDC00 <= int(digits, 16) < 0xE000


@lru_cache(maxsize=1024)
def _known_property(escape: str) -> None:
    regex.compile(escape, regex.VERSION0)
