"""The zygote imports one factory once, and forks run supervisors for the server."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import socket
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from playground.runner.worker.cgroups import Membership
from playground.runner.worker.describe_factory import describe_factory, threads, write_spec
from playground.runner.worker.fd_passing import NOTHING_MORE, receive
from playground.runner.worker.kill import end_descendants, reap
from playground.runner.worker.protocol import DESCRIPTION, SPEC, UNUSABLE, frame
from playground.runner.worker.run_process import rehearse
from playground.runner.worker.run_supervisor import RunSupervisor
from playground.runner.worker.sandbox import UIDS_PER_FACTORY, FactoryDirectory, fork_supervisor
from playground.runner.worker.syscalls import close_all_but
from playground.runner.worker.tracebacks import describe
from toolshelf_tools.factories import load_factory
from toolshelf_tools.pydantic_types import make_adapters
from toolshelf_tools.type_conversion import find_types_beside

STARTS_THREADS: Final = 75  # exit code of a zygote that cannot fork safely
_MAX_ERROR: Final = 4000
_LOOKS_AFTER_CHILDREN_MS: Final = 5000
_REHEARSALS: Final = (
    12  # Python specializes code for the types it meets, from the eighth execution on
)


@dataclass
class Zygote:
    """One zygote, between the worker and its run supervisors.

    Attributes:
        worker: requests for run supervisors arrive here, each with the socket to its server.
        factory: the imported factory; None if each run imports it again.
        unusable: why the factory cannot be used, if importing it failed.
        supervisors: pid and slot of each run supervisor, by pidfd.
    """

    factory_directory: FactoryDirectory
    worker: socket.socket
    factory: Any = None
    unusable: str = ""
    supervisors: dict[int, tuple[int, int]] = field(default_factory=dict)

    def serve(self) -> NoReturn:
        """Fork run supervisors until the worker closes the socket."""
        gc.collect()
        gc.freeze()  # so that garbage collection in a forked process does not copy every page
        while True:
            poll = select.poll()
            for descriptor in (self.worker.fileno(), *self.supervisors):
                poll.register(descriptor, select.POLLIN)
            ready = {descriptor for descriptor, _ in poll.poll(_LOOKS_AFTER_CHILDREN_MS)}
            self._clean_up(self.supervisors.keys() & ready)
            received = receive(self.worker)
            if received == NOTHING_MORE:
                os._exit(0)
            if received is not None:
                self._answer(*received)

    def _answer(self, message: bytes, descriptors: list[int]) -> None:
        """Fork a run supervisor for the server's socket, the first of `descriptors`.

        The others are for its group.
        """
        request = json.loads(message)
        server, joining = socket.socket(fileno=descriptors[0]), tuple(descriptors[1:])
        group = Membership(joining, request["kills_file"]) if joining else None
        used_slots = {slot for _, slot in self.supervisors.values()}
        slot = next((each for each in range(1, UIDS_PER_FACTORY) if each not in used_slots), 0)
        with server:
            if self.unusable:
                refuse(server, self.unusable)
            elif slot:
                self._fork_supervisor(slot, server, group)
        for descriptor in joining:
            os.close(descriptor)

    def _fork_supervisor(self, slot: int, server: socket.socket, group: Membership | None) -> None:
        try:
            pid = fork_supervisor(self.factory_directory)
        except (
            OSError
        ):  # too many processes: the server notices that the socket closes, and asks again
            return
        if not pid:
            close_all_but(server.fileno(), *(group.descriptors if group else ()))
            RunSupervisor(self.factory_directory, slot, self.factory, server, group).serve()
        self.supervisors[os.pidfd_open(pid)] = pid, slot

    def _clean_up(self, ended: set[int]) -> None:
        """Clean up after run supervisors that have ended.

        This process has adopted their descendants.
        """
        for pidfd in ended:
            del self.supervisors[pidfd]
            os.close(pidfd)
        reap()
        if ended and self.factory_directory.namespace < 0:
            end_descendants(
                own_namespace=False, spare=[pid for pid, _ in self.supervisors.values()]
            )


def become_zygote(
    factory_directory: FactoryDirectory,
    worker: socket.socket,
    request: dict[str, Any],
    environment: int,
) -> NoReturn:
    """In an isolated process: import the factory, unless it starts threads, and serve.

    Args:
        factory_directory: the directory and namespace of this factory's processes.
        worker: requests for run supervisors arrive here.
        request: {"reference", "preload": import the factory, "address_space_bytes"}.
        environment: the file with the factory's environment variables.

    Exits with `STARTS_THREADS` if the import started threads: such a process must not fork.
    """
    zygote = Zygote(factory_directory, worker)
    _silence_output()
    _take_environment(environment)
    annotations: list[object] = []
    if request["preload"]:
        with contextlib.suppress(ValueError):
            limit = request["address_space_bytes"]
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            zygote.factory = load_factory(request["reference"])
            with contextlib.suppress(Exception):  # each run finds the types itself if this fails
                annotations = find_types_beside(zygote.factory)
        except BaseException as error:  # noqa: BLE001
            # Whatever importing it raises, even SystemExit.
            zygote.unusable = describe(error, max_characters=_MAX_ERROR)
        if threads() > 1:
            os._exit(STARTS_THREADS)
    make_adapters(annotations)
    rehearse(_REHEARSALS)
    zygote.serve()


def become_describer(server: socket.socket, reference: str, environment: int) -> NoReturn:
    """In an isolated process: import the factory, send its description, then its spec, and exit."""
    _silence_output()
    try:
        _take_environment(environment)
        factory = load_factory(reference)
        description = describe_factory(factory, reference)
        server.sendall(frame(DESCRIPTION, json.dumps(description).encode()))
        server.sendall(frame(SPEC, json.dumps(write_spec(factory)).encode()))
    except BaseException as error:  # noqa: BLE001  whatever importing it raises, even SystemExit
        refuse(server, describe(error, max_characters=_MAX_ERROR))
    os._exit(0)


def _take_environment(file: int) -> None:
    """Set the environment variables in `file`, at its beginning.

    Several processes share its position.
    """
    content = os.pread(file, os.fstat(file).st_size, 0)
    os.close(file)
    os.environ.update(json.loads(content))


def _silence_output() -> None:
    """Discard the output of the import: it belongs to no run."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    os.close(devnull)


def refuse(server: socket.socket, reason: str) -> None:
    """Report to the server that the factory cannot be used."""
    with contextlib.suppress(OSError):
        server.sendall(frame(UNUSABLE, reason.encode()))
