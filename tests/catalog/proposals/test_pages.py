"""Lint fixes and examples for the tools of other people: proposed by publishers, approved by owners."""

import json

import pytest
from django.test import Client

from accounts.roles import set_role
from catalog.proposals.actions import approve
from catalog.proposals.models import Proposal
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.runs.models import Run
from tests.catalog.lint.test_pages import FAULTY
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_user
from tests.pages import page, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(db):
    return make_user("olivia")


@pytest.fixture
def tool(owner):
    """A tool of Olivia's; Ada may publish, but does not maintain it."""
    return publish(make_spec("a", **FAULTY), by=owner).tool


@pytest.fixture
def run(tool, ada):
    """A run of Ada's."""
    return Run.objects.create(
        tool=tool,
        revision=tool.current,
        by=ada,
        parameters_json='{"city": "Porto"}',
        response_json='{"temperature": 21.5}',
        outcome="returned",
        verdict="conforms",
    )


@pytest.fixture
def reader(db):
    """The browser of somebody who may only read."""
    set_role(user := make_user("rita"), "reader")
    client = Client()
    client.force_login(user)
    return client


def test_fixes_of_somebody_elses_tool_are_proposed_and_an_owner_decides(browser, tool, ada, owner):
    form = page(browser, "/tools/a/lint/").css_first(".lint-safe form")
    fields = {
        field.attributes["name"]: field.attributes["value"]
        for field in form.css("input[type=hidden]")
    }

    answer = browser.post(form.attributes["action"], fields, follow=True)

    change = Proposal.objects.get()
    assert "Propose 2 fixes" in form.text()
    assert answer.redirect_chain == [(change.get_absolute_url(), 302)]
    assert (
        "2 fixes proposed. The owner, a maintainer or an administrator decides."
        in answer.content.decode()
    )
    assert (change.proposed_by, change.base) == (ada, tool.current)
    assert Tool.objects.with_current().get().current.number == 1
    assert approve(change, by=owner).revision.number == 2


def test_a_waiting_proposal_is_shown_to_its_author_alone(browser, tool, reader):
    browser.post("/tools/a/lint/fixes/", {"seen": "1", "safe": "1"})

    link = page(browser, "/tools/a/lint/").css_first(".notice a")

    assert link.attributes["href"] == Proposal.objects.get().get_absolute_url()
    assert "Your proposal" not in page(reader, "/tools/a/lint/").body.text()


def test_the_bar_shows_how_many_changes_wait_for_those_who_decide(browser, tool, owner):
    decides = Client()
    decides.force_login(owner)
    before = page(decides, "/tools/").css(".bar-tools > a[href='/review/']")

    browser.post("/tools/a/lint/fixes/", {"seen": "1", "safe": "1"})

    assert before == []
    assert text_of(page(decides, "/tools/"), ".bar-tools > a[href='/review/']") == "Review 1"
    assert not page(browser, "/tools/").css(".bar-tools > a[href='/review/']")


@pytest.mark.parametrize("who", ["visitor", "reader"])
def test_those_who_may_neither_apply_nor_propose_see_no_button(request, client, tool, who):
    tree = page(request.getfixturevalue("reader") if who == "reader" else client, "/tools/a/lint/")

    assert tree.css(".finding-fix")
    assert not tree.css(".lint-findings button")


def test_a_publisher_sees_no_button_to_waive_findings_of_others(browser, tool):
    tree = page(browser, "/tools/a/lint/")

    assert "Propose fix" in text_of(tree, ".finding-fix button")
    assert not tree.css(".finding-waive")


def test_an_owner_who_may_not_upload_new_tools_applies_fixes_as_before(tool, owner):
    set_role(owner, "reader")
    client = Client()
    client.force_login(owner)

    client.post("/tools/a/lint/fixes/", {"seen": "1", "safe": "1"})

    assert Tool.objects.with_current().get().current.number == 2
    assert not Proposal.objects.exists()


