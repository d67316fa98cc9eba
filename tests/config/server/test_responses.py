"""Responses are handed to the server in one piece, within bounds."""

from __future__ import annotations

import json

import pytest
from django.conf import settings

from config.server.responses import LARGE_BYTES, UnreadResponses, WholeResponses

MIB = 1024 * 1024


class Body:
    """A body in parts that notes how many were taken, and that it was closed."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = parts
        self.parts_read = 0
        self.closed = 0

    def __iter__(self):
        for part in self.parts:
            self.parts_read += 1
            yield part

    def close(self):
        self.closed += 1


def unread(blocked=0, max_bytes=MIB):
    return UnreadResponses(lambda: blocked, max_bytes=max_bytes)


def whole(body, *headers, **options):
    def application(environ, start_response):
        start_response("200 OK", list(headers))
        return body

    return WholeResponses(application, **{"unread": unread(), "senders": 1} | options)


def ask(application, path="/", method="GET", **environ):
    """The status, the headers, and what the server gets as the body."""
    started = []
    environ |= {"PATH_INFO": path, "REQUEST_METHOD": method}
    body = application(environ, lambda *given: started.append(given))
    [(status, headers)] = started
    return status, dict(headers), body


@pytest.mark.parametrize("parts", [[], [b""], [b"a"], [b"a", b"", b"bc"]])
def test_a_body_in_parts_becomes_a_list_and_is_closed_before_it_is_sent(parts):
    body = Body(*parts)

    status, _, given = ask(whole(body))

    assert (status, type(given), b"".join(given)) == ("200 OK", list, b"".join(parts))
    assert body.closed == 1


def test_an_error_within_the_body_closes_it():
    class Broken(Body):
        def __iter__(self):
            raise OSError("the disk is broken")

    body = Broken()

    with pytest.raises(OSError, match="the disk is broken"):
        ask(whole(body))

    assert body.closed == 1


def test_large_bodies_are_refused_while_too_many_are_unread():
    body = Body(b"x" * 600_000)
    application = whole(body, unread=unread(blocked=1))

    statuses = [ask(application, "/api/v1/tools")[0] for _ in range(2)]
    status, headers, given = ask(application, "/api/v1/tools")

    assert statuses == ["200 OK", "503 Service Unavailable"]
    assert (status, headers["Content-Type"], headers["Retry-After"]) == (
        "503 Service Unavailable",
        "application/problem+json",
        "5",
    )
    assert json.loads(b"".join(given))["detail"] == (
        "Too many large responses are being sent at the moment. Try again shortly."
    )
    assert body.closed == 3


def test_a_response_to_a_change_is_sent_even_if_too_many_are_unread():
    application = whole(Body(b"x" * 600_000), unread=unread(blocked=1))
    ask(application)

    assert ask(application)[0] == "503 Service Unavailable"
    assert ask(application, method="POST")[0] == "503 Service Unavailable"
    assert (
        ask(application, method="POST", HTTP_COOKIE=f"{settings.SESSION_COOKIE_NAME}=1")[0]
        == "200 OK"
    )
    assert ask(application, method="DELETE", HTTP_AUTHORIZATION="Bearer t")[0] == "200 OK"


def test_a_refused_body_of_known_length_is_not_even_read():
    body = Body(b"x" * 600_000)
    application = whole(body, ("Content-Length", "600000"))

    statuses = [ask(application)[0] for _ in range(3)]

    assert statuses == ["200 OK", "503 Service Unavailable", "503 Service Unavailable"]
    assert (body.parts_read, body.closed) == (1, 3)


def test_small_bodies_are_sent_even_if_too_many_large_ones_are_unread():
    held = unread(blocked=1)
    assert held.admit(MIB)

    status, _, _ = ask(whole(Body(b"x" * (LARGE_BYTES - 1)), unread=held))

    assert status == "200 OK"
    assert ask(whole(Body(b"x" * LARGE_BYTES), unread=held))[0] == "503 Service Unavailable"


def test_read_bodies_are_no_longer_counted(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("config.server.responses.time.monotonic", lambda: clock[0])
    blocked = [2]
    held = UnreadResponses(lambda: blocked[0], max_bytes=10)
    assert [held.admit(length) for length in (3, 5, 2, 1)] == [True, True, True, False]

    clock[0] = 1.0

    assert [held.admit(length) for length in (3, 2)] == [
        False,
        True,
    ]  # two connections are blocked: 5 and 3 at most
    blocked[0] = 0
    clock[0] = 2.0
    assert held.admit(10)


def test_one_body_alone_is_never_too_large():
    held = unread(max_bytes=10)

    assert held.admit(11)
    assert not held.admit(1)


@pytest.mark.parametrize("headers", [[], [("Content-Length", "30")]])
def test_a_body_too_long_for_memory_is_sent_in_parts_by_few_threads(headers):
    bodies = [Body(*[b"0123456789"] * 3) for _ in range(3)]
    turns = iter(bodies)
    application = WholeResponses(
        lambda environ, start_response: (start_response("200 OK", headers), next(turns))[1],
        unread=unread(),
        senders=1,
        max_whole_bytes=15,
    )

    first, second = ask(application), ask(application)
    sent = b"".join(first[2])
    first[2].close()
    first[2].close()
    third = ask(application)

    assert [status for status, *_ in (first, second, third)] == [
        "200 OK",
        "503 Service Unavailable",
        "200 OK",
    ]
    assert sent == b"0123456789" * 3
    assert [body.closed for body in bodies] == [1, 1, 0]


def test_events_are_passed_on_as_they_happen_and_closed_by_the_server():
    body = Body(b"data: 1\r\n\r\n", b"data: 2\r\n\r\n")

    _, headers, given = ask(whole(body, ("Content-Type", "text/event-stream")))

    assert headers["Content-Type"] == "text/event-stream"
    assert (body.parts_read, body.closed) == (0, 0)
    assert next(iter(given)) == b"data: 1\r\n\r\n"
    assert body.parts_read == 1
    given.close()
    assert body.closed == 1


@pytest.mark.parametrize(
    "credentials",
    [
        {"HTTP_AUTHORIZATION": "Bearer secret"},
        {"HTTP_COOKIE": f"{settings.SESSION_COOKIE_NAME}=abc; other=1"},
    ],
)
def test_a_client_that_reads_no_response_may_change_nothing_more(credentials):
    body = Body(b"x" * LARGE_BYTES * 4)
    application = whole(body, unread=unread(blocked=300))

    statuses = [ask(application, method="POST", **credentials)[0] for _ in range(10)]

    assert statuses[0] == "200 OK"
    assert statuses[-1].startswith("503 ")
    assert body.parts_read == statuses.count("200 OK") < 5


def test_other_clients_are_not_refused_because_one_does_not_read():
    application = whole(Body(b"x" * LARGE_BYTES * 4), unread=unread(blocked=300))
    for _ in range(10):
        ask(application, method="POST", HTTP_AUTHORIZATION="Bearer a")

    status, _, _ = ask(application, method="POST", HTTP_AUTHORIZATION="Bearer b")

    assert status == "200 OK"


def test_changing_a_cookie_beside_the_session_makes_no_other_client():
    application = whole(Body(b"x" * LARGE_BYTES * 4), unread=unread(blocked=300))
    session = f"{settings.SESSION_COOKIE_NAME}=abc"

    statuses = [
        ask(application, method="POST", HTTP_COOKIE=f"{session}; n={i}")[0] for i in range(10)
    ]

    assert statuses[-1].startswith("503 ")


def test_clients_with_ever_new_credentials_have_a_limit_together():
    application = whole(Body(b"x" * LARGE_BYTES * 4), unread=unread(blocked=300))

    statuses = [
        ask(application, method="POST", HTTP_AUTHORIZATION=f"Bearer {i}")[0] for i in range(40)
    ]

    assert statuses.count("200 OK") * LARGE_BYTES * 4 <= 5 * MIB
    assert statuses[-1].startswith("503 ")
