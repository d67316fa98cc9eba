"""Boolean expressions over tokens, which each index translates for its database.

Tokens come from `tokenizer.py` (only letters and digits) and `document.py` (also `_`), so none can
be an operator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """Matches tools with this token."""

    text: str


@dataclass(frozen=True, slots=True)
class Adjacent:
    """Matches tools with these tokens next to each other."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Matches tools that match all parts. There is at least one."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Matches tools that match any part. There is at least one."""

    parts: tuple[Expression, ...]


Expression = Token | Adjacent | AllOf | AnyOf


EVERY_TOOL = Token("f_tool")  # every tool has this token


def all_of(parts: Iterable[Expression]) -> Expression:
    """All of these parts; there is at least one."""
    return _join(AllOf, parts)


def any_of(parts: Iterable[Expression]) -> Expression:
    """Any of these parts; there is at least one."""
    return _join(AnyOf, parts)


def phrase_of(tokens: tuple[str, ...]) -> Expression:
    """These tokens next to each other; there is at least one."""
    return Token(tokens[0]) if len(tokens) == 1 else Adjacent(tokens)


def _join(operator: type[AllOf | AnyOf], parts: Iterable[Expression]) -> Expression:
    distinct = tuple(dict.fromkeys(parts))
    return distinct[0] if len(distinct) == 1 else operator(distinct)
