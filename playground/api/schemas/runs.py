"""The schemas of runs and saved configurations, with an example of a run.

The schemas of runs only document their responses: `playground.run_json` writes these as text, with exact numbers.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.conf import settings
from ninja import Schema
from pydantic import BeforeValidator, Field

from catalog.api.schemas.base import In, Out, with_example
from playground.run_pages.filters import MAX_PAGE_SIZE, PAGE_SIZE

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
            "message": 'must be "C" or "F"',
            "rule": "schema.enum",
            "keyword": "enum",
            "schema_pointer": "/properties/temperatureUnit/enum",
        }
    ],
    "problems_truncated": False,
    "response_cut": False,
    "files": [],
    "response_file": None,
    "mock": None,
    "logs": {
        "stdout": "",
        "stderr": "",
        "truncated": False,
        "dropped_bytes": {"stdout": 0, "stderr": 0},
    },
    "error": None,
    "duration_ms": 9.3,
    "timing": {"queue_ms": 0.2, "start_ms": 3.1, "call_ms": 9.3, "check_ms": 0.1},
    "progress": None,
    "timeout_s": 30,
    "created_at": "2026-01-15T09:30:00Z",
    "started_at": "2026-01-15T09:30:00.000200Z",
    "finished_at": "2026-01-15T09:30:00.012700Z",
    "by": "ada",
    "factory": "toolshelf 0.1.0",
    "interface": "api",
    "configuration": None,
}

Outcome = Literal[
    "queued", "running", "returned", "raised", "timed_out", "cancelled", "crashed", "refused"
]
Verdict = Literal["conforms", "violates", "unchecked"]
Mode = Literal["live", "mock"]
Interface = Literal["page", "api", "command", "check", "mcp"]


class ConfigurationIn(In):
    """The configuration of a call, or the name of a saved one."""

    configuration: Any = Field(
        None,
        repr=False,
        description="Used to create the tool for this run, and not stored. If it is sent, it must not be null.",
    )
    saved_configuration: str | None = Field(
        None,
        max_length=255,
        description=(
            "The name of one of your saved configurations, or OWNER/NAME of a shared one, instead of `configuration`."
        ),
    )


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


class ToolOfRun(Out):
    id: str
    slug: str
    revision: int


class ProblemOut(Out):
    pointer: str = Field(
        description=(
            "JSON Pointer into `response`. For a refused run, JSON Pointer into the request: it starts with "
            '/parameters or /configuration, or is "" if the tool itself is the problem.'
        )
    )
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = Field(
        None, description="JSON Pointer to the violated keyword in the schema."
    )


class LogsOut(Out):
    stdout: str
    stderr: str
    truncated: bool
    dropped_bytes: dict[str, int]


class TimingOut(Out):
    queue_ms: float | None
    start_ms: float | None
    call_ms: float | None
    check_ms: float | None


class ProgressOut(Out):
    done: float
    total: float | None
    message: str


class ConfigurationOfRun(Out):
    fingerprint: str = Field(
        description="The same for equal configurations of one tool; the value itself is not stored."
    )
    saved_configuration: str | None


class RunSummary(Out):
    """A run without its long members."""

    id: str
    tool: ToolOfRun
    mode: Mode
    outcome: Outcome
    has_response: bool
    verdict: Verdict | None = Field(
        description="The result of checking the response against `returnType`; null without a response."
    )
    verdict_reason: str | None = Field(description="Why the verdict is `unchecked`.")
    problems_truncated: bool
    duration_ms: float | None = Field(
        description=(
            "The time of the call itself, as in `timing.call_ms`; null if the tool was not called. `timing` also has "
            "the times in the queue, for preparing the process and creating the tool, and for checking the response."
        )
    )
    timing: TimingOut
    progress: ProgressOut | None
    timeout_s: float
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    by: str | None
    factory: str | None
    interface: Interface | None = Field(
        description="What it was started with: the site's page, this API, a command, a check of examples, or MCP."
    )
    configuration: ConfigurationOfRun | None


class FileOfRun(Out):
    """A file of a run's response."""

    number: int = Field(description="Counts the run's files, from 1.")
    name: str
    media_type: str
    size: int = Field(description="In bytes.")
    sha256: str = Field(description="The SHA-256 of the content, in hexadecimal.")
    pointer: str = Field(description="JSON Pointer to its value in `response`.")
    is_whole_response: bool = Field(
        description="Whether it is the whole response as JSON, of which `response` has only the beginning."
    )
    url: str = Field(description="The path of its content on this site.")


