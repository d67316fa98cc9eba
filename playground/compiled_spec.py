"""A revision's spec with its three schemas compiled, cached in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final

from catalog.caching import LRUCache
from catalog.errors import Problem
from catalog.json_schema.validation import Budget, CompiledSchema, compile_schema
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.models import Revision
from catalog.specs.spec import ToolSpec
from playground.configurations.secret_members import with_secrets_marked


class CompiledSpec:
    """The spec of a revision. Each of its schemas is compiled when it is first needed."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec

    @cached_property
    def parameters(self) -> CompiledSchema | None:
        return _compiled(self.spec.parameters)

    @cached_property
    def configuration(self) -> CompiledSchema | None:
        return _compiled(self.spec.configuration)

    @cached_property
    def configuration_form(self) -> CompiledSchema | None:
        """As `configuration`, with the members marked whose names suggest a secret: forms hide these."""
        return _compiled(with_secrets_marked(self.spec.configuration))

    @cached_property
    def return_type(self) -> CompiledSchema | None:
        return _compiled(self.spec.return_type)


def _compiled(schema: JSON) -> CompiledSchema | None:
    return None if schema is None else compile_schema(schema)


_compiled_specs: Final[LRUCache[CompiledSpec]] = LRUCache(max_weight=256)


def compiled_spec_of(revision: Revision) -> CompiledSpec:
    """The compiled spec of `revision`. The text is read from the database only if it is not in the cache."""
    return _compiled_specs.get_or_compute(revision.sha256, lambda: CompiledSpec(revision.spec))


def value_problems(
    schema: CompiledSchema | None, value: JSON, part: str, *, budget: Budget | None = None
) -> list[Problem]:
    """The ways in which `value` violates its schema, as problems of the request's `part` ("parameters", for example).

    Without a schema, everything is allowed. `budget` limits the work of several checks together.
    """
    if schema is None:
        return []
    result = schema.check(value, budget=budget)
    if result.verdict == "unchecked":
        message = f"The {part} could not be checked, so the tool was not called: {result.reason}"
        return [Problem(f"/{part}", message, "run.unchecked")]
    return [replace(problem, pointer=pointer_join("", part) + problem.pointer) for problem in result.problems]
