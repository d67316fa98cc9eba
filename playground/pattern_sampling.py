"""A text that a regular expression matches: enough of ECMA-262's syntax for the patterns that specs really hold.

Nothing here knows Django. What is not understood (look-around, back-references, Unicode properties beyond the common
ones) is left out of the text; the caller checks what came out.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

MAX_REPEATS = 3  # how much more than its least an open repetition ("*", "+", "{2,}") gives
MAX_CHARACTERS = 4096
MAX_NESTING = 40

DIGITS = string.digits
LETTERS = string.ascii_lowercase
WORD = string.ascii_letters + string.digits + "_"
VISIBLE = string.ascii_letters + string.digits + " -_.,:;!?/#+*'()=@"
CLASSES: dict[str, str] = {
    "d": DIGITS,
    "w": string.ascii_lowercase + string.digits,
    "s": " ",
    "D": LETTERS,
    "W": "-.:",
    "S": string.ascii_lowercase + string.digits,
}
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
PROPERTIES = {
    "L": LETTERS,
    "Ll": LETTERS,
    "Lu": string.ascii_uppercase,
    "N": DIGITS,
    "Nd": DIGITS,
    "P": "-.,",
    "S": "+=",
}


class UnknownPattern(ValueError):
    """The pattern is not understood."""


Node = Callable[[Random], str]


def sample_pattern(pattern: str, random: Random) -> str:
    """A text that `pattern` should match.

    Raises:
        UnknownPattern: the pattern is no regular expression, or one of a kind that is not understood.
    """
    reader = _Reader(pattern)
    node = reader.alternatives()
    if not reader.at_end():
        raise UnknownPattern(pattern)
    return node(random)[:MAX_CHARACTERS]


@dataclass
class _Reader:
    pattern: str
    position: int = 0
    nesting: int = 0
    groups: list[Node] = field(default_factory=list)

    def at_end(self) -> bool:
        return self.position >= len(self.pattern)

    def peek(self, length: int = 1) -> str:
        return self.pattern[self.position : self.position + length]

    def take(self, length: int = 1) -> str:
        text = self.peek(length)
        if len(text) < length:
            raise UnknownPattern(self.pattern)
        self.position += length
        return text

    def take_until(self, end: str) -> str:
        stop = self.pattern.find(end, self.position)
        if stop < 0:
            raise UnknownPattern(self.pattern)
        text = self.pattern[self.position : stop]
        self.position = stop + len(end)
        return text

    def alternatives(self) -> Node:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise UnknownPattern(self.pattern)
        branches = [self.sequence()]
        while self.peek() == "|":
            self.take()
            branches.append(self.sequence())
        self.nesting -= 1
        return branches[0] if len(branches) == 1 else lambda random: random.choice(branches)(random)

    def sequence(self) -> Node:
        parts: list[Node] = []
        while not self.at_end() and self.peek() not in "|)":
            atom = self.atom()
            parts.append(self.repeated(atom))
        return lambda random: "".join(part(random) for part in parts)

    def repeated(self, atom: Node) -> Node:
        least, most = self.bounds()
        if (least, most) == (1, 1):
            return atom
        return lambda random: "".join(atom(random) for _ in range(random.randint(least, most)))

    def bounds(self) -> tuple[int, int]:
        sign = self.peek()
        if sign and sign in "*+?":
            self.take()
            least = 1 if sign == "+" else 0
            most = 1 if sign == "?" else least + MAX_REPEATS
        elif sign == "{" and (counts := self.counts()) is not None:
            least, most = counts
        else:
            return 1, 1
        if self.peek() == "?":  # lazy: the same texts
            self.take()
        return least, most

    def counts(self) -> tuple[int, int] | None:
        stop = self.pattern.find("}", self.position)
        low, comma, high = self.pattern[self.position + 1 : stop].partition(",")
        if stop < 0 or not low.isdecimal() or (high and not high.isdecimal()):
            return None  # "{" stands for itself
        self.position = stop + 1
        least = min(int(low), MAX_CHARACTERS)
        most = min(int(high), MAX_CHARACTERS) if high else least + (MAX_REPEATS if comma else 0)
        return least, max(least, min(most, least + 8))

    def atom(self) -> Node:
        sign = self.take()
        if sign == "(":
            return self.group()
        if sign == "[":
            characters = self.characters()
            return lambda random: random.choice(characters)
        if sign == "\\":
            return self.escaped()
        if sign == ".":
            return lambda random: random.choice(LETTERS)
        if sign in "^$":
            return lambda _random: ""
        if sign in "*+?":
            raise UnknownPattern(self.pattern)
        return lambda _random: sign

    def group(self) -> Node:
        if self.peek() != "?":
            inside = self.alternatives()
            self.groups.append(inside)
        elif self.peek(2) == "?:":
            self.take(2)
            inside = self.alternatives()
        elif self.peek(2) == "?<" and self.peek(3) not in {"?<=", "?<!"}:
            self.take_until(">")
            inside = self.alternatives()
            self.groups.append(inside)
        elif self.peek(2) in {"?=", "?!"} or self.peek(3) in {"?<=", "?<!"}:
            self.take(2 if self.peek(2) in {"?=", "?!"} else 3)
            self.alternatives()
            inside = _nothing
        else:
            raise UnknownPattern(self.pattern)
        if self.take() != ")":
            raise UnknownPattern(self.pattern)
        return inside

    def escaped(self) -> Node:
        if self.peek() in {"b", "B"}:
            self.take()
            return _nothing
        if self.peek().isdecimal() and self.peek() != "0":
            raise UnknownPattern(self.pattern)  # a back-reference
        choices = self.escaped_characters()
        return lambda random: random.choice(choices)

    def escaped_characters(self) -> str:
        sign = self.take()
        if sign in CLASSES:
            return CLASSES[sign]
        if sign in CONTROLS:
            return CONTROLS[sign]
        if sign in "xu":
            return self.code_point(2 if sign == "x" else 4)
        if sign in "pP":
            return self.property(wanted=sign == "p")
        return "\0" if sign == "0" else sign

    def code_point(self, digits: int) -> str:
        if digits == 4 and self.peek() == "{":
            self.take()
            text = self.take_until("}")
        else:
            text = self.take(digits)
        try:
            return chr(int(text, 16))
        except (ValueError, OverflowError):
            raise UnknownPattern(self.pattern) from None

    def property(self, *, wanted: bool) -> str:
        if self.take() != "{":
            raise UnknownPattern(self.pattern)
        name = self.take_until("}")
        known = PROPERTIES.get(name) or PROPERTIES.get(name[:1])
        if known is None:
            raise UnknownPattern(self.pattern)
        return known if wanted else (DIGITS if known != DIGITS else LETTERS)

    def characters(self) -> str:
        """What stands between "[" and "]", as the characters to choose from."""
        negated = self.peek() == "^"
        if negated:
            self.take()
        found: list[str] = []
        while self.peek() != "]":
            first = self.class_member()
            if len(first) == 1 and self.peek() == "-" and self.peek(2) not in {"-]", "-"}:
                self.take()
                last = self.class_member()
                if len(last) == 1:
                    found.append(_between(first, last))
                    continue
                found.extend((first, "-", last))
                continue
            found.append(first)
        self.take()
        members = "".join(found)
        if negated:
            members = "".join(sign for sign in VISIBLE if sign not in members and sign not in _classes_of(found))
        if not members:
            raise UnknownPattern(self.pattern)
        return members

    def class_member(self) -> str:
        sign = self.take()
        if sign != "\\":
            return sign
        if self.peek() == "b":
            self.take()
            return "\b"
        return self.escaped_characters()


def _nothing(_random: Random) -> str:
    return ""


def _between(first: str, last: str) -> str:
    """Characters of a range: those people can read, where it holds any."""
    low, high = ord(first), ord(last)
    if low > high:
        raise UnknownPattern(f"{first}-{last}")
    readable = "".join(sign for sign in VISIBLE if low <= ord(sign) <= high)
    if readable:
        return readable
    return "".join(chr(code) for code in range(low, min(high, low + 64) + 1) if not 0xD800 <= code <= 0xDFFF) or first


def _classes_of(found: list[str]) -> str:
    """What the classes in a negated set leave out of it, in full: a word character is more than the samples of it."""
    return "".join(WORD if part == CLASSES["w"] else part for part in found)
