"""A revision's spec with its three schemas compiled, cached in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final, cast

from catalog.tools.models import Revision
from playground.configurations.secret_members import mark_secrets
from toolshelf_core.caching import LRUCache
from toolspec.errors import Problem
from toolspec.schema.validation import Budget, CheckResult, CompiledSchema, compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import exists_at, pointer_join, resolve_pointer
from toolspec.text.reader import JSON

_WITHOUT_CONTENT: Final = frozenset({204, 205})  # RFC 9110
NO_RETURN_TYPE: Final = "The spec has no return type."


class CompiledSpec:
    """The spec of a revision. Each of its schemas is compiled when it is first needed."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec

    @cached_property
    def parameters(self) -> CompiledSchema | None:
        return _compile_if_any(self.spec.parameters)

    @cached_property
    def configuration(self) -> CompiledSchema | None:
        return _compile_if_any(self.spec.configuration)

    @cached_property
    def configuration_form(self) -> CompiledSchema | None:
        """As `configuration`, with the members marked whose names suggest a secret.

        Forms hide these.
        """
        return _compile_if_any(mark_secrets(self.spec.configuration))

    @cached_property
    def return_type(self) -> CompiledSchema | None:
        return _compile_if_any(self.spec.return_type)

    def check_response(
        self, response: JSON, http_status: int | None, budget: Budget | None = None
    ) -> CheckResult:
        """The verdict on `response`; "unchecked" without a return type.

        With the HTTP status of an answer, what the document declares for this status decides: one
        alternative of the return type. Without one, and for a status that is not declared, it is
        the whole return type.
        """
        if self.return_type is None:
            return _unchecked(NO_RETURN_TYPE)
        responses = members_of(members_of(self.spec.document.get("x-openapi")).get("responses"))
        code = next((code for code in _list_codes(http_status) if code in responses), None)
        if code is None:
            return self.return_type.check(response, budget=budget)
        if code != str(http_status) and http_status in _WITHOUT_CONTENT:
            return _unchecked(
                f"The document does not declare the status {http_status}, which has no content."
            )
        pointer = responses[code]
        if isinstance(pointer, str):
            alternative = _select_alternative(self.return_type, pointer)
            return alternative.check(response, budget=budget)
        if pointer is False and response is None:
            return CheckResult(verdict="conforms")
        result = self.return_type.check(response, budget=budget)
        if code == "default" and result.verdict == "conforms":
            return result
        return _unchecked(
            f"The document declares no JSON for the status {http_status}, which the API returned."
        )


def _select_alternative(return_type: CompiledSchema, pointer: str) -> CompiledSchema:
    """Select the alternative of the return type at this pointer.

    It is the whole return type if a person has changed it since.
    """
    schema = return_type.schema
    if not pointer or not isinstance(schema, dict) or not exists_at(schema, pointer):
        return return_type
    keywords: dict[str, JSON] = dict(schema)
    keywords.pop("anyOf", None)
    alternative = cast("JSON", resolve_pointer(schema, pointer))
    keywords["allOf"] = [*items_of(keywords.get("allOf")), alternative]
    return compile_schema(keywords)


def _list_codes(http_status: int | None) -> tuple[str, ...]:
    """The keys of `responses` that describe a status, the most specific first."""
    if http_status is None:
        return ()
    return str(http_status), f"{http_status // 100}XX", "default"


def _unchecked(reason: str) -> CheckResult:
    return CheckResult(verdict="unchecked", reason=reason)


def _compile_if_any(schema: JSON) -> CompiledSchema | None:
    return None if schema is None else compile_schema(schema)


_compiled_specs: Final[LRUCache[CompiledSpec]] = LRUCache(max_weight=256)


def compiled_spec_of(revision: Revision) -> CompiledSpec:
    """The compiled spec of `revision`.

    The text is read from the database only if it is not in the cache.
    """
    return _compiled_specs.get_or_compute(revision.sha256, lambda: CompiledSpec(revision.spec))


def value_problems(
    schema: CompiledSchema | None, value: JSON, part: str, *, budget: Budget | None = None
) -> list[Problem]:
    """Check `value`: how it violates its schema, as problems of the request's `part`.

    The part is "parameters", for example.

    Without a schema, everything is allowed. `budget` limits the work of several checks together.
    """
    if schema is None:
        return []
    result = schema.check(value, budget=budget)
    if result.verdict == "unchecked":
        message = f"The {part} could not be checked, so the tool was not called: {result.reason}"
        return [Problem(f"/{part}", message, "run.unchecked")]
    base = pointer_join("", part)
    return [replace(problem, pointer=base + problem.pointer) for problem in result.problems]
