"""What an author of a tool writes: Python's port of the Java interfaces of LLM Tool Spec.

These are structural types. A class that has the members is a tool or a factory; inheriting from them is optional and
brings the defaults. Nothing here knows Django, and nothing outside the standard library is imported.

    class Shout:
        request_type = dict

        def call(self, request: dict[str, str]) -> str:
            return request["text"].upper()

    class ShoutFactory:
        def tool_id(self) -> str:
            return "shout"

        def create(self) -> Shout:
            return Shout()

A factory is registered by an entry point in the group `toolshelf.factories`, or by "module:attribute" in the setting
`TOOL_FACTORIES`. The entry names a factory, or a class that makes one when called without arguments.

Source: easy-llm-tools, package com.javaaidev.easyllmtools.llmtoolspec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

Request_contra = TypeVar("Request_contra", contravariant=True)
Response_co = TypeVar("Response_co", covariant=True)
Configuration_contra = TypeVar("Configuration_contra", contravariant=True)

Schema = Mapping[str, Any] | bool | None


class ToolDefinition(Protocol):
    """What a tool is, as a spec says it.

    Members:
        name, description: what the LLM sees.
        id: known by this in the catalog; the name where there is none.
        parameters_schema, return_type_schema: a JSON Schema each, None where the spec has none.
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
    """A tool that can be called. Toolshelf itself needs `call` alone; its spec is in the catalog.

    Members:
        request_type: what JSON parameters become before they reach `call`: `dict` (also the default: plain Python
            values), a dataclass, a TypedDict or a pydantic model.
        response_type: optional; the type of the response, else what `call` is annotated to return. A response of plain
            JSON values needs neither.
    """

    @property
    def request_type(self) -> Any:
        return dict

    def call(self, request: Request_contra) -> Response_co:
        """The response to `request`. What it raises ends the run with the outcome "raised"."""
        ...


@runtime_checkable
class ToolFactory(Protocol):
    """What makes a tool; one of the two kinds below."""

    def tool_id(self) -> str:
        """The id of the tool that it makes: `definition.id` of the spec, else `definition.name`."""
        ...


@runtime_checkable
class ConfigurableToolFactory(ToolFactory, Protocol[Configuration_contra]):
    """Makes a tool from a configuration.

    Members:
        configuration_type: optional; what the JSON configuration becomes, as `Tool.request_type`.
    """

    def create(self, configuration: Configuration_contra) -> Tool[Any, Any]: ...


@runtime_checkable
class UnconfigurableToolFactory(ToolFactory, Protocol):
    """Makes a tool that needs no configuration."""

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
        """The definition that a spec (its JSON text, or the document read from it) holds."""
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


ProgressListener = Callable[[float, float | None, str], None]


def _ignore(done: float, total: float | None, message: str) -> None:
    """Outside a run nobody listens."""


_listener: ProgressListener = _ignore


def progress(done: float, total: float | None = None, message: str = "") -> None:
    """Say how far a call is: `done` of `total` (None where it is not known), in the tool's own units.

    It never fails and costs little: a call may report after every step, the run shows a few reports per second.
    """
    _listener(done, total, message)


def listen_to_progress(listener: ProgressListener | None) -> None:
    """Send reports of progress to `listener` from now on, or nowhere. For whoever runs tools."""
    global _listener  # noqa: PLW0603  one process runs one tool
    _listener = listener or _ignore
