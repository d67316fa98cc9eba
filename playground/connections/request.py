"""The HTTP request of an operation, from the parameters and the configuration.

Also as a curl command, for the log: credentials are masked before, and bodies are shortened.

Sources: OpenAPI 3.1.1, "Server Object", "Paths Object", "Parameter Object", "Request Body Object".
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urljoin

from playground.connections.body import FORM, HEADER_NAME, RequestBody, make_body
from playground.connections.security import Credentials
from playground.connections.serialization import (
    Style,
    escape,
    expand_header,
    expand_path,
    expand_query,
    is_absent,
    text_of,
)
from toolshelf_core.outgoing.addresses import origin_of, split_url
from toolshelf_tools import ToolError
from toolspec.text.containers import members_of

BASE_URL: Final = "baseUrl"
MAX_BODY_CHARACTERS: Final = 4_000  # of a curl command
_DEFAULT_STYLES: Final[Mapping[str, str]] = {
    "path": "simple",
    "header": "simple",
    "query": "form",
    "cookie": "form",
}
_TEMPLATE: Final = re.compile(r"\{([^{}]+)\}")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_SET_BY_HTTP: Final = frozenset({
    "host", "content-length", "content-type", "transfer-encoding", "connection", "upgrade", "te",
    "trailer", "expect", "keep-alive", "proxy-authorization", "proxy-connection",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """A request without credentials; `cookies` and `query` are encoded."""

    method: str
    address: str
    query: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    body: RequestBody | None = None

    def url_with(self, credentials: Credentials) -> str:
        secrets = [f"{escape(name)}={escape(text)}" for name, text in credentials.query.items()]
        query = [*self.query, *secrets]
        if not query:
            return self.address
        return f"{self.address}?{'&'.join(query)}"

    def headers_with(self, credentials: Credentials) -> list[tuple[str, str]]:
        """All headers but those that the HTTP client adds."""
        headers = [*self.headers, *credentials.headers.items()]
        cookies = [*self.cookies, *credentials.cookies.items()]
        if cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies)))
        if self.body:
            headers.append(("Content-Type", self.body.media_type))
        return headers


def make_request(
    spec: Mapping[str, Any],
    parameters: Mapping[str, Any],
    configuration: Mapping[str, Any],
    *,
    source_address: str,
) -> Request:
    """The request for one call.

    Args:
        spec: the approved revision, with its extension `x-openapi`.
        parameters: as the spec's schema of the parameters describes them.
        configuration: may contain `baseUrl` and variables of the server's URL.
        source_address: of the document, for relative URLs; "" if it was uploaded.

    Raises:
        ToolError: the request cannot be made from these values; the message gives the parameter.
    """
    operation = spec.get("x-openapi")
    if not isinstance(operation, dict) or not isinstance(operation.get("path"), str):
        raise ToolError(
            "The tool's spec has no `x-openapi`, which describes its request. "
            "Sync its source again."
        )
    parts = _Parts(operation)
    for member, wire in (operation.get("parameters") or {}).items():
        if member in parameters:
            parts.add(member, parameters[member], members_of(wire))
    path, query = parts.fill_path()
    address = base_url(spec, configuration, source_address).rstrip("/") + path
    accept = str(operation.get("accept") or "application/json, */*;q=0.5")
    return Request(
        str(operation.get("method", "GET")),
        address,
        tuple(query),
        (("Accept", accept), *parts.headers),
        tuple(parts.cookies),
        _make_request_body(spec, operation, parameters),
    )


def base_url(
    spec: Mapping[str, Any],
    configuration: Mapping[str, Any],
    source_address: str,
) -> str:
    """The URL of the server, with its variables replaced.

    Raises:
        ToolError: neither the document nor the configuration has an absolute one, or it contains a
            user name.
    """
    members = members_of(members_of(spec.get("configuration")).get("properties"))

    def find_value(name: str) -> str:
        value = configuration.get(name, members_of(members.get(name)).get("default"))
        if value is None:
            return ""
        return text_of(value)

    template = find_value(BASE_URL) or "/"
    address = _TEMPLATE.sub(lambda match: find_value(match[1]), template)
    if source_address:
        with suppress(ValueError):  # not a URL: it is refused below
            address = urljoin(source_address, address)
    parts = split_url(address)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ToolError(
            f"The API's document names no complete URL ({address!r}). Set `{BASE_URL}` in the "
            "configuration, or add the server's URL to `servers` in the document."
        )
    if parts.username is not None or parts.password is not None:
        raise ToolError(
            f"`{BASE_URL}` contains a user name or a password, which would appear in logs. "
            "Remove them, and set the credentials of the API in the configuration."
        )
    return parts._replace(query="", fragment="").geturl()


def origins_of_requests(
    spec: Mapping[str, Any],
    configuration: Mapping[str, Any],
    *,
    source_address: str,
) -> list[str]:
    """The origins that get credentials of `configuration`.

    That of the server, and those of the addresses of access tokens.

    Raises:
        ToolError: as `base_url`.
    """
    base = base_url(spec, configuration, source_address)
    schemes = members_of(members_of(spec.get("x-openapi")).get("securitySchemes"))
    addresses = [base]
    for scheme in schemes.values():
        token_url = members_of(scheme).get("tokenUrl")
        if isinstance(token_url, str):
            with suppress(ValueError):  # no request is sent to an address that is not a URL
                addresses.append(urljoin(base, token_url))
    return sorted(set(map(origin_of, addresses)))


class _Parts:
    """Collects the parameters by location."""

    def __init__(self, operation: Mapping[str, Any]) -> None:
        self._path = str(operation["path"])
        self._in_path: dict[str, str] = {}
        self.query: list[str] = []
        self.headers: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []

    def add(
        self,
        member: str,
        value: Any,
        wire: Mapping[str, Any],
    ) -> None:
        name, where = str(wire.get("name", member)), str(wire.get("in", "query"))
        style = Style.of(wire, _DEFAULT_STYLES.get(where, "form"))
        media_type = str(wire.get("contentType") or "")
        is_form = where == "querystring" and media_type == FORM
        if media_type and not is_form:
            value = _write_content(value, media_type, is_ascii=where == "header")
        if where == "path":
            self._in_path[name] = _write_path_part(name, value, style)
        elif where == "header" and not is_absent(value):
            _check_header_name(name)
            text = expand_header(value, style)
            _check_header_value(name, text)
            self.headers.append((name, text))
        elif where == "cookie":
            for part in expand_query(name, value, style):
                cookie, _, text = part.partition("=")
                self.cookies.append((cookie, text))
        elif where == "querystring" and media_type and not is_form:
            self.query.append(escape(value))
        elif where == "querystring":
            self.query += _write_whole_query(value, style)
        elif where == "query":
            self.query += expand_query(name, value, style)

    def fill_path(self) -> tuple[str, list[str]]:
        """The path with its parameters, and the whole query.

        Some documents tell operations apart by a query or a fragment in the path. The fragment is
        not sent. The query is, but for what the parameters of the call replace.

        Raises:
            ToolError: a parameter of the path is missing.
        """
        template, _, fixed_query = self._path.partition("#")[0].partition("?")
        path = _TEMPLATE.sub(self._fill, template)
        replaced = {part.partition("=")[0] for part in self.query}
        query: list[str] = []
        for part in fixed_query.split("&"):
            name, _, value = part.partition("=")
            variable = _TEMPLATE.fullmatch(value)
            is_optional = variable is not None and variable[1] not in self._in_path
            if part and name not in replaced and not is_optional:
                query.append(_TEMPLATE.sub(self._fill, part))
        if not path.startswith("/"):
            path = f"/{path}"
        return path, [*query, *self.query]

    def _fill(self, variable: re.Match[str]) -> str:
        for name in (variable[1], variable[1].strip("+*")):
            if name in self._in_path:
                return self._in_path[name]
        raise ToolError(f"The parameter `{variable[1]}` is part of the path and is missing.")


def _write_content(
    value: Any,
    media_type: str,
    *,
    is_ascii: bool,
) -> str:
    """The text of a parameter that is described by its media type: JSON also for strings."""
    if media_type.partition(";")[0].strip().lower().endswith(("/json", "+json")):
        return json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":"))
    return text_of(value)


def _write_path_part(
    name: str,
    value: Any,
    style: Style,
) -> str:
    if is_absent(value) or value == "":
        raise ToolError(
            f"The parameter `{name}` is part of the path, so it must not be empty or null."
        )
    part = expand_path(name, value, style)
    segments = unquote(part).split("/")
    if not {".", ".."}.isdisjoint(map(unquote, segments)):
        raise ToolError(
            f"The parameter `{name}` is part of the path; {value!r} would lead to another path."
        )
    return part


def _check_header_name(name: str) -> None:
    if not HEADER_NAME.fullmatch(name) or name.lower() in _SET_BY_HTTP:
        raise ToolError(
            f"The header `{name[:80]}` cannot be a parameter: "
            "HTTP itself sets it, or its name is invalid."
        )


def _check_header_value(name: str, value: str) -> None:
    if _CONTROL.search(value) or not value.isascii():
        raise ToolError(f"The header `{name}` may contain only printable ASCII characters.")


def _write_whole_query(value: Any, style: Style) -> list[str]:
    """A parameter that is the whole query (OpenAPI 3.2): an object, or text that is encoded."""
    if not value:
        return []
    if not isinstance(value, dict):
        return [text_of(value)]
    parts = []
    for name, member in value.items():
        parts += expand_query(name, member, style)
    return parts


def _make_request_body(
    spec: Mapping[str, Any],
    operation: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> RequestBody | None:
    declared = operation.get("body")
    if not isinstance(declared, dict):
        return None
    schema = spec.get("definition", {}).get("parameters", {})
    member = declared.get("member")
    value: Any = parameters
    if isinstance(member, str):
        if member not in parameters:
            return None
        value = parameters[member]
        definitions = {"$defs": schema.get("$defs", {})}
        schema = {**definitions, "allOf": [schema.get("properties", {}).get(member, {})]}
    media_type = str(declared.get("contentType", "application/json"))
    return make_body(value, media_type, schema, members_of(declared.get("encoding")))


def curl(request: Request, credentials: Credentials) -> str:
    """The command that sends `request`; `credentials` have masked values."""
    words = ["curl"]
    if request.method != "GET":
        words += ["-X", request.method]
    words.append(request.url_with(credentials))
    is_multipart = request.body is not None and bool(request.body.pieces)
    for name, value in request.headers_with(credentials):
        if not (is_multipart and name == "Content-Type"):  # curl makes its own boundary
            words += ["-H", f"{name}: {value}"]
    if request.body is not None:
        words += _list_body_words(request.body)
    return " ".join(map(shlex.quote, words))


def _list_body_words(body: RequestBody) -> list[str]:
    if not body.pieces:
        return ["--data-binary", _shorten(body.content)]
    words: list[str] = []
    for piece in body.pieces:
        content = f"@{piece.file_name}" if piece.file_name else _shorten(piece.content)
        if piece.media_type:
            content += f";type={piece.media_type}"
        words += ["-F", f"{piece.name}={content}"]
    return words


def _shorten(content: bytes) -> str:
    """The text of a body; its size if it is not text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"<{len(content):,} bytes>"
    if len(text) <= MAX_BODY_CHARACTERS:
        return text
    return f"{text[:MAX_BODY_CHARACTERS]}… ({len(text):,} characters)"
