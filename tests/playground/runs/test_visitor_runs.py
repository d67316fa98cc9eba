"""Visitors run the built-in tools live. Their runs belong to nobody, and only their browser sees them."""

import hmac
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.cell_rate import Rate
from config.metrics import write_metrics
from playground.configurations.saved import open_configuration, save_configuration, share
from playground.configurations.secret_members import Configuration
from playground.factories.connections import factory_of
from playground.history.statistics import most_run_tools, statistics_of
from playground.real_calls.checks import check_real_calls
from playground.runs import running, visitors
from playground.runs.models import Run, RunVolume
from tests.factories import make_tool, make_user, signed_in
from tests.playground.history.test_pages import HTMX, press, text_of, tree_of
from tests.playground.runs.stored_runs import add_run
from toolshelf_core.audit import AuditEvent
from toolshelf_core.errors import NotAllowed
from toolspec.schema.validation import compile_schema
from toolspec.spec import read_spec

pytestmark = pytest.mark.usefixtures("runs")

TRY = "/tools/convert_units/try/"


@pytest.fixture
def tool(builtin):
    found = builtin("convert_units")
    factory_of(found, timeout_s=30)  # until it is imported, visitors get mocks
    return found


@pytest.fixture
def page(client, tool):
    """The page of a built-in tool, with an example filled in."""
    return client.get(f"{TRY}?example=1")


@pytest.fixture
def visitor_run(client, page):
    """A run that the visitor `client` has made."""
    answer = press(client, page, "run=1")
    run = Run.every.get()
    assert answer["Location"] == f"{TRY}?run={run.pk}"
    return running.wait(run, 10)


def test_a_visitor_runs_a_built_in_tool_and_reads_the_verdict(client, visitor_run):
    answer = client.get(f"{TRY}?run={visitor_run.pk}")

    assert "Matches its return type" in text_of(answer, "#run .verdict")
    assert "deleted after 10 minutes" in text_of(answer, "#run .run-facts")
    assert (visitor_run.by, visitor_run.outcome) == (None, "returned")


def test_with_htmx_the_result_comes_with_the_address_of_the_run(client, page):
    answer = press(client, page, "run=1", **HTMX)

    run = Run.every.get()
    assert answer["HX-Replace-Url"] == f"{TRY}?run={run.pk}"
    assert client.get(f"/runs/{run.pk}/", headers=HTMX).status_code == 200
    running.wait(run, 10)


def test_the_downloads_of_a_run_are_its_visitor_s(client, visitor_run):
    answer = client.get(f"/runs/{visitor_run.pk}/response.json")

    assert answer.status_code == 200
    assert "private" in answer["Cache-Control"]
    assert "no-store" in answer["Cache-Control"]
    assert Client().get(f"/runs/{visitor_run.pk}/response.json").status_code == 302


def test_a_reader_runs_as_a_visitor(client, tool):
    reader = make_user("reader")
    reader.groups.add(Group.objects.get(name="reader"))
    client.force_login(reader)

    press(client, client.get(f"{TRY}?example=1"), "run=1")

    run = running.wait(Run.every.get(), 10)
    assert (run.by, run.mode) == (None, "visitor")
    assert client.get(f"{TRY}?run={run.pk}").status_code == 200


def test_a_visitor_s_run_does_not_use_the_configurations_that_people_share(client, builtin, ada):
    sign_text = builtin("sign_text")
    secret = Configuration({"key": "the key of ada"})
    schema = compile_schema(sign_text.current.spec.configuration)
    saved = save_configuration(ada, sign_text, "key", secret, schema)
    share(saved, "everyone", by=ada)
    reader = make_user("reader")
    reader.groups.add(Group.objects.get(name="reader"))
    client.force_login(reader)
    address = "/tools/sign_text/try/"

    posted = {"parameters:e:": '{"text": "hello"}', "configuration:e:": "{}"}
    client.post(address, {"run": "1", "mode": "live", "saved": "ada/key", **posted})

    run = running.wait(Run.every.get(), 10)
    signature = hmac.digest(b"for demonstration only", b"hello", "sha256").hex()
    assert run.response["signature"] == signature
    assert "shared by ada" not in client.get(f"{address}?configuration=ada/key").content.decode()
    shared = open_configuration(saved, reader)
    with pytest.raises(NotAllowed):
        running.start_for_visitor(sign_text, sign_text.current, {}, configuration=shared)


