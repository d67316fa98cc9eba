"""The interfaces that a tool's author implements: Python's port of the Java interfaces of LLM Tool Spec.

These are structural types. A class that has the members is a tool or a factory; inheriting from them is optional and
provides the defaults. This module imports only the standard library.

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
`TOOL_FACTORIES`. The entry refers to a factory, or to a class that creates one when called without arguments.

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
        request_type: the type that `call` receives the JSON parameters as: `dict` (the default: plain Python values), a
            dataclass, a TypedDict or a pydantic model.
        response_type: optional; the type of the response. The default is the return annotation of `call`. A response of
            plain JSON values needs neither.
    """

    @property
    def request_type(self) -> Any:
        return dict

    def call(self, request: Request_contra) -> Response_co:
        """The response to `request`. An exception ends the run with the outcome "raised"."""
        ...


@runtime_checkable
class ToolFactory(Protocol):
    """Creates a tool; implement one of the two protocols below."""

    def tool_id(self) -> str:
        """The id of the tool that the factory creates: `definition.id` of the spec, else `definition.name`."""
        ...


@runtime_checkable
class ConfigurableToolFactory(ToolFactory, Protocol[Configuration_contra]):
    """Creates a tool from a configuration.

    Members:
        configuration_type: optional; the type that `create` receives the configuration as, like `Tool.request_type`.
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


ProgressListener = Callable[[float, float | None, str], None]


def _ignore(done: float, total: float | None, message: str) -> None:
    """The listener outside a run."""


_listener: ProgressListener = _ignore


def progress(done: float, total: float | None = None, message: str = "") -> None:
    """Report a call's progress: `done` of `total` (None if unknown), in the tool's own units.

    This never fails and is cheap: a call may report after every step; the run shows a few reports per second.
    """
    _listener(done, total, message)


def listen_to_progress(listener: ProgressListener | None) -> None:
    """Send progress reports to `listener` from now on, None for nowhere. For code that runs tools."""
    global _listener  # noqa: PLW0603  one process runs one tool
    _listener = listener or _ignore
