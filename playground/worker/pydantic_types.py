"""Convert to and from the types that a tool's author names, with pydantic.

Importing this module is slow; only tools that name types need it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import enum
import ipaddress
import json
import pathlib
import typing
import uuid
from collections.abc import Iterable
from typing import Any, Final, Literal, Self, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import MultiHostUrl, Url, to_jsonable_python

from catalog.jsontext.pointers import pointer_join
from playground.worker.type_conversion import MisfitError

_MAX_COMPLAINTS: Final = 10
_EXACT_DIGITS: Final = 15
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


def read_typed(text: str, kind: Any, *, what: str) -> Any:
    """Read JSON as a value of `kind`.

    Raises:
        MisfitError: the value does not fit `kind`.
    """
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


def plain_of(value: object, kind: Any) -> Any:
    """Convert `value` of type `kind` to plain Python types and those that `simplified` accepts."""
    return _adapter(kind).dump_python(value, by_alias=True, warnings="none")


def simplified(value: object) -> Any:
    """Convert a date, time, duration, UUID, enum member, path or address to JSON.

    Raises:
        TypeError: `value` is none of these.
    """
    if not isinstance(value, _SIMPLE):
        raise TypeError(type(value).__name__)
    return to_jsonable_python(value)


def warm_up(kinds: Iterable[Any] = ()) -> None:
    """Make pydantic do now its work for the first use of itself and of each of `kinds`, so that no run has to."""

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
    for kind in (Sample, Another, Third):
        plain_of(read_typed('{"text": "a"}', kind, what="sample"), kind)
    _adapters.clear()
    for kind in kinds:
        with contextlib.suppress(Exception):  # a call of the tool then raises the same error
            _adapter(kind)


_adapters: list[tuple[Any, TypeAdapter[Any]]] = []


def _adapter(kind: Any) -> TypeAdapter[Any]:
    for known, adapter in _adapters:  # only a few; not a dict, because some types of `typing` cannot be hashed
        if known is kind:
            return adapter
    made: TypeAdapter[Any] = TypeAdapter(_known_to_pydantic(kind))
    _adapters.append((kind, made))
    return made


def _known_to_pydantic(kind: Any) -> Any:
    """`kind` with `typing.TypedDict` replaced by that of typing_extensions, which pydantic needs before Python 3.12."""
    if typing.is_typeddict(kind) and type(kind).__module__ == "typing":
        hints = get_type_hints(kind, include_extras=True)
        members = {name: _known_to_pydantic(hint) for name, hint in hints.items()}
        required = {
            name: hint if name in kind.__required_keys__ or _is_marked(hint) else typing_extensions.NotRequired[hint]
            for name, hint in members.items()
        }
        return typing_extensions.TypedDict(kind.__name__, required)  # type: ignore[operator]
    origin = get_origin(kind)
    if origin is not None and hasattr(kind, "copy_with"):
        return kind.copy_with(tuple(_known_to_pydantic(part) for part in get_args(kind)))
    if origin in {list, dict, tuple}:
        return origin[tuple(_known_to_pydantic(part) for part in get_args(kind))]
    return kind


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
