"""The files that a factory and its runs can see, in a mount namespace of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playground.runner.worker import syscalls

_CLOSED: Final = "size=4k,mode=000"
_OPEN: Final = "size=1m,mode=755"


@dataclass(frozen=True)
class View:
    """The directories that can be seen and written.

    Attributes:
        needed: directories that stay visible, even inside a hidden one.
        hidden: directories that cannot be seen: the site's database and keys.
        writable: directories that can be written. Everything else is read-only.
    """

    needed: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


def needed_directories() -> tuple[str, ...]:
    """The directories that are read when a factory is imported and run."""
    program = Path(sys.executable).resolve().parent
    paths = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(program), *sys.path]
    return tuple(
        sorted({str(Path(path).resolve()) for path in paths if path and Path(path).is_dir()})
    )


def is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def private_ancestors(paths: Iterable[str]) -> set[str]:
    """The outermost directories at or above `paths` that other users cannot traverse."""
    found = set()
    for path in paths:
        chain = [*reversed(Path(path).parents), Path(path)]
        private = next((each for each in chain if not each.stat().st_mode & 0o001), None)
        if private is not None:
            found.add(str(private))
    return found


def arrange_mounts(view: View, change_user: Callable[[], None] | None) -> None:
    """Restrict this process to `view`, in mount and user namespaces of its own.

    Args:
        view: the directories that stay visible.
        change_user: switches this process to the namespace's first user, if that is a different
            user. It is called after the needed directories were opened as the current user. They
            stay visible even if the new user could not reach them because of a private directory
            above.
    """
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    needed = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in view.needed}
    covers = set(view.hidden)
    if change_user:
        covers |= private_ancestors(needed)
        change_user()
    for cover in sorted(covers, key=len):
        if not os.path.isdir(cover):  # noqa: PTH112  also False if this user has no access
            continue
        inside = [path for path in needed if is_within(path, cover)]
        syscalls.mount("tmpfs", cover, "tmpfs", syscalls.MS_NOSUID, _OPEN if inside else _CLOSED)
        for path in inside:
            Path(path).mkdir(parents=True, exist_ok=True)
            syscalls.mount(
                f"/proc/self/fd/{needed[path]}", path, "", syscalls.MS_BIND | syscalls.MS_REC
            )
    for path in view.writable:
        syscalls.mount(path, path, "", syscalls.MS_BIND | syscalls.MS_REC)
    syscalls.make_read_only("/")
    for path in view.writable:
        syscalls.make_read_only(path, read_only=False)
    syscalls.mount(
        "proc", "/proc", "proc", syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
    )
    for descriptor in needed.values():
        os.close(descriptor)
