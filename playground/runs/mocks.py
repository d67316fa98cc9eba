"""Mock responses: derived from the spec's examples, else generated from its `returnType`.

The same spec and parameters give the same mock.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from toolspec.errors import Problem
from toolspec.schema.sampling import NoValue, sample
from toolspec.schema.validation import CompiledSchema
from toolspec.spec import Example, ToolSpec
from toolspec.text.reader import JSON
from toolspec.value_differences import Change, canonical, compare_all


@dataclass(frozen=True)
class Mock:
    """A mock response and where it comes from.

    `source` is "example" (its parameters equal those sent), "nearest" (the example that differs
    least: `differences`), "returnType" (generated from the schema) or "echo" (the spec does not
    describe the response). `example` counts from 1.
    """

    response: JSON
    source: str
    example: int | None = None
    description: str = ""
    differences: tuple[Change, ...] = ()
    differences_in_all: int = 0

    def as_json(self) -> dict[str, JSON]:
        """How the response was made, as JSON.

        {"source", "example"?, "description"?, "differences"?: [{"pointer", "kind"}],
        "differences_in_all"?}.
        """
        members: dict[str, JSON] = {"source": self.source}
        if self.example is not None:
            members["example"] = self.example
        if self.description:
            members["description"] = self.description
        if self.differences:
            members["differences"] = [
                {"pointer": change.pointer, "kind": change.kind} for change in self.differences
            ]
            members["differences_in_all"] = self.differences_in_all
        return members


class NoMock(Exception):
    """No mock can be made; `problem` is the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def make_mock(spec: ToolSpec, parameters: JSON, return_type: CompiledSchema | None) -> Mock:
    """Make the mock response to `parameters`, from the spec's examples or its `returnType`.

    Raises:
        NoMock: `returnType` accepts nothing, or no value that it accepts was found.
    """
    answering = [
        (index, example)
        for index, example in enumerate(spec.examples, 1)
        if example.has_return_value
    ]
    if answering:
        return _choose_example(answering, parameters)
    if return_type is None:
        echo: JSON = {"mock": True, "tool": spec.tool_id, "parameters": parameters}
        return Mock(echo, "echo")
    seed = hashlib.sha256(f"{spec.tool_id}\n{canonical(parameters)}".encode()).hexdigest()
    try:
        return Mock(sample(return_type, seed), "returnType")
    except NoValue as error:
        message = (
            "No value was found that returnType accepts, "
            "and the spec has no example to answer with."
        )
        if error.problems:
            message += f" The best attempt failed: {error.problems[0].message}"
        raise NoMock(Problem("", message, "mock.no-value")) from error


def _choose_example(answering: list[tuple[int, Example]], parameters: JSON) -> Mock:
    nearest: Mock | None = None
    for index, example in answering:
        example_parameters = example.parameters if example.has_parameters else {}
        changes, count = compare_all(example_parameters, parameters)
        description = example.description or ""
        if not count:
            return Mock(example.return_value, "example", index, description)
        if nearest is None or count < nearest.differences_in_all:
            nearest = Mock(
                example.return_value, "nearest", index, description, tuple(changes), count
            )
    assert nearest is not None  # noqa: S101 - `answering` is not empty
    return nearest
