"""What of the machine's files a factory and its runs see, in a mount namespace of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playground.worker import syscalls

_CLOSED: Final = "size=4k,mode=000"
_OPEN: Final = "size=1m,mode=755"


@dataclass(frozen=True)
class View:
    """What is seen, and what may be written to.

    Attributes:
        kept: directories that are needed. They are put back where they are in a hidden one.
        hidden: directories that nobody inside sees: the site's database and keys.
        writable: directories that may be written to. Everything else is read-only.
    """

    kept: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


def needed_directories() -> tuple[str, ...]:
    """The directories that importing and running a factory reads."""
    program = Path(sys.executable).resolve().parent
    paths = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(program), *sys.path]
    return tuple(sorted({str(Path(path).resolve()) for path in paths if path and Path(path).is_dir()}))


def is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def private_ancestors(paths: Iterable[str]) -> set[str]:
    """The outermost directories at or above `paths` that other users may not pass through."""
    found = set()
    for path in paths:
        chain = [*reversed(Path(path).parents), Path(path)]
        private = next((each for each in chain if not each.stat().st_mode & 0o001), None)
        if private is not None:
            found.add(str(private))
    return found


def arrange_mounts(view: View, change_user: Callable[[], None] | None) -> None:
    """See nothing but `view`, in mount and user namespaces of this process's own.

    Args:
        view: what is seen.
        change_user: makes this process the namespace's first user, where that is another one than before. It is called
            when all that only the user before can reach has been taken hold of; what the new one cannot reach because
            of a private directory above it is shown to it nevertheless.
    """
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    kept = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in view.kept}
    covers = set(view.hidden)
    if change_user:
        covers |= private_ancestors(kept)
        change_user()
    for cover in sorted(covers, key=len):
        if not os.path.isdir(cover):  # noqa: PTH112  which is False, too, for what this user may not see
            continue
        inside = [path for path in kept if is_within(path, cover)]
        syscalls.mount("tmpfs", cover, "tmpfs", syscalls.MS_NOSUID, _OPEN if inside else _CLOSED)
        for path in inside:
            Path(path).mkdir(parents=True, exist_ok=True)
            syscalls.mount(f"/proc/self/fd/{kept[path]}", path, "", syscalls.MS_BIND | syscalls.MS_REC)
    for path in view.writable:
        syscalls.mount(path, path, "", syscalls.MS_BIND | syscalls.MS_REC)
    syscalls.make_read_only("/")
    for path in view.writable:
        syscalls.make_read_only(path, read_only=False)
    syscalls.mount("proc", "/proc", "proc", syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC)
    for descriptor in kept.values():
        os.close(descriptor)
