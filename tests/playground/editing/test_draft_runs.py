"""Running a tool with a draft of its spec, from the page that edits it."""

import json
from datetime import timedelta

import pytest
from selectolax.lexbor import LexborHTMLParser

from accounts.cell_rate import Rate
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.configurations.saved import save_configuration, share
from playground.configurations.secret_members import Configuration
from playground.factories.connections import factory_of
from playground.runs import retention
from playground.runs.models import Run
from tests.factories import make_user
from tests.playground.editing.test_pages import ADDRESS, PART, as_publisher, sent, weather, words

pytestmark = pytest.mark.usefixtures("runs")

THERMOMETER = "/tools/drifting_thermometer/edit/"
SIGN = "/tools/sign_text/edit/"
# what a browser sends of the form of its configuration when nobody has typed anything
UNTOUCHED = {
    "configuration:o:": "",
    "configuration:t:/.key": "",
    "configuration:j:/.algorithm": "",
}


@pytest.fixture
def thermometer(builtin):
    tool = builtin("drifting_thermometer")
    factory_of(tool, timeout_s=30)  # until it is imported, no button is shown
    return tool


def draft_of(tool, **definition):
    """The spec of a tool with these members of its definition."""
    document = json.loads(tool.current.source)
    document["definition"] |= definition
    return json.dumps(document, indent=2)


def page_of(response):
    return LexborHTMLParser(response.content.decode())


def parameters(value):
    return {"parameters:e:": json.dumps(value)}


def run_draft(client, text, **others):
    return client.post(THERMOMETER, sent(text, use="run", note="Why.", **others))


@pytest.mark.parametrize("options", [{}, PART])
def test_a_draft_runs_and_its_own_return_type_decides(browser, thermometer, options):
    text = draft_of(thermometer, returnType={"type": "object", "required": ["a", "b"]})

    answer = browser.post(THERMOMETER, sent(text, use="run", **parameters({})), **options)

    assert answer.status_code == 200
    shown = words(answer, "#draft-form")
    assert "Does not match its return type: 2 violations" in shown
    assert '"a" and "b" are missing' in shown
    assert '"place"' in shown


def test_a_run_of_a_draft_keeps_what_was_typed_and_is_in_no_list(browser, thermometer):
    text = draft_of(thermometer, description="Another one.")

    page = page_of(run_draft(browser, text, **parameters({"hours_since_calibration": 50})))

    assert page.css_first("#text").text().removeprefix("\n") == text
    assert page.css_first("#note").attributes["value"] == "Why."
    assert "50" in page.css_first("[name='parameters:e:']").text()
    assert not Run.objects.exists()
    run = Run.every.get()
    assert (run.mode, run.by.username, run.outcome) == ("draft", "ada", "returned")
    assert browser.get(run.get_absolute_url()).status_code == 404
    assert Tool.objects.get().current.number == 1


def test_the_parameters_must_match_those_of_the_draft(browser, thermometer):
    needed = {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]}
    text = draft_of(thermometer, parameters=needed)

    answer = run_draft(browser, text, **parameters({}))

    assert '"hour" is missing' in words(answer, "#draft-form .field-error")
    assert not Run.every.exists()


def test_a_later_draft_decides_about_the_response_again(browser, thermometer):
    page = page_of(run_draft(browser, draft_of(thermometer), **parameters({})))
    shown = page.css_first("[name=draft_run]").attributes["value"]
    changed = draft_of(thermometer, returnType={"type": "string"})

    part = browser.post(THERMOMETER, sent(changed, draft_run=shown), **PART)

    assert "Matches its return type" in page.css_first("#draft-form").text()
    assert "Does not match its return type: 1 violation" in words(part, "#draft-form")


def test_the_next_run_replaces_the_one_before(browser, thermometer):
    page = page_of(run_draft(browser, draft_of(thermometer), **parameters({})))
    first = page.css_first("[name=draft_run]").attributes["value"]

    run_draft(browser, draft_of(thermometer), **parameters({}))

    assert Run.every.count() == 1
    assert Run.every.get().pk != first


def test_nobody_else_sees_a_run_of_a_draft(browser, client, thermometer):
    page = page_of(run_draft(browser, draft_of(thermometer), **parameters({})))
    shown = page.css_first("[name=draft_run]").attributes["value"]

    other = as_publisher(client).post(THERMOMETER, sent(draft_of(thermometer), draft_run=shown))

    assert other.status_code == 200
    assert "draft_run" not in other.content.decode()


