"""A string that a regular expression matches.

Lookarounds, word boundaries and modifiers are ignored; the caller checks the result.
"""

from __future__ import annotations

import string
from random import Random
from typing import Final

import regex

from catalog.json_schema.regex.characters import CharacterSet, PatternSyntaxError, Range, SetEscape
from catalog.json_schema.regex.syntax import (
    Assertion,
    Character,
    Disjunction,
    Dot,
    Group,
    Node,
    Reference,
    Repetition,
    parse,
)
from catalog.json_schema.regex.translate import character_set

MAX_REPEATS: Final = 3  # beyond the minimum, of a repetition without a maximum ("*", "+", "{2,}")
MAX_MORE_REPEATS: Final = 8  # beyond the minimum, of one with a maximum
MAX_CHARACTERS: Final = 4096
MAX_STEPS: Final = 40_000  # nodes of the tree that are visited; nested repetitions multiply

_DIGITS: Final = string.digits
_LETTERS: Final = string.ascii_lowercase
_VISIBLE: Final = string.ascii_letters + string.digits + " -_.,:;!?/#+*'()=@"
_OF_ESCAPES: Final = {
    "d": _DIGITS,
    "w": _LETTERS + _DIGITS,
    "s": " ",
    "D": _LETTERS,
    "W": "-.:",
    "S": _LETTERS + _DIGITS,
}
_OF_PROPERTIES: Final = {
    "L": _LETTERS,
    "Ll": _LETTERS,
    "Lu": string.ascii_uppercase,
    "N": _DIGITS,
    "Nd": _DIGITS,
    "P": "-.,",
    "S": "+=",
}
_UNREADABLE_SAMPLES: Final = 64  # of a range without visible characters


class UnknownPattern(ValueError):
    """The pattern is not a regular expression, or uses a feature that samples do not support."""


def sample_pattern(pattern: str, random: Random) -> str:
    """A string that `pattern` should match, of at most `MAX_CHARACTERS`.

    Raises:
        UnknownPattern: the syntax is wrong, or there is a back-reference, an empty class or an uncommon property, or it
            takes more than `MAX_STEPS`.
    """
    try:
        return _Sampler(random).disjunction(parse(pattern))[:MAX_CHARACTERS]
    except PatternSyntaxError as error:
        raise UnknownPattern(pattern) from error


class _Sampler:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.steps = 0

    def disjunction(self, content: Disjunction) -> str:
        alternatives = content.alternatives
        nodes = alternatives[0] if len(alternatives) == 1 else self.random.choice(alternatives)
        return "".join(map(self.node, nodes))

    def node(self, node: Node) -> str:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise UnknownPattern("The repetitions of the pattern multiply too much.")
        match node:
            case Character(code):
                return chr(code)
            case CharacterSet():
                return self.random.choice(characters_of(node))
            case Dot():
                return self.random.choice(_LETTERS)
            case Assertion():
                return ""
            case Reference(number):
                raise UnknownPattern(f"It refers to group {number}.")
            case Group(kind, content):
                return (
                    self.disjunction(content) if kind in {"capture", "plain", "modifiers"} else ""
                )
            case Repetition():
                return self.repetition(node)

    def repetition(self, node: Repetition) -> str:
        low = min(node.low, MAX_CHARACTERS)
        high = (
            low + MAX_REPEATS
            if node.high is None
            else min(node.high, low + MAX_MORE_REPEATS, MAX_CHARACTERS)
        )
        count = 1 if (low, high) == (1, 1) else self.random.randint(low, high)
        return "".join(self.node(node.node) for _ in range(count))


def characters_of(one: CharacterSet) -> str:
    """Some characters of a set to choose from, readable ones if it has any.

    Raises:
        UnknownPattern: it is empty, or an uncommon property.
    """
    if one.negated:
        is_in_set = regex.compile(character_set(one), regex.VERSION0).match
        found = "".join(filter(is_in_set, _VISIBLE))
    else:
        found = "".join(map(_characters_of_item, one.items))
    if not found:
        raise UnknownPattern("A class contains no characters.")
    return found


def _characters_of_item(item: Range | SetEscape) -> str:
    if not isinstance(item, SetEscape):
        return _characters_of_range(*item)
    if item.ranges is not None:
        return _OF_ESCAPES.get(item.name, _VISIBLE)
    name = item.name[2:-1]
    known = _OF_PROPERTIES.get(name) or _OF_PROPERTIES.get(name[:1])
    if known is None:
        raise UnknownPattern(f"The property {name} is not a common one.")
    if item.name.startswith("p"):
        return known
    return _LETTERS if known == _DIGITS else _DIGITS


def _characters_of_range(low: int, high: int) -> str:
    readable = "".join(sign for sign in _VISIBLE if low <= ord(sign) <= high)
    if readable or low == high:
        return readable or chr(low)
    codes = range(low, min(high, low + _UNREADABLE_SAMPLES) + 1)
    return "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF) or chr(low)
