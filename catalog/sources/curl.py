"""Read a curl command as an OpenAPI document of one operation; its secrets become the configuration.

Nothing is executed, and no file that the command names is read.

Source: curl(1), of curl 8.
"""

from __future__ import annotations

import base64
import binascii
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote

from toolshelf_core.outgoing.addresses import split_url
from toolspec.errors import JSONTextError, ToolshelfError
from toolspec.secret_names import is_secret_name
from toolspec.text.reader import JSON, dumps, loads

MAX_CURL_CHARACTERS: Final = 20_000  # the time of shlex grows with the square of a word's length
MAX_NAME_CHARACTERS: Final = 60
FORM: Final = "application/x-www-form-urlencoded"
# the methods of an operation in OpenAPI
_METHODS: Final = frozenset({"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"})
_LIKE_A_SECRET: Final = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_.~:=+-]{16,}")
_LINE_CONTINUED: Final = re.compile(r"\\\r?\n")
_FLAGS: Final = frozenset({
    "-s", "--silent", "-S", "--show-error", "-sS", "-L", "--location", "-sL", "-i", "--include", "-v", "--verbose",
    "-k", "--insecure", "-f", "--fail", "-g", "--globoff", "-N", "--no-buffer", "--compressed", "--http1.1",
    "--http2", "-fsSL", "-sSL", "-#", "--progress-bar",
})  # fmt: skip
_WITH_UNUSED_VALUE: Final = frozenset({
    "-o", "--output", "-m", "--max-time", "--connect-timeout", "--retry", "-w", "--write-out", "-A", "--user-agent",
    "-e", "--referer",
})  # fmt: skip
_DATA: Final = frozenset({"-d", "--data", "--data-raw", "--data-binary", "--data-ascii"})
_MEANINGS: Final = {
    "-X": "method", "--request": "method", "-H": "header", "--header": "header", "--url": "url", "-u": "user",
    "--user": "user", "-b": "cookie", "--cookie": "cookie", "--json": "json", "--data-urlencode": "urlencoded",
    **dict.fromkeys(_DATA, "data"),
}  # fmt: skip
_SET_BY_CLIENT: Final = re.compile(
    r"accept(-.*)?|user-agent|content-(type|length)|host|origin|referer|connection|cache-control"
    r"|pragma|dnt|priority|te|upgrade-insecure-requests|sec-.*",
    re.IGNORECASE,
)


class NotACurlCommand(ToolshelfError):
    """The command cannot be read, or does what an API tool cannot do; the message says what."""


@dataclass(slots=True)
class CurlCommand:
    """The request that a curl command sends.

    Attributes:
        headers: pairs of name and value, as they are written.
        data: the texts of its body, joined by "&".
    """

    method: str = ""
    url: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list, repr=False)
    data: list[str] = field(default_factory=list, repr=False)
    user: str = field(default="", repr=False)
    is_json: bool = False
    sends_data_in_query: bool = False

    @property
    def sent_method(self) -> str:
        if self.method:
            return self.method.upper()
        return "POST" if self.data and not self.sends_data_in_query else "GET"

    @property
    def media_type(self) -> str:
        declared = [value for name, value in self.headers if name.lower() == "content-type"]
        if declared:
            return declared[-1].partition(";")[0].strip().lower()
        return "application/json" if self.is_json else FORM


@dataclass(frozen=True, slots=True)
class CurlDocument:
    """A curl command as an OpenAPI document.

    Attributes:
        request: its method and URL without the query, for people.
        configuration: the secrets, by the names of the members of the tool's configuration.
        public_secrets: parts of the path that look like secrets; the tool shows them to everyone.
    """

    request: str
    public_secrets: tuple[str, ...]
    document: str = field(repr=False)
    configuration: dict[str, str] = field(repr=False)


def is_curl(text: str) -> bool:
    """Whether `text` begins as a curl command."""
    return text.removeprefix("$").lstrip().startswith(("curl ", "curl\t", "curl \\", "curl.exe "))


