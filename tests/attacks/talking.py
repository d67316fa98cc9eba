"""Requests byte by byte, for what an HTTP library would not send."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Said:
    """What came back: the answers' bytes."""

    data: bytes

    @property
    def status(self) -> int:
        """Of the first answer; 0 where there was none."""
        words = self.data.split(b" ", 2)
        return int(words[1]) if len(words) > 2 and words[0].startswith(b"HTTP/") else 0

    @property
    def head(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[0].lower()


def request_text(path: bytes, *headers: bytes, method: bytes = b"GET", host: bytes = b"127.0.0.1") -> bytes:
    lines = [method + b" " + path + b" HTTP/1.1", b"Host: " + host, *headers, b"Connection: close"]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def say(url: str, data: bytes, *, timeout_s: float = 60) -> Said:
    """Send `data` over a connection of its own, and hear all that comes back."""
    heard = b""
    with connect(url, timeout_s=timeout_s) as connection:
        try:
            connection.sendall(data)
            while chunk := connection.recv(65_536):
                heard += chunk
        except OSError:
            pass  # the server hung up, or says no more
    return Said(heard)


def connect(url: str, *, timeout_s: float = 10) -> socket.socket:
    address = urlsplit(url)
    return socket.create_connection((address.hostname, address.port), timeout=timeout_s)