class RunOut(RunSummary):
    """A run. It includes the response whatever its verdict."""

    model_config = with_example(EXAMPLE_RUN)

    parameters: Any
    response: Any = Field(
        description="null if there is none (see `has_response`), or if the response is null."
    )
    problems: list[ProblemOut]
    response_cut: bool = Field(
        description=(
            "Whether the response is longer than the site's limit. Then `response` is a string, the beginning of the "
            "response's JSON text; the whole response may be one of `files`."
        )
    )
    files: list[FileOfRun] = Field(
        description=(
            "The files of the response. In `response`, each file is an object that describes it, or its content in "
            "Base64 where `returnType` declares a string with this `contentEncoding`."
        )
    )
    response_file: str | None = Field(
        description="The path of the first file's content; null without files."
    )
    mock: dict[str, Any] | None = Field(
        description="The source of a mock response; null for a live run."
    )
    logs: LogsOut
    error: str | None


class RunsOut(Out):
    items: list[RunSummary]
    next: str | None = Field(description="The cursor of the next page; null on the last.")


def _only_a_day(value: object) -> object:
    """Accept only YYYY-MM-DD: pydantic also accepts seconds since 1970, which a client that sends "0" does not mean."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("Write a day as YYYY-MM-DD.")
    return value


Day = Annotated[date, BeforeValidator(_only_a_day)]


class RunsQuery(Schema):
    tool: str = Field("", max_length=120, description="A tool's slug.")
    outcome: Outcome | None = None
    verdict: Verdict | None = None
    mode: Mode | None = None
    by: str = Field("", max_length=150, description="A user name.")
    since: Day | None = Field(None, description="Runs created on this day (UTC) or later.")
    until: Day | None = Field(None, description="Runs created on this day (UTC) or earlier.")
    cursor: str = Field("", pattern="^([0-9a-f]{32})?$")
    limit: int = Field(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)


Visibility = Literal["private", "everyone"]


class FileQuery(Schema):
    number: int = Field(1, ge=1, le=1000, description="The number of the file, from 1.")


class SecretOut(Out):
    pointer: str = Field(description="JSON Pointer into the configuration.")
    set_at: datetime


class SavedConfigurationOut(Out):
    """A saved configuration without its secrets, which are never returned."""

    name: str
    configuration: Any = Field(
        validation_alias="value", description="The configuration without its secrets."
    )
    secrets: list[SecretOut] = Field(description="The secrets that are set, and since when.")
    readable: bool = Field(
        validation_alias="is_readable",
        description="False if its encryption key is no longer available; save the configuration again.",
    )
    visibility: Visibility = Field(
        description="Who may use it: only you, or everyone who may run the tool."
    )
    created_at: datetime
    updated_at: datetime


class SharedConfigurationOut(Out):
    """A configuration that its owner shares: everyone who may run the tool can use it, and nobody sees its contents."""

    reference: str = Field(description="What to send as `saved_configuration`: OWNER/NAME.")
    name: str
    shared_by: str
    updated_at: datetime


class SavedConfigurationsOut(Out):
    items: list[SavedConfigurationOut]
    shared: list[SharedConfigurationOut] = Field(
        description="The configurations that others share."
    )


class VisibilityIn(In):
    visibility: Visibility
    owner: str | None = Field(
        None,
        max_length=150,
        description="Whose configuration, for administrators. Default: your own.",
    )


class VisibilityOut(Out):
    name: str
    owner: str
    visibility: Visibility


class SavedConfigurationIn(In):
    name: str = Field(max_length=100)
    configuration: dict[str, Any] = Field(repr=False)
    remove_secrets: list[str] = Field(
        default_factory=list,
        max_length=100,
        description="JSON Pointers of secrets to remove. Other secrets left out of `configuration` are retained.",
    )


class ShareIn(In):
    groups: list[str] = Field(
        max_length=50, description="Names of groups that you belong to; [] makes it private."
    )


class SharedOut(Out):
    groups: list[str]
