"""Frequent tasks, with the number of actions that each takes: a click, a key, or a field that is filled in.

The bounds are measured.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Complaints, follow_link
from tests.catalog.sources.documents import BREAKING, FORECAST, document, operation
from tests.corpora import DATA
from tests.factories import spec_text
from tests.http_server import local_server, respond
from tests.site import Site


class Person:
    """Somebody in front of a page, whose actions are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.start("/")

    def start(self, address: str) -> None:
        """Begin a journey on this page."""
        self.page.goto(address)
        self.actions = 0
        self.began = time.monotonic()

    def click(self, target: Locator) -> None:
        self.actions += 1
        target.click()

    def press(self, key: str) -> None:
        self.actions += 1
        self.page.keyboard.press(key)

    def fill(self, target: Locator, text: str) -> None:
        self.actions += 1
        target.fill(text)

    def type(self, text: str) -> None:
        """Type or paste where the focus is."""
        self.actions += 1
        self.page.keyboard.insert_text(text)

    def button(self, name: str | re.Pattern[str], *, exact: bool = True) -> Locator:
        return self.page.get_by_role("main").get_by_role("button", name=name, exact=exact).first

    def link(self, name: str, *, exact: bool = True) -> Locator:
        return self.page.get_by_role("main").get_by_role("link", name=name, exact=exact).first


@pytest.fixture
def person(signed_in: Page) -> Iterator[Person]:
    """On the first page."""
    return Person(signed_in)


