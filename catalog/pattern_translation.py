r"""A regular expression of ECMA-262 (with the `u` flag) written out in the words of the `regex` module.

Nothing here knows Django. The scanner never recurses and is linear in the pattern; what ECMA-262 does not have is a
syntax error, so nothing of `regex` beyond it can be reached.

Read more kindly than the standard, because real schemas are written so: an escaped punctuation character stands for
itself (`\-`, `\@`, `\"`), so does a brace or bracket that closes nothing, and `[\w-.]` holds a hyphen. `is_regex` is
the strict reading.

Sources: ECMA-262, "Patterns" and "Pattern Semantics"; JSON Schema 2020-12 Core, section 6.4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import regex

MAX_GROUP_DEPTH: Final = 50
MAX_REPEATED_CHARACTERS: Final = 20_000  # what `(?:ab){n}` spells out: `regex` does so, in memory, when it compiles

_MAX_NAME_CHARACTERS: Final = 100  # of a group, a property, the bounds of a repetition: so that reading stays linear


def translate(source: str) -> str:
    """`source` in the words of `regex` (VERSION0).

    Raises:
        PatternSyntaxError: ECMA-262 does not know it, or it asks for too much.
    """
    return Translator(source, strict=False).run()


def is_regex(source: str) -> bool:
    """Whether `source` is a regular expression by the letter of ECMA-262. Linear, of any length."""
    try:
        Translator(source, strict=True).run()
    except PatternSyntaxError:
        return False
    return True


class PatternSyntaxError(Exception):
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
    return "".join(_character(low) if low == high else f"{_character(low)}-{_character(high)}" for low, high in pairs)


def _complement(pairs: tuple[tuple[int, int], ...]) -> str:
    bounds = [-1, *(bound for pair in pairs for bound in pair), 0x110000]
    return _ranges(tuple((bounds[i] + 1, bounds[i + 1] - 1) for i in range(0, len(bounds), 2)))


def _character(code: int) -> str:
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
_LINE_END = r"\n\r\u2028\u2029"
_AT_WORD = "[A-Za-z0-9_]"
_BOUNDARY = f"(?:(?<={_AT_WORD})(?!{_AT_WORD})|(?<!{_AT_WORD})(?={_AT_WORD}))"
_NO_BOUNDARY = f"(?:(?<={_AT_WORD})(?={_AT_WORD})|(?<!{_AT_WORD})(?!{_AT_WORD}))"
_HEX = frozenset("0123456789abcdefABCDEF")
_DECIMAL = frozenset("0123456789")
_PROPERTY_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=")


@dataclass(slots=True)
class _Group:
    """A group that is open: what its closing parenthesis has to bring back."""

    number: int | None
    multiline: bool
    dot_all: bool
    is_assertion: bool
    may_repeat: bool
    weight: int = 0  # of what stands before it in the group around


@dataclass(slots=True)
class Translator:
    """One pass over one pattern."""

    source: str
    strict: bool
    at: int = 0
    out: list[str] = field(default_factory=list)
    open_groups: list[_Group] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    count: int = 0
    names: dict[str, int] = field(default_factory=dict)
    total: int = 0
    multiline: bool = False
    dot_all: bool = False
    repeatable: bool = False  # whether what was just read can take a quantifier
    weight: int = 0  # characters spelled out, so far, by the group that is open
    atom_weight: int = 0  # and by what was just read

    def run(self) -> str:
        self._count_groups()
        while self.at < len(self.source):
            character = self.source[self.at]
            self.at += 1
            handler = _HANDLERS.get(character)
            if handler is None:
                self._atom(_character(ord(character)))
                continue
            handler(self)
        if self.open_groups:
            raise self._error("A group is never closed.")
        return "".join(self.out)

    # What a handler leaves behind.

    def _atom(self, text: str, *, weight: int = 1) -> None:
        self.out.append(text)
        self.repeatable = True
        self._weigh(weight)

    def _assertion(self, text: str) -> None:
        self.out.append(text)
        self.repeatable = False
        self.atom_weight = 0

    def _weigh(self, weight: int) -> None:
        self.atom_weight = weight
        self.weight += weight
        if self.weight > MAX_REPEATED_CHARACTERS and not self.strict:
            raise self._error("The pattern repeats too much.")

    def _error(self, message: str) -> PatternSyntaxError:
        return PatternSyntaxError(message, self.at)

    def _take(self, text: str) -> bool:
        if self.source.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def _peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def _until(self, end: str) -> str | None:
        """The text up to `end`, which is read too; None, and nothing read, where `end` is not near."""
        found = self.source.find(end, self.at, self.at + _MAX_NAME_CHARACTERS)
        if found < 0:
            return None
        text = self.source[self.at : found]
        self.at = found + 1
        return text

    # Groups.

    def _count_groups(self) -> None:
        """Find how many groups there are and what they are called: a reference may stand before its group."""
        at, in_class, source = 0, False, self.source
        while at < len(source):
            character = source[at]
            if character == "\\":
                at += 1
            elif in_class:
                in_class = character != "]"
            elif character == "[":
                in_class = True
            elif character == "(":
                self._count_group(at)
            at += 1

    def _count_group(self, at: int) -> None:
        source = self.source
        if not source.startswith("?", at + 1):
            self.total += 1
        elif source.startswith("?<", at + 1) and source[at + 3 : at + 4] not in {"=", "!"}:
            self.total += 1
            end = source.find(">", at + 3, at + 3 + _MAX_NAME_CHARACTERS)
            name = source[at + 3 : end]
            if end < 0 or not name.replace("$", "_").isidentifier():
                raise PatternSyntaxError("A group's name is a word.", at)
            if name in self.names:
                raise PatternSyntaxError(f"Two groups have the name {name[:40]!r}.", at)
            self.names[name] = self.total

    def _open_group(self) -> None:
        group = _Group(None, self.multiline, self.dot_all, is_assertion=False, may_repeat=True, weight=self.weight)
        if not self._take("?"):
            self._open_capture(group)
        elif self._take(":"):
            self.out.append("(?:")
        elif self._take("=") or self._take("!"):
            group.is_assertion = True
            group.may_repeat = not self.strict
            self.out.append("(?" + self.source[self.at - 1])
        elif self._take("<=") or self._take("<!"):
            group.is_assertion, group.may_repeat = True, False
            self.out.append("(?<" + self.source[self.at - 1])
        elif self._take("<"):
            self._until(">")  # _count_groups has looked at the name
            self._open_capture(group)
        else:
            self._open_modifiers()
        self.open_groups.append(group)
        if len(self.open_groups) > MAX_GROUP_DEPTH and not self.strict:
            raise self._error(f"Groups are nested deeper than {MAX_GROUP_DEPTH}.")
        self.repeatable = False
        self.weight = 0

    def _open_capture(self, group: _Group) -> None:
        self.count += 1
        group.number = self.count
        self.out.append("(")

    def _open_modifiers(self) -> None:
        """`(?i:`, `(?s-m:`; only these two forms are left after `(?`."""
        start = self._peek()
        added, minus, removed = (self._until(":") or "").partition("-")
        letters = added + removed
        if not letters or len(set(letters)) < len(letters) or not set(letters) <= set("ims"):
            raise self._error(_strange_group(start))
        if "m" in letters:
            self.multiline = "m" in added
        if "s" in letters:
            self.dot_all = "s" in added
        self.out.append("(?i:" if "i" in added else "(?-i:" if minus and "i" in removed else "(?:")

    def _close_group(self) -> None:
        if not self.open_groups:
            raise self._error("A group is closed that was never opened.")
        group = self.open_groups.pop()
        self.multiline, self.dot_all = group.multiline, group.dot_all
        if group.number is not None:
            self.closed.add(group.number)
        self.out.append(")")
        inside, self.weight = self.weight, group.weight
        self.repeatable = group.may_repeat
        self._weigh(inside)

    def _alternative(self) -> None:
        self._assertion("|")

    # Assertions, the dot, quantifiers.

    def _start(self) -> None:
        self._assertion(f"(?<![^{_LINE_END}])" if self.multiline else r"\A")

    def _end(self) -> None:
        self._assertion(f"(?![^{_LINE_END}])" if self.multiline else r"\Z")

    def _dot(self) -> None:
        self._atom("(?s:.)" if self.dot_all else f"[^{_LINE_END}]")

    def _star(self) -> None:
        self._quantify("*", 0)

    def _plus(self) -> None:
        self._quantify("+", 1)

    def _optional(self) -> None:
        self._quantify("?", 0)

    def _braces(self) -> None:
        bounds = self._bounds()
        if bounds is None:
            self._literal_unless_strict("{")
            return
        low, high = bounds
        if high is not None and high < low:
            raise self._error("The bounds of a repetition are out of order.")
        if low > MAX_REPEATED_CHARACTERS and not self.strict:
            raise self._error("The pattern repeats too much.")
        upper = "" if high is None or high > 2**31 else str(high)
        self._quantify(f"{{{low},{upper}}}", low)

    def _bounds(self) -> tuple[int, int | None] | None:
        """`n}`, `n,}` or `n,m}`; None, and nothing read, where it is something else."""
        start = self.at
        low, comma, high = (self._until("}") or "").partition(",")
        if not low or not _DECIMAL.issuperset(low) or not _DECIMAL.issuperset(high):
            self.at = start
            return None
        if not comma:
            high = low
        return _bounded_int(low), _bounded_int(high) if high else None

    def _quantify(self, quantifier: str, low: int) -> None:
        if not self.repeatable:
            raise self._error("There is nothing to repeat.")
        self.out.append(quantifier + ("?" if self._take("?") else ""))
        self.repeatable = False
        if low > 1 and not self.strict:
            self._weigh(self.atom_weight * (low - 1))

    def _literal_unless_strict(self, character: str) -> None:
        if self.strict:
            raise self._error(f"{character!r} stands alone.")
        self._atom(_character(ord(character)))

    def _closing_brace(self) -> None:
        self._literal_unless_strict("}")

    def _closing_bracket(self) -> None:
        self._literal_unless_strict("]")

    # Escapes.

    def _escape(self) -> None:
        character = self._peek()
        if character in {"b", "B"} and character:
            self.at += 1
            self._assertion(_BOUNDARY if character == "b" else _NO_BOUNDARY)
        elif character in _DECIMAL and character != "0":
            self._reference(self._digits())
        elif character == "k":
            self.at += 1
            self._reference(self._name())
        else:
            text = self._character_set()
            self._atom(f"[{text}]" if text is not None else _character(self._character_escape()))

    def _character_set(self) -> str | None:
        r"""`\d`, `\p{…}` and their like, as the inside of a class; None, and nothing read, for anything else."""
        character = self._peek()
        if character in _CLASS_ESCAPES:
            self.at += 1
            return _CLASS_ESCAPES[character]
        if character not in {"p", "P"} or not character:
            return None
        self.at += 1
        name = self._until("}") if self._take("{") else None
        if not name or not _PROPERTY_CHARACTERS.issuperset(name):
            raise self._error(f"'\\{character}' needs the name of a property in braces.")
        if name == "Any":
            return "\\U00000000-\\U0010ffff" if character == "p" else "\\P{Any}"
        escape = f"\\{character}{{{name}}}"
        try:
            _known_property(escape)
        except regex.error:
            raise self._error(f"{name[:40]!r} is not the name of a property of characters.") from None
        return escape

    def _character_escape(self, *, in_class: bool = False) -> int:
        """The code point that an escape stands for."""
        character = self._peek()
        self.at += 1
        if character in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[character]
        if character == "c" and self._peek().isascii() and self._peek().isalpha():
            self.at += 1
            return ord(self.source[self.at - 1]) % 32
        if character == "0" and self._peek() not in _DECIMAL:
            return 0
        if character == "x":
            return self._hexadecimal(2)
        if character == "u":
            return self._unicode_escape()
        if character in _SYNTAX_CHARACTERS or (character == "-" and in_class):
            return ord(character)
        if character and not self.strict and not character.isalnum():
            return ord(character)
        raise self._error(f"'\\{character}' is no escape of ECMA-262." if character else "The pattern ends in '\\'.")

    def _hexadecimal(self, length: int) -> int:
        digits = self.source[self.at : self.at + length]
        if len(digits) < length or not _HEX.issuperset(digits):
            raise self._error(f"An escape needs {length} hexadecimal digits.")
        self.at += length
        return int(digits, 16)

    def _unicode_escape(self) -> int:
        if not self._take("{"):
            code = self._hexadecimal(4)
            low = self.source[self.at + 2 : self.at + 6]
            if 0xD800 <= code < 0xDC00 and self.source.startswith("\\u", self.at) and _is_low_surrogate(low):
                self.at += 6
                return 0x10000 + ((code - 0xD800) << 10) + (int(low, 16) - 0xDC00)
            return code
        digits = self._until("}")
        if not digits or not _HEX.issuperset(digits) or int(digits, 16) > 0x10FFFF:
            raise self._error("'\\u{…}' needs a code point.")
        return int(digits, 16)

    def _digits(self) -> int:
        start = self.at
        while self._peek() and self._peek() in _DECIMAL:
            self.at += 1
        return _bounded_int(self.source[start : self.at])

    def _name(self) -> int:
        name = self._until(">") if self._take("<") else None
        if name is None or name not in self.names:
            raise self._error("'\\k' needs the name of a group.")
        return self.names[name]

    def _reference(self, group: int) -> None:
        """A reference to a group that has not matched matches the empty text; in `regex` it would never match."""
        if group > self.total:
            raise self._error(f"There is no group {group}.")
        self._atom(f"(?({group})\\{group}|)" if group in self.closed else "(?:)")

    # Classes.

    def _class(self) -> None:
        negated = self._take("^")
        parts: list[str] = []
        while not self._take("]"):
            low = self._class_atom()
            if self._peek() == "-" and self.source[self.at + 1 : self.at + 2] not in {"]", ""}:
                self.at += 1
                parts.append(self._class_range(low, self._class_atom()))
            else:
                parts.append(low if isinstance(low, str) else _character(low))
        if parts:
            self._atom(f"[{'^' if negated else ''}{''.join(parts)}]")
        else:
            self._atom("(?s:.)" if negated else "(?!)")

    def _class_atom(self) -> int | str:
        """One character's code point, or a set as the inside of a class."""
        character = self._peek()
        if not character:
            raise self._error("A character class is never closed.")
        self.at += 1
        if character != "\\":
            return ord(character)
        if self._take("b"):
            return 0x08
        text = self._character_set()
        return text if text is not None else self._character_escape(in_class=True)

    def _class_range(self, low: int | str, high: int | str) -> str:
        if isinstance(low, str) or isinstance(high, str):
            if self.strict:
                raise self._error("A set of characters cannot bound a range.")
            return "".join(part if isinstance(part, str) else _character(part) for part in (low, ord("-"), high))
        if high < low:
            raise self._error("The bounds of a range are out of order.")
        return f"{_character(low)}-{_character(high)}"


_HANDLERS: dict[str, Callable[[Translator], None]] = {
    "(": Translator._open_group,
    ")": Translator._close_group,
    "|": Translator._alternative,
    "^": Translator._start,
    "$": Translator._end,
    ".": Translator._dot,
    "*": Translator._star,
    "+": Translator._plus,
    "?": Translator._optional,
    "{": Translator._braces,
    "}": Translator._closing_brace,
    "[": Translator._class,
    "]": Translator._closing_bracket,
    "\\": Translator._escape,
}


def _strange_group(start: str) -> str:
    if start == "P":
        return "A named group is written '(?<name>…)', a reference to it '\\k<name>'."
    return "'(?' is not followed by anything that ECMA-262 knows."


def _bounded_int(digits: str) -> int:
    """The number that `digits` write, or one too large for anything."""
    significant = digits.lstrip("0") or "0"
    return int(significant) if len(significant) < 12 else 10**12


def _is_low_surrogate(digits: str) -> bool:
    return len(digits) == 4 and _HEX.issuperset(digits) and 0xDC00 <= int(digits, 16) < 0xE000


@lru_cache(maxsize=1024)
def _known_property(escape: str) -> None:
    regex.compile(escape, regex.VERSION0)
