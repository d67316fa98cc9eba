"""Schemas of OpenAPI and Swagger documents as JSON Schema 2020-12, each with the definitions that it needs.

Schemas of OpenAPI 3.1 are 2020-12 but for four annotations. Those of 3.0 and Swagger 2.0 are their own subset of an
early draft. References stay inside the document: what leads out is reported, and never fetched.

Sources: OpenAPI 3.1.1 and 3.0.4, "Schema Object"; the proposal "Clarify Nullable" of OpenAPI; Swagger 2.0, "Schema
Object".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Literal

from catalog.conversion_report import Loss, Report
from catalog.json_schema.dialects import DEFAULT_DIALECT, DRAFT_04, Holds, held
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.references import Lost, References
from catalog.specs.importers.repair import FLAGS, filled, require_flagged, set_type
from catalog.specs.importers.results import Object

Direction = Literal["in", "out"]
"""Whether a schema is of what is sent to the API, or of what comes back."""

MAX_SCHEMAS: Final = 100_000  # that are read of one document
MAX_TOGETHER: Final = 1_500  # definitions' schemas of one tool: the gate takes 2,000 subschemas

_NOT_SENT: Final[Mapping[Direction, str]] = {"in": "readOnly", "out": "writeOnly"}
_FOREIGN: Final = ("discriminator", "xml", "externalDocs")
_ANNOTATIONS: Final = frozenset({"title", "description", "default", "deprecated", "readOnly", "writeOnly"})
_EXCLUSIVE: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_EARLY_HOLDS: Final[Mapping[str, Holds]] = {
    keyword: DRAFT_04.holds[keyword]
    for keyword in ("properties", "items", "allOf", "anyOf", "oneOf", "not", "additionalProperties")
}


class TooManySchemas(ValueError):
    """The document has more schemas than are read."""


@dataclass(slots=True)
class _Reading:
    """One schema that is being read: what was found on the way."""

    direction: Direction
    report: Report = field(default_factory=Report)
    needs: dict[str, None] = field(default_factory=dict)  # pointers of the definitions that it refers to


@dataclass(frozen=True, slots=True)
class _Definition:
    schema: JSON
    needs: tuple[str, ...]
    losses: tuple[Loss, ...]
    size: int  # how many schemas it is


_ANYTHING: Final = _Definition(True, (), (), 0)
"""Stands for a definition that is left out because one spec cannot hold it: it needs no others."""


class SchemaReader:
    """Reads the schemas of one document; what several tools share is read once.

    Attributes:
        early: whether the schemas are those of OpenAPI 3.0 or Swagger 2.0.
    """

    def __init__(self, references: References, *, early: bool) -> None:
        self.early = early
        self._references = references
        self._definitions: dict[tuple[str, Direction], _Definition] = {}
        self._names: dict[str, str] = {}
        self._used: set[str] = set()
        self._room = MAX_SCHEMAS

    def read(self, schema: JSON, pointer: str, direction: Direction, report: Report) -> tuple[JSON, tuple[str, ...]]:
        """The schema that stands at `pointer`, and the pointers of the definitions that it refers to.

        Raises:
            TooManySchemas: the document has more than `MAX_SCHEMAS`.
        """
        reading = _Reading(direction)
        read = self._read(schema, pointer, reading)
        report.extend(reading.report)
        return read, tuple(reading.needs)

    def closed(self, schema: JSON, needs: tuple[str, ...], direction: Direction, report: Report) -> JSON:
        """`schema` with all definitions that it refers to, directly or through others, in `$defs`.

        The nearest first, as far as one spec can hold them.
        """
        found: dict[str, _Definition] = {}
        room = MAX_TOGETHER
        waiting = deque(needs)
        while waiting:
            pointer = waiting.popleft()
            if pointer in found:
                continue
            definition = self._definition(pointer, direction)
            room -= definition.size
            if room < 0:
                found[pointer] = _ANYTHING
                report.dropped(pointer, "The schemas of this tool are too many; any value is allowed here.")
                continue
            found[pointer] = definition
            report.extend(definition.losses)
            waiting.extend(definition.needs)
        if isinstance(schema, dict) and isinstance(reference := schema.get("$ref"), str):
            schema, found = self._without_outer_reference(schema, reference, found)
        if not found or not isinstance(schema, dict):
            return schema
        names = sorted(found, key=self._name)
        return {**schema, "$defs": {self._names[pointer]: found[pointer].schema for pointer in names}}

    def _without_outer_reference(
        self, schema: Object, reference: str, found: dict[str, _Definition]
    ) -> tuple[JSON, dict[str, _Definition]]:
        """`schema` with what it refers to written out, so that its type stands where readers look for it."""
        pointer = next(pointer for pointer in found if f"#/$defs/{self._names[pointer]}" == reference)
        target = found[pointer].schema
        if not isinstance(target, dict) or "$ref" in target:
            return schema, found
        rest: Object = {name: value for name, value in schema.items() if name != "$ref"}
        return {**target, **rest}, _needed_from(pointer, found)

    def _definition(self, pointer: str, direction: Direction) -> _Definition:
        key = (pointer, direction)
        if key not in self._definitions:
            reading, room = _Reading(direction), self._room
            schema = self._read(self._references.at(pointer), pointer, reading)
            size = room - self._room
            self._definitions[key] = _Definition(schema, tuple(reading.needs), tuple(reading.report), size)
        return self._definitions[key]

    def _name(self, pointer: str) -> str:
        """What the definition at `pointer` is called: by the last token of it that is a word."""
        if pointer not in self._names:
            token = pointer.rpartition("/")[2].replace("~1", "_").replace("~0", "_")
            word = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in token)
            names = (word or "schema" if number == 1 else f"{word}_{number}" for number in count(1))
            self._names[pointer] = next(name for name in names if name not in self._used)
            self._used.add(self._names[pointer])
        return self._names[pointer]

    # One schema

    def _read(self, schema: JSON, pointer: str, reading: _Reading) -> JSON:
        self._room -= 1
        if self._room < 0:
            raise TooManySchemas(f"The document has more than {MAX_SCHEMAS:,} schemas; the rest was left.")
        if not isinstance(schema, dict):
            return schema
        out = self._keywords(schema, pointer, reading)
        if "$ref" in schema:
            out = self._refer(schema["$ref"], out, pointer, reading)
        require_flagged(schema, out, pointer, reading.report)
        _not_sent(schema, out, pointer, reading)
        return translated(schema, out, pointer, reading.report) if self.early else _examples(schema, out)

    def _keywords(self, schema: Object, pointer: str, reading: _Reading) -> Object:
        holds = _EARLY_HOLDS if self.early else DEFAULT_DIALECT.holds
        out: Object = {}
        for keyword, value in schema.items():
            place = pointer_join(pointer, keyword)
            how = holds.get(keyword)
            if keyword in _FOREIGN and not isinstance(value, bool):
                reading.report.dropped(place, f"JSON Schema knows no `{keyword}`.")
            elif keyword in {"$ref", "$defs", "$id", "$schema", "$anchor", "$dynamicAnchor"}:
                continue
            elif keyword == "$dynamicRef":
                reading.report.dropped(place, "Dynamic references are not followed; any value is allowed.")
            elif keyword == "type":
                set_type(out, value, place, reading.report)
            elif keyword in FLAGS and isinstance(value, bool):
                continue  # said by the schema around it
            elif how is not None:
                inner = {path: self._read(one, pointer_join(place, *path), reading) for path, one in held(how, value)}
                out[keyword] = filled(value, inner)
            else:
                out[keyword] = value
        return out

    def _refer(self, reference: JSON, out: Object, pointer: str, reading: _Reading) -> Object:
        place = pointer_join(pointer, "$ref")
        target = self._references.target(reference)
        if isinstance(target, Lost):
            reading.report.dropped(place, f"{target.reason} Any value is allowed there.")
            return out
        if self.early:  # "This object cannot be extended with additional properties"
            for keyword in [keyword for keyword in out if keyword not in _ANNOTATIONS | {"nullable", "x-nullable"}]:
                reading.report.dropped(pointer_join(pointer, keyword), "What stands beside `$ref` is ignored there.")
                del out[keyword]
        reading.needs[target] = None
        return {"$ref": f"#/$defs/{self._name(target)}", **out}


def from_openapi_3(schema: JSON, pointer: str, report: Report) -> JSON:
    """A schema of OpenAPI 3.0 that holds no references, as one of 2020-12."""
    return SchemaReader(References({}), early=True).read(schema, pointer, "in", report)[0]


def _needed_from(pointer: str, found: Mapping[str, _Definition]) -> dict[str, _Definition]:
    """The definitions in `found` that the one at `pointer` refers to, directly or through others."""
    needed: dict[str, _Definition] = {}
    waiting = deque(found[pointer].needs)
    while waiting:
        one = waiting.popleft()
        if one not in needed:
            needed[one] = found[one]
            waiting.extend(found[one].needs)
    return needed


def _not_sent(schema: Object, out: Object, pointer: str, reading: _Reading) -> None:
    """`required` holds only in the direction in which a member is sent."""
    mark, properties, required = _NOT_SENT[reading.direction], schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return
    unsent = {name for name, member in properties.items() if isinstance(member, dict) and member.get(mark) is True} & {
        name for name in required if isinstance(name, str)
    }
    if unsent:
        place = pointer_join(pointer, "required")
        reading.report.rewritten(place, f"Members that are `{mark}` are not required in this direction.")
        out["required"] = [name for name in required if name not in unsent]


# OpenAPI 3.0 and Swagger 2.0


def translated(schema: Object, out: Object, pointer: str, report: Report) -> Object:
    """`out`, which is `schema` with its subschemas read, in the words of 2020-12."""
    for exclusive, bound in _EXCLUSIVE.items():
        if isinstance(flag := out.get(exclusive), bool):
            del out[exclusive]
            if flag and bound in out:
                out[exclusive] = out.pop(bound)
    if schema.get("type") == "file":
        out["format"] = "binary"
    nullable = out.pop("nullable", None) is True
    nullable = out.pop("x-nullable", None) is True or nullable
    out = _examples(schema, out)
    return _or_null(out, pointer, report) if nullable else out


def _examples(schema: Object, out: Object) -> Object:
    """The single `example` of OpenAPI among the `examples` of JSON Schema."""
    if "example" in schema and "example" in out:
        example = out.pop("example")
        have = out.get("examples")
        out["examples"] = [example, *have] if isinstance(have, list) else [example]
    return out


def _or_null(out: Object, pointer: str, report: Report) -> Object:
    composed = [keyword for keyword in ("$ref", "allOf", "anyOf", "oneOf", "not") if keyword in out]
    kind = out.get("type")
    if isinstance(kind, str) and not composed:
        choices = out.get("enum")
        if isinstance(choices, list) and None not in choices:
            report.rewritten(pointer_join(pointer, "enum"), "null was added to the choices, because it is `nullable`.")
            out["enum"] = [*choices, None]
        return {**out, "type": [kind, "null"] if kind != "null" else kind}
    asked = [keyword for keyword in out if keyword not in _ANNOTATIONS | {"examples"}]
    if not asked:
        return out
    report.rewritten(pointer_join(pointer, "nullable"), "It stands beside no `type`; null became an alternative.")
    inner: Object = {keyword: out.pop(keyword) for keyword in asked}
    return {"anyOf": [inner, {"type": "null"}], **out}
