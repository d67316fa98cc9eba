"""Java types for a JSON Schema: records, enums, lists and maps.

A type accepts every value that the schema accepts, except that a schema without `type` gets the type that its keywords
describe. It may accept more: ranges, patterns and formats are sentences in its comments, because the playground and the
caller check values against the schema itself. Where only `JsonNode` has all values, a `Fallback` has the reason.

    string                       String, or an enum of its values
    integer                      BigInteger; Integer or Long where all values fit
    number                       BigDecimal; Double where the format is float or double
    boolean                      Boolean
    array                        List<…>
    object with properties       a record; other members in a Map if the schema mentions them
    object without properties    Map<String, …>
    null                         Void; beside another type, the value may be null
    several objects              one record with the members of all of them
    several other types          JsonNode

References and `allOf` are merged first, by the exporters' `Flattener`. A schema that is used again has the same type,
so schemas may contain themselves. Types are made breadth first, and their number is limited.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from catalog.code_generation.java_model import (
    IMPORTS,
    Component,
    Fallback,
    JavaTypes,
    Record,
    StringEnum,
    Use,
)
from catalog.code_generation.java_names import Names, component_name, constant_name, type_name
from catalog.code_generation.java_numbers import integer_type, number_type
from catalog.code_generation.java_text import is_constant
from catalog.conversion_report import Report
from catalog.json_schema.complexity import loops_in_place
from catalog.json_schema.describe import TYPES, listed, sentence, values_of, with_article
from catalog.json_schema.index import SchemaMap
from catalog.json_schema.normalize import (
    ANNOTATIONS,
    MAX_NODES,
    Normalized,
    Schema,
    definition_of,
    normalized,
)
from catalog.jsontext.containers import items_of
from catalog.jsontext.numbers import is_number
from catalog.jsontext.reader import JSON
from catalog.specs.exporters.merge_all_of import Flat, Flattener, TooLarge
from catalog.specs.exporters.type_mapping import is_null, types_of

MAX_COMPONENTS: Final = (
    253  # of a record: 255 arguments of its constructor, without `this` and one for other members
)
MAX_CONSTANTS: Final = 500  # of an enum: they are made in one method of at most 64 KiB
MAX_TYPES: Final = 300  # records and enums of one schema
MAX_ALL_COMPONENTS: Final = 3_000  # of all records of one schema
MAX_ALTERNATIVES: Final = 64  # of one value
MAX_MERGED: Final = (
    20_000  # schemas that are merged with the targets of their references, of one schema
)
MAX_NESTING: Final = 64  # lists and maps directly within each other, and unions

_RESERVED: Final = frozenset({
    *IMPORTS, "Boolean", "Double", "Integer", "Long", "String", "Void",
    "Class", "Enum", "Exception", "IllegalArgumentException", "Iterable", "Math", "Number", "Object", "Optional",
    "Override", "Record", "Set", "System", "Thread",
})  # fmt: skip
"""Names that mean something else to a reader of Java, or in the generated code."""

_CONSTRAINTS: Final = (
    "format", "pattern", "minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "contentEncoding",
    "contentMediaType",
)  # fmt: skip
_UNIONS: Final = ("anyOf", "oneOf")

_UNRESTRICTED: Final = "The schema allows any value."
_UNNAMED_MEMBERS: Final = "The schema allows any properties."
_ANY_ITEMS: Final = "The schema allows any items."
_NO_VALUE: Final = "The schema allows no value."
_RECURSIVE: Final = (
    "The schema contains itself without an object in between, which a Java type cannot express."
)
_TOO_DEEP: Final = "Too many schemas are nested here."
_LOOP: Final = "References lead from a schema to itself, so a check would never end."
_TOO_MANY_SCHEMAS: Final = f"It has more than {MAX_NODES:,} schemas."
_TOO_LARGE: Final = "With its references merged, the schema is too large."
_TOO_MANY_ALTERNATIVES: Final = f"The schema has more than {MAX_ALTERNATIVES} alternatives."
_TOO_MANY_TYPES: Final = f"The schema needs more than {MAX_TYPES} records and enums."
_TOO_MANY_COMPONENTS: Final = (
    f"The records of the schema have more than {MAX_ALL_COMPONENTS:,} components."
)
_EMPTY_NAME: Final = "A property has an empty name, which Jackson's annotations cannot express."
_LONG_NAME: Final = "A property has a name that is too long for a Java annotation."


def java_types(schema: JSON, pointer: str, holder: str, *, empty_record: bool = False) -> JavaTypes:
    """The types of `schema`. Never raises: where no type can be found, it is JsonNode.

    Args:
        schema: any JSON value; a value that is not a schema counts as `true`.
        pointer: of the schema in the spec.
        holder: the class that contains the records and enums.
        empty_record: whether an object of no declared members is a record without components rather than a map.
    """
    report = Report()
    document = SchemaMap(schema, max_nodes=MAX_NODES)
    reason = (
        _TOO_MANY_SCHEMAS
        if not document.complete
        else _LOOP
        if any(loops_in_place(document.nodes))
        else ""
    )
    if reason:
        return JavaTypes(holder, Use("JsonNode", note=reason), "", (), (Fallback(pointer, reason),))
    return _Types(normalized(schema, pointer=pointer, report=report), report, pointer, holder).run(
        empty_record
    )


@dataclass(frozen=True, slots=True)
class _Peeled:
    """A schema without what only refers to it: references, an `allOf` of one schema, a union with null.

    `Flattener` would merge them into a new schema each time; here every reference has to lead to the same schema, which
    has one type with one name.
    """

    schema: JSON
    wanted: str
    nullable: bool
    notes: Schema
    loops: bool = False


@dataclass(frozen=True, slots=True)
class _Unwritten:
    """A record whose components are not made yet."""

    record: Record
    alternatives: Sequence[Flat]
    properties: dict[str, list[JSON]]
    required: frozenset[str]


class _TooManyError(Exception):
    """The schema has too many alternatives, or they are nested too deeply."""


class _Types:
    def __init__(self, modern: Normalized, report: Report, pointer: str, holder: str) -> None:
        self._modern = modern
        self._flattener = Flattener(modern, report)
        self._pointer = pointer
        self._holder = holder
        self._names = Names({*_RESERVED, holder}, ignore_case=True)
        self._uses: dict[Hashable, Use | None] = {}  # None while the type is being found
        self._keys: dict[int, tuple[Schema, Hashable]] = {}  # of schemas made here
        self._declared: list[Record | StringEnum] = []
        self._unwritten: deque[_Unwritten] = deque()
        self._fallbacks: list[Fallback] = []
        self._components = 0
        self._merged = 0
        self._empty_record = False

    def run(self, empty_record: bool) -> JavaTypes:
        root = self._peel(self._modern.root, self._holder)
        self._empty_record = empty_record
        use = self._use(self._modern.root if root.loops else root.schema, self._holder, 0)
        self._empty_record = False
        while self._unwritten:
            self._write(self._unwritten.popleft())
        return JavaTypes(
            self._holder,
            use,
            _text(root.notes),
            tuple(self._declared),
            tuple(dict.fromkeys(self._fallbacks)),
        )

    # One schema

    def _use(self, schema: JSON, wanted: str, nesting: int) -> Use:
        """The type of `schema`. A record or enum gets the name `wanted`, or one like it."""
        peeled = self._peel(schema, wanted)
        inner = peeled.schema
        if peeled.loops:
            return self._fallback(schema, _RECURSIVE)
        if not isinstance(inner, dict) or not self._is_known(inner):
            return (
                self._fallback(schema, _NO_VALUE)
                if inner is False
                else Use("JsonNode", note=_UNRESTRICTED)
            )
        key = self._key(inner)
        if key not in self._uses:
            if nesting > MAX_NESTING:
                return self._fallback(inner, _TOO_DEEP)
            self._uses[key] = None
            self._uses[key] = self._found(inner, peeled.wanted, _text(peeled.notes), nesting)
        use = self._uses[key]
        if use is None:
            return self._fallback(inner, _RECURSIVE)
        return replace(use, nullable=use.nullable or peeled.nullable)

    def _found(self, schema: Schema, wanted: str, description: str, nesting: int) -> Use:
        try:
            alternatives = self._alternatives(schema, nesting)
        except TooLarge:
            return self._fallback(schema, _TOO_LARGE)
        except _TooManyError as error:
            return self._fallback(schema, str(error))
        by_type: dict[str, list[Flat]] = {}
        for flat in alternatives:
            types = [name for name in types_of(flat) if name in TYPES]
            if not types:
                return Use("JsonNode", note=_UNRESTRICTED)
            for name in types:
                by_type.setdefault(name, []).append(flat)
        if not alternatives:
            return self._fallback(schema, _NO_VALUE)
        nullable = by_type.pop("null", None) is not None
        facts = _facts(alternatives[0].members) if len(alternatives) == 1 else ()
        if not by_type:
            return Use("Void", nullable=True)
        if by_type.keys() == {"integer", "number"}:
            by_type = {"number": [*by_type["integer"], *by_type["number"]]}
        if len(by_type) > 1:
            choices = listed([with_article(name) for name in by_type])
            return self._fallback(schema, f"The schema allows {choices}.", nullable=nullable)
        name, flats = by_type.popitem()
        use = self._of_type(
            name, flats, schema, wanted=wanted, description=description, nesting=nesting
        )
        return replace(use, facts=facts, nullable=nullable)

    def _of_type(
        self,
        name: str,
        flats: list[Flat],
        schema: Schema,
        *,
        wanted: str,
        description: str,
        nesting: int,
    ) -> Use:
        if name == "object":
            return self._object(flats, schema, wanted, description, nesting)
        if name == "array":
            return self._array(flats, schema, wanted, nesting)
        if name == "string":
            return self._string(flats, wanted, description)
        if name == "boolean":
            return Use("Boolean")
        return Use(integer_type(flats) if name == "integer" else number_type(flats))

    def _fallback(self, schema: JSON, reason: str, *, nullable: bool = False) -> Use:
        pointer = self._modern.origins.of(schema) if isinstance(schema, dict) else self._pointer
        self._fallbacks.append(Fallback(pointer, reason))
        return Use("JsonNode", note=reason, nullable=nullable)

    # Schemas that apply

    def _peel(self, schema: JSON, wanted: str) -> _Peeled:
        """The schema that `schema` only refers to, or itself; and its annotations, the outermost first."""
        nullable = False
        notes: Schema = {}
        seen: set[int] = set()
        while isinstance(schema, dict) and self._is_known(schema):
            if id(schema) in seen:
                return _Peeled(schema, wanted, nullable, notes, loops=True)
            seen.add(id(schema))
            notes = {
                **{keyword: schema[keyword] for keyword in schema if keyword in ANNOTATIONS},
                **notes,
            }
            keywords = schema.keys() - ANNOTATIONS
            keyword = next(iter(keywords)) if len(keywords) == 1 else ""
            parts = schema.get(keyword)
            if keyword == "$ref":
                name = definition_of(parts)
                if name is None or (name and name not in self._modern.definitions):
                    break
                schema, wanted = self._flattener.target(name), name or self._holder
                continue
            if keyword not in {*_UNIONS, "allOf"} or not isinstance(parts, list):
                break
            others = [part for part in parts if not is_null(part)] if keyword in _UNIONS else parts
            if len(others) != 1:
                break
            nullable = nullable or len(others) < len(parts)
            schema = others[0]
        return _Peeled(schema, wanted, nullable, notes)

    def _is_known(self, schema: Schema) -> bool:
        """Whether `schema` is one in its draft, and not the value of a keyword that the draft does not have."""
        return schema in self._modern.origins

    def _alternatives(self, schema: Schema, depth: int) -> list[Flat]:
        """Schemas without references, `allOf`, `anyOf` and `oneOf`, one of which applies; [] if none can.

        Raises:
            TooLarge, _TooManyError: a limit is exceeded.
        """
        if depth > MAX_NESTING:
            raise _TooManyError(_TOO_DEEP)
        self._merged += 1
        if self._merged > MAX_MERGED:
            raise _TooManyError(_TOO_LARGE)
        flat = self._flattener.flat(schema)
        keyword = next(
            (keyword for keyword in _UNIONS if isinstance(flat.members.get(keyword), list)), None
        )
        if keyword is None:
            return [flat]
        rest = {name: value for name, value in flat.members.items() if name != keyword}
        base = self._flattener.with_origin_of(schema, rest)
        found: list[Flat] = []
        for branch in items_of(flat.members[keyword]):
            if branch is not False:
                found += self._alternatives(self._flattener.both(base, branch), depth + 1)
            if len(found) > MAX_ALTERNATIVES:
                raise _TooManyError(_TOO_MANY_ALTERNATIVES)
        return found

    def _any_of(self, schemas: Sequence[JSON], beside: Schema) -> JSON:
        """A schema for the values of any of `schemas`, all of which are parts of `beside`."""
        different = list(
            {self._key(schema): schema for schema in schemas if schema is not False}.values()
        )
        if not different or not all(
            isinstance(schema, dict) and self._is_known(schema) for schema in different
        ):
            return bool(different)
        if len(different) == 1:
            return different[0]
        made = self._flattener.with_origin_of(beside, {"anyOf": different})
        self._keys[id(made)] = (made, ("any", frozenset(map(self._key, different))))
        return made

    def _key(self, schema: JSON) -> Hashable:
        """A key that is equal for equal schemas, and for schemas merged from the same parts."""
        if not isinstance(schema, dict):
            return repr(schema)
        if id(schema) in self._keys:
            return self._keys[id(schema)][1]
        parts = schema.get("allOf")
        if id(schema) in self._modern.origins.made and isinstance(parts, list):
            return ("all", frozenset(map(self._key, parts)))
        return id(schema)

    # Types

    def _string(self, flats: list[Flat], wanted: str, description: str) -> Use:
        texts: dict[str, None] = {}
        for flat in flats:
            values = [value for value in values_of(flat.members) if isinstance(value, str)]
            if not values:
                return Use("String")
            texts.update(dict.fromkeys(values))
        if len(texts) > MAX_CONSTANTS or len(self._declared) >= MAX_TYPES:
            return Use("String")
        names = Names()
        constants = tuple((names.unique(constant_name(text)), text) for text in texts)
        enum = StringEnum(self._type_name(wanted), description, constants)
        self._declared.append(enum)
        return Use(enum.name, declared=True)

    def _array(self, flats: list[Flat], schema: Schema, wanted: str, nesting: int) -> Use:
        items: list[JSON] = []
        for flat in flats:
            first = items_of(flat.members.get("prefixItems"))
            items += first
            if not _has_at_most(flat, len(first)):
                items.append(flat.members.get("items", True))
        inner = self._any_of(items, schema)
        if inner is True:
            return Use("JsonNode", around=("List",), note=_ANY_ITEMS)
        use = self._use(inner, f"{wanted} item", nesting + 1) if inner is not False else Use("Void")
        return replace(use, around=("List", *use.around), nullable=False)

    def _object(
        self, flats: list[Flat], schema: Schema, wanted: str, description: str, nesting: int
    ) -> Use:
        properties: dict[str, list[JSON]] = {}
        for flat in flats:
            for name, member in _members_of(flat.members.get("properties")):
                properties.setdefault(name, []).append(member)
        others = _others_of_any(flats)
        closed = all(_others_of(flat) == [False] for flat in flats)
        is_empty = closed or (
            self._empty_record
            and wanted == self._holder
            and not others
            and any("properties" in flat.members for flat in flats)
        )
        if not properties and not is_empty:
            return self._map(self._any_of(others or [True], schema), wanted, nesting)
        required = frozenset.intersection(*(_required_of(flat) for flat in flats))
        for name in sorted(required - properties.keys()):
            properties[name] = [self._any_of(others or [True], schema)]
        conditional = self._conditional(schema, nesting)
        properties |= {
            name: members for name, members in conditional.items() if name not in properties
        }
        limit = self._record_limit(properties)
        if limit:
            return Use("JsonNode", around=("Map",), note=self._fallback(schema, limit).note)
        is_root = wanted == self._holder and not self._declared
        record = Record(wanted if is_root else self._type_name(wanted), description, closed)
        self._declared.append(record)
        self._components += len(properties)
        self._unwritten.append(_Unwritten(record, flats, properties, required))
        return Use(record.name, declared=True)

    def _conditional(self, schema: Schema, nesting: int) -> dict[str, list[JSON]]:
        """The members that `then`, `else` and `dependentSchemas` mention; merged schemas have only one `if`."""
        found: dict[str, list[JSON]] = {}
        seen: set[int] = set()
        waiting: list[JSON] = [schema]
        while waiting:
            part = waiting.pop()
            if not isinstance(part, dict) or id(part) in seen or not self._is_known(part):
                continue
            seen.add(id(part))
            name = definition_of(part.get("$ref"))
            waiting.append(self._modern.definitions.get(name) if name else None)
            waiting += items_of(part.get("allOf"))
            for inner in _conditional_parts(part):
                with suppress(TooLarge, _TooManyError):
                    for flat in self._alternatives(inner, nesting) if self._is_known(inner) else ():
                        for member, value in _members_of(flat.members.get("properties")):
                            found.setdefault(member, []).append(value)
        return found

    def _record_limit(self, properties: Mapping[str, object]) -> str:
        """Why a record cannot have these components, or ""."""
        if len(properties) > MAX_COMPONENTS:
            return f"The object has {len(properties):,} properties; a record can have at most {MAX_COMPONENTS}."
        if not all(map(is_constant, properties)):
            return _LONG_NAME
        if "" in properties:
            return _EMPTY_NAME
        if len(self._declared) >= MAX_TYPES:
            return _TOO_MANY_TYPES
        return (
            _TOO_MANY_COMPONENTS if self._components + len(properties) > MAX_ALL_COMPONENTS else ""
        )

    def _map(self, values: JSON, wanted: str, nesting: int) -> Use:
        if values is True or values is False:
            return Use("JsonNode", around=("Map",), note=_UNNAMED_MEMBERS)
        use = self._use(values, f"{wanted} value", nesting + 1)
        return replace(use, around=("Map", *use.around), facts=(), nullable=False)

    def _type_name(self, wanted: str) -> str:
        """A name in the holder; without the name of the holder before it, as "item" of the items of the root."""
        name = type_name(wanted.removeprefix(self._holder).strip() or "value")
        return self._names.unique(f"{name}Type" if name in _RESERVED else name)

    # Components

    def _write(self, unwritten: _Unwritten) -> None:
        record = unwritten.record
        names = Names()
        for member, schemas in unwritten.properties.items():
            schema = self._any_of(schemas, self._schema_of(unwritten.alternatives[0]))
            if schema is not False:  # which means that there is no such member
                required = member in unwritten.required
                record.components.append(
                    self._component(member, names.unique(component_name(member)), schema, required)
                )
        others = _others_of_any(unwritten.alternatives)
        if any(other is not False for other in others):
            values = self._any_of(others, self._schema_of(unwritten.alternatives[0]))
            use = self._map(values, f"{record.name} value", 0)
            name = names.unique("additionalProperties")
            record.others = Component("", name, use, "Other properties.", (), required=False)

    def _schema_of(self, flat: Flat) -> Schema:
        return self._modern.origins.put(flat.members, flat.pointer)

    def _component(self, member: str, name: str, schema: JSON, required: bool) -> Component:
        peeled = self._peel(schema, member)
        notes = peeled.notes
        use = self._use(schema, member, 0)
        facts = [*use.facts]
        if "default" in notes and (default := sentence("default", notes["default"])):
            facts.append(default)
        if notes.get("deprecated") is True:
            facts.append("Deprecated.")
        return Component(member, name, use, _text(notes), tuple(facts), required)


# Keywords


def _text(notes: Schema) -> str:
    return next(
        (
            text
            for key in ("description", "title")
            if isinstance(text := notes.get(key), str) and text
        ),
        "",
    )


def _facts(members: Schema) -> tuple[str, ...]:
    """The constraints that no type expresses, as sentences."""
    found = [sentence(keyword, members[keyword]) for keyword in _CONSTRAINTS if keyword in members]
    values = values_of(members)
    if values and not all(isinstance(value, str) or value is None for value in values):
        found.append(sentence("enum", values))
    return tuple(filter(None, found))


def _members_of(value: JSON) -> Iterable[tuple[str, JSON]]:
    return value.items() if isinstance(value, dict) else ()


def _required_of(flat: Flat) -> frozenset[str]:
    value = flat.members.get("required")
    return (
        frozenset(name for name in value if isinstance(name, str))
        if isinstance(value, list)
        else frozenset()
    )


def _conditional_parts(schema: Schema) -> list[Schema]:
    """The schemas that apply only to some values: `then`, `else` and `dependentSchemas`."""
    dependent = schema.get("dependentSchemas")
    parts = [schema.get("then"), schema.get("else")] if "if" in schema else []
    parts += dependent.values() if isinstance(dependent, dict) else []
    return [part for part in parts if isinstance(part, dict)]


def _others_of(flat: Flat) -> list[JSON]:
    """The schemas of members that `properties` does not name; [] if no keyword mentions them."""
    patterns = flat.members.get("patternProperties")
    others = list(patterns.values()) if isinstance(patterns, dict) else []
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in flat.members:
            return [*others, flat.members[keyword]]
    return [*others, True] if others else []


def _others_of_any(flats: Sequence[Flat]) -> list[JSON]:
    """The same for several schemas; [] if none of them mentions other members."""
    found = [_others_of(flat) for flat in flats]
    return [other for others in found for other in others or [True]] if any(found) else []


def _has_at_most(flat: Flat, items: int) -> bool:
    """Whether the array has no items after the first `items`."""
    most = flat.members.get("maxItems")
    return flat.members.get("items") is False or (items > 0 and is_number(most) and most <= items)
