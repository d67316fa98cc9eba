"""The worker: the one program that a server process starts. It makes parents, and ends what is left when they end.

It knows the machine and runs no tool code. Its server speaks to it over a socket that keeps messages apart; its
descriptor is the last argument. The first message says how to work, and is answered with how far processes can be set
apart. Then:

    {"op": "keeper", "key", …}, a socket    a keeper of a factory serves it; the rest is for its parent
    {"op": "describe", "reference", "timeout_s"}, a socket    it is told what importing the factory shows
    {"op": "retire", "key"}    the factory's parent ends, and all its runs

When the server closes the socket, or ends, everything ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playground.worker import probe
from playground.worker.cgroups import ControlGroups, Membership
from playground.worker.fd_passing import receive
from playground.worker.kill import end_descendants
from playground.worker.mounts import View, needed_directories
from playground.worker.sandbox import Sandbox, fork_isolated
from playground.worker.scratch import remove_tree
from playground.worker.syscalls import adopt_orphans, close_all_but, die_with_parent
from playground.worker.zygote import STARTS_THREADS, become_describer, become_zygote, refuse

_LOOKS_UP_MS: Final = 5000
_SCRATCH_PREFIX: Final = "toolshelf-runs-"
_STALE_AFTER_S: Final = 60
_LAST_S: Final = 5


@dataclass
class Child:
    """A process of the worker's: a parent, or one that only describes a factory.

    Attributes:
        requests, inbox: the two ends of the socket by which a parent is asked; both are kept, for a parent that has to
            be replaced. With one that describes, `requests` is whom it tells.
        key: of a parent; "" for one that describes.
        until: when a description has to be there, by the monotonic clock.
    """

    request: dict[str, Any]
    pid: int
    pidfd: int
    requests: socket.socket
    inbox: socket.socket | None = None
    key: str = ""
    until: float | None = None


@dataclass
class Worker:
    """The worker's state: its server, and its children by the descriptor that tells of their end."""

    control: socket.socket
    enclosure: Sandbox
    groups: ControlGroups | None
    children: dict[int, Child] = field(default_factory=dict)

    def serve(self) -> None:
        """Do what the server asks until it closes the socket."""
        while True:
            poll = select.poll()
            for descriptor in (self.control.fileno(), *self.children):
                poll.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll(self._patience_ms())}
            for child in [child for pidfd, child in self.children.items() if pidfd in ready]:
                self._bury(child)
            for child in [child for child in self.children.values() if child.until and child.until < time.monotonic()]:
                self._give_up(child)
            if self.control.fileno() in ready and not self._hear():
                return

    def _patience_ms(self) -> int:
        moments = [child.until for child in self.children.values() if child.until]
        return _LOOKS_UP_MS if not moments else max(0, round((min(moments) - time.monotonic()) * 1000) + 1)

    def _hear(self) -> bool:
        """Do one request; False when the server is gone."""
        received = receive(self.control)
        if received is None:
            return True
        message, descriptors = received
        if not message:
            return False
        request = json.loads(message)
        if request["op"] == "keeper":
            self._ask_for_keeper(request, descriptors[0])
        elif request["op"] == "describe":
            self._describe(request, socket.socket(fileno=descriptors[0]))
        elif request["op"] == "retire" and (parent := self._parent(request["key"])):
            signal.pidfd_send_signal(parent.pidfd, signal.SIGKILL)
        return True

    def _parent(self, key: str) -> Child | None:
        return next((child for child in self.children.values() if child.key == key), None)

    def _ask_for_keeper(self, request: dict[str, Any], server: int) -> None:
        with socket.socket(fileno=server) as asker:
            try:
                parent = self._parent(request["key"])
                if parent is None:
                    parent = self._start_parent(request, *socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                with self._group(request) as group:
                    message = json.dumps({"kills_file": group.kills_file}).encode()
                    socket.send_fds(parent.requests, [message], [server, *group.descriptors])
            except OSError as error:
                refuse(asker, f"The factory has no process: {error}")

    @contextlib.contextmanager
    def _group(self, request: dict[str, Any]) -> Iterator[Membership]:
        """A control group for a keeper, where there are any."""
        group = Membership((), "")
        if self.groups:
            try:
                group = self.groups.make(memory_bytes=request["memory_bytes"], processes=request["processes"])
            except OSError as error:
                sys.stderr.write(f"toolshelf worker: a run has no control group: {error}\n")
        yield group
        for descriptor in group.descriptors:
            os.close(descriptor)

    def _start_parent(self, request: dict[str, Any], requests: socket.socket, inbox: socket.socket) -> Child:
        pid, place = fork_isolated(self.enclosure)
        if place is not None:
            with _last_words():
                close_all_but(inbox.fileno(), place.namespace)
                become_zygote(place, inbox, request)
        child = Child(request, pid, os.pidfd_open(pid), requests, inbox, request["key"])
        self.children[child.pidfd] = child
        return child

    def _describe(self, request: dict[str, Any], server: socket.socket) -> None:
        try:
            pid, place = fork_isolated(self.enclosure)
        except OSError as error:
            refuse(server, f"The factory has no process: {error}")
            server.close()
            return
        if place is not None:
            with _last_words():
                close_all_but(server.fileno())
                become_describer(server, request["reference"])
        until = time.monotonic() + request["timeout_s"]
        child = Child(request, pid, os.pidfd_open(pid), server, until=until)
        self.children[child.pidfd] = child

    def _bury(self, child: Child) -> None:
        """Clean up after a child that has ended; replace a parent that may not fork."""
        del self.children[child.pidfd]
        os.close(child.pidfd)
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        except ChildProcessError:  # it was cleared away with what another one left
            code = -signal.SIGKILL
        if child.inbox and code == STARTS_THREADS and child.request["preload"]:
            with contextlib.suppress(OSError):
                self._start_parent(child.request | {"preload": False}, child.requests, child.inbox)
                return
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._turn_away(child, f"The factory's process {how} while it was being imported.")
        end_descendants(own_namespace=False, spare=[each.pid for each in self.children.values()])

    def _give_up(self, child: Child) -> None:
        self._turn_away(child, f"Importing it did not end within {child.request['timeout_s']:g} s.")
        child.until = None
        signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)

    def _turn_away(self, child: Child, reason: str) -> None:
        """Tell everybody who still waits for `child` that it will not come."""
        if not child.inbox:
            refuse(child.requests, reason)
        while child.inbox and (received := receive(child.inbox)) and received[0]:
            for descriptor in received[1]:
                with socket.socket(fileno=descriptor) as server:
                    refuse(server, reason)
        if child.inbox:
            child.inbox.close()
        child.requests.close()


