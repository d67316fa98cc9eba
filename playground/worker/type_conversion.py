"""Between JSON and what a tool is given and gives: plain Python values, or the types that its author names."""

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
    """A value does not fit the type that the tool's author named. Its text says where and why."""


def read_value(text: str, kind: object, *, what: str) -> Any:
    """The JSON in `text` as a value of `kind`: plain Python values, or what pydantic makes of them.

    Args:
        text: JSON, strict.
        kind: `dict`, a dataclass, a TypedDict, a pydantic model, or any other type pydantic knows.
        what: how a sentence names the value: "parameters", "configuration".

    Raises:
        MisfitError: the value does not fit `kind`.
    """
    if is_plain(kind):
        return json.loads(text)
    from playground.worker.pydantic_types import read_typed  # noqa: PLC0415  slow to import, and most tools do without

    return read_typed(text, kind, what=what)


def plain_value(value: object, kind: object) -> tuple[object, bool]:
    """`value` in plain Python types, as `kind` says, and whether the author named its type.

    A dataclass or pydantic model, alone or in a list, names its own type.
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
    """Whether values of `kind` are JSON's own, so that nothing is to be converted: dict, dict[str, str], Any."""
    origin = get_origin(kind)
    if origin is None:
        return any(kind is plain for plain in _PLAIN)
    parts = [part for part in get_args(kind) if part is not ...]
    return origin in _PLAIN_ORIGINS and all(is_plain(part) for part in parts)


def loads_types() -> bool:
    """Whether a type was named so far that JSON does not have."""
    return "playground.worker.pydantic_types" in sys.modules


def request_type(tool: object) -> object:
    """What `tool.call` is given: `request_type`, else what its parameter is annotated with, else `dict`."""
    named = getattr(tool, "request_type", None)
    return named if named is not None else _annotation_of_argument(getattr(tool, "call", None))


def response_type(tool: object) -> object:
    """What `tool.call` gives: `response_type`, else what it is annotated to return, else `dict`."""
    named = getattr(tool, "response_type", None)
    return named if named is not None else _hints(getattr(tool, "call", None)).get("return", dict)


def configuration_type(factory: object) -> object:
    """What `factory.create` is given: `configuration_type`, else what its parameter is annotated with, else `dict`."""
    named = getattr(factory, "configuration_type", None)
    return named if named is not None else _annotation_of_argument(getattr(factory, "create", None))


def wants_argument(function: Callable[..., object]) -> bool:
    """Whether `function` has to be, or may be, called with one argument."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C, without a signature
        return False
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    return any(each.kind in positional | {inspect.Parameter.VAR_POSITIONAL} for each in parameters)


def _annotation_of_argument(function: Callable[..., object] | None) -> object:
    return next((kind for name, kind in _hints(function).items() if name != "return"), dict)


def _hints(function: object) -> dict[str, Any]:
    """The annotations of `function`; {} where they cannot be made out: they are optional."""
    if not getattr(function, "__annotations__", None):
        return {}
    function = getattr(function, "__func__", function)
    try:
        return _hints_of(function)
    except Exception:  # noqa: BLE001  it cannot be hashed, so what it says cannot be kept
        return _hints_of.__wrapped__(function)


@cache
def _hints_of(function: object) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001  annotations are code: they raise anything
        return {}


def types_named_beside(factory: object) -> list[object]:
    """What `factory`, and the tools defined in its module, take and give, as far as it is not JSON's own.

    Found out once, before the runs that need it are forked. A tool defined elsewhere is looked at by each of its runs.
    """
    module = sys.modules.get(type(factory).__module__)
    if module is None:
        return []
    tools = [each for each in vars(module).values() if isinstance(each, type) and "call" in vars(each)]
    kinds = [configuration_type(factory)]
    for tool in tools:
        kinds += [request_type(tool), response_type(tool)]
    return [kind for kind in kinds if not is_plain(kind)]
