"""Runs by Celery's workers as many machines have them: what happens stands in PostgreSQL, and Redis passes it on."""

import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.http_server import local_server, respond
from tests.playground.mcp.agent import messages_of
from tests.playground.runs.celery.team import Team, until
from tests.postgres import PostgreSQL
from tests.site import ROOT

pytestmark = pytest.mark.deep

CONVERTED = {"value": 1, "from_unit": "km", "to_unit": "m"}


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """A web server and a Redis over PostgreSQL, and no worker yet."""
    with PostgreSQL() as database:
        team = Team(tmp_path_factory.mktemp("team"), DATABASE_URL=database.url)
        yield team
        team.close()


@pytest.fixture
def beat(team, tmp_path):
    schedule = str(tmp_path / "beat")
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "config.celery", "beat", "--schedule", schedule],
        cwd=ROOT,
        env=team.site.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield
    process.terminate()
    process.wait(20)


def test_over_postgresql_runs_are_done_and_written_down_and_a_killed_workers_are_marked(team):
    waiting = team.start("convert_units", parameters=CONVERTED)
    team.stop_redis(signal.SIGKILL)  # the message is lost, and sent again
    team.start_redis()
    team.with_worker()
    until(lambda: team.page("/readyz") == "ready\nworkers: 1\n")
    until(lambda: team.outcome(waiting) == "returned")

    done = team.run("sign_text", {"text": "hello"}, configuration={"key": "mrk-7f3a-9c-e1"})
    long = team.start()
    until(lambda: team.outcome(long) == "running")
    team.kill_worker()

    until(lambda: team.outcome(long) == "crashed")
    numbers = team.numbers()
    assert (done["outcome"], done["verdict"]) == ("returned", "conforms")
    assert numbers['toolshelf_run_seconds_count{outcome="returned",mode="live"}'] == 2
    assert numbers['toolshelf_run_seconds_count{outcome="crashed",mode="live"}'] == 1
    assert not list(team.directory.glob("*.sqlite3"))


@pytest.mark.usefixtures("beat")
def test_webhooks_mcp_and_the_audit_log_work_with_workers(team):
    """Beat and a worker deliver the messages that the web server queued; the run of an agent is recorded with its
    interface."""
    received = []

    def accept(handler):
        received.append(json.loads(handler.rfile.read(int(handler.headers["Content-Length"]))))
        respond(handler, status=204)

    with local_server(accept) as receiver:
        team.with_worker()
        make_admin = (
            "from accounts.models import User; "
            "User.objects.update(is_superuser=True, is_staff=True)"
        )
        team.site.manage("shell", "-v", "0", "-c", make_admin)
        team.token = team.site.token("tester", "read", "publish", "run", "admin")
        team.ask("/webhooks", {"url": receiver.url, "events": ["tool.created"]})
        spec = {"definition": {"name": "mail.send", "description": "Send a letter to a person."}}
        team.ask("/tools", spec)
        called = call_tool(team, "convert_units", CONVERTED)
        until(lambda: received)
        [event, *_] = team.ask("/audit-events?action=run.start")["items"]

    assert [message["data"]["tool"]["id"] for message in received] == ["mail.send"]
    assert called["structuredContent"]["value"] == 1000
    assert (event["interface"], event["person"]["name"]) == ("mcp", "tester")


def call_tool(team, tool, arguments):
    """The result of a call by an agent."""
    params = {"name": "call_tool", "arguments": {"tool": tool, "arguments": arguments}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Authorization": f"Bearer {team.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    request = urllib.request.Request(
        f"{team.site.url}/mcp", data=json.dumps(message).encode(), headers=headers
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
        is_stream = answer.headers["Content-Type"] == "text/event-stream"
    return (messages_of(text)[-1] if is_stream else json.loads(text))["result"]
