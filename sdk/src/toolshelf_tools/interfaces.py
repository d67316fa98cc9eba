"""The interfaces of tools and factories: Python's port of the Java interfaces of LLM Tool Spec.

These are structural types. A class that has the members is a tool or a factory; inheriting from
them is optional and provides the defaults. This module imports only the standard library.

    class Shout:
        request_type = dict

        def call(self, request: dict[str, str]) -> str:
            return request["text"].upper()

    class ShoutFactory:
        def tool_id(self) -> str:
            return "shout"

        def create(self) -> Shout:
            return Shout()

A factory is registered by an entry point in the group `toolshelf.factories`, or by
"module:attribute" in the setting `TOOL_FACTORIES`. The entry refers to a factory, or to a class
that creates one when called without arguments.

Source: easy-llm-tools, package com.javaaidev.easyllmtools.llmtoolspec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

Request_contra = TypeVar("Request_contra", contravariant=True)
Response_co = TypeVar("Response_co", covariant=True)
Configuration_contra = TypeVar("Configuration_contra", contravariant=True)

Schema = Mapping[str, Any] | bool | None


class ToolDefinition(Protocol):
    """A tool's definition, as in its spec.

    Members:
        name, description: what the LLM sees.
        id: identifies the tool in the catalog; defaults to the name.
        parameters_schema, return_type_schema: a JSON Schema each, None if the spec has none.
        examples: [{"description"?, "parameters"?, "returnValue"?}].
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def id(self) -> str:
        return self.name

    @property
    def parameters_schema(self) -> Schema:
        return None

    @property
    def return_type_schema(self) -> Schema:
        return None

    @property
    def examples(self) -> Sequence[Mapping[str, Any]]:
        return ()


class Tool(ToolDefinition, Protocol[Request_contra, Response_co]):
    """A tool that can be called. Toolshelf itself needs only `call`; the spec is in the catalog.

    Members:
        request_type: the type that `call` receives the JSON parameters as: `dict` (the default:
            plain Python values), a dataclass, a TypedDict or a pydantic model.
        response_type: optional; the type of the response. The default is the return annotation of
            `call`. A response of plain JSON values needs neither.
    """

    @property
    def request_type(self) -> Any:
        return dict

    def call(self, request: Request_contra) -> Response_co:
        """The response to `request`. An exception ends the run with the outcome "raised".

        The response is JSON, a type that pydantic converts to JSON, or bytes, a `File`, or a
        `pathlib.Path` of a file in the working folder.

        `call` may be `async`; it is awaited. It may be a generator: the values that it yields are
        shown while it runs. A `Progress` is a progress report, any other value a line of the log.
        The response is the value that the generator returns; if it returns none, as an async
        generator cannot, the last value that it yielded other than a `Progress`.
        """
        ...


@runtime_checkable
class ToolFactory(Protocol):
    """Creates a tool; implement one of the two protocols below."""

    def tool_id(self) -> str:
        """The tool's id: `definition.id` of its spec, else `definition.name`."""
        ...


@runtime_checkable
class ConfigurableToolFactory(ToolFactory, Protocol[Configuration_contra]):
    """Creates a tool from a configuration.

    Members:
        configuration_type: optional; the type that `create` receives the configuration as, like
            `Tool.request_type`.
    """

    def create(self, configuration: Configuration_contra) -> Tool[Any, Any]: ...


