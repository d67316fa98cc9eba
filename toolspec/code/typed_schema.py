"""Schemas rewritten so that each part is a type of Python.

The result is a document in a small part of JSON Schema: objects with names in `$defs`, and in their
members scalars, literals, lists, maps, unions and references. All names of classes are made here.

A part that has no such type becomes `JsonValue`, with a comment that says why. Constraints that are
not types (`not`, `if`, `dependentRequired`, …) are left out: Toolshelf checks them before and after
each run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from toolspec.code.python_names import identifiers, make_unused, pascal_name
from toolspec.code.python_types import (
    ANNOTATIONS,
    ANYTHING,
    STRING_FORMATS,
    add_annotations,
    bounds_of,
    constraints_of,
    description_of,
    find_union_keyword,
    has_choices,
    is_map,
    make_array,
    make_map,
    make_reference,
    make_union,
)
from toolspec.conversion_report import Report
from toolspec.exports.merge_all_of import Flat, Flattener, TooLarge
from toolspec.exports.type_mapping import is_null, types_of, types_of_value
from toolspec.schema.describe import TYPES
from toolspec.schema.normalize import Normalized, Schema, definition_of, normalize
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.numbers import is_number
from toolspec.text.reader import JSON

MAX_CLASSES: Final = 300  # of one spec
MAX_SCHEMAS: Final = 3_000  # of one spec: written out, references may multiply
MAX_DEPTH: Final = 60  # types within each other
MAX_LITERALS: Final = 500  # values of one enumeration
MAX_CLASS_NAME: Final = 100  # characters

_NOT_CONSTRAINTS: Final = ANNOTATIONS | {"$defs"}
_NUMBER_FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}

_ANY_VALUE: Final = "the schema allows any value"
_NO_VALUE: Final = "the schema allows no value"
_NO_TYPE: Final = "the schema has no type, only `{}`"
_RECURSIVE: Final = "the schema contains itself without an object in between"
_TOO_DEEP: Final = f"more than {MAX_DEPTH} types would be nested here"
_TOO_MANY: Final = f"the schemas of the tool would need more than {MAX_SCHEMAS:,} types"
_TOO_MANY_CLASSES: Final = f"the schemas of the tool would need more than {MAX_CLASSES:,} classes"
_TOO_LARGE: Final = "with its references expanded, the schema is too large"
_OTHER_DRAFT: Final = "the draft of the schema does not define the keyword that would describe it"
_VALUES: Final = "the schema lists values that are objects or arrays"
_NO_MEMBERS: Final = "the schema declares no properties of this object"


@dataclass(frozen=True, slots=True)
class Untyped:
    """A part of the spec that became `JsonValue`.

    Attributes:
        pointer: of the schema in the spec.
        reason: a part of a sentence.
        declared: whether the schema declares a type there, so that a more precise type is missing.
    """

    pointer: str
    reason: str
    declared: bool


@dataclass(slots=True)
class TypedSchemas:
    """Types as a document.

    Attributes:
        roots: by the name of each schema ("Request"), its type in the document.
        classes: the schemas of objects, by the names of their classes.
        names: the identifier of each member of the objects.
        comments: by class (or root) and member ("" for the root itself), why there is a
            `JsonValue`.
        untyped: the same as pointers.
    """

    roots: dict[str, Schema] = field(default_factory=dict)
    classes: dict[str, Schema] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    comments: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    untyped: list[Untyped] = field(default_factory=list)


def typed_schemas(schemas: Mapping[str, tuple[JSON, str]]) -> TypedSchemas:
    """The document for `schemas`: by name, each schema and its pointer in the spec."""
    result = TypedSchemas()
    used = set(schemas)
    for name, (schema, pointer) in schemas.items():
        modern = normalize(schema, pointer=pointer, report=Report())
        _Writer(modern, name, pointer, result, used).run()
    members: set[str] = set()
    for class_ in result.classes.values():
        members.update(members_of(class_["properties"]))
    result.names = identifiers(members)
    return result


@dataclass(frozen=True, slots=True)
class _At:
    """The position of a type.

    Attributes:
        owner: the class and its member that the type belongs to.
        name: the name of a class, if the type is an object.
        pointer: in the spec, of the schema that contains it.
        constrained: whether the type is that of the member itself, which may have constraints.
        depth: the number of types that contain it.
        inside: the definitions that are being written out.
    """

    owner: tuple[str, str]
    name: str
    pointer: str
    constrained: bool = True
    depth: int = 0
    inside: frozenset[str] = frozenset()

    def within(self, name: str) -> _At:
        return replace(self, name=name, constrained=False, depth=self.depth + 1)


class _Writer:
    """Writes one schema of the spec into `result`."""

    def __init__(
        self, modern: Normalized, root: str, pointer: str, result: TypedSchemas, used: set[str]
    ) -> None:
        self._modern = modern
        self._root = root
        self._pointer = pointer
        self._result = result
        self._used = used
        self._flattener = Flattener(modern, Report())
        self._classes_of: dict[str, str] = {}  # definition -> class
        self._waiting: deque[tuple[str, str]] = deque()
        self._remaining = MAX_SCHEMAS

    def run(self) -> None:
        at = _At((self._root, ""), self._root, self._pointer)
        root = self._modern.root
        if isinstance(root, dict) and self._find_object("") is not None:
            self._classes_of[""] = self._root
            self._write_class("", self._root)
            self._result.roots[self._root] = make_reference(self._root)
        else:
            self._result.roots[self._root] = self._write(root, at)
        while self._waiting:
            self._write_class(*self._waiting.popleft())

    # Definitions

    def _find_object(self, name: str) -> Flat | None:
        """The definition if it becomes a class: an object with properties, or the root object."""
        target = self._flattener.target(name)
        if not isinstance(target, dict):
            return None
        try:
            flat = self._flattener.flat(target)
        except TooLarge:
            return None
        if types_of(flat) != ["object"] or has_choices(flat) or find_union_keyword(flat):
            return None
        is_root_without_members = not name and not is_map(flat)
        if "properties" in flat.members or is_root_without_members:
            return flat
        return None

    def _write_class(self, definition: str, name: str) -> None:
        flat = self._find_object(definition)
        if flat is not None:
            inside = frozenset({definition}) | flat.expanded
            at = _At((name, ""), name, flat.pointer, inside=inside)
            self._result.classes[name] = self._describe_class(flat, at)

    def _refer_to(self, definition: str) -> Schema | None:
        """A reference to the class of a definition; None if it is none."""
        if definition in self._classes_of:
            return make_reference(self._classes_of[definition])
        if self._find_object(definition) is None or len(self._used) > MAX_CLASSES:
            return None
        name = self._name_class(f"{self._root}{pascal_name(definition) or 'Object'}")
        self._classes_of[definition] = name
        self._waiting.append((definition, name))
        return make_reference(name)

    def _name_class(self, name: str) -> str:
        return make_unused(name[:MAX_CLASS_NAME], self._used, separator="")

    # Types

    def _write(self, schema: JSON, at: _At) -> Schema:
        """The type of `schema`: of one alternative, or a union."""
        return make_union(self._list_alternatives(schema, at))

    def _list_alternatives(self, schema: JSON, at: _At) -> list[Schema]:
        if not isinstance(schema, dict):
            reason = _NO_VALUE if schema is False else _ANY_VALUE
            return self._use_anything(at, reason, at.pointer, declared=False)
        if schema not in self._modern.origins:
            return self._use_anything(at, _OTHER_DRAFT, at.pointer, declared=False)
        pointer = self._modern.origins.of(schema)
        at = replace(at, pointer=pointer)
        self._remaining -= 1
        if self._remaining < 0:
            return self._use_anything(at, _TOO_MANY, pointer)
        if at.depth > MAX_DEPTH:
            return self._use_anything(at, _TOO_DEEP, pointer)
        definition = definition_of(schema.get("$ref"))
        if definition is not None:
            is_recursive = definition in at.inside
            if is_recursive or schema.keys() - ANNOTATIONS == {"$ref"}:
                reference = self._refer_to(definition)
                if reference is not None:
                    return [reference]
            if is_recursive:
                return self._use_anything(at, _RECURSIVE, pointer)
        try:
            flat = self._flattener.flat(schema)
        except TooLarge:
            return self._use_anything(at, _TOO_LARGE, pointer)
        if flat.expanded & at.inside:
            return self._use_anything(at, _RECURSIVE, pointer)
        return self._list_types(flat, replace(at, inside=at.inside | flat.expanded))

    def _list_types(self, flat: Flat, at: _At) -> list[Schema]:
        if keyword := find_union_keyword(flat):
            return self._list_branches(flat, keyword, at)
        types = [name for name in types_of(flat) if name in TYPES]
        if has_choices(flat):
            return self._list_choices(flat, types, at)
        if "number" in types and "integer" in types:
            types.remove("integer")
        if not types:
            reason = _ANY_VALUE
            keywords = [name for name in flat.members if name not in _NOT_CONSTRAINTS]
            if keywords:
                reason = _NO_TYPE.format("`, `".join(keywords[:5]))
            return self._use_anything(at, reason, flat.pointer, declared=False)
        if len(types) - types.count("null") != 1:
            at = replace(at, constrained=False)
        return [self._write_type(name, flat, at) for name in types]

    def _list_branches(self, flat: Flat, keyword: str, at: _At) -> list[Schema]:
        schemas = items_of(flat.members.pop(keyword))
        common: Schema = {
            key: value for key, value in flat.members.items() if key not in ANNOTATIONS
        }
        if common:
            rest = self._modern.origins.put(common, flat.pointer)
            schemas = [self._flattener.both(rest, branch) for branch in schemas]
        is_union = len([schema for schema in schemas if not is_null(schema)]) != 1
        alternatives: list[Schema] = []
        for schema in schemas:
            inner = replace(at, depth=at.depth + 1)
            if is_union:
                title = members_of(schema).get("title")
                suffix = pascal_name(title) if isinstance(title, str) else ""
                inner = replace(inner, name=at.name + suffix, constrained=False)
            alternatives += self._list_alternatives(schema, inner)
        return alternatives

    def _list_choices(self, flat: Flat, types: list[str], at: _At) -> list[Schema]:
        """`enum` and `const`: literals where Python has them."""
        values = items_of(flat.members.get("enum"))
        if "const" in flat.members:
            values = [flat.members["const"]]
        if types:
            values = [value for value in values if not set(types).isdisjoint(types_of_value(value))]
        if not values:
            return self._use_anything(at, _NO_VALUE, flat.pointer, declared=False)
        alternatives: list[Schema] = []
        for name in ("string", "integer", "boolean", "number", "null", "array", "object"):
            choices = [value for value in values if types_of_value(value)[0] == name]
            if choices:
                alternatives.append(self._write_literals(name, choices, flat, at))
        return alternatives

    def _write_literals(self, name: str, values: list[JSON], flat: Flat, at: _At) -> Schema:
        if name == "null":
            return {"type": "null"}
        if name in {"array", "object"}:
            self._note(at, _VALUES, flat.pointer, declared=False)
            if name == "object":
                return make_map(ANYTHING)
            return make_array(ANYTHING)
        if name == "number" or len(values) > MAX_LITERALS:
            return {"type": name}
        if name == "integer":
            values = [int(value) for value in values if is_number(value)]
        literals = list(dict.fromkeys(values))
        if name == "boolean" and len(literals) == 2:
            return {"type": "boolean"}
        return {"type": name, "enum": literals}

    def _write_type(self, name: str, flat: Flat, at: _At) -> Schema:
        if name == "object":
            return self._write_object(flat, at)
        if name == "array":
            return self._write_array(flat, at)
        if name in {"null", "boolean"}:
            return {"type": name}
        constraints = constraints_of(name, flat) if at.constrained else {}
        kind = flat.members.get("format")
        if name == "string" and kind in STRING_FORMATS:
            return {"type": "string", "format": kind}
        if kind in _NUMBER_FORMATS.get(name, ()):
            constraints["format"] = kind
        return {"type": name, **constraints}

    def _write_array(self, flat: Flat, at: _At) -> Schema:
        items = flat.members.get("items", True)
        schemas = [*items_of(flat.members.get("prefixItems"))]
        if not schemas or (isinstance(items, dict) and items):
            schemas.append(items)
        inner = at.within(f"{at.name}Item")
        array = make_array(make_union(self._list_alternatives_of_all(schemas, inner)))
        if at.constrained:
            array |= bounds_of(flat, "minItems", "maxItems")
        return array

    def _list_alternatives_of_all(self, schemas: list[JSON], at: _At) -> list[Schema]:
        alternatives: list[Schema] = []
        for schema in schemas:
            alternatives += self._list_alternatives(schema, at)
        return alternatives

    def _write_object(self, flat: Flat, at: _At) -> Schema:
        if "properties" not in flat.members:
            return make_map(make_union(self._map_values(flat, at)))
        if len(self._used) > MAX_CLASSES:
            self._note(at, _TOO_MANY_CLASSES, flat.pointer)
            return make_map(ANYTHING)
        name = self._name_class(at.name)
        # An empty one holds its position: a class comes before those of its members.
        self._result.classes[name] = {}
        self._result.classes[name] = self._describe_class(flat, replace(at, name=name))
        return make_reference(name)

    def _map_values(self, flat: Flat, at: _At) -> list[Schema]:
        """The types of the values of an object without declared members.

        `unevaluatedProperties` does not count: a member that `then` or `dependentSchemas` declares
        may have another type. A Java record gets these members too, so `java_types` can consider
        it.
        """
        schemas = list(members_of(flat.members.get("patternProperties")).values())
        others = flat.members.get("additionalProperties", True)
        if others is not False:
            schemas.append(others)
        if schemas in ([True], [{}], []):
            return self._use_anything(at, _NO_MEMBERS, flat.pointer, declared=False)
        return self._list_alternatives_of_all(schemas, at.within(f"{at.name}Value"))

    def _describe_class(self, flat: Flat, at: _At) -> Schema:
        members = members_of(flat.members.get("properties"))
        required = strings_of(flat.members.get("required"))
        patterns = flat.members.get("patternProperties")
        is_open = flat.members.get("additionalProperties") is not False or bool(patterns)
        if is_open:
            members = members | {name: True for name in required if name not in members}
        properties: Schema = {}
        for member, schema in members.items():
            if schema is False:
                continue
            inner = replace(
                at,
                owner=(at.name, member),
                name=at.name + (pascal_name(member) or "Member"),
                constrained=True,
                depth=at.depth + 1,
            )
            type_ = self._write(schema, inner)
            is_required = member in required
            properties[member] = add_annotations(
                type_, schema, self._flattener, is_required=is_required
            )
        class_: Schema = {
            "type": "object",
            "properties": properties,
            "required": [name for name in required if name in properties],
            "additionalProperties": is_open,
            "mentionsOthers": is_open and is_map(flat),
        }
        if description := description_of(flat.members.get("description")):
            class_["description"] = description
        return class_

    # JsonValue

    def _use_anything(
        self, at: _At, reason: str, pointer: str, *, declared: bool = True
    ) -> list[Schema]:
        self._note(at, reason, pointer, declared=declared)
        return [ANYTHING]

    def _note(self, at: _At, reason: str, pointer: str, *, declared: bool = True) -> None:
        comments = self._result.comments.setdefault(at.owner, [])
        if reason not in comments:
            comments.append(reason)
        self._result.untyped.append(Untyped(pointer, reason, declared))
