"""Schemas of checks of a tool's examples."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from catalog.api.schemas.base import EmptyIsNone, Out, Page, PageQuery, UserName
from catalog.api.schemas.problems import SpecProblemOut
from playground.api.schemas.runs import MAX_WAIT_S, ConfigurationIn
from playground.run_json import Outcome, ToolOfRun, Verdict

MAX_IGNORED = 50
MAX_CHECKS = 100  # on one page of a list


Pointer = Annotated[str, StringConstraints(pattern="^/", max_length=1000)]


class ExampleCheckIn(ConfigurationIn):
    exactly: bool = Field(
        True,
        description="Whether a response must equal the example's value; else it only has to match the return type.",
    )
    ignored: list[Pointer] = Field(
        [],
        max_length=MAX_IGNORED,
        description="JSON Pointers into the response whose values may differ.",
    )
    wait_s: float = Field(
        0,
        strict=True,
        ge=0,
        le=MAX_WAIT_S,
        description="How long the request waits for the check to end.",
    )


class DifferenceOut(Out):
    pointer: str = Field(description="JSON Pointer into the response.")
    kind: Literal["changed", "added", "missing"] = Field(
        description="`added`: it is only in the response; `missing`: it is only in the example."
    )


class ResultDetailsOut(Out):
    run: str | None = Field(description="The id of the run; null if the tool was not called.")
    differences: list[DifferenceOut] = Field(description="At most 20.")
    parameters_problems: list[SpecProblemOut] = Field(
        description="Why the example's parameters are not valid."
    )
    return_problems: list[SpecProblemOut] = Field(
        description="Why the example's return value does not match `returnType`."
    )


class ExampleResultOut(Out):
    number: int = Field(description="The number of the example in the spec; it counts from 1.")
    description: str
    passed: bool | None = Field(description="null while its run is active.")
    message: str = Field(description='The first failure; "" if there is none.')
    outcome: Annotated[Outcome | None, EmptyIsNone] = Field(
        description="null if the tool was not called."
    )
    verdict: Annotated[Verdict | None, EmptyIsNone]
    duration_ms: float | None
    details: ResultDetailsOut | None = Field(
        description="The run and its differences; null unless you may read the runs of the check."
    )


class ExampleCheckSummary(Out):
    """A check without the results of its examples."""

    id: int
    tool: ToolOfRun
    current: bool = Field(description="Whether it is a check of the tool's current revision.")
    state: Literal["running", "passed", "failed"]
    passed: int = Field(
        description="The number of examples that passed; 0 while the check is running."
    )
    failed: int
    by: UserName
    exactly: bool
    ignored: list[str] | None = Field(description="null unless you may read the runs of the check.")
    factory: Annotated[str | None, EmptyIsNone]
    created_at: datetime
    finished_at: datetime | None


class ExampleCheckOut(ExampleCheckSummary):
    examples: list[ExampleResultOut]


class ExampleChecksOut(Page[ExampleCheckSummary]):
    pass


class ExampleChecksQuery(PageQuery):
    limit: int = Field(20, ge=1, le=MAX_CHECKS)
    cursor: str = Field(
        "", pattern="^([1-9][0-9]{0,17})?$", description="`next` of the previous page."
    )
