"""Finding out how far the machine lets processes be set apart: by doing it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from playground.worker.cgroups import ControlGroups, Membership, find_control_groups
from playground.worker.sandbox import Sandbox, Surroundings, enter_run, fork_isolated, fork_keeper, settle_keeper
from playground.worker.scratch import make_private_directory, private_directory, remove_private_directory

_TRIAL_BYTES: Final = 1 << 20
_TRIAL_MEMORY_BYTES: Final = 1 << 28
_TRIAL_PROCESSES: Final = 8
_MAX_REASON: Final = 500


def choose_enclosure(base: Sandbox, modes: tuple[str, ...]) -> tuple[Sandbox, dict[str, str]]:
    """The best enclosure that works here, and why each better one does not.

    Args:
        base: what does not depend on the mode.
        modes: what may be used of "namespaces" and "user"; a mode that needs neither always works.
    """
    refused: dict[str, str] = {}
    for name, enclosure in _candidates(base):
        if enclosure.mode not in modes or (enclosure.own_users and "user" not in modes):
            refused[name] = "it is switched off"
        elif reason := _trial(enclosure):
            refused[name] = reason
        else:
            return enclosure, refused
    return base, refused


def _candidates(base: Sandbox) -> Iterator[tuple[str, Sandbox]]:
    root = os.geteuid() == 0
    if root:
        yield "namespaces and users", replace(base, mode="namespaces", own_users=True)
    yield "namespaces", replace(base, mode="namespaces")
    if root:
        yield "users", replace(base, mode="user", own_users=True)


def choose_control_groups(enclosure: Sandbox, modes: tuple[str, ...]) -> tuple[ControlGroups | None, str]:
    """The control groups to use inside `enclosure`, or None and why there are none."""
    if "control groups" not in modes:
        return None, "they are switched off"
    try:
        groups = find_control_groups()
        group = groups.make(memory_bytes=_TRIAL_MEMORY_BYTES, processes=_TRIAL_PROCESSES)
    except OSError as error:
        return None, str(error)
    reason = _trial(enclosure, group)
    for descriptor in group.descriptors:
        os.close(descriptor)
    if reason:
        groups.remove()
    return (None, reason) if reason else (groups, "")


def _trial(enclosure: Sandbox, group: Membership | None = None) -> str:
    """Why `enclosure` does not work; "" when it does: a process goes all the way into it, as a run would."""
    read, write = os.pipe()
    try:
        pid, place = fork_isolated(enclosure)
    except OSError as error:
        os.close(read)
        os.close(write)
        return str(error) or type(error).__name__
    if place is not None:
        _try_everything(place, write, group)
    os.close(write)
    with open(read, "rb") as answer:  # noqa: PTH123  a descriptor
        reason = answer.read(_MAX_REASON).decode(errors="replace")
    os.waitpid(pid, 0)
    return "" if reason == "+" else reason or "the process that tried it ended"


def _try_everything(place: Surroundings, write: int, group: Membership | None) -> None:
    """In the process that was set apart: keeper, private directory, run; then end."""
    try:
        keeper = fork_keeper(place)
        if keeper:
            os.waitpid(keeper, 0)
            os._exit(0)
        settle_keeper(place)
        if group:
            group.join()
        make_private_directory(place, 1, _TRIAL_BYTES)
        run = os.fork()
        if run:
            os.waitpid(run, 0)
            remove_private_directory(place, 1)
            os._exit(0)
        enter_run(place, 1)
        Path(private_directory(place, 1), "trial").write_text("")
        for needed in place.enclosure.view.kept:
            os.listdir(needed)  # noqa: PTH208
        Path(os.__file__).read_bytes()
        os.write(write, b"+")
    except BaseException as error:  # noqa: BLE001  a forked process must not run on in its parent's code
        with contextlib.suppress(OSError):
            os.write(write, f"{error}".encode()[:_MAX_REASON])
    os._exit(0)


def as_json(enclosure: Sandbox, groups: ControlGroups | None, refused: dict[str, str]) -> dict[str, Any]:
    """What a server shows of it."""
    return {
        "mode": enclosure.mode,
        "own_users": enclosure.own_users,
        "control_groups": groups is not None,
        "refused": refused,
    }
