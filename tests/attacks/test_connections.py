"""Clients that are slow, that break off, that send too much or something else than HTTP: others are answered all the
while."""

from __future__ import annotations

import gzip
import io
import time
import zipfile
from contextlib import ExitStack

import pytest

from tests.attacks.cases import cases
from tests.attacks.raw_http import connect, exchange, request_text
from tests.attacks.watching import Health

BODY_TIMEOUT_S = 20  # what config.server.slow_bodies gives a body
HEADER_TIMEOUT_S = 10  # for the headers of a request
SPEC = b'{"definition": {"id": "connected", "name": "connected", "description": "d"}}'


@pytest.fixture
def health(site):
    with Health(site.url) as health:
        yield health
    assert health.times
    assert health.unanswered == 0


@pytest.fixture
def post(program):
    """The bytes of a POST of a program that has a token."""
    token = program.headers["authorization"].encode()

    def post(path, body, *headers, length=None, kind=b"application/json"):
        length = str(len(body)).encode() if length is None else length
        fields = [b"Authorization: " + token, b"Content-Type: " + kind, *headers]
        if length:
            fields.append(b"Content-Length: " + length)
        return request_text(path, *fields, method=b"POST") + body

    return post


def held(stack, site, count, data):
    """`count` connections that sent `data` and then stay silent."""
    connections = [stack.enter_context(connect(site.url)) for _ in range(count)]
    for connection in connections:
        connection.sendall(data)
    return connections


def until_cut(connection, within_s):
    """The response of the server on a connection that sends one byte per second."""
    received = b""
    deadline = time.monotonic() + within_s
    connection.settimeout(1)
    while time.monotonic() < deadline:
        try:
            connection.sendall(b"x")
            chunk = connection.recv(10_000)
        except TimeoutError:
            continue
        except OSError:
            return received
        if not chunk:
            return received
        received += chunk
    pytest.fail(f"the connection is still open after {within_s} s")


def slow_body(site, post):
    """Twenty bodies that come at one byte per second are cut off at the stated limit."""
    with ExitStack() as stack:
        connections = held(stack, site, 20, post(b"/api/v1/tools", b"", length=b"1000"))

        received = until_cut(connections[0], BODY_TIMEOUT_S + 5)

        assert received.startswith(b"HTTP/1.1 408 ")


def pipelining(site, post):
    again = b"GET /api/v1/tools?limit=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    response = exchange(site.url, again * 99 + request_text(b"/healthz"))

    assert response.data.count(b"HTTP/1.1 200 OK") == 100


def cl_too_long(site, post):
    """The client ends; or it stays, and is cut off."""
    with connect(site.url) as connection:
        connection.sendall(post(b"/api/v1/tools", SPEC, length=b"5000"))
        connection.shutdown(1)
        received = connection.recv(10_000)
    assert received == b"" or received.startswith(b"HTTP/1.1 400 ")


def cl_negative(site, post):
    for length in (b"-1", b"+5", b"0x10", b"1e3", b" ", b"5, 6", b"9" * 40, "٣".encode()):
        assert exchange(site.url, post(b"/api/v1/tools", SPEC, length=length)).status in {400, 413}


def gzip_body(site, post):
    packed = gzip.compress(b" " * 10_000_000)
    for coding in (b"gzip", b"deflate", b"br", b"zstd", b"identity, gzip", b"GZIP"):
        for path in (b"/api/v1/tools", b"/api/v1/uploads", b"/api/v1/specs/check", b"/add/"):
            assert (
                exchange(site.url, post(path, packed, b"Content-Encoding: " + coding)).status == 415
            )


def upload_many_fields(site, post):
    part = b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n{}\r\n'
    for name in (b"", b'; filename="a.json"'):
        body = b"".join(part % (b"f%d" % number, name) for number in range(20_000)) + b"--x--\r\n"
        response = exchange(
            site.url, post(b"/api/v1/uploads", body, kind=b"multipart/form-data; boundary=x")
        )
        assert response.status == 413


