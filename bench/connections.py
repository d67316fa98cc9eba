"""The cost of a run through a source: beside the same call without Toolshelf, and beside a run of a built-in tool.

    .venv/bin/python -m bench.connections [CALLS]

An MCP server and an HTTP service run in this process and answer immediately. Prints medians in milliseconds.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
from mcp import Client

from playground.connections.connection import Connection
from playground.runner.engine import LocalRunner
from playground.runner.engine.job import Job, Limits
from tests.playground.connections.echo_service import Service, document
from tests.playground.connections.mcp_servers import Notes, Served, everyday_server
from toolspec.imports import import_document
from toolspec.text.reader import loads

LOOPBACK = ("127.0.0.0/8",)
ADD = {"definition": {"name": "add", "description": "Add two numbers."}}


def measured(call: Callable[[], Any], calls: int) -> float:
    call()  # the first one starts processes
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def run(runner: LocalRunner, reference: str, parameters: Any, configuration: Any = None) -> None:
    job = Job(
        run_id="bench",
        reference=reference,
        parameters=parameters,
        configuration=configuration,
        limits=Limits(grace_s=0.25 if configuration else 0.0),
    )
    end = runner.submit(job).wait(60)
    assert end is not None
    assert end.outcome == "returned", end.error


async def call_directly(address: str) -> None:
    async with Client(address) as client:
        await client.call_tool("add", {"a": 1, "b": 2})


def main(calls: int) -> None:
    runner = LocalRunner(slots=2)
    operation = next(
        spec for spec in import_document(document()).specs if spec.tool_id == "get_cookie"
    )
    with Served(everyday_server(Notes()).streamable_http_app()) as mcp_server, Service() as service:
        mcp_address = f"{mcp_server.origin}/mcp"
        mcp = Connection(
            source="s", remote_name="add", address=mcp_address, spec=ADD, allowed_networks=LOOPBACK
        )
        http = Connection(
            source="s",
            remote_name="get_cookie",
            address=f"{service.origin}/openapi.json",
            spec=loads(operation.text),
            allowed_networks=LOOPBACK,
        )
        http_direct = httpx2.Client()
        rows = {
            "run of a built-in tool": lambda: run(
                runner, "playground.builtin.hash_text:hash_text", {"text": "a"}
            ),
            "HTTP request, directly": lambda: http_direct.get(f"{service.origin}/api/cookie"),
            "run of an OpenAPI operation": lambda: run(
                runner, "playground.connections.http_tool:HTTPToolFactory", {}, http.as_json()
            ),
            "MCP session and call, directly": lambda: anyio.run(call_directly, mcp_address),
            "run of an MCP tool": lambda: run(
                runner,
                "playground.connections.mcp_tool:MCPToolFactory",
                {"a": 1, "b": 2},
                mcp.as_json(),
            ),
        }
        for name, call in rows.items():
            print(f"{name:34}{measured(call, calls):8.1f} ms")
    runner.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
