"""Metrics for operators: /metrics counts requests and runs over all processes, for those who may read it."""

import re
import subprocess
import sys
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tokens import create_token
from config.request_counters import RequestCounters
from playground.runs import running
from playground.runs.celery.heartbeats import Heartbeat, beat, connected_workers
from playground.runs.models import Run, WorkerHeartbeat
from playground.runs.process_id import machine
from tests.site import ROOT

pytestmark = pytest.mark.django_db
LINE = re.compile(
    r'(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.e]+)'
)


TOKEN = "a-token-for-the-scraper"


@pytest.fixture(autouse=True)
def _on_this_machine(client, settings):
    cache.clear()
    client.defaults["HTTP_HOST"] = "127.0.0.1:8000"
    settings.METRICS_TOKEN = TOKEN


def test_this_machine_alone_is_no_authentication(client):
    answer = client.get("/metrics")

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="metrics"'
    assert b"TOOLSHELF_METRICS_TOKEN" in answer.content
    assert b"toolshelf_tools" not in answer.content


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN}"])
def test_a_scraper_reads_them_with_the_token_from_anywhere(client, header):
    answer = client.get("/metrics", REMOTE_ADDR="192.0.2.7", HTTP_AUTHORIZATION=header)

    assert answer.status_code == 200
    assert b"toolshelf_tools" in answer.content


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer ü"]
)
def test_another_token_is_refused(client, header):
    assert client.get("/metrics", HTTP_AUTHORIZATION=header).status_code == 401


def test_without_the_setting_no_token_is_the_token(client, settings):
    settings.METRICS_TOKEN = ""

    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ").status_code == 401


def test_the_token_opens_nothing_else(client):
    assert client.get("/api/v1/runs", HTTP_AUTHORIZATION=f"Bearer {TOKEN}").status_code == 401


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Counters of a server of its own."""
    counters = RequestCounters(tmp_path / "counters")
    counters.begin()
    monkeypatch.setattr("config.metrics.request_counters", lambda: counters)
    monkeypatch.setattr("config.middleware.request_metrics.request_counters", lambda: counters)
    return counters


def read(client, **headers):
    answer = client.get("/metrics", HTTP_AUTHORIZATION=f"Bearer {TOKEN}", **headers)
    assert answer.status_code == 200, answer.content
    return dict(
        line.rsplit(" ", 1)
        for line in answer.content.decode().splitlines()
        if not line.startswith("#")
    )


def test_every_line_is_as_prometheus_reads_it(counted, client):
    client.get("/")

    answer = client.get("/metrics", HTTP_AUTHORIZATION=f"Bearer {TOKEN}")

    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    for line in answer.content.decode().splitlines():
        assert LINE.fullmatch(line), line


def test_requests_are_counted_by_kind_and_status(counted, client):
    client.get("/")
    client.get("/api/v1/tools")
    client.get("/api/v1/tools/nothing")
    client.get("/nothing")

    found = read(client)

    assert found['toolshelf_request_seconds_count{kind="page",status="2xx"}'] == "1"
    assert found['toolshelf_request_seconds_count{kind="page",status="4xx"}'] == "1"
    assert found['toolshelf_request_seconds_count{kind="api",status="2xx"}'] == "1"
    assert found['toolshelf_request_seconds_bucket{kind="api",status="4xx",le="+Inf"}'] == "1"


def test_requests_of_operators_are_not_counted(counted, client):
    for path in ("/healthz", "/readyz", "/metrics"):
        client.get(path)

    assert not [name for name in read(client) if name.startswith("toolshelf_request_seconds")]


def test_runs_are_counted_by_outcome(counted, client, builtin_tool):
    tool = builtin_tool
    running.start(tool, tool.current, {"text": "a"}, by=None, mode="mock")
    running.start(tool, tool.current, {"text": 1}, by=None, mode="mock")

    found = read(client)

    assert found['toolshelf_run_seconds_count{outcome="returned",mode="mock"}'] == "1"
    assert found['toolshelf_run_seconds_count{outcome="refused",mode="mock"}'] == "1"
    assert found["toolshelf_runs_active"] == "0"
    assert int(found["toolshelf_run_slots"]) > 0
    assert found["toolshelf_tools"] == "1"


@pytest.fixture
def builtin_tool():
    from catalog.tools.publishing import publish
    from toolspec.spec import read_spec

    return publish(
        read_spec((ROOT / "playground/builtin/specs/hash_text.json").read_bytes()), by=None
    ).tool


def test_buckets_are_cumulated_and_their_bounds_belong_to_them(tmp_path):
    counters = RequestCounters(tmp_path / "counters")
    counters.begin()
    for seconds in (0.001, 0.005, 0.02, 100):
        counters.add("page", 200, seconds)

    found = counters.sum()["page", "2xx"]

    assert found.cumulative[:3] == [2, 2, 3]
    assert (found.count, found.sum) == (4, pytest.approx(100.026))


def test_the_counters_of_all_processes_are_summed_those_of_dead_ones_too(tmp_path):
    for _ in range(3):
        process = RequestCounters(tmp_path / "counters")
        process.begin()
        process.add("page", 200, 0.2)

    assert RequestCounters(tmp_path / "counters").sum()["page", "2xx"].count == 3


def test_a_server_that_starts_anew_begins_at_zero(tmp_path):
    counters = RequestCounters(tmp_path / "counters")
    counters.begin()
    counters.add("page", 200, 0.1)

    counters.reset()

    assert counters.sum()["page", "2xx"].count == 0


def test_a_command_leaves_no_counters(tmp_path):
    RequestCounters(tmp_path / "counters").add("page", 200, 0.2)

    assert not (tmp_path / "counters").exists()


FULL_DISK = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from config.request_counters import RequestCounters
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # no more can be written to a file, as on a full disk
counters = RequestCounters(Path(sys.argv[2]))
counters.begin()
counters.add("page", 200, 0.1)
print(counters.sum()["page", "2xx"].count)
"""