@contextlib.contextmanager
def _last_words() -> Any:
    """Around what a forked process does for good: nothing of it may run on in the worker's code."""
    try:
        yield
    except BaseException as error:  # noqa: BLE001  as said
        sys.stderr.write(f"toolshelf worker: {error!r}\n")
    finally:
        os._exit(70)


def main() -> None:
    """Serve the server process that has started this program."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends when its server ends, and so do its children
    signal.signal(signal.SIGALRM, _be_quick)
    die_with_parent(signal.SIGALRM)
    control = socket.socket(fileno=int(sys.argv[-1]))
    control.set_inheritable(False)
    message = control.recv(1 << 16)
    if not message:
        return
    start = json.loads(message)
    sys.path[:0] = start["search_path"]
    adopt_orphans()
    scratch, lock = _make_scratch()
    view = View((*needed_directories(), scratch), tuple(start["hidden"]), tuple(start["writable"]))
    base = Sandbox("plain", view, scratch)
    enclosure, refused = probe.choose_enclosure(base, tuple(start["modes"]))
    groups, refused["control groups"] = probe.choose_control_groups(enclosure, tuple(start["modes"]))
    control.send(json.dumps(probe.as_json(enclosure, groups, refused)).encode())
    try:
        Worker(control, enclosure, groups).serve()
    finally:
        end_descendants(own_namespace=False)
        if groups:
            groups.remove()
        remove_tree(scratch)
        os.close(lock)


def _be_quick(*_: object) -> None:
    """The server has ended, and its socket with it; whatever holds this process up, it ends soon."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_LAST_S)


def _make_scratch() -> tuple[str, int]:
    """A directory for private directories, and the lock that says it is in use. Left ones of dead workers go."""
    above = Path("/tmp")  # noqa: S108  what is in it is named at random, and private
    for stale in above.glob(f"{_SCRATCH_PREFIX}*"):
        with contextlib.suppress(OSError):
            if time.time() - stale.stat().st_mtime < _STALE_AFTER_S:
                continue
            descriptor = os.open(stale, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(str(stale))
            finally:
                os.close(descriptor)
    scratch = str(above / f"{_SCRATCH_PREFIX}{os.urandom(8).hex()}")
    Path(scratch).mkdir(mode=0o711)
    lock = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return scratch, lock
