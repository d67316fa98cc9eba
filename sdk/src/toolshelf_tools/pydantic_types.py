"""Convert to and from the types that a tool annotates, with pydantic.

Importing this module is slow; only tools with such annotations need it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import types
import typing
import uuid
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, Self, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import BaseModel, TypeAdapter, ValidationError

from toolshelf_tools.json_encoder import NotJSONError, pointer_join
from toolshelf_tools.type_conversion import MisfitError

_MAX_ERRORS: Final = 10
_EXACT_DIGITS: Final = 15
# Type checkers refuse to call it with variables.
_make_typed_dict: Final[Any] = typing_extensions.TypedDict


def read_typed(text: str, annotation: Any, *, what: str) -> Any:
    """Read JSON as a value of `annotation`.

    Raises:
        MisfitError: the value does not match `annotation`.
    """
    adapter = get_adapter(annotation)
    try:
        return adapter.validate_python(json.loads(text, parse_float=_read_float))
    except ValidationError as error:
        # A strict model takes a date from JSON text only. Python's values come first: they retain
        # every digit.
        with contextlib.suppress(ValidationError):
            return adapter.validate_json(text)
        name = getattr(annotation, "__name__", str(annotation))
        raise MisfitError(
            f"The {what} do not match the tool's own type {name}: {_describe(error)}."
        ) from None


def _describe(error: ValidationError) -> str:
    lines = []
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        pointer = pointer_join("", *fault["loc"]) or "at the root"
        lines.append(f"{pointer}: {fault['msg']}")
    if len(lines) > _MAX_ERRORS:
        lines[_MAX_ERRORS:] = [f"and {len(lines) - _MAX_ERRORS} more"]
    return "; ".join(lines)


def dump_typed(value: object, annotation: Any) -> Any:
    """Convert `value` to plain Python types, as the type `annotation` is written as JSON.

    Values that pydantic cannot convert are left as they are: a `File`, and what JSON does not have.

    Raises:
        NotJSONError: bytes that pydantic writes as text are not UTF-8.
    """
    others: dict[str, object] = {}

    def replace(other: object) -> str:
        mark = str(uuid.uuid4())
        others[mark] = other
        return mark

    try:
        plain = get_adapter(annotation).dump_python(
            value, mode="json", by_alias=True, warnings="none", fallback=replace
        )
    except UnicodeDecodeError:
        wrong = "it has bytes that are not UTF-8; return a File, or annotate them as Base64Bytes"
        raise NotJSONError("", wrong) from None
    return _restore(plain, others) if others else plain


def _restore(plain: Any, others: dict[str, object]) -> Any:
    """Put the values that were replaced by marks back into `plain`."""
    if isinstance(plain, str):
        return others.get(plain, plain)
    if isinstance(plain, list):
        return [_restore(item, others) for item in plain]
    if isinstance(plain, dict):
        return {others.get(key, key): _restore(item, others) for key, item in plain.items()}
    return plain


def make_adapters(annotations: Iterable[Any]) -> None:
    """Make the adapters of `annotations` in advance."""
    for annotation in annotations:
        with contextlib.suppress(Exception):  # a call of the tool then raises the same error
            get_adapter(annotation)


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
        dump_typed(read_typed('{"text": "a"}', annotation, what="sample"), annotation)
    _adapters.clear()


_adapters: list[tuple[Any, TypeAdapter[Any]]] = []


def get_adapter(annotation: Any) -> TypeAdapter[Any]:
    """Get the pydantic adapter of `annotation`, which is made once.

    Raises:
        PydanticUserError, NameError: pydantic does not support the type.
    """
    # They are few, and some types of `typing` cannot be the key of a dict.
    for adapted_type, adapter in _adapters:
        if adapted_type is annotation:
            return adapter
    adapter = TypeAdapter(_replace_typed_dicts(annotation))
    _adapters.append((annotation, adapter))
    return adapter


def _replace_typed_dicts(annotation: Any) -> Any:
    """Replace `typing.TypedDict` by that of typing_extensions, which pydantic needs before 3.12."""
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing":
        return _copy_typed_dict(annotation)
    origin = get_origin(annotation)
    if origin is Annotated:
        return Annotated[(_replace_typed_dicts(annotation.__origin__), *annotation.__metadata__)]
    parts = tuple(map(_replace_typed_dicts, get_args(annotation)))
    if origin is types.UnionType:
        return typing.Union[parts]  # noqa: UP007  of a tuple
    if origin is not None and hasattr(annotation, "copy_with"):
        return annotation.copy_with(parts)
    if origin in {list, dict, tuple}:
        return origin[parts]
    return annotation


def _copy_typed_dict(annotation: Any) -> Any:
    members = {}
    for name, hint in get_type_hints(annotation, include_extras=True).items():
        member = _replace_typed_dicts(hint)
        is_marked = get_origin(member) in {typing.Required, typing.NotRequired}
        if name not in annotation.__required_keys__ and not is_marked:
            member = typing_extensions.NotRequired[member]
        members[name] = member
    typed_dict = _make_typed_dict(annotation.__name__, members)
    typed_dict.__doc__ = annotation.__doc__  # the description in its schema
    return typed_dict


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


def _read_float(lexeme: str) -> float:
    """Read a float; a long one retains its text, so that Decimal members are exact."""
    return float(lexeme) if len(lexeme) <= _EXACT_DIGITS else _LongFloat(lexeme)
