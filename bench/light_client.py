"""Many clients in one thread, which use so little CPU that they do not distort a measurement.

Each has one keep-alive connection, sends the same bytes repeatedly, and reads the response up to
its Content-Length.
"""

from __future__ import annotations

import selectors
import socket
import time
from dataclasses import dataclass, field


@dataclass
class Results:
    """Seconds per request, and the number of responses by status."""

    seconds: float = 0.0
    took_s: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    lacking: int = 0  # responses with status 201 but without the expected text

    @property
    def per_second(self) -> float:
        return len(self.took_s) / self.seconds


@dataclass
class _Client:
    socket: socket.socket
    sent_at: float = 0.0
    answer: bytes = b""

    def send(self, request: bytes) -> None:
        self.answer, self.sent_at = b"", time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Read the received bytes; return whether the response is complete."""
        self.answer += self.socket.recv(1 << 18)
        head, separator, body = self.answer.partition(b"\r\n\r\n")
        if not separator:
            return False
        _, _, rest = head.lower().partition(b"content-length:")
        return len(body) >= int(rest.split(b"\r\n", 1)[0])


def write_post(port: int, path: str, token: str, body: bytes) -> bytes:
    """The bytes of a POST request."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def hammer(
    port: int, request: bytes, *, clients: int, seconds: float, text: bytes = b""
) -> Results:
    """Let `clients` send `request` for this many seconds, each as soon as it has a response."""
    results = Results()
    selector = selectors.DefaultSelector()
    began = time.perf_counter()
    for _ in range(clients):
        client = _Client(socket.create_connection(("127.0.0.1", port)))
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(client.socket, selectors.EVENT_READ, client)
        client.send(request)
    while selector.get_map():
        for key, _ in selector.select():
            client = key.data
            if not client.receive():
                continue
            now = time.perf_counter()
            results.took_s.append(now - client.sent_at)
            status = int(client.answer[9:12])
            results.statuses[status] = results.statuses.get(status, 0) + 1
            results.lacking += status == 201 and text not in client.answer
            if now - began < seconds:
                client.send(request)
            else:
                selector.unregister(client.socket)
                client.socket.close()
    results.seconds = time.perf_counter() - began
    return results
