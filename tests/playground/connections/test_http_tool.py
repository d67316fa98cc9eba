"""Tools of OpenAPI documents call a real service: every style, media type and security scheme."""

import json

import pytest

from playground.connections.connection import Connection
from playground.connections.http_tool import HTTPToolFactory
from tests.playground.connections.echo_service import (
    ISSUED,
    PNG,
    Service,
    document,
)
from toolshelf_tools import ToolError
from toolspec.imports import import_document
from toolspec.text.reader import loads

LOOPBACK = ("127.0.0.0/8",)
SPECS = {
    spec.document["definition"]["name"]: loads(spec.text)
    for spec in import_document(document()).specs
}


def client_of(scheme):
    return {f"{scheme}ClientId": "client one", f"{scheme}ClientSecret": "client/secret"}


@pytest.fixture(scope="module")
def services():
    with Service() as other, Service(other_origin=other.origin) as service:
        yield service, other


@pytest.fixture
def service(services):
    for each in services:
        each.requests.clear()
    return services[0]


def connection(service, name, configuration=None, *, networks=LOOPBACK, **more):
    return Connection(
        source="echo",
        address=f"{service.origin}/openapi.json",
        remote_name=name,
        spec=SPECS[name],
        configuration=configuration or {},
        allowed_networks=networks,
        **more,
    )


def call(service, name, parameters=None, configuration=None, **more):
    made = HTTPToolFactory().create(connection(service, name, configuration, **more).as_json())
    return made.call(parameters or {})


def error_of(*arguments, **more):
    with pytest.raises(ToolError) as error:
        call(*arguments, **more)
    return str(error.value)


# -- every operation --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters", "media_type", "body"),
    [
        (
            "post_json",
            {"name": "é", "tags": ["a"]},
            "application/json",
            '{"name":"é","tags":["a"]}',
        ),
        (
            "post_form-body",
            {"name": "a b", "tags": ["x", "y"]},
            "application/x-www-form-urlencoded",
            "name=a+b&tags=x&tags=y",
        ),
        ("post_text-body", {"body": "hello"}, "text/plain", "hello"),
        ("post_bytes-body", {"body": "data:;base64,AP8="}, "application/octet-stream", "\x00ÿ"),
    ],
)
def test_bodies(service, name, parameters, media_type, body):
    seen = call(service, name, parameters)

    assert seen["headers"]["Content-Type"] == media_type
    assert seen["body"].encode("latin-1") in {body.encode(), body.encode("latin-1")}


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options"])
def test_methods(service, method):
    assert call(service, f"{method}_method-{method}")["method"] == method.upper()


def test_head_has_no_response(service):
    assert call(service, "head_method-head") is None
    assert service.requests[-1]["method"] == "HEAD"


@pytest.mark.parametrize(
    ("scheme", "configuration", "where", "expected"),
    [
        ("key-header", {"key-header": "key-1234"}, "X-Key", "key-1234"),
        ("key-cookie", {"key-cookie": "key;1234"}, "Cookie", "key=key%3B1234"),
        ("basic", {"basicUsername": "ada", "basicPassword": "pw"}, "Authorization", "Basic YWRhOnB3"),
        ("bearer", {"bearer": "token-1234"}, "Authorization", "Bearer token-1234"),
        ("other", {"other": "Digest x"}, "Authorization", "Digest x"),
        ("oauth", {"oauth": "token-1234"}, "Authorization", "Bearer token-1234"),
        ("oauth", client_of("oauth"), "Authorization", f"Bearer {ISSUED}"),
        ("oauth-post", client_of("oauth-post"), "Authorization", f"Bearer {ISSUED}"),
    ],
)  # fmt: skip
def test_security_schemes_in_headers(service, scheme, configuration, where, expected):
    call(service, f"get_secured-{scheme}", configuration=configuration)

    assert service.requests[-1]["headers"][where] == expected


def test_an_api_key_in_the_query(service):
    call(service, "get_secured-key-query", configuration={"key-query": "key 1234"})

    assert service.requests[-1]["query"] == "key=key%201234"


# -- answers ----------------------------------------------------------------------------------------------------------


def test_the_response_is_the_body(service):
    assert call(service, "get_text") == "grüezi"
    assert call(service, "get_nothing") is None


