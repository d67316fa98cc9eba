"""Clients of the MCP server in both eras, which check every result against the types of its version."""

import json
from itertools import count

from mcp_types import methods

ACCEPT = "application/json, text/event-stream"


class Agent:
    """Sends messages with Django's client; `path` is the address of the server."""

    version = ""

    def __init__(self, client, token=None, path="/mcp"):
        self.client = client
        self.path = path
        self.headers = {"Accept": ACCEPT}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        self.numbers = count(1)

    def at(self, path):
        """The same client at another address."""
        other = type(self)(self.client, path=path)
        other.headers = dict(self.headers)
        return other

    def post(self, body, **headers):
        """The HTTP response to a body; a header that is None is not sent."""
        data = body if isinstance(body, str | bytes) else json.dumps(body)
        sent = {
            name.replace("_", "-"): value for name, value in {**self.headers, **headers}.items()
        }
        sent = {name: value for name, value in sent.items() if value is not None}
        return self.client.post(self.path, data, content_type="application/json", headers=sent)

    def request(self, method, params=None, **headers):
        return self.post(
            self.message(method, params), **self.more_headers(method, params), **headers
        )

    def message(self, method, params):
        return {
            "jsonrpc": "2.0",
            "id": next(self.numbers),
            "method": method,
            "params": self.params(params),
        }

    def params(self, params):
        return params or {}

    def more_headers(self, method, params):
        return {}

    def result(self, method, params=None, **headers):
        """The result of a request, which conforms to the types of the version."""
        response = self.request(method, params, **headers)
        assert response.status_code == 200, response.content
        result = answer_of(response)["result"]
        methods.validate_server_result(method, self.version, result)
        return result

    def error(self, method, params=None, **headers):
        """The HTTP status and the JSON-RPC error of a request."""
        response = self.request(method, params, **headers)
        return response.status_code, response.json()["error"]

    def call(self, name, arguments=None, **params):
        return self.result("tools/call", {"name": name, "arguments": arguments or {}, **params})

    def events(self, name, arguments=None, **params):
        """The messages of the stream that responds to a call."""
        response = self.request(
            "tools/call", {"name": name, "arguments": arguments or {}, **params}
        )
        assert response["Content-Type"] == "text/event-stream"
        return messages_of(b"".join(response.streaming_content).decode())

    def tool_names(self):
        return [tool["name"] for tool in self.result("tools/list")["tools"]]


def answer_of(response):
    """The answer to a request: a call that takes seconds becomes a stream, whose last message it is."""
    if response["Content-Type"] == "text/event-stream":
        return messages_of(b"".join(response.streaming_content).decode())[-1]
    return response.json()


def messages_of(stream):
    return [
        json.loads(line.removeprefix("data: "))
        for line in stream.splitlines()
        if line.startswith("data: ")
    ]


class ModernAgent(Agent):
    version = "2026-07-28"

    def params(self, params):
        params = params or {}
        meta = {
            "io.modelcontextprotocol/protocolVersion": self.version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        return {**params, "_meta": {**meta, **params.get("_meta", {})}}

    def more_headers(self, method, params):
        headers = {"MCP-Protocol-Version": self.version, "Mcp-Method": method}
        if params and "name" in params:
            headers["Mcp-Name"] = params["name"]
        return headers


class LegacyAgent(Agent):
    version = "2025-11-25"

    def initialize(self, version=version):
        params = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        response = self.post(self.message("initialize", params))
        assert response.status_code == 200, response.content
        self.headers |= {"Mcp-Session-Id": response["Mcp-Session-Id"]}
        result = response.json()["result"]
        self.version = result["protocolVersion"]
        self.headers["MCP-Protocol-Version"] = self.version
        assert self.notify("notifications/initialized").status_code == 202
        return result

    def notify(self, method, params=None):
        return self.post({"jsonrpc": "2.0", "method": method, "params": params or {}})
