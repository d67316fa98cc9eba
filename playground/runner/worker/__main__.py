"""The worker: the one program that a server process starts.

It forks zygotes, and ends the processes they leave behind.

It sets up the isolation of runs, and runs no tool code itself; it imports only modules that its
server names, which are Toolshelf's own, so that the processes forked from it share them. Its server
talks to it over a SOCK_SEQPACKET socket, whose descriptor is the last argument. The first message
configures the worker, which answers how processes can be isolated here. Then:

    {"op": "supervise", "key", "network", …}, a socket, a file
            a run supervisor of the factory serves the socket; the other members are for the zygote
    {"op": "describe", "reference", "network", "timeout_s"}, a socket, a file
            import the factory; the description goes to the socket
    {"op": "retire", "key"}
            end the factory's zygote and all its runs

The file has the environment variables of the factory. The worker does not read it, because its own
memory is copied into the processes of every factory.

When the server closes the socket, or ends, everything ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from playground.runner.worker import probe
from playground.runner.worker.cgroups import ControlGroups, Membership
from playground.runner.worker.fd_passing import receive
from playground.runner.worker.kill import end_descendants
from playground.runner.worker.mounts import View, needed_directories
from playground.runner.worker.network import Network
from playground.runner.worker.sandbox import (
    FactoryDirectory,
    IsolationError,
    Sandbox,
    fork_isolated,
)
from playground.runner.worker.scratch import remove_tree
from playground.runner.worker.syscalls import adopt_orphans, close_all_but, die_with_parent
from playground.runner.worker.zygote import STARTS_THREADS, become_describer, become_zygote, refuse
from toolshelf_tools.pydantic_types import warm_up

_MAX_WAIT_MS: Final = 5000
_SCRATCH_PREFIX: Final = "toolshelf-runs-"
_STALE_AFTER_S: Final = 60
_EXIT_LIMIT_S: Final = 5
_NO_PLUGINS: Final = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}


@dataclass
class Child:
    """A child process of the worker: a zygote, or a describer, which only describes a factory.

    Attributes:
        requests, inbox: the two ends of the socket for requests to a zygote. The worker holds both,
            so that it can replace the zygote. For a describer, `requests` is the socket for the
            description.
        key: identifies a zygote; "" for a describer.
        until: monotonic time by which the description must have been sent.
        environment: the file with the factory's environment variables; -1 once a describer has it.
        proxy: pid of the factory's proxy, if its network has one.
    """

    request: dict[str, Any]
    pid: int
    pidfd: int
    requests: socket.socket
    inbox: socket.socket | None = None
    key: str = ""
    until: float | None = None
    environment: int = -1
    proxy: int = 0


@dataclass
class Worker:
    """The worker's state: its server, and its children by pidfd.

    Attributes:
        networks: why a network cannot be enforced here; "" if it can.
    """

    control: socket.socket
    sandbox: Sandbox
    groups: ControlGroups | None
    networks: dict[str, str]
    preload: list[str] = field(default_factory=list)  # modules that are still to be imported
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
            for child in [
                child
                for child in self.children.values()
                if child.until and child.until < time.monotonic()
            ]:
                self._time_out(child)
            if self.control.fileno() in ready and not self._serve_request():
                return
            if self.preload and not ready:  # requests come first
                self._import_next()

    def _import_next(self) -> None:
        try:
            importlib.import_module(self.preload.pop(0))
        except Exception as error:  # noqa: BLE001
            # Whatever importing it raises; the factory's zygote reports it.
            sys.stderr.write(
                f"toolshelf worker: a module could not be imported in advance: {error!r}\n"
            )
        if not self.preload:
            _freeze()

    def _wait_ms(self) -> int:
        if self.preload:
            return 0
        moments = [child.until for child in self.children.values() if child.until]
        return (
            _MAX_WAIT_MS
            if not moments
            else max(0, round((min(moments) - time.monotonic()) * 1000) + 1)
        )

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
            self._ask_zygote(request, *descriptors)
        elif request["op"] == "describe":
            self._describe(request, socket.socket(fileno=descriptors[0]), descriptors[1])
        elif request["op"] == "retire" and (zygote := self._zygote(request["key"])):
            signal.pidfd_send_signal(zygote.pidfd, signal.SIGKILL)
        return True

    def _zygote(self, key: str) -> Child | None:
        return next((child for child in self.children.values() if child.key == key), None)

    def _zygote_for(self, request: dict[str, Any], environment: int) -> Child:
        """The zygote of the request's key, which is started if need be.

        Raises:
            OSError: it cannot be started.
        """
        zygote = self._zygote(request["key"])
        if zygote is None:
            pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            return self._start_zygote(request, environment, *pair)
        os.close(environment)
        return zygote

    def _ask_zygote(self, request: dict[str, Any], server: int, environment: int) -> None:
        """Ask the factory's zygote for a run supervisor."""
        with socket.socket(fileno=server) as client:
            try:
                zygote = self._zygote_for(request, environment)
                with self._group(request) as group:
                    message = json.dumps({"kills_file": group.kills_file}).encode()
                    socket.send_fds(zygote.requests, [message], [server, *group.descriptors])
            except OSError as error:
                refuse(client, f"The factory has no process: {error}")

    @contextlib.contextmanager
    def _group(self, request: dict[str, Any]) -> Iterator[Membership]:
        """A control group for a run supervisor, if the machine has control groups."""
        group = Membership((), "")
        if self.groups:
            try:
                group = self.groups.make(
                    memory_bytes=request["memory_bytes"], processes=request["processes"]
                )
            except OSError as error:
                sys.stderr.write(f"toolshelf worker: a run has no control group: {error}\n")
        yield group
        for descriptor in group.descriptors:
            os.close(descriptor)

    def _fork(self, network: Network) -> tuple[int, FactoryDirectory | None, int]:
        """Fork an isolated process with this network: its pid and its proxy's.

        The child gets 0 and the directory.

        Raises:
            OSError: the machine does not allow it.
        """
        if reason := self.networks.get(network):
            raise IsolationError(
                f'its network is set to "{network}", which cannot be enforced on this machine: '
                f"{reason}."
            )
        sandbox = replace(self.sandbox, network=network)
        if network != "outward":
            return *fork_isolated(sandbox), 0
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            pid, factory_directory = fork_isolated(sandbox, theirs)
            if factory_directory is not None:
                return 0, factory_directory, 0
            try:
                return pid, None, _start_proxy(ours)
            except OSError:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                raise

    def _start_zygote(
        self,
        request: dict[str, Any],
        environment: int,
        requests: socket.socket,
        inbox: socket.socket,
    ) -> Child:
        pid, factory_directory, proxy = self._fork(request["network"])
        if factory_directory is not None:
            with _always_exit():
                close_all_but(inbox.fileno(), factory_directory.namespace, environment)
                become_zygote(factory_directory, inbox, request, environment)
        child = Child(
            request,
            pid,
            os.pidfd_open(pid),
            requests,
            inbox,
            request["key"],
            environment=environment,
            proxy=proxy,
        )
        self.children[child.pidfd] = child
        return child

    def _describe(self, request: dict[str, Any], server: socket.socket, environment: int) -> None:
        try:
            pid, factory_directory, proxy = self._fork(request["network"])
        except OSError as error:
            refuse(server, f"The factory has no process: {error}")
            server.close()
            os.close(environment)
            return
        if factory_directory is not None:
            with _always_exit():
                close_all_but(server.fileno(), environment)
                become_describer(server, request["reference"], environment)
        os.close(environment)
        until = time.monotonic() + request["timeout_s"]
        child = Child(request, pid, os.pidfd_open(pid), server, until=until, proxy=proxy)
        self.children[child.pidfd] = child

    def _clean_up(self, child: Child) -> None:
        """Clean up after a child that has ended.

        Replace a zygote that ended because it cannot fork safely.
        """
        del self.children[child.pidfd]
        os.close(child.pidfd)
        try:
            code = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        except ChildProcessError:  # it was reaped together with another child's descendants
            code = -signal.SIGKILL
        if child.inbox and code == STARTS_THREADS and child.request["preload"]:
            with contextlib.suppress(OSError):
                self._start_zygote(
                    child.request | {"preload": False},
                    child.environment,
                    child.requests,
                    child.inbox,
                )
                return
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._refuse_pending(child, f"The factory's process {how} while it was being imported.")
        if child.environment >= 0:
            os.close(child.environment)
        children = self.children.values()
        end_descendants(
            own_namespace=False, spare=[pid for each in children for pid in (each.pid, each.proxy)]
        )

    def _time_out(self, child: Child) -> None:
        self._refuse_pending(
            child, f"Importing it did not end within {child.request['timeout_s']:g} s."
        )
        child.until = None
        signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)

    def _refuse_pending(self, child: Child, reason: str) -> None:
        """Refuse every request that still waits for `child`."""
        if not child.inbox:
            refuse(child.requests, reason)
        while child.inbox and (received := receive(child.inbox)) and received[0]:
            server, *joining = received[
                1
            ]  # the other descriptors are for the run supervisor's control group
            with socket.socket(fileno=server) as client:
                refuse(client, reason)
            for descriptor in joining:
                os.close(descriptor)
        if child.inbox:
            child.inbox.close()
        child.requests.close()


