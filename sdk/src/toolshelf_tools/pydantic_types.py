"""Convert to and from the types that a tool annotates, with pydantic.

Importing this module is slow; only tools with such annotations need it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import enum
import ipaddress
import json
import pathlib
import types
import typing
import uuid
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, Self, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import MultiHostUrl, Url, to_jsonable_python

from toolshelf_tools.json_encoder import pointer_join
from toolshelf_tools.type_conversion import MisfitError

_MAX_ERRORS: Final = 10
_EXACT_DIGITS: Final = 15
_make_typed_dict: Final[Any] = typing_extensions.TypedDict  # type checkers refuse to call it with variables
_SIMPLE: Final = (
    dt.date,
    dt.time,
    dt.timedelta,
    enum.Enum,
    uuid.UUID,
    pathlib.PurePath,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    Url,
    MultiHostUrl,
)


def read_typed(text: str, annotation: Any, *, what: str) -> Any:
    """Read JSON as a value of `annotation`.

    Raises:
        MisfitError: the value does not match `annotation`.
    """
    adapter = adapter_of(annotation)
    try:
        return adapter.validate_python(json.loads(text, parse_float=_exact_float))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        lines = [f"{pointer_join('', *each['loc']) or 'at the root'}: {each['msg']}" for each in errors[:_MAX_ERRORS]]
        if len(errors) > _MAX_ERRORS:
            lines.append(f"and {len(errors) - _MAX_ERRORS} more")
        name = getattr(annotation, "__name__", str(annotation))
        raise MisfitError(f"The {what} do not match the tool's own type {name}: {'; '.join(lines)}.") from None


def plain_of(value: object, annotation: Any) -> Any:
    """Convert `value` of type `annotation` to plain Python types and those that `simplified` accepts."""
    return adapter_of(annotation).dump_python(value, by_alias=True, warnings="none")


def simplified(value: object) -> Any:
    """Convert a date, time, duration, UUID, enum member, path or address to JSON.

    Raises:
        TypeError: `value` is none of these.
    """
    if not isinstance(value, _SIMPLE):
        raise TypeError(type(value).__name__)
    return to_jsonable_python(value)


def make_adapters(annotations: Iterable[Any]) -> None:
    """Make the adapters of `annotations` in advance."""
    for annotation in annotations:
        with contextlib.suppress(Exception):  # a call of the tool then raises the same error
            adapter_of(annotation)


def warm_up() -> None:
    """Do in advance what pydantic does on its own first use."""

    @dataclasses.dataclass
    class Sample:
        text: str
        numbers: list[float] = dataclasses.field(default_factory=list)
        choice: Literal["a", "b"] | None = None

    class Another(typing_extensions.TypedDict):
        text: str

    class Third(BaseModel):
        text: str = ""

    with contextlib.suppress(MisfitError):
        read_typed('{"text": 1}', Sample, what="sample")
    for annotation in (Sample, Another, Third):
        plain_of(read_typed('{"text": "a"}', annotation, what="sample"), annotation)
    _adapters.clear()


_adapters: list[tuple[Any, TypeAdapter[Any]]] = []


def adapter_of(annotation: Any) -> TypeAdapter[Any]:
    """The pydantic adapter of `annotation`, made once.

    Raises:
        PydanticUserError, NameError: pydantic does not support the type.
    """
    for known, adapter in _adapters:  # only a few; not a dict, because some types of `typing` cannot be hashed
        if known is annotation:
            return adapter
    made: TypeAdapter[Any] = TypeAdapter(_known_to_pydantic(annotation))
    _adapters.append((annotation, made))
    return made


def _known_to_pydantic(annotation: Any) -> Any:
    """`annotation` with `typing.TypedDict` replaced by that of typing_extensions; pydantic needs it before 3.12."""
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing":
        hints = get_type_hints(annotation, include_extras=True)
        members = {name: _known_to_pydantic(hint) for name, hint in hints.items()}
        required = {
            name: hint
            if name in annotation.__required_keys__ or _is_marked(hint)
            else typing_extensions.NotRequired[hint]
            for name, hint in members.items()
        }
        made = _make_typed_dict(annotation.__name__, required)
        made.__doc__ = annotation.__doc__  # schemas have it as description
        return made
    origin = get_origin(annotation)
    if origin is Annotated:
        return Annotated[(_known_to_pydantic(annotation.__origin__), *annotation.__metadata__)]
    if origin is types.UnionType:
        return typing.Union[tuple(map(_known_to_pydantic, get_args(annotation)))]  # noqa: UP007
    if origin is not None and hasattr(annotation, "copy_with"):
        return annotation.copy_with(tuple(_known_to_pydantic(part) for part in get_args(annotation)))
    if origin in {list, dict, tuple}:
        return origin[tuple(_known_to_pydantic(part) for part in get_args(annotation))]
    return annotation


def _is_marked(hint: object) -> bool:
    return get_origin(hint) in {typing.Required, typing.NotRequired}


class _LongFloat(float):
    """A float that is not exactly the number written; a Decimal made from its text is exact."""

    lexeme: str

    def __new__(cls, lexeme: str) -> Self:
        number = super().__new__(cls, lexeme)
        number.lexeme = lexeme
        return number

    def __str__(self) -> str:
        return self.lexeme

    __repr__ = __str__


def _exact_float(lexeme: str) -> float:
    """The float written as `lexeme`; a long one retains its text, so that Decimal members are exact."""
    return float(lexeme) if len(lexeme) <= _EXACT_DIGITS else _LongFloat(lexeme)
