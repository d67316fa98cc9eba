"""What an API receives: files, media types, parameters and paths of OpenAPI documents."""

import json
from urllib.parse import unquote

import pytest

from tests.factories import properties
from tests.field import field_input
from tests.field.openapi_calls import losses_of, openapi, sending, spec_of
from toolshelf_tools import ToolError

HI = "data:text/plain;base64,aGk="
NAMED = "data:image/png;name=p%20%C3%A4.png;base64,aGk="
BINARY = {"type": "string", "format": "binary"}
FILE = {"$ref": "#/components/schemas/File"}


def called(api, case):
    operation = case["call"]["operation"]
    return api.call(case["document"], operation, case["call"]["parameters"])


def sent(
    api, schema, value, *, media_type="multipart/form-data", version="3.1.0", schemas=None, **media
):
    """The request for a body of this schema. Objects are the parameters; other values are the parameter `body`."""
    body = sending(media_type, schema, **media)
    document = openapi(version, requestBody=body, components={"schemas": schemas or {}})
    return api.call(document, "up", value if isinstance(value, dict) else {"body": value})


# -- files in multipart bodies ----------------------------------------------------------------------------------------


def test_a_file_of_a_referenced_body_beside_a_path_parameter_is_sent_as_a_file(api):
    received = called(api, field_input("multipart-ref-body-beside-path"))

    assert received.target == "/items/1/file"
    assert received.parts == [("file", "file", "text/plain", b"hi"), ("note", None, "", b"n")]


def test_an_optional_file_is_sent_as_a_file(api):
    assert called(api, field_input("multipart-optional-file")).parts == [
        ("file", "file", "text/plain", b"hi")
    ]


def test_referenced_files_and_lists_of_them_are_sent_as_files(api):
    received = called(api, field_input("multipart-ref-property-and-list"))

    assert received.parts == [
        ("cover", "cover", "text/plain", b"hi"),
        ("pages", "pages", "text/plain", b"hi"),
    ]


def test_a_file_keeps_the_name_that_its_data_url_gives(api):
    received = called(api, field_input("multipart-file-name"))

    assert received.parts == [("file", "p.png", "image/png", b"hi")]
    assert sent(api, properties(file=BINARY), {"file": NAMED}).parts == [
        ("file", "p ä.png", "image/png", b"hi")
    ]


@pytest.mark.parametrize(
    ("schema", "schemas"),
    [
        (FILE, {"File": {"$ref": "#/components/schemas/Other"}, "Other": BINARY}),
        ({"allOf": [FILE], "description": "A file."}, {"File": BINARY}),
        ({"oneOf": [FILE, {"type": "null"}]}, {"File": BINARY}),
        ({"anyOf": [{"anyOf": [FILE, {"type": "integer"}]}, {"type": "null"}]}, {"File": BINARY}),
        ({"type": "string", "contentMediaType": "image/png"}, {}),
        ({"contentMediaType": "application/octet-stream"}, {}),
        ({"type": "string", "contentEncoding": "binary"}, {}),
    ],
)
@pytest.mark.parametrize("is_list", [False, True])
def test_a_file_is_found_wherever_its_schema_is(api, schema, schemas, is_list):
    schema = (
        {"anyOf": [{"type": "array", "items": schema}, {"type": "null"}]} if is_list else schema
    )
    body = {"allOf": [{"$ref": "#/components/schemas/Body"}]}
    schemas = {
        **schemas,
        "Body": {"allOf": [properties(note={"type": "string"}), properties(file=schema)]},
    }

    received = sent(
        api, body, {"body": {"note": HI, "file": [HI, HI] if is_list else HI}}, schemas=schemas
    )

    file = ("file", "file", "text/plain", b"hi")
    assert received.parts == [("note", None, "", HI.encode()), *[file] * (2 if is_list else 1)]


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        (
            {"type": "string", "contentEncoding": "base64", "contentMediaType": "text/plain"},
            b"+/8=",
        ),
        ({"type": "string", "contentEncoding": "base64url"}, b"-_8="),
        ({"type": "string", "format": "byte"}, b"+/8="),
    ],
)
def test_bytes_that_are_declared_as_text_are_sent_in_their_encoding(api, schema, content):
    received = sent(api, properties(file=schema), {"file": "data:text/plain;base64,+/8="})

    assert received.parts == [("file", "file", "text/plain", content)]
    assert sent(api, properties(file=schema), {"file": "aGk="}).parts == [
        ("file", None, "", b"aGk=")
    ]


