"""Documents that are neither a spec nor a list of tools: what they are, and what to do.

They are known by their typical members.

Sources: the configurations of Claude Desktop and Cursor (`mcpServers`), VS Code (`servers`), Zed
(`context_servers`); the MCP registry's server.json; the manifest of MCPB and DXT; Postman
Collection 1 and 2; OpenRPC; AsyncAPI; JSON-RPC 2.0; the version fields of OpenAPI and Swagger.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON

Object = dict[str, JSON]

MAX_REPEATED_CHARACTERS: Final = 200
MARKS: Final = (
    b'"mcpServers"', b'"servers"', b"schema.getpostman.com", b'"_postman_id"', b'"openrpc"',
    b'"asyncapi"', b'"swaggerVersion"',
)  # fmt: skip
_TOOLS: Final = ("tools", "functions", "functionDeclarations", "function_declarations")


def foreign_document(document: JSON) -> str:
    """What `document` is, and what to do with it, as sentences.

    "" if that is not known, or if it may be a spec.
    """
    if not isinstance(document, dict) or "definition" in document:
        return ""
    for describe in _KINDS:
        message = describe(document)
        if message:
            return message
    return ""


def _describe_json_rpc_error(document: Object) -> str:
    error = document.get("error")
    if "jsonrpc" not in document or not isinstance(error, dict):
        return ""
    message = str(error.get("message", ""))[:MAX_REPEATED_CHARACTERS]
    return f"This is a JSON-RPC error, not a list of tools: {message or 'it has no message'}"


def _describe_other_api(document: Object) -> str:
    advice = "cannot be called as tools. Upload OpenAPI 3 instead."
    if "asyncapi" in document:
        return f"This is an AsyncAPI document, whose operations {advice}"
    if "openrpc" in document:
        return f"This is an OpenRPC document, whose methods {advice}"
    if "openapi" in document:
        return _describe_version("OpenAPI", document["openapi"])
    return _describe_version("Swagger", document.get("swaggerVersion", document.get("swagger")))


def _describe_version(name: str, declared: JSON) -> str:
    version = str(declared)[:MAX_REPEATED_CHARACTERS]
    if declared is None or version.startswith("3.") or version in {"2", "2.0"}:
        return ""
    return f"{name} {version} is not supported. Convert the document to OpenAPI 3 and upload that."


def _describe_postman(document: Object) -> str:
    collection = members_of(document.get("collection", document))
    info = members_of(collection.get("info"))
    names_postman = "_postman_id" in info or "postman.com" in str(info)
    is_first = {"id", "order", "requests"} <= collection.keys()
    is_second = names_postman and "item" in collection
    if not is_first and not is_second:
        return ""
    return "This is a Postman collection. Convert it to OpenAPI 3 and upload that."


def _describe_bundle(document: Object) -> str:
    if "server" not in document or document.keys().isdisjoint({"manifest_version", "dxt_version"}):
        return ""
    return "This is the manifest of an MCP bundle (MCPB). Add its server as a source."


def _describe_registry_entry(document: Object) -> str:
    servers = items_of(document.get("servers"))
    entry = members_of(servers[0]) if servers else document
    entry = members_of(entry.get("server", entry))
    is_entry = isinstance(entry.get("name"), str) and ("packages" in entry or "remotes" in entry)
    if not is_entry and "modelcontextprotocol.io/schemas" not in str(entry.get("$schema")):
        return ""
    return "This is an entry of the MCP registry (server.json). Add its server as a source."


def _describe_client_configuration(document: Object) -> str:
    settings = members_of(document.get("mcp")) or document
    if not _are_servers(settings.get("servers")):
        names = ("mcpServers", "mcp_servers", "context_servers")
        if not any(isinstance(settings.get(name), dict) for name in names):
            return ""
    return "This is the configuration of an MCP client. Add its servers as sources."


def _are_servers(value: JSON) -> bool:
    servers = members_of(value).values()
    for server in servers:
        if members_of(server).keys().isdisjoint({"command", "url"}):
            return False
    return bool(servers)


def _describe_empty_list(document: Object) -> str:
    result = members_of(document.get("result", document))
    if not any(result.get(name) == [] for name in _TOOLS):
        return ""
    return "This list contains no tools."


_KINDS: Final[tuple[Callable[[Object], str], ...]] = (
    _describe_json_rpc_error,
    _describe_other_api,
    _describe_postman,
    _describe_bundle,
    _describe_client_configuration,
    _describe_registry_entry,
    _describe_empty_list,
)
