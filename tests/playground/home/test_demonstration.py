"""The live demonstration of the first page: a tool that leaves its spec, stop by stop."""

import pytest
from django.test import Client

from accounts.cell_rate import Rate
from catalog.organise.lifecycle import archive
from playground.factories.connections import factory_of
from playground.runs.models import Run
from tests.pages import page, text_of, texts_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def thermometer(builtin):
    tool = builtin("drifting_thermometer")
    factory_of(tool, timeout_s=30)  # until it is imported, there is no demonstration
    return tool


@pytest.fixture
def run_at(client, runs, thermometer):
    """Press *Run* at a stop, without JavaScript: the first page with the run."""

    def press(hours):
        answer = client.post("/demonstration/", {"hours": hours})
        return page(client, answer["Location"].partition("#")[0])

    return press


def test_before_a_run_the_page_shows_the_spec_and_an_example(client, thermometer):
    tree = page(client, "/")

    assert text_of(tree, "#demo-answer-title") == "An example of its response"
    assert [node.attributes["value"] for node in tree.css(".demo-stops input")] == [
        "0",
        "25",
        "49",
        "73",
    ]
    assert not tree.css(".demo-broken, .has-note")
    assert not Run.every.exists()


def test_the_last_stop_breaks_every_rule_in_the_order_of_the_response(run_at):
    tree = run_at(73)

    assert text_of(tree, "#demo-answer-title") == "Does not match its return type: 4 violations"
    assert texts_of(tree, ".demo-answer .json-note") == [
        "must be at most 60",
        "must be a number",
        '"mood" is not allowed here',
        '"battery_percent" is missing',
    ]
    assert texts_of(tree, ".demo-broken") == ["60", '"number"', "false", '"battery_percent"']
    assert tree.css_first(".demo-stops input[checked]").attributes["value"] == "73"
    assert not Run.objects.exists()


@pytest.mark.parametrize(("hours", "broken"), [(0, []), (25, ["60"])])
def test_earlier_stops_break_less(run_at, hours, broken):
    tree = run_at(hours)

    assert texts_of(tree, ".demo-broken") == broken


def test_with_htmx_the_form_alone_is_drawn_again(client, runs, thermometer):
    answer = client.post("/demonstration/", {"hours": "25"}, headers=HTMX)

    assert "Does not match its return type: 1 violation" in answer.content.decode()
    assert b"<h1" not in answer.content


def test_another_visitor_does_not_see_the_run(client, run_at):
    run_at(25)

    tree = page(Client(), f"/?run={Run.every.get().pk}")

    assert text_of(tree, "#demo-answer-title") == "An example of its response"


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["a page", "htmx"])
def test_too_many_runs_are_refused_with_the_reason(client, thermometer, monkeypatch, headers, runs):
    monkeypatch.setattr("accounts.rate_limits.VISITOR_RUNS", Rate(1, 600))
    client.post("/demonstration/", {"hours": "0"})

    answer = client.post("/demonstration/", {"hours": "0"}, headers=headers, follow=True)

    assert answer.status_code == 200
    assert "Your address has started too many runs" in answer.content.decode()


@pytest.mark.parametrize("hours", ["", "24", "x"])
def test_a_stop_that_is_not_offered_runs_nothing(client, thermometer, hours):
    assert client.post("/demonstration/", {"hours": hours})["Location"] == "/"
    assert not Run.every.exists()


def test_where_visitors_run_nothing_there_is_no_demonstration(client, thermometer, settings):
    settings.VISITOR_RUNS = False

    assert page(client, "/").css_first("#demonstration") is None
    assert client.post("/demonstration/", {"hours": "25"})["Location"] == "/"
    assert not Run.every.exists()


def test_an_archived_tool_is_not_demonstrated(client, thermometer):
    archive(thermometer)

    assert page(client, "/").css_first("#demonstration") is None


# -- the next steps ---------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_breaking_change_has_its_proof(client):
    tree = page(client, "/")

    assert "year is now required" in text_of(tree, "#break-title ~ p")
    assert "revision 1 accepts the example" in text_of(tree, ".home-next")
    assert '"year" is missing' in text_of(tree, ".home-next")


@pytest.mark.django_db
def test_the_command_for_mocks_needs_a_token_only_where_visitors_may_not_browse(
    client, settings, ada
):
    open_command = text_of(page(client, "/"), "#mock-command")
    settings.ANONYMOUS_BROWSING = False
    client.force_login(ada)
    closed_command = text_of(page(client, "/"), "#mock-command")

    assert open_command.endswith("'http://testserver/mcp?mock=1'")
    assert "Authorization: Bearer YOUR_TOKEN" in closed_command