def test_files_of_swagger_forms_are_sent_as_files_even_if_the_operation_also_consumes_other_forms(
    api,
):
    operation = {
        "operationId": "up",
        "consumes": ["application/x-www-form-urlencoded", "multipart/form-data"],
        "parameters": [
            {"name": "id", "in": "path", "type": "string", "required": True},
            {"name": "file", "in": "formData", "type": "file"},
            {"name": "more", "in": "formData", "type": "array", "items": {"type": "file"}},
        ],
        "responses": {"200": {"description": "ok"}},
    }
    document = {
        "swagger": "2.0",
        "info": {"title": "F", "version": "1"},
        "paths": {"/up/{id}": {"post": operation}},
    }

    received = api.call(document, "up", {"id": "1", "body": {"file": HI, "more": [NAMED]}})

    assert received.parts == [
        ("file", "file", "text/plain", b"hi"),
        ("more", "p ä.png", "image/png", b"hi"),
    ]


@pytest.mark.parametrize(
    ("declared", "file", "media_type"),
    [
        ("image/png, image/jpeg", "data:image/jpeg;base64,aGk=", "image/jpeg"),
        ("image/*", "data:image/webp;base64,aGk=", "image/webp"),
        ("text/csv", "data:;base64,aGk=", "text/csv"),
        ("*/*", "data:;base64,aGk=", "application/octet-stream"),
    ],
)
def test_a_file_has_its_own_type_within_those_that_the_encoding_allows(
    api, declared, file, media_type
):
    received = sent(
        api, properties(file=BINARY), {"file": file}, encoding={"file": {"contentType": declared}}
    )

    assert received.parts == [("file", "file", media_type, b"hi")]


@pytest.mark.parametrize("file", [HI, "data:;base64,aGk="])
def test_a_file_outside_the_range_of_its_encoding_is_refused(api, file):
    with pytest.raises(ToolError, match=r"The part `file` must have a type of the range image/\*"):
        sent(
            api,
            properties(file=BINARY),
            {"file": file},
            encoding={"file": {"contentType": "image/*"}},
        )

    assert api.received == []


def test_headers_of_parts_that_have_one_value_are_sent_and_others_are_reported(api):
    headers = {"X-Kind": {"schema": {"const": "scan"}}, "X-Free": {"schema": {"type": "string"}}}
    body = sending(
        "multipart/form-data", properties(file=BINARY), encoding={"file": {"headers": headers}}
    )

    received = api.call(openapi(requestBody=body), "up", {"file": HI})

    assert b"\r\nX-Kind: scan\r\n" in received.body
    assert b"X-Free" not in received.body
    pointer = (
        "/paths/~1up/post/requestBody/content/multipart~1form-data/encoding/file/headers/X-Free"
    )
    assert losses_of(openapi(requestBody=body)) == {
        pointer: "A call has no value for a header of a part, so the header is not sent."
    }


# -- other bodies -----------------------------------------------------------------------------------------------------


def test_a_body_of_a_range_of_media_types_has_the_type_of_its_file(api):
    case = field_input("wildcard-media-type")

    received = called(api, case)

    assert (received.media_type, received.body) == ("image/png", b"hi")
    for value in ("hi", HI, "data:;base64,aGk="):
        with pytest.raises(ToolError, match=r"The body must have a type of the range image/\*"):
            api.call(case["document"], "p", {"body": value})


@pytest.mark.parametrize(
    ("media_type", "schema", "value", "expected"),
    [
        ("*/*", BINARY, NAMED, ("image/png", b"hi")),
        ("*/*", FILE, "data:;base64,aGk=", ("application/octet-stream", b"hi")),
        ("*/*", properties(a={}), {"a": 1}, ("application/json", b'{"a":1}')),
        ("application/*", FILE, "data:application/zip;base64,aGk=", ("application/zip", b"hi")),
        ("text/*", {"type": "string"}, "hi", ("text/plain", b"hi")),
        ("application/octet-stream", FILE, NAMED, ("application/octet-stream", b"hi")),
        ("application/pdf", {"allOf": [FILE]}, HI, ("application/pdf", b"hi")),
    ],
)
def test_bytes_and_ranges_in_a_body(api, media_type, schema, value, expected):
    received = sent(api, schema, value, media_type=media_type, schemas={"File": BINARY})

    assert (received.media_type, received.body) == expected


