"""JSON Schemas of the Python types that pydantic supports.

A schema accepts each value that pydantic reads or writes as JSON for the type. Where pydantic's own
schema would refuse some of them, for instance a duration with a fraction, it is widened here; a
type that JSON cannot give is refused.

Importing this module is slow.
"""

from __future__ import annotations

import enum
import json
import pathlib
import types
import typing
from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import SchemaValidator, ValidationError, to_jsonable_python

from toolshelf_tools.interfaces import File
from toolshelf_tools.pydantic_types import get_adapter

_ENCODINGS: Final = {"base64", "base64url"}  # formats of pydantic's, but encodings in JSON Schema
_BASE64: Final = {"type": "string", "contentEncoding": "base64"}

# What pydantic reads and writes beyond RFC 3339: durations with a fraction or a sign, times without
# an offset.
_DURATION: Final = {
    "type": "string",
    "pattern": r"^-?P([0-9]+[YMWD])*(T([0-9]+[HM])*([0-9]+(\.[0-9]+)?S)?)?$",
    "examples": ["PT1H30M"],
}
_DATE: Final = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK: Final = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?"
_LOCAL: Final = {"date-time": rf"^{_DATE}[Tt ]{_CLOCK}$", "time": rf"^{_CLOCK}$"}
_EXAMPLES: Final = {"date-time": "2026-03-01T12:00:00", "time": "12:00:00"}

# pydantic writes them as text when they are keys, but does not read them from it.
_UNREADABLE_KEYS: Final = {
    "none",
    "nullable",
    "tuple",
    "list",
    "set",
    "frozenset",
    "dict",
    "model",
    "dataclass",
    "call",
}


class _Schemas(GenerateJsonSchema):
    """Makes schemas without titles that repeat names, and with keywords in pydantic's own order."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def sort(self, value: Any, parent_key: str | None = None) -> Any:  # noqa: ARG002
        return value

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._core_schemas: dict[str, Any] = {}  # by their references

    @property
    def _is_response(self) -> bool:
        return self.mode == "serialization"

    def generate_inner(self, schema: Any) -> Any:
        json_schema = super().generate_inner(schema)
        if not isinstance(schema, dict) or schema.get("type") == "str":
            return json_schema
        form = json_schema.get("format")
        if form == "regex":  # Python's own syntax
            del json_schema["format"]
        elif form in _ENCODINGS:
            json_schema["contentEncoding"] = json_schema.pop("format")
        elif not self._is_response:
            return json_schema
        elif form == "ipv6":  # it may have a zone, as in fe80::1%eth0
            del json_schema["format"]
        elif form == "email":
            json_schema["format"] = "idn-email"
        elif form == "password":  # the response is its mask
            for keyword in ("minLength", "maxLength", "writeOnly"):
                json_schema.pop(keyword, None)
        return json_schema

    def timedelta_schema(self, schema: Any) -> Any:
        json_schema = super().timedelta_schema(schema)
        return dict(_DURATION) if json_schema.get("format") == "duration" else json_schema

    def datetime_schema(self, schema: Any) -> Any:
        return self._add_local_times(super().datetime_schema(schema), schema)

    def time_schema(self, schema: Any) -> Any:
        return self._add_local_times(super().time_schema(schema), schema)

    def _add_local_times(self, json_schema: dict[str, Any], schema: Any) -> dict[str, Any]:
        form = json_schema.get("format", "")
        constraint = schema.get("tz_constraint")
        if form not in _LOCAL or constraint == "aware":
            return json_schema
        examples = [_EXAMPLES[form]]
        if self._is_response:
            return {"type": "string", "examples": examples}
        local = {"type": "string", "pattern": _LOCAL[form], "examples": examples}
        if constraint == "naive":
            return local
        aware = {"title": "With an offset", **json_schema}
        return {"anyOf": [aware, {"title": "Without an offset", **local}]}

    def bytes_schema(self, schema: Any) -> Any:
        json_schema = super().bytes_schema(schema)
        if json_schema.get("format") == "binary":
            del json_schema["format"]  # in JSON, they are a text
        return json_schema

    def url_schema(self, schema: Any) -> Any:
        return self._drop_format(super().url_schema(schema))

    def multi_host_url_schema(self, schema: Any) -> Any:
        return self._drop_format(super().multi_host_url_schema(schema))

    def _drop_format(self, json_schema: dict[str, Any]) -> dict[str, Any]:
        """Drop a URL's format from a response: RFC 3986 does not allow all that pydantic writes."""
        if self._is_response:
            json_schema.pop("format", None)
        return json_schema

    def set_schema(self, schema: Any) -> Any:
        return self._permit_equal_masks(super().set_schema(schema))

    def frozenset_schema(self, schema: Any) -> Any:
        return self._permit_equal_masks(super().frozenset_schema(schema))

    def _permit_equal_masks(self, json_schema: dict[str, Any]) -> dict[str, Any]:
        if self._is_response and json_schema.get("items", {}).get("format") == "password":
            json_schema.pop("uniqueItems", None)
        return json_schema

    def enum_schema(self, schema: Any) -> Any:
        json_schema = super().enum_schema(schema)
        if issubclass(schema["cls"], enum.Flag):
            del json_schema["enum"]  # flags are combined
        else:
            self._check_values(schema, to_jsonable_python(_list_values(schema)))
        return json_schema

    def literal_schema(self, schema: Any) -> Any:
        self._check_values(schema, to_jsonable_python(_list_values(schema)))
        return super().literal_schema(schema)

    def definitions_schema(self, schema: Any) -> Any:
        for definition in schema["definitions"]:
            self._core_schemas[definition["ref"]] = definition
        return super().definitions_schema(schema)

    def dict_schema(self, schema: Any) -> Any:
        return self._name_keys(super().dict_schema(schema), schema)

    def ordered_dict_schema(self, schema: Any) -> Any:
        return self._name_keys(super().ordered_dict_schema(schema), schema)

    def counter_schema(self, schema: Any) -> Any:
        return self._name_keys(super().counter_schema(schema), schema)

    def _name_keys(self, json_schema: dict[str, Any], schema: Any) -> dict[str, Any]:
        """Add the possible keys of a mapping to its schema, as JSON has them."""
        keys = schema.get("keys_schema", {})
        while keys.get("type") == "definition-ref":
            keys = self._core_schemas.get(keys["schema_ref"], {})
        if not self._is_response and keys.get("type") in _UNREADABLE_KEYS:
            raise UnreadableError("its keys cannot be read from JSON, in which they are strings")
        values = _list_values(keys)
        if values:
            names = list(to_jsonable_python(dict.fromkeys(values)))
            self._check_values(keys, names)
            json_schema["propertyNames"] = {"enum": names}
        return json_schema

    def _check_values(self, schema: Any, values: Iterable[Any]) -> None:
        """Check that a request can have each of these values.

        Raises:
            UnreadableError: pydantic does not read one of them.
        """
        if self._is_response:
            return
        validator = SchemaValidator(schema)
        for value in values:
            try:
                validator.validate_json(json.dumps(value))
            except ValidationError:
                raise UnreadableError(f"its value {value!r} cannot be read from JSON") from None

    def ser_schema(self, schema: Any) -> Any:
        function = schema.get("function")
        if function is None or schema.get("return_schema") is not None:
            return super().ser_schema(schema)
        if getattr(function, "__name__", "").startswith("_serialize_secret"):
            return {"type": "string", "format": "password"}
        is_own = str(getattr(function, "__module__", "")).startswith("pydantic")
        if not is_own:
            return {}  # it may return anything
        return super().ser_schema(schema)


