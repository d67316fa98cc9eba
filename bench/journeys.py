"""Count the actions and measure the seconds of common tasks, in Chromium, with all tools.

    TOOLSHELF_CORPORA=<folder> .venv/bin/python -m bench.journeys [--rounds 3]

The journeys are those of `tests.browser.test_journeys`. The seconds are of a script that reads
nothing: the time that the site and the browser need. Prints medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from playwright.sync_api import Browser, sync_playwright  # noqa: E402 - Django must be set up first

from tests.browser import test_journeys as journeys  # noqa: E402
from tests.browser.conftest import ARGUMENTS, CHROMIUM, follow_link  # noqa: E402
from tests.site import Site  # noqa: E402

JOURNEYS: dict[str, Callable[[journeys.Person], None]] = {
    "a visitor's first run that conforms": (
        journeys.test_a_visitor_runs_a_tool_that_conforms_until_it_does_not
    ),
    "the first run on a phone, 360 px wide": journeys.test_a_visitor_with_a_phone_runs_a_tool,
    "a spec with two mistakes fixed and published": (
        journeys.test_a_spec_with_mistakes_is_fixed_and_published
    ),
    "an OpenAPI document sent again, its breaking changes read": (
        journeys.test_the_breaking_changes_of_a_document_that_is_sent_again_are_read
    ),
    "a tool found among all, by words": partial(
        journeys.find_among_all, words="close a pull request"
    ),
    "the same, by misspelt words": partial(journeys.find_among_all, words="clsoe pull reqeust"),
    "one of 31 variants read, and its address shared": (
        journeys.test_one_variant_of_a_union_is_read_and_its_address_shared
    ),
    "a tool run with a saved secret": journeys.test_a_tool_runs_with_a_saved_secret,
    "a violation understood": journeys.test_a_violation_leads_to_its_rule,
    "two runs compared": journeys.test_two_runs_are_compared,
    "a tool deprecated in favour of another": (
        journeys.test_a_tool_is_deprecated_in_favour_of_another
    ),
    "a failed run found and rerun": journeys.test_a_failed_run_is_found_and_rerun,
}
BY_VISITORS = {"a visitor's first run that conforms", "the first run on a phone, 360 px wide"}


def take_journey(browser: Browser, site: Site, name: str) -> tuple[float, int]:
    """The seconds and the number of actions of a journey in a new browser context."""
    context = browser.new_context(base_url=site.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    if name not in BY_VISITORS:
        follow_link(page, site)
    person = journeys.Person(page)
    JOURNEYS[name](person)
    took_s = time.monotonic() - person.began
    context.close()
    return took_s, person.actions


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    actions: dict[str, int] = {}
    seconds: dict[str, list[float]] = {name: [] for name in JOURNEYS}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for _ in range(options.rounds):  # each on a site of its own, since journeys change it
            with tempfile.TemporaryDirectory() as folder:
                site = Site(Path(folder), prepared=False)
                try:
                    journeys.add_corpora(site)
                    for name in JOURNEYS:
                        took_s, actions[name] = take_journey(browser, site, name)
                        seconds[name].append(took_s)
                finally:
                    site.stop()
        browser.close()
    print("| journey | actions | s |\n| --- | --- | --- |")
    for name in JOURNEYS:
        print(f"| {name} | {actions[name]} | {statistics.median(seconds[name]):.1f} |")


if __name__ == "__main__":
    main()
