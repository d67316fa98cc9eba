"""Find out by trial how well the machine can isolate processes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from playground.runner.worker.cgroups import ControlGroups, Membership, find_control_groups
from playground.runner.worker.network import site_proxy
from playground.runner.worker.sandbox import (
    FactoryDirectory,
    Sandbox,
    enter_run,
    fork_isolated,
    fork_supervisor,
    settle_supervisor,
)
from playground.runner.worker.scratch import (
    make_private_directory,
    private_directory,
    remove_private_directory,
)

_TRIAL_BYTES: Final = 1 << 20
_TRIAL_MEMORY_BYTES: Final = 1 << 28
_TRIAL_PROCESSES: Final = 8
_MAX_REASON: Final = 500


def choose_sandbox(base: Sandbox, modes: tuple[str, ...]) -> tuple[Sandbox, dict[str, str]]:
    """The best sandbox that works here, and why each better one does not.

    Args:
        base: the mode-independent settings; also the sandbox to use if no other works.
        modes: what is allowed of "namespaces" and "own users" (see `sandbox`); "plain" always
            works.
    """
    refused: dict[str, str] = {}
    for name, sandbox in _candidates(base):
        allowed = sandbox.mode == "plain" or sandbox.mode in modes
        if not allowed or (sandbox.own_users and "own users" not in modes):
            refused[name] = "it is switched off"
        elif reason := _trial(sandbox):
            refused[name] = reason
        else:
            return sandbox, refused
    return base, refused


def _candidates(base: Sandbox) -> Iterator[tuple[str, Sandbox]]:
    if os.geteuid() == 0:
        yield "namespaces and users", replace(base, mode="namespaces", own_users=True)
    yield "namespaces", replace(base, mode="namespaces")
    if os.geteuid() == 0:
        yield "users", replace(base, own_users=True)


def choose_networks(sandbox: Sandbox, modes: tuple[str, ...]) -> dict[str, str]:
    """Why "none" and "outward" cannot be enforced inside `sandbox`; "" for a network that can."""
    if "networks" not in modes:
        none = "it is switched off"
    elif sandbox.mode != "namespaces":
        none = "this machine allows no namespaces"
    else:
        none = _trial(replace(sandbox, network="none"))
    proxy = site_proxy(os.environ)
    outward = (
        f"the site uses a proxy ({proxy}), so it cannot check the addresses" if proxy else none
    )
    return {"none": none, "outward": none or outward}


def choose_control_groups(
    sandbox: Sandbox, modes: tuple[str, ...]
) -> tuple[ControlGroups | None, str]:
    """The control groups to use inside `sandbox`, or None and why there are none."""
    if "control groups" not in modes:
        return None, "they are switched off"
    try:
        groups = find_control_groups()
        group = groups.make(memory_bytes=_TRIAL_MEMORY_BYTES, processes=_TRIAL_PROCESSES)
    except OSError as error:
        return None, str(error)
    reason = _trial(sandbox, group)
    for descriptor in group.descriptors:
        os.close(descriptor)
    if reason:
        groups.remove()
    return (None, reason) if reason else (groups, "")


def _trial(sandbox: Sandbox, group: Membership | None = None) -> str:
    """The reason why `sandbox` does not work, found by entering it as a run would.

    "" if it works.
    """
    read, write = os.pipe()
    try:
        pid, factory_directory = fork_isolated(sandbox)
    except OSError as error:
        os.close(read)
        os.close(write)
        return str(error) or type(error).__name__
    if factory_directory is not None:
        _try_everything(factory_directory, write, group)
    os.close(write)
    with open(read, "rb") as answer:  # noqa: PTH123  a descriptor
        reason = answer.read(_MAX_REASON).decode(errors="replace")
    os.waitpid(pid, 0)
    return "" if reason == "+" else reason or "the process that tried it ended"


def _try_everything(
    factory_directory: FactoryDirectory, write: int, group: Membership | None
) -> None:
    """Start a run supervisor, a private directory and a run in the isolated process, and exit."""
    try:
        supervisor = fork_supervisor(factory_directory)
        if supervisor:
            os.waitpid(supervisor, 0)
            os._exit(0)
        settle_supervisor(factory_directory)
        if group:
            group.join()
        make_private_directory(factory_directory, 1, _TRIAL_BYTES)
        run = os.fork()
        if run:
            os.waitpid(run, 0)
            remove_private_directory(factory_directory, 1)
            os._exit(0)
        enter_run(factory_directory, 1)
        Path(private_directory(factory_directory, 1), "trial").write_text("")
        for needed in factory_directory.sandbox.view.needed:
            if (
                needed != factory_directory.sandbox.scratch
            ):  # a run enters it, and reads only its own directory there
                os.listdir(needed)  # noqa: PTH208
        Path(os.__file__).read_bytes()
        os.write(write, b"+")
    except BaseException as error:  # noqa: BLE001
        # A forked process must not continue in its parent's code.
        with contextlib.suppress(OSError):
            os.write(write, f"{error}".encode()[:_MAX_REASON])
    os._exit(0)


def as_json(
    sandbox: Sandbox,
    groups: ControlGroups | None,
    networks: dict[str, str],
    refused: dict[str, str],
) -> dict[str, Any]:
    """The report to the server."""
    return {
        "mode": sandbox.mode,
        "own_users": sandbox.own_users,
        "control_groups": groups is not None,
        "networks": networks,
        "refused": refused,
    }