def test_a_run_has_no_network_and_no_variables_of_tools(tool, monkeypatch):
    factory = factory_of(tool, timeout_s=30)
    common = {"TOKEN": "secret", "PATH": "/bin"}
    monkeypatch.setattr(
        type(running.registry().factory_settings), "common_environment", property(lambda _: common)
    )

    run = Run(tool=tool, revision=tool.current, mode="visitor", timeout_s=10)
    job = running.job_for(run, factory, {}, None)

    assert job.network == "none"
    assert job.environment == {"TOKEN": "", "PATH": ""}


def test_a_run_stores_little(tool):
    run = Run(tool=tool, revision=tool.current, mode="visitor", timeout_s=10)

    job = running.job_for(run, factory_of(tool, timeout_s=30), {}, None)

    assert job.limits.response_bytes == 256 * 1024
    assert job.limits.attached_bytes == 512 * 1024


def test_a_run_lasts_at_most_ten_seconds(tool):
    run = running.start_for_visitor(tool, tool.current, {}, timeout_s=200)

    assert run.timeout_s == 10


def test_a_run_that_lasts_can_be_cancelled_by_its_visitor_alone(client, builtin):
    builtin("count_slowly")
    posted = {"run": "1", "mode": "live", "parameters:e:": '{"steps": 2, "seconds": 9}'}
    answer = client.post("/tools/count_slowly/try/", posted, headers=HTMX)
    run = Run.every.get()
    assert "of at most 10 s" in text_of(answer, ".run-progress")

    assert Client().post(f"/runs/{run.pk}/cancel/").status_code == 302
    assert Run.every.get().is_active
    client.post(f"/runs/{run.pk}/cancel/")

    assert running.wait(run, 10).outcome == "cancelled"
    assert not AuditEvent.objects.filter(action__startswith="run.").exists()


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_a_tool_of_another_factory_is_not_run(client, monkeypatch, tool):
    monkeypatch.setattr(visitors, "FACTORIES", ("playground.builtin.other:other",))

    answer = client.post(TRY, {"run": "1", "mode": "live"})

    assert answer["Location"].startswith("/sign-in/")
    with pytest.raises(NotAllowed):
        running.start_for_visitor(tool, tool.current, {})
    assert not Run.every.exists()


def test_a_tool_without_a_factory_is_not_run_although_its_spec_is_that_of_a_built_in_tool(client):
    make_tool("my.convert_units")

    answer = client.post("/tools/my.convert_units/try/", {"run": "1", "mode": "live"})

    assert answer["Location"].startswith("/sign-in/")
    assert not Run.every.exists()


def test_the_setting_switches_the_runs_off(client, page, settings):
    settings.VISITOR_RUNS = False

    answer = client.post(TRY, {"run": "1", "mode": "live"})

    assert answer["Location"].startswith("/sign-in/")
    assert not Run.every.exists()


def test_a_machine_that_cannot_cut_off_the_network_does_not_run_them(client, page, monkeypatch):
    monkeypatch.setattr(type(visitors.registry()), "can_enforce", lambda self, network: False)

    assert client.post(TRY, {"run": "1", "mode": "live"})["Location"].startswith("/sign-in/")


@pytest.mark.parametrize(
    ("first", "second"),
    [("192.0.2.7", "192.0.2.7"), ("2001:db8::1", "2001:db8::2:3")],
    ids=["the same address", "the same /64 network"],
)
def test_runs_are_limited_by_address(page, monkeypatch, first, second):
    monkeypatch.setattr("accounts.rate_limits.VISITOR_RUNS", Rate(1, 600))

    answers = [
        press(Client(REMOTE_ADDR=address), page, "run=1", **HTMX) for address in (first, second)
    ]
    elsewhere = press(Client(REMOTE_ADDR="198.51.100.1"), page, "run=1", **HTMX)

    assert [answer.status_code for answer in answers] == [200, 429]
    assert "Your address has started too many runs" in text_of(answers[1], ".error-summary")
    assert int(answers[1]["Retry-After"]) > 0
    assert elsewhere.status_code == 200


