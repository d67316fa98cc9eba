"""Calls of the operations of an OpenAPI document, at a server in this process that records what it receives."""

from __future__ import annotations

import email.policy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from typing import Any

from catalog.sources.models import Source
from playground.configurations.secret_members import Configuration
from playground.connections.connection import Connection
from playground.connections.http_tool import HTTPToolFactory
from playground.runs import running
from playground.runs.models import Run
from tests.http_server import local_server, respond
from tests.playground.connections.conftest import SourceWithTools
from toolspec.imports import import_document
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import loads


@dataclass(frozen=True)
class Received:
    """A request as the server received it; names of headers are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def parts(self) -> list[tuple[str, str | None, str, bytes]]:
        """(name, file name, media type, content) of each part of a multipart body; "" for a part without type."""
        head = f"Content-Type: {self.media_type}\r\n\r\n".encode()
        message = BytesParser(policy=email.policy.HTTP).parsebytes(head + self.body)
        return [
            (
                str(part.get_param("name", header="content-disposition")),
                part.get_filename(),
                str(part.get("Content-Type", "")),
                part.get_payload(decode=True),
            )
            for part in message.iter_parts()
        ]


@dataclass
class API:
    """The server; it answers each request with `status`, `content` and `media_type`."""

    url: str
    status: int = 200
    content: bytes = b"{}"
    media_type: str = "application/json"
    received: list[Received] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.received.append(Received(handler.command, handler.path, headers, body))
        content = b"" if self.status == 204 else self.content
        respond(
            handler,
            content,
            status=self.status,
            headers={"Content-Type": self.media_type} if content else {},
        )

    def answers(self, value: Any = None, *, status: int = 200) -> None:
        """Answer with `value` as JSON from now on."""
        self.status, self.content, self.media_type = (
            status,
            json.dumps(value).encode(),
            "application/json",
        )

    def here(self, document: dict[str, Any]) -> dict[str, Any]:
        """`document` with this server as its only one."""
        if "swagger" in document:
            return {
                **document,
                "schemes": ["http"],
                "host": self.url.partition("://")[2],
                "basePath": "/",
            }
        return {**document, "servers": [{"url": self.url}]}

    def call(
        self,
        document: dict[str, Any],
        operation: str,
        parameters: Any = None,
        configuration: Any = None,
    ) -> Received:
        """What the server receives for a call of the operation with this name, in this process.

        Raises:
            Refused: the parameters violate their schema, so a run would not call the tool.
            ToolError: the request cannot be made, or the answer is not a response.
        """
        self.response_of(document, operation, parameters, configuration)
        return self.received[-1]

    def response_of(
        self,
        document: dict[str, Any],
        operation: str,
        parameters: Any = None,
        configuration: Any = None,
    ) -> Any:
        """The response of such a call."""
        spec = spec_of(self.here(document), operation)
        if problems := problems_of(spec["definition"].get("parameters", True), parameters or {}):
            raise Refused(problems)
        connection = Connection(
            source="field",
            remote_name=operation,
            spec=spec,
            configuration=configuration or {},
            allowed_networks=("127.0.0.0/8",),
        )
        return HTTPToolFactory().create(connection.as_json()).call(parameters or {})

    def run(
        self,
        document: dict[str, Any],
        operation: str,
        parameters: Any = None,
        configuration: Any = None,
    ) -> Run:
        """A run of the operation through a source: needs the fixture `runs`."""
        source = Source.objects.create(
            name="field", kind="openapi", address=f"{self.url}/openapi.json"
        )
        imported = import_document(self.here(document), prefix="field")
        tool = SourceWithTools(source, imported).tool(operation)
        configured = Configuration(configuration) if configuration else None
        started = running.start(
            tool, tool.current, parameters or {}, by=None, configuration=configured
        )
        return Run.objects.get(pk=running.wait(started, 60).pk)


class Refused(Exception):
    """The parameters violate their schema; the messages are the arguments."""


@contextmanager
def recording_api() -> Iterator[API]:
    api = API("")
    with local_server(api.answer) as server:
        api.url = server.url
        yield api


def spec_of(document: dict[str, Any], operation: str) -> Any:
    """The spec of the operation with this name."""
    [imported] = [
        spec
        for spec in import_document(document).specs
        if spec.document["definition"]["name"] == operation
    ]
    assert imported.problems == ()
    return loads(imported.text)


def losses_of(document: dict[str, Any]) -> dict[str, str]:
    """The reasons of all losses of an import, by pointer."""
    return {
        loss.pointer: loss.reason
        for spec in import_document(document).specs
        for loss in spec.losses
    }


def problems_of(schema: Any, value: Any) -> list[str]:
    """The messages of the violations of `schema` by `value`."""
    return [problem.message for problem in compile_schema(schema).check(value).problems]


def openapi(
    version: str = "3.0.3", path: str = "/up", method: str = "post", **operation: Any
) -> dict[str, Any]:
    """A document with one operation named "up"; `components` is a member of the document."""
    components = operation.pop("components", {})
    operation = {"operationId": "up", "responses": {"200": {"description": "ok"}}, **operation}
    return {
        "openapi": version,
        "info": {"title": "Field", "version": "1"},
        "paths": {path: {method: operation}},
        "components": components,
    }


def sending(media_type: str, schema: Any, **media: Any) -> dict[str, Any]:
    """A required request body."""
    return {"required": True, "content": {media_type: {"schema": schema, **media}}}
