"""Schemas of repeated runs, runs saved as examples, and statistics of a tool's runs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from catalog.api.schemas.base import MAX_NUMBER, In, Out
from playground.api.schemas.runs import (
    DEFAULT_WAIT_S,
    MAX_WAIT_S,
    ConfigurationIn,
)
from playground.examples.save_as_example import MAX_DESCRIPTION_CHARACTERS


class RunAgainIn(ConfigurationIn):
    """Without a configuration, the run's saved configuration is used in its current state."""

    revision: Literal["current", "same"] = Field(
        "current",
        description="Whose schemas apply: those of the current revision, or of the revision of the run.",
    )
    wait_s: float = Field(
        DEFAULT_WAIT_S,
        strict=True,
        ge=0,
        le=MAX_WAIT_S,
        description="How long the request waits for the run to end.",
    )


class SaveExampleIn(In):
    description: str = Field(
        "",
        max_length=MAX_DESCRIPTION_CHARACTERS,
        description="What the example shows; it becomes one line.",
    )
    revision: int | None = Field(
        None,
        ge=1,
        le=MAX_NUMBER,
        description="The current revision as you have seen it: 409 if another one was published since.",
    )
    dry_run: bool = Field(False, description="Store nothing; only report the change.")


class SavedExampleOut(Out):
    outcome: Literal["revised"]
    revision: int = Field(description="The current revision after the request.")
    dry_run: bool
    example: int = Field(description="The number of the example in the spec; it counts from 1.")
    difference: str = Field(description="The change of the text, as a unified diff.")


class StatisticsOut(Out):
    """Statistics of the latest live runs of a tool, at most 1,000."""

    runs: int
    there_are_more: bool = Field(
        description="Whether there are earlier runs, which are not counted."
    )
    returned: float | None = Field(
        description="The share of runs with a response, from 0 to 1; null without runs."
    )
    conformed: float | None = Field(
        description="The share of checked responses that match `returnType`; null without checked responses."
    )
    median_ms: float | None = Field(description="The median duration of runs with a response.")
    p95_ms: float | None = Field(
        description="The duration that 95 % of the runs with a response do not exceed."
    )
    latest_at: datetime | None = Field(description="When the latest run was requested.")