def test_on_a_full_disk_a_server_serves_on_without_counting(tmp_path):
    counters = tmp_path / "counters"

    found = subprocess.run(
        [sys.executable, "-B", "-c", FULL_DISK, str(ROOT), str(counters)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert float(found.stdout) == 0
    assert not list(counters.iterdir())


def test_stored_runs_are_counted_by_the_durations_of_their_calls(counted, client, builtin_tool):
    for call_ms in (200, 300, 500_000, None):
        run = running.start(builtin_tool, builtin_tool.current, {"text": "a"}, by=None, mode="mock")
        Run.objects.filter(pk=run.pk).update(mode="live", call_ms=call_ms)

    found = read(client)

    name = "toolshelf_run_seconds"
    labels = 'outcome="returned",mode="live"'
    assert found[f'{name}_bucket{{{labels},le="0.1"}}'] == "1"
    assert found[f'{name}_bucket{{{labels},le="0.5"}}'] == "3"
    assert found[f'{name}_bucket{{{labels},le="300"}}'] == "3"
    assert found[f'{name}_bucket{{{labels},le="+Inf"}}'] == "4"
    assert found[f"{name}_sum{{{labels}}}"] == "500.5"
    assert found[f"{name}_count{{{labels}}}"] == "4"


def test_stored_runs_are_counted_once_a_minute(counted, client):
    read(client)

    with CaptureQueriesContext(connection) as asked:
        read(client)

    assert not [query for query in asked if "call_ms" in query["sql"]]


@pytest.fixture
def heartbeat(settings):
    """Writes down that a worker was connected to Redis some seconds ago."""
    settings.RUNNER = "celery"

    def write(host, seconds_ago):
        WorkerHeartbeat.objects.create(
            host=host, seen_at=timezone.now() - timedelta(seconds=seconds_ago)
        )

    return write


def test_workers_are_counted_that_live_and_are_connected(counted, client, heartbeat):
    heartbeat("elsewhere/1/1", 5)
    heartbeat("silent/1/1", 31)
    heartbeat(f"{machine()}/{2**22 + 1}/1", 5)  # higher than any number that a process gets
    beat()
    beat()

    assert read(client)["toolshelf_workers"] == "2"
    assert client.get("/readyz").content == b"ready\nworkers: 2\n"


def test_without_workers_the_site_is_ready_and_shows_their_number(counted, client, heartbeat):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.content) == (200, b"ready\nworkers: 0\n")
    assert read(client)["toolshelf_workers"] == "0"


def test_a_server_that_runs_tools_itself_counts_no_workers(counted, client):
    assert "toolshelf_workers" not in read(client)
    assert client.get("/readyz").content == b"ready\n"


def test_a_heartbeat_ends_with_the_connection_and_begins_with_the_next(db, monkeypatch):
    jobs = {}
    monkeypatch.setattr(
        "playground.runs.celery.heartbeats.start_job",
        lambda name, work, **_: jobs.update({name: work}),
    )
    heartbeat = Heartbeat()
    seen = []

    for change in (heartbeat.start, heartbeat.stop, heartbeat.start):
        change()
        jobs["heartbeat"]()
        seen.append(connected_workers())
    heartbeat.close()

    assert seen == [1, 0, 1]
    assert not WorkerHeartbeat.objects.exists()


def test_an_unreachable_database_is_reported(counted, client, monkeypatch):
    def out_of_reach():
        raise DatabaseError("gone")

    monkeypatch.setattr("config.metrics.Run.objects", SimpleNamespace(active=out_of_reach))

    found = read(client)

    assert found["toolshelf_database_up"] == "0"
    assert "toolshelf_tools" not in found


def test_staff_read_it_from_elsewhere(client):
    client.force_login(User.objects.create_user("ada", is_staff=True))

    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 200


def test_a_signed_in_user_who_is_not_staff_may_not_read_metrics(client):
    client.force_login(User.objects.create_user("ada"))

    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 403


@pytest.mark.parametrize(
    ("is_staff", "scopes", "status"),
    [(True, ["read"], 200), (True, ["run"], 403), (False, ["read"], 403)],
)
def test_a_token_reads_it_when_it_is_of_staff_and_may_read(client, is_staff, scopes, status):
    _, secret = create_token(User.objects.create_user("ada", is_staff=is_staff), scopes=scopes)

    answer = client.get("/metrics", REMOTE_ADDR="192.0.2.7", HTTP_AUTHORIZATION=f"Bearer {secret}")

    assert answer.status_code == status


def test_a_token_that_is_limited_to_toolkits_does_not_read_it(client):
    _, secret = create_token(
        User.objects.create_user("ada", is_staff=True), scopes=["read"], toolkits=["kit"]
    )

    answer = client.get("/metrics", REMOTE_ADDR="192.0.2.7", HTTP_AUTHORIZATION=f"Bearer {secret}")

    assert answer.status_code == 403


def test_it_has_a_name(client):
    assert reverse("metrics") == "/metrics"
