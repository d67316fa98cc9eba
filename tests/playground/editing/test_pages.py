"""Editing the spec of a tool beside what the draft means."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from selectolax.lexbor import LexborHTMLParser

from accounts.cell_rate import Rate
from accounts.roles import set_role
from accounts.sign_in_links import create_sign_in_link
from catalog.proposals.models import Proposal
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.runs.models import Run
from tests.factories import make_spec, make_user
from toolspec.spec import read_spec
from toolspec.text.reader import dumps

pytestmark = pytest.mark.django_db
ADDRESS = "/tools/weather/edit/"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
NEEDS_CITY = {**CITY, "required": ["city"]}
PART = {"headers": {"HX-Request": "true"}}


def weather(**definition):
    return make_spec("weather", **{"parameters": CITY, **definition})


@pytest.fixture
def tool(ada):
    """Ada's tool; `browser` is hers."""
    return publish(weather(), by=ada).tool


def sent(spec_or_text, seen=1, **others):
    text = spec_or_text if isinstance(spec_or_text, str) else spec_or_text.source
    return {"text": text, "seen": str(seen), **others}


def words(response, selector="main"):
    found = LexborHTMLParser(response.content.decode()).css_first(selector)
    return " ".join(found.text().split())


def as_publisher(client):
    set_role(grace := make_user("grace"), "publisher")
    client.force_login(grace)
    return client


def test_the_page_has_the_spec_of_the_current_revision(browser, tool):
    page = browser.get(ADDRESS)

    text = LexborHTMLParser(page.content.decode()).css_first("textarea[name=text]").text()
    assert text.removeprefix("\n") == tool.current.source
    assert "Nothing has changed yet." in words(page, "#draft-impact")


def test_a_spec_on_one_line_is_laid_out(browser, ada):
    spec = publish(read_spec(dumps(weather().document)), by=ada).revision.spec

    page = browser.get(ADDRESS)

    text = LexborHTMLParser(page.content.decode()).css_first("textarea[name=text]").text()
    assert json.loads(text) == spec.document
    assert '\n  "definition"' in text


def test_a_breaking_change_is_named_with_its_proof_and_line_while_one_types(browser, tool):
    draft = weather(parameters=NEEDS_CITY)

    part = browser.post(ADDRESS, sent(draft), **PART)

    assert "1 breaking change" in words(part, "#draft-impact")
    assert "Proof: revision 1 accepts this" in words(part, "#draft-impact")
    link = LexborHTMLParser(part.content.decode()).css_first(".change a[data-line]")
    line = draft.source.split("\n")[int(link.attributes["data-line"]) - 1]
    assert "required" in line


def test_the_form_and_the_documentation_are_those_of_the_draft(browser, tool):
    draft = weather(parameters={"type": "object", "properties": {"planet": {"type": "string"}}})

    part = browser.post(ADDRESS, sent(draft), **PART)

    assert "planet" in words(part, "#draft-form")
    assert "planet" in words(part, "#draft-docs")
    assert "city" not in words(part, "#draft-docs")


def test_what_is_typed_into_the_form_stays_while_the_spec_changes(browser, tool):
    typed = {"parameters:o:": "", "parameters:t:/.city": "Oslo"}

    part = browser.post(ADDRESS, sent(weather(parameters=NEEDS_CITY), **typed), **PART)

    assert "Oslo" in part.content.decode()


def test_real_calls_are_checked_against_the_draft_in_a_request_of_their_own(browser, tool):
    for parameters in ({}, {"city": "Oslo"}):
        Run.objects.create(
            tool=tool,
            revision=tool.current,
            by=tool.owner,
            parameters_json=json.dumps(parameters),
            outcome="returned",
        )

    part = browser.post(ADDRESS, sent(weather(parameters=NEEDS_CITY), use="calls"), **PART)

    assert "1 of 2 calls of the last 30 days would be refused." in words(part, ".real-calls")


def test_without_javascript_a_button_checks_the_real_calls(browser, tool):
    page = browser.post(ADDRESS, sent(weather(parameters=NEEDS_CITY), use="calls"))

    assert "You see no live calls of this tool" in words(page, "#draft-impact")