def test_only_those_who_may_publish_run_a_draft(client, thermometer):
    grace = as_publisher(client)
    Tool.objects.update(owner=make_user("owner"))

    page = page_of(grace.get(THERMOMETER))
    answer = grace.post(THERMOMETER, sent(draft_of(thermometer), use="run", **parameters({})))

    assert page.css("button[value=run]") == []
    assert answer.status_code == 403
    assert not Run.every.exists()


def test_a_tool_that_does_not_run_here_offers_no_run_of_a_draft(browser, ada):
    publish(weather(), by=ada)

    page = page_of(browser.get(ADDRESS))
    answer = browser.post(ADDRESS, sent(weather(), use="run", **parameters({})))

    assert page.css("button[value=run]") == []
    assert "This tool is mock only" in words(answer, "#draft-form")


def test_the_configuration_of_the_current_revision_stays(browser, thermometer):
    document = json.loads(draft_of(thermometer))
    document["configuration"] = {"type": "object", "required": ["key"]}

    answer = run_draft(browser, json.dumps(document), **parameters({}))

    assert "Matches its return type" in words(answer, "#draft-form")


def test_a_draft_with_problems_is_not_run(browser, thermometer):
    answer = run_draft(browser, "{", **parameters({}))

    assert answer.status_code == 422
    assert not Run.every.exists()


def test_runs_of_drafts_are_limited(browser, thermometer, settings):
    settings.RUN_RATE = Rate(1, 60)
    text = draft_of(thermometer)
    run_draft(browser, text, **parameters({}))

    answer = run_draft(browser, text, **parameters({}))

    assert answer.status_code == 429
    assert page_of(answer).css_first("#text").text().removeprefix("\n") == text


def test_the_run_of_a_draft_is_deleted_after_a_day(browser, thermometer):
    run_draft(browser, draft_of(thermometer), **parameters({}))
    retention.prune()
    run = Run.every.get()

    Run.every.update(created_at=run.created_at - timedelta(days=1))
    retention.prune()

    assert not Run.every.exists()


@pytest.fixture
def signing(builtin, ada):
    """A tool whose answer depends on its configuration, and a configuration that Ada has saved for it."""
    tool = builtin("sign_text")
    factory_of(tool, timeout_s=30)
    save_configuration(ada, tool, "usual", Configuration({"algorithm": "sha512"}), None)
    return tool


def signed(browser, tool, **others):
    """The words of the result of signing a text with a draft."""
    sent_forms = {**parameters({"text": "hello"}), **others}
    return words(browser.post(SIGN, sent(draft_of(tool), use="run", **sent_forms)), "#draft-form")


def test_the_page_names_the_saved_configuration_that_a_run_of_a_draft_uses(browser, signing):
    page = browser.get(SIGN)

    assert "Uses the saved configuration usual" in words(page, "#draft-form")
    assert '"algorithm": "sha512"' in signed(browser, signing, **UNTOUCHED)


def test_a_run_of_a_draft_uses_the_configuration_that_was_typed(browser, signing):
    typed = {"configuration:e:": json.dumps({"algorithm": "sha1"})}

    assert '"algorithm": "sha1"' in signed(browser, signing, **typed)


def test_a_shared_configuration_is_named_with_its_owner_and_gives_way_to_a_typed_one(
    browser, ada, builtin
):
    tool = builtin("sign_text")
    factory_of(tool, timeout_s=30)
    eve = make_user("eve")
    saved = save_configuration(eve, tool, "team", Configuration({"algorithm": "sha512"}), None)
    share(saved, "everyone", by=eve)
    Run.objects.create(
        tool=tool, revision=tool.current, by=ada, mode="live", configuration_name="eve/team"
    )

    page = browser.get(SIGN)

    assert "Uses the saved configuration eve/team" in words(page, "#draft-form")
    assert '"algorithm": "sha512"' in signed(browser, tool)
    typed = {"configuration:e:": json.dumps({"algorithm": "sha1"})}
    assert '"algorithm": "sha1"' in signed(browser, tool, **typed)


def test_a_configuration_that_cannot_be_read_is_not_replaced_by_the_saved_one(browser, signing):
    shown = signed(browser, signing, **{"configuration:e:": "{"})

    assert not Run.every.exists()
    assert "Error: The text ends" in shown


def test_without_a_saved_configuration_the_page_names_none(browser, builtin):
    factory_of(builtin("sign_text"), timeout_s=30)

    assert "saved configuration" not in words(browser.get(SIGN), "#draft-form")
