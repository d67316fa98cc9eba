"""The typed models of a tool as Python source: the types Request, Response and Configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from catalog.code_generation.generator import GENERATOR, Refused
from catalog.code_generation.model_source import (
    Member,
    ModelSource,
    Unexpected,
    comment_lines,
    model_source,
)
from catalog.code_generation.typed_schema import TypedSchemas, Untyped, typed_schemas
from catalog.jsontext.reader import JSON

REFUSED: Final = "the generator of models cannot express the schema"

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
        roots: by the name of each schema, the members of its class; None if it is an alias of another type.
        untyped: the parts that became `JsonValue`.
    """

    source: str
    imports: Mapping[str, set[str]]
    roots: Mapping[str, tuple[Member, ...] | None]
    untyped: tuple[Untyped, ...]


def python_models(schemas: Mapping[str, tuple[JSON, str]]) -> PythonModels:
    """Models for `schemas`: by name, each schema and its pointer in the spec.

    Raises:
        GenerationError: it takes too much time or memory.
        Busy: try again later.
    """
    typed = typed_schemas(schemas)
    try:
        return _models(typed, _generated(typed))
    except (Refused, Unexpected):
        pass
    refused = [name for name, schema in schemas.items() if not _is_expressible(name, schema)]
    typed = typed_schemas(
        {name: (True if name in refused else schema, at) for name, (schema, at) in schemas.items()}
    )
    for name in refused or schemas:
        typed.comments[name, ""] = [REFUSED]
        typed.untyped.append(Untyped(schemas[name][1], REFUSED, declared=True))
    return _models(typed, _generated(typed))


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


def _is_expressible(name: str, schema: tuple[JSON, str]) -> bool:
    typed = typed_schemas({name: schema})
    try:
        _generated(typed)
    except (Refused, Unexpected):
        return False
    return True


def _generated(typed: TypedSchemas) -> ModelSource:
    members = {f"root_{number}": type_ for number, type_ in enumerate(typed.roots.values())}
    document: dict[str, Any] = {
        "type": "object",
        "properties": members,
        "required": list(members),
        "$defs": typed.classes,
    }
    names = typed.names
    text = GENERATOR.generate(
        document, {name: made for name, made in names.items() if name != made}
    )
    return model_source(
        text,
        roots=dict(zip(typed.roots, members, strict=True)),
        classes={
            name: frozenset(names[member] for member in schema["properties"])  # type: ignore[union-attr, index]
            for name, schema in typed.classes.items()
        },
        comments={
            (owner, names.get(member, member)): reasons
            for (owner, member), reasons in typed.comments.items()
        },
    )


def _models(typed: TypedSchemas, generated: ModelSource) -> PythonModels:
    parts = [_BASE, *generated.classes]
    for name, type_ in generated.roots.items():
        if name not in typed.classes:
            parts.append(
                "\n".join(
                    (
                        *comment_lines(typed.comments.get((name, ""), ())),
                        f"{name}: TypeAlias = {type_}",
                    )
                )
            )
    imports = {module: set(names) for module, names in _OF_BASE.items()}
    for module, names in generated.imports.items():
        imports.setdefault(module, set()).update(names)
    if generated.roots.keys() - typed.classes.keys():
        imports["typing"].add("TypeAlias")
    return PythonModels(
        source="\n\n\n".join(parts) + "\n",
        imports=imports,
        roots={name: generated.members.get(name) for name in typed.roots},
        untyped=tuple(typed.untyped),
    )