def test_broken_json_is_explained_at_its_line_and_stays_in_the_page(browser, tool):
    text = weather().source.replace('"definition"', "'definition'")

    page = browser.post(ADDRESS, sent(text))

    assert page.status_code == 422
    assert "Line 2, column 3" in words(page, "#draft-problems")
    textarea = LexborHTMLParser(page.content.decode()).css_first("textarea[name=text]")
    assert textarea.text().removeprefix("\n") == text


def test_problems_alone_are_replaced_while_the_text_is_broken(browser, tool):
    part = browser.post(ADDRESS, sent("{"), **PART)

    assert part["HX-Retarget"] == "#draft-problems"
    assert "1 problem in the spec" in part.content.decode()


def test_another_id_is_refused(browser, tool):
    page = browser.post(ADDRESS, sent(make_spec("climate"), use="publish"))

    assert page.status_code == 422
    assert "This page edits the tool weather, but the spec is for climate." in words(page)
    assert not Tool.objects.filter(tool_id="climate").exists()


def test_a_finding_offers_its_fix_which_changes_the_text(browser, tool):
    draft = weather(parameters={**CITY, "requierd": ["city"]})
    part = browser.post(ADDRESS, sent(draft), **PART)
    button = LexborHTMLParser(part.content.decode()).css_first("#draft-lint button[name=fix]")

    page = browser.post(ADDRESS, sent(draft, fix=button.attributes["value"]))

    text = LexborHTMLParser(page.content.decode()).css_first("textarea[name=text]").text()
    assert '"required"' in text
    line, column = int(button.attributes["data-line"]), int(button.attributes["data-column"])
    rest = draft.source.split("\n")[line - 1][column - 1 :]
    assert rest.startswith(button.attributes["data-old"])


def test_publishing_stores_the_next_revision_with_its_note(browser, tool):
    answer = browser.post(
        ADDRESS, sent(weather(parameters=NEEDS_CITY), use="publish", note=" A city is needed. ")
    )

    tool.refresh_from_db()
    assert answer["Location"] == tool.get_absolute_url()
    assert (tool.current.number, tool.current.note) == (2, "A city is needed.")
    assert "A city is needed." in words(browser.get("/tools/weather/changes/"))


def test_publishing_an_unchanged_spec_stores_nothing(browser, tool):
    answer = browser.post(ADDRESS, sent(weather(), use="publish"), follow=True)

    assert "Nothing changed: this is revision 1." in answer.content.decode()
    assert tool.revisions.count() == 1


def test_who_may_not_publish_proposes(client, tool):
    grace = as_publisher(client)

    page = words(grace.get(ADDRESS))
    answer = grace.post(
        ADDRESS, sent(weather(parameters=NEEDS_CITY), use="publish", note="A city is needed.")
    )

    change = Proposal.objects.get()
    assert "Propose" in page
    assert "Publish revision" not in page
    assert answer["Location"] == change.get_absolute_url()
    assert tool.revisions.count() == 1
    assert "“A city is needed.”" in words(grace.get(change.get_absolute_url()))


def test_a_revision_that_landed_meanwhile_is_named_and_the_draft_stays(browser, tool, ada):
    draft = weather(parameters=NEEDS_CITY)
    publish(weather(description="Weather of a city."), by=ada)

    page = browser.post(ADDRESS, sent(draft, use="publish", note="My note"))

    assert page.status_code == 409
    assert "Nothing was published: revision 2 was published in the meantime." in words(page)
    parsed = LexborHTMLParser(page.content.decode())
    assert parsed.css_first("textarea[name=text]").text().removeprefix("\n") == draft.source
    assert parsed.css_first("#note").attributes["value"] == "My note"
    assert parsed.css_first("input[name=seen]").attributes["value"] == "2"
    assert tool.revisions.count() == 2


def test_a_revision_that_landed_meanwhile_is_named_while_one_types(browser, tool, ada):
    publish(weather(description="Weather of a city."), by=ada)

    part = browser.post(ADDRESS, sent(weather(parameters=NEEDS_CITY)), **PART)

    assert "Revision 2 was published since this draft was started" in part.content.decode()


def test_the_cursor_starts_at_the_part_of_the_address(browser, tool):
    page = browser.get(f"{ADDRESS}?at=/definition/parameters/properties/city")

    form = LexborHTMLParser(page.content.decode()).css_first("#edit").attributes
    line = tool.current.source.split("\n")[int(form["data-line"]) - 1]
    assert '"city"' in line


