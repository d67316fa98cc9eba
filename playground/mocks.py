"""A response without a tool: from the spec's examples, else made from its `returnType`.

Nothing here knows Django. The same spec and parameters give the same mock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from catalog import strict_json
from catalog.problems import Problem, pointer_join
from catalog.spec import Example, ToolSpec
from catalog.strict_json import JSON
from catalog.validation import CompiledSchema
from playground.sampling import NoValue, same, sample, type_name

MAX_DIFFERENCES = 20


@dataclass(frozen=True)
class Difference:
    """One place where the parameters that were sent are not those of the example."""

    pointer: str
    kind: str  # "changed", "added" (only sent), "missing" (only in the example)

    def __str__(self) -> str:
        place = self.pointer or "the whole value"
        return {
            "changed": f"{place} differs",
            "added": f"{place} is not in the example",
            "missing": f"{place} is missing",
        }[self.kind]


@dataclass(frozen=True)
class Mock:
    """A mock response and where it comes from.

    `source` is "example" (its parameters equal those sent), "nearest" (the example that differs least: `differences`),
    "returnType" (made from the schema) or "echo" (the spec says nothing about the response). `example` counts from 1.
    """

    response: JSON
    source: str
    example: int | None = None
    description: str = ""
    differences: tuple[Difference, ...] = ()
    differences_in_all: int = 0

    def as_json(self) -> dict[str, JSON]:
        """{"source", "example"?, "description"?, "differences"?: [{"pointer", "kind"}], "differences_in_all"?}."""
        told: dict[str, JSON] = {"source": self.source}
        if self.example is not None:
            told["example"] = self.example
        if self.description:
            told["description"] = self.description
        if self.differences:
            told["differences"] = [{"pointer": found.pointer, "kind": found.kind} for found in self.differences]
            told["differences_in_all"] = self.differences_in_all
        return told


class NoMock(Exception):
    """No mock can be made; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def mock(spec: ToolSpec, parameters: JSON, return_type: CompiledSchema | None) -> Mock:
    """The response that the spec's examples or its `returnType` give for `parameters`.

    Args:
        spec: the tool's.
        parameters: as they would be sent to the tool.
        return_type: the spec's, compiled; None where it has none.

    Raises:
        NoMock: `returnType` accepts nothing, or hides what it accepts too well.
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
    except NoValue as none:
        first = f" The best try broke this: {none.problems[0].message}" if none.problems else ""
        message = f"No value was found that returnType accepts, and the spec has no example to answer with.{first}"
        raise NoMock(Problem("", message, "mock.no-value")) from none


def _by_example(answering: list[tuple[int, Example]], parameters: JSON) -> Mock:
    nearest = None
    for index, example in answering:
        given = example.parameters if example.has_parameters else {}
        differences = list(compare(given, parameters))
        if not differences:
            return Mock(example.return_value, "example", index, example.description or "")
        if nearest is None or len(differences) < len(nearest[2]):
            nearest = (index, example, differences)
    assert nearest is not None  # noqa: S101 - `answering` is not empty
    index, example, differences = nearest
    return Mock(
        example.return_value,
        "nearest",
        index,
        example.description or "",
        tuple(differences[:MAX_DIFFERENCES]),
        len(differences),
    )


def compare(expected: JSON, given: JSON, pointer: str = "") -> Iterator[Difference]:
    """Where `given` is not `expected`, leaf by leaf, in the order of `expected`. 1 and 1.0 are the same."""
    if isinstance(expected, dict) and isinstance(given, dict):
        for name in expected:
            if name in given:
                yield from compare(expected[name], given[name], pointer_join(pointer, name))
            else:
                yield Difference(pointer_join(pointer, name), "missing")
        yield from (Difference(pointer_join(pointer, name), "added") for name in given if name not in expected)
    elif isinstance(expected, list) and isinstance(given, list):
        for index, (one, other) in enumerate(zip(expected, given, strict=False)):
            yield from compare(one, other, pointer_join(pointer, index))
        for index in range(len(given), len(expected)):
            yield Difference(pointer_join(pointer, index), "missing")
        for index in range(len(expected), len(given)):
            yield Difference(pointer_join(pointer, index), "added")
    elif not same(expected, given):
        yield Difference(pointer, "changed")


def canonical(value: JSON) -> str:
    """One text for all spellings of the same value: members sorted, numbers without their spelling."""
    if isinstance(value, dict):
        inside = ",".join(f"{strict_json.dumps(name)}:{canonical(value[name])}" for name in sorted(value))
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if type_name(value) == "number":
        return format(Decimal(str(value)).normalize(), "E") if value else "0"
    return strict_json.dumps(value)
