"""How the live calls of the last 30 days would fare with a change, a revision or an uploaded spec."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from accounts.cell_rate import Rate
from accounts.roles import set_role
from catalog.proposals.actions import publish_or_hold
from catalog.proposals.models import Proposal
from catalog.tools.publishing import publish
from playground.real_calls import checks as real_calls
from playground.runs.filters import DAY_MS, id_at
from playground.runs.models import Run
from tests.factories import make_spec, make_user

pytestmark = pytest.mark.django_db
BEFORE = {
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "returnType": {"type": "object", "properties": {"degrees": {"type": "number"}}},
}
NEEDS_DAY = {"parameters": {**BEFORE["parameters"], "required": ["day"]}}
WHOLE_DEGREES = {"returnType": {"type": "object", "properties": {"degrees": {"type": "integer"}}}}


@pytest.fixture
def tool(ada):
    """Ada's tool; `browser` is hers."""
    return publish(make_spec("weather", **BEFORE), by=ada).tool


def call(tool, parameters, response=None, by=None, **columns):
    return Run.objects.create(
        tool=tool,
        revision=tool.current,
        by=by or tool.owner,
        parameters_json=json.dumps(parameters),
        response_json=None if response is None else json.dumps(response),
        **{"outcome": "returned", **columns},
    )


def propose_change(**definition):
    """A change of Ada's tool by somebody else."""
    set_role(grace := make_user("grace"), "publisher")
    return publish_or_hold(make_spec("weather", **{**BEFORE, **definition}), by=grace).change


def words(browser, change):
    return words_in(browser.get(f"{change.get_absolute_url()}calls/").content.decode())


def words_in(page):
    return " ".join(LexborHTMLParser(page).css_first(".real-calls").text().split())


def test_the_calls_that_would_be_refused_are_counted_and_named(browser, tool):
    call(tool, {"city": "Oslo", "day": 1})
    refused = call(tool, {"city": "Rome"})

    found = words(browser, propose_change(**NEEDS_DAY))

    assert "1 of 2 calls of the last 30 days would be refused." in found
    assert f'Run {refused.pk[24:]} "day" is missing' in found


def test_the_responses_that_would_not_match_are_counted_and_named(browser, tool):
    call(tool, {}, {"degrees": 20})
    other = call(tool, {}, {"degrees": 20.5})

    found = words(browser, propose_change(**WHOLE_DEGREES))

    assert "None of 2 calls of the last 30 days would be refused." in found
    assert "1 of 2 responses of the last 30 days would not match the return type." in found
    assert f"Run {other.pk[24:]} /degrees" in found


def test_mocks_refused_calls_and_old_ones_are_left_out(browser, tool):
    long_ago = real_calls.time.time() * 1000 - (real_calls.DAYS + 1) * DAY_MS
    call(tool, {}, mode="mock")
    call(tool, {}, outcome="refused")
    call(tool, {}, id=id_at(round(long_ago)))

    found = words(browser, propose_change(**NEEDS_DAY))

    assert found == "You see no live calls of this tool from the last 30 days."


def test_calls_of_others_do_not_count(browser, tool):
    call(tool, {"city": "Oslo"}, by=make_user("bob"))

    assert "You see no live calls" in words(browser, propose_change(**NEEDS_DAY))


def test_an_administrator_sees_how_all_calls_would_fare(admin_client, tool):
    call(tool, {"city": "Oslo"}, by=make_user("bob"))

    assert "1 of 1 call of the last 30 days would be refused." in words(
        admin_client, propose_change(**NEEDS_DAY)
    )


@pytest.mark.parametrize(("name", "schema"), [("api_key", {}), ("pin", {"writeOnly": True})])
def test_a_secret_that_was_not_stored_counts_as_given(browser, tool, name, schema):
    call(tool, {"city": "Oslo"})
    with_secret = {"type": "object", "properties": {name: schema}, "required": [name]}

    assert "None of 1 call of the last 30 days would be refused." in words(
        browser, propose_change(parameters=with_secret)
    )


def test_the_same_call_is_checked_once(browser, tool, monkeypatch):
    checks = []
    original = real_calls._result_for
    monkeypatch.setattr(
        real_calls, "_result_for", lambda *given: checks.append(1) or original(*given)
    )
    for _ in range(5):
        call(tool, {"city": "Oslo"})

    assert "5 of 5 calls of the last 30 days would be refused." in words(
        browser, propose_change(**NEEDS_DAY)
    )
    assert len(checks) == 1


def test_only_the_latest_calls_are_looked_at(browser, tool, monkeypatch):
    monkeypatch.setattr(real_calls, "MAX_CALLS", 2)
    for city in ("Oslo", "Rome", "Lima"):
        call(tool, {"city": city})

    assert "2 of the latest 2 calls of the last 30 days would be refused." in words(
        browser, propose_change(**NEEDS_DAY)
    )


def test_a_check_that_would_take_too_long_says_how_far_it_came(browser, tool, monkeypatch):
    monkeypatch.setattr(real_calls, "MAX_BYTES", 25)
    for city in ("Oslo", "Rome"):
        call(tool, {"city": city})

    assert "1 of the latest 1 call of the last 30 days would be refused." in words(
        browser, propose_change(**NEEDS_DAY)
    )


