"""The run's own process: read the job, create the tool, call it, send its response.

Every function used after the call is bound here before the tool's code runs, so that a tool that
replaces functions of the standard library can spoil only its own run.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import toolshelf_tools as tool_api
from playground.runner.worker.file_frames import file_frame
from playground.runner.worker.protocol import (
    BEGUN,
    CLOCK,
    CUT,
    ERROR,
    FILE,
    HEADER,
    HTTP_STATUS,
    JOB,
    JOB_READ,
    MAX_PROGRESS_BYTES,
    PROGRESS,
    RESPONSE,
    STATUS,
    frame,
)
from playground.runner.worker.syscalls import flush_c_output
from playground.runner.worker.tracebacks import clean, describe
from toolshelf_tools.calls import Caller
from toolshelf_tools.factories import load_factory
from toolshelf_tools.files import (
    JSON_TYPE,
    MAX_FILES,
    BadFileError,
    ResponseFile,
    as_file,
    read_file,
)
from toolshelf_tools.json_encoder import NotJSONError, TooLargeError, encode
from toolshelf_tools.type_conversion import (
    MisfitError,
    make_plain,
    read_value,
    request_type,
    response_type,
)

_REPORTS_EVERY_S: Final = 0.1
_MAX_MESSAGE: Final = 200
_NOT_SENT: Final = 3
_SIGNALS: Final = tuple(map(int, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)))
# Without the enum conversion of `signal.signal`, which takes longer than everything else before a
# run begins.
_set_handler: Final[Callable[[int, int], object]] = getattr(
    signal.signal, "__wrapped__", signal.signal
)


class BadToolError(TypeError):
    """The factory created something that is not a tool."""


@dataclass
class Reporter:
    """The run's end of the pipe to its run supervisor.

    Attributes:
        called_at: monotonic time when the call ended, 0.0 before that.
    """

    descriptor: int
    called_at: float = 0.0
    _sent_at: float = 0.0
    _pending: bytes = b""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, kind: bytes, content: bytes = b"") -> None:
        """Write one complete frame."""
        data = memoryview(frame(kind, content))
        with self._lock:  # a thread of the tool may report progress meanwhile
            while data:
                data = data[_write(self.descriptor, data) :]

    def progress(self, done: float, total: float | None, message: str) -> None:
        """Send a progress report, at most a few per second; the latest report is never lost."""
        try:
            text = clean(str(message), max_characters=_MAX_MESSAGE)
            report = _dumps([_finite(done), None if total is None else _finite(total), text])
        except (TypeError, ValueError):  # a malformed report is ignored
            return
        self._pending = report.encode()
        if _now() - self._sent_at >= _REPORTS_EVERY_S:
            self.flush()

    def flush(self) -> None:
        if self._pending and len(self._pending) <= MAX_PROGRESS_BYTES:
            self.send(PROGRESS, self._pending)
            self._sent_at = _now()
        self._pending = b""


_now: Final = time.monotonic
_exit: Final = os._exit
_write: Final = os.write
_dumps: Final = json.dumps


def run(factory: Any, server: int, result: int) -> NoReturn:
    """Read the job from `server`, do it, and exit.

    Args:
        factory: the imported factory; None to import it now.
        server: the socket with the job; closed before the tool's code runs.
        result: the pipe to the run supervisor.
    """
    reporter = Reporter(result)
    try:
        job = _read_job(server)
        os.close(server)
        reporter.send(JOB_READ)
        answer = _answer(factory, job, reporter)
        _flush_output()
        reporter.flush()
        answer.send(reporter)
    except BaseException:  # noqa: BLE001  the process ends here, and nothing may run after it
        _exit(_NOT_SENT)
    _exit(0)


def _read_job(server: int) -> dict[str, Any]:
    """Read the JOB frame and nothing after it: the bytes that follow are for the run supervisor."""
    kind, length = HEADER.unpack(_receive(server, HEADER.size))
    if kind != JOB:
        raise ValueError(f"expected a job, not {kind!r}")
    job: dict[str, Any] = json.loads(_receive(server, length))
    return job


def _receive(server: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(server, min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


@dataclass(frozen=True)
class _Answer:
    """The last frame of the run, its response or the error, and the files before it."""

    kind: bytes
    content: bytes
    files: tuple[bytes, ...] = ()

    def send(self, reporter: Reporter) -> None:
        for file in self.files:
            reporter.send(FILE, file)
        reporter.send(self.kind, CLOCK.pack(reporter.called_at) + self.content)


def _answer(factory: Any, job: dict[str, Any], reporter: Reporter) -> _Answer:
    """The end of the run."""
    max_characters = job["error_characters"]
    tool_api.listen_to_progress(reporter.progress)
    try:
        return _respond(factory, job, reporter)
    except (MisfitError, NotJSONError, BadFileError, BadToolError, tool_api.ToolError) as error:
        message = clean(str(error), max_characters=max_characters)
    except MemoryError as error:
        message = _describe_shortage(error, job)
    except BaseException as error:  # noqa: BLE001
        # Also SystemExit, KeyboardInterrupt and GeneratorExit are raised by the tool.
        message = describe(error, max_characters=max_characters)
    return _Answer(ERROR, message.encode())


def _respond(factory: Any, job: dict[str, Any], reporter: Reporter) -> _Answer:
    if factory is None:
        factory = load_factory(job["reference"])
    with Caller() as caller:
        tool = _make_tool(factory, job, caller)
        request = read_value(job["parameters"], request_type(tool), what="parameters")
        kind = response_type(tool)
        reporter.send(BEGUN, CLOCK.pack(_now()))
        try:
            response = caller.get_response(tool.call(request))
        finally:
            reporter.called_at = _now()
    if isinstance(status := getattr(tool, "http_status", None), int) and 0 < status < 1000:
        reporter.send(STATUS, HTTP_STATUS.pack(status))
    if callable(storable := getattr(tool, "storable", None)):
        response = storable(response)
    return _encode_response(response, kind, job)


def _encode_response(response: object, annotation: object, job: dict[str, Any]) -> _Answer:
    """The frames of a response: its JSON, which may be cut, and its files."""
    attached_bytes_left = job["attached_bytes"]
    files: list[bytes] = []

    def describe_file(file: tool_api.File, pointer: str) -> dict[str, Any]:
        nonlocal attached_bytes_left
        if len(files) == MAX_FILES:
            raise BadFileError(f"The response has more than {MAX_FILES} files.")
        read = read_file(file, pointer, max_bytes=attached_bytes_left)
        attached_bytes_left -= len(read.content)
        files.append(file_frame(read))
        return read.description()

    response = as_file(response, annotation)
    if not isinstance(response, tool_api.File):
        response = make_plain(response, annotation)
    max_bytes, is_complete = job["response_bytes"], True
    try:
        data = encode(
            response,
            max_bytes=max(max_bytes, attached_bytes_left),
            describe_file=describe_file,
        )
    except TooLargeError as error:
        data, is_complete = error.beginning, False
    # Short: whole. Longer, but it fits into what the files left: cut, with the whole as a file.
    # Else: cut.
    if is_complete and len(data) <= max_bytes:
        return _Answer(RESPONSE, data, tuple(files))
    if is_complete and len(data) <= attached_bytes_left:
        files.append(file_frame(ResponseFile("response.json", JSON_TYPE, data, is_whole=True)))
    beginning = data[:max_bytes].decode(errors="ignore").encode()
    return _Answer(CUT, beginning, tuple(files))


def _make_tool(factory: Any, job: dict[str, Any], caller: Caller) -> Any:
    tool = caller.create_tool(factory, job["configuration"] or "{}")
    if not callable(getattr(tool, "call", None)):
        raise BadToolError(
            f"The factory's create() returned {type(tool).__name__}, which has no call()."
        )
    return tool


def _describe_shortage(error: MemoryError, job: dict[str, Any]) -> str:
    limit_mib = job["memory_bytes"] // 2**20
    reason = f"The tool needed more memory than the {limit_mib:,} MiB that a run may use."
    try:
        max_characters = job["error_characters"] - len(reason) - 2
        return f"{reason}\n\n{describe(error, max_characters=max_characters)}"
    except MemoryError:
        return reason


def _flush_output() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the tool may have closed or replaced it
            stream.flush()
    flush_c_output()


def _finite(number: float) -> float:
    number = float(number)
    return number if abs(number) < 1e300 else 0.0


class _Echo:
    """The tool of a rehearsal."""

    def create(self) -> _Echo:
        return self

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        return request


_ECHO: Final = _Echo()
_ECHO_JOB: Final[dict[str, Any]] = {
    "parameters": '{"text": "a", "numbers": [1, 1.5], "flag": true, "nothing": null}',
    "configuration": None,
    "response_bytes": 1 << 20,
    "attached_bytes": 1 << 20,
    "error_characters": 4000,
    "memory_bytes": 1 << 30,
}
_ECHO_FRAME: Final = frame(JOB, json.dumps(_ECHO_JOB).encode())


def rehearse(times: int = 1) -> None:
    """Do a run with a trivial tool.

    The first execution of code after a fork is slow: memory is shared until it is written to, and
    Python writes to every object it uses. So a process executes the code once while it waits,
    before its run begins.
    """
    for _ in range(times):
        job_read, job_write = os.pipe()
        result_read, result_write = os.pipe()
        os.write(job_write, _ECHO_FRAME)
        reporter = Reporter(result_write)
        _answer(_ECHO, _read_job(job_read), reporter).send(reporter)
        _flush_output()
        for descriptor in (job_read, job_write, result_read, result_write):
            os.close(descriptor)
    tool_api.listen_to_progress(None)


def settle(private: str) -> None:
    """Prepare this process for its run: working directory and signal handlers."""
    os.chdir(private)
    for number in _SIGNALS:
        _set_handler(number, 0)


def settle_all(private: str) -> None:
    """Prepare environment and output streams of all runs forked from this process."""
    os.umask(0o077)
    os.environ.update(HOME=private, TMPDIR=private)
    if tempfile := sys.modules.get("tempfile"):
        tempfile.__dict__["tempdir"] = None
    _open_streams()


def _open_streams() -> None:
    """Make `sys.stdout` and `sys.stderr` write to descriptors 1 and 2.

    These may refer to something else later.
    """
    read, write = os.pipe()  # a stream remembers whether it can seek; the pipes of runs cannot
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        before = os.dup(descriptor)
        os.dup2(write, descriptor)
        setattr(sys, name, _text_to(descriptor))
        os.dup2(before, descriptor)
        os.close(before)
    os.close(read)
    os.close(write)


def _text_to(descriptor: int) -> io.TextIOWrapper:
    """A stream that flushes after every line, and accepts every character."""
    raw = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)
