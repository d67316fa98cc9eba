"""Accept messages of the Model Context Protocol over HTTP, of either of its two eras.

Legacy versions (up to 2025-11-25) begin with `initialize`, which returns a session; the later
requests name it in a header. Since 2026-07-28, every request is complete in itself: it repeats its
version, its method and the name of the tool in headers, so that proxies can route it, and servers
refuse a request whose headers and body differ.

Sources: the specification's pages "Streamable HTTP", "Overview" and "Versioning" of 2026-07-28, and
"Transports" of 2025-11-25. `mcp_types` has the same codes and versions, which a test compares; it
is imported with the first request, because importing it takes 0.3 s of CPU time.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from toolspec.errors import JSONTextError
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON, dumps, loads

LEGACY_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS: Final = ("2026-07-28",)
# Of a request without the header, which 2025-06-18 introduced.
UNDECLARED_VERSION: Final = "2025-03-26"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

VERSION_HEADER: Final = "MCP-Protocol-Version"
METHOD_HEADER: Final = "Mcp-Method"
NAME_HEADER: Final = "Mcp-Name"
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

# Of a name or method that an answer repeats, of an id and of a progress token.
MAX_REPEATED_CHARACTERS: Final = 200
NOT_A_STRING: Final = (
    "`arguments` must be an object, not a string. Send the object itself, not its text."
)
MAX_BODY_BYTES: Final = 4 * 1024 * 1024  # as the JSON API
_BASE64: Final = ("=?base64?", "?=")

RequestId = int | str


def shorten(text: str) -> str:
    """The beginning of `text`, which a client sent, for a message."""
    return text if len(text) <= MAX_REPEATED_CHARACTERS else f"{text[:MAX_REPEATED_CHARACTERS]}…"


def quote(value: JSON) -> str:
    """The beginning of `value`, which a client sent, in quotes if it is a string, for a message."""
    return repr(shorten(value)) if isinstance(value, str) else shorten(repr(value))


def is_mcp(path: str) -> bool:
    """Whether a path of this site belongs to the MCP server."""
    return path == "/mcp" or path.startswith("/mcp/")


class ProtocolError(Exception):
    """A request that is refused with a JSON-RPC error.

    Attributes:
        status: the HTTP status; the legacy versions send errors of a method with 200.
        request_id: of the refused request; None if it could not be read.
    """

    def __init__(
        self,
        code: int,
        message: str,
        *,
        status: int = 400,
        data: JSON = None,
        request_id: RequestId | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.data = data
        self.request_id = request_id
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class Message:
    """A request or a notification.

    Attributes:
        id: None for a notification.
        version: the protocol version that applies to it.
    """

    method: str
    version: str
    id: RequestId | None = None
    params: dict[str, JSON] = field(default_factory=dict)

    @property
    def is_notification(self) -> bool:
        return self.id is None

    @property
    def is_modern(self) -> bool:
        return self.version in MODERN_VERSIONS

    @property
    def meta(self) -> dict[str, JSON]:
        return members_of(self.params.get("_meta"))

    @property
    def progress_token(self) -> RequestId | None:
        """The token that the client wants in progress notifications; None if it wants none."""
        return _read_id(self.meta.get("progressToken"))


def read_message(
    body: bytes, headers: Mapping[str, str], *, session_version: str | None = None
) -> Message:
    """The message in the body of a request.

    Args:
        body: JSON, at most `MAX_BODY_BYTES`.
        headers: of the HTTP request; a mapping that ignores case.
        session_version: the version that was negotiated for its session, if it names one.

    Raises:
        ProtocolError: it is not a message, its version is not supported, or headers and body
            differ.
    """
    content = _read_content(body)
    try:
        return _read(content, headers, session_version)
    except ProtocolError as error:
        error.request_id = _read_id(content.get("id"))
        raise


def _read(
    content: dict[str, JSON], headers: Mapping[str, str], session_version: str | None
) -> Message:
    method, request_id = str(content["method"]), _read_id(content.get("id"))
    params = content.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, "`params` must be an object.")
    version = headers.get(VERSION_HEADER)
    if version in MODERN_VERSIONS or VERSION_KEY in members_of(params.get("_meta")):
        return _read_modern(method, request_id, params, headers)
    if version and version not in LEGACY_VERSIONS and method != "initialize":
        raise _unsupported(version)
    if version not in LEGACY_VERSIONS:
        version = session_version or UNDECLARED_VERSION
    return Message(method, version, request_id, params)


def _read_content(body: bytes) -> dict[str, JSON]:
    """The body as an object with a method, and with an id if it is a request."""
    try:
        content = loads(body, max_bytes=MAX_BODY_BYTES)
    except JSONTextError as error:
        problem = error.problems[0]
        if problem.rule == "json.too-large":
            raise ProtocolError(INVALID_REQUEST, problem.message, status=413) from None
        position = f" (line {problem.line}, column {problem.column})" if problem.line else ""
        raise ProtocolError(
            PARSE_ERROR, f"The body is not JSON: {problem.message}{position}"
        ) from None
    if isinstance(content, list):
        raise ProtocolError(
            INVALID_REQUEST, "Batches are not supported; send one message per request."
        )
    if not isinstance(content, dict) or content.get("jsonrpc") != "2.0":
        raise ProtocolError(
            INVALID_REQUEST, 'The body must be a JSON-RPC message: {"jsonrpc": "2.0", …}.'
        )
    if not isinstance(content.get("method"), str):
        message = (
            "The body must be a request or a notification, which have a `method`. "
            "This server sends no requests."
        )
        raise ProtocolError(INVALID_REQUEST, message)
    if "id" in content and _read_id(content["id"]) is None:
        text = (
            f"`id` must be an integer or a string of at most {MAX_REPEATED_CHARACTERS} characters."
        )
        raise ProtocolError(INVALID_REQUEST, text)
    return content


def _read_id(value: JSON) -> RequestId | None:
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    return value if len(str(value)) <= MAX_REPEATED_CHARACTERS else None


def _read_modern(
    method: str, request_id: RequestId | None, params: dict[str, JSON], headers: Mapping[str, str]
) -> Message:
    if request_id is None:  # this version defines no header rules for notifications
        version = headers.get(VERSION_HEADER, "")
        if version not in MODERN_VERSIONS:
            raise _unsupported(version)
        return Message(method, version, None, params)
    meta = members_of(params.get("_meta"))
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise ProtocolError(
            INVALID_PARAMS, f"`params._meta` lacks the required {' and '.join(missing)}."
        )
    declared = meta[VERSION_KEY]
    _compare(
        VERSION_HEADER,
        headers.get(VERSION_HEADER),
        declared,
        f"`params._meta` has {quote(declared)}",
    )
    _compare(
        METHOD_HEADER,
        headers.get(METHOD_HEADER),
        method,
        f"the body has the method {quote(method)}",
    )
    if method == "tools/call" and isinstance(name := params.get("name"), str):
        sent = decoded_header(headers.get(NAME_HEADER))
        _compare(NAME_HEADER, sent, name, f"the body has the name {quote(name)}")
    if declared not in MODERN_VERSIONS:
        raise _unsupported(str(declared))
    return Message(method, str(declared), request_id, params)


def _compare(header: str, value: str | None, expected: JSON, in_words: str) -> None:
    if value is None:
        raise ProtocolError(
            HEADER_MISMATCH, f"The header {header} is missing or cannot be decoded; {in_words}."
        )
    if value != expected:
        raise ProtocolError(
            HEADER_MISMATCH, f"The header {header} is {quote(value)}, but {in_words}."
        )


def _unsupported(version: str) -> ProtocolError:
    data: JSON = {"supported": [*MODERN_VERSIONS], "requested": shorten(version)}
    message = f"The protocol version {quote(version)} is not supported."
    if version in LEGACY_VERSIONS:
        message += " To use it, send `initialize` first, and no protocol fields in `_meta`."
    return ProtocolError(UNSUPPORTED_VERSION, message, data=data)


def decoded_header(value: str | None) -> str | None:
    """The value of a header that may be encoded as `=?base64?…?=`.

    None if it is missing or the encoding is broken.
    """
    start, end = _BASE64
    if value is None or not (
        value.startswith(start) and value.endswith(end) and len(value) >= len(start) + len(end)
    ):
        return value
    encoded = value[len(start) : -len(end)]
    try:
        decoded = base64.b64decode(encoded, validate=True)
        is_canonical = base64.b64encode(decoded).decode() == encoded
        return decoded.decode() if is_canonical else None
    except (binascii.Error, ValueError):
        return None


def object_in(text: str) -> dict[str, JSON] | None:
    """The JSON object in `text`, as some models write arguments; None if it is something else."""
    try:
        value = loads(text, max_bytes=MAX_BODY_BYTES)
    except JSONTextError:
        return None
    return value if isinstance(value, dict) else None


def with_arguments(message: Message) -> Message:
    """`message` with the object that its `arguments` are the text of, if they are a text.

    Raises:
        ProtocolError: they are another text.
    """
    arguments = message.params.get("arguments")
    if not isinstance(arguments, str):
        return message
    read = object_in(arguments)
    if read is None:
        raise ProtocolError(INVALID_PARAMS, NOT_A_STRING, status=status_of(message))
    return replace(message, params={**message.params, "arguments": read})


def check_params(message: Message) -> None:
    """Check the parameters of a request against the types of its version.

    Raises:
        ProtocolError: the version has no such method, or the parameters have other types.
    """
    token = message.meta.get("progressToken")
    if isinstance(token, str) and message.progress_token is None:
        text = f"`progressToken` may have at most {MAX_REPEATED_CHARACTERS} characters."
        raise ProtocolError(INVALID_PARAMS, text, status=status_of(message))
    from mcp_types import methods  # noqa: PLC0415 - see the module
    from pydantic import ValidationError  # noqa: PLC0415 - comes with it

    try:
        methods.validate_client_request(message.method, message.version, message.params)
    except KeyError:
        raise method_not_found(message) from None
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(map(str, problem["loc"]))
        text = f"{shorten(path)}: {problem['msg']}."
        raise ProtocolError(INVALID_PARAMS, text, status=status_of(message)) from None


def method_not_found(message: Message) -> ProtocolError:
    text = (
        f"This server has no method {quote(message.method)} "
        f"in the protocol version {message.version}."
    )
    return ProtocolError(METHOD_NOT_FOUND, text, status=404 if message.is_modern else 200)


def status_of(message: Message) -> int:
    """The HTTP status of an error in the parameters of a request.

    Legacy clients expect 200 then.
    """
    return 400 if message.is_modern else 200


# Responses


def response_text(request_id: RequestId | None, result: str) -> str:
    """A JSON-RPC response.

    `result` is JSON text, so that long results and exact numbers are inserted unchanged.
    """
    return f'{{"jsonrpc": "2.0", "id": {dumps(request_id)}, "result": {result}}}'


def error_text(error: ProtocolError) -> str:
    """A JSON-RPC error."""
    content: dict[str, JSON] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        content["data"] = error.data
    return dumps({"jsonrpc": "2.0", "id": error.request_id, "error": content})


def notification_text(method: str, params: dict[str, JSON]) -> str:
    return dumps({"jsonrpc": "2.0", "method": method, "params": params})


def error_of_status(status: int, detail: str) -> str:
    """The JSON-RPC error for a request that the site refused before it read the message."""
    code = INVALID_REQUEST if status < 500 else INTERNAL_ERROR
    return error_text(ProtocolError(code, detail, status=status))
