"""MCP servers for tests: one of the official SDK in this process, and one that answers whatever a test wants."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import uvicorn
from mcp.server.mcpserver import MCPServer

from tests.http_server import LocalServer, local_server, respond


@contextmanager
def sdk_server(app: MCPServer) -> Iterator[str]:
    """Serve `app` over streamable HTTP until the block ends; yields its address."""
    config = uvicorn.Config(
        app.streamable_http_app(), port=0, log_level="error", ws="none", lifespan="on"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def answering_server(answer: Callable[[dict], object]) -> Iterator[LocalServer]:
    """A server of the handshake era: `answer` makes the result of each `tools/list` from its params.

    It sends bytes as the whole body, and anything else as the result.
    """

    def handle(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        message = json.loads(body) if body else {}
        method, headers = message.get("method"), {"Content-Type": "application/json"}
        if method == "tools/list":
            result = answer(message.get("params") or {})
        elif method == "initialize":
            result = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "answering", "version": "1"},
            }
        elif "id" in message:
            error = {
                "jsonrpc": "2.0",
                "id": message["id"],
                "error": {"code": -32601, "message": "Method not found"},
            }
            return respond(handler, json.dumps(error).encode(), headers=headers)
        else:
            return respond(handler, status=202 if method else 405)
        if isinstance(result, bytes):
            return respond(handler, result, headers=headers)
        text = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return respond(handler, text.encode(), headers=headers)

    with local_server(handle) as server:
        yield server
