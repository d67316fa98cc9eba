"""The run supervisor: execute runs one by one, each in a fresh process, and clean up.

The process of the next run is forked ahead of time and waits. Each process is used for one run.

Later runs are forked from this process, so its memory must not contain anything of an earlier run:
each run reads its own input, and its output is relayed unread.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from playground.runner.worker import run_process as child
from playground.runner.worker.cgroups import Membership, kills_in
from playground.runner.worker.kill import end_descendants, reap
from playground.runner.worker.memory_use import exceeds
from playground.runner.worker.protocol import (
    ACCEPTED,
    END,
    HEADER,
    KILL,
    LIMITS,
    STDERR,
    STDOUT,
    frame,
)
from playground.runner.worker.relay import Relay
from playground.runner.worker.sandbox import (
    FactoryDirectory,
    enter_run,
    limit_resources,
    settle_supervisor,
)
from playground.runner.worker.scratch import (
    make_private_directory,
    private_directory,
    remove_private_directory,
)
from playground.runner.worker.syscalls import close_from

_ABOVE: Final = 100  # descriptors from here on do not collide with the run's own
_RESULT, _SERVER, _START = 3, 4, 5  # the run's own descriptors, besides the standard ones
_MAX_START: Final = 4096
_MAX_GRACE_S: Final = 0.25  # a run ends within a second of its cancellation
_SCRATCH_BYTES: Final = 128 * 2**20


@dataclass(frozen=True)
class WaitingRun:
    """A process that waits for its run.

    Attributes:
        scratch_bytes: the size of its private directory.
        start: the pipe for the run's limits, which start the run.
        result, stdout, stderr: the pipes for its output.
    """

    pid: int
    pidfd: int
    scratch_bytes: int
    start: int
    result: int
    stdout: int
    stderr: int

    @property
    def is_alive(self) -> bool:
        return not _ends_within(self.pidfd, 0)

    def close(self) -> None:
        for descriptor in (self.pidfd, self.start, self.result, self.stdout, self.stderr):
            os.close(descriptor)


@dataclass
class RunSupervisor:
    """One run supervisor, between its server and its runs.

    Attributes:
        slot: its number among the zygote's run supervisors, from 1.
        factory: the imported factory; None if each run imports it again.
        group: the control group of this process and its runs, if the machine has control groups.
    """

    factory_directory: FactoryDirectory
    slot: int
    factory: Any
    server: socket.socket
    group: Membership | None = None
    scratch_bytes: int = _SCRATCH_BYTES
    devnull: int = field(default_factory=lambda: os.open(os.devnull, os.O_WRONLY))

    def serve(self) -> NoReturn:
        """Supervise runs until the server closes the socket."""
        settle_supervisor(self.factory_directory)
        if self.group:
            try:
                self.group.join()
            except OSError:  # the group was made for this process, and has been removed since
                self.group = None
        child.settle_all(private_directory(self.factory_directory, self.slot))
        while True:
            waiting = self._make_run()
            limits = self._next_limits()
            if not waiting.is_alive or waiting.scratch_bytes != limits["scratch_bytes"]:
                self.scratch_bytes = limits["scratch_bytes"]
                self._end(waiting)
                self._clear()
                waiting.close()
                waiting = self._make_run()
            self._watch(waiting, limits)

    def _next_limits(self) -> dict[str, Any]:
        """Wait for the next run, and read its limits."""
        while True:
            header = self.server.recv(HEADER.size, socket.MSG_WAITALL)
            if len(header) < HEADER.size or self._server_has_gone():
                os._exit(0)
            kind, length = HEADER.unpack(header)
            if kind == LIMITS:
                limits: dict[str, Any] = json.loads(self.server.recv(length, socket.MSG_WAITALL))
                self.server.sendall(frame(ACCEPTED))
                return limits
            if kind != KILL:  # a late KILL is for a run that has ended
                os._exit(1)

    def _server_has_gone(self) -> bool:
        """Whether the server has closed its end, so that nothing waits for the run it has sent."""
        poll = select.poll()
        poll.register(self.server, select.POLLRDHUP)
        return bool(poll.poll(0))

    def _make_run(self) -> WaitingRun:
        make_private_directory(self.factory_directory, self.slot, self.scratch_bytes)
        (start_read, start), (result, result_write), (stdout, out), (stderr, err) = (
            os.pipe(),
            os.pipe(),
            os.pipe(),
            os.pipe(),
        )
        pid = os.fork()
        if not pid:
            self._become_run(start_read, result_write, out, err)
        for descriptor in (start_read, result_write, out, err):
            os.close(descriptor)
        return WaitingRun(
            pid, os.pidfd_open(pid), self.scratch_bytes, start, result, stdout, stderr
        )

    def _watch(self, run: WaitingRun, limits: dict[str, Any]) -> None:
        """Start a run, and watch it until its last process has ended."""
        with contextlib.suppress(
            BrokenPipeError
        ):  # the process has ended already, which the relay notices
            os.write(run.start, json.dumps(limits["bounds"]).encode())
        relay = Relay(
            self.server,
            result=run.result,
            outputs={run.stdout: STDOUT, run.stderr: STDERR},
            pidfd=run.pidfd,
            devnull=self.devnull,
            limits=limits,
        )
        exceeds_memory = self._measure(limits)
        why: str = relay.relay_until_end(limits["deadline"], exceeds_memory)
        if self.group and why == "exited" and exceeds_memory():
            why = "memory"
        if limits["grace_s"] and why in {"killed", "deadline"}:
            _ask_to_end(run.pidfd, min(limits["grace_s"], _MAX_GRACE_S))
        status, clean = self._end(run)
        relay.drain()
        ended = {"why": why, "status": status, "dropped": relay.dropped}
        self.server.sendall(frame(END, json.dumps(ended).encode()))
        clean = self._clear() and clean  # after END, so that the server does not wait for it
        run.close()
        if not (clean and relay.job_read):  # else the job is still in the socket
            os._exit(1)

    def _measure(self, limits: dict[str, Any]) -> Callable[[], bool]:
        """A function that tells whether the run exceeds its memory.

        It asks the run's control group, else its processes.
        """
        if self.group:
            file, kills_before = self.group.kills_file, kills_in(self.group.kills_file)
            return lambda: kills_in(file) > kills_before
        memory_bytes, own_namespace = (
            limits["bounds"]["memory_bytes"],
            self.factory_directory.namespace >= 0,
        )
        return lambda: exceeds(memory_bytes, own_namespace=own_namespace)

    def _end(self, run: WaitingRun) -> tuple[int, bool]:
        """Kill all processes of the run.

        Return the wait status of its first process, and whether all have ended.
        """
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(run.pidfd, signal.SIGKILL)
        _ends_within(run.pidfd, 2000)
        ended, status = os.waitpid(run.pid, os.WNOHANG)
        if reap() is None:
            return status, True
        return status, end_descendants(
            own_namespace=self.factory_directory.namespace >= 0
        ) and ended == run.pid

    def _clear(self) -> bool:
        """Remove the private directory of a run that has ended; whether that succeeded."""
        try:
            remove_private_directory(self.factory_directory, self.slot)
        except OSError:
            return False
        return True

    def _become_run(self, start_read: int, result_write: int, out: int, err: int) -> NoReturn:
        """Execute the job in the forked process.

        Set up the pipes, drop other descriptors and all privileges, and wait before.
        """
        try:
            os.dup2(out, 1)
            os.dup2(err, 2)
            own = [
                fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
                for each in (result_write, self.server.detach(), start_read)
            ]
            for descriptor, number in zip(own, (_RESULT, _SERVER, _START), strict=True):
                os.dup2(descriptor, number, inheritable=False)
            close_from(_START + 1)
            enter_run(self.factory_directory, self.slot)
            child.settle(private_directory(self.factory_directory, self.slot))
            child.rehearse()
            bounds = os.read(_START, _MAX_START)
            os.close(_START)
            if bounds:
                limit_resources(json.loads(bounds))
                child.run(self.factory, _SERVER, _RESULT)
        except BaseException as error:  # noqa: BLE001
            # A forked process must not continue in its parent's code.
            with contextlib.suppress(OSError):
                os.write(2, f"The run could not be prepared: {error}\n".encode())
        os._exit(70)


def _ask_to_end(pidfd: int, grace_s: float) -> None:
    """Send SIGTERM to a process, and wait until it ends, at most `grace_s`."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGTERM)
        _ends_within(pidfd, round(grace_s * 1000))


def _ends_within(pidfd: int, timeout_ms: int) -> bool:
    """Whether a process has ended, or ends within `timeout_ms`."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(timeout_ms))
