"""Private directories: one per run, removed when the run ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from playground.runner.worker import syscalls
from playground.runner.worker.sandbox import FactoryDirectory

_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108  it is covered
_SHARED_MEMORY_BYTES: Final = 16 * 2**20


def private_directory(factory_directory: FactoryDirectory, slot: int) -> str:
    """The path of the private directory, the same for every run of a run supervisor."""
    return (
        f"{factory_directory.path}/run-{slot}"
        if factory_directory.namespace < 0
        else factory_directory.path
    )


def make_private_directory(
    factory_directory: FactoryDirectory, slot: int, scratch_bytes: int
) -> None:
    """Make an empty directory for one run; with namespaces in memory and of limited size."""
    if factory_directory.namespace < 0:
        path = Path(private_directory(factory_directory, slot))
        if path.exists():  # of a run supervisor that was killed
            remove_tree(str(path))
        path.mkdir(mode=0o700)
        return
    uid, gid = (slot, slot) if factory_directory.sandbox.own_users else (os.getuid(), os.getgid())
    flags, owner = syscalls.MS_NOSUID | syscalls.MS_NODEV, f"mode=700,uid={uid},gid={gid}"
    syscalls.mount(
        "tmpfs",
        factory_directory.path,
        "tmpfs",
        flags,
        f"size={scratch_bytes},nr_inodes=20k,{owner}",
    )
    syscalls.mount(
        "tmpfs", _SHARED_MEMORY, "tmpfs", flags, f"size={_SHARED_MEMORY_BYTES},nr_inodes=1k,{owner}"
    )


def remove_private_directory(factory_directory: FactoryDirectory, slot: int) -> None:
    """Remove the private directory and its content; with namespaces in one step."""
    if factory_directory.namespace < 0:
        remove_tree(private_directory(factory_directory, slot))
        return
    syscalls.unmount(factory_directory.path)
    syscalls.unmount(_SHARED_MEMORY)


def remove_tree(path: str) -> None:
    """Remove a directory of any depth without recursion: nested directories are moved up first."""
    waiting, moved = [path], 0
    while waiting:
        directory = waiting.pop()
        with os.scandir(directory) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    Path(entry.path).unlink()
                    continue
                moved += 1
                Path(entry.path).chmod(0o700)
                waiting.append(f"{path}.{moved}")
                Path(entry.path).rename(waiting[-1])
        Path(directory).rmdir()
