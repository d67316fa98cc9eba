"""The spec of a factory: from its definition if it has one, else from its types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from toolshelf_tools.calls import Caller
from toolshelf_tools.docstrings import read_docstring
from toolshelf_tools.type_conversion import (
    annotated_return,
    configuration_type,
    read_value,
    request_type,
    response_type_of,
    wants_argument,
)

_MEMBERS: Final = ("name", "description")


class NoSpecError(ValueError):
    """A factory that a spec cannot be made of. The message says what is missing and how to add it."""


def spec_of(factory: Any) -> dict[str, Any]:
    """The LLM Tool Spec of `factory`: {"definition": {…}, "configuration"?: schema}.

    A factory with a `spec`, a document, serves that. Otherwise each member is that of the factory's
    `definition` or its tool's definition, else it comes from the types: the schemas of the request,
    the response and the configuration, the description in the tool's docstring. The tool of a
    factory that wants a configuration is created with `{}`; if that fails, its class is the
    annotated one.

    Raises:
        NoSpecError: there is no description, or no schema describes a type.
        Exception: anything that `create` raises without a configuration.
    """
    document = getattr(factory, "spec", None)
    if isinstance(document, Mapping):
        return dict(document)
    tool = _tool_of(factory)
    definition = _definition_of(factory, tool)
    tool_id = factory.tool_id()
    name = getattr(definition, "name", None) or tool_id
    members: dict[str, Any] = {} if tool_id == name else {"id": tool_id}
    members["name"] = name
    members["description"] = getattr(definition, "description", None) or _docstring(factory, tool)
    if not members["description"]:
        raise NoSpecError(
            f"The tool {tool_id} has no description: give its factory a `definition`, or its class a docstring."
        )
    parameters = getattr(definition, "parameters_schema", None)
    members["parameters"] = (
        _schema(_request_of(factory, tool), of="request") if parameters is None else parameters
    )
    returned = getattr(definition, "return_type_schema", None)
    members["returnType"] = (
        _schema(_response_of(factory, tool), of="response") if returned is None else returned
    )
    members["examples"] = list(getattr(definition, "examples", ())) or None
    spec = {"definition": {name: member for name, member in members.items() if member is not None}}
    configuration = getattr(factory, "configuration_schema", None)
    if configuration is None and wants_argument(factory.create):
        configuration = _schema(configuration_type(factory), of="request")
    return spec if configuration is None else spec | {"configuration": configuration}


def _tool_of(factory: Any) -> Any:
    """The tool of `factory`, else the class that `create` is annotated to return, else None."""
    if not wants_argument(factory.create):
        with Caller() as caller:
            return caller.result_of(factory.create())
    try:
        with Caller() as caller:
            return caller.result_of(
                factory.create(read_value("{}", configuration_type(factory), what="configuration"))
            )
    except Exception:  # noqa: BLE001  it needs a real configuration
        annotated = annotated_return(factory.create)
        return (
            annotated
            if isinstance(annotated, type) and not getattr(annotated, "_is_protocol", False)
            else None
        )


def _definition_of(factory: Any, tool: Any) -> Any:
    """The first object with the members of a definition; None if there is none."""
    candidates = (
        getattr(factory, "definition", None),
        getattr(tool, "definition", None),
        tool,
        factory,
    )
    return next(
        (
            each
            for each in candidates
            if all(isinstance(getattr(each, m, None), str) for m in _MEMBERS)
        ),
        None,
    )


def _docstring(factory: Any, tool: Any) -> str:
    """The description in the docstring of the tool's class, its `call`, or its factory; "" if there is none."""
    kind = tool if isinstance(tool, type) else type(tool)
    for described in (
        (kind, getattr(tool, "call", None), type(factory)) if tool is not None else (type(factory),)
    ):
        text = read_docstring(getattr(described, "__doc__", None)).description
        if text and not text.startswith(
            f"{getattr(described, '__name__', '')}("
        ):  # Python's own, for a dataclass
            return text
    return ""


def _request_of(factory: Any, tool: Any) -> object:
    if tool is None:
        return _argument_of_tool(factory, 0)
    return dict if isinstance(getattr(tool, "request_type", None), property) else request_type(tool)


def _response_of(factory: Any, tool: Any) -> object:
    """The type of the response; `Any` if it is not annotated."""
    if tool is None:
        return _argument_of_tool(factory, 1)
    named = getattr(tool, "response_type", None)
    return named if named is not None else response_type_of(tool.call, default=Any)


def _argument_of_tool(factory: Any, index: int) -> object:
    """A type from the return annotation of `create`, `Tool[Request, Response]`; `Any` if it has none."""
    arguments = get_args(annotated_return(factory.create))
    return arguments[index] if len(arguments) > index else Any


def _schema(annotation: object, *, of: Any) -> dict[str, Any] | None:
    if annotation is Any or annotation is object:
        return None
    from toolshelf_tools.schemas import schema_of  # noqa: PLC0415  slow to import, and most definitions have schemas

    try:
        return schema_of(annotation, of=of)
    except TypeError as error:
        raise NoSpecError(f"The spec of the {of}: {error}.") from error
