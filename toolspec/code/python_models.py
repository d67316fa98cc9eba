"""The typed models of a tool as Python source: the types Request, Response and Configuration.

A spec is a stranger's text. Its values become literals and comments, and all names in the source
are made here or in `typed_schema`, so nothing of the spec becomes code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolspec.code.project_text import fill_template
from toolspec.code.project_text import literal as text_literal
from toolspec.code.typed_schema import TypedSchemas, Untyped, typed_schemas
from toolspec.schema.types import type_names
from toolspec.text.reader import JSON

INDENT: Final = "    "
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
    parts = [
        fill_template("python/base_model.py", {}).rstrip(),
        *map(writer.write_class, typed.classes),
    ]
    aliases = [name for name in typed.roots if name not in typed.classes]
    parts += map(writer.write_alias, aliases)
    return PythonModels(
        source="\n\n\n".join(parts) + "\n",
        imports=writer.group_imports(),
        untyped=tuple(typed.untyped),
    )


class _Writer:
    """Writes the classes and types of one document, and collects what they import."""

    def __init__(self, typed: TypedSchemas) -> None:
        self._typed = typed
        self._used: set[str] = set()

    def group_imports(self) -> dict[str, set[str]]:
        """The imports of everything written so far: module -> names."""
        imports = {module: set(names) for module, names in _OF_BASE.items()}
        for name in self._used:
            module, imported_name = _IMPORTS[name]
            imports.setdefault(module, set()).add(imported_name)
        return imports

    def write_class(self, name: str) -> str:
        schema: dict[str, Any] = self._typed.classes[name]
        body = []
        if "description" in schema:
            body += [*_write_docstring(schema["description"]), ""]
        if schema["additionalProperties"] is False:
            body += ['model_config = ConfigDict(extra="forbid")', ""]
        for member, inner in schema["properties"].items():
            body += _write_comments(self._typed.comments.get((name, member), ()))
            body += self._write_member(member, inner, is_required=member in schema["required"])
        source = "\n".join(body).rstrip("\n") or "pass"
        # Docstrings may have lines of spaces, which `indent` would otherwise leave out.
        indented = textwrap.indent(source, INDENT, predicate=lambda line: line != "\n")
        return f"class {name}(Model):\n{indented}"

    def write_alias(self, name: str) -> str:
        """The alias for the root `name`, whose type is not a class."""
        lines = _write_comments(self._typed.comments.get((name, ""), ()))
        type_ = self._write_constrained_type(self._typed.roots[name])
        lines.append(f"{name}: {self._use('TypeAlias')} = {type_}")
        return "\n".join(lines)

    # Members

    def _write_member(self, member: str, schema: dict[str, Any], *, is_required: bool) -> list[str]:
        """The lines of a member: one, or several if it is long."""
        name = self._typed.names[member]
        type_ = self._write_type(schema)
        value = ""
        if not is_required:
            value = f" = {_write_literal(schema.get('default'))}"
            allows_none = type_ == "JsonValue" or "None" in type_.split(" | ")
            if "default" not in schema and not allows_none:
                type_ = f"{type_} | None"
        arguments = []
        if name != member:
            arguments.append(f"alias={_write_literal(member)}")
        if "description" in schema:
            arguments.append(f"description={_write_literal(schema['description'])}")
        arguments += _list_constraints(schema)
        if not arguments:
            return [f"{name}: {type_}{value}"]
        annotated = self._use("Annotated")
        field = f"{self._use('Field')}({', '.join(arguments)})"
        max_length = MAX_LINE - len(INDENT)
        line = f"{name}: {annotated}[{type_}, {field}]{value}"
        if len(line) <= max_length:
            return [line]
        lines = [f"{INDENT}{type_},", f"{INDENT}{field},"]
        if len(lines[-1]) > max_length:
            lines[-1] = f"{INDENT}Field("
            lines += [f"{INDENT * 2}{argument}," for argument in arguments]
            lines.append(f"{INDENT}),")
        return [f"{name}: {annotated}[", *lines, f"]{value}"]

    # Types

    def _write_constrained_type(self, schema: dict[str, Any]) -> str:
        """The type with its constraints."""
        type_ = self._write_type(schema)
        constraints = ", ".join(_list_constraints(schema))
        if not constraints:
            return type_
        return f"{self._use('Annotated')}[{type_}, {self._use('Field')}({constraints})]"

    def _write_type(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            return _join_types(self._write_constrained_type(branch) for branch in schema["anyOf"])
        if "type" not in schema:
            return self._use("JsonValue")
        names = type_names(schema["type"])
        if "enum" in schema:
            return self._write_choices(schema["enum"], names)
        return _join_types(self._write_named_type(name, schema) for name in names)

    def _write_choices(self, values: list[Any], names: list[str]) -> str:
        types = []
        choices = ", ".join(_write_literal(value) for value in values if value is not None)
        if choices:
            types.append(f"{self._use('Literal')}[{choices}]")
        if "null" in names:
            types.append("None")
        return _join_types(types)

    def _write_named_type(self, name: str, schema: dict[str, Any]) -> str:
        if name == "array":
            return f"list[{self._write_constrained_type(schema['items'])}]"
        if name == "object":
            return f"dict[str, {self._write_constrained_type(schema['additionalProperties'])}]"
        if name == "string" and "format" in schema:
            return self._use(_FORMATS[schema["format"]])
        return _SCALARS[name]

    def _use(self, name: str) -> str:
        self._used.add(name)
        return name


def _join_types(types: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(types))


def _list_constraints(schema: dict[str, Any]) -> list[str]:
    """The arguments of `Field` for the constraints of a type."""
    constraints = []
    for keyword, argument in _CONSTRAINTS.items():
        if keyword in schema:
            constraints.append(f"{argument}={_write_literal(schema[keyword])}")
    return constraints


def _write_literal(value: Any) -> str:
    if isinstance(value, str):
        return text_literal(value)
    return repr(value)


def _write_docstring(text: str) -> list[str]:
    """The lines of a docstring."""
    lines = [text_literal(line)[1:-1] for line in text.split("\n")]
    lines[0] = f'"""{lines[0]}'
    if len(lines) == 1:
        return [f'{lines[0]}"""']
    return [*lines, '"""']


def _write_comments(reasons: Sequence[str]) -> list[str]:
    """Comments that explain a `JsonValue`; only printable ASCII, so that each is one line."""
    comments = []
    for reason in reasons:
        printable = _NOT_IN_COMMENTS.sub("?", reason)
        comments.append(f"# JsonValue: {printable[:MAX_COMMENT]}.")
    return comments


def write_imports(imports: Mapping[str, set[str]]) -> str:
    """Import statements: the standard library, then others."""
    standard = sorted(module for module in imports if module != "pydantic")
    lines = [_write_import(module, imports[module]) for module in standard]
    if "pydantic" in imports:
        if lines:
            lines.append("")
        lines.append(_write_import("pydantic", imports["pydantic"]))
    return "\n".join(lines)


def _write_import(module: str, names: set[str]) -> str:
    ordered = sorted(names, key=lambda name: (not name[0].isupper(), name))
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= MAX_LINE:
        return line
    lines = [f"{INDENT}{name}," for name in ordered]
    return "\n".join([f"from {module} import (", *lines, ")"])
