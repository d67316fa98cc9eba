"""The typed models of a tool as Python source: the types Request, Response and Configuration.

A spec is a stranger's text. Its values become literals and comments, and all names in the source are made here or in
`typed_schema`, so nothing of the spec becomes code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolspec.code.project_text import literal as text_literal
from toolspec.code.typed_schema import TypedSchemas, Untyped, typed_schemas
from toolspec.text.reader import JSON

MAX_LINE: Final = 120
MAX_COMMENT: Final = 200  # characters

_NOT_IN_COMMENTS: Final = re.compile(r"[^ -~]+")
_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}
_FORMATS: Final = {"date": "Date", "date-time": "AwareDatetime", "uuid": "UUID"}
_CONSTRAINTS: Final = {
    "pattern": "pattern",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minItems": "min_length",
    "maxItems": "max_length",
}
_IMPORTS: Final = {
    "Date": ("datetime", "date as Date"),
    "Annotated": ("typing", "Annotated"),
    "Literal": ("typing", "Literal"),
    "TypeAlias": ("typing", "TypeAlias"),
    "UUID": ("uuid", "UUID"),
    "AwareDatetime": ("pydantic", "AwareDatetime"),
    "Field": ("pydantic", "Field"),
    "JsonValue": ("pydantic", "JsonValue"),
}

_BASE: Final = '''\
class Model(BaseModel):
    """A JSON object. Fields that were not set are left out of the JSON; unknown properties are preserved."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    @model_serializer(mode="wrap")
    def _only_set(self, serialize: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        fields = type(self).model_fields
        unset = fields.keys() - self.model_fields_set
        names = {fields[name].alias or name for name in unset} if info.by_alias else unset
        return {name: value for name, value in serialize(self).items() if name not in names}'''
_OF_BASE: Final = {
    "typing": {"Any"},
    "pydantic": {
        "BaseModel",
        "ConfigDict",
        "SerializationInfo",
        "SerializerFunctionWrapHandler",
        "model_serializer",
    },
}


@dataclass(frozen=True, slots=True)
class PythonModels:
    """Models as source.

    Attributes:
        source: the classes and types, without imports.
        imports: module -> names.
        untyped: the parts that became `JsonValue`.
    """

    source: str
    imports: Mapping[str, set[str]]
    untyped: tuple[Untyped, ...]


def python_models(schemas: Mapping[str, tuple[JSON, str]]) -> PythonModels:
    """Models for `schemas`: by name, each schema and its pointer in the spec."""
    typed = typed_schemas(schemas)
    writer = _Writer(typed)
    parts = [_BASE, *map(writer.class_source, typed.classes)]
    aliases = [name for name in typed.roots if name not in typed.classes]
    parts += map(writer.alias_source, aliases)
    return PythonModels(
        source="\n\n\n".join(parts) + "\n",
        imports=writer.imports(),
        untyped=tuple(typed.untyped),
    )


class _Writer:
    """Writes the classes and types of one document, and collects what they import."""

    def __init__(self, typed: TypedSchemas) -> None:
        self._typed = typed
        self._used: set[str] = set()

    def imports(self) -> dict[str, set[str]]:
        """The imports of everything written so far: module -> names."""
        found = {module: set(names) for module, names in _OF_BASE.items()}
        for name in self._used:
            module, imported = _IMPORTS[name]
            found.setdefault(module, set()).add(imported)
        return found

    def class_source(self, name: str) -> str:
        schema: dict[str, Any] = self._typed.classes[name]
        body = []
        if "description" in schema:
            body += [*_docstring(schema["description"]), ""]
        if schema["additionalProperties"] is False:
            body += ['model_config = ConfigDict(extra="forbid")', ""]
        for member, inner in schema["properties"].items():
            body += _comments(self._typed.comments.get((name, member), ()))
            body += self._member(member, inner, is_required=member in schema["required"])
        while body and not body[-1]:
            body.pop()
        lines = [f"    {line}" if line else "" for line in body or ["pass"]]
        return "\n".join([f"class {name}(Model):", *lines])

    def alias_source(self, name: str) -> str:
        """The alias for the root `name`, whose type is not a class."""
        alias = (
            f"{name}: {self._use('TypeAlias')} = {self._constrained_type(self._typed.roots[name])}"
        )
        return "\n".join([*_comments(self._typed.comments.get((name, ""), ())), alias])

    # Members

    def _member(self, member: str, schema: dict[str, Any], *, is_required: bool) -> list[str]:
        """The lines of a member: one, or several if it is long."""
        name = self._typed.names[member]
        type_ = self._plain_type(schema)
        has_value = is_required or "default" in schema or type_ == "JsonValue"
        if not has_value and "None" not in type_.split(" | "):
            type_ = f"{type_} | None"
        value = "" if is_required else f" = {_literal(schema.get('default'))}"
        arguments = [] if name == member else [f"alias={_literal(member)}"]
        if "description" in schema:
            arguments.append(f"description={_literal(schema['description'])}")
        arguments += _constraints(schema)
        if not arguments:
            return [f"{name}: {type_}{value}"]
        annotated, field = self._use("Annotated"), self._use("Field")
        field = f"{field}({', '.join(arguments)})"
        line = f"{name}: {annotated}[{type_}, {field}]{value}"
        if len(line) <= MAX_LINE - 4:
            return [line]
        fields = [f"    {field},"]
        if len(fields[0]) > MAX_LINE - 4:
            fields = ["    Field(", *(f"        {argument}," for argument in arguments), "    ),"]
        return [
            f"{name}: {annotated}[",
            f"    {type_},",
            *fields,
            f"]{value}",
        ]

    # Types

    def _constrained_type(self, schema: dict[str, Any]) -> str:
        """The type with its constraints."""
        type_ = self._plain_type(schema)
        constraints = _constraints(schema)
        if not constraints:
            return type_
        return f"{self._use('Annotated')}[{type_}, {self._use('Field')}({', '.join(constraints)})]"

    def _plain_type(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            return _union(self._constrained_type(branch) for branch in schema["anyOf"])
        if "type" not in schema:
            return self._use("JsonValue")
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if "enum" in schema:
            return self._choices(schema["enum"], names)
        return _union(self._type_of_name(name, schema) for name in names)

    def _choices(self, values: list[Any], names: list[str]) -> str:
        choices = ", ".join(_literal(value) for value in values if value is not None)
        types = [f"{self._use('Literal')}[{choices}]"] if choices else []
        return _union([*types, "None"] if "null" in names else types)

    def _type_of_name(self, name: str, schema: dict[str, Any]) -> str:
        if name == "array":
            return f"list[{self._constrained_type(schema['items'])}]"
        if name == "object":
            return f"dict[str, {self._constrained_type(schema['additionalProperties'])}]"
        if name == "string" and "format" in schema:
            return self._use(_FORMATS[schema["format"]])
        return _SCALARS[name]

    def _use(self, name: str) -> str:
        self._used.add(name)
        return name


def _union(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _constraints(schema: dict[str, Any]) -> list[str]:
    """The arguments of `Field` for the constraints of a type."""
    present = [keyword for keyword in _CONSTRAINTS if keyword in schema]
    return [f"{_CONSTRAINTS[keyword]}={_literal(schema[keyword])}" for keyword in present]


def _literal(value: Any) -> str:
    return text_literal(value) if isinstance(value, str) else repr(value)


def _docstring(text: str) -> list[str]:
    """The lines of a docstring."""
    escaped = "".join(
        character if character == "\n" else _in_docstring(character) for character in text
    )
    lines = escaped.split("\n")
    if len(lines) == 1:
        return [f'"""{escaped}"""']
    return [*f'"""{escaped}'.split("\n"), '"""']


def _in_docstring(character: str) -> str:
    if character in '"\\' or not character.isprintable():
        return text_literal(character)[1:-1]
    return character


def _comments(reasons: Sequence[str]) -> list[str]:
    """Comments that explain a `JsonValue`; only printable ASCII, so that each is one line."""
    plain = [_NOT_IN_COMMENTS.sub("?", reason)[:MAX_COMMENT] for reason in reasons]
    return [f"# JsonValue: {reason}." for reason in plain]


def imports_source(imports: Mapping[str, set[str]]) -> str:
    """Import statements: the standard library, then others."""
    standard = {module: names for module, names in imports.items() if module != "pydantic"}
    groups = [
        standard,
        {module: names for module, names in imports.items() if module == "pydantic"},
    ]
    lines = [
        "\n".join(_import(module, group[module]) for module in sorted(group))
        for group in groups
        if group
    ]
    return "\n\n".join(lines)


def _import(module: str, names: set[str]) -> str:
    ordered = sorted(names, key=lambda name: (not name[0].isupper(), name))
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= 120:
        return line
    return "\n".join((f"from {module} import (", *(f"    {name}," for name in ordered), ")"))