def read_curl(text: str) -> CurlDocument:
    """The OpenAPI document of the one operation that a curl command calls.

    The document is public, so it has the types of the values in the command, not the values.

    Raises:
        NotACurlCommand: it cannot be read, or it needs a file, a form with files or another option
            that changes the request.
    """
    command = parse_curl(text)
    parts = split_url(command.url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise NotACurlCommand("The curl command has no URL that starts with http:// or https://.")
    if command.sent_method not in _METHODS:
        method = command.sent_method[:40]
        raise NotACurlCommand(f"An API tool cannot send the method {method}.")
    if parts.username is not None:
        raise NotACurlCommand("Move the user name and password from the URL to `-u`.")
    return _Writer(
        command, f"{parts.scheme}://{parts.netloc}", parts.path or "/", parts.query
    ).write()


def parse_curl(text: str) -> CurlCommand:
    """The request of a curl command.

    Raises:
        NotACurlCommand: it is no complete command, or has an option that cannot be read.
    """
    if len(text) > MAX_CURL_CHARACTERS:
        raise NotACurlCommand(f"The command has more than {MAX_CURL_CHARACTERS:,} characters.")
    try:
        words = shlex.split(_LINE_CONTINUED.sub(" ", text.strip().removeprefix("$")))
    except ValueError as error:
        raise NotACurlCommand("A quotation mark of the curl command is not closed.") from error
    command = CurlCommand()
    rest = iter(words[1:])
    for word in rest:
        _read_option(word, rest, command)
    return command


def _read_option(word: str, rest: Iterator[str], command: CurlCommand) -> None:
    """Read one word of the command, and the value that follows it in `rest`."""
    if not word.startswith("-") or word == "-":
        _set_url(command, word)
        return
    if word in _FLAGS:
        return
    if word in {"-G", "--get"}:
        command.sends_data_in_query = True
        return
    option, value = _split_option(word)
    if option not in _MEANINGS and option not in _WITH_UNUSED_VALUE:
        raise NotACurlCommand(f"The option {option[:40]} of curl is not supported. Remove it.")
    if value is None:
        value = next(rest, None)
    if value is None:
        raise NotACurlCommand(f"The option {option} has no value.")
    if option in _MEANINGS:
        _set_value(command, _MEANINGS[option], value)


def _split_option(word: str) -> tuple[str, str | None]:
    """The option, and the value that is written together with it: `-XPOST`, `--request=POST`."""
    if word.startswith("--"):
        option, equals, value = word.partition("=")
        return option, value if equals else None
    return word[:2], word[2:] or None


def _set_url(command: CurlCommand, url: str) -> None:
    if command.url:
        raise NotACurlCommand("The curl command has several URLs. Enter one command for each.")
    command.url = url


def _set_value(command: CurlCommand, meaning: str, value: str) -> None:
    match meaning:
        case "url":
            _set_url(command, value)
        case "method":
            command.method = value
        case "user":
            command.user = value
        case "header":
            name, _, text = value.partition(":")
            command.headers.append((name.strip(), text.strip()))
        case "cookie":
            command.headers.append(("Cookie", value))
        case _:
            if value.startswith("@"):
                message = "The curl command reads its data from a file. Paste the data instead."
                raise NotACurlCommand(message)
            command.is_json = command.is_json or meaning == "json"
            command.data.append(value)


@dataclass
class _Writer:
    """Writes the document of one command."""

    command: CurlCommand
    origin: str
    path: str
    query: str
    parameters: list[JSON] = field(default_factory=list)
    schemes: dict[str, JSON] = field(default_factory=dict)
    configuration: dict[str, str] = field(default_factory=dict, repr=False)

    def write(self) -> CurlDocument:
        command = self.command
        self._add_query(self.query)
        if command.sends_data_in_query:
            self._add_query("&".join(command.data))
        for name, value in command.headers:
            self._add_header(name, value)
        if command.user:
            self._add_basic(command.user)
        method = command.sent_method
        operation: dict[str, JSON] = {
            "operationId": _name_of(method, self.path),
            "summary": f"{method} {self.origin}{self.path}",
            "parameters": self.parameters,
            "responses": {"200": {"description": "The response."}},
        }
        if command.data and not command.sends_data_in_query:
            operation["requestBody"] = self._body()
        if self.schemes:
            requirement: dict[str, JSON] = {scheme: [] for scheme in self.schemes}
            operation["security"] = [requirement]
        host = self.origin.partition("://")[2]
        document: dict[str, JSON] = {
            "openapi": "3.1.0",
            "info": {"title": host, "version": "1"},
            "servers": [{"url": self.origin}],
            "paths": {self.path: {method.lower(): operation}},
            "components": {"securitySchemes": self.schemes},
        }
        request = f"{method} {self.origin}{self.path}"
        public_secrets = tuple(filter(_LIKE_A_SECRET.fullmatch, self.path.split("/")))
        text = dumps(document)
        return CurlDocument(request, public_secrets, text, self.configuration)

    def _add_query(self, query: str) -> None:
        texts = dict(parse_qsl(query, keep_blank_values=True))
        for name, value in _fields_in(query).items():
            if is_secret_name(name):
                scheme: JSON = {"type": "apiKey", "in": "query", "name": name}
                self._add_secret(name, scheme, texts[name])
            else:
                self._add_parameter("query", name, value)

    def _add_header(self, name: str, value: str) -> None:
        if not name or _SET_BY_CLIENT.fullmatch(name):
            return
        kind, _, credentials = value.partition(" ")
        if name.lower() == "authorization" and kind.lower() == "bearer":
            self._add_secret("token", {"type": "http", "scheme": "bearer"}, credentials.strip())
        elif name.lower() == "authorization" and kind.lower() == "basic":
            self._add_basic(_decode_credentials(credentials))
        elif is_secret_name(name):
            self._add_secret(name, {"type": "apiKey", "in": "header", "name": name}, value)
        else:
            self._add_parameter("header", name, _parse_value(value))

    def _add_basic(self, user: str) -> None:
        name, _, password = user.partition(":")
        self.schemes["login"] = {"type": "http", "scheme": "basic"}
        self.configuration |= {"loginUsername": name, "loginPassword": password}

    def _add_secret(self, name: str, scheme: JSON, value: str) -> None:
        self.schemes[name] = scheme
        self.configuration[name] = value

    def _add_parameter(self, where: str, name: str, value: JSON) -> None:
        self.parameters.append({"name": name, "in": where, "schema": _schema_of(value)})

    def _body(self) -> JSON:
        """The request body: JSON, the fields of a form, or any text."""
        media_type = self.command.media_type
        text = "&".join(self.command.data)
        value: JSON = text
        if media_type.endswith("json"):
            try:
                value = loads(text)
            except JSONTextError as error:
                raise NotACurlCommand(
                    f"The data is not JSON: {error.problems[0].message}"
                ) from error
        elif media_type == FORM:
            value = _fields_in(text)
        return {"required": True, "content": {media_type: {"schema": _schema_of(value)}}}


def _decode_credentials(credentials: str) -> str:
    try:
        return base64.b64decode(credentials.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise NotACurlCommand("The value of `Authorization: Basic` is not base64.") from error


def _name_of(method: str, path: str) -> str:
    """A name for the operation: "get_v1_invoices"."""
    words = re.findall(r"[a-z0-9]+", f"{method} {unquote(path)}".lower())
    return "_".join(words)[:MAX_NAME_CHARACTERS].rstrip("_")


def _fields_in(encoded: str) -> dict[str, JSON]:
    """The fields of a query or a form: a value, or the list of the values of a repeated field."""
    fields: dict[str, list[JSON]] = {}
    for name, text in parse_qsl(encoded, keep_blank_values=True):
        fields.setdefault(name, []).append(_parse_value(text))
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


def _parse_value(text: str) -> JSON:
    """The number or boolean that a text in a URL means; else the text."""
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,14})", text):
        return int(text)
    return text


def _schema_of(value: JSON) -> JSON:
    """A schema that accepts values like this one, and does not require any member."""
    match value:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            items = _schema_of(value[0]) if value else {}
            return {"type": "array", "items": items}
        case dict():
            return {
                "type": "object",
                "properties": {name: _schema_of(one) for name, one in value.items()},
            }
    return {}
