"""The base of the built-in tools: each takes its definition from its shipped spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from playground.tool import Definition, Schema

SPECS = Path(__file__).parent / "specs"


def shipped(name: str) -> Definition:
    """The definition in `specs/<name>.json`."""
    return Definition.from_spec((SPECS / f"{name}.json").read_bytes())


class ShippedTool:
    """A tool whose definition is read from its shipped spec, so that spec and code cannot disagree."""

    definition: ClassVar[Definition]

    @property
    def id(self) -> str:
        return self.definition.id

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def description(self) -> str:
        return self.definition.description

    @property
    def parameters_schema(self) -> Schema:
        return self.definition.parameters_schema

    @property
    def return_type_schema(self) -> Schema:
        return self.definition.return_type_schema

    @property
    def examples(self) -> Sequence[Mapping[str, Any]]:
        return self.definition.examples


def log(message: str) -> None:
    """Write a line to the run's log, which is the tool's standard output."""
    print(message, flush=True)  # noqa: T201
