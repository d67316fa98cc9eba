"""The request and response schemas of the playground's API, with an example of a run."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.conf import settings
from ninja import Field, Schema
from pydantic import BeforeValidator, ConfigDict

from playground.run_filter import MAX_PAGE_SIZE, PAGE_SIZE

DEFAULT_WAIT_S = 10
MAX_WAIT_S = 60

EXAMPLE_RUN: dict[str, Any] = {
    "id": "0193f0a1c2d37e8f9a0b1c2d3e4f5061",
    "tool": {"id": "Get weather", "slug": "get-weather-3f1c6a20", "revision": 1},
    "mode": "live",
    "outcome": "returned",
    "parameters": {"location": "New York"},
    "response": {"condition": "Sunny", "temperature": 28, "temperatureUnit": "K"},
    "has_response": True,
    "verdict": "violates",
    "verdict_reason": None,
    "problems": [
        {
            "pointer": "/temperatureUnit",
            "message": "'K' is not one of ['C', 'F']",
            "rule": "schema.enum",
            "keyword": "enum",
            "schema_pointer": "/properties/temperatureUnit/enum",
        }
    ],
    "problems_truncated": False,
    "mock": None,
    "logs": {"stdout": "", "stderr": "", "truncated": False, "dropped_bytes": {"stdout": 0, "stderr": 0}},
    "error": None,
    "duration_ms": 12.4,
    "timing": {"queue_ms": 0.2, "start_ms": 3.1, "call_ms": 9.3, "check_ms": 0.1},
    "progress": None,
    "timeout_s": 30,
    "created_at": "2026-01-15T09:30:00Z",
    "started_at": "2026-01-15T09:30:00.000200Z",
    "finished_at": "2026-01-15T09:30:00.012700Z",
    "by": "ada",
    "factory": "toolshelf 0.1.0",
    "configuration": None,
}

Outcome = Literal["queued", "running", "returned", "raised", "timed_out", "cancelled", "crashed", "refused"]
Verdict = Literal["conforms", "violates", "unchecked"]
Mode = Literal["live", "mock"]


class RunIn(Schema):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"parameters": {"location": "New York"}}})

    parameters: Any = Field(default_factory=dict, repr=False, description="The parameters of the call; {} if left out.")
    configuration: Any = Field(
        None,
        repr=False,
        description="Used to create the tool for this run, and not stored. If it is sent, it must not be null.",
    )
    saved_configuration: str | None = Field(None, max_length=100, description="Or the name of one of your saved ones.")
    mode: Mode = Field("live", description="`mock` does not call the tool: the response comes from the spec.")
    revision: int | None = Field(None, ge=1, description="The revision whose schemas apply; default: the current one.")
    timeout_s: float | None = Field(None, gt=0, le=settings.RUN_TIMEOUT_MAX_S, description="The run's time limit.")
    wait_s: float = Field(DEFAULT_WAIT_S, ge=0, le=MAX_WAIT_S, description="How long to wait here for the run's end.")


class ToolOfRun(Schema):
    id: str
    slug: str
    revision: int


class ProblemOut(Schema):
    pointer: str = Field(
        description=(
            "JSON Pointer into `response`; of a refused run into what was sent: it begins with /parameters or "
            '/configuration there, and "" means the tool itself.'
        )
    )
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = Field(None, description="JSON Pointer into the schema that was broken.")


class LogsOut(Schema):
    stdout: str
    stderr: str
    truncated: bool
    dropped_bytes: dict[str, int]


class TimingOut(Schema):
    queue_ms: float | None
    start_ms: float | None
    call_ms: float | None
    check_ms: float | None


class ProgressOut(Schema):
    done: float
    total: float | None
    message: str


class ConfigurationOfRun(Schema):
    fingerprint: str = Field(description="Equal for equal configurations of one tool; the value itself is not stored.")
    saved_configuration: str | None


class RunSummary(Schema):
    """A run without the members that can be long."""

    id: str
    tool: ToolOfRun
    mode: Mode
    outcome: Outcome
    has_response: bool
    verdict: Verdict | None = Field(
        description="The result of checking the response against `returnType`; null without a response."
    )
    verdict_reason: str | None = Field(description="Why `unchecked`.")
    problems_truncated: bool
    duration_ms: float | None = Field(
        description="The time to create the tool and call it, without the time in the queue."
    )
    timing: TimingOut
    progress: ProgressOut | None
    timeout_s: float
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    by: str | None
    factory: str | None
    configuration: ConfigurationOfRun | None


class RunOut(RunSummary):
    """A run. It includes the response whatever its verdict."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE_RUN})

    parameters: Any
    response: Any = Field(description="null if there is none (see `has_response`), or if the response is null.")
    problems: list[ProblemOut]
    mock: dict[str, Any] | None = Field(description="The source of a mock response; null for a live run.")
    logs: LogsOut
    error: str | None


class RunsOut(Schema):
    items: list[RunSummary]
    next: str | None = Field(description="The cursor of the following page; null on the last.")


class ToolOfFactory(Schema):
    id: str
    slug: str | None = Field(description="null if the catalog has no spec for this id.")


class FactoryOut(Schema):
    key: str
    reference: str
    origin: str
    distribution: str | None
    version: str | None
    state: Literal["ok", "broken"]
    error: str | None
    tool: ToolOfFactory | None
    configurable: bool | None


class FactoriesOut(Schema):
    items: list[FactoryOut]


def _only_a_day(value: object) -> object:
    """Refuse other forms: pydantic also accepts seconds since 1970, which a client that sends "0" does not mean."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("A day is written YYYY-MM-DD.")
    return value


Day = Annotated[date, BeforeValidator(_only_a_day)]


class RunsQuery(Schema):
    tool: str = Field("", max_length=120, description="A tool's slug.")
    outcome: Outcome | None = None
    verdict: Verdict | None = None
    mode: Mode | None = None
    by: str = Field("", max_length=150, description="A user name.")
    since: Day | None = Field(None, description="From this day on (UTC).")
    until: Day | None = Field(None, description="Up to this day, included (UTC).")
    cursor: str = Field("", pattern="^([0-9a-f]{32})?$")
    limit: int = Field(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)


class SecretOut(Schema):
    pointer: str = Field(description="JSON Pointer into the configuration.")
    set_at: datetime


class SavedConfigurationOut(Schema):
    """A saved configuration without its secrets, which are never returned."""

    name: str
    configuration: Any = Field(description="The configuration without its secrets.")
    secrets: list[SecretOut] = Field(description="Which secrets are set, and since when.")
    readable: bool = Field(description="False if its encryption key is no longer available: save it anew.")
    created_at: datetime
    updated_at: datetime


class SavedConfigurationsOut(Schema):
    items: list[SavedConfigurationOut]


class SavedConfigurationIn(Schema):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"name": "work", "configuration": {"temperatureUnit": "C"}}},
    )

    name: str = Field(max_length=100)
    configuration: dict[str, Any] = Field(repr=False)
    remove_secrets: list[str] = Field(
        default_factory=list,
        max_length=100,
        description="JSON Pointers of secrets to remove. Other secrets left out of `configuration` are retained.",
    )
