"""Schemas of repeated runs, compared runs, runs saved as examples, and statistics of a tool's runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from catalog.api.schemas.base import MAX_NUMBER, In, Out, with_example
from playground.api.schemas.runs import (
    DEFAULT_WAIT_S,
    EXAMPLE_RUN,
    MAX_WAIT_S,
    ConfigurationIn,
    RunSummary,
)
from playground.examples.save_as_example import MAX_DESCRIPTION_CHARACTERS

_LONG = ("parameters", "response", "problems", "mock", "logs", "error")
_FIRST: dict[str, Any] = {name: member for name, member in EXAMPLE_RUN.items() if name not in _LONG}
_SECOND: dict[str, Any] = _FIRST | {"id": "0193f0a1d4b87a1c8e2f3a4b5c6d7e8f", "verdict": "conforms"}


class RunAgainIn(ConfigurationIn):
    """Without a configuration, the run's saved configuration is used in its current state."""

    model_config = with_example({"revision": "same"})

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


class FactOut(Out):
    name: str
    first: str
    second: str
    different: bool = Field(validation_alias="is_different")


class PartOut(Out):
    """One JSON value of both runs."""

    name: Literal["Parameters", "Response"]
    same: bool = Field(validation_alias="is_same")
    added: int | None = Field(
        description="The number of added lines; null if the values are too long to compare."
    )
    removed: int | None
    difference: str | None = Field(
        description="The changed lines of the indented JSON, as a unified diff; null if the values are too long."
    )


class ComparisonOut(Out):
    model_config = with_example(
        {
            "first": _FIRST,
            "second": _SECOND,
            "facts": [
                {"name": "Verdict", "first": "violates", "second": "conforms", "different": True}
            ],
            "parts": [
                {"name": "Parameters", "same": True, "added": 0, "removed": 0, "difference": ""},
                {
                    "name": "Response",
                    "same": False,
                    "added": 1,
                    "removed": 1,
                    "difference": '--- first\n+++ second\n@@ -4,1 +4,1 @@\n-  "temperatureUnit": "K"\n'
                    '+  "temperatureUnit": "C"\n',
                },
            ],
        }
    )

    first: RunSummary = Field(description="The earlier run.")
    second: RunSummary
    facts: list[FactOut] = Field(
        description="Outcome, verdict, duration and other facts of both runs, as text."
    )
    parts: list[PartOut]


class SaveExampleIn(In):
    model_config = with_example({"description": "Snow", "revision": 1})

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
    model_config = with_example(
        {
            "outcome": "revised",
            "revision": 2,
            "dry_run": False,
            "example": 3,
            "difference": '--- revision 1\n+++ revision 2\n@@ -30,1 +30,2 @@\n+      {"description": "Snow"}\n',
        }
    )

    outcome: Literal["revised"]
    revision: int = Field(description="The current revision after the request.")
    dry_run: bool
    example: int = Field(description="The number of the example in the spec; it counts from 1.")
    difference: str = Field(description="The change of the text, as a unified diff.")


class StatisticsOut(Out):
    """Statistics of the latest live runs of a tool, at most 1,000."""

    model_config = with_example(
        {
            "runs": 42,
            "there_are_more": False,
            "returned": 0.95,
            "conformed": 0.9,
            "median_ms": 12.4,
            "p95_ms": 38.0,
            "latest_at": "2026-01-15T09:30:00Z",
        }
    )

    runs: int
    there_are_more: bool = Field(
        description="Whether there are earlier runs, which are not counted."
    )
    returned: float | None = Field(
        description="The share of runs with a response, from 0 to 1; null without runs."
    )
    conformed: float | None = Field(
        description="The share of checked responses that conform to `returnType`; null without checked responses."
    )
    median_ms: float | None = Field(description="The median duration of runs with a response.")
    p95_ms: float | None = Field(
        description="The duration that 95 % of the runs with a response do not exceed."
    )
    latest_at: datetime | None = Field(description="When the latest run was requested.")
