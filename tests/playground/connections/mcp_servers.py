"""MCP servers for tests, served over HTTP by a thread of this process."""

import asyncio
import contextlib
import socket
import threading
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.types import CallToolResult, TextContent

TINY_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


class Served:
    """An ASGI application on a free port of 127.0.0.1."""

    def __init__(self, app, notes=None):
        if notes is not None:
            app = notes.taking(app)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        config = uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._server.install_signal_handlers = lambda: None
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def _run(self):
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._server.serve(sockets=[self._socket]))

    def __enter__(self):
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            threading.Event().wait(0.01)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()


class Notes:
    """The experiences of a server: the headers of its requests, and a cancelled call."""

    def __init__(self):
        self.cancelled = threading.Event()
        self.headers = []

    def taking(self, app):
        async def noted(scope, receive, send):
            if scope["type"] == "http":
                self.headers.append(
                    {name.decode(): value.decode() for name, value in scope["headers"]}
                )
            await app(scope, receive, send)

        return noted


def everyday_server(notes):
    """A server with a tool for each kind of answer."""
    server = MCPServer("everyday", log_level="CRITICAL")

    @server.tool()
    def add(a: float, b: float) -> dict[str, float]:
        """Add two numbers."""
        return {"sum": a + b}

    @server.tool(structured_output=False)
    def text_json() -> str:
        """JSON as text."""
        return '{"a": [1, 2]}'

    @server.tool(structured_output=False)
    def plain_text(name: str = "you") -> str:
        """Text that is not JSON."""
        return f"Hello, {name}"

    @server.tool(structured_output=False)
    def picture() -> Image:
        """An image."""
        return Image(data=TINY_PNG, format="png")

    @server.tool()
    def fail() -> str:
        """Fail."""
        raise ValueError("no such city")

    @server.tool()
    def breaks_its_schema() -> CallToolResult:
        """Answer with an error of its own."""
        return CallToolResult(
            content=[TextContent(type="text", text="quota used up")], is_error=True
        )

    @server.tool()
    async def steps(count: int, ctx: Context) -> dict[str, int]:
        """Report progress."""
        for step in range(count):
            await ctx.report_progress(step + 1, count, f"step {step + 1}")
            await anyio.sleep(0.12)
        return {"steps": count}

    @server.tool()
    async def wait_long() -> dict[str, Any]:
        """Wait until it is cancelled."""
        try:
            await anyio.sleep(60)
        except anyio.get_cancelled_exc_class():
            notes.cancelled.set()
            raise
        return {}

    return server
