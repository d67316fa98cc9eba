"""Messages, headers and refusals of the MCP server, in both eras."""

import json

import mcp_types
import pytest
from django.test import Client
from mcp.shared import inbound
from mcp_types import jsonrpc, version

from accounts.cell_rate import Rate
from accounts.models import ApiToken
from accounts.tokens import revoke_token
from playground.mcp import protocol, sessions
from tests.factories import make_token, make_user
from tests.playground.mcp.agent import LegacyAgent, ModernAgent

pytestmark = pytest.mark.django_db

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def test_codes_keys_and_versions_are_those_of_the_protocol():
    assert protocol.LEGACY_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.MODERN_VERSIONS == version.MODERN_PROTOCOL_VERSIONS
    assert protocol.PARSE_ERROR == jsonrpc.PARSE_ERROR
    assert protocol.INVALID_REQUEST == jsonrpc.INVALID_REQUEST
    assert protocol.METHOD_NOT_FOUND == jsonrpc.METHOD_NOT_FOUND
    assert protocol.INVALID_PARAMS == jsonrpc.INVALID_PARAMS
    assert protocol.INTERNAL_ERROR == jsonrpc.INTERNAL_ERROR
    assert protocol.HEADER_MISMATCH == jsonrpc.HEADER_MISMATCH
    assert protocol.UNSUPPORTED_VERSION == jsonrpc.UNSUPPORTED_PROTOCOL_VERSION
    assert protocol.VERSION_KEY == mcp_types.PROTOCOL_VERSION_META_KEY
    assert protocol.CAPABILITIES_KEY == mcp_types.CLIENT_CAPABILITIES_META_KEY
    assert protocol.SERVER_KEY == mcp_types.SERVER_INFO_META_KEY


@pytest.mark.parametrize(
    "value",
    ["plain", "", "Grüße", " padded ", "=?base64?literal?=", "=?base64?!!!?=", "=?base64?SGVsbG8?=", "=?base64??=",
     "=?base64?/w==?=", "=?base64?", "?="],
)  # fmt: skip
def test_headers_are_decoded_as_clients_encode_them(value):
    assert protocol.decoded_header(inbound.encode_header_value(value)) == value
    assert protocol.decoded_header(value) == inbound.decode_header_value(value)


# -- legacy -----------------------------------------------------------------------------------------------------------


def test_initialize_returns_the_server_and_a_session(ada):
    agent = LegacyAgent(Client(), make_token("run", user=ada))

    result = agent.initialize()

    assert result["protocolVersion"] == "2025-11-25"
    assert result["serverInfo"]["name"] == "toolshelf"
    assert result["capabilities"] == {"tools": {}}
    assert agent.headers["Mcp-Session-Id"].isascii()


