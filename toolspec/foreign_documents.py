"""Documents that are neither a spec nor a list of tools, by their typical members: what they are, and what to do.

Sources: the configurations of Claude Desktop and Cursor (`mcpServers`), VS Code (`servers`), Zed (`context_servers`);
the MCP registry's server.json; the manifest of MCPB and DXT; Postman Collection 1 and 2; OpenRPC; AsyncAPI; JSON-RPC
2.0; the version fields of OpenAPI and Swagger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON

Object = dict[str, JSON]

MAX_REPEATED_CHARACTERS: Final = 200
MARKS: Final = (
    b'"mcpServers"', b'"servers"', b"schema.getpostman.com", b'"_postman_id"', b'"openrpc"', b'"asyncapi"',
    b'"swaggerVersion"',
)  # fmt: skip
_TOOLS: Final = ("tools", "functions", "functionDeclarations", "function_declarations")


def foreign_document(document: JSON) -> str:
    """What `document` is, and what to do with it, as sentences; "" if it is not known, or may be a spec."""
    if not isinstance(document, dict) or "definition" in document:
        return ""
    return next((message for describe in _KINDS if (message := describe(document))), "")


def _json_rpc_error(document: Object) -> str:
    error = document.get("error")
    if "jsonrpc" not in document or not isinstance(error, dict):
        return ""
    message = str(error.get("message", ""))[:MAX_REPEATED_CHARACTERS]
    return f"This is a JSON-RPC error, not a list of tools: {message or 'it has no message'}"


def _other_api(document: Object) -> str:
    if "asyncapi" in document:
        return "This is an AsyncAPI document, whose operations cannot be called as tools. Upload OpenAPI 3 instead."
    if "openrpc" in document:
        return "This is an OpenRPC document, whose methods cannot be called as tools. Upload OpenAPI 3 instead."
    if "openapi" in document:
        return _other_version("OpenAPI", document["openapi"])
    return _other_version("Swagger", document.get("swaggerVersion", document.get("swagger")))


def _other_version(name: str, declared: JSON) -> str:
    version = str(declared)[:MAX_REPEATED_CHARACTERS]
    if declared is None or version.startswith("3.") or version in {"2", "2.0"}:
        return ""
    return f"{name} {version} is not supported. Convert the document to OpenAPI 3 and upload that."


def _postman(document: Object) -> str:
    collection = members_of(document.get("collection", document))
    info = members_of(collection.get("info"))
    is_second = (
        "_postman_id" in info
        or "getpostman.com" in str(info.get("schema"))
        or "postman.com" in str(info)
    )
    is_first = {"id", "order", "requests"} <= collection.keys()
    if not is_first and not (is_second and "item" in collection):
        return ""
    return "This is a Postman collection. Convert it to OpenAPI 3 and upload that."


def _bundle(document: Object) -> str:
    if (
        not ("manifest_version" in document or "dxt_version" in document)
        or "server" not in document
    ):
        return ""
    return "This is the manifest of an MCP bundle (MCPB). Add its server as a source."


def _registry_entry(document: Object) -> str:
    entries = [members_of(one) for one in items_of(document.get("servers"))] or [document]
    entry = members_of(entries[0].get("server", entries[0]))
    is_entry = isinstance(entry.get("name"), str) and ("packages" in entry or "remotes" in entry)
    if not is_entry and "modelcontextprotocol.io/schemas" not in str(entry.get("$schema")):
        return ""
    return "This is an entry of the MCP registry (server.json). Add its server as a source."


def _client_configuration(document: Object) -> str:
    settings = members_of(document.get("mcp")) or document
    named = [settings.get(name) for name in ("mcpServers", "mcp_servers", "context_servers")]
    if not any(isinstance(servers, dict) for servers in named) and not _are_servers(
        settings.get("servers")
    ):
        return ""
    return "This is the configuration of an MCP client. Add its servers as sources."


def _are_servers(value: JSON) -> bool:
    servers = [members_of(server) for server in members_of(value).values()]
    return bool(servers) and all("command" in server or "url" in server for server in servers)


def _empty_list(document: Object) -> str:
    result = members_of(document.get("result", document))
    if not any(result.get(name) == [] for name in _TOOLS):
        return ""
    return "This list contains no tools."


_KINDS: Final[tuple[Callable[[Object], str], ...]] = (
    _json_rpc_error,
    _other_api,
    _postman,
    _bundle,
    _client_configuration,
    _registry_entry,
    _empty_list,
)
