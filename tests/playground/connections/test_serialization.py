"""Parameters as text, as the tables of OpenAPI 3.1.1 ("Style Examples") write them."""

import pytest

from playground.connections.security import Credentials
from tests.playground.connections.test_request import parameter, request_for, url_for

ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


def path_of(value, **declared):
    """The last segment of the path in which `value` is sent."""
    operation = {"parameters": [parameter("color", "path", {}, required=True, **declared)]}
    return url_for(operation, {"color": value}, path="/things/{color}").rpartition("/")[2]


def query_of(value, *, name="color", **declared):
    """The query in which `value` is sent."""
    operation = {"parameters": [parameter(name, "query", {}, **declared)]}
    return url_for(operation, {name: value}).partition("?")[2]


def query_of_swagger(value, collection_format):
    declared = {"name": "color", "in": "query", "type": "array", "items": {"type": "string"}}
    operation = {"parameters": [declared | {"collectionFormat": collection_format}]}
    return url_for(operation, {"color": value}, version="2.0").partition("?")[2]


def header_of(value, **declared):
    request = request_for(
        {"parameters": [parameter("X-Color", "header", {}, **declared)]}, {"X-Color": value}
    )
    return dict(request.headers_with(Credentials()))["X-Color"]


@pytest.mark.parametrize(
    ("name", "explode", "string", "array", "object_"),
    [
        ("simple", False, "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("simple", True, "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("label", False, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("label", True, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("matrix", False, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        (
            "matrix",
            True,
            ";color=blue",
            ";color=blue;color=black;color=brown",
            ";R=100;G=200;B=150",
        ),
    ],
)
def test_styles_of_a_path(name, explode, string, array, object_):
    assert [path_of(value, style=name, explode=explode) for value in ("blue", ARRAY, OBJECT)] == [
        string,
        array,
        object_,
    ]


@pytest.mark.parametrize(
    ("wire", "array", "object_"),
    [
        ({}, "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ({"explode": False}, "color=blue,black,brown", "color=R,100,G,200,B,150"),
        (
            {"style": "spaceDelimited"},
            "color=blue%20black%20brown",
            "color=R%20100%20G%20200%20B%20150",
        ),
        (
            {"style": "pipeDelimited"},
            "color=blue%7Cblack%7Cbrown",
            "color=R%7C100%7CG%7C200%7CB%7C150",
        ),
        (
            {"style": "spaceDelimited", "explode": True},
            "color=blue&color=black&color=brown",
            "R=100&G=200&B=150",
        ),
        (
            {"style": "deepObject", "explode": True},
            "color=blue&color=black&color=brown",
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
        ),
    ],
)
def test_styles_of_a_query(wire, array, object_):
    assert [query_of(value, **wire) for value in (ARRAY, OBJECT)] == [array, object_]


@pytest.mark.parametrize(
    ("collection_format", "query"),
    [
        ("csv", "color=blue,black,brown"),
        ("ssv", "color=blue%20black%20brown"),
        ("tsv", "color=blue%09black%09brown"),
        ("pipes", "color=blue%7Cblack%7Cbrown"),
        ("multi", "color=blue&color=black&color=brown"),
    ],
)
def test_formats_of_collections_in_swagger(collection_format, query):
    assert query_of_swagger(ARRAY, collection_format) == query


def test_deep_objects_may_be_nested():
    value = {"a": {"b": 1}, "c": [1, 2], "d": None}

    query = query_of(value, style="deepObject")

    assert query == "color%5Ba%5D%5Bb%5D=1&color%5Bc%5D=1&color%5Bc%5D=2"


@pytest.mark.parametrize("value", [None, [], {}])
def test_undefined_values_are_not_sent(value):
    assert query_of(value) == ""


def test_values_are_escaped():
    assert query_of("1&2=3/é", name="a b") == "a%20b=1%262%3D3%2F%C3%A9"
    assert path_of("a/b ?") == "a%2Fb%20%3F"


def test_reserved_characters_are_not_escaped_where_the_document_allows_it():
    query = query_of("https://x.example/?a=1&b#c", allowReserved=True)

    assert query == "color=https://x.example/?a%3D1%26b%23c"


def test_numbers_and_booleans_are_written_as_in_json():
    assert query_of([True, 1.5, None, 10**20], explode=False) == "color=true,1.5,null,1" + "0" * 20


def test_headers_are_not_escaped():
    assert header_of(["a b", "c/d"]) == "a b,c/d"
    assert header_of({"R": 100}, explode=True) == "R=100"