@pytest.mark.parametrize("requested", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_legacy_version_is_served(ada, requested):
    agent = LegacyAgent(Client(), make_token("run", user=ada))

    assert agent.initialize(requested)["protocolVersion"] == requested
    assert agent.tool_names() == ["search_tools", "describe_tool", "call_tool"]


@pytest.mark.parametrize("requested", ["2026-07-28", "1999-01-01"])
def test_initialize_with_another_version_offers_the_latest_legacy_one(ada, requested):
    agent = LegacyAgent(Client(), make_token("run", user=ada))

    assert agent.initialize(requested)["protocolVersion"] == "2025-11-25"


def test_a_session_carries_its_version(legacy):
    legacy.headers.pop("MCP-Protocol-Version")

    assert legacy.result("ping") == {}


def test_a_forged_session_is_not_found(legacy):
    status, error = legacy.error("tools/list", **{"Mcp-Session-Id": "forged"})

    assert status == 404
    assert error["message"] == "This session is no longer valid; initialize a new one."


def test_the_session_of_another_user_is_not_found(legacy):
    foreign = sessions.new_session(make_user("eve"), "2025-11-25")

    assert legacy.error("tools/list", **{"Mcp-Session-Id": foreign})[0] == 404


def test_a_request_without_a_session_is_served(ada):
    agent = LegacyAgent(Client(), make_token("run", user=ada))

    assert len(agent.result("tools/list")["tools"]) == 3


def test_legacy_errors_of_methods_have_the_status_200(legacy):
    assert legacy.error("resources/list") == (
        200,
        {
            "code": -32601,
            "message": "This server has no method 'resources/list' in the protocol version 2025-11-25.",
        },
    )
    assert legacy.error("server/discover")[1]["code"] == -32601
    status, error = legacy.error("tools/call", {"arguments": {}})
    assert (status, error["code"]) == (200, -32602)
    assert "name" in error["message"]


def test_an_unknown_version_in_the_header_is_refused(legacy):
    status, error = legacy.error("tools/list", **{"MCP-Protocol-Version": "2031-01-01"})

    assert (status, error["code"]) == (400, -32022)
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_notifications_are_accepted(legacy):
    response = legacy.notify("notifications/roots/list_changed")

    assert response.status_code == 202
    assert response.content == b""


# -- modern -----------------------------------------------------------------------------------------------------------


def test_discover_returns_versions_and_the_server(modern):
    result = modern.result("server/discover")

    assert result["resultType"] == "complete"
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["capabilities"] == {"tools": {}}
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["title"] == "Toolshelf"
    assert (result["ttlMs"] > 0, result["cacheScope"]) == (True, "public")


def test_lists_have_the_hints_for_caches(modern):
    result = modern.result("tools/list")

    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == (
        "complete",
        60_000,
        "public",
    )
    assert [tool["name"] for tool in result["tools"]] == [
        "search_tools",
        "describe_tool",
        "call_tool",
    ]


@pytest.mark.parametrize("key", META)
def test_a_request_without_a_required_field_is_refused(modern, key):
    meta = {name: value for name, value in META.items() if name != key}
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}}

    response = modern.post(body, **modern.more_headers("tools/list", {}))

    assert response.status_code == 400
    assert response.json()["id"] == 7
    assert response.json()["error"]["code"] == -32602
    assert key in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "part"),
    [
        ({"MCP-Protocol-Version": None}, "The header MCP-Protocol-Version is missing"),
        (
            {"MCP-Protocol-Version": "2025-11-25"},
            "The header MCP-Protocol-Version is '2025-11-25', but",
        ),
        ({"Mcp-Method": None}, "The header Mcp-Method is missing"),
        ({"Mcp-Method": "TOOLS/CALL"}, "The header Mcp-Method is 'TOOLS/CALL', but the body has"),
        ({"Mcp-Name": None}, "The header Mcp-Name is missing"),
        ({"Mcp-Name": "describe_tool"}, "The header Mcp-Name is 'describe_tool', but the body has"),
        ({"Mcp-Name": "=?base64?!!!?="}, "The header Mcp-Name is missing or cannot be decoded"),
    ],
)
def test_headers_must_match_the_body(modern, headers, part):
    message = modern.message("tools/call", {"name": "search_tools", "arguments": {}})

    response = modern.post(
        message, **(modern.more_headers("tools/call", {"name": "search_tools"}) | headers)
    )

    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32020
    assert part in response.json()["error"]["message"]
    assert response.json()["id"] == message["id"]


def test_an_encoded_name_is_decoded(modern):
    params = {"name": "search_tools", "arguments": {}}

    response = modern.post(
        modern.message("tools/call", params),
        **(modern.more_headers("tools/call", params) | {"Mcp-Name": "=?base64?c2VhcmNoX3Rvb2xz?="}),
    )

    assert response.status_code == 200


def test_another_modern_version_is_refused_with_the_supported_ones(modern):
    modern.version = "2027-01-01"

    status, error = modern.error("tools/list")

    assert (status, error["code"]) == (400, -32022)
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2027-01-01"}


@pytest.mark.parametrize(
    "method",
    [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "subscriptions/listen",
        "unknown/one",
    ],
)
def test_a_method_that_is_not_implemented_is_not_found(modern, method):
    status, error = modern.error(method)

    assert (status, error["code"]) == (404, -32601)


def test_a_session_header_is_ignored(modern):
    assert modern.request("tools/list", **{"Mcp-Session-Id": "anything"}).status_code == 200


def test_an_unknown_tool_is_a_protocol_error(modern, legacy):
    status, error = modern.error("tools/call", {"name": "no_such_tool", "arguments": {}})

    assert (status, error["code"]) == (400, -32602)
    assert error["message"].startswith("Unknown tool: no_such_tool.")
    assert legacy.error("tools/call", {"name": "no_such_tool"})[0] == 200


def test_a_cursor_of_another_list_is_refused(modern):
    assert modern.error("tools/list", {"cursor": "x"})[1]["code"] == -32602


# -- bodies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("{", -32700, "The body is not JSON"),
        ('{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', -32700, "line 1"),
        ("[]", -32600, "Batches are not supported"),
        ('{"id": 1, "method": "ping"}', -32600, "JSON-RPC message"),
        ('{"jsonrpc": "2.0", "id": 1, "result": {}}', -32600, "This server sends no requests"),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, "`id` must be"),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, "`id` must be"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600, "`params` must be"),
    ],
)
def test_a_body_that_is_no_message_is_refused(legacy, body, code, part):
    response = legacy.post(body)

    assert response.status_code == 400
    assert response.json()["jsonrpc"] == "2.0"
    assert response.json()["error"]["code"] == code
    assert part in response.json()["error"]["message"]


