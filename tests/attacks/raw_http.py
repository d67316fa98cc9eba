"""Raw HTTP requests, for bytes that an HTTP library would not send."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class RawResponse:
    """The bytes of all responses on one connection."""

    data: bytes

    @property
    def status(self) -> int:
        """The status of the first response; 0 without one."""
        parts = self.data.split(b" ", 2)
        return int(parts[1]) if len(parts) > 2 and parts[0].startswith(b"HTTP/") else 0

    @property
    def head(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[0].lower()


def request_text(
    path: bytes, *headers: bytes, method: bytes = b"GET", host: bytes = b"127.0.0.1"
) -> bytes:
    lines = [method + b" " + path + b" HTTP/1.1", b"Host: " + host, *headers, b"Connection: close"]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def exchange(url: str, data: bytes, *, timeout_s: float = 60) -> RawResponse:
    """Send `data` over its own connection, and read until the server closes it."""
    received = b""
    with connect(url, timeout_s=timeout_s) as connection:
        try:
            connection.sendall(data)
            while chunk := connection.recv(65_536):
                received += chunk
        except OSError:
            pass  # the server closed the connection, or sends no more
    return RawResponse(received)


def connect(url: str, *, timeout_s: float = 10) -> socket.socket:
    address = urlsplit(url)
    return socket.create_connection((address.hostname, address.port), timeout=timeout_s)