def _start_proxy(received: socket.socket) -> int:
    """Fork a proxy for the listening socket that arrives at `received`, and return its pid.

    Raises:
        OSError: no socket has arrived.
    """
    message = receive(received)
    if message is None or not message[1]:
        raise OSError("the socket of its proxy was not made")
    listening = message[1][0]
    pid = os.fork()
    if not pid:
        with _always_exit():
            close_all_but(listening)
            from playground.runner.worker.proxy import serve_proxy  # noqa: PLC0415  see there

            serve_proxy(listening, own_user=os.geteuid() == 0)
    os.close(listening)
    return pid


@contextlib.contextmanager
def _always_exit() -> Any:
    """Run the block in a forked process and exit, whatever happens.

    It must not return into the worker's code.
    """
    try:
        yield
    except BaseException as error:  # noqa: BLE001  see above
        sys.stderr.write(f"toolshelf worker: {error!r}\n")
    finally:
        os._exit(70)


def main() -> None:
    """Serve the server process that started this program."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # The worker ends with its server, and its children with it.
        signal.signal(number, signal.SIG_IGN)
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
    networks = probe.choose_networks(sandbox, tuple(start["modes"]))
    try:
        _load_types()
        _show_logs()
        _freeze()
        with contextlib.suppress(
            BrokenPipeError
        ):  # the server has ended in the meantime, which `serve` notices
            control.send(json.dumps(probe.as_json(sandbox, groups, networks, refused)).encode())
        Worker(control, sandbox, groups, networks, start["preload"]).serve()
    finally:
        end_descendants(own_namespace=False)
        if groups:
            groups.remove()
        remove_tree(scratch)
        os.close(lock)


def _load_types() -> None:
    """Load pydantic, and the modules that it loads on its first use.

    All processes forked from this one share them.

    It takes 120 ms, which otherwise every zygote would take, and memory that they now share.
    Plugins of pydantic are other people's code: only isolated processes load them.
    """
    os.environ.update(_NO_PLUGINS)
    try:
        warm_up()
    finally:
        for name in _NO_PLUGINS:
            del os.environ[name]


def _show_logs() -> None:
    """Write log messages from level INFO to standard error.

    This is for tools that do not configure logging.

    Python's own default begins at WARNING. A tool that configures logging itself is not affected.
    """
    logging.root.setLevel(logging.INFO)
    if handler := logging.lastResort:
        handler.setLevel(logging.INFO)
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))


def _freeze() -> None:
    """Exempt everything that exists from garbage collection.

    Collection would copy every page in a forked process.
    """
    gc.collect()
    gc.freeze()


def _exit_soon(*_: object) -> None:
    """Handle the end of the server, which closes the socket.

    The alarm ends this process even if it hangs.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_EXIT_LIMIT_S)


def _make_scratch() -> tuple[str, int]:
    """Create the directory that holds the runs' private directories, and lock it.

    Remove those of dead workers.
    """
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