def test_an_xml_body_is_text_and_the_import_says_so(api):
    document = field_input("xml-body-object")["document"]

    received = api.call(document, "order", {"body": "<order><name>x</name></order>"})

    assert (received.media_type, received.body) == (
        "application/xml",
        b"<order><name>x</name></order>",
    )
    losses = losses_of(document)
    assert losses["/paths/~1orders/post/requestBody/content/application~1xml/schema"] == (
        "Values are not written as application/xml, so this is a string, which is sent as it is."
    )


@pytest.mark.parametrize(
    "media_type", ["text/xml", "application/soap+xml", "application/x-yaml", "application/x-ndjson"]
)
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Order"},
        {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Order"},
            "xml": {"wrapped": True},
        },
        {"allOf": [{"$ref": "#/components/schemas/Order"}]},
    ],
)
def test_no_body_goes_out_as_json_under_another_media_type(api, media_type, schema):
    order = properties(id={"type": "string", "xml": {"attribute": True}}) | {
        "xml": {"namespace": "urn:o"}
    }

    received = sent(api, schema, "<a/>", media_type=media_type, schemas={"Order": order})

    assert (received.media_type, received.body) == (media_type, b"<a/>")


def test_a_swagger_body_that_is_only_consumed_as_xml_is_text(api):
    operation = {
        "operationId": "up",
        "consumes": ["application/xml"],
        "parameters": [
            {"name": "order", "in": "body", "required": True, "schema": properties(id={})}
        ],
        "responses": {"200": {"description": "ok"}},
    }
    document = {
        "swagger": "2.0",
        "info": {"title": "F", "version": "1"},
        "paths": {"/up": {"post": operation}},
    }

    received = api.call(document, "up", {"body": "<order/>"})

    assert (received.media_type, received.body) == ("application/xml", b"<order/>")


# -- parameters with content ------------------------------------------------------------------------------------------


def test_a_string_in_a_parameter_with_json_content_is_json(api):
    assert called(api, field_input("content-parameter-string")).target == "/find?pet=%22cat%22"


@pytest.mark.parametrize("value", ["a b", {"a": ["é"]}, ["x", 1], True, 7])
def test_parameters_with_json_content_are_json_wherever_they_are_sent(api, value):
    content = {"application/json": {"schema": {}}}
    names = {"in_path": "path", "in_query": "query", "X-In-Header": "header", "in_cookie": "cookie"}
    parameters = [
        {"name": name, "in": where, "content": content, "required": where == "path"}
        for name, where in names.items()
    ]

    received = api.call(
        openapi(path="/a/{in_path}", parameters=parameters), "up", dict.fromkeys(names, value)
    )

    path, _, query = received.target.partition("?")
    assert _json(path.removeprefix("/a/")) == value
    assert _json(query.removeprefix("in_query=")) == value
    assert json.loads(received.headers["x-in-header"]) == value
    assert _json(received.headers["cookie"].removeprefix("in_cookie=")) == value


def _json(encoded):
    return json.loads(unquote(encoded))


def test_a_parameter_with_text_as_its_content_stays_as_it_is(api):
    parameter = {
        "name": "q",
        "in": "query",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }

    assert api.call(openapi(parameters=[parameter]), "up", {"q": "a b"}).target == "/up?q=a%20b"


# -- paths ------------------------------------------------------------------------------------------------------------


def test_a_query_in_the_path_is_part_of_the_query(api):
    assert called(api, field_input("path-with-query")).target == "/responses?beta=true&limit=2"


def test_a_fragment_in_the_path_is_not_sent(api):
    assert called(api, field_input("path-with-fragment")).target == "/status?status=new"


