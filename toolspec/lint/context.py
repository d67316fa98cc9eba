"""A spec as the rules see it: its three schemas, each with a map of its subschemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias

from toolspec.lint.findings import Finding
from toolspec.schema.applicable import ALWAYS, BRANCHES, gather_nodes
from toolspec.schema.dialects import DEFAULT_DIALECT, DRAFT_2019_09
from toolspec.schema.index import Node, SchemaMap
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Budget, CompiledSchema, compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_NODES: Final = 10_000  # as many as `policy` allows
STEPS: Final = 20_000  # to check one value
ALL_SECONDS: Final = 0.5  # of CPU time, to check all values of a spec

_IN_PLACE: Final = ALWAYS | {*BRANCHES}

PartName = Literal["parameters", "returnType", "configuration"]


@dataclass(frozen=True)
class Part:
    """One schema of a spec; `pointer` leads to it in the spec."""

    name: PartName
    pointer: str
    schema: JSON
    budget: Budget
    _declared: dict[Node, tuple[frozenset[str], frozenset[str]]] = field(
        default_factory=dict, compare=False
    )

    @cached_property
    def map(self) -> SchemaMap:
        return SchemaMap(self.schema, max_nodes=MAX_NODES)

    def declared_in_place(self, node: Node) -> tuple[frozenset[str], frozenset[str]]:
        """The members and member patterns that `node` and its `in_place` nodes declare.

        Computed once.
        """
        cached = self._declared.get(node)
        if cached is None:
            summary = Summary(list(map(keywords_of, in_place(node))))
            names = frozenset(summary.names("properties"))
            patterns = frozenset(summary.names("patternProperties"))
            cached = self._declared[node] = (names, patterns)
        return cached

    @cached_property
    def compiled(self) -> CompiledSchema:
        return compile_schema(self.schema)

    def pointer_to(self, node: Node, *tokens: str | int) -> str:
        """The pointer into the spec of `node`, or of the value at `tokens` below it."""
        return pointer_join(self.pointer + node.pointer, *tokens)

    def explain_mismatch(self, node: Node, value: JSON) -> str | None:
        """Why `value` does not match `node`; None if it does, or if the check took too long."""
        if self.budget.seconds <= 0:
            return None
        try:
            subschema = self.compiled.root.sub(*node.tokens)
        except LookupError:
            return None
        budget = Budget(steps=STEPS, seconds=self.budget.seconds)
        errors = subschema.errors(value, budget)
        self.budget.seconds = budget.seconds
        if not errors:
            return None
        message, pointer = errors[0].message, errors[0].pointer
        return f"{message} (at {pointer})" if pointer else message


@dataclass(frozen=True)
class Subject:
    """A spec with its parts."""

    spec: ToolSpec

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        budget = Budget(seconds=ALL_SECONDS)
        parts = (
            Part("parameters", "/definition/parameters", self.spec.parameters, budget),
            Part("returnType", "/definition/returnType", self.spec.return_type, budget),
            Part("configuration", "/configuration", self.spec.configuration, budget),
        )
        return tuple(part for part in parts if part.schema is not None)

    def part(self, name: PartName) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)


def keywords_of(node: Node) -> Mapping[str, JSON]:
    """The keywords of `node`; none if it is true or false."""
    return members_of(node.schema)


def is_modern(node: Node) -> bool:
    """Whether the dialect of `node` is 2019-09 or 2020-12."""
    return node.dialect in {DEFAULT_DIALECT, DRAFT_2019_09}


def property_name(node: Node) -> str | None:
    """The name of the member that `node` describes; None if it describes something else."""
    if len(node.path) == 2 and node.path[0] == "properties":
        return str(node.path[1])
    return None


def properties_of(node: Node) -> Iterator[tuple[str, Node]]:
    """The members that `node` declares itself, with their schemas."""
    for child in node.children:
        name = property_name(child)
        if name is not None:
            yield name, child


def in_place(node: Node) -> list[Node]:
    """`node`, and all nodes of the same value through references, `allOf` and alternatives."""
    return gather_nodes(node, _IN_PLACE)


SpecRule: TypeAlias = Callable[[Subject], Iterator[Finding]]  # checks a spec once
SchemaRule: TypeAlias = Callable[[Part, Node], Iterator[Finding]]  # checks one subschema
