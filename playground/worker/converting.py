"""Between JSON and the types that a tool's author names: requests, configurations and responses."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, Self, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import BaseModel, TypeAdapter, ValidationError

from catalog.problems import pointer_join

_PLAIN: Final = (dict, list, tuple, str, int, float, bool, object, type(None), Mapping, Any, None)
_PLAIN_ORIGINS: Final = {dict, list, tuple, Mapping, typing.Union, types.UnionType}
_MAX_COMPLAINTS: Final = 10


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
    adapter = _adapter(kind)
    try:
        return adapter.validate_python(json.loads(text, parse_float=_exact_float))
    except ValidationError as error:
        complaints = error.errors(include_url=False, include_context=False, include_input=False)
        lines = [
            f"{pointer_join('', *each['loc']) or 'at the root'}: {each['msg']}" for each in complaints[:_MAX_COMPLAINTS]
        ]
        if len(complaints) > _MAX_COMPLAINTS:
            lines.append(f"and {len(complaints) - _MAX_COMPLAINTS} more")
        name = getattr(kind, "__name__", str(kind))
        raise MisfitError(f"The {what} do not fit the tool's own type {name}: {'; '.join(lines)}.") from None


def plain_value(value: object, kind: object) -> tuple[object, bool]:
    """`value` in plain Python types, as `kind` says, and whether the author named its type.

    A dataclass or pydantic model names its own type.
    """
    if is_plain(kind):
        if isinstance(value, BaseModel) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
            kind = type(value)
        else:
            return value, False
    return _adapter(kind).dump_python(value, by_alias=True, warnings="none"), True


def warm_up() -> None:
    """Let pydantic load now what it loads when it is first used, so that no run has to."""

    @dataclasses.dataclass
    class Sample:
        text: str
        numbers: list[float] = dataclasses.field(default_factory=list)
        choice: typing.Literal["a", "b"] | None = None

    class Another(typing_extensions.TypedDict):
        text: str

    with contextlib.suppress(MisfitError):
        read_value('{"text": 1}', Sample, what="sample")
    plain_value(read_value('{"text": "a"}', Sample, what="sample"), dict)
    plain_value({"text": "a"}, Another)


def is_plain(kind: object) -> bool:
    """Whether values of `kind` are JSON's own, so that nothing is to be converted: dict, dict[str, str], Any."""
    origin = get_origin(kind)
    if origin is None:
        return any(kind is plain for plain in _PLAIN)
    parts = [part for part in get_args(kind) if part is not ...]
    return origin in _PLAIN_ORIGINS and all(is_plain(part) for part in parts)


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
    try:
        return get_type_hints(function, include_extras=True) if callable(function) else {}
    except (NameError, TypeError, AttributeError, SyntaxError):
        return {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(_known_to_pydantic(kind))


def _known_to_pydantic(kind: Any) -> Any:
    """`kind`, with `typing.TypedDict` as pydantic wants it before Python 3.12: from typing_extensions."""
    if typing.is_typeddict(kind) and type(kind).__module__ == "typing":
        hints = get_type_hints(kind, include_extras=True)
        members = {name: _known_to_pydantic(hint) for name, hint in hints.items()}
        required = {
            name: hint if name in kind.__required_keys__ or _is_marked(hint) else typing_extensions.NotRequired[hint]
            for name, hint in members.items()
        }
        return typing_extensions.TypedDict(kind.__name__, required)  # type: ignore[operator]
    if (origin := get_origin(kind)) is not None and hasattr(kind, "copy_with"):
        return kind.copy_with(tuple(_known_to_pydantic(part) for part in get_args(kind)))
    if origin in {list, dict, tuple}:
        return origin[tuple(_known_to_pydantic(part) for part in get_args(kind))]
    return kind


def _is_marked(hint: object) -> bool:
    return get_origin(hint) in {typing.Required, typing.NotRequired}


class _LongFloat(float):
    """A float that is not exactly what was written; a Decimal made from its text is."""

    def __new__(cls, lexeme: str) -> Self:
        number = super().__new__(cls, lexeme)
        number.lexeme = lexeme
        return number

    lexeme: str

    def __str__(self) -> str:
        return self.lexeme

    __repr__ = __str__


def _exact_float(lexeme: str) -> float:
    """The float written as `lexeme`; what a float would shorten keeps its text, for members that are decimals."""
    return float(lexeme) if len(lexeme) <= 16 else _LongFloat(lexeme)
