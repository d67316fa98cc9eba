"""The schemas of lists of runs and of saved configurations.

`playground.runs.run_json` has that of a run.
"""

from __future__ import annotations

from typing import Any, Literal

from django.conf import settings
from ninja import Schema
from pydantic import Field

from playground.configurations.schemas import ConfigurationIn
from playground.runs.filters import MAX_PAGE_SIZE, PAGE_SIZE, RunConditions, RunCursor
from playground.runs.run_json import Mode, RunSummary
from toolshelf_core.api.schemas import Page, with_example

DEFAULT_WAIT_S = 10

MAX_WAIT_S = 60


class RunIn(ConfigurationIn):
    model_config = with_example({"parameters": {"location": "New York"}})

    parameters: Any = Field(
        default_factory=dict, repr=False, description="The parameters of the call. Default: {}."
    )
    mode: Mode = Field(
        "live", description="`mock` does not call the tool; the response is made from the spec."
    )
    revision: int | None = Field(
        None, ge=1, description="The revision whose schemas apply. Default: the current one."
    )
    timeout_s: float | None = Field(
        None, strict=True, gt=0, le=settings.RUN_TIMEOUT_MAX_S, description="The run's time limit."
    )
    wait_s: float = Field(
        DEFAULT_WAIT_S,
        strict=True,
        ge=0,
        le=MAX_WAIT_S,
        description="How long the request waits for the run to end.",
    )


class RunsOut(Page[RunSummary]):
    pass


class RunsQuery(RunConditions):
    by: str = Field("", max_length=150, description="A user name.")
    cursor: RunCursor = ""
    limit: int = Field(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)


class FileQuery(Schema):
    number: int = Field(1, ge=1, le=1000, description="The number of the file, from 1.")


class RunAgainIn(ConfigurationIn):
    """Without a configuration, the run's saved configuration is used in its current state."""

    revision: Literal["current", "same"] = Field(
        "current",
        description=(
            "Whose schemas apply: those of the current revision, or of the revision of the run."
        ),
    )
    wait_s: float = Field(
        DEFAULT_WAIT_S,
        strict=True,
        ge=0,
        le=MAX_WAIT_S,
        description="How long the request waits for the run to end.",
    )
