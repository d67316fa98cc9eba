"""The header that all pages of a tool share."""

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.organise.lifecycle import deprecate
from catalog.tools.models import Tool
from playground.runs.models import Run
from tests.factories import make_tool, make_user
from tests.pages import texts_of

pytestmark = pytest.mark.django_db

PAGES = {
    "/tools/greet/": "Docs",
    "/tools/greet/similar/": "Docs",
    "/tools/greet/try/": "Try",
    "/tools/greet/tests/": "Tests",
    "/tools/greet/changes/": "Changes",
    "/tools/greet/changes/1..2/": "Changes",
    "/tools/greet/lint/": "Docs",
    "/tools/greet/lint/changes/": "Docs",
    "/tools/greet/formats/spec/": "Formats",
    "/tools/greet/formats/": "Formats",
    "/tools/greet/formats/openai/": "Formats",
    "/tools/greet/formats/python/": "Formats",
}


@pytest.fixture
def greet(ada):
    make_tool("greet")
    tool = make_tool("greet", parameters={"type": "object"}, examples=[{"parameters": {}}])
    tool.owner = ada
    tool.save()
    return tool


@pytest.fixture
def other_browser():
    client = Client()
    client.force_login(make_user("grace"))
    return client


def header(browser, path):
    answer = browser.get(path)
    assert answer.status_code == 200
    return HTMLParser(answer.content).css_first(".tool-head")


def tabs(head):
    return {link.text().split()[0]: link for link in head.css(".tool-tabs a")}


@pytest.mark.parametrize(("path", "label"), PAGES.items())
def test_each_page_of_a_tool_has_the_header_with_its_tab_marked(client, greet, path, label):
    head = header(client, path)

    assert texts_of(head, "h1") == [greet.name]
    assert [name for name, link in tabs(head).items() if "aria-current" in link.attributes] == [
        label
    ]


@pytest.mark.parametrize("path", PAGES)
def test_a_preview_of_a_link_to_any_of_its_pages_describes_the_tool(client, greet, path):
    answer = client.get(path)

    assert HTMLParser(answer.content).css_first("meta[name=description]").attributes[
        "content"
    ].strip() == ("Does something.")


def test_the_settings_of_a_tool_have_the_header_without_a_tab_of_their_own(browser, greet):
    head = header(browser, "/tools/greet/settings/")

    assert head.css("[aria-current]") == []


def test_the_tabs_have_numbers(client, greet):
    shown = {
        name: " ".join(link.text().split())
        for name, link in tabs(header(client, "/tools/greet/")).items()
    }

    assert shown["Tests"] == "Tests 1"
    assert shown["Changes"] == "Changes 2"
    assert shown["Formats"] == "Formats"


def facts(head):
    return {
        " ".join(fact.text().split()): link.attributes["href"] if link else ""
        for fact in head.css(".tool-head-facts li")
        for link in [fact.css_first("a")]
    }


def test_the_facts_lead_to_the_pages_that_say_more(client, greet):
    Tool.objects.update(score=93, usable_formats="openai gemini", toolkit="my kit")

    assert facts(header(client, "/tools/greet/")) == {
        "my kit": "/tools/?toolkit=my+kit",
        "no parameters": "",
        "works unchanged in 2 of 8 formats": "/tools/greet/formats/",
        "lint score 93": "/tools/greet/lint/",
    }


@pytest.mark.parametrize(
    ("parameters", "fact"),
    [
        (None, "no parameters"),
        ({"type": "object", "properties": {"a": {}, "b": {}}}, "2 parameters, none required"),
        ({"properties": {"a": {}}, "required": ["a", "b"]}, "1 of 1 parameter required"),
    ],
)
def test_a_fact_counts_the_required_parameters(client, parameters, fact):
    make_tool("counted", **({"parameters": parameters} if parameters else {}))

    assert fact in facts(header(client, "/tools/counted/"))


def test_no_fact_counts_parameters_that_the_schema_describes_elsewhere(client):
    make_tool("counted", parameters={"allOf": [{"properties": {"a": {}}}]})

    assert not any("parameter" in fact for fact in facts(header(client, "/tools/counted/")))


def test_a_tool_without_findings_or_an_assessment_says_so_or_nothing(client, greet):
    Tool.objects.update(score=100)
    fine = facts(header(client, "/tools/greet/"))
    Tool.objects.update(score=None)

    assert "no findings" in fine
    assert list(facts(header(client, "/tools/greet/"))) == ["no parameters"]


def test_only_runs_that_the_person_may_see_are_counted(client, browser, other_browser, greet, ada):
    Run.objects.create(tool=greet, revision=greet.current, by=ada, mode="mock", outcome="returned")

    own = tabs(header(browser, "/tools/greet/"))["Runs"].text().split()
    of_others = tabs(header(other_browser, "/tools/greet/"))["Runs"].text().split()
    of_visitors = tabs(header(client, "/tools/greet/"))["Runs"].text().split()

    assert own == ["Runs", "1"]
    assert of_others == ["Runs"]
    assert of_visitors == ["Runs"]


def test_the_runs_of_a_tool_have_its_header(browser, greet):
    head = header(browser, f"/runs/?tool={greet.slug}")

    assert tabs(head)["Runs"].attributes["aria-current"] == "true"


def test_many_runs_are_not_all_counted(browser, greet, ada):
    Run.objects.bulk_create(
        Run(tool=greet, revision=greet.current, by=ada, mode="mock", outcome="returned")
        for _ in range(120)
    )

    assert tabs(header(browser, "/tools/greet/"))["Runs"].text().split() == ["Runs", "99+"]


def test_the_header_names_what_differs_from_the_rule(client, greet):
    deprecate(greet)

    assert texts_of(header(client, "/tools/greet/"), ".chip") == ["Deprecated", "Mock only"]


def test_settings_are_offered_to_those_who_may_change_them(client, browser, other_browser, greet):
    assert "Settings" in texts_of(header(browser, "/tools/greet/"), ".menu-item")
    assert "Settings" not in texts_of(header(other_browser, "/tools/greet/"), ".menu-item")
    assert "Settings" not in texts_of(header(client, "/tools/greet/"), ".menu-item")


def test_the_header_of_an_archived_tool_says_so(browser, greet):
    browser.post("/tools/greet/settings/", {"section": "archive"})

    head = header(browser, "/tools/greet/lint/")

    assert "Archived" in texts_of(head, ".chip")
