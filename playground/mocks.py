"""Mock responses: derived from the spec's examples, else generated from its `returnType`.

The same spec and parameters give the same mock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring
from typing import Final

from catalog.errors import Problem
from catalog.json_schema.sampling import NoValue, sample
from catalog.json_schema.validation import CompiledSchema
from catalog.json_schema.validation.equality import equal
from catalog.jsontext.pointers import PointerTree, pointer_join, pointer_tree
from catalog.jsontext.reader import JSON, Number
from catalog.specs.spec import Example, ToolSpec

MAX_DIFFERENCES = 20


@dataclass(frozen=True)
class Difference:
    """One position where the parameters sent differ from those of the example."""

    pointer: str
    kind: str  # "changed", "added" (only sent), "missing" (only in the example)

    def __str__(self) -> str:
        position = self.pointer or "the whole value"
        return {
            "changed": f"{position} differs",
            "added": f"{position} is not in the example",
            "missing": f"{position} is missing",
        }[self.kind]


@dataclass(frozen=True)
class Mock:
    """A mock response and where it comes from.

    `source` is "example" (its parameters equal those sent), "nearest" (the example that differs least: `differences`),
    "returnType" (generated from the schema) or "echo" (the spec does not describe the response). `example` counts
    from 1.
    """

    response: JSON
    source: str
    example: int | None = None
    description: str = ""
    differences: tuple[Difference, ...] = ()
    differences_in_all: int = 0

    def as_json(self) -> dict[str, JSON]:
        """{"source", "example"?, "description"?, "differences"?: [{"pointer", "kind"}], "differences_in_all"?}."""
        members: dict[str, JSON] = {"source": self.source}
        if self.example is not None:
            members["example"] = self.example
        if self.description:
            members["description"] = self.description
        if self.differences:
            members["differences"] = [{"pointer": found.pointer, "kind": found.kind} for found in self.differences]
            members["differences_in_all"] = self.differences_in_all
        return members


class NoMock(Exception):
    """No mock can be made; `problem` is the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def mock(spec: ToolSpec, parameters: JSON, return_type: CompiledSchema | None) -> Mock:
    """The mock response to `parameters`, from the spec's examples or its `returnType`, compiled.

    Raises:
        NoMock: `returnType` accepts nothing, or no value that it accepts was found.
    """
    answering = [(index, example) for index, example in enumerate(spec.examples, 1) if example.has_return_value]
    if answering:
        return _by_example(answering, parameters)
    if return_type is None:
        echo: JSON = {"mock": True, "tool": spec.tool_id, "parameters": parameters}
        return Mock(echo, "echo")
    seed = hashlib.sha256(f"{spec.tool_id}\n{canonical(parameters)}".encode()).hexdigest()
    try:
        return Mock(sample(return_type, seed), "returnType")
    except NoValue as error:
        first = f" The best attempt failed: {error.problems[0].message}" if error.problems else ""
        message = f"No value was found that returnType accepts, and the spec has no example to answer with.{first}"
        raise NoMock(Problem("", message, "mock.no-value")) from error


def _by_example(answering: list[tuple[int, Example]], parameters: JSON) -> Mock:
    nearest = None
    for index, example in answering:
        found = _Differences(MAX_DIFFERENCES)
        found.compare(example.parameters if example.has_parameters else {}, parameters)
        if not found.count:
            return Mock(example.return_value, "example", index, example.description or "")
        if nearest is None or found.count < nearest[2].count:
            nearest = (index, example, found)
    assert nearest is not None  # noqa: S101 - `answering` is not empty
    index, example, found = nearest
    return Mock(example.return_value, "nearest", index, example.description or "", tuple(found.first), found.count)


def compare(
    expected: JSON, given: JSON, *, most: int = MAX_DIFFERENCES, ignored: Iterable[str] = ()
) -> list[Difference]:
    """The first `most` differences between `given` and `expected`, leaf by leaf, in the order of `expected`.

    1 and 1.0 are equal. Values at or below the `ignored` pointers may differ.
    """
    ignored = list(ignored)
    found = _Differences(most)
    if "" not in ignored:
        found.compare(expected, given, pointer_tree(ignored))
    return found.first


class _Differences:
    """The first differences, and how many there are. A part that only one side has counts as one difference."""

    def __init__(self, most: int) -> None:
        self.first: list[Difference] = []
        self.count = 0
        self._most = most
        self._way: list[str | int] = []

    def compare(self, expected: JSON, given: JSON, ignored: PointerTree | None = None) -> None:
        """Add the differences between two values; `ignored` is relative to them."""
        if isinstance(expected, dict) and isinstance(given, dict):
            self._compare_objects(expected, given, ignored or {})
        elif isinstance(expected, list) and isinstance(given, list):
            self._compare_arrays(expected, given, ignored or {})
        elif not equal(expected, given):
            self._add("changed")

    def _compare_objects(self, expected: dict[str, JSON], given: dict[str, JSON], ignored: PointerTree) -> None:
        in_both = 0
        for name, value in expected.items():
            in_both += name in given
            if _is_end(ignored.get(name)):
                continue
            if name not in given:
                self._add("missing", name)
            else:
                self._compare_parts(name, value, given[name], ignored.get(name))
        added = (name for name in given if name not in expected and not _is_end(ignored.get(name)))
        unlisted = sum(_is_end(way) and name in given and name not in expected for name, way in ignored.items())
        self._add_all("added", added, len(given) - in_both - unlisted)

    def _compare_arrays(self, expected: list[JSON], given: list[JSON], ignored: PointerTree) -> None:
        ends = {int(token) for token, way in ignored.items() if _is_end(way) and token.isdecimal()}
        for index, (one, other) in enumerate(zip(expected, given, strict=False)):
            if one is not other and index not in ends:
                self._compare_parts(index, one, other, ignored.get(str(index)) if ignored else None)
        shorter, longer = sorted((len(expected), len(given)))
        rest = (index for index in range(shorter, longer) if index not in ends)
        count = longer - shorter - sum(shorter <= index < longer for index in ends)
        self._add_all("missing" if len(expected) == longer else "added", rest, count)

    def _compare_parts(self, token: str | int, expected: JSON, given: JSON, ignored: PointerTree | None) -> None:
        if isinstance(expected, _CONTAINERS) and isinstance(given, _CONTAINERS):
            self._way.append(token)
            self.compare(expected, given, ignored)
            self._way.pop()
        elif not equal(expected, given):
            self._add("changed", token)

    def _add_all(self, kind: str, tokens: Iterable[str | int], count: int) -> None:
        room = min(count, self._most - len(self.first))
        for token in islice(tokens, max(0, room)):
            self._add(kind, token)
        self.count += count - max(0, room)

    def _add(self, kind: str, *tokens: str | int) -> None:
        self.count += 1
        if len(self.first) < self._most:
            self.first.append(Difference(pointer_join("", *self._way, *tokens), kind))


_CONTAINERS: Final = (dict, list)


def _is_end(way: PointerTree | None) -> bool:
    return way is not None and not way


def canonical(value: JSON) -> str:
    """One text for all spellings of the same value: members sorted, numbers without their spelling."""
    if isinstance(value, dict):
        inside = ",".join(f"{encode_basestring(name)}:{canonical(value[name])}" for name in sorted(value))
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _canonical_number(value)


@lru_cache(maxsize=4096)
def _canonical_number(number: int | Number) -> str:
    return format(Decimal(number).normalize(), "E") if number else "0"
