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

from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of
from playground.runner.engine import RunEnd
from playground.runs.models import Run
from playground.runs.response_files import make_rows, place_files
from playground.runs.supervisor import ActiveRun, storable
from toolshelf_core.redaction import Redactor
from toolspec.errors import Problem
from toolspec.schema.validation import Budget
from toolspec.text import reader
from toolspec.text.reader import JSON

TOO_LONG = (
    "The response takes more than {max_bytes:,} bytes as JSON, so only its beginning is stored."
)
WHOLE_IS_A_FILE = " The whole response is a file of the run."
ERROR_CHARACTERS = 4000


def conclude(active: ActiveRun, end: RunEnd) -> Run:
    """The ended run, ready to be stored.

    Its response is checked, and everything in it is redacted.
    """
    run, redactor = copy(active.run), active.redactor
    run.outcome = end.outcome
    if end.has_response:
        compiled_spec = compiled_spec_of(run.revision)
        response, files = place_files(compiled_spec.return_type, end, redactor)
        if end.is_cut:
            max_bytes = active.handle.job.limits.response_bytes
            has_whole = any(file.is_whole for file in files)
            _take_beginning(run, str(response), redactor, max_bytes, has_whole=has_whole)
        else:
            take_response(run, compiled_spec, response, redactor, http_status=end.http_status)
            text = run.response_json or ""
            # Longer only with a file in Base64, which was checked.
            if files and len(text) > settings.RUN_RESPONSE_BYTES:
                run.response_json = reader.dumps(text[: settings.RUN_RESPONSE_BYTES])
                run.response_cut = True
        run.new_files = make_rows(run, files, redactor)
        run.file_count = len(run.new_files)
    error = end.error or ""
    run.error = _redact_output(error, redactor, is_cut=len(error) >= ERROR_CHARACTERS)
    run.stdout = _redact_output(end.stdout, redactor, is_cut=end.stdout_dropped > 0)
    run.stdout_dropped = end.stdout_dropped
    run.stderr = _redact_output(end.stderr, redactor, is_cut=end.stderr_dropped > 0)
    run.stderr_dropped = end.stderr_dropped
    if end.progress:
        run.progress_done, run.progress_total = end.progress.done, end.progress.total
        run.progress_message = storable(redactor.text(end.progress.message))[:200]
    run.queue_ms = active.waited_ms + end.queue_ms
    run.start_ms, run.call_ms = end.start_ms, end.call_ms
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
    run.problems_json = dump_problems(redact_problems(result.problems, redactor))
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


def _redact_output(text: str, redactor: Redactor, *, is_cut: bool) -> str:
    return storable(redactor.cut_text(text) if is_cut else redactor.text(text))


def redact_problems(problems: Iterable[Problem], redactor: Redactor) -> list[Problem]:
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


def dump_problems(problems: Iterable[Problem]) -> str:
    return reader.dumps([dict(problem.as_json()) for problem in problems])