def upload_zip_bomb(site, post):
    for name, archive in archives().items():
        response = exchange(
            site.url, post(b"/api/v1/uploads?dry_run=1", archive, kind=b"application/octet-stream")
        )
        assert response.status == 200, name
        assert b'"rejected": 0' not in response.data, name
        assert b'"created": 0' in response.data, name


def archives():
    bomb = zipped({"a.json": b"[" + b" " * 50_000_000})
    return {"a bomb": bomb, "half of an archive": bomb[: len(bomb) // 2], "nothing": b""}


def zipped(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


# -- variants of our own ----------------------------------------------------------------------------------------------


def slow_headers(site, post):
    with ExitStack() as stack:
        connections = held(stack, site, 200, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")

        until_cut(connections[-1], HEADER_TIMEOUT_S + 5)


def idle_connections(site, post):
    with ExitStack() as stack:
        held(stack, site, 400, b"")
        time.sleep(2)


def broken_off(site, post):
    for data in (
        b"GET",
        b"POST /api/v1/tools HTTP/1.1\r\n",
        post(b"/api/v1/tools", SPEC[:20], length=b"500"),
    ):
        for _ in range(20):
            with connect(site.url) as connection:
                connection.sendall(data)


def responses_not_read(site, post):
    """Clients that ask for pages and do not read them."""
    with ExitStack() as stack:
        held(stack, site, 50, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
        time.sleep(2)


def chunked(site, post):
    """A body of unknown length is refused, and what follows it is no request of somebody else."""
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(SPEC), SPEC)
    assert (
        exchange(
            site.url, post(b"/api/v1/tools", body, b"Transfer-Encoding: chunked", length=b"")
        ).status
        == 411
    )
    smuggled = (
        b"0\r\n\r\nDELETE /api/v1/tools/get-weather-498ebfb0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    )
    for headers in (
        [b"Transfer-Encoding: chunked"],
        [b"Transfer-Encoding: xchunked"],
        [b"Transfer-Encoding : chunked"],
    ):
        response = exchange(site.url, post(b"/api/v1/tools", smuggled, *headers, length=b"5"))
        assert response.data.count(b"HTTP/1.1 ") == 1
        assert response.status in {400, 411}


def no_http(site, post):
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/3.0\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"\x00" * 10_000,
        b"A" * 1_000_000,
    ):
        assert exchange(site.url, data, timeout_s=1).status in {0, 400, 414, 431}


def too_much(site, post):
    assert (
        exchange(
            site.url, request_text(b"/", *(b"X-%d: 1" % number for number in range(300)))
        ).status
        == 431
    )
    assert exchange(site.url, request_text(b"/", b"X-Big: " + b"a" * 40_000)).status == 431
    assert exchange(site.url, request_text(b"/", b"Cookie: " + b"a=b; " * 10_000)).status == 431
    assert exchange(site.url, request_text(b"/" + b"a" * 70_000)).status == 414
    assert exchange(site.url, request_text(b"/tools/?q=" + b"a" * 20_000)).status == 414
    assert exchange(site.url, post(b"/api/v1/tools", b"", length=b"1" + b"0" * 11)).status == 413


PROCEDURES = {
    procedure.__name__.replace("_", "-"): procedure
    for procedure in (
        slow_body,
        pipelining,
        cl_too_long,
        cl_negative,
        gzip_body,
        upload_many_fields,
        upload_zip_bomb,
        slow_headers,
        idle_connections,
        broken_off,
        responses_not_read,
        chunked,
        no_http,
        too_much,
    )
}


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_others_are_answered_while(procedure, site, post, health):
    PROCEDURES[procedure](site, post)


def test_every_case_has_its_procedure():
    assert {case.procedure for case in cases("http.connection")} <= PROCEDURES.keys()
