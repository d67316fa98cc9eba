"""How a run ends: its response is checked first, then redacted, then stored.

So the verdict is about what the tool really returned.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from playground.configurations.compiled_spec import NO_RETURN_TYPE, CompiledSpec, compiled_spec_of
from playground.runner.engine import RunEnd
from playground.runs.models import Run
from playground.runs.response_files import stored_files, with_files
from playground.runs.supervisor import ActiveRun, storable
from toolshelf_core.redaction import Redactor
from toolspec.errors import Problem
from toolspec.schema.validation import Budget
from toolspec.text import reader
from toolspec.text.reader import JSON

__all__ = [
    "ERROR_CHARACTERS",
    "NO_RETURN_TYPE",
    "conclude",
    "problems_text",
    "redacted",
    "take_response",
]

TOO_LONG = (
    "The response takes more than {max_bytes:,} bytes as JSON, so only its beginning is stored."
)
WHOLE_IS_A_FILE = " The whole response is a file of the run."
ERROR_CHARACTERS = 4000


def conclude(active: ActiveRun, end: RunEnd) -> Run:
    """The ended run, ready to be stored: its response is checked, and everything in it is redacted."""
    run, redactor = copy(active.run), active.redactor
    run.outcome = end.outcome
    if end.has_response:
        compiled_spec = compiled_spec_of(run.revision)
        response, files = with_files(compiled_spec.return_type, end, redactor)
        if end.is_cut:
            max_bytes = active.handle.job.limits.response_bytes
            has_whole = any(file.is_whole for file in files)
            _take_beginning(run, str(response), redactor, max_bytes, has_whole=has_whole)
        else:
            take_response(run, compiled_spec, response, redactor, http_status=end.http_status)
            text = run.response_json or ""
            if (
                files and len(text) > settings.RUN_RESPONSE_BYTES
            ):  # with a file in Base64, which was checked
                run.response_json, run.response_cut = (
                    reader.dumps(text[: settings.RUN_RESPONSE_BYTES]),
                    True,
                )
        run.new_files = stored_files(run, files, redactor)
        run.file_count = len(run.new_files)
    run.error = _stored_output(end.error or "", len(end.error or "") >= ERROR_CHARACTERS, redactor)
    run.stdout, run.stdout_dropped = (
        _stored_output(end.stdout, end.stdout_dropped, redactor),
        end.stdout_dropped,
    )
    run.stderr, run.stderr_dropped = (
        _stored_output(end.stderr, end.stderr_dropped, redactor),
        end.stderr_dropped,
    )
    if end.progress:
        run.progress_done, run.progress_total = end.progress.done, end.progress.total
        run.progress_message = storable(redactor.text(end.progress.message))[:200]
    run.queue_ms, run.start_ms, run.call_ms = (
        active.waited_ms + end.queue_ms,
        end.start_ms,
        end.call_ms,
    )
    run.finished_at = timezone.now()
    run.started_at = run.created_at + timedelta(milliseconds=run.queue_ms)
    return run


def take_response(
    run: Run,
    compiled_spec: CompiledSpec,
    response: JSON,
    redactor: Redactor,
    budget: Budget | None = None,
    *,
    http_status: int | None = None,
) -> None:
    """Store the response in `run`, redacted, with the verdict on it."""
    began = time.perf_counter()
    result = compiled_spec.check_response(response, http_status, budget)
    run.check_ms = (time.perf_counter() - began) * 1000
    run.verdict = result.verdict
    run.verdict_reason = redactor.message(result.reason or "")
    run.problems_json = problems_text(redacted(result.problems, redactor))
    run.problems_truncated = result.truncated
    run.response_json = reader.dumps(redactor.value(response))


def _take_beginning(
    run: Run, beginning: str, redactor: Redactor, max_bytes: int, *, has_whole: bool
) -> None:
    run.response_cut = True
    run.response_json = reader.dumps(storable(redactor.cut_text(beginning)))
    run.verdict = "unchecked"
    run.verdict_reason = TOO_LONG.format(max_bytes=max_bytes)
    if has_whole:
        run.verdict_reason += WHOLE_IS_A_FILE


def _stored_output(text: str, dropped: int | bool, redactor: Redactor) -> str:
    return storable(redactor.cut_text(text) if dropped else redactor.text(text))


def redacted(problems: Iterable[Problem], redactor: Redactor) -> list[Problem]:
    if not redactor:
        return list(problems)
    return [
        replace(
            problem,
            pointer=redactor.text(problem.pointer),
            message=redactor.message(problem.message),
        )
        for problem in problems
    ]


def problems_text(problems: Iterable[Problem]) -> str:
    return reader.dumps([dict(problem.as_json()) for problem in problems])
