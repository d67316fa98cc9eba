"""Connections whose clients do not read are found and closed, and no others."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from config.server.connections import Connections, WriteDeadline
from tests.attacks.watching import clients_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and tcp_info of Linux")


@pytest.fixture
def pair():
    """A connection that this process has accepted, and its client with a small buffer."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        closing(socket.socket()) as client,
    ):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(listener.getsockname())
        server, _ = listener.accept()
        with server:
            server.setblocking(False)
            # Learn the port of the listener, whatever the order of the descriptors is.
            connections = Connections(deadline_s=10)
            connections.count_blocked()
            yield connections, server, client


def fill(server):
    """Send until nothing more fits."""
    count = 0
    with suppress(BlockingIOError):
        while True:
            count += server.send(b"x" * 100_000)
    return count


def is_ended(server):
    try:
        return server.send(b"x") == 0
    except BlockingIOError:
        return False
    except OSError:
        return True


def test_a_client_that_reads_nothing_is_cut_off_when_the_deadline_has_passed(pair):
    connections, server, client = pair
    deadline = WriteDeadline(connections)
    fill(server)

    assert connections.count_blocked() == 1
    assert [deadline.scan(now) for now in (0, 5, 9.9)] == [0, 0, 0]
    assert not is_ended(server)
    assert deadline.scan(10) == 1

    assert is_ended(server)
    server.close()
    assert client.recv(100_000)
    with pytest.raises(ConnectionResetError):
        client.recv(100_000)


def test_a_client_that_reads_a_little_now_and_then_is_cut_off_as_well(pair):
    connections, server, client = pair
    deadline = WriteDeadline(connections, min_bytes_per_s=1024)
    fill(server)

    closed = []
    for now in range(11):
        closed.append(deadline.scan(now))
        client.recv(500)
        if not closed[-1]:
            fill(server)

    assert closed == [0] * 10 + [1]


def test_a_client_that_reads_steadily_keeps_its_connection(pair):
    connections, server, client = pair
    deadline = WriteDeadline(connections, min_bytes_per_s=100)
    fill(server)

    closed = []
    for now in range(31):
        closed.append(deadline.scan(now))
        for _ in range(4):
            client.recv(4096)

    assert closed == [0] * 31
    assert not is_ended(server)


def test_a_connection_on_which_nothing_waits_is_left_alone(pair):
    connections, server, client = pair
    deadline = WriteDeadline(connections)
    server.send(b"x" * 100)
    client.recv(100)

    assert [deadline.scan(now) for now in (0, 10, 100)] == [0, 0, 0]
    assert connections.count_blocked() == 0
    assert not is_ended(server)


def test_each_response_has_a_deadline_of_its_own(pair):
    connections, server, client = pair
    deadline = WriteDeadline(connections)
    closed = []
    for began in (0, 8, 16):
        sent = server.send(b"x" * 10_000)
        closed.append(deadline.scan(began))
        while sent:
            sent -= len(client.recv(10_000))
        closed.append(deadline.scan(began + 7))

    assert closed == [0] * 6
    assert not is_ended(server)


def test_connections_that_this_process_opened_itself_are_left_alone(pair):
    """Those to the database, for instance: here the client's end, whose server does not read."""
    connections, _, client = pair
    deadline = WriteDeadline(connections)
    client.setblocking(False)
    fill(client)

    assert [deadline.scan(now) for now in (0, 10, 20)] == [0, 0, 0]
    assert not is_ended(client)


def test_looking_at_connections_leaves_the_locks_of_the_database_alone(pair, tmp_path):
    """Closing any descriptor of a file drops all locks that the process holds on it: none may be duplicated."""
    connections, server, _ = pair
    fill(server)
    path = str(tmp_path / "locked.sqlite3")
    take_lock = f"import sqlite3; sqlite3.connect({path!r}, timeout=0).execute('BEGIN IMMEDIATE')"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("CREATE TABLE t (x)")
        database.execute("BEGIN IMMEDIATE")

        assert connections.count_blocked() == 1
        WriteDeadline(connections).scan(0)

        other = subprocess.run(
            [sys.executable, "-c", take_lock], capture_output=True, text=True, check=False
        )
        assert "database is locked" in other.stderr


def test_the_kernel_drops_a_closed_connection_whose_client_does_not_read():
    with socket.create_server(("127.0.0.1", 0)) as listener, closing(socket.socket()) as client:
        connections = Connections(deadline_s=1)
        connections.count_blocked()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(listener.getsockname())
        server, _ = listener.accept()
        server.setblocking(False)
        fill(server)
        server.close()

        port = listener.getsockname()[1]
        deadline = time.monotonic() + 60
        while clients_of(port) and time.monotonic() < deadline:
            time.sleep(0.1)

        assert clients_of(port) == set()
