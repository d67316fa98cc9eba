"""Inspect factories: a worker imports each in an isolated process of its own, which then ends."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from playground.factories.factory_settings import FactoryOptions
from playground.runner.engine.worker_process import WorkerProcess, environment_file
from playground.runner.worker.protocol import DESCRIPTION, SPEC, FrameBuffer

_CONCURRENT: Final = 4
_GRACE_S: Final = 5.0
_MAX_BYTES: Final = 16 * 1024 * 1024  # of one description with its spec


@dataclass(frozen=True)
class Description:
    """The properties of one factory as found by importing it, or the error.

    Attributes:
        spec: its spec as JSON text, as its author's code has it: it may contain secrets of its
            environment variables.
        spec_error: why there is no spec.
    """

    tool_id: str | None = None
    configurable: bool | None = None
    forks_safely: bool = True
    error: str | None = None
    spec: str | None = field(default=None, repr=False)
    spec_error: str | None = None


class _Spec(TypedDict):
    spec: str | None
    spec_error: str | None


_DESCRIPTION: Final = TypeAdapter(Description)
_SPEC: Final = TypeAdapter(_Spec)


def describe(
    worker: WorkerProcess, factories: Mapping[str, FactoryOptions], *, timeout_s: float
) -> Iterator[tuple[str, Description]]:
    """Each of `factories` with its description, in the order in which they arrive.

    A factory whose spec takes time to make comes twice, first without it.

    `factories` has the settings for the import of each factory, by its reference; each may take
    `timeout_s`.
    """
    waiting = list(factories.items())
    requests: dict[int, _Request] = {}
    with selectors.DefaultSelector() as selector:
        while waiting or requests:
            while waiting and len(requests) < _CONCURRENT:
                request = _Request(worker, *waiting.pop(0), timeout_s)
                requests[request.socket.fileno()] = request
                selector.register(request.socket, selectors.EVENT_READ)
            for key, _ in selector.select(1.0):
                if found := requests[key.fd].read():
                    yield requests[key.fd].reference, found
            for request in [
                each for each in requests.values() if each.is_done or time.monotonic() > each.until
            ]:
                selector.unregister(request.socket)
                del requests[request.socket.fileno()]
                request.socket.close()
                if not request.is_done:
                    yield request.reference, request.failed("The worker did not answer in time.")


class _Request:
    """One request to a worker to describe a factory."""

    def __init__(
        self, worker: WorkerProcess, reference: str, options: FactoryOptions, timeout_s: float
    ) -> None:
        self.reference = reference
        self.until = time.monotonic() + timeout_s + _GRACE_S
        self.is_done = False
        self._description: Description | None = None
        self._received = 0
        self.socket, theirs = socket.socketpair()
        self._frames = FrameBuffer()
        request = {
            "op": "describe",
            "reference": reference,
            "timeout_s": timeout_s,
            "network": options.network,
        }
        with theirs, environment_file(options.environment) as environment:
            worker.send(request, theirs, environment)

    def read(self) -> Description | None:
        """The description as far as it is known now; None if nothing new is."""
        data = self.socket.recv(1 << 16)
        self._received += len(data)
        found = None
        if self._received > _MAX_BYTES:
            return self.failed("Its process sent too much data.")
        for kind, content in self._frames.feed(data):
            if not self.is_done:
                found = self._take(kind, content.decode(errors="replace"))
        if not data and not self.is_done:
            found = self.failed("Its process ended while it was being imported.")
        return found

    def _take(self, kind: bytes, text: str) -> Description:
        """Take in one frame.

        The process runs the code of the factory, so the frame may hold anything.
        """
        if kind not in {DESCRIPTION, SPEC}:
            return self.failed(text)
        try:
            if kind == DESCRIPTION:
                self._description = _DESCRIPTION.validate_json(text)
                return self._description
            if self._description is None:
                return self.failed("Its process sent its spec before its description.")
            self._description = replace(self._description, **_SPEC.validate_json(text))
        except ValidationError:
            return self.failed("Its process sent a description that cannot be read.")
        self.is_done = True
        return self._description

    def failed(self, reason: str) -> Description:
        """The last description, with `reason` as the error of its spec.

        If there is none, one with only this error.
        """
        self.is_done = True
        if self._description is None:
            return Description(error=reason)
        return replace(self._description, spec_error=f"Its spec could not be generated. {reason}")
