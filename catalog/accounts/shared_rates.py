"""Limits on the rate of requests, shared by all processes of a server and, with Redis, by all servers of a site.

Each client has one number, the time at which all its requests up to now would have arrived at exactly the allowed rate;
a request is refused if that time is more than a period ahead. So a period's number of requests may come in a burst, and
requests at the allowed rate are never refused.

Source: ITU-T I.371, Annex A, "Generic cell rate algorithm", virtual scheduling.

Without Redis, the numbers are in a table in memory that the server's processes inherit when they are forked
(`manage.py serve`). Processes that are not forked, and servers on other machines, have tables of their own. A request
costs 5 µs. The throttles that django-ninja brings were measured with Django's caches: in memory (18 µs) they are not
shared, in files they take 0.9 ms per request, in the database 3.5 ms; and concurrent requests overwrite each other's
counts, with Redis as well, which is why `redis_rates.py` sends a script instead.
"""

from __future__ import annotations

import math
import mmap
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

SLOTS: Final = 16_384  # of clients that are ahead of the rate at the same time; others need none
ROUNDING_S: Final = (
    1e-5  # more than the sum of two times loses as a float, so that it refuses nobody
)
PROBES: Final = 8  # slots that one client can have
_UNITS: Final = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
_WRITTEN: Final = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,3})?(s|min|h|d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `requests` per `seconds`; all of them may come at once."""

    requests: int
    seconds: int

    @classmethod
    def from_text(cls, text: str) -> Rate:
        """Read "6000/min" or "6000/10min"; the units are s, min, h and d.

        Raises:
            ValueError: it is something else.
        """
        found = _WRITTEN.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is not a rate")
        return cls(int(found[1]), int(found[2] or 1) * _UNITS[found[3]])

    def __str__(self) -> str:
        """For messages: "6,000 in 10 minutes"."""
        for name, unit in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
            if self.seconds % unit == 0:
                count = self.seconds // unit
                return (
                    f"{self.requests:,} in {count} {name}s"
                    if count > 1
                    else f"{self.requests:,} per {name}"
                )
        raise AssertionError


Claim = tuple[str, Rate]  # a client, and its rate


@dataclass(frozen=True, slots=True)
class Quota:
    """The result of counting a request of one client.

    Attributes:
        wait_s: 0 if this rate allows the request, else the seconds until it would.
        ahead_s: how far the client is ahead of the rate now.
    """

    rate: Rate
    wait_s: float
    ahead_s: float

    @property
    def remaining(self) -> int:
        """How many further requests are allowed immediately."""
        return max(
            0,
            math.floor(
                (self.rate.seconds - self.ahead_s) * self.rate.requests / self.rate.seconds + 1e-6
            ),
        )


class SharedRates:
    """How far each client is ahead of its rate. Create it before the processes that share it are forked.

    Args:
        clock: seconds that all processes of a machine count from the same moment.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._memory = memoryview(mmap.mmap(-1, SLOTS * 16))
        self._clients = self._memory[: SLOTS * 8].cast("Q")
        self._times = self._memory[SLOTS * 8 :].cast("d")
        self._key = secrets.token_bytes(16)  # nobody can choose clients that share their slots
        self._clock = clock
        self._lock = threading.Lock()

    def take(self, client: str, rate: Rate) -> float:
        """Count a request of `client`: 0 if it is allowed, else the seconds until one would be."""
        return self.take_all([(client, rate)])[0].wait_s

    def take_all(self, claims: Sequence[Claim]) -> list[Quota]:
        """Count a request of several distinct clients: of all of them, or of none if one of their rates refuses it.

        Two processes that count the same client within a microsecond may count one request: a lock that a killed
        process leaves behind would cost more.
        """
        with self._lock:
            now = self._clock()
            found = [self._next(client, rate, now) for client, rate in claims]
            if any(
                ahead_s > rate.seconds + ROUNDING_S
                for (_, rate), (_, _, ahead_s) in zip(claims, found, strict=True)
            ):
                return [
                    Quota(
                        rate,
                        max(0.0, ahead_s - rate.seconds),
                        ahead_s - rate.seconds / rate.requests,
                    )
                    for (_, rate), (_, _, ahead_s) in zip(claims, found, strict=True)
                ]
            for number, slot, ahead_s in found:
                self._clients[slot], self._times[slot] = number, now + ahead_s
            return [
                Quota(rate, 0.0, ahead_s)
                for (_, rate), (_, _, ahead_s) in zip(claims, found, strict=True)
            ]

    def _next(self, client: str, rate: Rate, now: float) -> tuple[int, int, float]:
        """The client's number and slot, and how far it is ahead with one more request."""
        number = int.from_bytes(blake2b(client.encode(), key=self._key, digest_size=8).digest()) | 1
        slot = self._slot_of(number)
        mine = self._times[slot] if self._clients[slot] == number else 0.0
        return number, slot, max(mine - now, 0.0) + rate.seconds / rate.requests

    def _slot_of(self, number: int) -> int:
        """The client's slot, or the one whose client is the least ahead: most often one that is not ahead at all."""
        slots = [(number + step) % SLOTS for step in range(PROBES)]
        for slot in slots:
            if self._clients[slot] == number:
                return slot
        return min(slots, key=self._times.__getitem__)

    def clear(self) -> None:
        """Forget all clients."""
        self._memory[:] = bytes(len(self._memory))
