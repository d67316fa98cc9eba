"""Sixty clients that ask for large answers and do not read them: others are answered, and the sixty are cut off."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.request
from contextlib import suppress

import pytest

from tests.attacks.watching import clients_of, servers_of
from tests.site import Site

CLIENTS = 60
WRITE_TIMEOUT_S = 3
UNREAD_BYTES = 4 * 1024 * 1024  # of four of the largest responses
TIMEOUT_S = 60  # for what happens within seconds on an idle machine
TOOLS = 70
DESCRIPTION = "A description with few words. " + "-" * 120_000
SCHEMA = {
    "type": "object",
    "properties": {f"member_{number}": {"type": "string"} for number in range(200)},
}
SMALL = 3  # requests on one connection, where one answer alone fits into the buffers of the kernel


@pytest.fixture(scope="module")
def large_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    with (folder / "tools.ndjson").open("w") as file:
        for number in range(TOOLS):
            definition = {
                "id": f"large.t{number}",
                "name": f"large {number}",
                "description": DESCRIPTION,
            }
            schema = {"parameters": SCHEMA} if number == 1 else {}
            file.write(json.dumps({"definition": definition | schema}) + "\n")
    site = Site(
        folder,
        settings={
            "WRITE_TIMEOUT_S": WRITE_TIMEOUT_S,
            "UNREAD_RESPONSE_BYTES": UNREAD_BYTES,
        },
    )
    site.manage("load_specs", str(folder / "tools.ndjson"))
    yield site
    site.stop()


def get(site, path):
    with urllib.request.urlopen(site.url + path, timeout=TIMEOUT_S) as answer:
        return answer.status, answer.read()


def ask_and_not_read(site, path, times, header="X-Plain: 1"):
    """A client with a small buffer that asks for `path` so many times."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.settimeout(TIMEOUT_S)
    client.connect(("127.0.0.1", site.port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n\r\n".encode() * times)
    return client


def assert_others_are_answered(site):
    for _ in range(20):
        assert get(site, "/healthz") == (200, b"ok\n")
    status, page = get(site, "/tools/?q=weather")
    assert (status, b"</html>" in page) == (200, True)


def assert_all_end(site, clients):
    """Each connection is ended by the server, though its client reads nothing."""
    ports = {client.getsockname()[1] for client in clients}
    deadline = time.monotonic() + TIMEOUT_S
    while (left := ports & clients_of(site.port)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not left, f"{len(left)} connections are still open after {TIMEOUT_S} s"


def statuses(clients):
    """The status of the first answer of each client, as far as one has come."""
    found = []
    for client in clients:
        client.setblocking(False)
        with suppress(OSError):
            found.append(int(client.recv(12, socket.MSG_PEEK)[9:12]))
    return found


def static_file(site):
    """The style sheet of every page, by its hashed name."""
    return re.search(rb'rel="stylesheet" href="([^"]+)"', get(site, "/")[1])[1].decode()


LIST = f"/api/v1/tools?limit={TOOLS}&q=description"  # 1 MB, the most of a page
# One of each way in which the server sends: text of the API, a page, a file.
ANSWERS = {
    "a list of tools": (LIST, 1),
    "a tool's page": ("/tools/large.t1/", SMALL),
    "a static file": (static_file, SMALL),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_clients_that_do_not_read_hold_no_thread_and_are_cut_off(large_site, answer):
    path, times = ANSWERS[answer]
    path = path if isinstance(path, str) else path(large_site)
    status, _ = get(large_site, path)
    assert status == 200
    clients = [ask_and_not_read(large_site, path, times) for _ in range(CLIENTS)]
    try:
        assert_others_are_answered(large_site)
        assert_all_end(large_site, clients)
    finally:
        for client in clients:
            client.close()


def test_what_the_server_has_finished_sending_is_given_up_as_well(large_site):
    """The answer is in the buffers of the kernel, and the server has closed the connection."""
    path = "/api/v1/tools/large.t1/revisions/1/spec"
    clients = [ask_and_not_read(large_site, path, 1, "Connection: close") for _ in range(CLIENTS)]
    try:
        assert_others_are_answered(large_site)
        assert_all_end(large_site, clients)
    finally:
        for client in clients:
            client.close()


def test_a_few_clients_get_large_responses_and_the_others_are_asked_to_try_again(large_site):
    """Responses that clients do not read take memory of the server, which is bounded."""
    _, tools = get(large_site, LIST)
    clients = [ask_and_not_read(large_site, LIST, 1) for _ in range(CLIENTS)]
    try:
        assert_others_are_answered(large_site)
        given = statuses(clients)
        assert_all_end(large_site, clients)
    finally:
        for client in clients:
            client.close()

    assert len(tools) > UNREAD_BYTES // 5
    assert set(given) <= {200, 429, 503}
    # Two processes, each with room for four; as many again where the machine is slow to show that they are not read.
    assert 1 <= given.count(200) <= 2 * 2 * UNREAD_BYTES // len(tools)


def test_clients_that_read_a_byte_now_and_then_are_cut_off(large_site):
    clients = [ask_and_not_read(large_site, LIST, 1) for _ in range(CLIENTS)]
    reading = set(clients)
    deadline = time.monotonic() + TIMEOUT_S
    try:
        for client in clients:
            client.setblocking(False)
        assert_others_are_answered(large_site)
        while reading and time.monotonic() < deadline:
            for client in list(reading):
                try:
                    if not client.recv(50):
                        reading.discard(client)
                except BlockingIOError:
                    pass
                except OSError:
                    reading.discard(client)
            time.sleep(0.2)
        assert not reading, f"{len(reading)} connections are still open after {TIMEOUT_S} s"
    finally:
        for client in clients:
            client.close()


def test_a_client_that_reads_gets_a_whole_list_while_they_hang(large_site):
    _, before = get(large_site, LIST)
    clients = [ask_and_not_read(large_site, "/tools/", SMALL) for _ in range(CLIENTS)]
    try:
        _, after = get(large_site, LIST)
    finally:
        for client in clients:
            client.close()

    assert after == before


def test_the_server_is_as_before_when_they_were_cut_off(large_site):
    servers = servers_of(large_site.process.pid)
    get(large_site, LIST)
    clients = [ask_and_not_read(large_site, LIST, 1) for _ in range(CLIENTS)]
    assert_all_end(large_site, clients)
    for client in clients:
        client.close()

    assert servers_of(large_site.process.pid) == servers
    assert get(large_site, LIST)[0] == 200
    assert "Traceback" not in large_site.log()
