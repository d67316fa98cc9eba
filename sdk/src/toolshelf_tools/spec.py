"""The spec of a factory: from its definition if it has one, else from its types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from toolshelf_tools.calls import Caller
from toolshelf_tools.docstrings import read_docstring
from toolshelf_tools.type_conversion import (
    annotated_return,
    configuration_type,
    request_type,
    response_type_of,
    wants_argument,
)


class NoSpecError(ValueError):
    """A factory has no spec, and none can be made. The message says what to add."""


def make_spec(factory: Any) -> dict[str, Any]:
    """Make the LLM Tool Spec of `factory`: {"definition": {…}, "configuration"?: schema}.

    A factory with a `spec`, a document, has that spec. Otherwise each member is that of the
    factory's `definition` or its tool's definition, else it comes from the types: the schemas of
    the request, the response and the configuration, the description in the tool's docstring. The
    tool of a factory that wants a configuration is created with `{}`; if that fails, its class is
    the annotated one.

    Raises:
        NoSpecError: there is no description, or no schema describes a type.
        Exception: anything that `create` raises without a configuration.
    """
    document = getattr(factory, "spec", None)
    if isinstance(document, Mapping):
        return dict(document)
    tool = _create_tool(factory)
    definition = _find_definition(factory, tool)
    tool_id = factory.tool_id()
    name = getattr(definition, "name", None) or tool_id
    description = getattr(definition, "description", None) or _find_description(factory, tool)
    if not description:
        raise NoSpecError(
            f"The tool {tool_id} has no description: "
            "give its factory a `definition`, or its class a docstring."
        )
    parameters = getattr(definition, "parameters_schema", None)
    if parameters is None:
        parameters = _make_schema(_find_request_type(factory, tool), of="request")
    return_type = getattr(definition, "return_type_schema", None)
    if return_type is None:
        return_type = _make_schema(_find_response_type(factory, tool), of="response")
    members = {
        "id": tool_id,
        "name": name,
        "description": description,
        "parameters": parameters,
        "returnType": return_type,
        "examples": list(getattr(definition, "examples", ())) or None,
    }
    if tool_id == name:
        del members["id"]
    definition = {name: member for name, member in members.items() if member is not None}
    spec = {"definition": definition}
    configuration = getattr(factory, "configuration_schema", None)
    if configuration is None and wants_argument(factory.create):
        configuration = _make_schema(configuration_type(factory), of="request")
    if configuration is not None:
        spec["configuration"] = configuration
    return spec


def _create_tool(factory: Any) -> Any:
    """Create the tool with `{}`; if that is no configuration of it, find its class, else None."""
    try:
        with Caller() as caller:
            return caller.create_tool(factory, "{}")
    except Exception:
        if not wants_argument(factory.create):
            raise
    tool_class = annotated_return(factory.create)
    if isinstance(tool_class, type) and not getattr(tool_class, "_is_protocol", False):
        return tool_class
    return None


def _find_definition(factory: Any, tool: Any) -> Any:
    """The first object with the members of a definition; None if there is none."""
    definitions = (getattr(factory, "definition", None), getattr(tool, "definition", None))
    for candidate in (*definitions, tool, factory):
        name = getattr(candidate, "name", None)
        description = getattr(candidate, "description", None)
        if isinstance(name, str) and isinstance(description, str):
            return candidate
    return None


def _find_description(factory: Any, tool: Any) -> str:
    """The description in the docstring of the tool's class, its `call`, or its factory, else ""."""
    tool_class = tool if isinstance(tool, type) else type(tool)
    owners: list[object] = [type(factory)]
    if tool is not None:
        owners = [tool_class, getattr(tool, "call", None), type(factory)]
    for owner in owners:
        text = read_docstring(getattr(owner, "__doc__", None)).description
        # A dataclass without a docstring gets its signature from Python.
        if text and not text.startswith(f"{getattr(owner, '__name__', '')}("):
            return text
    return ""


def _find_request_type(factory: Any, tool: Any) -> object:
    if tool is None:
        return _get_type_argument(factory, 0)
    if isinstance(getattr(tool, "request_type", None), property):  # the tool is a class
        return dict
    return request_type(tool)


def _find_response_type(factory: Any, tool: Any) -> object:
    """The type of the response; `Any` if it is not annotated."""
    if tool is None:
        return _get_type_argument(factory, 1)
    declared_type = getattr(tool, "response_type", None)
    if declared_type is not None:
        return declared_type
    return response_type_of(tool.call, default=Any)


def _get_type_argument(factory: Any, index: int) -> object:
    """A type in the annotation of `create`, `Tool[Request, Response]`; `Any` if it has none."""
    arguments = get_args(annotated_return(factory.create))
    return arguments[index] if len(arguments) > index else Any


def _make_schema(annotation: object, *, of: Any) -> dict[str, Any] | None:
    if annotation is Any or annotation is object:
        return None
    # Slow to import, and most definitions have schemas.
    from toolshelf_tools.schemas import make_schema  # noqa: PLC0415

    try:
        return make_schema(annotation, of=of)
    except TypeError as error:
        raise NoSpecError(f"The spec of the {of}: {error}.") from error
