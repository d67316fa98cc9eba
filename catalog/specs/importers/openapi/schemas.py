"""Schemas of OpenAPI and Swagger documents as JSON Schema 2020-12, each with the definitions that it needs.

Schemas of OpenAPI 3.1 are 2020-12 except for four annotations. Those of 3.0 and Swagger 2.0 are a dialect of an early
draft. References to other documents are reported and never fetched.

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
from catalog.json_schema.dialects import DEFAULT_DIALECT, DRAFT_04, Holds, filled, held
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.importers.openapi.references import References, Unresolved
from catalog.specs.importers.repair import FLAGS, exclusive_bounds, require_flagged, set_type
from catalog.specs.importers.results import Object

Direction = Literal["in", "out"]
"""Whether a schema describes a request ("in") or a response ("out")."""

MAX_SCHEMAS: Final = 100_000  # of one document
MAX_TOGETHER: Final = 1_500  # schemas in the definitions of one tool: the policy allows 10,000

_NOT_SENT: Final[Mapping[Direction, str]] = {"in": "readOnly", "out": "writeOnly"}
_FOREIGN: Final = ("discriminator", "xml", "externalDocs")
_ANNOTATIONS: Final = frozenset({"title", "description", "default", "deprecated", "readOnly", "writeOnly"})
_EARLY_HOLDS: Final[Mapping[str, Holds]] = {
    keyword: DRAFT_04.holds[keyword]
    for keyword in ("properties", "items", "allOf", "anyOf", "oneOf", "not", "additionalProperties")
}


class TooManySchemas(ValueError):
    """The document has more than `MAX_SCHEMAS`."""


@dataclass(slots=True)
class _Reading:
    """The state of reading one schema."""

    direction: Direction
    report: Report = field(default_factory=Report)
    needs: dict[str, None] = field(default_factory=dict)  # pointers of the definitions that it refers to


@dataclass(frozen=True, slots=True)
class _Definition:
    schema: JSON
    needs: tuple[str, ...]
    losses: tuple[Loss, ...]
    size: int  # number of schemas in it
    bytes: int  # as JSON, with its name


_ANYTHING: Final = _Definition(True, (), (), 0, 40)
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
        self._used: set[str] = set()
        self._room = MAX_SCHEMAS

    def read(self, schema: JSON, pointer: str, direction: Direction, report: Report) -> tuple[JSON, tuple[str, ...]]:
        """The converted schema from `pointer`, and the pointers of the definitions that it refers to.

        Raises:
            TooManySchemas: the document has more than `MAX_SCHEMAS`.
        """
        reading = _Reading(direction)
        read = self._read(schema, pointer, reading)
        report.extend(reading.report)
        return read, tuple(reading.needs)

    def with_definitions(
        self, schema: JSON, needs: tuple[str, ...], direction: Direction, report: Report, *, max_bytes: int
    ) -> tuple[JSON, int]:
        """`schema` with all definitions that it refers to, directly or indirectly, in `$defs`; and their bytes.

        Those that exceed `MAX_TOGETHER` or `max_bytes` (as JSON), after the more direct ones, are replaced by `true`.
        """
        found: dict[str, _Definition] = {}
        room, room_bytes = MAX_TOGETHER, max_bytes
        waiting = deque(needs)
        while waiting:
            pointer = waiting.popleft()
            if pointer in found:
                continue
            definition = self._definition(pointer, direction)
            if definition.size > room or definition.bytes > room_bytes:
                report.dropped(pointer, _reason_left_out(definition, room))
                definition = _ANYTHING
            room -= definition.size
            room_bytes -= definition.bytes
            found[pointer] = definition
            report.extend(definition.losses)
            waiting.extend(definition.needs)
        if isinstance(schema, dict) and isinstance(reference := schema.get("$ref"), str):
            schema, found = self._without_outer_reference(schema, reference, found)
        if not found or not isinstance(schema, dict):
            return schema, max_bytes - room_bytes
        names = sorted(found, key=self._name)
        definitions = {self._names[pointer]: found[pointer].schema for pointer in names}
        return {**schema, "$defs": definitions}, max_bytes - room_bytes

    def _without_outer_reference(
        self, schema: Object, reference: str, found: dict[str, _Definition]
    ) -> tuple[JSON, dict[str, _Definition]]:
        """`schema` merged with the target of its reference, so that its type is at the top, where readers look."""
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
            text = dumps({self._name(pointer): schema})
            self._definitions[key] = _Definition(
                schema, tuple(reading.needs), tuple(reading.report), size, len(text.encode())
            )
        return self._definitions[key]

    def _name(self, pointer: str) -> str:
        """The name of the definition at `pointer` in `$defs`: its last token, made unique."""
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
            raise TooManySchemas(f"The document has more than {MAX_SCHEMAS:,} schemas; the rest was not imported.")
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
            keyword_pointer = pointer_join(pointer, keyword)
            held_schemas = holds.get(keyword)
            if keyword in _FOREIGN and not isinstance(value, bool):
                reading.report.dropped(keyword_pointer, f"JSON Schema does not define `{keyword}`.")
            elif keyword in {"$ref", "$defs", "$id", "$schema", "$anchor", "$dynamicAnchor"}:
                continue
            elif keyword == "$dynamicRef":
                reading.report.dropped(keyword_pointer, "Dynamic references are not supported; any value is allowed.")
            elif keyword == "type":
                set_type(out, value, keyword_pointer, reading.report)
            elif keyword in FLAGS and isinstance(value, bool):
                continue  # becomes `required` of the object
            elif held_schemas is not None:
                inner = {
                    path: self._read(one, pointer_join(keyword_pointer, *path), reading)
                    for path, one in held(held_schemas, value)
                }
                out[keyword] = filled(value, inner)
            else:
                out[keyword] = value
        return out

    def _refer(self, reference: JSON, out: Object, pointer: str, reading: _Reading) -> Object:
        target = self._references.target(reference)
        if isinstance(target, Unresolved):
            reading.report.dropped(pointer_join(pointer, "$ref"), f"{target.reason} Any value is allowed.")
            return out
        if self.early:  # "This object cannot be extended with additional properties"
            for keyword in [keyword for keyword in out if keyword not in _ANNOTATIONS | {"nullable", "x-nullable"}]:
                reason = "Keywords beside `$ref` are ignored in this version of OpenAPI."
                reading.report.dropped(pointer_join(pointer, keyword), reason)
                del out[keyword]
        reading.needs[target] = None
        return {"$ref": f"#/$defs/{self._name(target)}", **out}


def from_openapi_3(schema: JSON, pointer: str, report: Report) -> JSON:
    """A schema of OpenAPI 3.0 without references, converted to 2020-12."""
    return SchemaReader(References({}), early=True).read(schema, pointer, "in", report)[0]


def _reason_left_out(definition: _Definition, room: int) -> str:
    if definition.size > room:
        return "This tool has too many schemas; any value is allowed here."
    return f"With this definition ({definition.bytes:,} bytes) the spec would be too large; any value is allowed here."


def _needed_from(pointer: str, found: Mapping[str, _Definition]) -> dict[str, _Definition]:
    """The definitions in `found` that the one at `pointer` refers to, directly or indirectly."""
    needed: dict[str, _Definition] = {}
    waiting = deque(found[pointer].needs)
    while waiting:
        one = waiting.popleft()
        if one not in needed:
            needed[one] = found[one]
            waiting.extend(found[one].needs)
    return needed


def _not_sent(schema: Object, out: Object, pointer: str, reading: _Reading) -> None:
    """A member is not required in the direction in which it is not sent."""
    mark, properties, required = _NOT_SENT[reading.direction], schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return
    unsent = {name for name, member in properties.items() if isinstance(member, dict) and member.get(mark) is True} & {
        name for name in required if isinstance(name, str)
    }
    if unsent:
        reason = f"`{mark}` properties are not required here."
        reading.report.rewritten(pointer_join(pointer, "required"), reason)
        out["required"] = [name for name in required if name not in unsent]


# OpenAPI 3.0 and Swagger 2.0


def translated(schema: Object, out: Object, pointer: str, report: Report) -> Object:
    """`out`, which is `schema` with converted subschemas, with the keywords of 2020-12."""
    exclusive_bounds(out)
    if schema.get("type") == "file":
        out["format"] = "binary"
    nullable = out.pop("nullable", None) is True
    nullable = out.pop("x-nullable", None) is True or nullable
    out = _examples(schema, out)
    return _or_null(out, pointer, report) if nullable else out


def _examples(schema: Object, out: Object) -> Object:
    """`example` of OpenAPI becomes the first of `examples` of JSON Schema."""
    if "example" in schema and "example" in out:
        example = out.pop("example")
        examples = out.get("examples")
        out["examples"] = [example, *examples] if isinstance(examples, list) else [example]
    return out


def _or_null(out: Object, pointer: str, report: Report) -> Object:
    composed = [keyword for keyword in ("$ref", "allOf", "anyOf", "oneOf", "not") if keyword in out]
    declared = out.get("type")
    if isinstance(declared, str) and not composed:
        choices = out.get("enum")
        if isinstance(choices, list) and None not in choices:
            report.rewritten(pointer_join(pointer, "enum"), "null was added, because the schema is `nullable`.")
            out["enum"] = [*choices, None]
        return {**out, "type": [declared, "null"] if declared != "null" else declared}
    constraints = [keyword for keyword in out if keyword not in _ANNOTATIONS | {"examples"}]
    if not constraints:
        return out
    report.rewritten(pointer_join(pointer, "nullable"), "There is no `type` beside it; null became an alternative.")
    inner: Object = {keyword: out.pop(keyword) for keyword in constraints}
    return {"anyOf": [inner, {"type": "null"}], **out}
