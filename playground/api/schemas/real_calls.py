"""The schemas of a check of real calls."""

from __future__ import annotations

from pydantic import Field

from catalog.api.schemas.base import Out


class FailingCallOut(Out):
    run: str = Field(validation_alias="run_id", description="The id of the run.")
    pointer: str = Field(description="JSON Pointer into the parameters or the response.")
    message: str = Field(description="The first reason.")


class CheckedCallsOut(Out):
    checked: int = Field(validation_alias="number")
    failing: int
    cut: bool = Field(
        validation_alias="is_cut",
        description="Whether there are more calls, or there was no time to check them all.",
    )
    first: list[FailingCallOut] = Field(
        validation_alias="shown", description="The latest of those that fail, at most 5."
    )


class CallCheckOut(Out):
    tool: str = Field(description="The id of the tool.")
    revision: int | None = Field(
        description="The number of its current revision; null if you see no such tool, which then has no calls."
    )
    days: int = Field(description="Calls of this many days were checked.")
    calls: CheckedCallsOut = Field(description="`failing`: those that the spec would refuse.")
    responses: CheckedCallsOut | None = Field(
        description="`failing`: those that would not match the return type. null if they cannot be checked: without a "
        "return type, and for a tool of an OpenAPI document."
    )
