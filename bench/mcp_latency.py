"""Measure the MCP server beside FastMCP, which serves the same trivial tool.

    .venv/bin/python -m bench.mcp_latency [--quick]

Both serve a tool that returns the SHA-256 of a text. FastMCP calls a function of its own process.
Toolshelf runs the tool in a new, isolated process, checks parameters and response, and stores the
run; its mock leaves out the process. The requests are those of 2026-07-28, in turns, on one
connection each.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import first_runs
from bench.timing import get_p95, time_ms
from tests.site import Site, free_port

VERSION = "2026-07-28"
TEXT = {"text": "a"}
SERVER = """
import hashlib, sys
from fastmcp import FastMCP

app = FastMCP("bench")


@app.tool
def hash_text(text: str) -> dict[str, str]:
    return {"digest": hashlib.sha256(text.encode()).hexdigest()}


app.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), stateless_http=True,
        json_response=True, show_banner=False, log_level="ERROR")
"""


class Client:
    """One connection to an MCP server, without an SDK."""

    def __init__(self, port: int, path: str, token: str = "") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.path = path
        self.token = token

    def send(self, method: str, **params: object) -> dict[str, object]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
        }
        if "name" in params:
            headers["Mcp-Name"] = str(params["name"])
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            response = self.post(json.dumps(body), headers)
        except (BrokenPipeError, http.client.RemoteDisconnected):
            self.connection.close()  # the server closes idle connections
            response = self.post(json.dumps(body), headers)
        text = response.read().decode()
        if response.status != 200:
            raise RuntimeError(f"{response.status} {text}")
        if text.startswith("event:"):
            _, _, rest = text.partition("\ndata:")
            text = rest.partition("\n")[0]
        answer = json.loads(text)
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(text)
        return answer["result"]

    def post(self, body: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        self.connection.request("POST", self.path, body, headers)
        return self.connection.getresponse()


def print_row(what: str, fast: list[float], own: list[float]) -> None:
    """Print a row; `fast` is empty where FastMCP has nothing to compare with."""
    ratio = f"{statistics.median(own) / statistics.median(fast):5.1f}x" if fast else ""
    print(f"{what:42} {write_cell(fast):>26} {write_cell(own):>26} {ratio:>7}", flush=True)


def write_cell(times: list[float]) -> str:
    if not times:
        return ""
    return f"{statistics.median(times):7.2f} ms (p95 {get_p95(times):.2f})"


def main() -> None:
    rounds = 40 if "--quick" in sys.argv else 300
    folder = Path(tempfile.mkdtemp(prefix="toolshelf-bench-"))
    os.environ.setdefault("TOOLSHELF_PREPARED_SITE", str(folder / "prepared"))
    (folder / "site").mkdir()
    site = Site(folder / "site")
    port = free_port()
    fast = subprocess.Popen([sys.executable, "-c", SERVER, str(port)])
    try:
        token = site.token("bench", "run")
        own = Client(site.port, "/mcp", token)
        mocks = Client(site.port, "/mcp?mock=1", token)
        peer = Client(port, "/mcp")
        api = first_runs.Client(site, token)
        wait_for(peer)
        call = {"name": "call_tool", "arguments": {"tool": "hash_text", "arguments": TEXT}}
        pairs = {
            "tools/list (FastMCP: 1 tool, Toolshelf: 3)": (
                lambda: peer.send("tools/list"),
                lambda: own.send("tools/list"),
            ),
            "tools/call, an isolated run": (
                lambda: peer.send("tools/call", name="hash_text", arguments=TEXT),
                lambda: own.send("tools/call", **call),
            ),
            "the same run through the JSON API": (
                None,
                lambda: api.run("hash_text", TEXT),
            ),
            "tools/call, a mock": (
                lambda: peer.send("tools/call", name="hash_text", arguments=TEXT),
                lambda: mocks.send("tools/call", **call),
            ),
            "search_tools": (
                None,
                lambda: own.send(
                    "tools/call", name="search_tools", arguments={"query": "hash a text"}
                ),
            ),
        }
        print(f"{rounds} rounds in turns, load {os.getloadavg()[0]:.1f}")
        print(f"{'':42} {'FastMCP':>26} {'Toolshelf':>26} {'ratio':>7}")
        for what, (theirs, ours) in pairs.items():
            times: tuple[list[float], list[float]] = ([], [])
            for turn in range(rounds + 10):
                for server_times, send in zip(times, (theirs, ours), strict=True):
                    if send:
                        took_ms = time_ms(send)
                        if turn >= 10:
                            server_times.append(took_ms)
            print_row(what, *times)
    finally:
        fast.terminate()
        fast.wait()
        site.stop()


def wait_for(client: Client) -> None:
    """Wait until the server accepts requests."""
    deadline = time.monotonic() + 60
    while True:
        try:
            client.send("tools/list")
        except (OSError, http.client.HTTPException):
            if time.monotonic() > deadline:
                raise
            client.connection.close()
            time.sleep(0.2)
        else:
            return


if __name__ == "__main__":
    main()
