"""Forbid sockets that a network namespace does not contain.

Those to the host of a virtual machine are examples.

The filter applies to this process and all its descendants, and cannot be removed. It also forbids
io_uring, which creates sockets without the system call that the filter watches.

Source: Linux, Documentation/userspace-api/seccomp_filter.rst; the numbers are those of
<linux/audit.h> and <asm/unistd.h>.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
from typing import Final

from playground.runner.worker import syscalls

ALLOWED_FAMILIES: Final = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)

# By machine: the architecture in a filter, and the number of the system call "socket".
_MACHINES: Final = {"x86_64": (0xC000_003E, 41), "aarch64": (0xC000_00B7, 198)}
_IO_URING_SETUP: Final = 425
_X32: Final = 0x4000_0000  # system calls of x86_64's second interface have this bit

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data
_ALLOW: Final = 0x7FFF_0000
_FAIL: Final = 0x0005_0000  # with an error number
_INSTRUCTION: Final = struct.Struct("HBBI")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def forbid_other_sockets() -> None:
    """Allow this process only sockets of `ALLOWED_FAMILIES`.

    Raises:
        OSError: the kernel does not allow it, or its system calls have unknown numbers.
    """
    if platform.machine() not in _MACHINES:
        raise OSError(errno.ENOSYS, f"sockets cannot be limited on {platform.machine()}")
    instructions = b"".join(
        _INSTRUCTION.pack(*each) for each in _instructions(*_MACHINES[platform.machine()])
    )
    syscalls.filter_system_calls(_Program(len(instructions) // _INSTRUCTION.size, instructions))


def _instructions(architecture: int, socket_call: int) -> list[tuple[int, int, int, int]]:
    """The filter: (operation, how many to skip if true, if false, operand)."""
    families = list(map(int, ALLOWED_FAMILIES))
    count = len(families)
    return [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 0, count + 6, architecture),  # else it fails: programs of another architecture
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, count + 4, 0, _X32),
        (_EQUAL, count + 3, 0, _IO_URING_SETUP),
        (_EQUAL, 0, count + 3, socket_call),
        (_LOAD, 0, 0, _ARGUMENT_AT),
        *((_EQUAL, count - at + 1, 0, family) for at, family in enumerate(families)),
        (_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
