"""Rates in a real Redis: shared by servers, exact under concurrency, and what happens without it."""

from __future__ import annotations

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from accounts.cell_rate import PREFIX, MemoryRates, Rate, RedisRates
from tests.site import free_port

TEN = Rate(10, 3600)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Redis of these tests' own; the address of its socket."""
    folder = tmp_path_factory.mktemp("redis")
    path = folder / "socket"
    words = ["--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
    client = redis.Redis(unix_socket_path=str(path))
    while True:
        try:
            client.ping()
            break
        except redis.ConnectionError:
            time.sleep(0.02)
    yield path, client
    process.terminate()
    process.wait(20)


@pytest.fixture
def url(server):
    path, client = server
    client.flushall()
    return f"redis+socket://{path}"


def allowed(rates, client, times):
    return sum(rates.take(client, TEN).wait_s == 0 for _ in range(times))


def test_two_servers_share_a_rate(url):
    one, other = RedisRates(url), RedisRates(url)

    assert allowed(one, "ada", 7) + allowed(other, "ada", 7) == 10
    assert allowed(other, "bob", 3) == 3


def test_concurrent_requests_count_exactly(url):
    servers = [RedisRates(url) for _ in range(8)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda rates: allowed(rates, "ada", 10), servers))

    assert sum(found) == 10


def test_redis_and_memory_agree(url):
    memory, redis_rates = MemoryRates(), RedisRates(url)

    for _ in range(11):
        one, other = memory.take("ada", TEN), redis_rates.take("ada", TEN)
        assert one.remaining == other.remaining
        assert one.wait_s == pytest.approx(other.wait_s, abs=2)


def test_keys_expire_and_name_nobody(url, server):
    RedisRates(url).take("192.0.2.7", TEN)

    [key] = server[1].keys("*")
    assert key.startswith(PREFIX.encode())
    assert b"192.0.2.7" not in key
    assert 0 < server[1].pttl(key) <= 3_600_000


def test_without_redis_a_server_counts_alone(caplog):
    rates = RedisRates(f"redis://127.0.0.1:{free_port()}")

    assert allowed(rates, "ada", 25) == 10
    assert caplog.text.count("Redis cannot be reached") == 1


@pytest.mark.django_db
def test_the_api_counts_in_redis(url, server, settings, stranger):
    settings.REDIS_URL, settings.API_RATE = url, Rate(2, 60)

    found = [stranger.ask("/tags") for _ in range(3)]

    assert [answer.status_code for answer in found] == [200, 200, 429]
    assert len(server[1].keys(PREFIX + "*")) == 1
