"""Tools of OpenAPI documents: a call is one HTTP request.

The response is the body of a successful answer.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx2

from playground.connections.connection import Connection
from playground.connections.request import Request, base_url, curl, make_request
from playground.connections.security import Credentials, TokenRequest, find_credentials
from playground.runner.log import log
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import origin_of
from toolshelf_core.outgoing.budget import Budget
from toolshelf_core.outgoing.clients import (
    MAX_REDIRECTS,
    client,
    is_same_origin,
    sentence,
    ssl_context,
)
from toolshelf_core.redaction import MARK, Redactor
from toolshelf_tools import File, ToolError
from toolshelf_tools.files import MEDIA_TYPE, UNKNOWN
from toolshelf_tools.json_encoder import MAX_DEPTH

MAX_ERROR_CHARACTERS: Final = 3_000  # of an unsuccessful body; a run stores 4,000 in all
_MAX_ERROR_BYTES: Final = 16 * 1024
_MAX_TOKEN_BYTES: Final = 64 * 1024
_SHOWN_HEADERS: Final = (
    "Content-Type", "Retry-After", "WWW-Authenticate", "Allow", "Location", "Deprecation",
    "Sunset", "X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
    "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
)  # fmt: skip
_XML_ENCODING: Final = re.compile(rb"""\s*<\?xml\s[^>]*?encoding=["']([A-Za-z0-9._-]+)["']""")
_UNSTORABLE: Final = re.compile(rb"\0|\\u(?:0000|[dD][89a-fA-F])")
_ENDLESS: Final = re.compile(r"NaN|Infinity|[0-9]{300}|[eE]\+?[0-9]{3}")
_ENDLESS_NUMBERS: Final = "has numbers that cannot be stored"
_INTEGER_END: Final = 10**300  # beyond it, numbers are not stored
_TOO_DEEP: Final = f"is nested more than {MAX_DEPTH} levels deep"
_TEXT_TYPES: Final = (
    "/xml",
    "+xml",
    "/javascript",
    "/yaml",
    "+yaml",
    "/x-www-form-urlencoded",
    "/x-ndjson",
    "/csv",
)

ssl_context()  # once, in the process that runs are forked from
logging.getLogger("httpx2").addHandler(
    logging.NullHandler()
)  # else each request is in the log of the run


class HTTPToolFactory:
    """Creates the tools of OpenAPI sources. Its configuration is a `Connection` as JSON."""

    def tool_id(self) -> str:
        return "openapi"

    def create(self, configuration: dict[str, Any]) -> HTTPTool:
        return HTTPTool(Connection.from_json(configuration))


class HTTPTool:
    """One operation.

    Attributes:
        http_status: of the last successful answer, which decides what the response is checked
            against.
    """

    request_type = dict
    response_type = object

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._budget = Budget(seconds=connection.timeout_s + 1, max_bytes=connection.max_bytes)
        self.http_status: int | None = None
        self._may_have_unstorable = False
        # Access tokens, which the site does not know and so cannot redact.
        self._secrets: list[str] = []

    def call(self, request: dict[str, Any]) -> Any:
        """Send the request.

        Raises:
            ToolError: it could not be sent, or the answer's status is not 2xx.
        """
        connection = self._connection
        spec, configuration = connection.spec, connection.configuration
        with client(connection.policy, self._budget) as http:
            sending = make_request(spec, request, configuration, source_address=connection.address)
            operation = spec.get("x-openapi") or {}
            credentials = find_credentials(
                operation,
                configuration,
                lambda wanted: self._get_token(http, wanted),
            )
            log(curl(sending, credentials.mask(MARK)))
            answer = self._send(http, sending, credentials)
        redactor = Redactor(self._secrets)
        if answer.status // 100 != 2:
            raise ToolError(redactor.text(answer.as_error()))
        self.http_status = answer.status
        self._may_have_unstorable = bool(_UNSTORABLE.search(answer.content))
        return redactor.value(read_response(answer, redactor))

    def storable(self, response: Any) -> Any:
        """`response` without the characters that are not stored; the log says so."""
        if not self._may_have_unstorable:
            return response
        stored = _replace_unstorable(response)
        if stored != response:
            log(
                "# The response contains NUL characters or halves of characters, "
                "which are shown as \ufffd or ?."
            )
        return stored

    def _send(
        self,
        http: httpx2.Client,
        sending: Request,
        credentials: Credentials,
    ) -> Answer:
        url, headers = sending.url_with(credentials), sending.headers_with(credentials)
        content = sending.body.content if sending.body else None
        try:
            request = http.build_request(sending.method, url, headers=headers, content=content)
            return _fetch(http, request)
        except (httpx2.HTTPError, httpx2.InvalidURL, OutgoingError) as error:
            reason = sentence(error, self._budget)
            origin = origin_of(sending.address)
            raise ToolError(f"The request to {origin} failed. {reason}") from None

    def _get_token(self, http: httpx2.Client, wanted: TokenRequest) -> str:
        """An access token for the client itself.

        A client identifies itself in a header, or in the body where the server does not accept that
        (RFC 6749, 2.3.1).

        Raises:
            ToolError: the server gives none; the message contains its reason.
        """
        connection = self._connection
        base = base_url(connection.spec, connection.configuration, connection.address)
        url = str(httpx2.URL(base).join(wanted.url))
        form = {"grant_type": "client_credentials"}
        if wanted.scopes:
            form["scope"] = " ".join(wanted.scopes)
        headers = {"Authorization": wanted.basic}
        log(f"# An access token from {url}, by client credentials")
        try:
            answer = _fetch(http, http.build_request("POST", url, data=form, headers=headers))
            if answer.status in {400, 401}:
                form |= {"client_id": wanted.client_id, "client_secret": wanted.client_secret}
                answer = _fetch(http, http.build_request("POST", url, data=form))
        except (httpx2.HTTPError, httpx2.InvalidURL, OutgoingError) as error:
            reason = sentence(error, self._budget)
            raise ToolError(f"The request for a token failed. {reason}") from None
        token = _read_token(answer)
        self._secrets.append(token)
        return token


def _read_token(answer: Answer) -> str:
    body = None
    with suppress(ValueError):
        body = json.loads(answer.content[:_MAX_TOKEN_BYTES])
    token = body.get("access_token") if isinstance(body, dict) else None
    if answer.status // 100 != 2 or not isinstance(token, str):
        raise ToolError(f"No access token was issued. {answer.as_error()}")
    return token


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response, read completely if it is successful."""

    method: str
    url: str
    status: int
    reason: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def text(self) -> str:
        """The body as text, in its declared character set.

        Else as UTF-8, else as Windows-1252, which browsers use.
        """
        charset = httpx2.Response(200, headers=self.headers).charset_encoding
        declaration = _XML_ENCODING.match(self.content)
        if charset is None and declaration:
            charset = declaration[1].decode()
        if charset is None and is_json(self.media_type):
            charset = json.detect_encoding(self.content)
        for name in (charset or "utf-8-sig", "utf-8-sig", "windows-1252"):
            with suppress(LookupError, UnicodeDecodeError):
                return self.content.decode(name).removeprefix("\ufeff")
        return self.content.decode("latin-1")

    def as_error(self) -> str:
        """Status, headers of use and body, for people."""
        lines = [f"{self.method} {self.url} returned {self.status} {self.reason}".rstrip()]
        for name in _SHOWN_HEADERS:
            if name in self.headers:
                lines.append(f"{name}: {self.headers[name][:200]}")
        if is_text(self.media_type) or not self.media_type:
            body = self.text()
            if len(body) > MAX_ERROR_CHARACTERS:
                body = f"{body[:MAX_ERROR_CHARACTERS]}…"
            lines += ["", body]
        return "\n".join(lines).rstrip()


def is_json(media_type: str) -> bool:
    return media_type.endswith(("/json", "+json"))


def is_text(media_type: str) -> bool:
    return media_type.startswith("text/") or is_json(media_type) or media_type.endswith(_TEXT_TYPES)


def read_response(answer: Answer, redactor: Redactor) -> Any:
    """The body as a response: JSON, text, or a file in a block like those of MCP.

    Null for an empty body. Only the content of a file is redacted here.

    Raises:
        ToolError: the body is declared to be JSON, but is not; or a file cannot be searched for
            secrets.
    """
    if not answer.content:
        return None
    if is_json(answer.media_type):
        return _read_json(answer)
    if is_text(answer.media_type):
        return answer.text()
    content = redactor.content(answer.content)
    if content is None:
        raise ToolError("The body cannot be searched for secrets.")
    media_type = answer.media_type or UNKNOWN
    name = unquote(urlsplit(answer.url).path.rpartition("/")[2])
    file_type = media_type if MEDIA_TYPE.fullmatch(media_type) else ""
    file = File(content, media_type=file_type, name=name)
    kind = media_type.partition("/")[0]
    if kind in {"image", "audio"}:
        return {"type": kind, "data": file, "mimeType": media_type}
    resource = {"uri": answer.url, "mimeType": media_type, "blob": file}
    return {"type": "resource", "resource": resource}


def _read_json(answer: Answer) -> Any:
    """The JSON of the body; its text if it is too deep or has numbers that are not stored.

    Raises:
        ToolError: it is not JSON.
    """
    text = answer.text()
    try:
        value = json.loads(text)
        reason = _find_obstacle(value, text)
    except RecursionError:
        reason = _TOO_DEEP
    except json.JSONDecodeError as error:
        message = (
            f"The body is declared as {answer.media_type}, but cannot be read as JSON: {error}"
        )
        raise ToolError(f"{message}\n\n{text[:MAX_ERROR_CHARACTERS]}") from None
    except ValueError:  # Python reads no integers of more than 4,300 digits
        reason = _ENDLESS_NUMBERS
    if not reason:
        return value
    log(f"# The JSON {reason}, so the response is its text.")
    return text


def _find_obstacle(value: Any, text: str) -> str:
    """The reason why JSON cannot be stored; "" if it can."""
    if _is_too_deep(value):
        return _TOO_DEEP
    if _ENDLESS.search(text) and _has_endless_number(value):
        return _ENDLESS_NUMBERS
    return ""


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                inner += part.values()
            elif isinstance(part, list):
                inner += part
        level = inner
    return bool(level)


def _has_endless_number(value: Any) -> bool:
    """Whether a number in `value` is not finite or has too many digits to be stored."""
    if isinstance(value, dict):
        return any(map(_has_endless_number, value.values()))
    if isinstance(value, list):
        return any(map(_has_endless_number, value))
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, int) and abs(value) >= _INTEGER_END


def _replace_unstorable(value: Any) -> Any:
    """`value` with a replacement for each character that is not stored.

    These are NUL and halves of surrogate pairs.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    if isinstance(value, list):
        return list(map(_replace_unstorable, value))
    if isinstance(value, dict):
        names = map(_replace_unstorable, value)
        return dict(zip(names, map(_replace_unstorable, value.values()), strict=True))
    return value


def _fetch(http: httpx2.Client, request: httpx2.Request) -> Answer:
    """Send `request`, and follow redirects.

    Only a GET without credentials goes to another origin.
    """
    for _ in range(MAX_REDIRECTS + 1):
        response = http.send(request, stream=True, follow_redirects=False)
        try:
            target = response.next_request
            following = None
            if target is not None:
                following = _follow(request, target)
            if following is None:
                return _read(request, response)
        finally:
            response.close()
        log(f"# {response.status_code}: redirected to {following.url.copy_with(query=None)}")
        request = following
    raise ToolError(
        f"The API redirected more than {MAX_REDIRECTS} times, the last time to {request.url.host}."
    )


def _follow(request: httpx2.Request, target: httpx2.Request) -> httpx2.Request | None:
    """The request that follows a redirect; None if it must not be followed."""
    if is_same_origin(request.url, target.url):
        if "Cookie" in request.headers:
            target.headers["Cookie"] = request.headers["Cookie"]
        return target
    if target.method not in {"GET", "HEAD"}:
        return None
    headers = {"Accept": request.headers.get("Accept", "*/*")}
    return httpx2.Request(target.method, target.url, headers=headers)


def _read(request: httpx2.Request, response: httpx2.Response) -> Answer:
    content = b""
    for chunk in response.iter_bytes():
        content += chunk
        if not response.is_success and len(content) > _MAX_ERROR_BYTES:
            break
    url = str(request.url.copy_with(query=None, userinfo=b""))
    status, reason = response.status_code, response.reason_phrase
    media_type = response.headers.get("content-type", "")
    log(f"# {status} {reason}: {media_type} {len(content):,} bytes")
    return Answer(request.method, url, status, reason, response.headers, content)
