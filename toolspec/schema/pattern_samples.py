"""A string that a regular expression matches, made from the parse tree of Python's `re`.

Lookarounds, word boundaries and modifiers are ignored; the caller checks the result.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import lru_cache
from random import Random
from re import _constants as opcodes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final

from toolspec.schema.patterns import PatternError, compile_pattern

MAX_REPEATS: Final = 3  # beyond the minimum, of a repetition without a maximum ("*", "+", "{2,}")
MAX_MORE_REPEATS: Final = 8  # beyond the minimum, of one with a maximum
MAX_CHARACTERS: Final = 4096
MAX_STEPS: Final = 40_000  # nodes of the tree that are visited; nested repetitions multiply

_SIMPLE: Final = string.ascii_lowercase + string.digits
_VISIBLE: Final = string.ascii_letters + string.digits + " -_.,:;!?/#+*'()=@"
_UNREADABLE_SAMPLES: Final = 64  # of a range without visible characters
_PROPERTY: Final = re.compile(r"\\[pP]\{[^}]*\}")
_OF_PROPERTIES: Final = {
    r"\p{L}": "a",
    r"\p{Ll}": "a",
    r"\p{Lu}": "A",
    r"\p{N}": "1",
    r"\p{Nd}": "1",
    r"\p{P}": r"\.",
    r"\P{L}": "1",
    r"\P{N}": "a",
}


class UnknownPattern(ValueError):
    """The pattern is not a regular expression, or uses a feature that samples do not support."""


def sample_pattern(pattern: str, random: Random) -> str:
    """A string that `pattern` should match, of at most `MAX_CHARACTERS`.

    Raises:
        UnknownPattern: the pattern cannot be used, or there is a back-reference, an empty class or
            an uncommon property, or it takes more than `MAX_STEPS`.
    """
    compiled = compile_pattern(pattern)
    if isinstance(compiled, PatternError):
        raise UnknownPattern(pattern)
    try:
        tree = _parser.parse(_PROPERTY.sub(_choose_character, compiled.translated))
    except (re.error, RecursionError) as error:
        raise UnknownPattern(pattern) from error
    return _Sampler(random).sample(tree)[:MAX_CHARACTERS]


def _choose_character(match: re.Match[str]) -> str:
    if match[0] not in _OF_PROPERTIES:
        raise UnknownPattern(f"The property {match[0]} is not a common one.")
    return _OF_PROPERTIES[match[0]]


class _Sampler:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.steps = 0

    def sample(self, tree: _parser.SubPattern) -> str:
        return "".join([self._sample_node(opcode, argument) for opcode, argument in tree.data])

    def _sample_node(self, opcode: Any, argument: Any) -> str:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise UnknownPattern("The repetitions of the pattern multiply too much.")
        if opcode is opcodes.LITERAL:
            return chr(argument)
        if opcode is opcodes.NOT_LITERAL:
            return self._choose([(opcodes.NEGATE, None), (opcodes.LITERAL, argument)])
        if opcode is opcodes.IN:
            return self._choose(argument)
        if opcode is opcodes.BRANCH:
            return self.sample(self.random.choice(argument[1]))
        if opcode is opcodes.SUBPATTERN:
            return self.sample(argument[-1])
        if opcode in {opcodes.MAX_REPEAT, opcodes.MIN_REPEAT}:
            return self._repeat(*argument)
        if opcode in {opcodes.AT, opcodes.ASSERT, opcodes.ASSERT_NOT}:
            return ""
        if opcode is opcodes.ANY:
            return self.random.choice(_SIMPLE)
        raise UnknownPattern(f"{opcode} is not supported.")

    def _repeat(self, low: int, high: int, tree: _parser.SubPattern) -> str:
        low = min(low, MAX_CHARACTERS)
        more = MAX_REPEATS if high is opcodes.MAXREPEAT else MAX_MORE_REPEATS
        high = min(high, low + more, MAX_CHARACTERS)
        count = self.random.randint(low, high)
        return "".join(self.sample(tree) for _ in range(count))

    def _choose(self, items: list[tuple[Any, Any]]) -> str:
        """One character of a class, a readable one if it has any."""
        is_negated = items[0][0] is opcodes.NEGATE
        ranges = tuple(_make_range(*item) for item in items[is_negated:])
        readable = _list_readable_characters(ranges, is_negated=is_negated)
        if readable:
            return self.random.choice(readable)
        if is_negated or not ranges:
            raise UnknownPattern("A class contains no readable characters.")
        low, high = self.random.choice(ranges)
        return chr(self.random.randint(low, min(high, low + _UNREADABLE_SAMPLES)))


@lru_cache(maxsize=256)
def _list_readable_characters(
    ranges: tuple[tuple[int, int], ...], *, is_negated: bool
) -> list[str]:
    """The simple characters of a class; the visible ones if it has no simple ones."""
    for preferred in (_SIMPLE, _VISIBLE):
        characters = [
            character for character in preferred if _is_in(ord(character), ranges) is not is_negated
        ]
        if characters:
            return characters
    return []


def _make_range(opcode: Any, argument: Any) -> tuple[int, int]:
    return argument if opcode is opcodes.RANGE else (argument, argument)


def _is_in(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(low <= code <= high for low, high in ranges)
