"""A run as JSON: the same for the API, the command and the download.

Numbers remain as they were written.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer

from playground.runs.models import Run, RunFile
from toolshelf_core.api.renderer import text_of
from toolshelf_core.api.schemas import EmptyIsNone, Out, UserName, with_example

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


TextOrNone = Annotated[str | None, EmptyIsNone]


def plain_number(value: float) -> int | float:
    """A measured number as JSON; a whole number without a fraction."""
    return int(value) if value == int(value) else value


def _milliseconds(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


PlainNumber = Annotated[float, PlainSerializer(plain_number, return_type=float)]
Milliseconds = Annotated[PlainNumber | None, BeforeValidator(_milliseconds)]


class ToolOfRun(Out):
    id: str
    slug: str
    revision: int


class ProblemOut(Out):
    pointer: str = Field(
        description=(
            "JSON Pointer into `response`. For a refused run, JSON Pointer into the request: it "
            'starts with /parameters or /configuration, or is "" if the tool itself is the '
            "problem."
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
    queue_ms: Milliseconds
    start_ms: Milliseconds
    call_ms: Milliseconds
    check_ms: Milliseconds


class ProgressOut(Out):
    done: PlainNumber = Field(validation_alias="progress_done")
    total: PlainNumber | None = Field(validation_alias="progress_total")
    message: str = Field(validation_alias="progress_message")


class ConfigurationOfRun(Out):
    fingerprint: str = Field(
        validation_alias="configuration_fingerprint",
        description=(
            "The same for equal configurations of one tool; the value itself is not stored."
        ),
    )
    saved_configuration: TextOrNone = Field(validation_alias="configuration_name")


class RunSummary(Out):
    """A run without its long members."""

    id: str
    tool: ToolOfRun
    mode: Mode
    outcome: Outcome
    has_response: bool
    verdict: Annotated[Verdict | None, EmptyIsNone] = Field(
        description=(
            "The result of checking the response against `returnType`; null without a response."
        )
    )
    verdict_reason: TextOrNone = Field(description="Why the verdict is `unchecked`.")
    problems_truncated: bool
    duration_ms: Milliseconds = Field(
        description=(
            "The time of the call itself, as in `timing.call_ms`; null if the tool was not "
            "called. `timing` also has the times in the queue, for preparing the process and "
            "creating the tool, and for checking the response."
        )
    )
    timing: TimingOut
    progress: ProgressOut | None
    timeout_s: PlainNumber
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    by: UserName
    factory: TextOrNone
    interface: Annotated[Interface | None, EmptyIsNone] = Field(
        description=(
            "What it was started with: the site's page, this API, a command, a check of examples, "
            "or MCP."
        )
    )
    configuration: ConfigurationOfRun | None

    @classmethod
    def of_run(cls, run: Run, **more: object) -> Self:
        """`more`: the members of `RunOut` that are not among its attributes."""
        tool = ToolOfRun(id=run.tool.tool_id, slug=run.tool.slug, revision=run.revision.number)
        has_progress = run.progress_done is not None
        has_configuration = bool(run.configuration_fingerprint)
        return cls.of(
            run,
            tool=tool,
            has_response=bool(run.verdict),
            timing=TimingOut.of(run),
            progress=ProgressOut.of(run) if has_progress else None,
            configuration=ConfigurationOfRun.of(run) if has_configuration else None,
            **more,
        )


class FileOfRun(Out):
    """A file of a run's response."""

    number: int = Field(description="Counts the run's files, from 1.")
    name: str
    media_type: str
    size: int = Field(description="In bytes.")
    sha256: str = Field(description="The SHA-256 of the content, in hexadecimal.")
    pointer: str = Field(description="JSON Pointer to its value in `response`.")
    is_whole_response: bool = Field(
        description=(
            "Whether it is the whole response as JSON, of which `response` has only the beginning."
        )
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
            "Whether the response is longer than the site's limit. Then `response` is a string, "
            "the beginning of the response's JSON text; the whole response may be one of `files`."
        )
    )
    files: list[FileOfRun] = Field(
        description=(
            "The files of the response. In `response`, each file is an object that describes it, "
            "or its content in Base64 where `returnType` declares a string with this "
            "`contentEncoding`."
        )
    )
    response_file: str | None = Field(
        description="The path of the first file's content; null without files."
    )
    mock: dict[str, Any] | None = Field(
        description="The source of a mock response; null for a live run."
    )
    logs: LogsOut
    error: TextOrNone


def run_text(run: Run) -> str:
    """`run` in full, as JSON text.

    Stored JSON text is inserted unchanged, so that a long response is neither parsed nor encoded
    again.
    """
    files = [FileOfRun.of(file, url=file_path(file)) for file in run.file_list()]
    logs = LogsOut(
        stdout=run.stdout,
        stderr=run.stderr,
        truncated=bool(run.stdout_dropped or run.stderr_dropped),
        dropped_bytes={"stdout": run.stdout_dropped, "stderr": run.stderr_dropped},
    )
    run_out = RunOut.of_run(
        run,
        parameters=None,
        response=None,
        problems=[],
        mock=None,
        files=files,
        response_file=files[0].url if files else None,
        logs=logs,
    )
    return dump_with_texts(
        run_out,
        parameters=run.parameters_json,
        response="null" if run.response_json is None else run.response_json,
        problems=run.problems_json,
        mock=run.mock_json or "null",
    )


def dump_with_texts(out: Out, **stored_texts: str) -> str:
    """Dump `out` as JSON text; the members in `stored_texts` are JSON text already."""
    members = out.model_dump(exclude=set(stored_texts))
    texts = {name: text_of(value) for name, value in members.items()} | stored_texts
    return "{" + ", ".join(f'"{name}": {text}' for name, text in texts.items()) + "}"


def file_path(file: RunFile) -> str:
    """The path of the API's operation that returns `file`."""
    path = f"/api/v1/runs/{file.run_id}/file"
    return path if file.number == 1 else f"{path}?number={file.number}"