class UnreadableError(TypeError):
    """A type that a request cannot give. The message is the reason."""


def make_schema(annotation: Any, *, of: Literal["request", "response"]) -> dict[str, Any]:
    """Make the JSON Schema (draft 2020-12) of the values of `annotation`.

    Args:
        annotation: any type that pydantic supports: dataclass, TypedDict, model, Literal, Enum,
            Annotated, …
        of: the values that a tool accepts, where members with a default may be absent; or those
            that it returns, where they are always present.

    Raises:
        TypeError: no schema describes the type, or a request cannot have it.
    """
    mode: Literal["validation", "serialization"] = "validation"
    content_type = annotation
    if of == "response":
        mode = "serialization"
        content_type = _replace_files(annotation)
    try:
        schema = get_adapter(content_type).json_schema(mode=mode, schema_generator=_Schemas)
    except UnreadableError as error:
        raise TypeError(f"a call cannot give a value of the type {annotation}: {error}") from error
    except Exception as error:
        reason = str(error).partition(". Set `arbitrary")[0].partition("\n")[0]
        reason = reason.replace(
            "Unable to generate pydantic-core schema for", "pydantic does not support"
        )
        raise TypeError(f"no JSON Schema describes the type {annotation}: {reason}") from error
    _drop_class_title(schema, getattr(annotation, "__name__", ""))
    for name, definition in schema.get("$defs", {}).items():
        _drop_class_title(definition, name)
    return schema


def is_undefined(error: BaseException | None) -> bool:
    """Whether `make_schema` raised `error` because part of the type is not defined yet."""
    while error is not None:
        if isinstance(error, NameError) or getattr(error, "code", "") == "class-not-fully-defined":
            return True
        error = error.__cause__
    return False


def _replace_files(annotation: Any) -> Any:
    """The type of a complete response, whose bytes and paths are files (see `files.as_file`)."""
    plain = _strip_metadata(annotation)
    if plain in {bytes, bytearray, memoryview}:
        return Annotated[bytes, WithJsonSchema(dict(_BASE64))]
    if isinstance(plain, type) and issubclass(plain, pathlib.PurePath):
        return typing.Union[File, annotation]  # noqa: UP007  it may not be a type
    if get_origin(plain) in {typing.Union, types.UnionType}:
        return typing.Union[tuple(map(_replace_files, get_args(plain)))]  # noqa: UP007
    return annotation


def _strip_metadata(annotation: Any) -> Any:
    """`annotation` without its metadata and its other names."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = annotation.__origin__
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        else:
            return annotation


def _list_values(schema: Any) -> list[Any]:
    """The values of an enumeration or a literal; [] for another type."""
    values = schema.get("members") or schema.get("expected") or []
    return [getattr(value, "value", value) for value in values]


def _drop_class_title(schema: dict[str, Any], name: str) -> None:
    if schema.get("title") == name:
        del schema["title"]