@runtime_checkable
class UnconfigurableToolFactory(ToolFactory, Protocol):
    """Creates a tool that needs no configuration."""

    def create(self) -> Tool[Any, Any]: ...


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A `ToolDefinition` as plain values; a tool may inherit from it, or hold one."""

    name: str
    description: str
    id: str = ""
    parameters_schema: Schema = None
    return_type_schema: Schema = None
    examples: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", self.id or self.name)

    @classmethod
    def from_spec(cls, spec: str | bytes | Mapping[str, Any]) -> Self:
        """The definition of a spec, which is given as JSON text or as the parsed document."""
        document = spec if isinstance(spec, Mapping) else json.loads(spec)
        definition = document["definition"]
        return cls(
            name=definition["name"],
            description=definition["description"],
            id=definition.get("id", ""),
            parameters_schema=definition.get("parameters"),
            return_type_schema=definition.get("returnType"),
            examples=tuple(definition.get("examples", ())),
        )


class DefinedTool(Protocol):
    """The base of a tool that holds its definition, instead of having its members itself."""

    @property
    def definition(self) -> ToolDefinition: ...

    @property
    def id(self) -> str:
        return self.definition.id

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def description(self) -> str:
        return self.definition.description

    @property
    def parameters_schema(self) -> Schema:
        return self.definition.parameters_schema

    @property
    def return_type_schema(self) -> Schema:
        return self.definition.return_type_schema

    @property
    def examples(self) -> Sequence[Mapping[str, Any]]:
        return self.definition.examples


class ToolError(Exception):
    """A call failed for a reason that the caller understands: the run shows only the message.

    Any other exception ends the run in the same way (outcome "raised"), but the run shows its type
    and traceback.
    """


@dataclass(frozen=True, slots=True)
class Progress:
    """A progress report that a generator yields.

    Attributes:
        done, total: in the tool's own units; `total` is None if it is unknown.
    """

    done: float
    total: float | None = None
    message: str = ""


class File:
    """A file as a tool's response, or as any value inside one.

        return File(path="plot.png")
        return {"title": "Sales", "chart": File(png, media_type="image/png", name="sales.png")}

    Its value in the response is {"name", "mediaType", "size" (bytes), "sha256"}; where the spec's
    `returnType` declares a string with `"contentEncoding": "base64"`, it is the content in Base64.
    """

    __slots__ = ("content", "media_type", "name", "path")

    def __init__(
        self,
        content: bytes | None = None,
        *,
        path: str | PathLike[str] | None = None,
        media_type: str = "",
        name: str = "",
    ) -> None:
        """Make a file of either `content` or `path`.

        Args:
            content: all of its bytes.
            path: of a file in the working folder of the run. It is read after the call.
            media_type: such as "image/png"; "" means that of the name, else one that the content
                shows.
            name: for downloads; "" means the name of the path.

        Raises:
            TypeError: there is neither `content` nor `path`, or both, or `content` is not bytes.
        """
        if (content is None) == (path is None):
            raise TypeError("A File takes either content or path.")
        if content is not None and not isinstance(content, bytes | bytearray | memoryview):
            kind = type(content).__name__
            raise TypeError(f"The content of a File is bytes, not {kind}; encode a text first.")
        self.content = None if content is None else bytes(content)
        self.path = path
        self.media_type = media_type
        self.name = name

    def __repr__(self) -> str:
        source = f"path={str(self.path)!r}"
        if self.content is not None:
            source = f"<{len(self.content):,} bytes>"
        return f"File({source}, media_type={self.media_type!r}, name={self.name!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415  only pydantic calls this

        return core_schema.is_instance_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(cls, _core_schema: object, handler: Any) -> dict[str, Any]:
        if handler.mode == "validation":
            raise TypeError("a File can only be returned; annotate the parameter as Base64Bytes")
        return {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "mediaType": {"type": "string"},
                "size": {"type": "integer", "description": "In bytes."},
                "sha256": {
                    "type": "string",
                    "description": "Of the content, in hexadecimal digits.",
                },
            },
            "required": ["name", "mediaType", "size", "sha256"],
        }


ProgressListener = Callable[[float, float | None, str], None]


def _drop_report(done: float, total: float | None, message: str) -> None:
    """The listener outside a run."""


_listener: ProgressListener = _drop_report


def progress(done: float, total: float | None = None, message: str = "") -> None:
    """Report a call's progress: `done` of `total` (None if unknown), in the tool's own units.

    This never fails and is cheap, so a call may report after every step; the run shows a few
    reports per second.
    """
    _listener(done, total, message)


def listen_to_progress(listener: ProgressListener | None) -> None:
    """Send progress reports to `listener` from now on; None drops them. For runners of tools."""
    global _listener  # noqa: PLW0603  one process runs one tool
    _listener = listener or _drop_report
