"""How often a client may do something: one number for each client, in memory or in Redis.

The number is the time at which all requests of the client up to now would have arrived at exactly
the allowed rate; a request is refused if that time is more than a period ahead. So a period's
number of requests may come in a burst, and requests at the allowed rate are never refused.

Source: ITU-T I.371, Annex A, "Generic cell rate algorithm", virtual scheduling.

The package `limits` was measured instead (5.8): its memory stores every request of a window and
scans them all every 10 ms, which cost 4 ms of CPU for each request when 60,000 addresses had sent
one in the last minute.
"""

from __future__ import annotations

import hashlib
import logging
import math
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any, Final, Self

from django.conf import settings

MAX_CLIENTS: Final = 16_384  # in memory: the ones that came last
ROUNDING_S: Final = 1e-5  # more than the sum of two times loses as a float
PREFIX: Final = "toolshelf:rate:"
TIMEOUT_S: Final = 0.25
RETRY_S: Final = 5.0
# ARGV: the seconds of a request at the rate, and the most by which a client may be ahead. Returns
# how far it is ahead with this request, as text, because numbers of Redis lose their fractions.
SCRIPT: Final = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local mine = tonumber(redis.call('GET', KEYS[1]) or '0')
local ahead = math.max(mine - now, 0) + tonumber(ARGV[1])
if ahead <= tonumber(ARGV[2]) then
  local lifetime = math.ceil(ahead * 1000) + 1000
  redis.call('SET', KEYS[1], string.format('%.6f', now + ahead), 'PX', lifetime)
end
return string.format('%.6f', ahead)
"""
_UNITS: Final = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
_NAMES: Final = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))
_WRITTEN: Final = re.compile(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,3})?(s|min|h|d)", re.ASCII)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `requests` per `seconds`; all of them may come at once."""

    requests: int
    seconds: int

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read "6000/min" or "6000/10min"; the units are s, min, h and d.

        Raises:
            ValueError: it is something else.
        """
        match = _WRITTEN.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a rate")
        return cls(int(match[1]), int(match[2] or 1) * _UNITS[match[3]])

    def __str__(self) -> str:
        """For messages: "6,000 in 10 minutes"."""
        name, unit = next(pair for pair in _NAMES if self.seconds % pair[1] == 0)
        count = self.seconds // unit
        period = f"per {name}" if count == 1 else f"in {count} {name}s"
        return f"{self.requests:,} {period}"

    @property
    def step_s(self) -> float:
        """The time between requests that come at this rate."""
        return self.seconds / self.requests


@dataclass(frozen=True, slots=True)
class Quota:
    """The result of counting a request of one client.

    Attributes:
        ahead_s: how far the client is ahead of the rate with this request, which is refused if that
            is too far.
    """

    rate: Rate
    ahead_s: float

    @property
    def wait_s(self) -> float:
        """0 if the request is allowed, else the seconds until it would be."""
        excess_s = self.ahead_s - self.rate.seconds
        if excess_s <= ROUNDING_S:
            return 0.0
        return excess_s

    @property
    def reset_s(self) -> float:
        """The seconds until the client may send all requests of a period again."""
        refused_s = self.rate.step_s if self.wait_s else 0.0
        return self.ahead_s - refused_s

    @property
    def remaining(self) -> int:
        """How many further requests are allowed immediately."""
        return max(0, math.floor((self.rate.seconds - self.reset_s) / self.rate.step_s + 1e-6))


class MemoryRates:
    """Counts the requests to this process."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str, rate: Rate) -> Quota:
        """Count a request of `client`, unless the rate refuses it."""
        with self._lock:
            now = monotonic()
            quota = Quota(rate, max(self._times.get(client, 0.0) - now, 0.0) + rate.step_s)
            if quota.wait_s:
                return quota
            self._times[client] = now + quota.ahead_s
            self._times.move_to_end(client)
            if len(self._times) > MAX_CLIENTS:
                self._times.popitem(last=False)
            return quota

    def clear(self) -> None:
        """Forget all clients."""
        self._times.clear()


class RedisRates:
    """Counts the requests to all servers of a site.

    Each server counts alone while Redis cannot be reached.
    """

    def __init__(self, url: str) -> None:
        import redis  # noqa: PLC0415 - an extra of the distribution

        self._errors: tuple[type[Exception], ...] = (redis.RedisError, OSError)
        url = url.replace("redis+socket://", "unix://")  # Celery's word for redis-py's
        client = redis.Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S
        )
        self._script: Any = client.register_script(SCRIPT)
        self._down_until = 0.0

    def take(self, client: str, rate: Rate) -> Quota:
        """As `MemoryRates.take`."""
        if monotonic() < self._down_until:
            return memory_rates.take(client, rate)
        key = PREFIX + hashlib.sha256(client.encode()).hexdigest()[:32]
        try:
            ahead_s = self._script(keys=[key], args=[rate.step_s, rate.seconds + ROUNDING_S])
        except self._errors as error:
            self._down_until = monotonic() + RETRY_S
            log.warning("Redis cannot be reached, so this server counts requests alone: %s", error)
            return memory_rates.take(client, rate)
        return Quota(rate, float(ahead_s))


memory_rates: Final = MemoryRates()
_redis_rates: Final = cache(RedisRates)


def count_request(client: str, rate: Rate) -> Quota:
    """Count a request of `client`, in Redis if the site has one."""
    rates = _redis_rates(settings.REDIS_URL) if settings.REDIS_URL else memory_rates
    return rates.take(client, rate)
