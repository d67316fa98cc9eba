"""The server's connection to a worker: starts the program, and passes sockets to it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

ALLOWED_ENVIRONMENT: Final = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
)
ALL_MODES: Final = ("namespaces", "own users", "control groups", "networks")
_ROOT: Final = str(Path(__file__).resolve().parents[3])
# Its own modules first; then those of the checkout last, so that a tool finds an author's package
# named `catalog` or `accounts`.
_PROGRAM: Final = """
import sys
sys.path.insert(0, sys.argv[1])
from playground.runner.worker.__main__ import main
sys.path.append(sys.path.pop(0))
main()
"""
_MAX_MESSAGE: Final = 1 << 16
_ANSWER_LIMIT_S: Final = 20.0
_END_LIMIT_S: Final = 3.0


def clean_environment(names: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environment` that tools may see: harmless ones, and `names`."""
    return {
        name: environment[name] for name in (*ALLOWED_ENVIRONMENT, *names) if name in environment
    }


class _File(Protocol):
    def fileno(self) -> int: ...


def environment_file(environment: Mapping[str, str]) -> BinaryIO:
    """A file in memory with the environment variables of one factory.

    The worker passes it on unread: its memory is copied into the processes of all factories.
    """
    # A descriptor, which the caller closes.
    file = open(os.memfd_create("environment"), "w+b")  # noqa: PTH123, SIM115
    file.write(json.dumps(dict(environment)).encode())
    file.flush()
    return file


class WorkerProcess:
    """A worker that this process has started.

    `playground.runner.worker.__main__` lists the messages it accepts.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        search_path: Sequence[str] = (),
        hidden: Sequence[str] = (),
        writable: Sequence[str] = (),
        modes: Sequence[str] = ALL_MODES,
        preload: Sequence[str] = (),
    ) -> None:
        """Start the program. Messages may be sent to it immediately.

        Args:
            environment: all environment variables that tools see.
            search_path: directories to import factories from, in addition to Python's own.
            hidden: directories that tools must not see, as far as the machine allows it.
            writable: directories that tools may write to, where other files are read-only.
            modes: how processes may be isolated, see `playground.runner.worker.sandbox`.
            preload: modules that it imports while it is idle. They are not isolated, so they must
                be trusted.
        """
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  our own program
                [sys.executable, "-I", "-c", _PROGRAM, _ROOT, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._control.settimeout(_ANSWER_LIMIT_S)
        self.send(
            {
                "search_path": [str(Path(path).resolve()) for path in search_path],
                "hidden": [str(Path(path).resolve()) for path in hidden],
                "writable": [str(Path(path).resolve()) for path in writable],
                "modes": list(modes),
                "preload": list(preload),
            }
        )

    def fileno(self) -> int:
        """A descriptor, readable when the worker reports its isolation, and when it ends."""
        return self._control.fileno()

    def read_isolation(self) -> dict[str, Any]:
        """Wait for the worker's report on isolation, its first message.

        Returns:
            dict: {"mode": "namespaces" | "plain", "own_users": bool, "control_groups": bool,
                "networks": {network: why it cannot be enforced here; "" if it can},
                "refused": {feature: why it does not work here}}

        Raises:
            OSError: the worker has ended, or does not answer.
        """
        message = self._control.recv(_MAX_MESSAGE)
        if not message:
            raise ConnectionError("the worker for runs has ended")
        isolation: dict[str, Any] = json.loads(message)
        return isolation

    def send(self, message: Mapping[str, Any], *files: _File) -> None:
        """Send a message to the worker, with sockets and files, of which it receives duplicates.

        Raises:
            OSError: the worker has ended, or no longer accepts messages.
        """
        socket.send_fds(
            self._control, [json.dumps(message).encode()], [each.fileno() for each in files]
        )

    def close(self) -> None:
        """End the worker and all processes that it has started."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_LIMIT_S)
            return
        self._process.kill()
        self._process.wait()
