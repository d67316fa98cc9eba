"""Waiting for a free slot, as a person sees it: all slots are busy, and Run is pressed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Complaints, follow_link
from tests.browser.test_accessibility import violations
from tests.site import Site
from tests.site_accounts import token

LONG = {"parameters": {"steps": 60, "seconds": 60}, "timeout_s": 120, "wait_s": 0}
HELLO = "/tools/hash_text/try/?parameters=%7B%22text%22%3A%22hello%22%7D"


@pytest.fixture(scope="module")
def narrow_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site that does one run at a time."""
    site = Site(
        tmp_path_factory.mktemp("narrow"), TOOLSHELF_RUN_SLOTS="1", TOOLSHELF_WEB_PROCESSES="1"
    )
    yield site
    site.stop()


class Others:
    """Programs of several users, whose runs take their time. One user's runs would not wait before a person's first."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.apis: dict[str, httpx.Client] = {}

    def start(self) -> str:
        secret = token(self.site, f"other-{len(self.apis)}")
        api = httpx.Client(
            base_url=f"{self.site.url}/api/v1",
            headers={"Authorization": f"Bearer {secret}"},
            timeout=30,
        )
        run = str(api.post("/tools/count_slowly/runs", json=LONG).json()["id"])
        self.apis[run] = api
        return run

    def cancel(self, run: str) -> None:
        self.apis[run].post(f"/runs/{run}/cancel", json={})


@pytest.fixture
def others(narrow_site: Site) -> Iterator[Others]:
    others = Others(narrow_site)
    yield others
    for run, api in others.apis.items():
        others.cancel(run)
        api.close()


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def person(browser: Browser, narrow_site: Site, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = browser.new_context(base_url=narrow_site.url, java_script_enabled=request.param)
    page = context.new_page()
    complaints = Complaints()
    complaints.listen(page)
    follow_link(page, narrow_site)
    yield page
    context.close()
    assert complaints == []


def verdict(page: Page):
    return page.locator(".verdict")


@pytest.mark.deep
def test_the_page_shows_the_position_in_the_queue_until_the_run_starts(
    person: Page, others: Others
):
    first, second, third = others.start(), others.start(), others.start()
    person.goto(HELLO)

    person.locator("[data-run-button]").click()

    expect(verdict(person)).to_have_text("Waiting: number 3 in the queue.")
    others.cancel(second)
    expect(verdict(person)).to_have_text("Waiting: number 2 in the queue.")
    others.cancel(third)
    expect(verdict(person)).to_have_text("Waiting: next in the queue.")
    others.cancel(first)
    expect(verdict(person)).to_contain_text("Matches")


@pytest.mark.deep
def test_a_run_that_has_a_slot_is_not_shown_as_waiting(person: Page, others: Others):
    person.goto("/tools/count_slowly/try/?parameters=%7B%22steps%22%3A9%2C%22seconds%22%3A9%7D")

    person.locator("[data-run-button]").click()

    expect(verdict(person)).to_have_text("Running.")
    person.get_by_role("button", name="Cancel").click()
    expect(verdict(person)).to_contain_text("Cancelled")


def test_a_waiting_run_can_be_removed_from_the_queue(person: Page, others: Others):
    others.start()
    person.goto(HELLO)
    person.locator("[data-run-button]").click()
    expect(verdict(person)).to_have_text("Waiting: next in the queue.")

    person.get_by_role("button", name="Cancel").click()

    expect(verdict(person)).to_contain_text("Cancelled")
    expect(person.get_by_role("main")).to_contain_text(
        re.compile("cancelled while it was waiting", re.IGNORECASE)
    )


@pytest.mark.deep
@pytest.mark.parametrize("person", [True], indirect=True)
def test_the_page_of_a_waiting_run_is_accessible(person: Page, others: Others):
    others.start()
    person.goto(HELLO)
    person.locator("[data-run-button]").click()
    expect(verdict(person)).to_contain_text("next in the queue")

    assert violations(person) == []
