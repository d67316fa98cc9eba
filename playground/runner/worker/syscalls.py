"""The system calls of Linux that Python 3.11 does not offer, as functions that raise OSError."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path
from typing import Final

CLONE_NEWNS: Final = 0x0002_0000
CLONE_NEWIPC: Final = 0x0800_0000
CLONE_NEWUSER: Final = 0x1000_0000
CLONE_NEWPID: Final = 0x2000_0000
CLONE_NEWNET: Final = 0x4000_0000

MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_CAPBSET_DROP: Final = 24
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_NO_NEW_PRIVS: Final = 38
_MODE_FILTER: Final = ctypes.c_ulong(2)
_SYS_CLOSE_RANGE: Final = 436
_SYS_MOUNT_SETATTR: Final = 442
_AT_FDCWD: Final = -100
_AT_RECURSIVE: Final = 0x8000
_MOUNT_ATTR_RDONLY: Final = 1
_MOUNT_ATTR_NOSUID: Final = 2
_LAST_CAPABILITY: Final = Path("/proc/sys/kernel/cap_last_cap")

_libc: Final = ctypes.CDLL(None, use_errno=True)
_ZERO: Final = ctypes.c_ulong(0)


class _Capabilities(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


_THIS_PROCESS: Final = _CapabilityHeader(0x2008_0522, 0)
_NOTHING: Final = (_Capabilities * 2)()


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _prctl(option: int, value: int, what: str) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), _ZERO, _ZERO, _ZERO), what)


def die_with_parent(number: signal.Signals = signal.SIGKILL) -> None:
    """Get a signal when the thread that started this process ends.

    Every change of the user resets this.

    There is no signal if the parent has already ended; to notice that, compare `os.getppid()`
    afterwards.
    """
    _prctl(_PR_SET_PDEATHSIG, number, "prctl(PDEATHSIG)")


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, "prctl(CHILD_SUBREAPER)")


def refuse_new_privileges() -> None:
    """Ensure that no program started from here gains privileges.

    Programs gain them by a set-user-id bit or by file capabilities.
    """
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, "prctl(NO_NEW_PRIVS)")


def filter_system_calls(program: ctypes.Structure) -> None:
    """Install a seccomp filter (`struct sock_fprog`) for this process and all that it starts."""
    address = ctypes.addressof(program)
    _check(
        _libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.c_ulong(address), _ZERO, _ZERO),
        "prctl(SECCOMP)",
    )


def allow_inspection(allowed: bool) -> None:
    """Set whether other processes of the same user may read this one's memory and environment."""
    _prctl(_PR_SET_DUMPABLE, int(allowed), "prctl(DUMPABLE)")


def gain_no_capabilities() -> None:
    """Ensure that no program started from here gains a capability."""
    for capability in range(int(_LAST_CAPABILITY.read_text()) + 1):
        if _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            return  # without CAP_SETPCAP there is nothing to lose


def drop_capabilities() -> None:
    """Drop all capabilities."""
    _check(_libc.capset(ctypes.byref(_THIS_PROCESS), ctypes.byref(_NOTHING)), "capset")


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int, kind: int) -> None:
    _check(_libc.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    arguments = [os.fsencode(text) for text in (source, target, kind)]
    _check(
        _libc.mount(*arguments, ctypes.c_ulong(flags), os.fsencode(options) or None),
        f"mount {target}",
    )


def unmount(target: str) -> None:
    """Detach the mount at `target`; its content is freed when no process uses it any more."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"umount {target}")


def make_read_only(path: str, *, read_only: bool = True) -> None:
    """Make everything mounted at or below `path` read-only.

    With `read_only=False`, make it writable again.
    """
    attributes = _MountAttributes(attr_set=_MOUNT_ATTR_NOSUID)
    if read_only:
        attributes.attr_set |= _MOUNT_ATTR_RDONLY
    else:
        attributes.attr_clr = _MOUNT_ATTR_RDONLY
    result = _libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(path),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _check(result, f"mount_setattr {path}")


def close_from(first: int) -> None:
    """Close every descriptor from `first` on in one system call.

    `os.closerange` uses it only in some builds.
    """
    arguments = [ctypes.c_uint(argument) for argument in (first, 0xFFFF_FFFF, 0)]
    _check(_libc.syscall(ctypes.c_long(_SYS_CLOSE_RANGE), *arguments), "close_range")


def close_all_but(*spared: int) -> None:
    """Close every descriptor except the standard ones and `spared`."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  names of descriptors, not files
        if int(name) > 2 and int(name) not in spared:
            with contextlib.suppress(OSError):  # the descriptor of the listing itself
                os.close(int(name))


def flush_c_output() -> None:
    """Flush the output buffers of C code in this process."""
    _libc.fflush(None)
