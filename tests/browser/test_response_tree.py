"""A response as a tree: search, paths, opening and closing, the next problem, and what the browser remembers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.test_accessibility import violations
from tests.site import Site

TRY = '/tools/drifting_thermometer/try/?parameters={"hours_since_calibration":73}'


@pytest.fixture(scope="module")
def long_run(browser: Browser, site: Site, session: StorageState) -> str:
    """The address of a run that violates its return type, and whose response has enough lines for its tools."""
    context = browser.new_context(base_url=site.url, storage_state=session)
    page = context.new_page()
    page.goto(TRY)
    page.locator("[data-run-button]").click()
    run = page.locator("#run .link-to-run a").get_attribute("href")
    context.close()
    assert run is not None
    lengthen = (
        f"run = Run.objects.get(pk='{run.strip('/').split('/')[-1]}'); response = json.loads(run.response_json); "
        "response['notes'] = [*range(40)]; run.response_json = json.dumps(response); run.save()"
    )
    site.manage("shell", "-c", f"import json; from playground.models import Run; {lengthen}")
    return run


@pytest.fixture
def response(signed_in: Page, long_run: str) -> Page:
    """The page of that run."""
    signed_in.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(long_run)
    expect(signed_in.locator("#response-json")).to_be_visible()
    return signed_in


def pasted(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def height(page: Page) -> float:
    box = page.locator("#response .json").bounding_box()
    assert box is not None
    return box["height"]


def test_a_search_opens_what_holds_its_hits_and_steps_through_them(response: Page):
    before = height(response)
    response.get_by_role("button", name="Collapse all").click()

    response.get_by_label("Search the response").fill("READINGS")

    count = response.locator("[data-find-count]")
    expect(count).to_have_text("1 of 1")
    expect(response.locator(".is-current-line")).to_contain_text('"readings"')
    response.get_by_role("button", name="Expand all").click()
    response.get_by_label("Search the response").fill("lukewarm")
    expect(count).to_contain_text("1 of ")
    assert response.evaluate("CSS.highlights.get('response-hit').size") >= 1
    response.keyboard.press("Shift+Enter")
    response.get_by_label("Search the response").fill("not in it")
    expect(count).to_have_text("No hits")
    assert height(response) == before


def test_the_path_and_the_value_of_a_line_are_copied_by_keyboard(response: Page):
    before = height(response)
    response.locator("#response-json").focus()
    response.keyboard.press("Home")
    response.keyboard.press("ArrowDown")
    name = response.locator("[data-path-shown]").inner_text()
    response.keyboard.press("p")
    expect(response.locator("[data-copy-path]")).to_contain_text("Copied")

    assert pasted(response) == name
    assert name.startswith("/")
    response.keyboard.press("Home")
    response.keyboard.press("v")
    expect(response.locator("[data-copy-value]")).to_contain_text("Copied")
    assert '"lukewarm"' in pasted(response)
    assert (
        response.evaluate("async () => typeof JSON.parse(await navigator.clipboard.readText())")
        == "object"
    )
    assert height(response) == before


def test_each_line_has_the_path_by_which_the_response_is_read(response: Page):
    """Each path is read in the response itself: the value there is the one that is copied."""
    texts = response.evaluate("""() => {
      const block = document.querySelector("#response .json");
      return [...block.querySelectorAll(".json-line")].map((line) => {
        line.click();
        return [block.querySelector("[data-path]").value, block.querySelector("[data-value]").value];
      });
    }""")
    whole = response.evaluate("JSON.parse(document.getElementById('raw-text').textContent)")

    for pointer, text in texts:
        value = whole
        for token in pointer.split("/")[1:]:
            value = value[int(token)] if isinstance(value, list) else value[token]
        assert response.evaluate("(text) => JSON.parse(text)", text) == value
    assert len({pointer for pointer, _ in texts}) > 3


def test_the_next_problem_is_shown_in_a_closed_part(response: Page):
    response.get_by_role("button", name="Collapse all").click()

    response.get_by_role("button", name="Next violation").click()

    expect(response.locator(".is-current-problem")).to_be_visible()


def test_the_search_of_a_response_is_in_the_bar_of_its_copy_button(response: Page):
    bar = response.locator("#response .code-bar")

    expect(bar.get_by_label("Search the response")).to_be_visible()
    expect(bar.get_by_role("button", name="Copy")).to_be_visible()
    assert (
        bar.evaluate(
            "(bar) => new Set([...bar.querySelectorAll('button')].map((each) => each.offsetTop)).size"
        )
        == 1
    )


@pytest.mark.parametrize("width", [1280, 360])
def test_the_problems_are_counted_and_their_buttons_stay_in_view(response: Page, width: int):
    response.set_viewport_size({"width": width, "height": 780})
    step = response.get_by_role("button", name="Next violation")
    notes = response.locator("#response .json-note")
    total = notes.count()
    expect(response.locator(".verdict p")).to_contain_text(f"{total} violations")

    for number in range(1, total + 1):
        step.click()
        expect(response.locator("[data-step-count]")).to_have_text(f"{number} of {total}")
        expect(notes.nth(number - 1)).to_have_class(re.compile("is-current-problem"))

    response.mouse.wheel(0, 200)
    expect(step).to_be_in_viewport(ratio=1)


def test_the_view_of_a_result_is_remembered_until_a_response_does_not_match(signed_in: Page):
    signed_in.goto("/tools/drifting_thermometer/try/?example=1")
    signed_in.locator("[data-run-button]").click()
    logs = signed_in.get_by_role("tab", name="Logs")
    expect(signed_in.get_by_role("tab", name="Table")).to_have_attribute("aria-selected", "true")
    logs.click()

    signed_in.reload()
    signed_in.locator("[data-run-button]").click()

    expect(logs).to_have_attribute("aria-selected", "true")
    signed_in.goto(TRY)
    signed_in.locator("[data-run-button]").click()
    tab = signed_in.get_by_role("tab", name="Response")
    expect(tab).to_have_attribute("aria-selected", "true")


def test_a_table_is_sorted_by_its_columns(response: Page):
    response.get_by_role("tab", name="Table").click()
    head = response.locator("#table th").nth(1)
    first = response.locator("#table tbody tr").first

    for order, number in [("ascending", "1"), ("descending", "2"), (None, "1")]:
        head.get_by_role("button").press("Enter")
        expect(first.locator("td").first).to_have_text(number)
        assert head.get_attribute("aria-sort") == order
    assert violations(response) == []


def run_with_response(page: Page, site: Site, response: str) -> None:
    """Show a run whose stored response was replaced: by a Python expression for its JSON."""
    page.goto("/tools/convert_units/try/?example=1")
    page.locator("[data-run-button]").click()
    run = page.locator("#run .link-to-run a").get_attribute("href")
    assert run is not None
    change = (
        f"Run.objects.filter(pk='{run.strip('/').split('/')[-1]}').update(response_json={response})"
    )
    site.manage("shell", "-c", f"from playground.models import Run; {change}")
    page.goto(run)


@pytest.mark.deep
def test_a_search_in_a_response_that_is_cut_says_so(signed_in: Page, site: Site):
    run_with_response(signed_in, site, "str([*range(5000)])")

    signed_in.get_by_label("Search the response").fill("199")

    # As many lines are shown as fit into the page's bound, fewer than 1,990: 199 and 1199.
    expect(signed_in.locator("[data-find-count]")).to_have_text("1 of 2 in the part shown")
    expect(signed_in.locator("[data-path-shown]")).to_have_text("/199")
    signed_in.locator("#response-json-L1").click()
    expect(signed_in.locator("[data-copy-value]")).to_be_disabled()
    expect(signed_in.locator("[data-copy-path]")).to_be_enabled()


@pytest.mark.deep
def test_the_marks_of_changes_are_switched_off_and_stay_off(signed_in: Page, site: Site):
    run_with_response(signed_in, site, "'{}'")
    mark = signed_in.locator(".json-line .value-change").first
    expect(mark).to_be_visible()

    signed_in.get_by_role("radio", name="off").check()

    expect(mark).to_be_hidden()
    signed_in.reload()
    expect(signed_in.get_by_role("radio", name="off")).to_be_checked()
    expect(mark).to_be_hidden()


@pytest.mark.deep
def test_the_title_of_a_running_run_s_page_shows_its_end_while_hidden(signed_in: Page):
    signed_in.goto('/tools/count_slowly/try/?parameters={"steps":3,"seconds":3}')
    signed_in.locator("[data-run-button]").click()
    expect(signed_in).to_have_title(re.compile("^Running… "))
    run = signed_in.locator(".result-of-run").get_attribute("id")
    assert run is not None
    signed_in.add_init_script(
        "Object.defineProperty(document, 'hidden', {get: () => !window.isSeen})"
    )

    signed_in.goto(f"/runs/{run.removeprefix('result-')}/")

    expect(signed_in).to_have_title(re.compile("^● Matches"))
    signed_in.evaluate(
        "window.isSeen = true; document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(signed_in).to_have_title(re.compile("^Try count_slowly"))


@pytest.mark.deep
@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1280, "light")])
def test_a_tree_with_hits_and_a_selected_line_is_no_barrier(response: Page, theme: str, width: int):
    response.emulate_media(color_scheme=theme)
    response.set_viewport_size({"width": width, "height": 800})
    response.get_by_label("Search the response").fill("e")

    assert violations(response) == []
    assert response.evaluate("document.documentElement.scrollWidth <= innerWidth")
