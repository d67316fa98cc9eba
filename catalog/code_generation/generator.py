"""Python models from a document of `typed_schema`, by datamodel-code-generator in a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from catalog.errors import Busy, GenerationError

SECONDS: Final = 60  # of one job with the start; `generator_process.CPU_S` ends it earlier unless the machine is busy
WAIT_S: Final = 15  # for the jobs of other threads
_ROOT: Final = Path(__file__).resolve().parents[2]


class Refused(GenerationError):
    """The generator cannot express the document."""


class Generator:
    """One process, started for the first job and again after a failure. Threads take turns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        # The generator reads files in its working directory: a pyproject.toml, and what references name.
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def generate(self, document: dict[str, Any], names: dict[str, str]) -> str:
        """The source code for `document`. 10 to 30 ms for a typical one; 1 s more for the first.

        Raises:
            Refused: the generator cannot express the document.
            GenerationError: it takes too much time or memory, or the generator cannot be started.
            Busy: the jobs of other threads take too long.
        """
        job = json.dumps({"document": document, "names": names}).encode() + b"\n"
        if not self._lock.acquire(timeout=WAIT_S):
            raise Busy(
                "Code is being generated for other tools; try again in a few seconds.",
                retry_after_s=5,
            )
        try:
            result = self._result(job)
        finally:
            self._lock.release()
        if "limit" in result:
            raise GenerationError(
                f"The code of this tool cannot be generated: {result['limit']}. Simplify its schemas."
            )
        if "error" in result:
            raise Refused(f"No Python models can be generated: {result['error']}.")
        return str(result["text"])

    def stop(self) -> None:
        with self._lock:
            self._stop()

    def _result(self, job: bytes) -> dict[str, Any]:
        try:
            return _exchange(self._running(), job)
        except TimeoutError:
            self._stop()
            return {"limit": f"it takes more than {SECONDS} seconds"}
        except OSError:  # it ends when it is idle
            self._stop()
        try:
            return _exchange(self._running(), job)
        except OSError:
            self._stop()
            raise GenerationError(
                "The process that generates Python models ended unexpectedly. Try again."
            ) from None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._folder = tempfile.TemporaryDirectory(prefix="toolshelf-")
            environment = {
                name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ
            }
            self._process = subprocess.Popen(
                [sys.executable, "-m", "catalog.code_generation.generator_process"],
                cwd=self._folder.name,
                env=environment | {"PYTHONPATH": str(_ROOT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with the child that runs a job
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _exchange(process: subprocess.Popen[bytes], job: bytes) -> dict[str, Any]:
    """Send `job` and read its result.

    Raises:
        TimeoutError: it took too long.
        OSError: the process has ended.
    """
    assert process.stdin is not None  # noqa: S101 - for mypy
    assert process.stdout is not None  # noqa: S101
    deadline = time.monotonic() + SECONDS
    process.stdin.write(job)
    process.stdin.flush()
    output = process.stdout.fileno()
    ready = select.poll()
    ready.register(output, select.POLLIN)
    line = b""
    while not line.endswith(b"\n"):
        if not ready.poll(1000 * max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        piece = os.read(output, 1 << 16)
        if not piece:
            raise BrokenPipeError
        line += piece
    result: dict[str, Any] = json.loads(line)
    return result


GENERATOR: Final = Generator()
atexit.register(GENERATOR.stop)