def test_the_api_answers_that_proposed_fixes_are_held(tool, ada):
    program = Program(make_token(user=ada))

    tried = program.send(
        "POST", "/tools/a/lint/fixes", json.dumps({"revision": 1, "dry_run": True})
    )
    assert (tried.status_code, tried.json()["change"]) == (202, None)
    assert not Proposal.objects.exists()

    answer = program.send("POST", "/tools/a/lint/fixes", json.dumps({"revision": 1}))

    assert answer.status_code == 202, answer.content
    assert answer.json() == {
        "outcome": "held",
        "tool_id": "a",
        "change": Proposal.objects.get().pk,
        "reason": "Only the owner (olivia), the maintainers and administrators can publish revisions of a.",
    }


def test_fixes_of_a_revision_that_is_not_current_are_not_proposed(tool, ada, owner):
    publish(make_spec("a", description="Other words, and enough of them."), by=owner)

    answer = Program(make_token(user=ada)).send(
        "POST", "/tools/a/lint/fixes", json.dumps({"revision": 1})
    )

    assert answer.status_code == 409
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("order", [1, -1], ids=["current spec last", "current spec first"])
def test_a_spec_that_others_may_change_is_held_beside_the_current_one_in_an_upload(
    tool, ada, order
):
    changed = make_spec("a", **{**FAULTY, "description": "Changed by somebody else."})
    specs = [changed.source, tool.current.source][::order]

    report = Program(make_token(user=ada)).send("POST", "/uploads", f"[{','.join(specs)}]").json()

    outcomes = [entry["outcome"] for entry in report["specs"]]
    assert outcomes == ["held", "unchanged"][::order]
    assert tool.revisions.count() == 1
    assert Proposal.objects.get().text == changed.source


def test_a_run_is_proposed_as_an_example(browser, run, owner):
    result = page(browser, f"/tools/{run.tool.slug}/try/?run={run.pk}")
    assert "Propose as an example" in result.css_first(".run-facts").text()
    assert "Propose as an example" in page(browser, f"/runs/{run.pk}/example/").body.text()

    answer = browser.post(
        f"/runs/{run.pk}/example/", {"do": "publish", "expected": "1"}, follow=True
    )

    assert (
        "The example is in review. The owner, a maintainer or an administrator decides."
        in answer.content.decode()
    )
    assert Tool.objects.with_current().get().current.number == 1
    spec = approve(Proposal.objects.get(), by=owner).revision.spec
    assert spec.examples[-1].parameters == {"city": "Porto"}


def test_an_example_is_not_proposed_over_an_unseen_revision(browser, run, ada, owner):
    publish(make_spec("a", description="Other words, and enough of them."), by=owner)

    page_answer = browser.post(f"/runs/{run.pk}/example/", {"do": "publish", "expected": "1"})
    body = json.dumps({"revision": 1})
    api_answer = Program(make_token(user=ada)).send("POST", f"/runs/{run.pk}/example", body)

    assert (page_answer.status_code, api_answer.status_code) == (422, 409)
    assert not Proposal.objects.exists()


def test_the_api_answers_that_a_proposed_example_is_held(run, ada):
    answer = Program(make_token(user=ada)).send("POST", f"/runs/{run.pk}/example", "{}")

    assert answer.status_code == 202, answer.content
    assert answer.json()["change"] == Proposal.objects.get().pk


def test_somebody_who_may_only_run_tools_proposes_no_example(run, ada):
    set_role(ada, "runner")
    client = Client()
    client.force_login(ada)

    result = page(client, f"/tools/{run.tool.slug}/try/?run={run.pk}")
    assert "as an example" not in result.body.text()
    refused = client.post(f"/runs/{run.pk}/example/", {"do": "publish", "expected": "1"})
    assert refused.status_code == 403
    assert "or propose changes" in refused.content.decode()
