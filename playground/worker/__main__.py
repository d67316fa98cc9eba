"""The worker: the one program that a server process starts. It forks zygotes, and ends the processes they leave behind.

It knows the machine and runs no tool code. Its server talks to it over a SOCK_SEQPACKET socket, whose descriptor is the
last argument. The first message configures the worker, which answers how processes can be isolated here. Then:

    {"op": "supervise", "key", …}, a socket    a run supervisor of the factory serves the socket; the other members are
                                               for the zygote
    {"op": "describe", "reference", "timeout_s"}, a socket    import the factory; the description goes to the socket
    {"op": "retire", "key"}    end the factory's zygote and all its runs

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

_MAX_WAIT_MS: Final = 5000
_SCRATCH_PREFIX: Final = "toolshelf-runs-"
_STALE_AFTER_S: Final = 60
_EXIT_LIMIT_S: Final = 5


@dataclass
class Child:
    """A child process of the worker: a zygote, or a describer, which only describes a factory.

    Attributes:
        requests, inbox: the two ends of the socket for requests to a zygote. The worker holds both, so that it can
            replace the zygote. For a describer, `requests` is the socket for the description.
        key: identifies a zygote; "" for a describer.
        until: monotonic time by which the description must have been sent.
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
    """The worker's state: its server, and its children by pidfd."""

    control: socket.socket
    sandbox: Sandbox
    groups: ControlGroups | None
    children: dict[int, Child] = field(default_factory=dict)

    def serve(self) -> None:
        """Serve requests until the server closes the socket."""
        while True:
            poll = select.poll()
            for descriptor in (self.control.fileno(), *self.children):
                poll.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll(self._wait_ms())}
            for child in [child for pidfd, child in self.children.items() if pidfd in ready]:
                self._clean_up(child)
            for child in [child for child in self.children.values() if child.until and child.until < time.monotonic()]:
                self._give_up(child)
            if self.control.fileno() in ready and not self._serve_request():
                return

    def _wait_ms(self) -> int:
        moments = [child.until for child in self.children.values() if child.until]
        return _MAX_WAIT_MS if not moments else max(0, round((min(moments) - time.monotonic()) * 1000) + 1)

    def _serve_request(self) -> bool:
        """Serve one request; False if the server has gone."""
        received = receive(self.control)
        if received is None:
            return True
        message, descriptors = received
        if not message:
            return False
        request = json.loads(message)
        if request["op"] == "supervise":
            self._request_supervisor(request, descriptors[0])
        elif request["op"] == "describe":
            self._describe(request, socket.socket(fileno=descriptors[0]))
        elif request["op"] == "retire" and (zygote := self._zygote(request["key"])):
            signal.pidfd_send_signal(zygote.pidfd, signal.SIGKILL)
        return True

    def _zygote(self, key: str) -> Child | None:
        return next((child for child in self.children.values() if child.key == key), None)

    def _request_supervisor(self, request: dict[str, Any], server: int) -> None:
        with socket.socket(fileno=server) as asker:
            try:
                zygote = self._zygote(request["key"])
                if zygote is None:
                    zygote = self._start_zygote(request, *socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                with self._group(request) as group:
                    message = json.dumps({"kills_file": group.kills_file}).encode()
                    socket.send_fds(zygote.requests, [message], [server, *group.descriptors])
            except OSError as error:
                refuse(asker, f"The factory has no process: {error}")

    @contextlib.contextmanager
    def _group(self, request: dict[str, Any]) -> Iterator[Membership]:
        """A control group for a run supervisor, if the machine has control groups."""
        group = Membership((), "")
        if self.groups:
            try:
                group = self.groups.make(memory_bytes=request["memory_bytes"], processes=request["processes"])
            except OSError as error:
                sys.stderr.write(f"toolshelf worker: a run has no control group: {error}\n")
        yield group
        for descriptor in group.descriptors:
            os.close(descriptor)

    def _start_zygote(self, request: dict[str, Any], requests: socket.socket, inbox: socket.socket) -> Child:
        pid, surroundings = fork_isolated(self.sandbox)
        if surroundings is not None:
            with _always_exit():
                close_all_but(inbox.fileno(), surroundings.namespace)
                become_zygote(surroundings, inbox, request)
        child = Child(request, pid, os.pidfd_open(pid), requests, inbox, request["key"])
        self.children[child.pidfd] = child
        return child

    def _describe(self, request: dict[str, Any], server: socket.socket) -> None:
        try:
            pid, surroundings = fork_isolated(self.sandbox)
        except OSError as error:
            refuse(server, f"The factory has no process: {error}")
            server.close()
            return
        if surroundings is not None:
            with _always_exit():
                close_all_but(server.fileno())
                become_describer(server, request["reference"])
        until = time.monotonic() + request["timeout_s"]
        child = Child(request, pid, os.pidfd_open(pid), server, until=until)
        self.children[child.pidfd] = child

    def _clean_up(self, child: Child) -> None:
        """Clean up after a child that has ended; replace a zygote that ended because it cannot fork safely."""
        del self.children[child.pidfd]
        os.close(child.pidfd)
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        except ChildProcessError:  # it was reaped together with another child's descendants
            code = -signal.SIGKILL
        if child.inbox and code == STARTS_THREADS and child.request["preload"]:
            with contextlib.suppress(OSError):
                self._start_zygote(child.request | {"preload": False}, child.requests, child.inbox)
                return
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._refuse_pending(child, f"The factory's process {how} while it was being imported.")
        end_descendants(own_namespace=False, spare=[each.pid for each in self.children.values()])

    def _give_up(self, child: Child) -> None:
        self._refuse_pending(child, f"Importing it did not end within {child.request['timeout_s']:g} s.")
        child.until = None
        signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)

    def _refuse_pending(self, child: Child, reason: str) -> None:
        """Refuse every request that still waits for `child`."""
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
def _always_exit() -> Any:
    """Run the block in a forked process and exit, whatever happens: it must not return into the worker's code."""
    try:
        yield
    except BaseException as error:  # noqa: BLE001  see above
        sys.stderr.write(f"toolshelf worker: {error!r}\n")
    finally:
        os._exit(70)


def main() -> None:
    """Serve the server process that started this program."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the worker ends when its server ends, and its children with it
    signal.signal(signal.SIGALRM, _exit_soon)
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
    sandbox, refused = probe.choose_sandbox(base, tuple(start["modes"]))
    groups, refused["control groups"] = probe.choose_control_groups(sandbox, tuple(start["modes"]))
    control.send(json.dumps(probe.as_json(sandbox, groups, refused)).encode())
    try:
        Worker(control, sandbox, groups).serve()
    finally:
        end_descendants(own_namespace=False)
        if groups:
            groups.remove()
        remove_tree(scratch)
        os.close(lock)


def _exit_soon(*_: object) -> None:
    """Handle the end of the server, which closes the socket; the alarm ends this process even if it hangs."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_EXIT_LIMIT_S)


def _make_scratch() -> tuple[str, int]:
    """Create the directory that holds the runs' private directories, and lock it. Remove those of dead workers."""
    above = Path("/tmp")  # noqa: S108  the directory below has a random name and is private
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
