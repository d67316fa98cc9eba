"""Pairs of a schema and a value, as data: real tools' schemas and calls, and the official JSON-Schema-Test-Suite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from tests import suite
from tests.corpora import lines, share
from toolspec.errors import JSONTextError
from toolspec.text import reader
from toolspec.text.reader import Number

CALLS = ("toolcall_pairs", "bfcl_pairs")
REAL = ("form_pairs", *CALLS)


def in_deep_tests(name):
    """The parameter `name` of a test that runs only in the deep tests."""
    return pytest.param(name, marks=pytest.mark.deep)


REAL_CASES = tuple(pytest.param(name, marks=pytest.mark.corpora) for name in REAL)
# What the drafts 6 and 7 say differently is in 2019-09 or in 4 as well.
SUITE = tuple(
    map(in_deep_tests, ("draft2020-12", "draft2020-12/optional", "draft2019-09", "draft4"))
)


@dataclass(frozen=True)
class Pair:
    """A schema, a value, and whether the value is valid (None: nobody says)."""

    name: str
    schema: Any
    value: Any
    valid: bool | None

    def __str__(self) -> str:
        return self.name


def read(text: str) -> Any:
    """JSON with exact numbers, also what the strict reader refuses (NUL in texts)."""
    try:
        return reader.loads(text, max_bytes=10_000_000)
    except JSONTextError:
        return json.loads(text, parse_float=Number)


@cache
def pairs_of(name: str) -> tuple[Pair, ...]:
    """The pairs of one file of real data, or of a draft of the suite ("draft2020-12", "draft2020-12/optional")."""
    if name in CALLS:
        return tuple(_real(name))
    if name in REAL:
        return share(tuple(_real(name)))
    draft, _, optional = name.partition("/")
    return share(tuple(_suite(draft, optional=bool(optional))))


def _real(name: str) -> Iterator[Pair]:
    for number, line in enumerate(lines(name), 1):
        row = read(line)
        label = row.get("name") or row.get("tool")
        yield Pair(
            f"{name}:{number} {label}", row["schema"], row["instance"], row.get("valid", True)
        )


def _suite(draft: str, *, optional: bool) -> Iterator[Pair]:
    for case in suite.cases(draft, optional=optional, parse_float=Number):
        for test in case.tests:
            yield Pair(f"{case.name}: {test.description}", case.schema, test.data, test.valid)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same: types, lexemes of numbers, code points; members in any order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one.lexeme == other.lexeme if isinstance(one, Number) else one == other
