"""One run of the local runner: its current state, and its end."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from playground.runner.engine.job import MIB, Job, Outcome, Output, Progress, RunEnd, State
from playground.runner.worker.file_frames import file_of
from playground.runner.worker.protocol import (
    ACCEPTED,
    BEGUN,
    CLOCK,
    CUT,
    FILE,
    HTTP_STATUS,
    JOB,
    JOB_READ,
    LAST,
    LIMITS,
    PROGRESS,
    RESPONSE,
    RESULT,
    STATUS,
    STDERR,
    STDOUT,
    FrameBuffer,
    frame,
)
from toolshelf_tools.files import MAX_FILES, ResponseFile
from toolspec.errors import JSONTextError
from toolspec.text.reader import dumps, loads

if TYPE_CHECKING:
    from playground.runner.engine.local_runner import LocalRunner

_MAX_EVENTS: Final = 200
_MAX_DEPTH: Final = 64
_EXIT_NOT_PREPARED: Final = 70
_LIMITS_OF_RESULT: Final = ("response_bytes", "attached_bytes", "error_characters")

EndCallback = Callable[[RunEnd], None]


@dataclass
class _Times:
    """The times of a run's events by the monotonic clock; 0.0 means not yet."""

    submitted: float
    started: float = 0.0
    begun: float = 0.0
    called: float = 0.0


class LocalRun:
    """A submitted run. The runner's thread updates it; any thread may read it."""

    def __init__(self, job: Job, runner: LocalRunner, turn: int = 0) -> None:
        self.job = job
        self.turn = turn
        self.times = _Times(time.monotonic())
        self.cancelled = False
        self.accepted = False  # its supervisor has accepted it, so no other may get it
        self.job_read = False  # its process has read the job
        self.attempts = 0
        self._runner = runner
        self._job_frame = frame(JOB, json.dumps(_for_run(job)).encode())
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[EndCallback] = []
        self._end: RunEnd | None = None
        self._result_frames = FrameBuffer()
        self._response: bytes | None = None
        self._is_cut = False
        self._files: list[ResponseFile] = []
        self._http_status: int | None = None
        self._error: str | None = None
        self._printed = {STDOUT: bytearray(), STDERR: bytearray()}
        self._dropped = (0, 0)
        self._events: deque[Progress] = deque(maxlen=_MAX_EVENTS)

    # For any thread

    @property
    def state(self) -> State:
        if self._ended.is_set():
            return "ended"
        return "running" if self.times.started else "queued"

    @property
    def events(self) -> tuple[Progress, ...]:
        """The latest reports of progress, oldest first."""
        return tuple(self._events)

    def wait(self, timeout_s: float | None = None) -> RunEnd | None:
        """Wait for the run to end; None if `timeout_s` passes first."""
        return self._read_end() if self._ended.wait(timeout_s) else None

    def cancel(self) -> None:
        """Remove the run from the queue, or kill all its processes.

        No effect on a run that has ended.
        """
        self.cancelled = True
        if self._runner.queue.remove(self):
            self.conclude("cancelled", "The run was cancelled while it was waiting.")
        else:
            self._runner.kill(self)

    def position(self) -> int:
        """The run's position in the queue, from 1; 0 if it is no longer waiting."""
        return self._runner.queue.position_of(self)

    def output(self) -> Output:
        """The output so far."""
        stdout, stderr = (_text(self._printed[kind]) for kind in (STDOUT, STDERR))
        return Output(stdout, stderr, *self._dropped)

    def when_done(self, callback: EndCallback) -> None:
        """Call `callback` once the run has ended, in a thread of the runner."""
        with self._lock:
            if not self._ended.is_set():
                self._callbacks.append(callback)
                return
        self._report(callback)

    # For the runner's thread

    @property
    def deadline(self) -> float:
        """The monotonic time by which the run must have ended. Requires that it has started."""
        return self.times.started + self.job.limits.timeout_s

    def request(self) -> bytes:
        """The frames that start the run in a run supervisor."""
        return (
            frame(LIMITS, json.dumps(_for_supervisor(self.job, self.deadline)).encode())
            + self._job_frame
        )

    def receive(self, kind: bytes, content: bytes) -> None:
        """Process a frame from the run supervisor."""
        if kind in self._printed:
            self._printed[kind] += content
        elif kind == ACCEPTED:
            self.accepted = True
        elif kind == RESULT:
            for inner_kind, inner_content in self._result_frames.feed(content):
                self._receive_result(inner_kind, inner_content)

    def _receive_result(self, kind: bytes, content: bytes) -> None:
        """Process a frame of the run itself.

        Do not trust it: the tool could have written to that pipe.
        """
        if kind == JOB_READ:
            self.job_read = True
        elif kind == BEGUN and len(content) == CLOCK.size:
            self.times.begun = self._within(self.times.started, content)
        elif kind == PROGRESS:
            self._note_progress(content)
        elif kind == STATUS and len(content) == HTTP_STATUS.size:
            (self._http_status,) = HTTP_STATUS.unpack(content)
        elif kind == FILE and len(self._files) <= MAX_FILES:  # and one with the whole response
            with suppress(ValueError):  # not from `child`, but from the tool itself
                self._files.append(file_of(content))
        elif kind in LAST:
            if len(content) >= CLOCK.size:
                self.times.called = self._within(self.times.begun, content[: CLOCK.size])
            self._note_answer(kind, content[CLOCK.size :])

    def _note_answer(self, kind: bytes, content: bytes) -> None:
        if kind in {RESPONSE, CUT}:
            self._response, self._is_cut = content, kind == CUT
        else:
            self._error = content.decode(errors="replace").replace("\0", "\ufffd")

    def _within(self, earliest: float, clock: bytes) -> float:
        """The time in `clock`, but not earlier than `earliest` and not later than now."""
        now, (at,) = time.monotonic(), CLOCK.unpack(clock)
        if at < earliest:
            return earliest
        return float(at) if at <= now else now  # also if it is not a number

    def _note_progress(self, content: bytes) -> None:
        try:
            done, total, message = json.loads(content)
            if total is not None:
                total = float(total)
            self._events.append(Progress(float(done), total, str(message)[:200]))
        except (ValueError, TypeError):
            pass  # not from `progress()`, but from the tool itself

    def finish(self, ended: Mapping[str, Any]) -> None:
        """End the run, given its supervisor's report in END."""
        self._dropped = tuple(ended["dropped"])
        self.conclude(*self._outcome(ended))

    def conclude(self, outcome: Outcome, error: str | None = None) -> None:
        """End the run with this outcome. Only the first call counts."""
        with self._lock:
            if self._ended.is_set():
                return
            self._end = self._make_end(outcome, error)
            self._ended.set()
            self._job_frame = b""  # it may contain secrets
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._report(callback)

    def _report(self, callback: EndCallback) -> None:
        self._runner.report(lambda: callback(self._read_end()))

    def _outcome(self, ended: Mapping[str, Any]) -> tuple[Outcome, str | None]:
        why, limit = ended["why"], self.job.limits.timeout_s
        if why == "answered":
            return ("returned", None) if self._response is not None else ("raised", self._error)
        if why == "deadline" or (why == "killed" and not self.cancelled):
            text = f"The tool did not finish within {limit:g} s. "
            return "timed_out", text + "It was stopped, with its child processes."
        if why == "killed":
            text = "The run was cancelled. The tool was stopped, with its child processes."
            return "cancelled", text
        if why == "memory":
            allowed = self.job.limits.memory_bytes // MIB
            text = f"The tool and its child processes used more memory than the {allowed:,} MiB"
            return "crashed", text + " that a run may use."
        if why == "garbled":
            return "crashed", "The tool wrote to the pipe that is reserved for its result."
        return "crashed", _how_it_ended(ended["status"])

    def _make_end(self, outcome: Outcome, error: str | None) -> RunEnd:
        times = self.times
        now = time.monotonic()
        started, begun = times.started or now, times.begun
        return RunEnd(
            outcome=outcome,
            error=None if error is None else error[: self.job.limits.error_characters],
            queue_ms=(started - times.submitted) * 1000,
            start_ms=((begun or now) - started) * 1000 if times.started else 0.0,
            call_ms=((times.called or now) - begun) * 1000 if begun else None,
            progress=self._events[-1] if self._events else None,
            **asdict(self.output()),
        )

    def _read_end(self) -> RunEnd:
        """The end of the run, with the response parsed.

        Parsing may take a while, so the calling thread does it.
        """
        with self._lock:
            assert self._end is not None  # noqa: S101  only called once the run has ended
            if self._end.outcome == "returned" and not self._end.has_response:
                end = replace(
                    self._end,
                    is_cut=self._is_cut,
                    files=tuple(self._files),
                    http_status=self._http_status,
                )
                self._end = _with_response(
                    end, self._response or b"", self.job.limits.response_bytes
                )
            return self._end