@pytest.mark.parametrize("pointer", ["city", "/nowhere", "/" + "x" * 5_000, "/~"])
def test_a_part_that_does_not_exist_does_not_matter(browser, tool, pointer):
    assert browser.get(ADDRESS, {"at": pointer}).status_code == 200


def test_a_preview_beyond_the_limit_is_refused_unread_and_the_text_stays(browser, tool, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    browser.post(ADDRESS, sent(weather(), use="publish"))
    browser.post(ADDRESS, sent(weather()))

    part = browser.post(ADDRESS, sent("{ broken"), **PART)
    page = browser.post(ADDRESS, sent("{ broken", use="calls"))

    assert (part.status_code, page.status_code) == (429, 429)
    assert int(part["Retry-After"]) > 0
    text = LexborHTMLParser(part.content.decode()).text().strip()
    assert text.startswith("You have checked specs too often: at most 1 per minute are allowed.")
    assert "Your draft is not lost" in text
    assert "You have checked specs too often" in words(page)
    parsed = LexborHTMLParser(page.content.decode())
    assert parsed.css_first("textarea[name=text]").text().strip() == "{ broken"
    assert "in the spec" not in words(page)


def test_publishing_beyond_the_limit_of_uploads_stores_nothing(browser, tool, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    draft = weather(parameters=NEEDS_CITY)
    browser.post(ADDRESS, sent(draft, use="publish"))
    next_draft = weather(description="Weather of a city.")

    page = browser.post(ADDRESS, sent(next_draft, "2", use="publish", note="My note"))

    assert page.status_code == 429
    assert "You have uploaded too often" in words(page)
    parsed = LexborHTMLParser(page.content.decode())
    assert parsed.css_first("textarea[name=text]").text().removeprefix("\n") == next_draft.source
    assert parsed.css_first("#note").attributes["value"] == "My note"
    assert tool.revisions.count() == 2


def test_a_draft_survives_signing_in_again(client, tool, ada):
    draft = weather(parameters=NEEDS_CITY)

    answer = client.post(ADDRESS, sent(draft, use="publish", note="My note"))
    client.post(f"/sign-in/{create_sign_in_link('ada')}/")
    page = client.get(ADDRESS)

    assert answer["Location"] == f"/sign-in/?next={quote(ADDRESS, safe='')}"
    parsed = LexborHTMLParser(page.content.decode())
    assert parsed.css_first("textarea[name=text]").text().removeprefix("\n") == draft.source
    assert parsed.css_first("#note").attributes["value"] == "My note"
    assert "data-typed" in parsed.css_first("#edit").attributes
    assert tool.revisions.count() == 1


def test_a_revision_that_landed_while_one_signs_in_is_not_overwritten(client, tool, ada):
    draft = weather(parameters=NEEDS_CITY)
    client.post(ADDRESS, sent(draft, use="publish"))
    publish(weather(description="Weather of a city."), by=ada)

    client.post(f"/sign-in/{create_sign_in_link('ada')}/")
    page = client.get(ADDRESS)
    seen = LexborHTMLParser(page.content.decode()).css_first("input[name=seen]").attributes["value"]
    refused = client.post(ADDRESS, sent(draft, seen, use="publish"))

    assert seen == "1"
    assert "Revision 2 was published since this draft was started" in words(page)
    assert refused.status_code == 409
    assert tool.revisions.count() == 2


def test_documentation_leads_to_the_lines_of_a_parameter_for_those_who_may_edit(
    browser, client, tool
):
    link = f"{ADDRESS}?at=%2Fdefinition%2Fparameters%2Fproperties%2Fcity#spec"

    assert link in browser.get(tool.get_absolute_url()).content.decode()
    assert link not in client.get(tool.get_absolute_url()).content.decode()


# -- a response that the spec does not match


DEGREES = {"type": "object", "properties": {"degrees": {"type": "number", "maximum": 60}}}


def run_of(tool, response, **columns):
    return Run.objects.create(
        tool=tool,
        revision=tool.current,
        parameters_json="{}",
        response_json=json.dumps(response),
        **{"by": tool.owner, "outcome": "returned", "verdict": "violates", **columns},
    )


def draft_in(page):
    text = LexborHTMLParser(page.content.decode()).css_first("textarea[name=text]").text()
    return json.loads(text)["definition"]


def test_a_violation_leads_to_a_draft_that_accepts_the_response(browser, ada):
    tool = publish(weather(returnType=DEGREES), by=ada).tool
    run = run_of(tool, {"degrees": 451})

    result = LexborHTMLParser(browser.get(f"/runs/{run.pk}/", follow=True).content.decode())
    [link] = [one for one in result.css(".run-facts a") if one.text() == "Change the spec to match"]
    page = browser.get(link.attributes["href"].removesuffix("#draft-impact"))

    assert draft_in(page)["returnType"]["properties"]["degrees"]["maximum"] == 451
    assert "This draft accepts the response." in words(page)
    assert tool.revisions.count() == 1


def test_one_violation_can_be_accepted_alone(browser, ada):
    schema = {"properties": {"low": {"maximum": 1}, "high": {"maximum": 2}}}
    tool = publish(weather(returnType=schema), by=ada).tool
    run = run_of(tool, {"low": 5, "high": 5})

    page = browser.get(f"{ADDRESS}?match={run.pk}&violation=/high")

    assert draft_in(page)["returnType"] == {
        "properties": {"low": {"maximum": 1}, "high": {"maximum": 5}}
    }


def test_a_response_without_a_return_type_is_described(browser, tool):
    run = run_of(tool, {"degrees": 20.5, "city": "Oslo"}, verdict="unchecked")

    result = browser.get(f"/runs/{run.pk}/", follow=True).content.decode()
    page = browser.get(f"{ADDRESS}?match={run.pk}")

    assert "Describe this response" in result
    assert draft_in(page)["returnType"] == {
        "type": "object",
        "properties": {"degrees": {"type": "number"}, "city": {"type": "string"}},
        "required": ["degrees", "city"],
    }


def test_a_draft_that_one_has_begun_is_changed_to_match(browser, ada):
    tool = publish(weather(returnType=DEGREES), by=ada).tool
    run = run_of(tool, {"degrees": 451})
    begun = weather(returnType=DEGREES, description="Weather of a city.")

    page = browser.post(f"{ADDRESS}?match={run.pk}", sent(begun, use="match"))

    assert draft_in(page)["description"] == "Weather of a city."
    assert draft_in(page)["returnType"]["properties"]["degrees"]["maximum"] == 451


def test_without_a_small_edit_the_page_says_so_and_keeps_the_spec(browser, ada):
    schema = {
        "$defs": {"short": {"maxLength": 1}},
        "properties": {"a": {"$ref": "#/$defs/short"}},
        "not": {"required": ["b"]},
    }
    tool = publish(weather(returnType=schema), by=ada).tool
    run = run_of(tool, {"a": "ab"})

    page = browser.get(f"{ADDRESS}?match={run.pk}")

    assert "No small edit makes the return type accept this response." in words(page)
    assert draft_in(page)["returnType"] == schema


def test_the_run_of_another_person_or_tool_is_not_found(client, browser, tool, ada):
    run = run_of(tool, {"degrees": 451}, verdict="unchecked")
    publish(make_spec("climate"), by=ada)

    assert as_publisher(client).get(f"{ADDRESS}?match={run.pk}").status_code == 404
    assert browser.get(f"/tools/climate/edit/?match={run.pk}").status_code == 404


def test_who_may_not_edit_gets_no_offer_to_change_the_spec(client, tool, ada):
    set_role(grace := make_user("grace"), "runner")
    run = run_of(tool, {"degrees": 20}, by=grace, verdict="unchecked")
    client.force_login(grace)

    result = client.get(f"/runs/{run.pk}/", follow=True).content.decode()

    assert "Describe this response" not in result
    assert client.get(f"{ADDRESS}?match={run.pk}").status_code == 403


def test_matching_a_response_is_limited_as_previews_are(browser, tool, settings):
    settings.UPLOAD_RATE = Rate(1, 60)
    address = f"{ADDRESS}?match=unknown"

    answers = [browser.get(address).status_code for _ in range(2)]

    assert answers == [404, 429]
