"""The lint page by the keyboard, and similar tools where the reader gets there."""

import json

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.factories import properties, spec_text
from tests.site import Site
from tests.site_accounts import token

FAULTY = {
    "name": "Get tides",
    "description": "Tell the tides of a harbour, for today and for tomorrow.",
    "parameters": properties(
        harbour={"type": "string", "minimum": 3, "description": "Name of the harbour."},
        days={"enum": [1, 2, 2], "description": "Number of days."},
    ),
}


@pytest.fixture
def tides(site: Site, request: pytest.FixtureRequest) -> str:
    """The address of a faulty tool of the test's own."""
    tool_id = request.node.name.replace("_", "-")[:60]
    specs = [spec_text(tool_id, **FAULTY), spec_text(f"{tool_id}.like", **FAULTY)]
    headers = {"Authorization": f"Bearer {token(site, 'tester')}"}
    body = [json.loads(text) for text in specs]
    answer = httpx.post(f"{site.url}/api/v1/uploads", json=body, headers=headers, timeout=60)
    assert [spec["outcome"] for spec in answer.json()["specs"]] == ["created", "created"]
    return f"/tools/{tool_id}/"


def test_a_fix_is_looked_at_and_applied_by_the_keyboard(signed_in: Page, tides: str):
    signed_in.goto(f"{tides}lint/")
    summary = signed_in.locator(".finding-fix summary", has_text="Remove it").first
    summary.focus()
    signed_in.keyboard.press("Enter")
    expect(signed_in.locator(".finding-fix[open] .diff-del").first).to_be_visible()

    signed_in.keyboard.press("Tab")
    while signed_in.evaluate("document.activeElement.type") != "submit":
        signed_in.keyboard.press("Tab")
    signed_in.keyboard.press("Enter")

    expect(signed_in.get_by_text("Revision 2 is published, with 1 fix applied.")).to_be_visible()


def test_the_severities_stand_in_one_line_on_a_phone(signed_in: Page, tides: str):
    signed_in.set_viewport_size({"width": 360, "height": 800})

    for address in ("/lint/", f"{tides}lint/"):
        signed_in.goto(address)
        tops = signed_in.locator(".segment").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().top)"
        )

        assert len(tops) == 4
        assert len(set(tops)) == 1


def test_a_line_of_a_finding_leads_to_the_spec_beside_it(signed_in: Page, tides: str):
    signed_in.goto(f"{tides}lint/")

    signed_in.locator(".finding .problem-where a").first.click()

    expect(signed_in.locator(".json-line:target")).to_be_in_viewport()


@pytest.mark.deep
def test_a_finding_is_waived_and_costs_no_score(signed_in: Page, tides: str):
    signed_in.goto(f"{tides}lint/")
    before = int(signed_in.locator(".page-heading .score-number").inner_text())
    signed_in.locator(".finding", has_text="Get tides").locator(".finding-waive summary").click()
    signed_in.get_by_label("Reason").locator("visible=true").fill("Everybody knows it so.")
    signed_in.get_by_role("button", name="Waive", exact=True).locator("visible=true").click()

    expect(signed_in.locator("#waived")).to_contain_text("Everybody knows it so.")
    assert int(signed_in.locator(".page-heading .score-number").inner_text()) == before + 5


@pytest.mark.deep
def test_a_link_to_a_line_of_the_spec_loads_the_spec(signed_in: Page, tides: str):
    signed_in.goto(f"{tides}#spec-text-L7")

    expect(signed_in.locator(".json-line:target")).to_be_in_viewport()


def test_an_export_is_loaded_when_its_tab_is_opened(signed_in: Page, tides: str):
    signed_in.goto(tides)
    expect(signed_in.locator("#use-openai-code")).to_have_count(0)

    signed_in.get_by_role("tab", name="OpenAI").click()

    expect(signed_in.locator("#use-openai-code")).to_contain_text('"function"')


def test_the_changes_of_all_safe_fixes_are_loaded_when_they_are_opened(signed_in: Page, tides: str):
    signed_in.goto(f"{tides}lint/")
    expect(signed_in.locator(".lint-safe .diff-del")).to_have_count(0)

    signed_in.get_by_text("Show the changes").click()

    expect(signed_in.locator(".lint-safe .diff-del").first).to_be_visible()


@pytest.mark.deep
def test_similar_tools_come_when_the_reader_gets_there(signed_in: Page, tides: str):
    signed_in.set_viewport_size(
        {"width": 1280, "height": 300}
    )  # they load when they are 480 px below its end
    signed_in.goto(tides)
    expect(signed_in.locator(".similar-tool")).to_have_count(0)

    signed_in.locator("#similar").scroll_into_view_if_needed()

    expect(signed_in.locator(".similar-tool").first).to_contain_text(
        "Shared parameters: harbour, days"
    )
