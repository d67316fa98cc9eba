"""Schemas of OpenAPI and Swagger documents as JSON Schema 2020-12, with their definitions.

Schemas of OpenAPI 3.1 are 2020-12 except for four annotations. Those of 3.0 and Swagger 2.0 are a
dialect of an early draft. References to other documents are reported and never fetched.

Sources: OpenAPI 3.1.1 and 3.0.4, "Schema Object"; the proposal "Clarify Nullable" of OpenAPI;
Swagger 2.0, "Schema Object".
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from toolspec.conversion_report import Loss, Report
from toolspec.imports.openapi.references import References, TooManySchemas, Unresolved
from toolspec.imports.repair import FLAGS, exclusive_bounds, require_flagged, set_type
from toolspec.imports.results import Object
from toolspec.schema.dialects import DEFAULT_DIALECT, DRAFT_04, Holds, fill, list_held
from toolspec.schema.types import type_names
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.pointers import pointer_join, split_pointer
from toolspec.text.reader import JSON, dumps

Direction = Literal["in", "out"]
"""Whether a schema describes a request ("in") or a response ("out")."""

MAX_SCHEMAS: Final = 100_000  # of one document
MAX_HEIRS: Final = 50  # kinds of one base schema that become alternatives
MAX_TOGETHER: Final = 1_500  # schemas in the definitions of one tool: the policy allows 10,000

_NOT_SENT: Final[Mapping[Direction, str]] = {"in": "readOnly", "out": "writeOnly"}
_FOREIGN: Final = ("xml", "externalDocs")
_IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf"})
_ANNOTATIONS: Final = frozenset({
    "title", "description", "default", "deprecated", "readOnly", "writeOnly",
})  # fmt: skip
_COMPOSING: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not"})
_BESIDE_REFERENCE: Final = _ANNOTATIONS | {"nullable", "x-nullable"}
_READ_ELSEWHERE: Final = frozenset({
    "$ref", "$dynamicRef", "$defs", "$id", "$schema", "$anchor", "$dynamicAnchor", "discriminator",
})  # fmt: skip
_IN_HEIR: Final = re.compile(r"/(?:components/schemas|definitions)/[^/]+/allOf/[0-9]+")
_NOT_IN_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_TUPLE: Final = ("items", "additionalItems")
_EARLY_HOLDS: Final[Mapping[str, Holds]] = {
    keyword: DRAFT_04.holds[keyword]
    for keyword in ("properties", "items", "allOf", "anyOf", "oneOf", "not", "additionalProperties")
}


@dataclass(slots=True)
class _Reading:
    """The state of reading one schema.

    `needs` are pointers of the definitions that it refers to.
    """

    direction: Direction
    report: Report = field(default_factory=Report)
    needs: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Definition:
    schema: JSON
    needs: tuple[str, ...]
    losses: tuple[Loss, ...]
    size: int  # number of schemas in it
    bytes: int  # as JSON, with its name


_ANYTHING: Final = _Definition(True, (), (), 0, 0)
"""Replaces a definition that is too large for one spec."""


class SchemaReader:
    """Reads the schemas of one document; a definition that several tools share is read once.

    Attributes:
        early: whether the document is OpenAPI 3.0 or Swagger 2.0.
    """

    def __init__(self, references: References, *, early: bool) -> None:
        self.early = early
        self._references = references
        self._definitions: dict[tuple[str, Direction], _Definition] = {}
        self._names: dict[str, str] = {}
        self._constants: dict[tuple[str, str, tuple[str, ...]], Object | None] = {}
        self._used: set[str] = set()
        self._room = MAX_SCHEMAS

    @cached_property
    def _keywords_used(self) -> set[str]:
        """Those of `readOnly`, `writeOnly` and `discriminator` that the document uses at all."""
        keywords = (*_NOT_SENT.values(), "discriminator")
        return set(filter(self._references.uses, keywords))

    @cached_property
    def _heirs(self) -> dict[str, list[str]]:
        """The pointers of the schemas that extend each base schema through `allOf`."""
        heirs: dict[str, list[str]] = {}
        for pointer, schema in self._references.components():
            for _, place in self._references.in_place(schema, pointer, ("allOf",)):
                if place != pointer:
                    heirs.setdefault(place, []).append(pointer)
        return heirs

    def read(
        self, schema: JSON, pointer: str, direction: Direction, report: Report
    ) -> tuple[JSON, tuple[str, ...]]:
        """(the converted schema from `pointer`, the pointers of the definitions it refers to).

        Raises:
            TooManySchemas: the document has more than `MAX_SCHEMAS`.
        """
        reading = _Reading(direction)
        converted = self._read(schema, pointer, reading)
        report.extend(reading.report)
        return converted, tuple(reading.needs)

    def with_definitions(
        self,
        schema: JSON,
        needs: tuple[str, ...],
        direction: Direction,
        report: Report,
        *,
        max_bytes: int,
    ) -> tuple[JSON, int]:
        """(`schema` with all definitions that it refers to in `$defs`, their bytes).

        Those that exceed `MAX_TOGETHER` or `max_bytes` (as JSON), after the more direct ones, are
        replaced by `true`, and those that only they refer to are left out. What a replaced
        definition leaves is counted, too: more than `max_bytes` are used only if `schema` itself
        refers to too many definitions.
        """
        definitions: dict[str, _Definition] = {}
        waiting = deque(needs)
        seen = set(needs)
        room, room_bytes = MAX_TOGETHER, max_bytes - sum(map(self._replacement_bytes, seen))
        while waiting:
            pointer = waiting.popleft()
            if pointer in definitions:
                continue
            definition = self._read_definition(pointer, direction)
            new = [inner for inner in definition.needs if inner not in seen]
            added_bytes = definition.bytes - self._replacement_bytes(pointer)
            added_bytes += sum(map(self._replacement_bytes, new))
            if definition.size > room or added_bytes > room_bytes:
                report.dropped(pointer, _reason_left_out(definition, room))
                definitions[pointer] = _ANYTHING
                continue
            room -= definition.size
            room_bytes -= added_bytes
            definitions[pointer] = definition
            report.extend(definition.losses)
            seen.update(new)
            waiting.extend(new)
        if isinstance(schema, dict):
            schema, definitions = self._inline_outer_reference(schema, definitions)
        if definitions and isinstance(schema, dict):
            by_name: Object = {}
            for pointer in sorted(definitions, key=self._name):
                by_name[self._names[pointer]] = definitions[pointer].schema
            schema = {**schema, "$defs": by_name}
        return schema, max_bytes - room_bytes

    def _inline_outer_reference(
        self, schema: Object, definitions: dict[str, _Definition]
    ) -> tuple[JSON, dict[str, _Definition]]:
        """`schema` merged with the target of its reference, if it is one.

        Its type is at the top then, where readers look.
        """
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema, definitions
        pointers = {f"#/$defs/{self._names[pointer]}": pointer for pointer in definitions}
        pointer = pointers[reference]
        target = definitions[pointer].schema
        if not isinstance(target, dict) or "$ref" in target:
            return schema, definitions
        rest: Object = {name: value for name, value in schema.items() if name != "$ref"}
        if rest.keys() & target.keys() - _ANNOTATIONS:
            return schema, definitions
        return {**target, **rest}, _needed_from(pointer, definitions)

    def _replacement_bytes(self, pointer: str) -> int:
        """The bytes of `true` in place of the definition at `pointer`, as JSON, with its name."""
        # Names in `$defs` are ASCII and need no escapes.
        return len(self._name(pointer)) + len('{"": true}')

    def _read_definition(self, pointer: str, direction: Direction) -> _Definition:
        key = (pointer, direction)
        if key not in self._definitions:
            reading, room = _Reading(direction), self._room
            schema = self._read(self._references.at(pointer), pointer, reading)
            size = room - self._room
            size_bytes = len(dumps({self._name(pointer): schema}).encode())
            needs, losses = tuple(reading.needs), tuple(reading.report)
            self._definitions[key] = _Definition(schema, needs, losses, size, size_bytes)
        return self._definitions[key]

    def _name(self, pointer: str) -> str:
        """The name of the definition at `pointer` in `$defs`: its last token, made unique."""
        if pointer not in self._names:
            token = pointer.rpartition("/")[2].replace("~1", "_").replace("~0", "_")
            word = _NOT_IN_NAME.sub("_", token)
            name = word or "schema"
            number = 1
            while name in self._used:
                number += 1
                name = f"{word}_{number}"
            self._names[pointer] = name
            self._used.add(name)
        return self._names[pointer]

    # One schema

    def _read(
        self, schema: JSON, pointer: str, reading: _Reading, around: tuple[JSON, str] | None = None
    ) -> JSON:
        """The converted schema.

        `around` is the outermost schema, with its pointer, of the same value.
        """
        self._room -= 1
        if self._room < 0:
            message = f"The document has more than {MAX_SCHEMAS:,} schemas;"
            raise TooManySchemas(f"{message} the rest was not imported.")
        if not isinstance(schema, dict):
            return schema
        around = around or (schema, pointer)
        out = self._read_keywords(schema, pointer, reading, around)
        if isinstance(schema.get("items"), list):
            self._read_tuple(schema, out, pointer, reading)
        for keyword in ("$dynamicRef", "$ref"):
            if keyword in schema:
                out = self._refer(keyword, schema[keyword], out, pointer, reading)
        if "discriminator" in self._keywords_used:
            self._discriminate(schema, out, pointer, reading)
        require_flagged(schema, out, pointer, reading.report)
        self._drop_unsent(out, pointer, reading, around)
        return translate(schema, out, pointer, reading.report, early=self.early)

    def _read_keywords(
        self, schema: Object, pointer: str, reading: _Reading, around: tuple[JSON, str]
    ) -> Object:
        holds = _EARLY_HOLDS if self.early else DEFAULT_DIALECT.holds
        read_elsewhere = _READ_ELSEWHERE
        if isinstance(schema.get("items"), list):
            read_elsewhere = _READ_ELSEWHERE.union(_TUPLE)
        out: Object = {}
        for keyword, value in schema.items():
            keyword_pointer = pointer_join(pointer, keyword)
            held_schemas = holds.get(keyword)
            if keyword in _FOREIGN and not isinstance(value, bool):
                reading.report.dropped(keyword_pointer, f"JSON Schema does not define `{keyword}`.")
            elif keyword in read_elsewhere:
                continue
            elif keyword == "type":
                set_type(out, value, keyword_pointer, reading.report)
            elif keyword in FLAGS and isinstance(value, bool):
                continue  # becomes `required` of the object
            elif held_schemas is not None:
                same_value = around if keyword in _IN_PLACE else None
                converted: dict[tuple[str | int, ...], JSON] = {}
                for path, inner in list_held(held_schemas, value):
                    place = pointer_join(keyword_pointer, *path)
                    converted[path] = self._read(inner, place, reading, same_value)
                out[keyword] = fill(value, converted)
            else:
                out[keyword] = value
        return out

    def _read_tuple(self, schema: Object, out: Object, pointer: str, reading: _Reading) -> None:
        """An array of `items`, and `additionalItems` for the others, as in earlier drafts."""
        items_pointer = pointer_join(pointer, "items")
        prefix = list(items_of(out.get("prefixItems")))
        for index, item in enumerate(items_of(schema["items"])):
            prefix.append(self._read(item, pointer_join(items_pointer, index), reading))
        if prefix:
            out["prefixItems"] = prefix
        if "additionalItems" in schema:
            others = pointer_join(pointer, "additionalItems")
            out["items"] = self._read(schema["additionalItems"], others, reading)
        reading.report.rewritten(items_pointer, "An array of `items` became `prefixItems`.")

    def _refer(
        self, keyword: str, reference: JSON, out: Object, pointer: str, reading: _Reading
    ) -> Object:
        find = self._references.target if keyword == "$ref" else self._references.dynamic_target
        target = find(reference, pointer)
        if isinstance(target, Unresolved):
            reason = f"{target.reason} Any value is allowed."
            reading.report.dropped(pointer_join(pointer, keyword), reason)
            return out
        if self.early:  # "This object cannot be extended with additional properties"
            for ignored in [name for name in out if name not in _BESIDE_REFERENCE]:
                reason = "Keywords beside `$ref` are ignored in this version of OpenAPI."
                reading.report.dropped(pointer_join(pointer, ignored), reason)
                del out[ignored]
        referring = self._kinds_of(target, pointer, reading)
        if referring is None:
            reading.needs[target] = None
            referring = {"$ref": f"#/$defs/{self._name(target)}"}
        if not {"anyOf", "$ref"}.isdisjoint(out.keys() & referring.keys()):
            return {**out, "allOf": [*items_of(out.get("allOf")), referring]}
        return {**referring, **out}

    def _kinds_of(self, target: str, pointer: str, reading: _Reading) -> Object | None:
        """The kinds of a base schema with a discriminator, as alternatives.

        None for other schemas, and in its heirs.
        Values of other kinds need only fit the base.
        """
        if "discriminator" not in self._keywords_used or _IN_HEIR.fullmatch(pointer):
            return None
        base, heirs = members_of(self._references.at(target)), self._heirs.get(target, [])
        name, values = self._values_by_target(base, target)
        if not name or not heirs or len(heirs) > MAX_HEIRS or {"oneOf", "anyOf"} & base.keys():
            return None
        alternatives: list[JSON] = []
        known: list[str] = []
        for heir in heirs:
            reading.needs[heir] = None
            constants = values.get(heir) or [split_pointer(heir)[-1]]
            known += constants
            reference: Object = {"$ref": f"#/$defs/{self._name(heir)}"}
            alternatives.append(self._with_constant(reference, heir, name, constants))
        reading.needs[target] = None
        others: Object = {"properties": {name: {"not": {"enum": [*known]}}}}
        alternatives.append({"$ref": f"#/$defs/{self._name(target)}", **others})
        declared: Object = {"type": base["type"]} if "type" in base else {}
        return {**declared, "anyOf": alternatives}

    def _values_by_target(self, schema: Object, pointer: str) -> tuple[str, dict[str, list[str]]]:
        """(the property of a discriminator or "", its values by the pointer of their schema)."""
        discriminator = schema.get("discriminator")
        members = members_of(discriminator)
        name = members.get("propertyName", discriminator)  # Swagger 2.0 has only the name
        values: dict[str, list[str]] = {}
        for value, reference in members_of(members.get("mapping")).items():
            target = _find_mapped(self._references, reference, pointer)
            if target:
                values.setdefault(target, []).append(value)
        return name if isinstance(name, str) else "", values

    def _discriminate(self, schema: Object, out: Object, pointer: str, reading: _Reading) -> None:
        """Write the values of a discriminator as constants beside the references.

        Exactly one of them can fit then.
        """
        targets: dict[tuple[str, int], str] = {}
        for keyword in ("oneOf", "anyOf"):
            for index, alternative in enumerate(items_of(schema.get(keyword))):
                target = self._references.target(members_of(alternative).get("$ref"), pointer)
                if isinstance(target, str):
                    targets[keyword, index] = target
        name, values = self._values_by_target(schema, pointer)
        base = "" if name else _find_common_base(self._references, targets.values())
        if base:
            name, values = self._values_by_target(members_of(self._references.at(base)), base)
        place = pointer_join(pointer, "discriminator")
        if not name or not targets:
            if "discriminator" in schema:
                reading.report.dropped(place, "JSON Schema does not define `discriminator`.")
            return
        for (keyword, index), target in targets.items():
            alternatives = items_of(out.get(keyword))
            alternative = alternatives[index] if index < len(alternatives) else None
            if isinstance(alternative, dict) and "$ref" in alternative:
                constants = values.get(target) or [split_pointer(target)[-1]]
                alternatives[index] = self._with_constant(alternative, target, name, constants)
        reason = f"The values of `{name}` became constants of the alternatives."
        reading.report.rewritten(place, reason)

    def _with_constant(
        self, alternative: Object, target: str, name: str, values: list[str]
    ) -> Object:
        """`alternative`, a reference to `target`, for these `values` of `name`.

        Unless the target itself declares them: its own values are right where they differ.
        """
        key = target, name, tuple(values)
        if key not in self._constants:
            self._constants[key] = _enum_of(self._references, target, name, values)
        constant = self._constants[key]
        if constant is None:
            return alternative
        properties = members_of(alternative.get("properties"))
        return {**alternative, "properties": {name: dict(constant), **properties}}

    def _drop_unsent(
        self, out: Object, pointer: str, reading: _Reading, around: tuple[JSON, str]
    ) -> None:
        """A member is not required in the direction in which it is not sent.

        Any schema of its value may say so.
        """
        mark, required = _NOT_SENT[reading.direction], items_of(out.get("required"))
        if not required or mark not in self._keywords_used:
            return
        unsent: set[str] = set()
        for holder, place in self._references.in_place(*around):
            properties = members_of(holder.get("properties"))
            for name in properties.keys() & strings_of(required):
                member_pointer = pointer_join(place, "properties", name)
                declared = self._references.in_place(properties[name], member_pointer)
                if any(schema.get(mark) is True for schema, _ in declared):
                    unsent.add(name)
        if unsent:
            reason = f"`{mark}` properties are not required here."
            reading.report.rewritten(pointer_join(pointer, "required"), reason)
            out["required"] = [name for name in required if name not in unsent]


def _find_common_base(references: References, targets: Iterable[str]) -> str:
    """The base schema with a discriminator that all `targets` extend; "" if there is none."""
    bases: set[str] = set()
    for target in targets:
        around = _list_extended_schemas(references, references.at(target), target)
        bases.add(next((place for schema, place in around if "discriminator" in schema), ""))
    return bases.pop() if len(bases) == 1 else ""


def _find_mapped(references: References, reference: JSON, pointer: str) -> str:
    """The pointer of the schema that a mapping names, by a reference or by its name.

    "" if there is none.
    """
    target = references.target(reference, pointer)
    if isinstance(target, Unresolved) and isinstance(reference, str):
        target = references.target(f"#/components/schemas/{reference}", pointer)
    return target if isinstance(target, str) else ""


def _list_extended_schemas(
    references: References, schema: JSON, pointer: str
) -> Iterator[tuple[Object, str]]:
    """`schema`, and those that it extends through `$ref` and `allOf`."""
    return references.in_place(schema, pointer, ("allOf",))


def _enum_of(
    references: References, target: str, property_name: str, values: list[str]
) -> Object | None:
    """The enum (or const) of `property_name` for an alternative that refers to `target`.

    None if the target allows no others than `values` already, takes no string, or shares none of
    them.
    """
    shared = list(values)
    for base, base_pointer in _list_extended_schemas(references, references.at(target), target):
        property_schema = members_of(base.get("properties")).get(property_name)
        pointer = pointer_join(base_pointer, "properties", property_name)
        for schema, _ in _list_extended_schemas(references, property_schema, pointer):
            choices = [schema["const"]] if "const" in schema else items_of(schema.get("enum"))
            if choices and all(choice in shared for choice in choices):
                return None
            if "type" in schema and "string" not in type_names(schema["type"]):
                return None
            if choices:
                shared = [value for value in shared if value in choices]
    if not shared:
        return None
    return {"const": shared[0]} if len(shared) == 1 else {"enum": [*shared]}


def from_openapi_3(schema: JSON, pointer: str, report: Report) -> JSON:
    """A schema of OpenAPI 3.0 without references, converted to 2020-12."""
    return SchemaReader(References({}), early=True).read(schema, pointer, "in", report)[0]


def _reason_left_out(definition: _Definition, room: int) -> str:
    if definition.size > room:
        return "This tool has too many schemas; any value is allowed here."
    reason = f"With this definition ({definition.bytes:,} bytes) the spec would be too large;"
    return f"{reason} any value is allowed here."


def _needed_from(pointer: str, definitions: Mapping[str, _Definition]) -> dict[str, _Definition]:
    """The `definitions` that the one at `pointer` refers to, directly or indirectly."""
    needed: dict[str, _Definition] = {}
    waiting = deque(definitions[pointer].needs)
    while waiting:
        inner = waiting.popleft()
        if inner not in needed:
            needed[inner] = definitions[inner]
            waiting.extend(definitions[inner].needs)
    return needed


# OpenAPI 3.0 and Swagger 2.0


def translate(schema: Object, out: Object, pointer: str, report: Report, *, early: bool) -> Object:
    """`out`, which is `schema` with converted subschemas, with the keywords of 2020-12.

    Documents of OpenAPI 3.1 use keywords of 3.0 as well, which is reported.
    """
    flags = exclusive_bounds(out)
    if schema.get("type") == "file":
        out["format"] = "binary"
    nullable = out.pop("nullable", None) is True
    nullable = out.pop("x-nullable", None) is True or nullable
    if not early:
        keywords = [*flags, "nullable"] if nullable else [*flags]
        for keyword in keywords:
            reason = f"`{keyword}` was read as in OpenAPI 3.0."
            report.rewritten(pointer_join(pointer, keyword), reason)
    if "example" in schema and "example" in out:
        out["examples"] = [out.pop("example"), *items_of(out.get("examples"))]
    return _or_null(out, pointer, report) if nullable else out


def _or_null(out: Object, pointer: str, report: Report) -> Object:
    declared = out.get("type")
    if isinstance(declared, str | list) and _COMPOSING.isdisjoint(out):
        choices = out.get("enum")
        if isinstance(choices, list) and None not in choices:
            reason = "null was added, because the schema is `nullable`."
            report.rewritten(pointer_join(pointer, "enum"), reason)
            out["enum"] = [*choices, None]
        types: list[JSON] = declared if isinstance(declared, list) else [declared]
        if "null" not in types:
            out["type"] = [*types, "null"]
        return out
    constraints = [keyword for keyword in out if keyword not in _ANNOTATIONS | {"examples"}]
    if not constraints:
        return out
    reason = "There is no `type` beside it; null became an alternative."
    report.rewritten(pointer_join(pointer, "nullable"), reason)
    inner: Object = {keyword: out.pop(keyword) for keyword in constraints}
    return {"anyOf": [inner, {"type": "null"}], **out}
