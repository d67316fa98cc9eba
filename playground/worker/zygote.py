"""The parent: imports one factory, once, and forks a keeper whenever the server asks for one."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import socket
import sys
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from playground.worker.cgroups import Membership
from playground.worker.child import rehearse
from playground.worker.fd_passing import NOTHING_MORE, receive
from playground.worker.kill import end_descendants, reap
from playground.worker.loader import LoadedFactory, describe_factory, load_factory, threads
from playground.worker.protocol import DESCRIPTION, UNUSABLE, frame
from playground.worker.run_supervisor import RunSupervisor
from playground.worker.sandbox import UIDS_PER_FACTORY, Surroundings, fork_keeper
from playground.worker.syscalls import close_all_but
from playground.worker.tracebacks import describe
from playground.worker.type_conversion import types_named_beside

STARTS_THREADS: Final = 75  # how a parent ends that cannot fork
_MAX_ERROR: Final = 4000
_LOOKS_AFTER_CHILDREN_MS: Final = 5000
_REHEARSALS: Final = 12  # Python adapts code to what it meets, from the eighth time on


@dataclass
class Zygote:
    """One parent, between the worker and its keepers.

    Attributes:
        worker: where requests for keepers come from, each with the socket to its server.
        factory: the imported factory; None when each run imports it anew.
        unusable: why it cannot be used, when importing it failed.
        keepers: their numbers and slots, by the descriptor that tells of their end.
    """

    place: Surroundings
    worker: socket.socket
    factory: LoadedFactory | None = None
    unusable: str = ""
    keepers: dict[int, tuple[int, int]] = field(default_factory=dict)

    def serve(self) -> NoReturn:
        """Fork keepers until the worker closes the socket."""
        gc.collect()
        gc.freeze()  # so that collecting garbage in a fork does not copy every page
        while True:
            poll = select.poll()
            for descriptor in (self.worker.fileno(), *self.keepers):
                poll.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll(_LOOKS_AFTER_CHILDREN_MS)}
            self._bury(self.keepers.keys() & ready)
            received = receive(self.worker)
            if received == NOTHING_MORE:
                os._exit(0)
            if received is not None:
                self._answer(*received)

    def _answer(self, message: bytes, descriptors: list[int]) -> None:
        """Fork a keeper for the server at the first of `descriptors`; the others are its control group's."""
        server, joining = socket.socket(fileno=descriptors[0]), tuple(descriptors[1:])
        group = Membership(joining, json.loads(message)["kills_file"]) if joining else None
        taken = {slot for _, slot in self.keepers.values()}
        slot = next((each for each in range(1, UIDS_PER_FACTORY) if each not in taken), 0)
        with server:
            if self.unusable:
                refuse(server, self.unusable)
            elif slot:
                self._fork_keeper(slot, server, group)
        for descriptor in joining:
            os.close(descriptor)

    def _fork_keeper(self, slot: int, server: socket.socket, group: Membership | None) -> None:
        try:
            pid = fork_keeper(self.place)
        except OSError:  # no room for a process: the server sees its socket close, and asks again
            return
        if not pid:
            close_all_but(server.fileno(), *(group.descriptors if group else ()))
            RunSupervisor(self.place, slot, self.factory, server, group).serve()
        self.keepers[os.pidfd_open(pid)] = pid, slot

    def _bury(self, ended: set[int]) -> None:
        """Clean up after keepers that have ended. What was theirs has come to this process."""
        for pidfd in ended:
            del self.keepers[pidfd]
            os.close(pidfd)
        reap()
        if ended and self.place.namespace < 0:
            end_descendants(own_namespace=False, spare=[pid for pid, _ in self.keepers.values()])


def become_zygote(place: Surroundings, worker: socket.socket, request: dict[str, Any]) -> NoReturn:
    """In a process that was set apart: import the factory, unless it starts threads, and serve.

    Args:
        place: where it is.
        worker: where requests for keepers come from.
        request: {"reference", "preload": import the factory, "typed": the tool names types, "memory_bytes"}.

    Ends with `STARTS_THREADS` when importing it started threads: such a process must not fork.
    """
    parent = Zygote(place, worker)
    _be_silent()
    kinds: list[object] = []
    if request["preload"]:
        with contextlib.suppress(ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (request["memory_bytes"], request["memory_bytes"]))
        try:
            parent.factory = load_factory(request["reference"])
            with contextlib.suppress(Exception):  # what is not found out here, each run finds out
                kinds = types_named_beside(parent.factory.factory)
        except BaseException as error:  # noqa: BLE001  whatever importing it raises, SystemExit too
            parent.unusable = describe(error, max_characters=_MAX_ERROR)
        if threads() > 1:
            os._exit(STARTS_THREADS)
    if kinds or request["typed"] or "pydantic" in sys.modules:
        from playground.worker.pydantic_types import warm_up  # noqa: PLC0415  slow to import, and many tools do without

        warm_up(kinds)
    rehearse(_REHEARSALS)
    parent.serve()


def become_describer(server: socket.socket, reference: str) -> NoReturn:
    """In a process that was set apart: import the factory, say what it is, and end."""
    _be_silent()
    try:
        description = describe_factory(load_factory(reference), reference)
        server.sendall(frame(DESCRIPTION, json.dumps(description.as_json()).encode()))
    except BaseException as error:  # noqa: BLE001  whatever importing it raises, SystemExit too
        refuse(server, describe(error, max_characters=_MAX_ERROR))
    os._exit(0)


def _be_silent() -> None:
    """What importing prints is nobody's."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def refuse(server: socket.socket, reason: str) -> None:
    """Tell the server that the factory cannot be used."""
    with contextlib.suppress(OSError):
        server.sendall(frame(UNUSABLE, reason.encode()))
