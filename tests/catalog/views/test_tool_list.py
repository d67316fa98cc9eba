"""The list of tools: its order, its active filters and its pages."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from selectolax.lexbor import LexborHTMLParser

from catalog.models import Tool
from playground.models import Run
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

    assert names(client, "") == in_order
    assert names(client, "?sort=runnable") == in_order
    assert names(client, "?sort=name") == sorted(in_order)
    assert names(client, "?q=fruit&sort=runnable") == [*in_order[:4], "other"]
    assert names(client, "?runnable=0") == in_order[2:]
    assert names(client, "?runnable=1") == in_order[:2]


@pytest.mark.parametrize(
    ("query", "chosen", "others"),
    [
        ("", "Runnable first", ["Recently published", "Most run", "Lint score", "Name"]),
        ("?sort=name", "Name", ["Runnable first", "Recently published", "Most run", "Lint score"]),
        (
            "?q=fruit",
            "Relevance",
            ["Runnable first", "Recently published", "Most run", "Lint score", "Name"],
        ),
    ],
)
def test_the_order_is_shown_as_chosen(client, query, chosen, others):
    options = page(client, f"/tools/{query}").css("select[name=sort] option:not([hidden])")
    found = [one.text(strip=True) for one in options]

    [selected] = [one for one in options if "selected" in one.attributes]
    assert selected.text(strip=True) == chosen
    assert [one for one in found if one != chosen] == others


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
        "",
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


def test_each_active_filter_can_be_removed_alone(client):
    make_tool("acme.greet", examples=[{}])

    tree = page(client, "/tools/?q=greet&examples=1&toolkit=acme&sort=name")

    assert {
        link.text(strip=True): link.attributes["href"] for link in tree.css(".active-filter")
    } == {
        "Remove the filter“greet”": "?q=has%3Aexamples+toolkit%3Aacme&sort=name",
        "Remove the filterhas:examples": "?q=toolkit%3Aacme+greet&sort=name",
        "Remove the filtertoolkit:acme": "?q=has%3Aexamples+greet&sort=name",
    }
    assert tree.css_first(".active-filters-clear").attributes["href"] == "/tools/"


def test_filters_without_tools_are_folded(client):
    make_tool("greet")

    tree = page(client, "/tools/?q=zzzzqqq")

    assert text_of(tree, ".empty-title") == "No tools match “zzzzqqq”"
    assert tree.css(".facet:not(.facet-empty) .facet-link.is-empty") == []
    assert len(tree.css(".facet-empty .facet-link")) > 10


def test_a_row_shows_only_what_differs_from_most_tools(client):
    make_tool("greet", examples=[{}], returns={"type": "string"})
    make_tool("greet", examples=[{}], returns={"type": "integer"})

    assert texts_of(page(client, "/tools/"), ".result .chip") == []


def preview(client, tool):
    response = client.get(f"/tools/{tool.slug}/preview/", headers={"HX-Request": "true"})
    assert response.status_code == 200
    return LexborHTMLParser(response.content)


def test_the_preview_of_a_tool_shows_its_description_parameters_and_state(client):
    tool = make_tool(
        "acme.convert",
        name="convert",
        description="Converts *units*.",
        parameters={
            **properties(value={"type": "number", "description": "How much."}, to={}),
            "required": ["value"],
        },
        configuration={**properties(apiKey={"type": "string"}), "required": ["apiKey"]},
        examples=[{"parameters": {"value": 1}}],
    )

    shown = preview(client, tool)

    assert shown.css_first("h2 a").attributes["href"] == "/tools/acme.convert/"
    assert shown.css_first("em").text() == "units"
    assert [one.text(strip=True) for one in shown.css(".property-name")] == [
        "value",
        "to",
        "apiKey",
    ]
    assert text_of(shown, ".tool-preview-property") == "value number required How much."
    assert [one.text(strip=True) for one in shown.css(".chip")] == [
        "Mock only",
        "Needs configuration",
    ]
    assert text_of(shown, ".tool-preview-numbers").startswith("Tests 1 Changes 1")


def test_the_preview_follows_the_tool(client):
    tool = make_tool("greet")
    assert "No parameters." in preview(client, tool).text()

    make_tool("greet", parameters=properties(who={}))

    assert [one.text(strip=True) for one in preview(client, tool).css(".property-name")] == ["who"]


def test_the_address_of_a_preview_leads_to_the_tool_in_a_browser(client):
    make_tool("greet")

    assert client.get("/tools/greet/preview/").headers["Location"] == "/tools/greet/"


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