def test_all_visitors_share_two_slots(client, builtin, page):
    slow = builtin("count_slowly")
    active = [
        running.start_for_visitor(slow, slow.current, {"steps": 2, "seconds": 9}) for _ in range(2)
    ]

    answer = press(client, page, "run=1", **HTMX)

    assert answer.status_code == 429
    assert "Other visitors are running tools" in text_of(answer, ".error-summary")
    assert Run.every.count() == 2
    for run in active:
        running.cancel(run)
    assert press(client, page, "run=1", **HTMX).status_code == 200


def test_all_visitors_share_a_bound_of_stored_runs(client, page, tool, monkeypatch):
    monkeypatch.setattr(visitors, "MAX_STORED", 1)
    add_run(tool, None, mode="visitor")

    answer = press(client, page, "run=1", **HTMX)

    assert answer.status_code == 429
    assert "Visitors have run very many tools" in text_of(answer, ".error-summary")
    assert Run.every.count() == 1


def test_a_form_without_the_token_of_the_page_is_refused(tool):
    strict = Client(enforce_csrf_checks=True)

    assert strict.post(TRY, {"run": "1", "mode": "live"}).status_code == 403
    assert not Run.every.exists()


@pytest.mark.parametrize("path", ["", "response.json", "run.json"])
def test_another_visitor_and_an_administrator_do_not_see_a_run(visitor_run, path):
    boss = make_user("boss", is_superuser=True, is_staff=True)
    address = f"/runs/{visitor_run.pk}/{path}"

    assert Client().get(address)["Location"].startswith("/sign-in/")
    assert signed_in(boss).get(address).status_code == 404


def test_a_cookie_that_was_not_signed_here_shows_nothing(settings, visitor_run):
    forger = Client()
    forger.cookies[settings.VISITOR_COOKIE_NAME] = f'["{visitor_run.pk}"]'

    assert forger.get(f"/runs/{visitor_run.pk}/")["Location"].startswith("/sign-in/")


def test_a_run_cannot_be_repeated_shared_or_saved(client, visitor_run, ada):
    for action in ("again", "share", "example"):
        assert client.post(f"/runs/{visitor_run.pk}/{action}/").status_code == 302
        assert signed_in(ada).post(f"/runs/{visitor_run.pk}/{action}/").status_code == 404


# -- in no list, count or sample --------------------------------------------------------------------------------------


def test_a_run_is_in_no_list_count_or_export(client, visitor_run, tool, program):
    boss = make_user("boss", is_superuser=True, is_staff=True)
    browser = signed_in(boss)

    assert visitor_run.pk not in browser.get("/runs/").content.decode()
    assert not Run.objects.visible_to(boss).exists()
    assert not Run.objects.visible_to(AnonymousUser()).exists()
    assert visitor_run.pk not in browser.get("/admin/playground/run/").content.decode()
    assert browser.get("/api/v1/runs").json()["items"] == []
    assert browser.get(f"/api/v1/runs/{visitor_run.pk}").status_code == 404
    assert statistics_of(tool).runs == 0
    assert most_run_tools() == ()
    assert not tree_of(client.get(TRY)).css(".history-bar")
    assert not AuditEvent.objects.filter(action__startswith="run.").exists()
    assert not RunVolume.objects.exists()


def run_counts():
    return [line for line in write_metrics() if line.startswith("toolshelf_run_seconds_count")]


@pytest.fixture
def counts_before():
    """The counts of runs, to which earlier tests of this process have added."""
    return run_counts()


def test_a_run_is_in_no_sample_of_metrics_and_of_real_calls(counts_before, visitor_run, tool):
    boss = make_user("boss", is_superuser=True)

    spec = read_spec(tool.current.source)

    assert run_counts() == counts_before
    assert check_real_calls(tool, spec, boss).calls.number == 0


def test_a_run_is_in_no_dump(visitor_run, capsys):
    call_command("dumpdata", "playground.run")

    assert visitor_run.pk not in capsys.readouterr().out


def test_a_run_is_gone_after_ten_minutes_and_others_stay(client, visitor_run, tool, ada):
    other = add_run(tool, ada)
    Run.every.update(created_at=timezone.now() - timedelta(minutes=11))

    assert client.get(f"/runs/{visitor_run.pk}/").status_code == 302
    visitors.prune()

    assert list(Run.every.all()) == [other]
