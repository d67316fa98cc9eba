"""Bodies arrive whole or not at all, and slow ones never hold every thread."""

from __future__ import annotations

import io
import json
import threading
import time

import pytest

from config.server.slow_bodies import SlowBodyGuard


def echo(environ, start_response):
    start_response("200 OK", [])
    return [environ["wsgi.input"].read()]


class Trickle:
    """A client that sends one byte every `pause_s`."""

    def __init__(self, pause_s: float) -> None:
        self.pause_s = pause_s
        self.sent = 0

    def read(self, size: int) -> bytes:
        time.sleep(self.pause_s * size)
        self.sent += size
        return b"x" * size


def ask(application, body, length):
    status, _, answer = ask_at("/", application, body, length)
    return status, answer


def ask_at(path, application, body, length):
    started = []
    environ = {"PATH_INFO": path, "CONTENT_LENGTH": str(length), "wsgi.input": body}
    parts = application(environ, lambda status, headers: started.append((status, dict(headers))))
    answer = b"".join(parts)
    if hasattr(parts, "close"):
        parts.close()
    return *started[0], answer


@pytest.mark.parametrize("size", [1, 100, 64 * 1024, 3_000_001])
def test_a_body_arrives_unchanged(size):
    sent = bytes(range(256)) * (size // 256) + b"y" * (size % 256)

    status, answer = ask(SlowBodyGuard(echo, readers=1, max_bytes=10**7), io.BytesIO(sent), size)

    assert status == "200 OK"
    assert answer == sent


def test_a_body_that_ends_early_is_refused():
    status, _ = ask(SlowBodyGuard(echo, readers=1, max_bytes=100), io.BytesIO(b"half"), 8)

    assert status == "400 Bad Request"


@pytest.mark.alone
def test_a_body_that_trickles_is_cut_off():
    application = SlowBodyGuard(echo, readers=1, max_bytes=10**6, timeout_s=0.5)
    client = Trickle(0.15)

    status, _ = ask(application, client, 1000)

    assert status == "408 Request Timeout"
    assert client.sent < 500


def test_only_so_many_bodies_arrive_at_once():
    application = SlowBodyGuard(echo, readers=2, max_bytes=10**6, timeout_s=3)
    slow = [threading.Thread(target=ask, args=(application, Trickle(0.2), 1000)) for _ in range(2)]
    for thread in slow:
        thread.start()
    time.sleep(0.1)

    status, _ = ask(application, io.BytesIO(b"quick"), 5)

    assert status == "503 Service Unavailable"
    for thread in slow:
        thread.join()
    assert ask(application, io.BytesIO(b"quick"), 5) == ("200 OK", b"quick")


@pytest.mark.alone
def test_few_wait_for_others_bodies_so_that_threads_are_left(monkeypatch):
    monkeypatch.setattr("config.server.slow_bodies.WAIT_S", 60)
    application = SlowBodyGuard(echo, readers=4, max_bytes=10**6)
    for _ in range(4):
        application.readers.acquire()
    waiting = [
        threading.Thread(target=ask, args=(application, io.BytesIO(b"x"), 1)) for _ in range(2)
    ]
    for thread in waiting:
        thread.start()
    while application.waiters.acquire(blocking=False):  # until both wait
        application.waiters.release()
        time.sleep(0.05)

    status, _ = ask(application, io.BytesIO(b"quick"), 5)

    assert status == "503 Service Unavailable"
    assert all(
        thread.is_alive() for thread in waiting
    )  # it was refused before those who came first
    for _ in range(4):
        application.readers.release()
    for thread in waiting:
        thread.join()


def test_a_refusal_has_the_format_of_its_interface_and_the_strict_headers():
    application = SlowBodyGuard(echo, readers=1, max_bytes=100)

    _, headers, page = ask_at("/add/", application, io.BytesIO(b"half"), 8)
    _, api_headers, answer = ask_at("/api/v1/tools", application, io.BytesIO(b"half"), 8)

    assert page == b"The request's body is shorter than its Content-Length.\n"
    assert api_headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer)["status"] == 400
    for sent in (headers, api_headers):
        assert sent["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in sent["Content-Security-Policy"]


def test_a_request_without_a_body_does_not_wait():
    application = SlowBodyGuard(echo, readers=1, max_bytes=100)
    application.readers.acquire()

    assert ask(application, io.BytesIO(), "")[0] == "200 OK"
