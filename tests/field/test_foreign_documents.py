"""Documents that are no tools: an upload says what they are instead of what they lack."""

import json

import pytest
from django.core.management import call_command

from catalog.tools.models import Tool
from tests.factories import make_token, make_user, properties
from tests.field import field_input

pytestmark = pytest.mark.django_db

MCP_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
CLIENT = "This is the configuration of an MCP client. Add its servers as sources."
REGISTRY = "This is an entry of the MCP registry"
POSTMAN = "This is a Postman collection"
BUNDLE = "This is the manifest of an MCP bundle"
ASYNC_API = "This is an AsyncAPI document"
EMPTY = "This list contains no tools"
SERVER = {"name": "io.github.ann/notes", "description": "d", "version": "1.0.0", "packages": []}
FOREIGN = {
    "configuration": (field_input("upload-client-configuration"), CLIENT),
    "configuration of VS Code": ({"servers": {"a": {"url": "https://a.example/mcp"}}, "inputs": []}, CLIENT),
    "configuration of Zed": ({"context_servers": {"a": {"command": "a"}}}, CLIENT),
    "configuration in settings": ({"mcp": {"servers": {"a": {"command": "a"}}}}, CLIENT),
    "registry": ({"$schema": MCP_SCHEMA, **SERVER}, REGISTRY),
    "registry without schema": (SERVER, REGISTRY),
    "registry with remotes": ({"name": "a/b", "version": "1", "remotes": [{"type": "sse"}]}, REGISTRY),
    "registry answer": ({"server": SERVER, "_meta": {}}, REGISTRY),
    "registry list": ({"servers": [{"server": SERVER}], "metadata": {}}, REGISTRY),
    "bundle": (
        {"manifest_version": "0.3", "name": "a", "server": {"type": "node"}, "tools": [{"name": "a"}]},
        BUNDLE,
    ),
    "older bundle": ({"dxt_version": "0.1", "name": "a", "server": {"type": "node"}}, BUNDLE),
    "Postman": (
        {"info": {"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}, "item": []},
        POSTMAN,
    ),
    "Postman's API": ({"collection": {"info": {"_postman_id": "1", "name": "a"}, "item": []}}, POSTMAN),
    "older Postman": ({"id": "1", "name": "a", "order": [], "requests": []}, POSTMAN),
    "OpenRPC": ({"openrpc": "1.2.6", "info": {}, "methods": []}, "This is an OpenRPC document"),
    "AsyncAPI 2": ({"asyncapi": "2.6.0", "channels": {}, "servers": {"a": {"url": "x"}}}, ASYNC_API),
    "AsyncAPI 3": ({"asyncapi": "3.0.0", "info": {}, "operations": {}}, ASYNC_API),
    "JSON-RPC error": (
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
        "This is a JSON-RPC error, not a list of tools: Method not found",
    ),
    "OpenAPI 4": ({"openapi": "4.0.0", "info": {}, "paths": {}}, "OpenAPI 4.0.0 is not supported"),
    "Swagger 1.2": ({"swaggerVersion": "1.2", "apis": []}, "Swagger 1.2 is not supported"),
    "Swagger 1.1": ({"swagger": "1.1", "apis": []}, "Swagger 1.1 is not supported"),
    "no tools": ({"tools": []}, EMPTY),
    "no tools in a result": ({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}, EMPTY),
    "no functions": ({"functions": []}, EMPTY),
    "no declarations": ({"functionDeclarations": []}, EMPTY),
}  # fmt: skip


@pytest.fixture
def headers():
    return {"Authorization": f"Bearer {make_token(user=make_user('grace'))}"}


def posted(client, headers, body, *, path="/api/v1/uploads", content_type="application/json"):
    return client.post(path, body, content_type=content_type, headers=headers)


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_document_that_is_no_tool_is_named(client, headers, kind):
    document, message = FOREIGN[kind]

    answer = posted(client, headers, json.dumps(document)).json()

    assert message in json.dumps(answer, ensure_ascii=False)
    assert "is missing" not in json.dumps(answer)


def test_one_spec_sent_to_the_api_is_named_too(client, headers):
    document = json.dumps(field_input("upload-client-configuration"))

    for path in ("/api/v1/tools", "/api/v1/specs/check"):
        assert CLIENT in posted(client, headers, document, path=path).content.decode()


@pytest.mark.parametrize(
    "document", [{"openapi": "3.0.3", "paths": {}}, {"swagger": "2.0", "paths": {}}]
)
def test_a_version_that_can_be_imported_is_not_called_unsupported(client, headers, document):
    answer = posted(client, headers, json.dumps(document), path="/api/v1/tools")

    assert answer.status_code == 422
    assert "not supported" not in answer.content.decode()


def test_a_document_in_yaml_is_named(client, headers):
    text = "mcpServers:\n  notes:\n    command: npx\n"

    answer = posted(client, headers, text, content_type="application/yaml")

    assert CLIENT in answer.content.decode()


def test_a_large_document_is_named_and_not_only_measured(client, headers):
    item = [
        {"name": f"request {number}", "request": {"url": "https://a.example"}}
        for number in range(6_000)
    ]
    document, _ = FOREIGN["Postman"]

    answer = posted(client, headers, json.dumps({**document, "item": item}))

    assert POSTMAN in answer.content.decode()


def test_the_page_and_the_command_name_a_document(client, tmp_path, capsys):
    (tmp_path / "mcp.json").write_text(
        json.dumps(field_input("upload-client-configuration")), encoding="utf-8"
    )
    client.force_login(make_user())

    page = client.post("/add/", {"text": json.dumps(FOREIGN["registry"][0])}, follow=True)
    with pytest.raises(SystemExit):
        call_command("load_specs", str(tmp_path))

    assert REGISTRY in page.content.decode()
    assert CLIENT in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "document",
    [
        {
            "name": "servers",
            "description": "Servers",
            "input_schema": properties(servers={"type": "object"}),
        },
        {"tools": [{"name": "error", "description": "d", "inputSchema": {"type": "object"}}]},
        {"definition": {"name": "mcpServers", "description": "d"}, "mcpServers": {}, "tools": []},
    ],
)
def test_a_tool_with_members_of_such_documents_stays_a_tool(client, headers, document):
    answer = posted(client, headers, json.dumps(document))

    assert Tool.objects.count() == 1, answer.content
