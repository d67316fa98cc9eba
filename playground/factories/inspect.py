"""Inspect factories: a worker imports each in an isolated process of its own, which then ends."""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from playground.runner.worker_process import WorkerProcess
from playground.worker.protocol import DESCRIPTION, FrameBuffer

_CONCURRENT: Final = 4
_GRACE_S: Final = 5.0


@dataclass(frozen=True)
class Description:
    """The properties of one factory as found by importing it, or the error."""

    tool_id: str | None = None
    configurable: bool | None = None
    forks_safely: bool = True
    error: str | None = None


def describe(
    worker: WorkerProcess, references: Sequence[str], *, timeout_s: float
) -> Iterator[tuple[str, Description]]:
    """Each of `references` with its description, in the order in which they arrive.

    Args:
        worker: imports the factories; it may serve other requests meanwhile.
        references: "module:attribute".
        timeout_s: for importing one factory.
    """
    waiting = list(references)
    asked: dict[int, _Question] = {}
    with selectors.DefaultSelector() as selector:
        while waiting or asked:
            while waiting and len(asked) < _CONCURRENT:
                question = _Question(worker, waiting.pop(0), timeout_s)
                asked[question.socket.fileno()] = question
                selector.register(question.socket, selectors.EVENT_READ)
            for key, _ in selector.select(1.0):
                asked[key.fd].read()
            for question in [each for each in asked.values() if each.answer or time.monotonic() > each.until]:
                selector.unregister(question.socket)
                del asked[question.socket.fileno()]
                question.socket.close()
                yield question.reference, question.answer or Description(error="The worker did not answer in time.")


class _Question:
    """One request to a worker to describe a factory."""

    def __init__(self, worker: WorkerProcess, reference: str, timeout_s: float) -> None:
        self.reference = reference
        self.until = time.monotonic() + timeout_s + _GRACE_S
        self.answer: Description | None = None
        self.socket, theirs = socket.socketpair()
        self._frames = FrameBuffer()
        with theirs:
            worker.send({"op": "describe", "reference": reference, "timeout_s": timeout_s}, theirs)

    def read(self) -> None:
        data = self.socket.recv(1 << 16)
        for kind, content in self._frames.feed(data):
            text = content.decode(errors="replace")
            self.answer = self.answer or (
                Description(**json.loads(text)) if kind == DESCRIPTION else Description(error=text)
            )
        if not data and not self.answer:
            self.answer = Description(error="Its process ended while it was being imported.")