def test_a_body_that_is_too_large_is_refused(legacy):
    response = legacy.post(
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * 4_300_000}})
    )

    assert response.status_code == 413
    assert response.json()["error"]["code"] == -32600


def test_another_content_type_is_refused(ada, client):
    headers = {"Authorization": f"Bearer {make_token('run', user=ada)}"}

    response = client.post("/mcp", "{}", content_type="text/plain", headers=headers)

    assert response.status_code == 415
    assert response.json()["error"]["message"] == "Send the message as application/json."


def test_a_client_that_accepts_neither_json_nor_events_is_refused(legacy):
    assert legacy.request("ping", Accept="text/html").status_code == 406


@pytest.mark.parametrize("method", ["get", "delete", "put", "head"])
def test_other_http_methods_are_not_allowed(client, method):
    response = getattr(client, method)("/mcp")

    assert response.status_code == 405
    assert response["Allow"] == "POST"


# -- who may --------------------------------------------------------------------------------------------------------


def test_without_a_token_the_response_explains_where_to_get_one(db):
    response = ModernAgent(Client()).request("tools/list")

    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Bearer realm="Toolshelf", scope="read run"'
    assert "/connect/" in response.json()["error"]["message"]


def test_a_session_of_a_browser_does_not_authenticate(browser):
    assert ModernAgent(browser).request("tools/list").status_code == 401


@pytest.mark.parametrize("authorization", ["Bearer wrong", "Basic YTpi", "Bearer"])
def test_an_unusable_token_is_refused(db, authorization):
    response = ModernAgent(Client()).request("tools/list", Authorization=authorization)

    assert response.status_code == 401
    assert 'error="invalid_token"' in response["WWW-Authenticate"]


def test_a_revoked_token_is_refused(ada, modern):
    revoke_token(ApiToken.objects.get(user=ada))

    assert modern.request("tools/list").status_code == 401


@pytest.mark.parametrize("scope", ["read", "run"])
def test_a_token_to_read_or_to_run_lists_and_searches(ada, scope):
    agent = ModernAgent(Client(), make_token(scope, user=ada))

    assert len(agent.result("tools/list")["tools"]) == 3
    assert agent.call("search_tools")["structuredContent"] == {"tools": [], "count": 0}


def test_a_token_to_publish_lists_nothing(ada):
    response = ModernAgent(Client(), make_token("publish", user=ada)).request("tools/list")

    assert response.status_code == 403
    assert (
        response.json()["error"]["message"] == "This token lacks the scope 'run'; it has: publish."
    )


def test_only_a_token_to_run_calls_tools(ada):
    agent = ModernAgent(Client(), make_token("read", user=ada))

    response = agent.request(
        "tools/call", {"name": "call_tool", "arguments": {"tool": "hash_text"}}
    )

    assert response.status_code == 403
    assert 'error="insufficient_scope", scope="run"' in response["WWW-Authenticate"]
    assert response.json()["error"]["message"] == "This token lacks the scope 'run'; it has: read."


def test_a_page_of_another_site_is_refused(modern):
    response = modern.request("tools/list", Origin="http://evil.example.com")

    assert response.status_code == 403
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32600,
            "message": "This request comes from a page of another site, so it was refused.",
        },
    }


def test_the_own_origin_is_accepted(modern):
    assert modern.request("tools/list", Origin="http://testserver").status_code == 200


def test_a_foreign_host_is_refused(modern):
    response = modern.request("tools/list", Host="evil.example.com")

    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32600


def test_an_unknown_toolkit_is_not_found(modern):
    status, error = modern.at("/mcp/nothing").error("tools/list")

    assert status == 404
    assert (
        error["message"]
        == "The catalog has no toolkit 'nothing'. /api/v1/toolkits lists the toolkits."
    )


# -- rates ----------------------------------------------------------------------------------------------------------


def test_too_many_requests_of_a_user_are_refused(modern, settings):
    settings.API_RATE = Rate(2, 60)

    responses = [modern.request("tools/list") for _ in range(3)]

    assert [response.status_code for response in responses] == [200, 200, 429]
    assert int(responses[2]["Retry-After"]) > 0
    assert responses[2].json()["error"]["message"].startswith("You have sent too many requests")


def test_too_many_requests_without_a_token_are_refused(db, settings):
    settings.API_RATE = Rate(2, 60)
    agent = ModernAgent(Client(), "wrong")

    assert [agent.request("tools/list").status_code for _ in range(3)] == [401, 401, 429]
