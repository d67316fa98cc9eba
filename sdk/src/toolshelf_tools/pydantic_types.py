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
_make_typed_dict: Final[Any] = (
    typing_extensions.TypedDict
)  # type checkers refuse to call it with variables


def read_typed(text: str, annotation: Any, *, what: str) -> Any:
    """Read JSON as a value of `annotation`.

    Raises:
        MisfitError: the value does not match `annotation`.
    """
    adapter = adapter_of(annotation)
    try:
        return adapter.validate_python(json.loads(text, parse_float=_exact_float))
    except ValidationError as error:
        # A strict model takes a date from JSON text only. Python's values come first: they retain
        # every digit.
        with contextlib.suppress(ValidationError):
            return adapter.validate_json(text)
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        lines = [
            f"{pointer_join('', *each['loc']) or 'at the root'}: {each['msg']}"
            for each in errors[:_MAX_ERRORS]
        ]
        if len(errors) > _MAX_ERRORS:
            lines.append(f"and {len(errors) - _MAX_ERRORS} more")
        name = getattr(annotation, "__name__", str(annotation))
        raise MisfitError(
            f"The {what} do not match the tool's own type {name}: {'; '.join(lines)}."
        ) from None


def plain_of(value: object, annotation: Any) -> Any:
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
        plain = adapter_of(annotation).dump_python(
            value, mode="json", by_alias=True, warnings="none", fallback=replace
        )
    except UnicodeDecodeError:
        wrong = "it has bytes that are not UTF-8; return a File, or annotate them as Base64Bytes"
        raise NotJSONError("", wrong) from None
    return _restore(plain, others) if others else plain


def _restore(plain: Any, others: dict[str, object]) -> Any:
    """`plain` with the values that were replaced by marks."""
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
    for (
        known,
        adapter,
    ) in _adapters:  # only a few; not a dict, because some types of `typing` cannot be hashed
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
        return annotation.copy_with(
            tuple(_known_to_pydantic(part) for part in get_args(annotation))
        )
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