def test_files_are_content_blocks(service):
    picture, archive = call(service, "get_picture"), call(service, "get_archive")

    image, blob = picture.pop("data"), archive["resource"].pop("blob")
    assert picture == {"type": "image", "mimeType": "image/png"}
    assert (image.content, image.media_type, image.name) == (PNG, "image/png", "picture")
    assert archive == {
        "type": "resource",
        "resource": {"uri": f"{service.origin}/api/archive", "mimeType": "application/zip"},
    }
    assert (blob.content, blob.media_type, blob.name) == (b"PK\0", "application/zip", "archive")


def test_another_status_is_an_error_with_headers_and_body(service):
    assert error_of(service, "get_missing") == (
        f"GET {service.origin}/api/missing returned 404 Not Found\n"
        "Content-Type: application/json\nRetry-After: 7\nX-Request-Id: r-1\n\n"
        '{"detail": "no such thing"}'
    )


def test_a_body_that_is_not_json_is_shown(service):
    message = error_of(service, "get_not-json")

    assert message.startswith(
        "The body is declared as application/json, but cannot be read as JSON: Expecting value"
    )
    assert message.endswith("<html>oops</html>")


def test_the_log_shows_the_request_as_curl_without_secrets(service, capsys):
    call(
        service,
        "get_secured-basic",
        configuration={"basicUsername": "ada", "basicPassword": "s3cret-pw"},
    )

    first, second = capsys.readouterr().out.splitlines()
    assert first == (
        f"curl {service.origin}/api/secured-basic -H 'Accept: application/json, */*;q=0.5' "
        "-H 'Authorization: Basic [secret]'"
    )
    assert second.startswith("# 200 OK: application/json ")


def test_a_token_that_was_issued_for_the_call_is_not_shown(service, capsys):
    seen = call(service, "get_secured-oauth", configuration=client_of("oauth"))

    assert seen["headers"]["Authorization"] == "Bearer [secret]"
    assert ISSUED not in capsys.readouterr().out


def test_a_refused_client_is_explained(service):
    message = error_of(
        service, "get_secured-oauth", configuration={"oauthClientId": "a", "oauthClientSecret": "b"}
    )

    assert message.startswith("No access token was issued. POST ")
    assert message.endswith('{"error": "invalid_client"}')


# -- redirects --------------------------------------------------------------------------------------------------------


def test_a_redirect_within_the_origin_is_followed(service):
    assert call(service, "get_moved")["path"] == "/api/moved-here"


def test_credentials_do_not_follow_to_another_origin(services, service):
    spec = json.loads(json.dumps(SPECS["get_elsewhere"]))
    spec["x-openapi"] |= {
        "security": [{"k": ["k"]}],
        "securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    }
    changed = connection(service, "get_elsewhere", {"k": "key-1234"}).as_json() | {"spec": spec}

    landed = HTTPToolFactory().create(changed).call({})

    assert service.requests[0]["headers"]["X-Key"] == "key-1234"
    assert landed["path"] == "/api/landed"
    assert "X-Key" not in services[1].requests[0]["headers"]


def test_a_body_does_not_follow_to_another_origin(services, service):
    message = error_of(service, "post_post_elsewhere")

    assert "returned 307" in message
    assert f"Location: {services[1].origin}/api/landed" in message
    assert services[1].requests == []


def test_endless_redirects_end(service):
    assert "redirected more than 3 times" in error_of(service, "get_round")
    assert len(service.requests) == 4


# -- refusals ---------------------------------------------------------------------------------------------------------


def test_a_private_address_is_refused(service):
    message = error_of(service, "get_text", networks=())

    assert "127.0.0.1 is a loopback address, which connections may not reach" in message
    assert service.requests == []


def test_a_redirect_to_a_private_address_is_refused():
    with Service(other_origin="http://127.0.0.2:1") as service:
        message = error_of(service, "get_elsewhere", networks=("127.0.0.1/32",))

    assert "127.0.0.2 is a loopback address" in message


def test_an_answer_of_100_mb_is_cut_off(service):
    message = error_of(service, "get_huge", response_bytes=1000)

    assert "It sent more than the" in message


def test_a_compressed_answer_that_nobody_asked_for_is_refused(service):
    assert "compressed as 'gzip'" in error_of(service, "get_zipped")


def test_a_slow_answer_ends_with_the_run(service):
    assert "longer than the 1.2 seconds" in error_of(service, "get_slow", timeout_s=0.2)


def test_a_server_that_does_not_listen_is_named():
    with Service() as service:
        pass

    assert error_of(service, "get_text").startswith(
        f"The request to {service.origin} failed. The connection to the server failed"
    )
