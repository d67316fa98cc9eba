"""What people come for, with the number of actions that each takes: a click, a key, or a field that is filled in.

The bounds are measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.catalog.sources.documents import BREAKING, FORECAST, document
from tests.factories import spec_text


class Person:
    """Somebody in front of a page, whose actions are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.actions = 0

    def click(self, target: Locator) -> None:
        self.actions += 1
        target.click()

    def press(self, key: str) -> None:
        self.actions += 1
        self.page.keyboard.press(key)

    def button(self, name: str, *, exact: bool = True) -> Locator:
        return self.page.get_by_role("main").get_by_role("button", name=name, exact=exact).first

    def link(self, name: str, *, exact: bool = True) -> Locator:
        return self.page.get_by_role("main").get_by_role("link", name=name, exact=exact).first


@pytest.fixture
def person(signed_in: Page) -> Iterator[Person]:
    """On the first page."""
    signed_in.goto("/")
    return Person(signed_in)


def run_once(page: Page, parameters: dict[str, object], tool: str = "drifting_thermometer") -> None:
    """A run that was there before the journey."""
    page.goto(f"/tools/{tool}/try/?parameters={json.dumps(parameters)}")
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(page.locator("#run .run-facts")).to_be_visible()


def test_a_newcomer_runs_a_tool_that_conforms(person: Person):
    person.click(person.page.locator("a.home-action").first)
    person.click(person.button("Run"))

    expect(person.page.locator("#run .verdict")).to_contain_text("Conforms")
    assert person.actions <= 2


def test_a_spec_with_mistakes_is_fixed_and_published(person: Person):
    person.click(person.page.locator("a.home-action").nth(1))
    editor = person.page.locator("json-editor .cm-content").first
    person.click(editor)
    person.actions += 1  # paste
    person.page.keyboard.insert_text(
        spec_text("journey.fixed", paramters={"type": "object"}, returnType={"type": "sting"})
    )
    person.click(person.button("Change to “string”"))
    person.click(person.button("Rename", exact=False))
    person.click(person.button("Publish 1 spec"))

    expect(person.page.get_by_role("heading", name="1 new")).to_be_visible()
    assert person.actions <= 6


def test_the_breaking_changes_of_an_imported_document_are_read(person: Person):
    for operation in (FORECAST, BREAKING):
        person.page.goto("/")
        person.actions = 0
        person.click(person.page.locator("a.home-action").nth(1))
        person.click(person.page.locator("json-editor .cm-content").first)
        person.actions += 1  # paste
        person.page.keyboard.insert_text(document(operation))
        person.click(person.button("Publish 1 spec", exact=False))
        expect(person.page.get_by_role("heading", name="1 ", exact=False).first).to_be_visible()
    person.click(person.link("Changes"))

    expect(person.page.get_by_role("main")).to_contain_text("key")
    assert person.actions <= 5


@pytest.mark.parametrize("words", ["convert a quantity to another unit", "convrt unts"])
def test_a_tool_is_found_by_words_and_by_misspelt_words(person: Person, words: str):
    person.press("/")
    person.actions += 1
    person.page.keyboard.type(words)
    person.press("Enter")

    expect(person.page.locator(".result-name a").first).to_have_attribute("href", "/tools/convert_units/")
    assert person.actions <= 3


def test_a_violation_leads_to_its_rule(person: Person):
    run_once(person.page, {"hours_since_calibration": 73})
    person.page.goto("/")

    person.click(person.link("violat", exact=False))
    person.click(person.page.locator("tbody a[href^='/runs/'], .run-row a[href^='/runs/']").first)
    person.click(person.link("See the rule"))

    expect(person.page.locator("#return-type .json-line:target")).to_be_visible()
    assert person.actions <= 3


def test_a_failed_run_is_found_and_rerun(person: Person):
    run_once(person.page, {"steps": 1, "seconds": 0, "fail_at": 1}, "count_slowly")
    person.page.goto("/runs/?tool=count_slowly")

    person.click(person.page.locator("main tbody a[href^='/runs/'], main .run-row a[href^='/runs/']").first)
    person.click(person.button("Run again"))

    expect(person.page.locator(".verdict").first).to_be_visible()
    assert person.actions <= 2