@pytest.fixture
def visitor(browser: Browser, site: Site) -> Iterator[Person]:
    """On the first page, not signed in; the test fails when the console complained."""
    context = browser.new_context(base_url=site.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    complaints = Complaints()
    complaints.listen(page)
    yield Person(page)
    context.close()
    assert complaints == []


def run_once(page: Page, parameters: dict[str, object], tool: str = "drifting_thermometer") -> None:
    """A run that was there before the journey."""
    page.goto(f"/tools/{tool}/try/?parameters={json.dumps(parameters)}")
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(page.locator("#run .run-facts")).to_be_visible()


def publish(person: Person, text: str) -> None:
    """From the first page."""
    person.click(person.page.get_by_role("navigation").get_by_role("link", name="Add"))
    person.click(person.page.locator("json-editor .cm-content").first)
    person.type(text)
    person.click(person.button(re.compile("^Publish 1 ")))
    expect(person.page.get_by_role("heading", name="1 ", exact=False).first).to_be_visible()


def test_a_visitor_runs_a_tool_that_conforms_until_it_does_not(visitor: Person):
    visitor.click(visitor.page.get_by_label("0", exact=True))
    expect(visitor.page.locator("#demo-answer-title")).to_contain_text("Matches")

    visitor.click(visitor.page.get_by_label("73", exact=True))

    expect(visitor.page.locator("#demo-answer-title")).to_contain_text("4 violations")
    assert visitor.actions <= 2


def test_a_spec_with_mistakes_is_fixed_and_published(person: Person):
    person.click(person.page.get_by_role("navigation").get_by_role("link", name="Add"))
    editor = person.page.locator("json-editor .cm-content").first
    person.click(editor)
    person.type(
        spec_text("journey.fixed", paramters={"type": "object"}, returnType={"type": "sting"})
    )
    person.click(person.button("Change to “string”"))
    person.click(person.button("Rename", exact=False))
    person.click(person.button("Publish 1 spec"))

    expect(person.page.get_by_role("heading", name="1 new")).to_be_visible()
    assert person.actions <= 6


def enter(person: Person, text: str) -> None:
    """Paste a text on the page Add, from the first page."""
    person.click(person.page.get_by_role("navigation").get_by_role("link", name="Add"))
    person.click(person.page.locator("json-editor .cm-content").first)
    person.type(text)


def test_an_api_at_a_url_gives_a_verdict_after_three_presses(person: Person):
    city = operation("cities", required=(), properties={})
    returned = {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
    city["responses"]["200"]["content"] = returned

    def answer(handler):
        is_document = handler.path.endswith(".json")
        described = json.loads(document(city)) | {"servers": [{"url": "/"}]}
        content = described if is_document else ["Rome", "Oslo"]
        body = json.dumps(content).encode()
        respond(handler, body, headers={"Content-Type": "application/json"})

    with local_server(answer) as server:
        enter(person, f"{server.url}/openapi.json")
        before = person.actions
        person.click(person.button("Add"))
        person.click(person.link("Try cities"))
        person.click(person.button("Run"))
        expect(person.page.locator("#run .verdict")).to_contain_text("Matches")

    assert person.actions - before == 3


def test_the_breaking_changes_of_a_document_that_is_sent_again_are_read(person: Person):
    title = "Sent again"  # no other test adds a source of this name to the site
    enter(person, document(FORECAST, title=title))
    person.click(person.button("Add 1 tool"))
    expect(person.link("Try forecast")).to_be_visible()
    person.start("/")
    enter(person, document(BREAKING, title=title))
    person.click(person.button("Replace the document now"))
    person.click(person.page.locator("#held").get_by_role("link", name="forecast"))

    expect(person.page.get_by_role("main")).to_contain_text("key")
    assert person.actions <= 5


@pytest.mark.parametrize("words", ["convert a quantity to another unit", "convrt unts"])
def test_a_tool_is_found_by_words_and_by_misspelt_words(person: Person, words: str):
    person.press("/")
    person.type(words)
    person.press("Enter")

    expect(person.page.locator(".result-name a").first).to_have_attribute(
        "href", "/tools/convert_units/"
    )
    assert person.actions <= 3


def test_a_violation_leads_to_its_rule(person: Person):
    run_once(person.page, {"hours_since_calibration": 73})
    person.start("/")

    person.click(person.link("response", exact=False))
    person.click(person.page.locator("tbody a[href^='/runs/'], .run-row a[href^='/runs/']").first)
    person.click(person.link("See the rule"))

    expect(person.page.locator("#return-type .json-line:target")).to_be_visible()
    assert person.actions <= 3


def test_a_failed_run_is_found_and_rerun(person: Person):
    run_once(person.page, {"steps": 1, "seconds": 0, "fail_at": 1}, "count_slowly")
    person.start("/runs/?tool=count_slowly")

    person.click(
        person.page.locator("main tbody a[href^='/runs/'], main .run-row a[href^='/runs/']").first
    )
    person.click(person.button("Run"))

    expect(person.page.locator(".verdict").first).to_be_visible()
    assert person.actions <= 2


def test_a_tool_runs_with_a_saved_secret(person: Person):
    page = person.page
    page.goto('/tools/sign_text/try/?parameters={"text":"hello"}')
    page.locator("#configuration-fold > summary").click()
    page.get_by_label("key").first.fill("hunter22-hunter22")
    page.get_by_text("Save this configuration").click()
    page.get_by_label("Name", exact=True).fill("journey")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Saved", exact=True)).to_have_value("journey")
    person.start("/tools/sign_text/")

    person.click(person.link("Try"))
    person.fill(page.locator("#trial textarea:visible").first, "hello")
    person.click(person.button("Run"))

    expect(page.locator("#run .verdict")).to_contain_text("Matches")
    assert "hunter22" not in page.content()
    assert person.actions <= 3


def test_two_runs_are_compared(person: Person):
    run_once(person.page, {"hours_since_calibration": 73})
    run_once(person.page, {"hours_since_calibration": 1})
    person.start("/")

    person.click(
        person.page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs")
    )
    for number in (0, 1):
        person.click(person.page.locator("main .select-run").nth(number))
    person.click(person.button("Compare selected runs"))

    expect(person.page.get_by_role("main")).to_contain_text('was "lukewarm"')
    assert person.actions <= 4


def test_a_tool_is_deprecated_in_favour_of_another(person: Person):
    for name in ("journey.old", "journey.new"):
        person.start("/")
        publish(person, spec_text(name))
    person.start("/tools/journey.old/")

    person.click(person.page.get_by_label("More actions"))
    person.click(person.link("Settings"))
    person.fill(person.page.get_by_label("Use instead"), "journey.new")
    person.click(person.button("Deprecate this tool"))

    expect(person.page.get_by_text("The tool is deprecated.")).to_be_visible()
    assert person.actions <= 4
    person.page.goto(f"{person.page.url.partition('/settings/')[0]}/")
    expect(
        person.page.locator(".deprecation-note, .notice").filter(has_text="instead")
    ).to_be_visible()


def test_one_variant_of_a_union_is_read_and_its_address_shared(person: Person):
    person.start("/tools/workspace-mcp.batch_update_doc/")

    person.click(person.page.locator("[data-outline]").get_by_role("link", name="find_replace"))
    expect(person.page.locator(".branch:target")).to_contain_text("find_text")
    colleague = person.page.context.new_page()
    colleague.goto(person.page.url)

    expect(colleague.locator(".branch:target").get_by_text("find_text").first).to_be_visible()
    colleague.close()
    assert person.actions <= 1


def test_a_visitor_with_a_phone_runs_a_tool(visitor: Person):
    visitor.page.set_viewport_size({"width": 360, "height": 780})
    visitor.start("/")

    visitor.click(visitor.button("Run"))

    expect(visitor.page.locator("#demo-answer-title")).to_contain_text("1 violation")
    assert not visitor.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert visitor.actions <= 2


@pytest.fixture(scope="module")
def full_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with the samples and all tools of the corpora."""
    site = Site(tmp_path_factory.mktemp("full"))
    add_corpora(site)
    yield site
    site.stop()


def add_corpora(site: Site) -> None:
    names = ("specs_mcp", "specs_bfcl", "specs_metatool", "specs_taubench")
    site.manage("load_specs", "--quiet", *(str(DATA / f"{name}.jsonl") for name in names))


@pytest.fixture
def person_of_full_site(browser: Browser, full_site: Site) -> Iterator[Person]:
    context = browser.new_context(base_url=full_site.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    follow_link(page, full_site)
    yield Person(page)
    context.close()


@pytest.mark.deep
@pytest.mark.parametrize("words", ["close a pull request", "clsoe pull reqeust"])
def test_a_tool_is_found_among_all_of_the_corpora(person_of_full_site: Person, words: str):
    find_among_all(person_of_full_site, words)


def find_among_all(person: Person, words: str) -> None:
    person.press("/")
    person.type(words)
    person.press("Enter")
    found = person.page.locator(
        ".result-name a[href='/tools/github-mcp-server.update_pull_request_state/']"
    )
    person.click(found)

    expect(person.page.get_by_role("heading", level=1)).to_contain_text("update_pull_request_state")
    assert person.actions <= 4


def test_a_visitor_runs_a_tool_and_reads_why_its_response_is_wrong(visitor: Person):
    visitor.click(visitor.button("Run"))

    expect(visitor.page.locator("#demonstration .json-note")).to_have_text("must be at most 60")
    assert visitor.actions <= 1
