"""Limit the memory and processes of a run by control groups, if the machine allows it.

Each run supervisor gets its own group before its first run, and all its runs are started in it.
Both versions of Linux's control groups are supported; of version 2, only a parent group that
already delegates "memory" and "pids".

Source: Linux, Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_PREFIX: Final = "toolshelf-"
# For the run supervisor itself, and for the kernel's own memory for a run.
_HEADROOM_BYTES: Final = 64 * 2**20
_HEADROOM_PROCESSES: Final = 8
_YOUNG_S: Final = 120.0
_CONTROLLERS: Final = ("memory", "pids")


@dataclass(frozen=True)
class Membership:
    """The descriptors of a run supervisor's group, and the file that counts OOM kills."""

    descriptors: tuple[int, ...]
    kills_file: str

    def join(self) -> None:
        """Move this process, and thereby all processes it will start, into the group.

        Raises:
            OSError: the group has been removed, or does not admit this process.
        """
        for descriptor in self.descriptors:
            os.write(descriptor, b"0")


@dataclass
class ControlGroups:
    """The groups of one worker.

    Attributes:
        homes: the directory in which groups are created, for "memory" and for "pids"; the same one
            in version 2.
        unified: whether the machine uses version 2.
    """

    homes: dict[str, Path]
    unified: bool
    _made: int = 0
    _young: dict[str, float] = field(default_factory=dict)

    def make(self, *, memory_bytes: int, processes: int) -> Membership:
        """Create a group with these limits.

        Raises:
            OSError: the machine does not allow it.
        """
        self._clear()
        self._made += 1
        name = f"run-{self._made}"
        self._young[name] = time.monotonic()
        directories = {controller: home / name for controller, home in self.homes.items()}
        for directory in set(directories.values()):
            directory.mkdir(parents=True)
        memory, bytes_allowed = directories["memory"], str(memory_bytes + _HEADROOM_BYTES)
        (memory / ("memory.max" if self.unified else "memory.limit_in_bytes")).write_text(
            bytes_allowed
        )
        with contextlib.suppress(OSError):  # the kernel may not count swap
            swap, most = (
                ("memory.swap.max", "0")
                if self.unified
                else ("memory.memsw.limit_in_bytes", bytes_allowed)
            )
            (memory / swap).write_text(most)
        (directories["pids"] / "pids.max").write_text(str(processes + _HEADROOM_PROCESSES))
        descriptors = [
            os.open(each / "cgroup.procs", os.O_WRONLY)
            for each in sorted(set(directories.values()))
        ]
        return Membership(
            tuple(descriptors),
            str(memory / ("memory.events" if self.unified else "memory.oom_control")),
        )

    def _clear(self) -> None:
        """Remove the groups whose run supervisors have ended.

        A recent group may be waiting for its supervisor.
        """
        oldest = time.monotonic() - _YOUNG_S
        self._young = {name: made_at for name, made_at in self._young.items() if made_at > oldest}
        for home in set(self.homes.values()):
            for group in home.glob("run-*"):
                if group.name not in self._young:
                    with contextlib.suppress(OSError):  # it is still in use
                        group.rmdir()

    def remove(self) -> None:
        """Remove all groups, when the worker ends."""
        self._young.clear()
        self._clear()
        for home in set(self.homes.values()):
            with contextlib.suppress(OSError):
                home.rmdir()


def find_control_groups() -> ControlGroups:
    """The control groups in which this machine allows new ones.

    Raises:
        OSError: there are none; the message gives the reason.
    """
    unified, homes = _own_groups()
    if unified is not None and set(_CONTROLLERS) <= set(_words(unified / "cgroup.subtree_control")):
        homes = dict.fromkeys(_CONTROLLERS, unified)
    elif homes.keys() != set(_CONTROLLERS):
        raise OSError("the server's control group delegates neither memory nor pids")
    for home in set(homes.values()):
        _remove_stale(home)
    own = {name: home / f"{_PREFIX}{os.getpid()}" for name, home in homes.items()}
    groups = ControlGroups(own, unified=len(set(own.values())) == 1)
    for directory in set(own.values()):
        directory.mkdir(exist_ok=True)
    if groups.unified:
        (own["memory"] / "cgroup.subtree_control").write_text(
            " ".join(f"+{name}" for name in _CONTROLLERS)
        )
    return groups


def kills_in(kills_file: str) -> int:
    """How many processes of a group have been killed so far because memory ran out."""
    try:
        file = os.open(kills_file, os.O_RDONLY)
    except OSError:
        return 0
    words = os.read(file, 4096).split()
    os.close(file)
    return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0


def _own_groups() -> tuple[Path | None, dict[str, Path]]:
    """This process's group of version 2, and those of version 1 by controller."""
    paths = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    found: dict[str, Path] = {}
    for point, root, kind, options in _mounts():
        for controller in (
            [""] if kind == "cgroup2" else [name for name in _CONTROLLERS if name in options]
        ):
            if controller in paths:
                inside = paths[controller].removeprefix(root) if root != "/" else paths[controller]
                found[controller] = Path(point) / inside.lstrip("/")
    return found.pop("", None), found


def _mounts() -> Iterator[tuple[str, str, str, list[str]]]:
    """The mounted cgroup file systems: mount point, root, type, options."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in {"cgroup", "cgroup2"}:
            fields = before.split()
            yield fields[4], fields[3], kind, options.split(",")


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def _remove_stale(home: Path) -> None:
    """Remove the groups of workers that ended without cleaning up."""
    for left in home.glob(f"{_PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(_PREFIX)).exists():
            for group in (*left.glob("run-*"), left):
                with contextlib.suppress(OSError):
                    group.rmdir()
