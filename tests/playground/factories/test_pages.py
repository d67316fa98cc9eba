"""The page of factories."""

import json
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from selectolax.lexbor import LexborHTMLParser

from accounts.cell_rate import Rate
from catalog.proposals.models import Proposal
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.history.factory_use import MEDIAN_OF, use_of
from tests.factories import make_tool, make_user
from tests.playground.history.test_pages import text_of, tree_of
from tests.playground.home.test_page import run_of
from tests.playground.runners import TOOLS
from toolspec.errors import GenerationError
from toolspec.spec import read_spec

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture
def staff():
    """A browser of staff."""
    client = Client()
    client.force_login(make_user("grace", is_staff=True))
    return client


def test_the_factories_page_shows_the_tool_of_each_factory(client, builtin):
    builtin("convert_units")

    page = text_of(client.get("/factories/"))

    assert "convert_units" in page
    assert "playground.builtin.convert_units:convert_units" in page


def rows(answer):
    page = LexborHTMLParser(answer.content.decode().replace("<wbr>", ""))
    return [" ".join(row.text(separator=" ").split()) for row in page.css(".factory-list > li")]


def test_broken_factories_come_first_and_each_state_can_be_shown_alone(
    client, own_registry, builtin
):
    builtin("convert_units")
    own_registry(
        "playground.builtin.convert_units:convert_units",
        "missing_dependency:Factory",
        "playground.builtin.missing:tool",
        search_path=[str(TOOLS)],
    )

    everything = rows(client.get("/factories/"))

    words = ("broken", "missing package", "ready", "Network")
    shown = [[word for word in words if word in row] for row in everything]
    assert shown == [["broken"], ["missing package"], []]  # nothing at one that works as all do
    assert "No module named 'playground.builtin.missing'" in everything[0]
    assert everything[0].count("playground.builtin.missing:tool") == 1
    assert "imports a_package_that_nobody_has , which is not installed" in everything[1]
    assert rows(client.get("/factories/?state=broken")) == everything[:1]
    assert rows(client.get("/factories/?state=missing-package")) == everything[1:2]
    assert rows(client.get("/factories/?state=ready")) == everything[2:]
    assert rows(client.get("/factories/?state=unknown")) == everything
    assert "All factories" in text_of(client.get("/factories/?state=new"))


def test_a_factory_that_is_still_being_imported_is_not_broken(client, own_registry):
    own_registry("import_hang:Factory", search_path=[str(TOOLS)], timeout_s=0)

    answer = client.get("/factories/?state=importing")

    [row] = rows(answer)
    assert "not loaded yet" in row
    assert "Reload this page" in row
    assert "cannot be used" not in text_of(answer)


def test_only_staff_see_the_file_of_a_factory_from_elsewhere(client, staff, own_registry):
    own_registry(
        "attack_tool:Factory", "playground.builtin.hash_text:hash_text", search_path=[str(TOOLS)]
    )

    page = text_of(staff.get("/factories/"))

    assert str(TOOLS / "attack_tool.py") in page
    assert "hash_text.py" not in page
    assert "attack_tool.py" not in text_of(client.get("/factories/"))


def test_a_factory_shows_how_its_tool_ran_in_the_last_week(browser, ada, builtin):
    tool = builtin("convert_units")
    run_of(tool, ada, mode="live", call_ms=20)
    run_of(tool, ada, mode="live", call_ms=40, days_ago=6, verdict="violates")
    run_of(tool, ada, mode="live", call_ms=90, days_ago=7)  # too old
    run_of(tool, ada, mode="mock")
    run_of(tool, ada, mode="live", outcome="raised", verdict="", days_ago=2)
    failed = run_of(tool, ada, mode="live", outcome="timed_out", verdict="", days_ago=1)
    run_of(tool, ada, mode="live", outcome="cancelled", verdict="")

    answer = browser.get("/factories/")

    [row] = [row for row in rows(answer) if "convert_units" in row]
    assert "5 runs in the last 7 days, median 20 ms" in row
    assert "2 runs failed, the last timed out" in row
    assert f'href="/runs/{failed.pk}/"' in answer.content.decode()


def test_the_use_is_that_of_runs_that_one_may_see(client, browser, ada, builtin):
    run_of(builtin("convert_units"), make_user("bob"), mode="live", call_ms=20)

    assert "run in the last 7 days" not in text_of(browser.get("/factories/"))
    assert "run in the last 7 days" not in text_of(client.get("/factories/"))


