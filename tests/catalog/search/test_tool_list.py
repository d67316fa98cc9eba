"""The list of tools: its order, its active filters and its pages."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.tools.models import Tool
from playground.runs.models import Run
from tests.factories import make_tool, properties
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


def names(client, query):
    return texts_of(page(client, f"/tools/{query}"), ".result-name")


def scored(name, score, **spec):
    tool = make_tool(name, **spec)
    Tool.objects.filter(pk=tool.pk).update(score=score)
    return tool


def run(tool):
    Run.objects.create(
        tool=tool,
        revision=tool.current,
        mode="live",
        outcome="returned",
        parameters_json="{}",
        response_json="1",
    )


def test_the_list_is_sorted_by_score_with_unassessed_tools_last(client):
    scored("a", 40)
    scored("b", 95)
    scored("c", None)

    assert names(client, "?sort=score") == ["b", "a", "c"]


def test_the_list_is_sorted_by_the_time_of_the_last_revision(client):
    for name in ("b", "a", "c"):
        make_tool(name)

    assert names(client, "?sort=recent") == ["c", "a", "b"]


def test_the_most_run_tools_come_first_and_the_others_follow_by_name(client):
    tools = {name: make_tool(name) for name in ("a", "b", "c", "d")}
    for name in ("c", "c", "d"):
        run(tools[name])

    assert names(client, "?sort=runs") == ["c", "d", "a", "b"]


@pytest.fixture
def runnable():
    """Tools that a factory is installed for, and others, which come before them by name."""
    for name in ("acronyms", "before", "convert_units", "compare_texts", "other"):
        make_tool(name, description="fruit")
    make_tool("none", description="vegetables")


def test_without_words_the_runnable_tools_come_first(client, runnable):
    in_order = ["compare_texts", "convert_units", "acronyms", "before", "none", "other"]

    assert names(client, "") == in_order[:4]  # of one toolkit
    assert names(client, "?sort=runnable") == in_order
    assert names(client, "?sort=name") == sorted(in_order)
    assert names(client, "?q=fruit&sort=runnable") == [*in_order[:4], "other"]
    assert names(client, "?runnable=0") == in_order[2:]
    assert names(client, "?runnable=1") == in_order[:2]


@pytest.mark.parametrize(
    ("query", "chosen", "others"),
    [
        (
            "",
            "Toolkits",
            ["Runnable first", "Recently published", "Most run", "Lint score", "Name"],
        ),
        (
            "?q=has:parameters&sort=name",
            "Name",
            ["Runnable first", "Recently published", "Most run", "Lint score"],
        ),
        (
            "?q=fruit",
            "Best match",
            ["Runnable first", "Recently published", "Most run", "Lint score", "Name"],
        ),
    ],
)
def test_the_order_is_shown_as_chosen(client, query, chosen, others):
    make_tool("pear", description="fruit", parameters=properties(a={}))
    options = page(client, f"/tools/{query}").css(".results-sort a")
    labels = [one.text(strip=True) for one in options]

    [selected] = [one for one in options if "aria-current" in one.attributes]

    assert selected.text(strip=True) == chosen
    assert [one for one in labels if one != chosen] == others


def test_without_a_query_four_tools_of_each_toolkit_are_shown_the_runnable_ones_first(
    client, runnable
):
    for number in range(5):
        make_tool(f"kit.tool{number}", name=f"tool{number}")

    tree = page(client, "/tools/")

    assert text_of(tree, "h1") == "11 tools in 1 toolkit"
    assert [one.text(strip=True) for one in tree.css(".result-group-head a:first-child")] == [
        "Without a toolkit",
        "kit",
    ]
    assert texts_of(tree, ".result-group-head .result-runs") == ["2 run here", "Mock only"]
    assert texts_of(tree, ".result-name")[4:] == ["tool0", "tool1", "tool2", "tool3"]
    links = [one.attributes["href"] for one in tree.css(".result-group-all")]
    assert links == ["?q=-has%3Atoolkit", "?q=toolkit%3Akit"]
    assert names(client, "?q=-has:toolkit")[:2] == ["compare_texts", "convert_units"]
    assert len(names(client, links[1])) == 5


def test_pages_of_toolkits_have_numbers(client):
    for number in range(12):
        make_tool(f"kit{number:02}.tool")

    second = page(client, "/tools/?page=2")

    assert text_of(second, ".pagination p") == "Toolkits 6 to 10 of 12"
    assert texts_of(second, ".page-number") == ["1", "2", "3"]
    assert text_of(second, ".page-number[aria-current]") == "2"
    assert len(second.css(".result-group")) == 5


def test_groups_take_as_many_queries_however_many_tools_they_have(client):
    make_tool("kit.a")
    with CaptureQueriesContext(connection) as few:
        client.get("/tools/")
    for number in range(9):
        make_tool(f"kit.tool{number}")

    with CaptureQueriesContext(connection) as many:
        client.get("/tools/")

    assert len(many) <= len(few)


def test_a_search_without_a_match_names_the_missing_words_and_shows_the_closest_tools(client):
    make_tool("move_page", description="Moves a page.")

    tree = page(client, "/tools/?q=move+card+in+trello+")

    assert text_of(tree, "h1") == "Nothing for “move card in trello”"
    assert text_of(tree, ".results-note").startswith("No tool mentions card or trello.")
    assert texts_of(tree, ".result-name") == ["move_page"]


def test_the_api_lists_tools_by_name(client, runnable):
    items = client.get("/api/v1/tools").json()["items"]

    assert [one["name"] for one in items] == sorted(one["name"] for one in items)


def test_results_of_words_are_sorted_too(client):
    scored("weather", 40)
    scored("forecast", 90, description="The weather of tomorrow.")
    scored("mail", 99)

    assert names(client, "?q=weather") == ["weather", "forecast"]
    assert names(client, "?q=weather&sort=score") == ["forecast", "weather"]


def test_an_unknown_order_is_the_usual_one(client):
    make_tool("b")
    make_tool("a")

    assert names(client, "?sort=x") == ["a", "b"]


@pytest.mark.parametrize(
    "query",
    [
        "q=-has:toolkit",
        "sort=runnable",
        "sort=name",
        "sort=score",
        "sort=recent",
        "sort=runs",
        "q=fruit",
        "q=fruit&sort=name",
    ],
)
def test_each_page_names_its_rows_and_no_tool_is_on_two(client, query):
    for number in range(45):
        make_tool(f"tool{number:02}", description="fruit")

    first = page(client, f"/tools/?{query}")
    second = page(client, "/tools/" + first.css_first("a[rel=next]").attributes["href"])
    third = page(client, "/tools/" + second.css_first("a[rel=next]").attributes["href"])
    back = page(client, "/tools/" + third.css_first("a[rel=prev]").attributes["href"])

    assert [text_of(one, ".pagination p") for one in (first, second, third, back)] == [
        "1 to 20 of 45",
        "21 to 40 of 45",
        "41 to 45 of 45",
        "21 to 40 of 45",
    ]
    assert (
        len(
            {
                *texts_of(first, ".result-name"),
                *texts_of(second, ".result-name"),
                *texts_of(third, ".result-name"),
            }
        )
        == 45
    )


def test_a_search_that_finds_nothing_offers_to_add_tools(client):
    make_tool("greet")

    tree = page(client, "/tools/?q=zzzzqqq")

    assert text_of(tree, "h1") == "Nothing for “zzzzqqq”"
    assert tree.css_first(".results-note a").attributes["href"] == "/add/"


def test_filters_that_find_nothing_can_be_left_out(client):
    make_tool("greet")

    tree = page(client, "/tools/?q=greet+is:destructive")

    assert text_of(tree, "h1") == "Nothing for “greet”"
    assert tree.css_first(".results-note a").attributes["href"] == "/tools/?q=greet"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads the plan of SQLite")
@pytest.mark.parametrize(
    ("sort", "index"), [("score", "tool_by_score"), ("recent", "tool_by_date")]
)
def test_a_long_list_is_sorted_by_an_index(client, sort, index):
    make_tool("a")
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/tools/?sort={sort}")

    ordered = next(
        query["sql"]
        for query in queries
        if 'ORDER BY "catalog_tool"."score" DESC' in query["sql"]
        or '"updated_at" DESC' in query["sql"]
    )
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {ordered}")
        plan = " ".join(row[3] for row in cursor.fetchall())

    assert index in plan
    assert "TEMP B-TREE" not in plan


def test_tools_without_a_score_follow_on_later_pages(client):
    for number in range(25):
        scored(f"high{number:02}", 90)
        scored(f"none{number:02}", None)

    pages = [page(client, "/tools/?sort=score")]
    for _ in range(2):
        pages.append(
            page(client, "/tools/" + pages[-1].css_first("a[rel=next]").attributes["href"])
        )

    shown = [name for one in pages for name in texts_of(one, ".result-name")]
    assert shown == [f"high{number:02}" for number in range(25)] + [
        f"none{number:02}" for number in range(25)
    ]
