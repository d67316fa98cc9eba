"""Parameters as text, as the tables of OpenAPI 3.1.1 ("Style Examples") write them."""

import pytest

from playground.connections.serialization import Style, in_header, in_path, in_query

ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


def style(default, **wire):
    return Style.of(wire, default)


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
    chosen = style("simple", style=name, explode=explode)

    assert [in_path("color", value, chosen) for value in ("blue", ARRAY, OBJECT)] == [
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
        ({"collectionFormat": "csv"}, "color=blue,black,brown", "color=R,100,G,200,B,150"),
        (
            {"collectionFormat": "ssv"},
            "color=blue%20black%20brown",
            "color=R%20100%20G%20200%20B%20150",
        ),
        (
            {"collectionFormat": "tsv"},
            "color=blue%09black%09brown",
            "color=R%09100%09G%09200%09B%09150",
        ),
        (
            {"collectionFormat": "pipes"},
            "color=blue%7Cblack%7Cbrown",
            "color=R%7C100%7CG%7C200%7CB%7C150",
        ),
        ({"collectionFormat": "multi"}, "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
    ],
)
def test_styles_of_a_query(wire, array, object_):
    chosen = style("form", **wire)

    assert ["&".join(in_query("color", value, chosen)) for value in (ARRAY, OBJECT)] == [
        array,
        object_,
    ]


def test_deep_objects_may_be_nested():
    value = {"a": {"b": 1}, "c": [1, 2], "d": None}

    assert in_query("f", value, style("form", style="deepObject")) == [
        "f%5Ba%5D%5Bb%5D=1",
        "f%5Bc%5D=1",
        "f%5Bc%5D=2",
    ]


@pytest.mark.parametrize("value", [None, [], {}])
def test_undefined_values_are_not_sent(value):
    assert in_query("color", value, style("form")) == []


def test_values_are_escaped():
    assert in_query("a b", "1&2=3/é", style("form")) == ["a%20b=1%262%3D3%2F%C3%A9"]
    assert in_path("id", "a/b ?", style("simple")) == "a%2Fb%20%3F"


def test_reserved_characters_are_not_escaped_where_the_document_allows_it():
    assert in_query("url", "https://x.example/?a=1&b#c", style("form", allowReserved=True)) == [
        "url=https://x.example/?a%3D1%26b%23c"
    ]


def test_numbers_and_booleans_are_written_as_in_json():
    assert in_query("v", [True, 1.5, None, 10**20], style("form", explode=False)) == [
        "v=true,1.5,null,1" + "0" * 20
    ]


def test_headers_are_not_escaped():
    assert in_header(["a b", "c/d"], style("simple")) == "a b,c/d"
    assert in_header({"R": 100}, style("simple", explode=True)) == "R=100"
