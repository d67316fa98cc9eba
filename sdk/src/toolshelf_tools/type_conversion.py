"""Convert between JSON and a tool's arguments and responses: plain Python values, or the types that it annotates."""

from __future__ import annotations

import inspect
import json
import sys
import types
import typing
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from functools import cache
from typing import Any, Final, get_args, get_origin, get_type_hints

from toolshelf_tools.interfaces import Progress

_PLAIN: Final = (dict, list, tuple, str, int, float, bool, object, type(None), Mapping, Any, None)
_GENERATORS: Final = {Generator, AsyncGenerator, Iterator, AsyncIterator}
_PLAIN_ORIGINS: Final = {dict, list, tuple, Mapping, typing.Union, types.UnionType}
_PLAIN_MAPPINGS: Final = {dict, Mapping}
_PLAIN_KEYS: Final = (str, Any, object)


class MisfitError(ValueError):
    """A value does not match the type that the tool annotates. The message gives the position and the reason."""


def read_value(text: str, annotation: object, *, what: str) -> Any:
    """Read JSON as a value of `annotation`: plain Python values, or a type that pydantic converts them to.

    Args:
        text: strict JSON.
        annotation: `dict`, a dataclass, a TypedDict, a pydantic model, or any other type that
            pydantic supports.
        what: the name of the value in messages: "parameters", "configuration".

    Raises:
        MisfitError: the value does not match `annotation`.
    """
    if is_plain(annotation):
        return json.loads(text)
    from toolshelf_tools.pydantic_types import read_typed  # noqa: PLC0415  slow to import, and most tools do not need it

    return read_typed(text, annotation, what=what)


def plain_value(value: object, annotation: object) -> object:
    """Convert `value` to plain Python types, according to `annotation`.

    A dataclass or pydantic model, alone or in a list, implies its own type.

    Raises:
        NotJSONError: see `plain_of`.
    """
    if is_plain(annotation):
        if not _implies_its_type(value[0] if isinstance(value, list) and value else value):
            return value
        annotation = list if isinstance(value, list) else type(value)
    from toolshelf_tools.pydantic_types import plain_of  # noqa: PLC0415  as above

    return plain_of(value, annotation)


def _implies_its_type(value: object) -> bool:
    return hasattr(type(value), "__dataclass_fields__") or hasattr(
        type(value), "__pydantic_serializer__"
    )


def is_plain(annotation: object) -> bool:
    """Whether values of `annotation` need no conversion, because JSON has their type: dict, dict[str, str], Any."""
    origin = get_origin(annotation)
    if origin is None:
        return any(annotation is plain for plain in _PLAIN)
    parts = [part for part in get_args(annotation) if part is not ...]
    if origin in _PLAIN_MAPPINGS and not any(parts[0] is key for key in _PLAIN_KEYS):
        return False
    return origin in _PLAIN_ORIGINS and all(is_plain(part) for part in parts)


def request_type(tool: object) -> object:
    """The type of `tool.call`'s argument: `request_type`, else the annotation of its parameter, else `dict`."""
    named = getattr(tool, "request_type", None)
    return named if named is not None else _annotation_of_argument(getattr(tool, "call", None))


def response_type(tool: object) -> object:
    """The type that `tool.call` responds with: `response_type`, else its return annotation, else `dict`."""
    named = getattr(tool, "response_type", None)
    return named if named is not None else response_type_of(getattr(tool, "call", None))


def response_type_of(function: object, *, default: object = dict) -> object:
    """The type of the responses of `function`: its return annotation, else `default`.

    That of a generator is the type that it returns, or, if it returns nothing, the type that it
    yields besides `Progress`.
    """
    annotated = annotated_return(function)
    if annotated is None:
        return default
    if get_origin(annotated) in _GENERATORS and (arguments := get_args(annotated)):
        returned = arguments[2] if len(arguments) == 3 else None
        return (
            _without_progress(arguments[0], default) if returned in {None, type(None)} else returned
        )
    return annotated


def _without_progress(yielded: Any, default: object) -> object:
    if get_origin(yielded) not in {typing.Union, types.UnionType}:
        return default if yielded is Progress else yielded
    others = tuple(each for each in get_args(yielded) if each is not Progress)
    return typing.Union[others] if others else default  # noqa: UP007  of a tuple


def annotated_return(function: object) -> object | None:
    """The return annotation of `function`, `NoneType` for `-> None`; None if it has none."""
    return _hints(function).get("return")


def configuration_type(factory: object) -> object:
    """The type of `factory.create`'s argument: `configuration_type`, else the parameter's annotation, else `dict`."""
    named = getattr(factory, "configuration_type", None)
    return named if named is not None else _annotation_of_argument(getattr(factory, "create", None))


def wants_argument(function: Callable[..., object]) -> bool:
    """Whether `function` accepts a positional argument."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # implemented in C, without a signature
        return False
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    return any(each.kind in positional | {inspect.Parameter.VAR_POSITIONAL} for each in parameters)


def _annotation_of_argument(function: Callable[..., object] | None) -> object:
    return next(
        (annotation for name, annotation in _hints(function).items() if name != "return"), dict
    )


def _hints(function: object) -> dict[str, Any]:
    """The annotations of `function`; {} if they cannot be evaluated: they are optional."""
    if not getattr(function, "__annotations__", None):
        return {}
    function = getattr(function, "__func__", function)
    try:
        return _hints_of(function)
    except Exception:  # noqa: BLE001  it cannot be hashed, so its hints cannot be cached
        return _hints_of.__wrapped__(function)


@cache
def _hints_of(function: object) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001  annotations are code, which may raise anything
        return {}


def types_annotated_beside(factory: object) -> list[object]:
    """The types that `factory` (one made by `@tool`) and the tools in its module annotate, except those that JSON has.

    Determined once, before runs are forked. For a tool that is defined elsewhere, each run
    determines them again.
    """
    module = sys.modules.get(type(factory).__module__)
    if module is None:
        return []
    tools = [
        each for each in vars(module).values() if isinstance(each, type) and "call" in vars(each)
    ]
    annotations = [configuration_type(factory)]
    for tool in [*tools, factory] if hasattr(factory, "request_type") else tools:
        annotations += [request_type(tool), response_type(tool)]
    return [annotation for annotation in annotations if not is_plain(annotation)]
