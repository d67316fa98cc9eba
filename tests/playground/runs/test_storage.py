"""No account fills the disk, and what is deleted gives its space back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.roles import set_role
from catalog.proposals.actions import prune_texts
from catalog.proposals.models import Proposal
from playground.runs import volume as run_volume
from playground.runs.models import Run, RunVolume
from tests.factories import make_token, make_tool, make_user, properties, spec_text
from toolshelf_core.db.reclaim import reclaim_space

pytestmark = pytest.mark.django_db
LONG = {"text": "a" * 3_000}


@pytest.fixture
def echo():
    return make_tool(
        "echo", parameters=properties(text={"type": "string"}), returnType={"type": "string"}
    )


@pytest.fixture(autouse=True)
def limit(settings):
    settings.RUN_BYTES_PER_DAY = 5_000


def token_of(name):
    person = make_user(name)
    set_role(person, "runner")
    return make_token("run", "read", user=person)


def run(token, parameters=LONG, mode="mock"):
    body = {"parameters": parameters, "mode": mode, "wait_s": 30}
    headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    return Client().post(
        "/api/v1/tools/echo/runs", body, content_type="application/json", **headers
    )


def test_a_person_who_stored_too_much_today_is_refused_until_midnight(echo):
    ada, bob = token_of("ada"), token_of("bob")
    stored = [run(ada).status_code for _ in range(2)]

    refused = run(ada)

    assert stored == [201, 201]
    assert refused.status_code == 429
    assert "00:00 UTC" in refused.json()["detail"]
    assert 0 < int(refused["Retry-After"]) <= 86_400
    assert Run.objects.count() == 2
    assert run(bob).status_code == 201


def test_a_new_day_begins_at_nothing(echo):
    ada = token_of("ada")
    run(ada)
    run(ada)
    RunVolume.objects.update(day=timezone.now().date() - timedelta(days=1))

    assert run(ada).status_code == 201


def test_refused_runs_count_too(echo):
    ada = token_of("ada")
    outcomes = [run(ada, {"text": ["a" * 3_000]}).json()["outcome"] for _ in range(2)]

    assert outcomes == ["refused", "refused"]
    assert run(ada).status_code == 429


def test_zero_is_no_limit(echo, settings):
    settings.RUN_BYTES_PER_DAY = 0
    ada = token_of("ada")

    assert [run(ada).status_code for _ in range(3)] == [201] * 3


@pytest.mark.usefixtures("runs")
def test_the_responses_of_live_runs_count():
    ada = make_user()
    set_role(ada, "runner")
    make_tool("encode_text", parameters={"type": "object"})
    token = make_token("run", "read", user=ada)
    body = {"parameters": {"text": "b" * 3_000, "encoding": "hex"}, "wait_s": 60}
    Client().post(
        "/api/v1/tools/encode_text/runs",
        body,
        "application/json",
        HTTP_AUTHORIZATION=f"Bearer {token}",
    )

    [volume] = RunVolume.objects.filter(person=ada)
    assert volume.stored_bytes > 3_000


def test_volumes_of_earlier_days_are_forgotten():
    ada, today = make_user(), timezone.now().date()
    for days in (0, 1, 2, 9):
        RunVolume.objects.create(person=ada, day=today - timedelta(days=days))

    run_volume.prune()

    assert RunVolume.objects.count() == 2


def change(tool_id, *, state, decided_days_ago):
    decided_at = timezone.now() - timedelta(days=decided_days_ago)
    return Proposal.objects.create(
        tool_id=tool_id,
        text=spec_text(tool_id),
        sha256="0",
        state=state,
        decided_at=decided_at,
        reason="r",
    )


def test_the_texts_of_changes_decided_long_ago_go_and_what_was_decided_stays():
    old = change("a", state=Proposal.REJECTED, decided_days_ago=31)
    recent = change("b", state=Proposal.APPROVED, decided_days_ago=29)
    waiting = change("c", state=Proposal.HELD, decided_days_ago=400)

    prune_texts()

    texts = dict(Proposal.objects.values_list("pk", "text"))
    assert texts[old.pk] == ""
    assert texts[recent.pk]
    assert texts[waiting.pk]


def test_the_page_and_the_api_show_a_decided_change_without_its_text():
    root = make_user("root")
    set_role(root, "administrator")
    old = change("a", state=Proposal.REJECTED, decided_days_ago=31)
    prune_texts()
    client = Client()
    client.force_login(root)

    page = client.get(f"/review/{old.pk}/")
    answer = client.get(f"/api/v1/changes/{old.pk}")

    assert "The text was deleted 30 days after the decision." in page.content.decode()
    assert (answer.status_code, answer.json()["spec"], answer.json()["diff"]) == (200, "", "")


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL reuses space by itself")
@pytest.mark.django_db(transaction=True)
def test_the_space_of_deleted_rows_goes_back_to_the_disk():
    tool = make_tool()
    text = "x" * 100_000
    runs = [
        Run(tool=tool, revision=tool.current, outcome="returned", parameters_json=text)
        for _ in range(50)
    ]
    Run.objects.bulk_create(runs)
    with connection.cursor() as cursor:  # as `migrate` does for a new database
        cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
        cursor.execute("VACUUM")
    full = pages()
    Run.objects.all().delete()

    reclaim_space()

    assert pages() < full - 1_000


def pages() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        return cursor.fetchone()[0]
