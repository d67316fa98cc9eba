"""Requests from the specs of imported operations."""

import base64
import shlex

import pytest

from playground.connections.request import curl, make_request
from playground.connections.security import Credentials, find_credentials
from tests.factories import properties
from toolshelf_tools import ToolError
from toolspec.imports import import_document
from toolspec.text.reader import loads

NO_CREDENTIALS = Credentials()


def spec_of(operation, *, path="/things", method="get", version="3.1.0", **members):
    document = {
        "openapi": version,
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {path: {method: operation}},
        **members,
    }
    if version == "2.0":
        del document["openapi"], document["servers"]
        document |= {"swagger": "2.0", "host": "api.example.com", "basePath": "/v1"}
    [imported] = import_document(document).specs
    assert imported.problems == ()
    return loads(imported.text)


def parameter(name, where, schema=None, **members):
    return {"name": name, "in": where, "schema": schema or {"type": "string"}, **members}


def request_for(operation, parameters, configuration=None, *, address="", **members):
    return make_request(
        spec_of(operation, **members), parameters, configuration or {}, source_address=address
    )


def url_for(*arguments, **members):
    return request_for(*arguments, **members).url_with(NO_CREDENTIALS)


def test_parameters_go_where_the_document_puts_them():
    operation = {
        "parameters": [
            parameter("id", "path", required=True),
            parameter("q", "query"),
            parameter("X-Trace", "header"),
            parameter("session", "cookie"),
        ]
    }
    values = {"id": "a/b", "q": "x y", "X-Trace": "t1", "session": "s;1"}

    request = request_for(operation, values, path="/things/{id}")

    assert request.url_with(NO_CREDENTIALS) == "https://api.example.com/v1/things/a%2Fb?q=x%20y"
    assert dict(request.headers_with(NO_CREDENTIALS)) == {
        "Accept": "application/json, */*;q=0.5",
        "X-Trace": "t1",
        "Cookie": "session=s%3B1",
    }


def test_parameters_with_the_same_name_are_sent_where_each_belongs():
    operation = {"parameters": [parameter("id", "path", required=True), parameter("id", "query")]}

    assert (
        url_for(operation, {"id": "1", "id_query": "2"}, path="/t/{id}")
        == "https://api.example.com/v1/t/1?id=2"
    )


def test_the_configured_server_replaces_the_declared_one():
    servers = [
        {
            "url": "https://{region}.example.com/{base}",
            "variables": {"region": {"default": "eu"}, "base": {"default": "v2"}},
        }
    ]

    assert url_for({}, {}, servers=servers) == "https://eu.example.com/v2/things"
    assert url_for({}, {}, {"region": "us"}, servers=servers) == "https://us.example.com/v2/things"
    assert (
        url_for({}, {}, {"baseUrl": "http://localhost:1"}, servers=servers)
        == "http://localhost:1/things"
    )


def test_a_relative_server_is_relative_to_the_document():
    address = "https://docs.example.com/specs/openapi.json"

    assert (
        url_for({}, {}, servers=[{"url": "/v3"}], address=address)
        == "https://docs.example.com/v3/things"
    )
    assert url_for({}, {}, servers=[], address=address) == "https://docs.example.com/things"


def test_a_user_name_in_the_address_is_refused_without_showing_it():
    with pytest.raises(ToolError, match="contains a user name or a password") as error:
        url_for({}, {}, {"baseUrl": "https://ann:PASSWORD9@api.example.com/v1"})

    assert "PASSWORD9" not in str(error.value)


def test_without_any_server_the_message_says_what_to_do():
    with pytest.raises(ToolError, match="Set `baseUrl` in the configuration"):
        request_for({}, {}, servers=[])


@pytest.mark.parametrize("value", ["..", ".", "../admin", "a/../../b", "%2e%2e"])
def test_a_path_parameter_cannot_lead_to_another_path(value):
    operation = {"parameters": [parameter("id", "path", required=True)]}

    with pytest.raises(ToolError, match="another path"):
        request_for(operation, {"id": value}, path="/things/{id}")


@pytest.mark.parametrize("value", ["", None, []])
def test_a_path_parameter_is_not_empty(value):
    operation = {"parameters": [parameter("id", "path", {}, required=True)]}

    with pytest.raises(ToolError, match="must not be empty"):
        request_for(operation, {"id": value}, path="/things/{id}")


@pytest.mark.parametrize("value", ["a\r\nX-Other: b", "a\nb", "é"])
def test_a_header_is_one_line_of_ascii(value):
    with pytest.raises(ToolError, match="printable ASCII"):
        request_for({"parameters": [parameter("X-A", "header")]}, {"X-A": value})


