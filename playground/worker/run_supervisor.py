"""The keeper: makes one run after another, each in a fresh process, and lets nothing of it remain.

The process of the next run is made ahead of time and waits. A process is used for one run.

Later runs are forked from this process, so it must not hold anything of a run in its memory: what a run is given it
reads itself, and what it says is moved on unread.
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

from playground.worker import child
from playground.worker.cgroups import Membership, kills_in
from playground.worker.kill import end_descendants, reap
from playground.worker.loader import LoadedFactory
from playground.worker.memory import takes_more_than
from playground.worker.protocol import ACCEPTED, END, HEADER, KILL, LIMITS, STDERR, STDOUT, frame
from playground.worker.relay import Watch
from playground.worker.sandbox import Surroundings, bound, enter_run, settle_keeper
from playground.worker.scratch import make_private_directory, private_directory, remove_private_directory
from playground.worker.syscalls import close_from

_ABOVE: Final = 100  # descriptors from here on are not in the way of the run's own
_RESULT, _SERVER, _WORD = 3, 4, 5  # the run's own descriptors, besides the standard ones
_MAX_WORD: Final = 4096
_SCRATCH_BYTES: Final = 128 * 2**20


@dataclass(frozen=True)
class WaitingRun:
    """A process that waits to become a run.

    Attributes:
        scratch_bytes: the size of its private directory.
        word: the pipe by which it is told to begin.
        result, stdout, stderr: the pipes by which it speaks.
    """

    pid: int
    pidfd: int
    scratch_bytes: int
    word: int
    result: int
    stdout: int
    stderr: int

    @property
    def is_alive(self) -> bool:
        return not _ends_within(self.pidfd, 0)

    def close(self) -> None:
        for descriptor in (self.pidfd, self.word, self.result, self.stdout, self.stderr):
            os.close(descriptor)


@dataclass
class RunSupervisor:
    """One keeper, between its server and its runs.

    Attributes:
        slot: which of its parent's keepers; from 1.
        factory: the imported factory, or None for one that each run imports anew.
        group: the control group that it and its runs belong to, where there are any.
    """

    place: Surroundings
    slot: int
    factory: LoadedFactory | None
    server: socket.socket
    group: Membership | None = None
    scratch_bytes: int = _SCRATCH_BYTES
    nowhere: int = field(default_factory=lambda: os.open(os.devnull, os.O_WRONLY))

    def serve(self) -> NoReturn:
        """Do runs until the server closes the socket."""
        settle_keeper(self.place)
        if self.group:
            try:
                self.group.join()
            except OSError:  # it was made for this one, and is gone
                self.group = None
        child.settle_all(private_directory(self.place, self.slot))
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
        """The limits of the next run, once it is there."""
        while True:
            header = self.server.recv(HEADER.size, socket.MSG_WAITALL)
            if len(header) < HEADER.size or self._is_deserted():
                os._exit(0)
            kind, length = HEADER.unpack(header)
            if kind == LIMITS:
                limits: dict[str, Any] = json.loads(self.server.recv(length, socket.MSG_WAITALL))
                self.server.sendall(frame(ACCEPTED))
                return limits
            if kind != KILL:  # one that came late is for a run that has ended
                os._exit(1)

    def _is_deserted(self) -> bool:
        """Whether the server has gone away and left a run that nobody waits for."""
        poll = select.poll()
        poll.register(self.server, select.POLLRDHUP)
        return bool(poll.poll(0))

    def _make_run(self) -> WaitingRun:
        make_private_directory(self.place, self.slot, self.scratch_bytes)
        (heard, word), (result, say), (stdout, out), (stderr, err) = os.pipe(), os.pipe(), os.pipe(), os.pipe()
        pid = os.fork()
        if not pid:
            self._become_run(heard, say, out, err)
        for descriptor in (heard, say, out, err):
            os.close(descriptor)
        return WaitingRun(pid, os.pidfd_open(pid), self.scratch_bytes, word, result, stdout, stderr)

    def _watch(self, run: WaitingRun, limits: dict[str, Any]) -> None:
        """Let a run begin, and watch it to its last process."""
        with contextlib.suppress(BrokenPipeError):  # it has ended already, which is noticed next
            os.write(run.word, json.dumps(limits["bounds"]).encode())
        watch = Watch(
            self.server,
            result=run.result,
            outputs={run.stdout: STDOUT, run.stderr: STDERR},
            pidfd=run.pidfd,
            nowhere=self.nowhere,
            limits=limits,
        )
        takes_too_much = self._measure(limits)
        why: str = watch.until_it_ends(limits["deadline"], takes_too_much)
        if self.group and why == "exited" and takes_too_much():
            why = "memory"
        status, clean = self._end(run)
        watch.drain()
        ended = {"why": why, "status": status, "dropped": watch.dropped}
        self.server.sendall(frame(END, json.dumps(ended).encode()))
        clean = self._clear() and clean  # nobody waits for that
        run.close()
        if not (clean and watch.job_taken):  # else the job is still in the socket
            os._exit(1)

    def _measure(self, limits: dict[str, Any]) -> Callable[[], bool]:
        """What tells whether a run takes too much memory: its control group, else a look at its processes."""
        if self.group:
            file, kills_before = self.group.kills_file, kills_in(self.group.kills_file)
            return lambda: kills_in(file) > kills_before
        memory_bytes, apart = limits["bounds"]["memory_bytes"], self.place.namespace >= 0
        return lambda: takes_more_than(memory_bytes, own_namespace=apart)

    def _end(self, run: WaitingRun) -> tuple[int, bool]:
        """Kill the run and all it has started; the wait status of its first process, and whether nothing is left."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(run.pidfd, signal.SIGKILL)
        _ends_within(run.pidfd, 2000)
        ended, status = os.waitpid(run.pid, os.WNOHANG)
        if reap() is None:
            return status, True
        return status, end_descendants(own_namespace=self.place.namespace >= 0) and ended == run.pid

    def _clear(self) -> bool:
        """Take away the private directory of a run that has ended; whether that went well."""
        try:
            remove_private_directory(self.place, self.slot)
        except OSError:
            return False
        return True

    def _become_run(self, heard: int, say: int, out: int, err: int) -> NoReturn:
        """In the forked process: take up the pipes, lose every other descriptor and right, wait, and do the job."""
        try:
            os.dup2(out, 1)
            os.dup2(err, 2)
            own = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for each in (say, self.server.detach(), heard)]
            for descriptor, number in zip(own, (_RESULT, _SERVER, _WORD), strict=True):
                os.dup2(descriptor, number, inheritable=False)
            close_from(_WORD + 1)
            enter_run(self.place, self.slot)
            child.settle(private_directory(self.place, self.slot))
            child.rehearse()
            word = os.read(_WORD, _MAX_WORD)
            os.close(_WORD)
            if word:
                bound(json.loads(word))
                child.run(self.factory, _SERVER, _RESULT)
        except BaseException as error:  # noqa: BLE001  a forked process must not run on in its parent's code
            with contextlib.suppress(OSError):
                os.write(2, f"The run could not be prepared: {error}\n".encode())
        os._exit(70)


def _ends_within(pidfd: int, timeout_ms: int) -> bool:
    """Whether a process has ended, or ends in time."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(timeout_ms))
