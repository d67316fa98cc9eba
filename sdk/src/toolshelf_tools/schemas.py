"""JSON Schemas of Python types: of all that pydantic supports.

Importing this module is slow.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic.json_schema import GenerateJsonSchema

from toolshelf_tools.pydantic_types import adapter_of

_DOLLAR_DEFS: Final = "$defs"


class _Schemas(GenerateJsonSchema):
    """Without the titles that pydantic makes from names, which add nothing to the names, and not sorted by keyword."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def sort(self, value: Any, parent_key: str | None = None) -> Any:  # noqa: ARG002
        return value


def schema_of(annotation: Any, *, of: Literal["request", "response"]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the values of `annotation`.

    Args:
        annotation: any type that pydantic supports: dataclass, TypedDict, model, Literal, Enum, Annotated, …
        of: the values that a tool accepts, where members with a default may be absent; or those that it returns, where
            they are always present.

    Raises:
        TypeError: no schema describes the type.
    """
    mode: Literal["validation", "serialization"] = "validation" if of == "request" else "serialization"
    try:
        schema = adapter_of(annotation).json_schema(mode=mode, schema_generator=_Schemas)
    except Exception as error:
        raise TypeError(f"no JSON Schema describes the type {annotation}: {error}") from error
    _drop_class_title(schema, getattr(annotation, "__name__", ""))
    for name, definition in schema.get(_DOLLAR_DEFS, {}).items():
        _drop_class_title(definition, name)
    return schema


def _drop_class_title(schema: dict[str, Any], name: str) -> None:
    if schema.get("title") == name:
        del schema["title"]
