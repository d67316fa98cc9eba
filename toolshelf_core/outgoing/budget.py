"""The time and the bytes of an outgoing task, over all its connections together."""

from __future__ import annotations

import time
from typing import Final

from toolshelf_core.errors import OutgoingError

CONNECT_S: Final = 5.0


class LimitExceeded(OutgoingError):
    """The task took too long or received too much."""


class Budget:
    """The time and the bytes of one task, whose requests share them.

    They are counted where bytes are read from the network: so headers, chunk framing, event streams
    and responses that arrive one byte at a time count too, whichever library reads them.

    Attributes:
        error: the first error that the policy or this budget raised. A library between may have
            replaced it by one of its own, which does not name the reason.
    """

    def __init__(self, *, seconds: float, max_bytes: int) -> None:
        self.seconds = seconds
        self.max_bytes = max_bytes
        self.error: OutgoingError | None = None
        self._deadline = time.monotonic() + seconds
        self._left_bytes = max_bytes

    def limit(self, timeout_s: float | None) -> float:
        """The seconds that the next operation may take: at most `timeout_s` and the time left.

        Raises:
            LimitExceeded: no time is left.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self.expire()
        if timeout_s is None:
            return left
        return min(timeout_s, left)

    def is_expired(self) -> bool:
        return time.monotonic() >= self._deadline

    def expire(self) -> OutgoingError:
        """The error of a task that took too long, to raise."""
        message = f"It took longer than the {self.seconds:g} seconds that are allowed."
        return self.refuse(LimitExceeded(message))

    def receive(self, data: bytes) -> bytes:
        """Count `data`, which was just received.

        Raises:
            LimitExceeded: this is more than the task may receive.
        """
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            message = f"It sent more than the {_format_size(self.max_bytes)} that are allowed."
            raise self.refuse(LimitExceeded(message))
        return data

    def refuse(self, error: OutgoingError) -> OutgoingError:
        """`error`, to raise; the first is remembered."""
        self.error = self.error or error
        return error


def _format_size(count: int) -> str:
    if count >= 1024 * 1024 and count % (1024 * 1024) == 0:
        return f"{count // (1024 * 1024)} MiB"
    if count >= 1_000_000:
        return f"{count / 1_000_000:g} MB"
    return f"{count:,} bytes"
