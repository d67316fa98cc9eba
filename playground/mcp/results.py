"""Make a run the result of an MCP call, with what a model can do about a failure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urljoin

from playground.configurations.compiled_spec import compiled_spec_of
from playground.runs.models import Run, RunFile
from playground.runs.run_json import file_path
from toolspec.errors import Problem
from toolspec.exports.mcp_server import ServedTool
from toolspec.text.containers import items_of
from toolspec.text.reader import JSON, dumps

RUN_KEY: Final = "toolshelf/run"
MAX_PROBLEMS: Final = 20  # in the text
MAX_ERROR_CHARACTERS: Final = 2_000
MAX_TEXT_CHARACTERS: Final = 100_000  # of a response that violates its return type, or is cut
# Of the files in one result; a client gets links to further ones.
MAX_EMBEDDED_BYTES: Final = 4 * 1024 * 1024

Result = dict[str, JSON]


def text_block(text: str) -> JSON:
    return {"type": "text", "text": text}


def error_result(text: str) -> Result:
    """The result of a call that failed before there was a run.

    `text` explains what the model can do.
    """
    return {"content": [text_block(text)], "isError": True}


def value_result(value: JSON, *, any_value: bool) -> Result:
    """The result of a call that returned `value`.

    `any_value`: whether `structuredContent` may be any JSON value, as since 2026-07-28; before,
    only an object.
    """
    result: Result = {"content": [text_block(text_of(value))], "isError": False}
    if any_value or isinstance(value, dict):
        result["structuredContent"] = value
    return result


def text_of(value: JSON) -> str:
    """A string itself, any other value as JSON."""
    return value if isinstance(value, str) else dumps(value)


def run_result(run: Run, *, any_value: bool, url: str, served: ServedTool | None = None) -> Result:
    """The result of a call from its ended run.

    A response that violates its return type is an error, because clients reject a
    `structuredContent` that does not match the `outputSchema`; the text then contains the response.
    So is one that is cut, if the tool has a return type. Images, sounds and other files of the
    response follow as blocks of their own. `any_value`: see `value_result`; `url`: the address of
    the run's page, "" if it is not stored; `served`: the tool as the client knows it, None if it
    knows the spec.
    """
    files = run.file_list()
    if run.outcome == "returned" and run.response_cut:
        has_return_type = compiled_spec_of(run.revision).return_type is not None
        result: Result = {"content": [text_block(_beginning(run))], "isError": has_return_type}
    elif run.outcome == "returned" and run.verdict != "violates":
        response = served.served_response(run.response) if served else run.response
        result = value_result(response, any_value=any_value)
        if isinstance(run.response, str) and any(not file.pointer for file in files):  # in Base64
            result["content"] = []
    else:
        text = failure_text(run)
        notes = served.notes_on(text) if served else []
        result = error_result("\n".join([text, *notes]))
    if files:
        result["content"] = [*items_of(result["content"]), *_file_blocks(files, url)]
    if run.is_mock and run.outcome == "returned":
        result["content"] = [*items_of(result["content"]), text_block(mock_note(run))]
    return {**result, "_meta": {RUN_KEY: run_summary(run, url)}}


def _beginning(run: Run) -> str:
    text = text_of(run.response)[:MAX_TEXT_CHARACTERS]
    return f"The tool responded, but its response is too long. This is only its beginning:\n{text}"


def _file_blocks(files: Iterable[RunFile], url: str) -> Iterator[JSON]:
    room = MAX_EMBEDDED_BYTES
    for file in files:
        address = urljoin(url, file_path(file))
        if file.is_whole_response or file.size > room:
            what = "whole response" if file.is_whole_response else f"file {file.name}"
            yield text_block(
                f"The {what} ({file.media_type}, {file.size:,} bytes) can be downloaded: {address}"
            )
            continue
        room -= file.size
        yield _file_block(file, address)


def _file_block(file: RunFile, address: str) -> JSON:
    content = bytes(file.content)
    kind = file.media_type.partition("/")[0]
    if kind in {"image", "audio"}:
        return {"type": kind, "data": b64encode(content).decode(), "mimeType": file.media_type}
    resource: dict[str, JSON] = {"uri": address, "mimeType": file.media_type}
    if kind == "text" or file.media_type == "application/json":
        with suppress(UnicodeDecodeError):
            resource["text"] = content.decode()
    if "text" not in resource:
        resource["blob"] = b64encode(content).decode()
    return {"type": "resource", "resource": resource}


def run_summary(run: Run, url: str) -> JSON:
    """The facts of a run.

    {"id"?, "url"?, "tool", "revision", "mode", "outcome", "verdict", "problems", "duration_ms",
    "verdict_reason"?, "mock"?}.
    """
    summary: dict[str, JSON] = {}
    if url:
        summary |= {"id": run.id, "url": url}
    summary |= {
        "tool": run.tool.tool_id,
        "revision": run.revision.number,
        "mode": run.mode,
        "outcome": run.outcome,
        "verdict": run.verdict or None,
        "problems": [dict(problem.as_json()) for problem in run.problems],
        "duration_ms": None,
    }
    if run.duration_ms is not None:
        summary["duration_ms"] = round(run.duration_ms)
    if run.verdict_reason:
        summary["verdict_reason"] = run.verdict_reason
    if run.is_mock:
        summary["mock"] = run.mock
    return summary


def mock_note(run: Run) -> str:
    source = run.mock.get("source")
    example = run.mock.get("example")
    origin = {
        "example": f"the response of example {example}, which has the same parameters",
        "nearest": f"the response of example {example}, which is the most similar one",
        "returnType": "a value generated from the return type",
    }.get(
        str(source),
        "only a copy of the parameters, because the spec does not describe the response",
    )
    return f"This is a mock: the tool was not called. The response is {origin}."


def failure_text(run: Run) -> str:
    """Why a run has no conforming response, and how a model can proceed."""
    if run.outcome == "refused":
        return _refusal_text(run)
    if run.verdict == "violates":
        response = text_of(run.response)
        if len(response) > MAX_TEXT_CHARACTERS:
            response = f"{response[:MAX_TEXT_CHARACTERS]}… ({len(response):,} characters)"
        head = "The tool responded, but its response does not match its return type:"
        advice = "Use the response with care. The response was:"
        return f"{head}\n{_write_list(run.problems)}\n{advice}\n{response}"
    return {
        "raised": f"The tool failed: {_sentence(run.error)}",
        "timed_out": f"The tool did not respond within {run.timeout_s:g} s and was stopped.",
        "cancelled": "The call was cancelled before the tool responded.",
        "crashed": f"The tool's process ended before it responded. {_sentence(run.error)}".rstrip(),
    }.get(run.outcome, "The tool has not finished.")


def _refusal_text(run: Run) -> str:
    other_problems = [
        problem for problem in run.problems if not problem.pointer.startswith("/parameters")
    ]
    if other_problems:
        return f"The tool was not called.\n{_write_list(other_problems)}"
    head = "The tool was not called, because the arguments do not fit its parameters:"
    problems = _write_list(run.problems, "/parameters", root_name="arguments")
    return f"{head}\n{problems}\nCorrect the arguments and call it again."


def _write_list(problems: Sequence[Problem], prefix: str = "", *, root_name: str = "") -> str:
    """`problems` as a list; `root_name` names what has the pointer `prefix` itself."""
    lines = []
    for problem in problems[:MAX_PROBLEMS]:
        place = problem.pointer.removeprefix(prefix) or root_name
        lines.append(f"- {place}: {problem.message}" if place else f"- {problem.message}")
    if len(problems) > MAX_PROBLEMS:
        lines.append(f"- and {len(problems) - MAX_PROBLEMS} more")
    return "\n".join(lines)


def _sentence(error: str) -> str:
    """The error without its traceback."""
    return error.partition("\nTraceback (most recent call last)")[0].strip()[:MAX_ERROR_CHARACTERS]