def _with_response(end: RunEnd, response: bytes, max_bytes: int) -> RunEnd:
    if end.is_cut:
        return replace(end, response=response.decode(errors="replace"), has_response=True)
    try:
        value = loads(response, max_bytes=max_bytes, max_depth=_MAX_DEPTH)
    except JSONTextError as error:
        return replace(end, outcome="raised", error=f"The response is not valid JSON: {error}")
    return replace(end, response=value, has_response=True)


def _text(printed: bytearray) -> str:
    return bytes(printed).decode(errors="replace").replace("\0", "\ufffd")


def _how_it_ended(status: int) -> str:
    """A wait status as a sentence."""
    code = os.waitstatus_to_exitcode(status)
    if code == _EXIT_NOT_PREPARED:
        return "The run could not be prepared; see stderr."
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"The tool's process was ended by {name} before it returned a response."
    return f"The tool's process ended with exit code {code} before it returned a response."


def _for_supervisor(job: Job, deadline: float) -> dict[str, Any]:
    """The content of LIMITS for the run supervisor, which must not contain secrets."""
    limits = job.limits
    content = {name: getattr(limits, name) for name in _LIMITS_OF_RESULT}
    bounds = {
        "memory_bytes": limits.memory_bytes,
        "file_bytes": limits.file_bytes,
        "open_files": limits.open_files,
        "processes": limits.processes,
        "address_space_bytes": limits.address_space_bytes or limits.memory_bytes,
        "cpu_s": int(limits.timeout_s) * 4 + 2,
    }
    return content | {
        "scratch_bytes": limits.scratch_bytes,
        "output_bytes": limits.output_bytes,
        "grace_s": limits.grace_s,
        "deadline": deadline,
        "bounds": bounds,
    }


def _for_run(job: Job) -> dict[str, Any]:
    """The content of JOB, which only the run's own process reads."""
    return {
        "reference": job.reference,
        "parameters": dumps(job.parameters),
        "configuration": dumps(job.configuration) if job.configuration is not None else None,
        **{name: getattr(job.limits, name) for name in (*_LIMITS_OF_RESULT, "memory_bytes")},
    }
