"""The rates of `shared_rates.py` in Redis, for several servers of one site: one round trip for each request.

A script counts all clients of a request in one step, by Redis's own clock. While Redis cannot be reached, each server
counts in its own memory, and asks again after a few seconds.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Sequence
from typing import Any, Final

from catalog.accounts.shared_rates import ROUNDING_S, Claim, Quota, SharedRates

PREFIX: Final = "toolshelf:rate:"
TIMEOUT_S: Final = 0.25
RETRY_S: Final = 5.0
# KEYS: clients; ARGV: for each the seconds and the requests of its rate, then `ROUNDING_S`. Returns for each how far it
# is ahead with this request, as text. Numbers of Redis would lose their fractions.
SCRIPT: Final = """
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1000000
local ahead, refused = {}, false
for i, key in ipairs(KEYS) do
  local seconds, requests = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local mine = tonumber(redis.call('GET', key) or '0')
  ahead[i] = math.max(mine - now, 0) + seconds / requests
  refused = refused or ahead[i] > seconds + tonumber(ARGV[#ARGV])
end
for i, key in ipairs(KEYS) do
  if not refused then
    redis.call('SET', key, string.format('%.6f', now + ahead[i]), 'PX', math.ceil(ahead[i] * 1000) + 1000)
  end
  ahead[i] = string.format('%.6f', ahead[i])
end
return ahead
"""

log = logging.getLogger(__name__)


class RedisRates:
    """As `SharedRates`, with the numbers in Redis.

    Args:
        url: of the Redis server.
        fallback: counts while Redis cannot be reached.
    """

    def __init__(self, url: str, fallback: SharedRates) -> None:
        import redis  # noqa: PLC0415 - an extra of the distribution

        self._errors: tuple[type[Exception], ...] = (redis.RedisError, OSError)
        if url.startswith("redis+socket://"):  # Celery's word for redis-py's "unix"
            url = f"unix://{url.removeprefix('redis+socket://')}"
        client = redis.Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S
        )
        self._script: Any = client.register_script(SCRIPT)
        self._fallback = fallback
        self._down_until = 0.0

    def take_all(self, claims: Sequence[Claim]) -> list[Quota]:
        """As `SharedRates.take_all`."""
        if time.monotonic() < self._down_until:
            return self._fallback.take_all(claims)
        keys = [PREFIX + hashlib.sha256(client.encode()).hexdigest()[:32] for client, _ in claims]
        numbers = [number for _, rate in claims for number in (rate.seconds, rate.requests)]
        try:
            ahead = [float(text) for text in self._script(keys=keys, args=[*numbers, ROUNDING_S])]
        except self._errors as error:
            self._down_until = time.monotonic() + RETRY_S
            log.warning("Redis cannot be reached, so this server counts requests alone: %s", error)
            return self._fallback.take_all(claims)
        is_refused = any(
            each > rate.seconds + ROUNDING_S for each, (_, rate) in zip(ahead, claims, strict=True)
        )
        return [
            Quota(
                rate,
                max(0.0, each - rate.seconds),
                each - (rate.seconds / rate.requests if is_refused else 0),
            )
            for each, (_, rate) in zip(ahead, claims, strict=True)
        ]