def test_the_median_is_that_of_the_latest_calls_of_each_tool(ada, builtin):
    busy, quiet = builtin("convert_units"), builtin("hash_text")
    run_of(quiet, ada, mode="live", call_ms=7)
    run_of(busy, ada, mode="live", call_ms=500, days_ago=1)
    for _ in range(MEDIAN_OF):
        run_of(busy, ada, mode="live", call_ms=20)

    use = use_of([busy.pk, quiet.pk], ada)

    assert (use[busy.pk].runs, use[busy.pk].median_ms) == (MEDIAN_OF + 1, 20)
    assert (use[quiet.pk].runs, use[quiet.pk].median_ms) == (1, 7)


def test_the_list_needs_as_many_queries_for_two_tools_as_for_one(browser, ada, builtin):
    run_of(builtin("convert_units"), ada, mode="live")
    browser.get("/factories/")
    with CaptureQueriesContext(connection) as of_one:
        browser.get("/factories/")
    run_of(builtin("hash_text"), ada, mode="live")
    browser.get("/factories/")

    with CaptureQueriesContext(connection) as of_two:
        browser.get("/factories/")

    assert len(of_two) == len(of_one)


def test_the_page_for_a_new_factory_finds_tools_that_do_not_run(client, builtin):
    builtin("convert_units")
    make_tool("weather.now", name="get_weather", description="Tells the weather.")
    make_tool("tides", name="get_tides", description="Tells the tides.")

    assert len(rows(client.get("/factories/new/"))) == 2
    answer = client.get("/factories/new/?q=weather")
    [row] = rows(answer)
    assert "get_weather" in row
    link = tree_of(answer).css_first(".factory-actions a").attributes["href"]
    assert "Add a factory for get_weather" in text_of(client.get(f"/factories/new/{link}"), "h1")
    assert "Every tool that matches “units” has a factory." in text_of(
        client.get("/factories/new/?q=units")
    )


def test_the_page_for_a_tool_shows_the_method_to_write_and_its_entry_point(client):
    make_tool("weather.now", name="get_weather")

    answer = client.get("/factories/new/?tool=weather.now")

    assert 'raise NotImplementedError("Implement WeatherNowTool.call")' in text_of(
        answer, "#skeleton-code"
    )
    entry_point = 'weather_now_tool = "weather_now_tool.tool:WeatherNowToolFactory"'
    assert (
        text_of(answer, "#skeleton-entry-point")
        == f'[project.entry-points."toolshelf.factories"] {entry_point}'
    )
    download = tree_of(answer).css_first("main a[download]").attributes["href"]
    assert client.get(download).headers["Content-Type"] == "application/zip"


@pytest.mark.parametrize("path", ["/tools/weather.now/", "/tools/weather.now/try/"])
def test_the_pages_of_a_tool_without_a_factory_lead_to_adding_one(client, path):
    make_tool("weather.now")

    page = tree_of(client.get(path))

    assert page.css_first('main a[href="/factories/new/?tool=weather.now"]') is not None


def test_a_tool_that_runs_here_names_its_factory(client, builtin):
    builtin("convert_units")

    assert "convert_units has a factory already" in text_of(
        client.get("/factories/new/?tool=convert_units")
    )


def test_a_spec_that_is_too_large_for_a_package_says_so(client, monkeypatch):
    make_tool("weather.now")
    monkeypatch.setattr(
        "playground.factories.views.project_of",
        Mock(side_effect=GenerationError("It is too deep.")),
    )

    page = text_of(client.get("/factories/new/?tool=weather.now"))

    assert "No package can be generated It is too deep." in page
    assert "From an empty file" in page


def test_an_unknown_tool_has_no_page_for_its_factory(client):
    assert client.get("/factories/new/?tool=nothing").status_code == 404


# -- new factories ----------------------------------------------------------------------------------------------------


def test_a_press_finds_a_factory_that_was_installed_meanwhile(staff, later_factory):
    assert "later" not in text_of(staff.get("/factories/"))
    later_factory.install()

    answer = staff.post("/factories/", follow=True)

    assert "1 new factory was found: later (later-tools 1.0)." in text_of(answer)
    assert "later_tools:F" in text_of(answer)


def test_a_press_that_finds_nothing_says_so(staff, later_factory):
    assert "No new factories were found." in text_of(staff.post("/factories/", follow=True))


def test_a_factory_that_was_uninstalled_is_gone_after_a_press(staff, later_factory):
    later_factory.install()
    staff.post("/factories/")
    later_factory.uninstall()

    assert "later_tools:F" not in text_of(staff.post("/factories/", follow=True))


def test_only_staff_see_the_button(client, browser, staff):
    assert "Reload installed packages" in text_of(staff.get("/factories/"), ".page-actions")
    for other in (client, browser):
        assert "Reload installed packages" not in text_of(other.get("/factories/"), ".page-header")


# -- the specs that factories have themselves -------------------------------------------------------------------------

