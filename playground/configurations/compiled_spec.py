"""A revision's spec with its three schemas compiled, cached in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final, cast

from catalog.tools.models import Revision
from playground.configurations.secret_members import with_secrets_marked
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
        return _compiled(self.spec.parameters)

    @cached_property
    def configuration(self) -> CompiledSchema | None:
        return _compiled(self.spec.configuration)

    @cached_property
    def configuration_form(self) -> CompiledSchema | None:
        """As `configuration`, with the members marked whose names suggest a secret.

        Forms hide these.
        """
        return _compiled(with_secrets_marked(self.spec.configuration))

    @cached_property
    def return_type(self) -> CompiledSchema | None:
        return _compiled(self.spec.return_type)

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
        declared = members_of(members_of(self.spec.document.get("x-openapi")).get("responses"))
        code = next((code for code in _codes_of(http_status) if code in declared), None)
        if code is None:
            return self.return_type.check(response, budget=budget)
        if code != str(http_status) and http_status in _WITHOUT_CONTENT:
            return _unchecked(
                f"The document does not declare the status {http_status}, which has no content."
            )
        place = declared[code]
        if isinstance(place, str):
            return self._alternative(place).check(response, budget=budget)
        if place is False and response is None:
            return CheckResult(verdict="conforms")
        result = self.return_type.check(response, budget=budget)
        if code == "default" and result.verdict == "conforms":
            return result
        return _unchecked(
            f"The document declares no JSON for the status {http_status}, which the API returned."
        )

    def _alternative(self, place: str) -> CompiledSchema:
        """The alternative of the return type at this pointer.

        It is the whole return type if a person has changed it since.
        """
        whole = self.spec.return_type
        assert self.return_type is not None  # noqa: S101 - for mypy: `check_response` returns before
        if not place or not isinstance(whole, dict) or not exists_at(whole, place):
            return self.return_type
        others: dict[str, JSON] = {
            keyword: value for keyword, value in whole.items() if keyword != "anyOf"
        }
        alternative = cast("JSON", resolve_pointer(whole, place))
        return compile_schema({**others, "allOf": [*items_of(others.get("allOf")), alternative]})


def _codes_of(http_status: int | None) -> tuple[str, ...]:
    """The keys of `responses` that describe a status, the most specific first."""
    return () if http_status is None else (str(http_status), f"{http_status // 100}XX", "default")


def _unchecked(reason: str) -> CheckResult:
    return CheckResult(verdict="unchecked", reason=reason)


def _compiled(schema: JSON) -> CompiledSchema | None:
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
    """The ways in which `value` violates its schema, as problems of the request's `part` ("parameters", for example).

    Without a schema, everything is allowed. `budget` limits the work of several checks together.
    """
    if schema is None:
        return []
    result = schema.check(value, budget=budget)
    if result.verdict == "unchecked":
        message = f"The {part} could not be checked, so the tool was not called: {result.reason}"
        return [Problem(f"/{part}", message, "run.unchecked")]
    return [
        replace(problem, pointer=pointer_join("", part) + problem.pointer)
        for problem in result.problems
    ]
