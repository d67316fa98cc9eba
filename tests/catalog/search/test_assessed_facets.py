"""Filters by the assessment: the score and the formats that accept a tool unchanged; and by passing examples."""

import pytest
from django.utils import timezone

from catalog.management.queries import tools_of_query
from catalog.search.catalog_search import CatalogSearch
from catalog.search.facets import facets_of
from catalog.tools.hooks import hooks
from catalog.tools.models import Tool
from playground.examples.models import ExampleCheck
from tests.catalog.tools.test_assessments import GOOD, bulk
from tests.factories import make_tool
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalog_tools():
    """A good tool, one with an unportable name, one without a description, and one that is not assessed yet."""
    make_tool("good", **GOOD)
    make_tool("odd", **{**GOOD, "name": "Get weather"})
    make_tool("bad", **{**GOOD, "description": "", "name": "other"})
    bulk("new", **{**GOOD, "description": "Weather, not assessed yet."})


def ids(program, **query):
    return {tool["id"] for tool in program.ask("/tools", **query).json()["items"]}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"usable": "openai"}, {"good", "bad"}),
        ({"usable": "openapi"}, {"good", "bad"}),
        ({"usable": ["openai", "gemini"]}, {"good", "bad"}),
        ({"usable": "openai-strict"}, set()),
        ({"grade": "90"}, {"good", "odd"}),
        ({"grade": "70"}, {"bad"}),
        ({"grade": "0"}, set()),
        ({"score": 96}, {"good"}),
        ({"score": 70}, {"good", "odd", "bad"}),
        ({"score": 0}, {"good", "odd", "bad"}),
        ({"score": 95, "usable": "mcp"}, {"good"}),
    ],
)
@pytest.mark.parametrize("words", ["", "city"])
def test_tools_are_filtered_by_score_and_format_with_and_without_words(
    catalog_tools, stranger, query, found, words
):
    assert ids(stranger, q=words, **query) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("usable:openai", {"good", "bad"}),
        ("-usable:openai", {"odd", "new"}),
        ("score:90", {"good", "odd"}),
        ("score:71 city", {"good", "odd"}),
        ("score:100", {"good"}),
        ("-score:90", {"bad", "new"}),
        ("is:assessed", {"good", "odd", "bad"}),
        ("-is:assessed", {"new"}),
        ("score:90 usable:gemini city", {"good"}),
    ],
)
def test_scores_and_formats_are_conditions_of_the_query_language(
    catalog_tools, stranger, words, found
):
    assert ids(stranger, q=words) == found
    assert {tool.tool_id for tool in tools_of_query(words)} == found


@pytest.mark.parametrize(
    "words", ["score:", "score:101", "score:x", "usable:nothing", "examples:no"]
)
def test_an_invalid_condition_is_reported_and_ignored(catalog_tools, client, words):
    tree = page(client, f"/tools/?q={words}")

    assert tree.css(".results-note") or words == "score:"


@pytest.mark.parametrize(
    "query", [{"usable": "nothing"}, {"score": 101}, {"score": "x"}, {"grade": "80"}, {"score": -1}]
)
def test_an_invalid_parameter_is_refused(stranger, query):
    assert stranger.ask("/tools", **query).status_code == 422


def test_invalid_values_in_a_url_are_ignored(catalog_tools, client):
    tree = page(client, "/tools/?usable=nothing&grade=80&score=1000")

    assert text_of(tree, "h1") == "4 tools"


def test_facets_count_the_tools_of_each_choice_and_the_unassessed_ones(catalog_tools, client):
    facets = {facet.label: facet for facet in facets_of(CatalogSearch())}

    usable = {option.label: option.count for option in facets["Works unchanged in"].options}
    assert usable["OpenAI"] == 2
    assert "OpenAI strict" not in usable
    assert [(option.label, option.count) for option in facets["Lint score"].options] == [
        ("Below 80", 1)
    ]
    assert facets["Lint score"].note == "1 not assessed yet"
    assert (facets["Lint score"].more, facets["Lint score"].more_label) == (
        "/lint/",
        "Findings by rule",
    )
    assert "1 not assessed yet" in texts_of(page(client, "/tools/"), ".facet-note")


def test_facets_count_only_tools_that_match_the_words(catalog_tools):
    facets = {facet.label: facet for facet in facets_of(CatalogSearch(words="city"))}

    assert [option.count for option in facets["Lint score"].options] == [1]


def test_the_link_of_a_chosen_option_removes_it(catalog_tools, client):
    tree = page(client, "/tools/?grade=90&usable=openai")

    assert len(tree.css(".result")) == 1
    chosen = [link.attributes["href"] for link in tree.css(".facet-link[aria-current]")]
    assert chosen == ["?q=score%3A%3E%3D90"]


def test_the_api_returns_the_score_and_formats_of_a_tool(catalog_tools, stranger):
    good, new = stranger.ask("/tools/good").json(), stranger.ask("/tools/new").json()

    assert (good["score"], new["score"], new["usable"]) == (100, None, [])
    assert "openai" in good["usable"]
    assert stranger.ask("/tools/good/revisions").json()["items"][0]["score"] == 100
    assert stranger.ask("/tools/new/revisions").json()["items"][0]["score"] is None


# -- examples ---------------------------------------------------------------------------------------------------------


def check(tool, *, passed=1, failed=0, ended=True):
    now = timezone.now() if ended else None
    return ExampleCheck.objects.create(
        tool=tool, revision=tool.current, passed=passed, failed=failed, finished_at=now
    )


def test_tools_are_filtered_by_passing_examples(catalog_tools, stranger, client):
    check(Tool.objects.get(tool_id="good"))
    check(Tool.objects.get(tool_id="odd"), failed=1)

    assert ids(stranger, examples_hold=True) == ids(stranger, q="examples:pass") == {"good"}
    assert ids(stranger, examples_pass=True, q="city") == {"good"}
    assert (
        ids(stranger, examples_pass=False)
        == ids(stranger, q="-examples:pass")
        == {"odd", "bad", "new"}
    )
    assert "Tests that pass 1" in texts_of(page(client, "/tools/"), ".facet-link")


def test_only_the_last_finished_check_counts():
    tool = make_tool("a", **GOOD)
    check(tool, failed=1)
    assert hooks.tools_with_passing_examples() == set()

    check(tool)
    check(tool, passed=0, ended=False)
    assert hooks.tools_with_passing_examples() == {tool.pk}

    check(tool, failed=1)
    assert hooks.tools_with_passing_examples() == set()


def test_a_check_of_an_earlier_revision_does_not_count():
    tool = make_tool("a", **GOOD)
    check(tool)

    make_tool("a", **{**GOOD, "description": "Other words, and enough of them."})

    assert hooks.tools_with_passing_examples() == set()


def test_a_check_without_examples_does_not_count():
    tool = make_tool("a", **GOOD)
    check(tool, passed=0)

    assert hooks.tools_with_passing_examples() == set()
