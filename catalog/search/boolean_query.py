"""What tools are looked for by: expressions over tokens, which each database writes in its own language.

Tokens are made by `words.py` (letters and digits alone) and by `documents.py` (with `_`): none can be an operator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """A tool that holds this token."""

    text: str


@dataclass(frozen=True, slots=True)
class Adjacent:
    """A tool that holds these tokens side by side."""

    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """A tool for which all of these hold. There is at least one."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A tool for which any of these holds. There is at least one."""

    parts: tuple[Expression, ...]


Expression = Token | Adjacent | AllOf | AnyOf


EVERY_TOOL = Token("f_tool")  # every tool holds it


def all_of(parts: Iterable[Expression]) -> Expression:
    """All of at least one."""
    return _joined(AllOf, tuple(dict.fromkeys(parts)))


def any_of(parts: Iterable[Expression]) -> Expression:
    """Any of at least one."""
    return _joined(AnyOf, tuple(dict.fromkeys(parts)))


def adjacent(tokens: tuple[str, ...]) -> Expression:
    return Token(tokens[0]) if len(tokens) == 1 else Adjacent(tokens)


def _joined(kind: type[AllOf | AnyOf], parts: tuple[Expression, ...]) -> Expression:
    return parts[0] if len(parts) == 1 else kind(parts)
