"""Isolate runs from the rest of the machine, as far as the machine allows it.

There are two modes, each with or without users of its own, which only root can assign. The worker
uses the first that works (`probe`):

    namespaces and users  user, process, mount and IPC namespaces: a run sees and signals nothing
                          outside, and files are read-only; each run has its own user
    namespaces            the same with the user of the server
    users                 plain, but the runs of a factory have their own user, which can read only
                          what every user can
    plain                 only a process group, limits and a clean environment

"users" is for a container that runs as root and may not create namespaces, as Docker's defaults
are. There, in "plain", a run is root like the server: it reads files that only the site may read,
and can send signals to the server, so that four of the tests in
tests/playground/runner/test_own_users.py fail. Its processes have no capabilities in either mode.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from playground.runner.worker import syscalls
from playground.runner.worker.mounts import View, arrange_mounts
from playground.runner.worker.network import Network, arrange_network
from playground.runner.worker.socket_filter import forbid_other_sockets

Mode = Literal["namespaces", "plain"]

_FIRST_UID: Final = 0x7000_0000  # above every range that Linux distributions hand out
_UID_RANGES: Final = 1 << 18  # a power of two
UIDS_PER_FACTORY: Final = 512
_MAX_REASON: Final = 500
_NICENESS: Final = 5  # lower priority than the server, which has to stay responsive
_BOUNDED: Final = (
    (resource.RLIMIT_CPU, "cpu_s"),
    (resource.RLIMIT_FSIZE, "file_bytes"),
    (resource.RLIMIT_NOFILE, "open_files"),
    (resource.RLIMIT_NPROC, "processes"),
    (resource.RLIMIT_AS, "address_space_bytes"),
)


class IsolationError(OSError):
    """A process could not be isolated."""


@dataclass(frozen=True)
class Sandbox:
    """How processes are isolated on this machine.

    Attributes:
        view: with namespaces, the files that may be read and written.
        scratch: the directory that holds the private directories.
        own_users: each factory has its own users, which only root can assign: with namespaces one
            per run, else one.
        network: with namespaces, a network other than "all".
    """

    mode: Mode
    view: View
    scratch: str
    own_users: bool = False
    network: Network = "all"


@dataclass(frozen=True)
class FactoryDirectory:
    """The directory and namespace of one factory's processes.

    Attributes:
        path: the directory that contains the private directories of runs.
        namespace: descriptor of the zygote's PID namespace, to return to; -1 without namespaces.
    """

    sandbox: Sandbox
    path: str
    namespace: int = -1


# Zygotes: one per factory


def fork_isolated(
    sandbox: Sandbox, proxy_socket: socket.socket | None = None
) -> tuple[int, FactoryDirectory | None]:
    """Fork an isolated process for one factory.

    `proxy_socket`: for the network "outward", where the process sends the listening socket of its
    proxy.

    Returns:
        tuple: in this process the child's pid and None; in the child 0 and the directory of its
            factory.

    Raises:
        IsolationError: the machine does not allow it. In the child, any OSError.
    """
    if sandbox.mode == "namespaces":
        return _fork_into_namespaces(sandbox, proxy_socket)
    if sandbox.network != "all":
        raise IsolationError(f'the network "{sandbox.network}" needs namespaces')
    status_read, status_write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(status_read)
        return 0, _settled(sandbox, status_write, proxy_socket)
    os.close(status_write)
    try:
        _expect_settled(status_read)
    except IsolationError:
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(status_read)
    return pid, None


def _settled(
    sandbox: Sandbox, status_write: int, proxy_socket: socket.socket | None
) -> FactoryDirectory:
    """In the forked process: isolate it, or write the reason why that failed, and exit."""
    try:
        factory_directory = _take_up(sandbox, proxy_socket)
        _settle_zygote()
    except BaseException as error:  # noqa: BLE001
        # A forked process must not continue in the worker's code.
        os.write(status_write, f"!{error}".encode()[:_MAX_REASON])
        os._exit(1)
    os.close(status_write)
    return factory_directory


def _take_up(sandbox: Sandbox, proxy_socket: socket.socket | None) -> FactoryDirectory:
    if sandbox.mode == "namespaces":
        view = sandbox.view
        if (
            sandbox.network != "all"
        ):  # the sockets of services, of databases for instance, are files there
            view = replace(view, hidden=(*view.hidden, "/run"))
        arrange_mounts(view, (lambda: _change_user(0)) if sandbox.own_users else None)
        if sandbox.network != "all":
            arrange_network(sandbox.network, proxy_socket)
            forbid_other_sockets()
        return FactoryDirectory(sandbox, sandbox.scratch, os.open("/proc/self/ns/pid", os.O_RDONLY))
    directory = Path(sandbox.scratch) / str(os.getpid())
    directory.mkdir(mode=0o700)
    if sandbox.own_users:
        uid = _free_uids()
        os.chown(directory, uid, uid)
        syscalls.gain_no_capabilities()
        _change_user(uid)
    return FactoryDirectory(sandbox, str(directory))


def _expect_settled(status_read: int) -> None:
    """Wait until the forked process is isolated.

    Raises:
        IsolationError: that failed.
    """
    answer = os.read(status_read, _MAX_REASON)
    if answer:
        raise IsolationError(answer.decode(errors="replace").lstrip("!"))


def _settle_zygote() -> None:
    syscalls.die_with_parent()
    syscalls.adopt_orphans()
    syscalls.refuse_new_privileges()
    syscalls.gain_no_capabilities()
    syscalls.allow_inspection(allowed=False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _change_user(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_rights(*, own_user: bool) -> None:
    """Drop all rights of this process.

    With `own_user`, which needs root, it also becomes a user that owns nothing.
    """
    syscalls.refuse_new_privileges()
    if own_user:
        _change_user(_free_uids())
    syscalls.drop_capabilities()
    syscalls.allow_inspection(allowed=False)


def _free_uids() -> int:
    """The first of `UIDS_PER_FACTORY` user ids from a random range.

    They are very unlikely to be in use elsewhere.
    """
    return _FIRST_UID + UIDS_PER_FACTORY * (int.from_bytes(os.urandom(4), "big") % _UID_RANGES)


def _fork_into_namespaces(
    sandbox: Sandbox, proxy_socket: socket.socket | None
) -> tuple[int, FactoryDirectory | None]:
    """Fork twice.

    The first child creates the namespaces and exits, the second is their first process.
    """
    status_read, status_write = os.pipe()
    go_read, go_write = os.pipe()
    first = os.fork()
    if first:
        os.close(status_write)
        os.close(go_read)
        try:
            return _watch_namespaces(sandbox, first, status_read, go_write), None
        finally:
            os.close(status_read)
            os.close(go_write)
    os.close(status_read)
    os.close(go_write)
    try:
        second = _make_namespaces(sandbox, status_write, go_read)
        if second:
            os.write(status_write, str(second).encode())
            os._exit(0)
        if os.read(go_read, 1) != b"+":
            os._exit(1)
        os.close(go_read)
    except BaseException as error:  # noqa: BLE001
        # A forked process must not continue in the worker's code.
        os.write(status_write, f"!{error}".encode()[:_MAX_REASON])
        os._exit(1)
    return 0, _settled(sandbox, status_write, proxy_socket)


def _watch_namespaces(sandbox: Sandbox, first: int, status_read: int, go_write: int) -> int:
    """Set up the users of the namespaces; return the pid of their first process."""
    try:
        pid = _map_users(sandbox, first, status_read, go_write)
    except OSError:
        os.kill(first, signal.SIGKILL)
        os.waitpid(first, 0)
        raise
    os.waitpid(first, 0)
    # Only now: the zygote must not mistake the exit of the first child for that of its parent.
    os.write(go_write, b"+")
    try:
        _expect_settled(status_read)
    except IsolationError:
        os.waitpid(pid, 0)
        raise
    return pid


def _make_namespaces(sandbox: Sandbox, status_write: int, go_read: int) -> int:
    uid, gid = os.geteuid(), os.getegid()
    network = syscalls.CLONE_NEWNET if sandbox.network != "all" else 0
    others = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID | syscalls.CLONE_NEWIPC
    syscalls.unshare(syscalls.CLONE_NEWUSER | others | network)
    if not sandbox.own_users:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    os.write(status_write, b"+")
    if os.read(go_read, 1) != b"+":
        raise IsolationError("its users could not be set")
    return os.fork()


def _map_users(sandbox: Sandbox, first: int, status_read: int, go_write: int) -> int:
    """Map users that are not in use elsewhere into the new namespace.

    Return the pid of its first process.

    Raises:
        IsolationError: the namespace could not be created.
    """
    answer = os.read(status_read, _MAX_REASON)
    if answer == b"+":
        if sandbox.own_users:
            users = f"0 {_free_uids()} {UIDS_PER_FACTORY}"
            Path(f"/proc/{first}/uid_map").write_text(users)
            Path(f"/proc/{first}/gid_map").write_text(users)
        os.write(go_write, b"+")
        answer = os.read(status_read, _MAX_REASON)
    if not answer.isdigit():
        raise IsolationError(
            answer.decode(errors="replace").lstrip("!") or "its first process ended"
        )
    return int(answer)


# Run supervisors: one run at a time each


def fork_supervisor(factory_directory: FactoryDirectory) -> int:
    """Fork a run supervisor; with namespaces, as the first process of a new one.

    Return the child's pid, or 0 in the child.
    """
    if factory_directory.namespace < 0:
        return os.fork()
    syscalls.unshare(syscalls.CLONE_NEWPID)
    pid = os.fork()
    if pid:
        syscalls.setns(factory_directory.namespace, syscalls.CLONE_NEWPID)
    return pid


def settle_supervisor(factory_directory: FactoryDirectory) -> None:
    """Make this forked process a run supervisor.

    It ends with its zygote, and adopts orphaned processes of its runs.
    """
    syscalls.die_with_parent()
    syscalls.adopt_orphans()
    if factory_directory.namespace >= 0:
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount(
            "proc", "/proc", "proc", syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
        )


# Runs


def enter_run(factory_directory: FactoryDirectory, slot: int) -> None:
    """Prepare this forked process for a run.

    It has no privileges, and does not outlive its run supervisor.
    """
    if factory_directory.namespace >= 0:
        syscalls.unshare(syscalls.CLONE_NEWIPC)
        if factory_directory.sandbox.own_users:
            _change_user(slot)
    syscalls.drop_capabilities()
    syscalls.allow_inspection(allowed=True)
    syscalls.die_with_parent()
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(file, b"1000")  # when memory is short, the kernel kills this process first
        os.close(file)


def limit_resources(bounds: dict[str, int]) -> None:
    """Limit, irrevocably, the resources of this process and those that it starts.

    They get a session of their own.

    `bounds`: {"address_space_bytes", "file_bytes", "open_files", "processes", "cpu_s"}, see
    `runner.Limits`.
    """
    os.setsid()
    for kind, name in _BOUNDED:
        _, hard = resource.getrlimit(kind)
        limit = bounds[name] if hard == resource.RLIM_INFINITY else min(bounds[name], hard)
        resource.setrlimit(kind, (limit, limit))
