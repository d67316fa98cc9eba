"""The keeper: starts one run after another, each in a fresh process, and lets nothing of it remain.

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
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from playground.worker import calling
from playground.worker.directories import make_private_directory, remove_private_directory
from playground.worker.ending import end_descendants, reap
from playground.worker.frames import ACCEPTED, END, HEADER, KILL, LIMITS, STDERR, STDOUT, frame
from playground.worker.isolation import Bounds, Place, enter_run, settle_keeper
from playground.worker.linux import close_from
from playground.worker.watching import Watch

_ABOVE: Final = 100  # descriptors from here on are not in the way of the run's own


@dataclass
class Keeper:
    """One keeper, between its server and its runs.

    Attributes:
        slot: which of its parent's keepers; from 1.
        factory: the imported factory, or None for one that each run imports anew.
    """

    place: Place
    slot: int
    factory: Any
    server: socket.socket

    def serve(self) -> NoReturn:
        """Do runs until the server closes the socket."""
        settle_keeper(self.place)
        while True:
            header = self.server.recv(HEADER.size, socket.MSG_WAITALL)
            if len(header) < HEADER.size:
                os._exit(0)
            if self._is_deserted():
                os._exit(0)
            kind, length = HEADER.unpack(header)
            content = self.server.recv(length, socket.MSG_WAITALL) if length else b""
            if kind == LIMITS:
                self._run(json.loads(content))
            elif kind != KILL:  # one that came late is for a run that has ended
                os._exit(1)

    def _is_deserted(self) -> bool:
        """Whether the server has gone away and left a run that nobody waits for."""
        poll = select.poll()
        poll.register(self.server, select.POLLRDHUP)
        return bool(poll.poll(0))

    def _run(self, limits: dict[str, Any]) -> None:
        """One run, from its private directory to its last process."""
        self.server.sendall(frame(ACCEPTED))
        directory = make_private_directory(self.place, self.slot, limits["scratch_bytes"])
        (result, say), (stdout, out), (stderr, err) = os.pipe(), os.pipe(), os.pipe()
        pid = os.fork()
        if not pid:
            self._become_run(limits, directory, say, out, err)
        for descriptor in (say, out, err):
            os.close(descriptor)
        pidfd, nowhere = os.pidfd_open(pid), os.open(os.devnull, os.O_WRONLY)
        watch = Watch(
            self.server,
            result=result,
            outputs={stdout: STDOUT, stderr: STDERR},
            pidfd=pidfd,
            nowhere=nowhere,
            limits=limits,
        )
        why = watch.until_it_ends(limits["deadline"])
        status, clean = self._end(pid, pidfd)
        watch.drain()
        for descriptor in (result, stdout, stderr, pidfd, nowhere):
            os.close(descriptor)
        remove_private_directory(self.place, directory)
        ended = {"why": why, "status": status, "clean": clean, "dropped": watch.dropped}
        self.server.sendall(frame(END, json.dumps(ended).encode()))
        if not (clean and watch.job_taken):  # else the job is still in the socket
            os._exit(1)

    def _end(self, pid: int, pidfd: int) -> tuple[int, bool]:
        """Kill the run and all it has started; the wait status of its first process, and whether nothing is left."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        select.select([pidfd], [], [], 2.0)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if reap() is None:
            return status, True
        return status, end_descendants(own_namespace=self.place.namespace >= 0) and ended == pid

    def _become_run(self, limits: dict[str, Any], directory: str, say: int, out: int, err: int) -> NoReturn:
        """In the forked process: take up the pipes, lose every other descriptor and every right, and do the job."""
        try:
            os.dup2(out, 1)
            os.dup2(err, 2)
            say = fcntl.fcntl(say, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
            server = fcntl.fcntl(self.server.detach(), fcntl.F_DUPFD_CLOEXEC, _ABOVE)
            os.dup2(say, 3, inheritable=False)
            os.dup2(server, 4, inheritable=False)
            close_from(5)
            enter_run(self.place, self.slot, Bounds(**limits["bounds"]))
            calling.settle(directory)
            calling.run(self.factory, socket.socket(fileno=4), 3)
        except BaseException as error:  # noqa: BLE001  a forked process must not run on in its parent's code
            with contextlib.suppress(OSError):
                os.write(2, f"The run could not be prepared: {error}\n".encode())
        os._exit(70)