@pytest.mark.parametrize(
    ("path", "parameters", "target"),
    [
        ("/{id}?full=true#x", {"id": "1"}, "/1?full=true"),
        ("/a?full=true&v={v}", {"v": "1 2"}, "/a?full=true&v=1%202"),
        ("/a?q={q}", {"q": "x"}, "/a?q=x"),
        ("/a?q=1", {"q": "x"}, "/a?q=x"),
        ("/a?q=1", {}, "/a?q=1"),
        ("/a?q={q}", {}, "/a"),
        ("/a#one?two", {"q": "x"}, "/a?q=x"),
    ],
)
def test_paths_with_queries_fragments_and_parameters(api, path, parameters, target):
    declared = [{"name": "q", "in": "query", "schema": {"type": "string"}}]
    if "{id}" in path:
        declared += [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]

    assert api.call(openapi(path=path, parameters=declared), "up", parameters).target == target


def test_a_parameter_of_the_path_that_the_document_forgot_is_a_required_string(api):
    case = field_input("path-parameter-not-declared")

    received = called(api, case)

    assert received.target == "/users/7"
    assert spec_of(case["document"], "user")["definition"]["parameters"] == {
        **properties(id={"type": "string"}),
        "required": ["id"],
    }
    assert (
        "which the document does not declare"
        in losses_of(case["document"])["/paths/~1users~1{id}/get"]
    )


def test_all_forgotten_parameters_are_made_and_those_of_the_path_item_are_known(api):
    document = openapi(
        path="/{a}/{b}/{c}.{ext}", parameters=[{"name": "b", "in": "query", "schema": {}}]
    )
    document["paths"]["/{a}/{b}/{c}.{ext}"]["parameters"] = [
        {"name": "a", "in": "path", "required": True, "schema": {"type": "integer"}}
    ]

    received = api.call(
        document, "up", {"a": 1, "b": "q", "b_path": "2", "c": "x/y", "ext": "json"}
    )

    assert received.target == "/1/2/x%2Fy.json?b=q"


# -- headers that are not parameters ----------------------------------------------------------------------------------


def test_an_authorization_header_is_a_secret_of_the_configuration(api):
    document = field_input("authorization-header-parameter")["document"]

    received = api.call(document, "me", {}, {"authorization": "Token t-12345"})

    assert received.headers["authorization"] == "Token t-12345"
    spec = spec_of(document, "me")
    assert "parameters" not in spec["definition"]
    assert spec["configuration"]["properties"]["authorization"]["writeOnly"] is True
    assert spec["configuration"]["required"] == ["authorization"]
    assert "configuration" in losses_of(document)["/paths/~1me/get/parameters/0"]
    with pytest.raises(ToolError, match="Add `authorization` to the configuration"):
        api.call(document, "me")


def test_an_optional_authorization_header_may_be_left_out(api):
    header = {"name": "Authorization", "in": "header", "schema": {"type": "string"}}
    document = openapi(parameters=[header])

    assert (
        api.call(document, "up", {}, {"Authorization": "Bearer t"}).headers["authorization"]
        == "Bearer t"
    )
    assert "authorization" not in api.call(document, "up").headers


def test_an_authorization_header_joins_the_keys_that_the_document_requires(api):
    header = {
        "name": "Authorization",
        "in": "header",
        "required": True,
        "schema": {"type": "string"},
    }
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    document = openapi(
        parameters=[header], security=[{"key": []}], components={"securitySchemes": schemes}
    )

    received = api.call(document, "up", {}, {"key": "k", "Authorization": "a"})

    assert (received.headers["x-key"], received.headers["authorization"]) == ("k", "a")


def test_a_scheme_that_sets_the_header_replaces_the_parameter(api):
    header = {
        "name": "Authorization",
        "in": "header",
        "required": True,
        "schema": {"type": "string"},
    }
    schemes = {"token": {"type": "http", "scheme": "bearer"}}
    document = openapi(
        parameters=[header], security=[{"token": []}], components={"securitySchemes": schemes}
    )

    received = api.call(document, "up", {}, {"token": "t"})

    assert received.headers["authorization"] == "Bearer t"
    assert list(spec_of(document, "up")["configuration"]["properties"]) == ["token"]


@pytest.mark.parametrize("name", ["Accept", "content-type"])
def test_accept_and_content_type_are_set_by_the_client_and_reported(api, name):
    document = openapi(parameters=[{"name": name, "in": "header", "schema": {"type": "string"}}])

    assert "parameters" not in spec_of(document, "up")["definition"]
    assert (
        f"HTTP clients set the header `{name}` themselves"
        in losses_of(document)["/paths/~1up/post/parameters/0"]
    )