@pytest.mark.parametrize("name", ["Host", "Content-Length", "Transfer-Encoding", "a b"])
def test_headers_of_http_itself_cannot_be_parameters(name):
    with pytest.raises(ToolError, match="cannot be a parameter"):
        request_for({"parameters": [parameter(name, "header")]}, {name: "x"})


# -- bodies -----------------------------------------------------------------------------------------------------------


def body_for(media_type, schema, value, **media):
    operation = {"requestBody": {"content": {media_type: {"schema": schema, **media}}}}
    return request_for(operation, value, method="post").body


def test_json_is_sent_as_declared():
    body = body_for("application/vnd.api+json", properties(a={}), {"a": [1, "é", None]})

    assert (body.content.decode(), body.media_type) == (
        '{"a":[1,"é",null]}',
        "application/vnd.api+json",
    )


def test_a_form_repeats_arrays_and_writes_objects_as_json():
    value = {"name": "a b", "tags": ["x", "y"], "point": {"x": 1}, "none": None}

    body = body_for(
        "application/x-www-form-urlencoded", properties(name={}, tags={}, point={}, none={}), value
    )

    assert body.content.decode() == "name=a+b&tags=x&tags=y&point=%7B%22x%22%3A1%7D"


def test_a_form_follows_its_declared_encoding():
    encoding = {
        "tags": {"style": "pipeDelimited", "explode": False},
        "point": {"style": "deepObject"},
    }
    value = {"tags": ["x", "y"], "point": {"x": 1}}

    body = body_for(
        "application/x-www-form-urlencoded", properties(tags={}, point={}), value, encoding=encoding
    )

    assert body.content.decode() == "tags=x%7Cy&point%5Bx%5D=1"


def test_a_multipart_body_has_a_part_for_each_member_and_item():
    schema = properties(
        note={"type": "string"},
        meta={"type": "object"},
        file={"type": "string", "format": "binary"},
        tags={"type": "array"},
    )
    data = base64.b64encode(b"\x00\xff").decode()
    value = {
        "note": "hello",
        "meta": {"a": 1},
        "file": f"data:image/png;base64,{data}",
        "tags": ["x", "y"],
    }

    body = body_for("multipart/form-data", schema, value)

    boundary = body.media_type.partition("boundary=")[2].encode()
    parts = body.content.split(b"--" + boundary)
    assert parts[1:] == [
        b'\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n',
        b'\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n',
        (
            b'\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: image/png\r\n\r\n'
            b"\x00\xff\r\n"
        ),
        b'\r\nContent-Disposition: form-data; name="tags"\r\n\r\nx\r\n',
        b'\r\nContent-Disposition: form-data; name="tags"\r\n\r\ny\r\n',
        b"--\r\n",
    ]


def test_a_string_that_looks_like_a_data_url_stays_text_where_no_bytes_are_asked_for():
    body = body_for("multipart/form-data", properties(note={"type": "string"}), {"note": "data:,x"})

    assert b"\r\n\r\ndata:,x\r\n" in body.content


def test_names_in_a_multipart_body_cannot_begin_a_new_header():
    body = body_for("multipart/form-data", {"type": "object"}, {'a"\r\nX: b': "c"})

    assert b'name="a%22%0D%0AX: b"' in body.content


def test_text_and_bytes_are_sent_as_they_are():
    assert (
        body_for("text/plain", {"type": "string"}, {"body": "data:,é"}).content
        == "data:,é".encode()
    )
    assert (
        body_for(
            "application/octet-stream", {"type": "string"}, {"body": "data:;base64,AP8="}
        ).content
        == b"\x00\xff"
    )
    assert (
        body_for("application/octet-stream", {"type": "string"}, {"body": "plain"}).content
        == b"plain"
    )


def test_a_broken_data_url_is_refused():
    with pytest.raises(ToolError, match="not valid base64"):
        body_for("application/octet-stream", {"type": "string"}, {"body": "data:;base64,***"})


def test_a_form_needs_an_object():
    with pytest.raises(ToolError, match="requires an object, but the value is an array"):
        body_for("multipart/form-data", {"type": "array"}, {"body": []})


def test_an_absent_optional_body_is_not_sent():
    operation = {"requestBody": {"content": {"application/json": {"schema": {"type": "array"}}}}}

    assert request_for(operation, {}, method="post").body is None


# -- credentials ------------------------------------------------------------------------------------------------------

