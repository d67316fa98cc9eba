"""Programs find tools: queries, facets, pages of results."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator

from catalog.search.schemas import ToolsOut
from catalog.tools.hooks import hooks
from catalog.tools.publishing import publish
from tests.catalog.answers import assert_problem, ids
from tests.factories import make_spec, make_tool, make_user, properties

pytestmark = pytest.mark.django_db


def test_the_number_of_queries_does_not_depend_on_the_number_of_results(stranger):
    make_tool("find_fruit", description="Finds fruit.")
    for number in range(9):
        make_tool(f"wash{number}", description="Washes vegetables.")
    stranger.ask("/tools", q="anything")  # loads what processes load once

    with CaptureQueriesContext(connection) as of_one:
        assert len(ids(stranger.ask("/tools", q="fruit"))) == 1
    with CaptureQueriesContext(connection) as of_nine:
        assert len(ids(stranger.ask("/tools", q="vegetables"))) == 9

    assert len(of_nine) == len(of_one)


def test_anyone_can_search(stranger):
    make_tool("greet", description="Says hello.", parameters=properties(who={"type": "string"}))

    answer = stranger.ask("/tools", q="hello who")

    assert answer.status_code == 200
    [item] = answer.json()["items"]
    assert item | {"created_at": "", "updated_at": ""} == {
        "id": "greet",
        "slug": "greet",
        "name": "greet",
        "description": "Says hello.",
        "revision": 1,
        "runnable": False,
        "configurable": False,
        "examples": False,
        "returns": False,
        "archived": False,
        "score": 87,
        "usable": [
            "mcp",
            "mcp-2026-07-28",
            "openai",
            "anthropic",
            "gemini",
            "langchain",
            "openapi",
        ],
        "owner": None,
        "toolkit": "",
        "tags": [],
        "deprecation": None,
        "created_at": "",
        "updated_at": "",
        "matched": [
            {"field": "description", "parameter": None, "text": "Says hello.", "marks": [[5, 10]]},
            {"field": "parameter", "parameter": "who", "text": "who", "marks": [[0, 3]]},
        ],
        "exact": True,
    }
    assert answer.json() | {"items": []} == {
        "items": [], "next": None, "count": 1, "count_is_exact": True, "match": "all", "problems": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"q": "hello"},
        {"q": "hello who", "limit": "1"},
        {"q": "person"},
        {"id": "greet"},
        {"id": "nobody"},
    ],
)
def test_what_is_found_has_the_shape_that_is_documented(stranger, query):
    make_tool(
        "greet",
        description="Says hello.",
        tags=["mail"],
        deprecated=True,
        configuration={"type": "object"},
    )
    make_tool(
        "wave",
        description="hello",
        parameters=properties(who={"type": "string", "description": "The person."}),
    )

    found = stranger.ask("/tools", **query).json()

    documented = ToolsOut.model_json_schema(mode="serialization")
    for shape in (documented, *documented["$defs"].values()):
        shape |= {"additionalProperties": False, "required": list(shape["properties"])}
    Draft202012Validator(documented).validate(found)
    for item in found["items"]:
        assert {
            datetime.fromisoformat(item[name]).tzinfo for name in ("created_at", "updated_at")
        } == {UTC}


def test_a_tool_is_the_same_in_a_search_as_by_itself(stranger):
    publish(make_spec("wave"), by=make_user("ada"))
    make_tool("greet", tags=["mail"], deprecated=True)

    for item in stranger.ask("/tools").json()["items"]:
        tool = stranger.ask(f"/tools/{item['slug']}").json()
        assert {name: tool[name] for name in tool if name not in {"sha256", "spec"}} == {
            name: item[name] for name in item if name not in {"matched", "exact"}
        }


def test_a_tool_is_looked_up_by_its_exact_id(stranger):
    make_tool("Get weather")
    make_tool("get weather")

    assert ids(stranger.ask("/tools", id="Get weather")) == ["Get weather"]
    assert ids(stranger.ask("/tools", id="nobody")) == []


def test_facets_of_the_api_are_those_of_the_page(stranger, monkeypatch):
    make_tool("a", configuration={}, returnType={"type": "string"})
    make_tool("b", examples=[{}])
    make_tool("c", archived=True)
    for name in ("runnable_tool_ids", "installed_tool_ids"):
        monkeypatch.setattr(hooks, name, lambda: frozenset({"a"}))

    assert ids(stranger.ask("/tools")) == ["a", "b"]
    assert ids(stranger.ask("/tools", configurable=1)) == ["a"]
    assert ids(stranger.ask("/tools", runnable="true")) == ["a"]
    assert ids(stranger.ask("/tools", runnable=0)) == ["b"]
    assert ids(stranger.ask("/tools", examples="yes")) == ["b"]
    assert ids(stranger.ask("/tools", returns=1)) == ["a"]
    assert ids(stranger.ask("/tools", include="archived")) == ["a", "b", "c"]
    assert ids(
        stranger.ask("/tools", runnable="", configurable="", include="", cursor="", q="")
    ) == ["a", "b"]


@pytest.mark.parametrize("words", ["", "fruit"])
def test_the_cursor_leads_to_the_next_page_and_the_last_has_none(stranger, words):
    for number in range(5):
        make_tool(f"fruit {number}")

    first = stranger.ask("/tools", q=words, limit=3)
    second = stranger.ask("/tools", q=words, limit=3, cursor=first.json()["next"])

    assert sorted(ids(first) + ids(second)) == [f"fruit {number}" for number in range(5)]
    assert second.json()["next"] is None


@pytest.mark.parametrize(
    "query",
    ["limit=-1", "limit=0", "limit=101", "limit=99999999", "limit=abc", "limit=" + "9" * 5000, "limit=1.5",
     "cursor=x", "cursor=WyJhbGwiXQ", "runnable=maybe", "include=everything"],
)  # fmt: skip
def test_a_wrong_query_is_answered_with_422_and_its_parameter(stranger, query):
    body = assert_problem(stranger.get(f"/api/v1/tools?{query}"), 422)

    assert body["errors"][0]["pointer"] == "/" + query.partition("=")[0]


@pytest.mark.parametrize(
    "query",
    ["q=%ED%A0%80", "q=%5E", "q='%20OR%201=1--", "q=" + "a" * 6000, "q=" + "%25" * 1000, "q=a&q=b", "q=%20%20"],
)  # fmt: skip
def test_a_strange_query_does_no_harm(stranger, query):
    for path in ("/api/v1/tools", "/tools/"):
        assert stranger.get(f"{path}?{query}").status_code == 200


@pytest.mark.parametrize(
    ("query", "unknown"),
    [("q=a&q[]=c", "q[]"), ("sort=__class__", "sort"), ("owner__password__startswith=p", "owner__password__startswith"),
     ("page=NaN", "page"), ("offset=-1", "offset"), ("&".join(f"p{n}=1" for n in range(500)), "p0")],
)  # fmt: skip
def test_a_query_with_an_unknown_parameter_is_refused_by_the_api_and_ignored_by_the_page(
    stranger, query, unknown
):
    body = assert_problem(stranger.get(f"/api/v1/tools?{query}"), 422, "request.extra_forbidden")

    assert body["errors"][0]["pointer"] == f"/{unknown}"
    assert f"'{unknown}' is unknown; this operation takes 'q', " in body["detail"]
    assert len(body["errors"]) <= 10
    assert stranger.get(f"/tools/?{query}").status_code == 200


def test_a_nul_in_an_address_is_refused(stranger):
    for path in ("/api/v1/tools", "/tools/"):
        assert stranger.get(f"{path}?q=a%00b").status_code == 400
