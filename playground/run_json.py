"""A run as JSON text: the same for the API, the command and the download. Numbers remain as they were written."""

from __future__ import annotations

from datetime import datetime

from catalog.jsontext.reader import JSON, Number, dumps
from playground.models import Run, RunFile


def run_text(run: Run) -> str:
    """`run` in full, as `RunOut` in playground/api/schemas/runs.py describes it.

    Stored JSON text is inserted unchanged, so that a long response is neither parsed nor encoded again.
    """
    files = run.file_list()
    members = {name: dumps(value) for name, value in summary(run).items()}
    members |= {
        "parameters": run.parameters_json,
        "response": "null" if run.response_json is None else run.response_json,
        "problems": run.problems_json,
        "response_cut": dumps(run.response_cut),
        "files": dumps([file_summary(file) for file in files]),
        "response_file": dumps(file_path(files[0]) if files else None),
        "mock": run.mock_json or "null",
        "logs": dumps(logs(run)),
        "error": dumps(run.error or None),
    }
    return "{" + ", ".join(f"{dumps(name)}: {members[name]}" for name in ORDER) + "}"


ORDER = (
    "id", "tool", "mode", "outcome", "parameters", "response", "has_response", "verdict", "verdict_reason", "problems",
    "problems_truncated", "response_cut", "files", "response_file", "mock", "logs", "error", "duration_ms", "timing",
    "progress", "timeout_s", "created_at", "started_at", "finished_at", "by", "factory", "interface", "configuration",
)  # fmt: skip


def summary(run: Run) -> dict[str, JSON]:
    """`run` without the members that can be long."""
    return {
        "id": run.id,
        "tool": {"id": run.tool.tool_id, "slug": run.tool.slug, "revision": run.revision.number},
        "mode": run.mode,
        "outcome": run.outcome,
        "has_response": bool(run.verdict),
        "verdict": run.verdict or None,
        "verdict_reason": run.verdict_reason or None,
        "problems_truncated": run.problems_truncated,
        "duration_ms": milliseconds(run.duration_ms),
        "timing": {
            "queue_ms": milliseconds(run.queue_ms),
            "start_ms": milliseconds(run.start_ms),
            "call_ms": milliseconds(run.call_ms),
            "check_ms": milliseconds(run.check_ms),
        },
        "progress": progress(run),
        "timeout_s": plain_number(run.timeout_s),
        "created_at": moment(run.created_at),
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
        "by": run.by.get_username() if run.by else None,
        "factory": run.factory or None,
        "interface": run.interface or None,
        "configuration": configuration(run),
    }


def file_summary(file: RunFile) -> JSON:
    """{"number", "name", "media_type", "size", "sha256", "pointer", "is_whole_response", "url"}."""
    return {
        "number": file.number,
        "name": file.name,
        "media_type": file.media_type,
        "size": file.size,
        "sha256": file.sha256,
        "pointer": file.pointer,
        "is_whole_response": file.is_whole_response,
        "url": file_path(file),
    }


def file_path(file: RunFile) -> str:
    """The path of the API's operation that returns `file`."""
    path = f"/api/v1/runs/{file.run_id}/file"
    return path if file.number == 1 else f"{path}?number={file.number}"


def logs(run: Run) -> JSON:
    return {
        "stdout": run.stdout,
        "stderr": run.stderr,
        "truncated": bool(run.stdout_dropped or run.stderr_dropped),
        "dropped_bytes": {"stdout": run.stdout_dropped, "stderr": run.stderr_dropped},
    }


def progress(run: Run) -> JSON:
    if run.progress_done is None:
        return None
    total = None if run.progress_total is None else plain_number(run.progress_total)
    return {
        "done": plain_number(run.progress_done),
        "total": total,
        "message": run.progress_message,
    }


def configuration(run: Run) -> JSON:
    if not run.configuration_fingerprint:
        return None
    return {
        "fingerprint": run.configuration_fingerprint,
        "saved_configuration": run.configuration_name or None,
    }


def milliseconds(value: float | None) -> JSON:
    return None if value is None else plain_number(round(value, 2))


def plain_number(value: float) -> JSON:
    """A measured number as JSON; a whole number without a fraction."""
    return int(value) if value == int(value) else Number(repr(value))


def moment(at: datetime | None) -> JSON:
    return at.isoformat().replace("+00:00", "Z") if at else None