def test_calls_that_cannot_be_checked_in_time_are_not_counted_as_accepted(
    browser, tool, monkeypatch
):
    monkeypatch.setattr(real_calls, "MAX_SECONDS", 0)
    call(tool, {"city": "Oslo"})

    assert words(browser, propose_change(**NEEDS_DAY)) == (
        "There was no time to check whether any would be refused."
    )


def test_a_call_that_no_check_can_decide_would_be_refused_as_in_a_run(browser, tool):
    call(tool, {"city": "a" * 40 + "!"})
    schema = {"type": "object", "properties": {"city": {"pattern": "^(a|a)*$"}}}

    assert "1 of 1 call of the last 30 days would be refused." in words(
        browser, propose_change(parameters=schema)
    )


def test_a_response_without_its_secrets_is_not_checked(browser, tool):
    call(tool, {}, {"degrees": "[secret]"})

    assert "response" not in words(browser, propose_change(**WHOLE_DEGREES))


def test_responses_without_a_return_type_are_left_out(browser, tool):
    call(tool, {}, {"degrees": 20.5})
    change = propose_change(**WHOLE_DEGREES)
    document = json.loads(change.text)
    del document["definition"]["returnType"]
    Proposal.objects.update(text=json.dumps(document))

    assert "response" not in words(browser, change)


def test_responses_whose_type_depends_on_the_status_are_left_out(browser, tool):
    call(tool, {}, {"degrees": 20.5})
    change = propose_change(**WHOLE_DEGREES)
    document = json.loads(change.text) | {"x-openapi": {"responses": {}}}
    Proposal.objects.update(text=json.dumps(document))

    assert "response" not in words(browser, change)


def test_the_failing_calls_that_are_not_named_are_counted(browser, tool):
    for number in range(real_calls.SHOWN + 2):
        call(tool, {"city": str(number)})

    assert words(browser, propose_change(**NEEDS_DAY)).endswith("and 2 more")


def test_the_review_leads_to_its_calls_and_a_decided_one_does_not(browser, tool):
    change = propose_change(**NEEDS_DAY)
    url = f"{change.get_absolute_url()}calls/"
    waiting = browser.get(change.get_absolute_url()).content.decode()

    browser.post(change.get_absolute_url(), {"decision": "reject"})

    assert f'href="{url}"' in waiting
    assert url not in browser.get(change.get_absolute_url()).content.decode()
    assert browser.get(url).status_code == 404


def test_the_difference_of_two_revisions_leads_to_the_calls_with_the_newer_one(browser, tool):
    refused = call(tool, {"city": "Rome"})
    revised = publish(make_spec("weather", **{**BEFORE, **NEEDS_DAY}), by=tool.owner)
    url = f"/tools/{tool.slug}/changes/{revised.revision.number}/calls/"

    page = browser.get(url).content.decode()

    assert f'href="{url}"' in browser.get(f"/tools/{tool.slug}/changes/1..2/").content.decode()
    assert "1 of 1 call of the last 30 days would be refused." in words_in(page)
    assert refused.get_absolute_url() in page


def test_the_difference_of_two_revisions_has_no_calls_for_visitors(client, tool):
    publish(make_spec("weather", **{**BEFORE, **NEEDS_DAY}), by=tool.owner)

    page = client.get(f"/tools/{tool.slug}/changes/1..2/").content.decode()

    assert "/calls/" not in page


def preview(browser, **definition):
    changed = make_spec("weather", **{**BEFORE, **definition}).source
    return browser.post("/add/preview/", {"text": changed}).content.decode()


def test_the_preview_of_a_breaking_change_names_the_calls_that_it_would_refuse(browser, tool):
    refused = call(tool, {"city": "Rome"})

    page = preview(browser, **NEEDS_DAY)

    assert "1 of 1 call of the last 30 days would be refused." in words_in(page)
    assert refused.get_absolute_url() in page


def test_the_preview_of_a_compatible_change_checks_no_calls(browser, tool):
    call(tool, {"city": "Rome"})
    wider = {"type": "object", "properties": {"city": {"type": ["string", "null"]}}}

    page = preview(browser, parameters=wider)

    assert "badge-info" in page
    assert "real-calls" not in page


def test_the_preview_of_many_changes_checks_the_calls_of_the_first_ones(browser, ada, monkeypatch):
    monkeypatch.setattr("catalog.uploads.views.CALLS_CHECKED", 1)
    for name in ("rain", "snow"):
        call(publish(make_spec(name, **BEFORE), by=ada).tool, {"city": "Rome"})
    changed = [make_spec(name, **{**BEFORE, **NEEDS_DAY}).document for name in ("rain", "snow")]

    page = browser.post("/add/preview/", {"text": json.dumps(changed)}).content.decode()

    assert page.count("of the last 30 days would be refused.") == 1


def test_checks_of_calls_are_limited_as_previews_are(browser, tool, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    url = f"{propose_change(**NEEDS_DAY).get_absolute_url()}calls/"
    browser.get(url)

    assert browser.get(url).status_code == 429
