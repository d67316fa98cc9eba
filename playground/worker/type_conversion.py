"""Convert between JSON and a tool's arguments and responses: plain Python values, or the types its author names."""

from __future__ import annotations

import inspect
import json
import sys
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, get_args, get_origin, get_type_hints

_PLAIN: Final = (dict, list, tuple, str, int, float, bool, object, type(None), Mapping, Any, None)
_PLAIN_ORIGINS: Final = {dict, list, tuple, Mapping, typing.Union, types.UnionType}


class MisfitError(ValueError):
    """A value does not fit the type that the tool's author named. The message gives the position and the reason."""


def read_value(text: str, kind: object, *, what: str) -> Any:
    """Read JSON as a value of `kind`: plain Python values, or a type that pydantic converts them to.

    Args:
        text: strict JSON.
        kind: `dict`, a dataclass, a TypedDict, a pydantic model, or any other type that pydantic supports.
        what: the name of the value in messages: "parameters", "configuration".

    Raises:
        MisfitError: the value does not fit `kind`.
    """
    if is_plain(kind):
        return json.loads(text)
    from playground.worker.pydantic_types import read_typed  # noqa: PLC0415  slow to import, and most tools do not need it

    return read_typed(text, kind, what=what)


def plain_value(value: object, kind: object) -> tuple[object, bool]:
    """Convert `value` to plain Python types, according to `kind`; and whether the author named its type.

    A dataclass or pydantic model, alone or in a list, implies its own type.
    """
    if is_plain(kind):
        if not _names_its_type(value[0] if isinstance(value, list) and value else value):
            return value, False
        kind = list if isinstance(value, list) else type(value)
    from playground.worker.pydantic_types import plain_of  # noqa: PLC0415  as above

    return plain_of(value, kind), True


def _names_its_type(value: object) -> bool:
    return hasattr(type(value), "__dataclass_fields__") or hasattr(type(value), "__pydantic_serializer__")


def is_plain(kind: object) -> bool:
    """Whether values of `kind` need no conversion, because JSON has their type: dict, dict[str, str], Any."""
    origin = get_origin(kind)
    if origin is None:
        return any(kind is plain for plain in _PLAIN)
    parts = [part for part in get_args(kind) if part is not ...]
    return origin in _PLAIN_ORIGINS and all(is_plain(part) for part in parts)


def loads_types() -> bool:
    """Whether pydantic support has been loaded, because a tool names a type that JSON does not have."""
    return "playground.worker.pydantic_types" in sys.modules


def request_type(tool: object) -> object:
    """The type of `tool.call`'s argument: `request_type`, else the annotation of its parameter, else `dict`."""
    named = getattr(tool, "request_type", None)
    return named if named is not None else _annotation_of_argument(getattr(tool, "call", None))


def response_type(tool: object) -> object:
    """The type that `tool.call` returns: `response_type`, else its return annotation, else `dict`."""
    named = getattr(tool, "response_type", None)
    return named if named is not None else _hints(getattr(tool, "call", None)).get("return", dict)


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
    return next((kind for name, kind in _hints(function).items() if name != "return"), dict)


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


def types_named_beside(factory: object) -> list[object]:
    """The types that `factory` and the tools in its module name, except those that JSON has.

    Determined once, before runs are forked. Each run of a tool that is defined elsewhere determines them anew.
    """
    module = sys.modules.get(type(factory).__module__)
    if module is None:
        return []
    tools = [each for each in vars(module).values() if isinstance(each, type) and "call" in vars(each)]
    kinds = [configuration_type(factory)]
    for tool in tools:
        kinds += [request_type(tool), response_type(tool)]
    return [kind for kind in kinds if not is_plain(kind)]
