"""The reference server of the Model Context Protocol as a source: all its tools run, over HTTP and as a command."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from catalog.sources.sync import sync
from playground.runs import running
from playground.runs.models import Run
from tests.catalog.sources.documents import store_source
from tests.npm import install_packages
from tests.playground.runners import soon

pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("runs")]

HERE = Path(__file__).parent / "node"
PARAMETERS = {
    "echo": {"message": "hi"},
    "get-sum": {"a": 1, "b": 2},
    "get-structured-content": {"location": "New York"},
    "get-annotated-message": {"messageType": "success", "includeImage": True},
    "trigger-long-running-operation": {"duration": 1, "steps": 3},
    "get-resource-links": {"count": 2},
    "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
    "gzip-file-as-resource": {
        "name": "a.gz",
        "data": "data:text/plain,hello",
        "outputType": "resource",
    },
    "simulate-research-query": {"topic": "x"},
}
NEEDS_TASKS = "simulate-research-query"  # it can only be called as a task, an extension that Toolshelf does not have


@pytest.fixture(scope="session")
def program():
    """The command that starts the server, from its locked npm packages. Runs see this folder, but not /tmp."""
    folder = settings.BASE_DIR / ".cache" / "server-everything"
    install_packages(HERE, folder)
    return [
        shutil.which("node"),
        str(folder / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
    ]


@pytest.fixture
def address(program):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "PORT": str(port)}
    server = subprocess.Popen(
        [*program, "streamableHttp"], env=environment, stderr=subprocess.DEVNULL
    )
    assert soon(lambda: _listens(port))
    yield f"http://127.0.0.1:{port}/mcp"
    server.terminate()
    server.wait(10)


def _listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def synced(**wanted):
    source = store_source(name="everything", **wanted)
    record = sync(source)
    assert (record.error, record.refused) == ("", 0)
    return source


def run_all(source):
    """How the run of each tool ended, by its name."""
    ended = {}
    for listed in source.tools.select_related("catalog_tool__current"):
        tool = listed.catalog_tool
        parameters = PARAMETERS.get(listed.remote_name, {})
        started = running.start(tool, tool.current, parameters, by=None, timeout_s=60)
        ended[listed.remote_name] = Run.objects.get(pk=running.wait(started, 90).pk)
    return ended


def check(ended):
    assert ended.keys() > PARAMETERS.keys()
    assert "task" in ended.pop(NEEDS_TASKS).error
    assert {name: run.error for name, run in ended.items() if run.outcome != "returned"} == {}
    assert ended["echo"].response == [{"type": "text", "text": "Echo: hi"}]
    assert ended["get-structured-content"].verdict == "conforms"
    assert [block["type"] for block in ended["get-annotated-message"].response] == ["text", "image"]
    assert ended["trigger-long-running-operation"].progress_done == 3
    assert all("has changed this tool" not in run.stdout for run in ended.values())


def test_all_tools_of_the_server_run_over_http(address):
    check(run_all(synced(kind="mcp-http", address=address)))


def test_all_tools_of_the_server_run_as_a_command(program):
    check(run_all(synced(kind="mcp-stdio", address=" ".join([*program, "stdio"]))))