SPEC = "/factories/own_specs:PricedFactory/spec/"


@pytest.fixture
def published(own_specs):
    """Publish another spec for the tool `priced` than its factory has."""
    definition = {"name": "priced", "description": "Old words.", "parameters": {"type": "object"}}
    return publish(read_spec(json.dumps({"definition": definition})), by=None).tool


def form_value(answer):
    return tree_of(answer).css_first("input[name=sha256]").attributes["value"]


def test_a_factory_without_a_spec_in_the_catalog_can_be_published_in_one_press(
    browser, ada, own_specs
):
    page = browser.get("/factories/")
    assert "not in the catalog yet" in text_of(page)
    assert SPEC in page.content.decode()

    preview = browser.get(SPEC)
    done = browser.post(SPEC, {"sha256": form_value(preview)}, follow=True)

    assert '"cents"' in text_of(preview)
    assert "The spec of priced is published as revision 1." in text_of(done)
    tool = Tool.objects.get()
    assert (tool.tool_id, tool.owner, tool.description) == ("priced", ada, "What an order costs.")
    assert "There is nothing to publish." in text_of(browser.get(SPEC))


def test_where_the_definitions_differ_both_pages_say_where(client, published):
    for address in ("/factories/", "/tools/priced/"):
        page = text_of(client.get(address))
        assert "breaking" in page
        assert "parameters · " in page
        assert SPEC in client.get(address).content.decode()


def test_the_preview_shows_meaning_lint_and_text_and_publishes_the_next_revision(
    browser, published
):
    preview = browser.get(SPEC)

    page = text_of(preview)
    assert "differs from revision 1 of priced" in page
    assert all(title in page for title in ("Impact", "Findings", "Text", "Publish as revision 2"))

    browser.post(SPEC, {"sha256": form_value(preview)})

    assert Tool.objects.get().current.number == 2
    assert "The spec of the installed factory differs" not in text_of(browser.get("/tools/priced/"))


def test_a_tool_that_agrees_with_its_factory_has_no_notice(client, builtin):
    builtin("hash_text")

    assert "The spec of the installed factory differs" not in text_of(
        client.get("/tools/hash_text/")
    )


def test_publishing_needs_an_account(client, published):
    assert "Sign in to publish" in text_of(client.get(SPEC))

    assert client.post(SPEC, {"sha256": "0"})["Location"].startswith("/sign-in/")
    assert Tool.objects.get().current.number == 1


def test_the_spec_of_somebody_elses_tool_is_proposed_to_its_owner(browser, ada, published):
    published.owner = make_user("grace")
    published.save()

    preview = browser.get(SPEC)
    done = browser.post(SPEC, {"sha256": form_value(preview)}, follow=True)

    assert "Propose" in text_of(preview)
    assert "Publish as revision" not in text_of(preview)
    assert "The spec is in review." in text_of(done)
    held = Proposal.objects.get()
    assert (held.tool_id, held.proposed_by) == ("priced", ada)
    assert Tool.objects.get().current.number == 1
    assert "Your proposal is in review" in text_of(browser.get(SPEC), "body")


def test_nothing_but_the_text_that_was_shown_is_published(browser, published):
    answer = browser.post(SPEC, {"sha256": "0" * 64})

    assert answer.status_code == 422
    assert "has changed since you opened this page" in text_of(answer)
    assert Tool.objects.get().current.number == 1


def test_a_spec_that_is_not_valid_cannot_be_published(browser, own_specs):
    address = "/factories/own_specs:InvalidFactory/spec/"

    page, answer = browser.get(address), browser.post(address)

    assert "produces a spec that is not valid" in text_of(page)
    assert "/definition/parameters/type" in text_of(page)
    assert answer.status_code == 422
    assert not Tool.objects.exists()


def test_a_factory_without_a_spec_says_why(browser, own_specs):
    address = "/factories/own_specs:UndescribedFactory/spec/"

    assert "has no description" in text_of(browser.get(address))
    assert browser.post(address).status_code == 422
    assert "has no description" in text_of(browser.get("/factories/"))


def test_too_many_uploads_are_refused(browser, own_specs, settings):
    settings.UPLOAD_RATE = Rate(1, 600)
    sha256 = form_value(browser.get(SPEC))
    browser.post(SPEC, {"sha256": "0"})

    answer = browser.post(SPEC, {"sha256": sha256})

    assert answer.status_code == 429
    assert answer["Retry-After"]
    assert not Tool.objects.exists()


@pytest.mark.parametrize("name", ["nowhere:F", "own_specs", "a/b", "%00"])
def test_an_unknown_factory_is_not_found(client, own_specs, name):
    assert client.get(f"/factories/{name}/spec/").status_code in {400, 404}
