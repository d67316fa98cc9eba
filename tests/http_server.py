"""A server in this process for tests of outgoing connections: it answers as a function decides."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class LocalServer:
    """Where the server is, and the requests that it received: method, path and headers (in lower case)."""

    port: int
    scheme: str = "http"
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what the tests are about."""


@contextmanager
def local_server(answer: Answer, *, tls: ssl.SSLContext | None = None) -> Iterator[LocalServer]:
    """Serve on a free port of the loopback interface until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            served.requests.append((self.command, self.path, headers))
            answer(self)

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = handle_one

        def log_message(self, *_: object) -> None:
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    served = LocalServer(server.server_port, "https" if tls else "http")
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def respond(
    handler: BaseHTTPRequestHandler,
    body: bytes = b"",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> None:
    """Send a complete response."""
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
