"""Convert between JSON and the values of a tool: plain Python values, or the types it annotates."""

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
_UNIONS: Final = {typing.Union, types.UnionType}
_PLAIN_ORIGINS: Final = {dict, list, tuple, Mapping, *_UNIONS}
_PLAIN_MAPPINGS: Final = {dict, Mapping}
_PLAIN_KEYS: Final = (str, Any, object)


class MisfitError(ValueError):
    """A value does not match the type that the tool annotates. The message says where, and why."""


def read_value(text: str, annotation: object, *, what: str) -> Any:
    """Read JSON as a value of `annotation`.

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
    # Slow to import, and most tools do not need it.
    from toolshelf_tools.pydantic_types import read_typed  # noqa: PLC0415

    return read_typed(text, annotation, what=what)


def make_plain(value: object, annotation: object) -> object:
    """Convert `value` to plain Python types, according to `annotation`.

    A dataclass or pydantic model, alone or in a list, needs no annotation.

    Raises:
        NotJSONError: see `dump_typed`.
    """
    if is_plain(annotation):
        sample, annotation = value, type(value)
        if isinstance(value, list):
            sample, annotation = next(iter(value), None), list
        if not _has_schema(type(sample)):
            return value
    from toolshelf_tools.pydantic_types import dump_typed  # noqa: PLC0415  slow to import

    return dump_typed(value, annotation)


def _has_schema(kind: type) -> bool:
    return hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__pydantic_serializer__")


def is_plain(annotation: object) -> bool:
    """Whether JSON has the type, so that no conversion is needed: dict, dict[str, str], Any."""
    origin = get_origin(annotation)
    if origin is None:
        return any(annotation is plain for plain in _PLAIN)
    parts = [part for part in get_args(annotation) if part is not ...]
    if origin in _PLAIN_MAPPINGS and not any(parts[0] is key for key in _PLAIN_KEYS):
        return False
    return origin in _PLAIN_ORIGINS and all(is_plain(part) for part in parts)


def request_type(tool: object) -> object:
    """The type of `call`'s argument: `request_type`, else its annotation, else `dict`."""
    return _find_argument_type(tool, "request_type", "call")


def configuration_type(factory: object) -> object:
    """The type of `create`'s argument: `configuration_type`, else its annotation, else `dict`."""
    return _find_argument_type(factory, "configuration_type", "create")


def _find_argument_type(owner: object, member: str, method: str) -> object:
    declared_type = getattr(owner, member, None)
    if declared_type is not None:
        return declared_type
    for name, annotation in _read_hints(getattr(owner, method, None)).items():
        if name != "return":
            return annotation
    return dict


def response_type(tool: object) -> object:
    """The type of `call`'s response: `response_type`, else its return annotation, else `dict`."""
    declared_type = getattr(tool, "response_type", None)
    if declared_type is not None:
        return declared_type
    return response_type_of(getattr(tool, "call", None))


def response_type_of(function: object, *, default: object = dict) -> object:
    """The type of the responses of `function`: its return annotation, else `default`.

    That of a generator is the type that it returns, or, if it returns nothing, the type that it
    yields besides `Progress`.
    """
    annotation = annotated_return(function)
    if annotation is None:
        return default
    arguments = get_args(annotation)
    if get_origin(annotation) not in _GENERATORS or not arguments:
        return annotation
    if len(arguments) == 3 and arguments[2] not in {None, type(None)}:
        return arguments[2]
    return _remove_progress(arguments[0], default)


def _remove_progress(annotation: Any, default: object) -> object:
    if annotation is Progress:
        return default
    if get_origin(annotation) not in _UNIONS:
        return annotation
    others = tuple(each for each in get_args(annotation) if each is not Progress)
    return typing.Union[others] if others else default  # noqa: UP007  of a tuple


def annotated_return(function: object) -> object | None:
    """The return annotation of `function`, `NoneType` for `-> None`; None if it has none."""
    return _read_hints(function).get("return")


def wants_argument(function: Callable[..., object]) -> bool:
    """Whether `function` accepts a positional argument."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # implemented in C, without a signature
        return False
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    return any(each.kind in positional | {inspect.Parameter.VAR_POSITIONAL} for each in parameters)


def _read_hints(function: object) -> dict[str, Any]:
    """The annotations of `function`; {} if they cannot be evaluated: they are optional."""
    if not getattr(function, "__annotations__", None):
        return {}
    function = getattr(function, "__func__", function)
    try:
        return _evaluate_hints(function)
    except Exception:  # noqa: BLE001  it cannot be hashed, so its hints cannot be cached
        return _evaluate_hints.__wrapped__(function)


@cache
def _evaluate_hints(function: object) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001  annotations are code, which may raise anything
        return {}


def find_types_beside(factory: object) -> list[object]:
    """The types, other than those of JSON, that `factory` and the tools in its module annotate.

    Determined once, before runs are forked. For a tool that is defined elsewhere, each run
    determines them again.
    """
    module = sys.modules.get(type(factory).__module__)
    if module is None:
        return []
    tools: list[object] = []
    for member in vars(module).values():
        if isinstance(member, type) and "call" in vars(member):
            tools.append(member)
    if hasattr(factory, "request_type"):  # it was made by `@tool`
        tools.append(factory)
    annotations = [configuration_type(factory)]
    for tool in tools:
        annotations += [request_type(tool), response_type(tool)]
    return [annotation for annotation in annotations if not is_plain(annotation)]