SCHEMES = {
    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "key"},
    "basic": {"type": "http", "scheme": "Basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "other": {"type": "http", "scheme": "digest"},
    "mtls": {"type": "mutualTLS"},
    "oauth": {
        "type": "oauth2",
        "flows": {
            "clientCredentials": {
                "tokenUrl": "https://id.example.com/token",
                "scopes": {"read": "Read."},
            }
        },
    },
}


def credentials_for(security, configuration, get_token=lambda wanted: "fresh-token"):
    spec = spec_of({"security": security}, components={"securitySchemes": SCHEMES})
    return find_credentials(spec["x-openapi"], configuration, get_token)


def test_a_token_is_requested_with_the_scopes_of_the_operation():
    wanted = []

    credentials_for(
        [{"oauth": ["read"]}],
        {"oauthClientId": "i d", "oauthClientSecret": "s"},
        lambda one: wanted.append(one) or "t",
    )

    assert (wanted[0].url, wanted[0].scopes) == ("https://id.example.com/token", ("read",))
    assert base64.b64decode(wanted[0].basic.removeprefix("Basic ")) == b"i+d:s"


def test_all_schemes_of_one_requirement_are_sent():
    found = credentials_for([{"header": [], "bearer": []}], {"header": "k", "bearer": "t"})

    assert found.headers == {"X-Key": "k", "Authorization": "Bearer t"}


def test_the_first_requirement_that_is_configured_is_used():
    assert credentials_for([{"header": []}, {"bearer": []}], {"bearer": "t"}).headers == {
        "Authorization": "Bearer t"
    }


def test_no_credentials_are_sent_where_none_are_needed():
    assert credentials_for([{"header": []}, {}], {}) == NO_CREDENTIALS
    assert credentials_for([], {"header": "k"}) == NO_CREDENTIALS


def test_missing_credentials_are_named():
    with pytest.raises(ToolError) as error:
        credentials_for([{"basic": []}, {"oauth": []}, {"mtls": []}], {"basicUsername": "ada"})

    assert str(error.value) == (
        "The operation needs credentials. Add `basicPassword`, or `oauth` (or `oauthClientId` and "
        "`oauthClientSecret`), or `mtls` (of the type mutualTLS, which cannot be configured) to the configuration."
    )


def test_the_configuration_of_client_credentials_requires_neither_token_nor_client():
    spec = spec_of({"security": [{"oauth": []}]}, components={"securitySchemes": SCHEMES})

    assert list(spec["configuration"]["properties"]) == [
        "baseUrl",
        "oauth",
        "oauthClientId",
        "oauthClientSecret",
    ]
    assert "required" not in spec["configuration"]


def test_swagger_has_the_same_schemes():
    definitions = {
        "b": {"type": "basic"},
        "app": {"type": "oauth2", "flow": "application", "tokenUrl": "https://id/t", "scopes": {}},
    }
    spec = spec_of(
        {"security": [{"b": []}, {"app": []}]}, version="2.0", securityDefinitions=definitions
    )

    assert spec["x-openapi"]["securitySchemes"] == {
        "b": {"type": "http", "scheme": "basic"},
        "app": {"type": "oauth2", "tokenUrl": "https://id/t"},
    }


# -- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_shows_the_request_as_curl_without_credentials():
    request = request_for(
        {"requestBody": {"content": {"application/json": {"schema": properties(a={})}}}},
        {"a": "it's"},
        method="post",
    )
    credentials = Credentials(
        {"Authorization": "Bearer s3cret", "X-Key": "s3cret"}, {"key": "s3cret"}, {"c": "s3cret"}
    )

    command = curl(request, credentials.mask("[secret]"))

    assert "s3cret" not in command
    assert shlex.split(command) == [
        "curl", "-X", "POST", "https://api.example.com/v1/things?key=%5Bsecret%5D",
        "-H", "Accept: application/json, */*;q=0.5", "-H", "Authorization: Bearer [secret]", "-H", "X-Key: [secret]",
        "-H", "Cookie: c=[secret]", "-H", "Content-Type: application/json", "--data-binary", '{"a":"it\'s"}',
    ]  # fmt: skip


def test_the_log_shows_files_by_name_and_shortens_long_bodies():
    schema = properties(file={"type": "string", "format": "binary"}, note={"type": "string"})
    value = {"file": "data:image/png;base64,AP8=", "note": "n" * 5_000}
    operation = {"requestBody": {"content": {"multipart/form-data": {"schema": schema}}}}

    words = shlex.split(curl(request_for(operation, value, method="post"), NO_CREDENTIALS))

    assert words[-3] == "file=@file;type=image/png"
    assert words[-1] == f"note={'n' * 4_000}… (5,000 characters)"
