"""What an API answers: the declared response of its status decides the verdict, and no body is lost."""

import pytest

from tests.factories import properties
from tests.field import field_input
from tests.field.openapi_calls import openapi, spec_of

ITEM = {**properties(id={"type": "string"}), "required": ["id"]}
TICKET = {**properties(ticket={"type": "integer"}), "required": ["ticket"]}


def content(schema):
    return {"description": "", "content": {"application/json": {"schema": schema}}}


EMPTY = {"description": "Nothing."}
PICTURE = {"description": "", "content": {"image/png": {}}}


@pytest.mark.usefixtures("runs")
def test_a_declared_204_does_not_violate(api):
    document = field_input("no-content-is-a-declared-success")["document"]

    api.answers(status=204)
    empty = api.run(document, "latest")

    assert (empty.response, empty.verdict) == (None, "conforms")


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("responses", "status", "value", "verdict"),
    [
        ({"200": content(ITEM), "204": EMPTY}, 200, {"id": "1"}, "conforms"),
        ({"200": content(ITEM), "204": EMPTY}, 200, None, "violates"),
        ({"200": content(ITEM), "202": content(TICKET)}, 202, {"ticket": 1}, "conforms"),
        ({"200": content(ITEM), "202": content(TICKET)}, 202, {"id": "1"}, "violates"),
        ({"200": content(ITEM), "202": content(TICKET)}, 200, {"ticket": 1}, "violates"),
        ({"200": content(ITEM), "202": EMPTY}, 202, {"ticket": 1}, "unchecked"),
        ({"200": content(ITEM), "206": PICTURE}, 206, {"ticket": 1}, "unchecked"),
        ({"200": content(ITEM), "2XX": content(TICKET)}, 203, {"ticket": 1}, "conforms"),
        ({"200": content(ITEM), "2XX": content(TICKET)}, 203, {"id": "1"}, "violates"),
        ({"200": content(ITEM), "2XX": content(TICKET)}, 204, None, "unchecked"),
        ({"200": content(ITEM), "default": content(TICKET)}, 201, {"ticket": 1}, "unchecked"),
        ({"200": content(ITEM), "default": content(TICKET)}, 201, {"id": "1"}, "conforms"),
        ({"200": content(ITEM), "default": content(TICKET)}, 200, {"ticket": 1}, "violates"),
        ({"default": content(ITEM)}, 202, {"ticket": 1}, "violates"),
        ({"default": content(ITEM)}, 204, None, "unchecked"),
        ({"200": content(ITEM)}, 201, {"ticket": 1}, "violates"),
        ({"200": content(ITEM)}, 204, None, "violates"),
        ({"200": content(ITEM), "201": content(ITEM)}, 201, {"ticket": 1}, "violates"),
    ],
)
def test_the_declared_response_of_the_status_decides(api, responses, status, value, verdict):
    api.answers(value, status=status)

    done = api.run(openapi(responses=responses), "up")

    assert (done.outcome, done.response, done.verdict) == ("returned", value, verdict)
    assert bool(done.verdict_reason) == (verdict == "unchecked")


@pytest.mark.usefixtures("runs")
def test_a_response_of_another_status_that_is_declared_empty_may_be_empty(api):
    api.answers(status=202)
    api.content = b""

    done = api.run(openapi(responses={"200": content(ITEM), "202": EMPTY}), "up")

    assert (done.response, done.verdict) == (None, "conforms")


def test_the_return_type_describes_every_declared_success(api):
    definitions = {"Item": ITEM, "Ticket": TICKET}
    responses = {
        "200": content({"$ref": "#/components/schemas/Item"}),
        "201": content({"$ref": "#/components/schemas/Item"}),
        "202": {"$ref": "#/components/responses/Later"},
        "204": EMPTY,
        "400": content({"type": "string"}),
    }
    components = {
        "schemas": definitions,
        "responses": {"Later": content({"$ref": "#/components/schemas/Ticket"})},
    }

    spec = spec_of(openapi(responses=responses, components=components), "up")

    assert spec["definition"]["returnType"] == {
        "anyOf": [{"$ref": "#/$defs/Item"}, {"$ref": "#/$defs/Ticket"}, {"type": "null"}],
        "$defs": definitions,
    }
    assert spec["x-openapi"]["responses"] == {
        "200": "/anyOf/0",
        "201": "/anyOf/0",
        "202": "/anyOf/1",
        "204": "/anyOf/2",
    }


def test_one_success_is_the_return_type_itself(api):
    spec = spec_of(openapi(responses={"200": content(ITEM), "404": EMPTY}), "up")

    assert spec["definition"]["returnType"] == ITEM
    assert "responses" not in spec["x-openapi"]


# -- bodies that are not quite JSON in UTF-8 --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("media_type", "body", "response"),
    [
        (
            "application/json; charset=iso-8859-1",
            '{"a": "grüezi"}'.encode("latin-1"),
            {"a": "grüezi"},
        ),
        ("application/json; charset=utf-16", '{"a": "grüezi"}'.encode("utf-16"), {"a": "grüezi"}),
        ("application/json", '{"a": "grüezi"}'.encode("latin-1"), {"a": "grüezi"}),
        ("application/json; charset=nonsense", '{"a": "grüezi"}'.encode(), {"a": "grüezi"}),
        ("application/json", '\ufeff{"a": "é"}'.encode(), {"a": "é"}),
        ("text/plain", "grüezi".encode("latin-1"), "grüezi"),
        ("text/csv; charset=windows-1252", "5 €".encode("windows-1252"), "5 €"),
        (
            "application/xml",
            '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1"),
            None,
        ),
    ],
)
def test_a_body_is_read_in_the_character_set_that_it_has(api, media_type, body, response):
    api.media_type, api.content = media_type, body

    assert api.response_of(openapi(), "up") == (
        response or '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'
    )


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("depth", [64, 65, 5_000, 100_000])
def test_deep_json_is_shown_as_text(api, depth):
    api.content = b"[" * depth + b"]" * depth

    done = api.run(openapi(), "up")

    assert done.outcome == "returned"
    assert isinstance(done.response, str) == (depth > 64)
    assert str(done.response) == api.content.decode()
    assert ("nested more than 64 levels deep" in done.stdout) == (depth > 64)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("media_type", "body", "response", "note"),
    [
        (
            "application/json",
            rb'{"a\u0000": ["b\u0000c"]}',
            {"a\ufffd": ["b\ufffdc"]},
            "NUL characters",
        ),
        ("text/plain", b"b\0c", "b\ufffdc", "NUL characters"),
        ("application/json", rb'"\ud800\ud83d\ude00"', "?\N{GRINNING FACE}", ""),
        ("application/json", b'{"a": NaN}', '{"a": NaN}', "numbers that cannot be stored"),
        ("application/json", b"[-1e999]", "[-1e999]", "numbers that cannot be stored"),
        ("application/json", b"1" * 400, "1" * 400, "numbers that cannot be stored"),
        ("application/json", b"1" * 5_000, "1" * 5_000, "numbers that cannot be stored"),
        ("application/json", b'{"a": 1, "a": 2}', {"a": 2}, ""),
    ],
)
def test_what_cannot_be_stored_as_it_is_is_no_lost_response(api, media_type, body, response, note):
    api.media_type, api.content = media_type, body

    done = api.run(openapi(), "up")

    assert (done.outcome, done.response) == ("returned", response)
    assert note in done.stdout
