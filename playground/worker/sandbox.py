"""What keeps a run away from the rest of the machine, as far as the machine allows it.

Three modes, best first; the worker finds out by trying which one works:

    namespaces  user, process, mount and IPC namespaces: a run sees and signals nothing outside, and files are
                read-only; where the server is root, a run has a user of its own as well
    user        where root may make no namespaces: each factory has a user of its own
    plain       a process group, limits and a clean environment alone
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from playground.worker import syscalls
from playground.worker.mounts import View, arrange_mounts

Mode = Literal["namespaces", "user", "plain"]

_FIRST_UID: Final = 0x7000_0000  # above every range that Linux distributions hand out
_UID_RANGES: Final = 1 << 18  # a power of two
UIDS_PER_FACTORY: Final = 512
_MAX_REASON: Final = 500
_NICENESS: Final = 5  # behind the server, which has to answer meanwhile
_BOUNDED: Final = (
    (resource.RLIMIT_CPU, "cpu_s"),
    (resource.RLIMIT_FSIZE, "file_bytes"),
    (resource.RLIMIT_NOFILE, "open_files"),
    (resource.RLIMIT_NPROC, "processes"),
    (resource.RLIMIT_AS, "memory_bytes"),
)


class IsolationError(OSError):
    """A process could not be set apart."""


@dataclass(frozen=True)
class Sandbox:
    """How processes are set apart on this machine.

    Attributes:
        view: what of the machine's files is seen, and written to, where there are namespaces.
        scratch: the directory below which private directories are made.
        own_users: each factory has users of its own, which only root can give.
    """

    mode: Mode
    view: View
    scratch: str
    own_users: bool = False


@dataclass(frozen=True)
class Surroundings:
    """Where the processes of one factory live.

    Attributes:
        directory: private directories are made here.
        namespace: descriptor of the parent's process namespace, to come back to; -1 without namespaces.
    """

    enclosure: Sandbox
    directory: str
    namespace: int = -1


# Parents: one per factory


def fork_isolated(enclosure: Sandbox) -> tuple[int, Surroundings | None]:
    """Fork a process that is set apart, for one factory.

    Returns:
        tuple: here the child's number and None; in the child 0 and its place.

    Raises:
        SetApartError: the machine does not allow it. In the child, any OSError.
    """
    if enclosure.mode == "namespaces":
        return _fork_into_namespaces(enclosure)
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(told)
        return 0, _settled(enclosure, tell)
    os.close(tell)
    try:
        _expect_settled(told)
    except IsolationError:
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(told)
    return pid, None


def _settled(enclosure: Sandbox, tell: int) -> Surroundings:
    """In the forked process: take up its place, or say why that cannot be, and end."""
    try:
        place = _take_up(enclosure)
        _settle_parent()
    except BaseException as error:  # noqa: BLE001  a forked process must not run on in the worker's code
        os.write(tell, f"!{error}".encode()[:_MAX_REASON])
        os._exit(1)
    os.close(tell)
    return place


def _take_up(enclosure: Sandbox) -> Surroundings:
    if enclosure.mode == "namespaces":
        arrange_mounts(enclosure.view, (lambda: _change_user(0)) if enclosure.own_users else None)
        return Surroundings(enclosure, enclosure.scratch, os.open("/proc/self/ns/pid", os.O_RDONLY))
    directory = Path(enclosure.scratch) / str(os.getpid())
    directory.mkdir(mode=0o700)
    if enclosure.mode == "user":
        uid = _free_uids()
        os.chown(directory, uid, uid)
        _change_user(uid)
    return Surroundings(enclosure, str(directory))


def _expect_settled(told: int) -> None:
    """Wait until the forked process has taken up its place.

    Raises:
        SetApartError: it could not.
    """
    answer = os.read(told, _MAX_REASON)
    if answer:
        raise IsolationError(answer.decode(errors="replace").lstrip("!"))


def _settle_parent() -> None:
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


def _free_uids() -> int:
    """The first of `UIDS_PER_FACTORY` user numbers that hardly anybody else has."""
    return _FIRST_UID + UIDS_PER_FACTORY * (int.from_bytes(os.urandom(4), "big") % _UID_RANGES)


def _fork_into_namespaces(enclosure: Sandbox) -> tuple[int, Surroundings | None]:
    """Fork twice: the first child makes the namespaces and ends, the second is their first process."""
    told, tell = os.pipe()
    heard, say = os.pipe()
    first = os.fork()
    if first:
        os.close(tell)
        os.close(heard)
        try:
            return _watch_namespaces(enclosure, first, told, say), None
        finally:
            os.close(told)
            os.close(say)
    os.close(told)
    os.close(say)
    try:
        second = _make_namespaces(enclosure, tell, heard)
        if second:
            os.write(tell, str(second).encode())
            os._exit(0)
        if os.read(heard, 1) != b"+":
            os._exit(1)
        os.close(heard)
    except BaseException as error:  # noqa: BLE001  a forked process must not run on in the worker's code
        os.write(tell, f"!{error}".encode()[:_MAX_REASON])
        os._exit(1)
    return 0, _settled(enclosure, tell)


def _watch_namespaces(enclosure: Sandbox, first: int, told: int, say: int) -> int:
    """See to it that the namespaces have their users; return the number of their first process."""
    try:
        pid = _map_users(enclosure, first, told, say)
    except OSError:
        os.kill(first, signal.SIGKILL)
        os.waitpid(first, 0)
        raise
    os.waitpid(first, 0)
    os.write(say, b"+")  # not before: the end of the process between must not be taken for that of the parent
    try:
        _expect_settled(told)
    except IsolationError:
        os.waitpid(pid, 0)
        raise
    return pid


def _make_namespaces(enclosure: Sandbox, tell: int, heard: int) -> int:
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID | syscalls.CLONE_NEWIPC)
    if not enclosure.own_users:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    os.write(tell, b"+")
    if os.read(heard, 1) != b"+":
        raise IsolationError("its users could not be set")
    return os.fork()


def _map_users(enclosure: Sandbox, first: int, told: int, say: int) -> int:
    """Give the new namespace users that nobody else has; return its first process.

    Raises:
        SetApartError: it could not be made.
    """
    answer = os.read(told, _MAX_REASON)
    if answer == b"+":
        if enclosure.own_users:
            users = f"0 {_free_uids()} {UIDS_PER_FACTORY}"
            Path(f"/proc/{first}/uid_map").write_text(users)
            Path(f"/proc/{first}/gid_map").write_text(users)
        os.write(say, b"+")
        answer = os.read(told, _MAX_REASON)
    if not answer.isdigit():
        raise IsolationError(answer.decode(errors="replace").lstrip("!") or "its first process ended")
    return int(answer)


# Keepers: one per run at a time


def fork_keeper(place: Surroundings) -> int:
    """Fork a keeper; with namespaces it is the first process of its own. The number of the child, 0 in the keeper."""
    if place.namespace < 0:
        return os.fork()
    syscalls.unshare(syscalls.CLONE_NEWPID)
    pid = os.fork()
    if pid:
        syscalls.setns(place.namespace, syscalls.CLONE_NEWPID)
    return pid


def settle_keeper(place: Surroundings) -> None:
    """Make a forked process a keeper: it ends with its parent, and what its runs leave behind comes to it."""
    syscalls.die_with_parent()
    syscalls.adopt_orphans()
    if place.namespace >= 0:
        syscalls.unshare(syscalls.CLONE_NEWNS)
        syscalls.mount("proc", "/proc", "proc", syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC)


# Runs


def enter_run(place: Surroundings, slot: int) -> None:
    """Make this forked process one for a run: it has no rights, and does not outlive its keeper."""
    if place.namespace >= 0:
        syscalls.unshare(syscalls.CLONE_NEWIPC)
        if place.enclosure.own_users:
            _change_user(slot)
    syscalls.drop_capabilities()
    syscalls.allow_inspection(allowed=True)
    syscalls.die_with_parent()
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(file, b"1000")  # when memory is short, this goes first
        os.close(file)


def bound(bounds: dict[str, int]) -> None:
    """Bound what this process and those that it starts may use, for good, in a session of their own.

    Args:
        bounds: {"memory_bytes", "file_bytes", "open_files", "processes", "cpu_s"}, see `playground.runner.Limits`.
    """
    os.setsid()
    for kind, name in _BOUNDED:
        _, hard = resource.getrlimit(kind)
        limit = bounds[name] if hard == resource.RLIM_INFINITY else min(bounds[name], hard)
        resource.setrlimit(kind, (limit, limit))
