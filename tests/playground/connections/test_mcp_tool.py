"""Tools of MCP servers, called without a run: answers, errors, and servers that misbehave."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from playground.connections.connection import Connection
from playground.connections.mcp_tool import MCPToolFactory, read_response
from toolshelf_tools import ToolError

LOOPBACK = ("127.0.0.0/8",)
SCHEMA = {"type": "object", "properties": {"a": {"type": "number"}}}
SPEC = {"definition": {"name": "add", "description": "Add.", "parameters": SCHEMA}}


def call(address, parameters=None, *, networks=LOOPBACK, spec=SPEC, **more):
    connection = Connection(
        source="strange",
        remote_name="add",
        address=address,
        spec=spec,
        allowed_networks=networks,
        **more,
    )
    return (
        MCPToolFactory().create(json.loads(json.dumps(connection.as_json()))).call(parameters or {})
    )


def error_of(*arguments, **more):
    with pytest.raises(ToolError) as error:
        call(*arguments, **more)
    return str(error.value)


class Strange(ThreadingHTTPServer):
    """A server of the older protocol, whose answers are `answers[method]`: a result, or a function of the handler."""

    daemon_threads = True

    def __init__(self, **answers):
        super().__init__(("127.0.0.1", 0), StrangeHandler)
        self.answers = {
            "tools/list": {"tools": [{"name": "add", "description": "Add.", "inputSchema": SCHEMA}]}
        } | {name.replace("_", "/", 1): answer for name, answer in answers.items()}
        self.received = []
        self.address = f"http://127.0.0.1:{self.server_address[1]}/mcp"

    @property
    def methods(self):
        return [each["method"] for each in self.received]

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "strange", "version": "1"},
}


class StrangeHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(405, b"", "text/plain")

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received.append(message)
        method = message["method"]
        if "id" not in message:
            self.reply(202, b"", "")
        elif method == "initialize":
            self.result(message, INITIALIZED, **{"Mcp-Session-Id": "s1"})
        elif method in self.server.answers:
            answer = self.server.answers[method]
            answer(self, message) if callable(answer) else self.result(message, answer)
        else:
            error = {
                "jsonrpc": "2.0",
                "id": message["id"],
                "error": {"code": -32601, "message": "Unknown method"},
            }
            self.reply(200, json.dumps(error).encode())

    def result(self, message, result, **headers):
        self.reply(
            200,
            json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode(),
            **headers,
        )

    def reply(self, status, content, media_type="application/json", **headers):
        self.send_response(status)
        for name, value in {
            "Content-Type": media_type,
            "Content-Length": str(len(content)),
            **headers,
        }.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def text(value):
    return {"content": [{"type": "text", "text": value}]}


# -- answers ----------------------------------------------------------------------------------------------------------


def result_of(**members):
    return read_response({"content": [], **members})


def test_structured_content_is_the_response():
    assert result_of(structuredContent={"a": 1}, **text("ignored")) == {"a": 1}
    assert result_of(structuredContent=None) is None


def test_one_text_that_is_json_is_the_response():
    assert result_of(**text("[1, 2]")) == [1, 2]
    assert result_of(**text("42")) == 42


def test_other_content_is_the_response_as_it_is():
    blocks = [{"type": "text", "text": "{}"}, {"type": "text", "text": "{}"}]

    assert result_of(content=blocks) == blocks
    assert result_of() == []


def test_an_error_has_the_text_of_the_tool():
    with pytest.raises(ToolError, match=r"^one\ntwo$"):
        result_of(
            isError=True, content=[{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
        )
    with pytest.raises(ToolError, match="failed without an error message"):
        result_of(isError=True)
    with pytest.raises(ToolError, match=r'\{"code": 7\}'):
        result_of(isError=True, structuredContent={"code": 7})


def test_a_tool_that_asks_for_input_fails_with_a_sentence():
    with pytest.raises(ToolError, match="asks its caller for more input"):
        read_response({"resultType": "input_required", "requestState": "s"})


def test_a_server_of_the_older_protocol():
    with Strange(tools_call={**text("x"), "structuredContent": {"sum": 3}}) as server:
        assert call(server.address, {"a": 1}) == {"sum": 3}

    assert server.methods[1:] == [
        "initialize", "notifications/initialized", "tools/list", "tools/call",
    ]  # fmt: skip
    assert server.received[-1]["params"]["arguments"] == {"a": 1}


# -- the definition ---------------------------------------------------------------------------------------------------


TOOL = {"name": "add", "description": "Add.", "inputSchema": SCHEMA}
OPTIONAL = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
REQUIRED = {**OPTIONAL, "required": ["b"]}
DEFAULTED = {"type": "object", "properties": {"a": {"type": "number", "default": 100}}}


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"inner": value}
    return value


def call_changed(change, **more):
    """Call a tool that the source lists with `change`; the methods that the server got, too."""
    with Strange(tools_list={"tools": [{**TOOL, **change}]}, tools_call=text("1")) as server:
        try:
            return call(server.address, **more), server.methods
        except ToolError as error:
            return str(error), server.methods


def test_the_same_definition_is_called_without_a_note(capsys):
    response, _ = call_changed({"_unknown": True})

    assert (response, capsys.readouterr().out) == (1, "")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"description": "Subtract."}, "The description changed."),
        ({"title": "Subtract"}, "The title of the tool changed."),
        ({"annotations": {"destructiveHint": True}}, "not to be not destructive"),
        ({"inputSchema": REQUIRED}, "New required parameter `b`."),
        ({"inputSchema": DEFAULTED}, "The default of `a` is now 100"),
        ({"inputSchema": []}, "Its present definition is not valid."),
    ],
)
def test_a_tool_that_changed_since_its_approval_is_not_called(change, why):
    error, methods = call_changed(change)

    assert "has changed this tool since it was approved, so it was not called" in error
    assert why in error
    assert "tools/call" not in methods


@pytest.mark.parametrize(
    "present",
    [
        {"name": "add", "description": "Add."},
        {"name": "add", "tools": [TOOL, {**TOOL, "name": "other"}]},
        {**TOOL, "_meta": nested(190)},
    ],
)
def test_a_tool_whose_present_definition_cannot_be_read_is_not_called(present):
    with Strange(tools_list={"tools": [present]}, tools_call=text("1")) as server:
        error = error_of(server.address)

    assert "so it was not called. Its present definition is not valid." in error
    assert "tools/call" not in server.methods


def test_an_unchanged_tool_is_called_however_long_a_spec_the_site_accepts(capsys):
    long = {"description": "Add. " * 2**18}
    spec = {"definition": {**SPEC["definition"], **long}}

    response, _ = call_changed(long, spec=spec, max_spec_bytes=2 * 2**20)

    assert (response, capsys.readouterr().out) == (1, "")


def test_a_change_that_the_policy_publishes_is_only_noted(capsys):
    response, _ = call_changed({"inputSchema": OPTIONAL})

    assert response == 1
    assert capsys.readouterr().out == (
        "The source has changed this tool since it was approved. New optional parameter `b`. "
        "Sync the source to publish the change.\n"
    )


def test_the_policy_of_the_source_decides_whether_a_changed_tool_is_called():
    response, _ = call_changed({"description": "Subtract."}, update_policy="automatic")
    error, _ = call_changed({"inputSchema": OPTIONAL}, update_policy="review")

    assert response == 1
    assert "so it was not called" in error


def test_a_tool_that_is_no_longer_listed_is_reported(capsys):
    with Strange(tools_list={"tools": []}, tools_call=text("1")) as server:
        assert call(server.address) == 1

    assert (
        capsys.readouterr().out
        == "The source no longer lists this tool. Sync the source to mark it.\n"
    )


def test_an_endless_list_does_not_hold_the_call(capsys):
    def page(handler, message):
        number = int(message.get("params", {}).get("cursor", "0"))
        tool = {"name": f"t{number}", "inputSchema": {"type": "object"}}
        handler.result(message, {"tools": [tool], "nextCursor": str(number + 1)})

    with Strange(tools_list=page, tools_call=text("1")) as server:
        assert call(server.address) == 1

    assert server.methods.count("tools/list") == 50
    assert "no longer lists this tool" in capsys.readouterr().out


def test_a_refused_list_does_not_prevent_the_call(capsys):
    def refuse(handler, message):
        error = {
            "jsonrpc": "2.0",
            "id": message["id"],
            "error": {"code": -32603, "message": "No lists today"},
        }
        handler.reply(200, json.dumps(error).encode())

    with Strange(tools_list=refuse, tools_call=text("1")) as server:
        assert call(server.address) == 1

    assert "does not list its tools: No lists today" in capsys.readouterr().out


# -- servers that misbehave -------------------------------------------------------------------------------------------


def test_wrong_types_are_explained_and_shown(capsys):
    with Strange(tools_call={"content": "not a list"}) as server:
        assert call(server.address) == "not a list"

    assert capsys.readouterr().out == (
        "The result does not follow the protocol: Input should be a valid list (at content). "
        "It is shown as the source sent it.\n"
    )


def test_an_answer_of_100_mb_is_cut_off():
    def flood(handler, message):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(100 * 2**20))
        handler.end_headers()
        try:
            for _ in range(1600):
                handler.wfile.write(b" " * 65_536)
        except OSError:
            handler.close_connection = True

    with Strange(tools_call=flood) as server:
        assert "It sent more than the" in error_of(server.address)


def test_a_slow_answer_ends_with_the_run():
    with Strange(tools_call=lambda handler, message: time.sleep(20)) as server:
        assert "longer than the 3 seconds" in error_of(server.address, timeout_s=2)


def test_a_redirect_to_another_origin_is_not_followed():
    def redirect(handler, message):
        handler.reply(307, b"", "text/plain", Location="http://127.0.0.1:1/mcp")

    with Strange(tools_call=redirect) as server:
        assert "Redirect to http://127.0.0.1:1/mcp not followed" in error_of(server.address)


def test_an_http_error_is_named():
    with Strange(
        tools_call=lambda handler, message: handler.reply(401, b"", "text/plain")
    ) as server:
        assert error_of(server.address).endswith("(HTTP 401 Unauthorized)")


def test_an_answer_that_is_no_json_is_explained():
    with Strange(tools_call=lambda handler, message: handler.reply(200, b"{")) as server:
        assert "responded with an error: Failed to parse JSON response" in error_of(server.address)


def test_a_private_address_is_refused():
    with Strange() as server:
        assert "127.0.0.1 is a loopback address" in error_of(server.address, networks=())
        assert server.received == []


def test_a_server_that_does_not_listen_is_named():
    with Strange() as server:
        pass

    assert error_of(server.address).startswith(
        "The source strange failed. The connection to the server failed"
    )


def test_a_protocol_error_has_the_message_of_the_server():
    with Strange() as server:
        assert (
            error_of(server.address)
            == "The source strange responded with an error: Unknown method (code -32601)"
        )


# -- commands ---------------------------------------------------------------------------------------------------------


def test_a_command_that_does_not_exist_is_explained():
    assert error_of("", command=("no-such-command",)).startswith(
        "The command of the source strange cannot be started"
    )


def test_the_error_of_a_command_that_does_not_start_has_its_stderr():
    program = "import sys; sys.exit('Error: EMFILE: too many open files')"

    error = error_of("", command=(sys.executable, "-c", program))

    assert error == (
        "The command of the source strange ended without an answer.\n\nError: EMFILE: too many open files"
    )
