"""A revision's contract: its spec, with the three schemas ready to check values. Read once, then kept in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from functools import cached_property

from catalog.errors import Problem
from catalog.json_schema.validation import Budget, CompiledSchema, compile_schema
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.models import Revision
from catalog.specs.spec import ToolSpec
from playground.configurations.secret_members import described_safely, with_secrets_marked
from playground.schema_form.secret_search import Secrets

CONTRACTS_KEPT = 256


class CompiledSpec:
    """What a tool of this revision takes and gives. Each schema is compiled when it is first needed."""

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
        """As `configuration`, with what its name tells to be secret marked so: forms hide it."""
        return _compiled(with_secrets_marked(self.spec.configuration))

    @cached_property
    def return_type(self) -> CompiledSchema | None:
        return _compiled(self.spec.return_type)


def _compiled(schema: JSON) -> CompiledSchema | None:
    return None if schema is None else compile_schema(schema)


_contracts: OrderedDict[str, CompiledSpec] = OrderedDict()
_lock = threading.Lock()


def compiled_spec_of(revision: Revision) -> CompiledSpec:
    """The contract of `revision`; its text is read from the database only where the contract is not in memory."""
    with _lock:
        found = _contracts.get(revision.sha256)
        if found is not None:
            _contracts.move_to_end(revision.sha256)
            return found
    made = CompiledSpec(revision.spec)
    with _lock:
        _contracts[revision.sha256] = made
        while len(_contracts) > CONTRACTS_KEPT:
            _contracts.popitem(last=False)
    return made


def value_problems(
    schema: CompiledSchema | None,
    value: JSON,
    part: str,
    *,
    budget: Budget | None = None,
    found: Secrets | None = None,
) -> list[Problem]:
    """The ways in which `value` violates its schema, as problems of the request's `part`.

    Args:
        schema: None allows everything.
        value: the member `part` of the request.
        part: "parameters", "configuration" or "returnValue".
        budget: the limit of the check's work, if it is shared with other checks.
        found: the secrets of `value`, if they are known already; no message quotes them.
    """
    if schema is None:
        return []
    checked = schema.check(value, budget=budget)
    result = described_safely(checked, schema, value, by_name=part == "configuration", found=found)
    if result.verdict == "unchecked":
        message = f"The {part} could not be checked, so the tool was not called: {result.reason}"
        return [Problem(f"/{part}", message, "run.unchecked")]
    return [replace(problem, pointer=pointer_join("", part) + problem.pointer) for problem in result.problems]
