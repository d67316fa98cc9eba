"""The smallest edit with which a schema accepts one more value, and a schema that describes a value.

    widen(schema, value)   -> a JSON Patch; whatever matched before still matches
    describe(value)        -> a schema that the value matches

Each edit removes or weakens the one keyword that refuses the value. Below `not`, `if` and the like, a weaker keyword
makes the schema stricter elsewhere; there is no edit then. `oneOf` becomes `anyOf` where an alternative is widened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Final

from toolspec.schema.dialects import DEFAULT_DIALECT, dialect_of
from toolspec.schema.index import SchemaMap
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation import Budget, Violation, compile_schema
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.patch import Operation, PatchError, apply_patch
from toolspec.text.pointers import pointer_join, resolve_pointer, split_last
from toolspec.text.reader import JSON

MAX_EDITS: Final = 60
MAX_NODES: Final = 20_000  # of a schema whose references are checked
MAX_MEMBERS: Final = 100  # of an object whose members are described by name
_REFERENCES: Final = frozenset(("$ref", "$dynamicRef", "$recursiveRef"))
_UNSAFE: Final = frozenset(("not", "if", "maxContains"))
_NAMED: Final = frozenset(
    ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
)
_LISTED: Final = frozenset(("allOf", "anyOf", "oneOf", "prefixItems", "items"))
_SIZES: Final = frozenset(
    ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
)

Object = Mapping[str, JSON]


def widen(schema: JSON, value: JSON, *, at: str | None = None) -> list[Operation] | None:
    """The edits with which `schema` accepts `value` too.

    Args:
        schema: the schema, in any draft.
        value: a value that it refuses.
        at: a JSON Pointer into the value; only what violates the schema there is accepted afterwards.

    Returns:
        The operations, one after the other; [] if there is nothing to do; None if there is no such edit, or if a
        reference would lead nowhere afterwards.
    """
    operations: list[Operation] = []
    budget = Budget()
    for _ in range(MAX_EDITS):
        result = compile_schema(schema).check(value, budget=budget)
        if result.verdict == "unchecked":
            return None
        violations = [each for violation in result.violations for each in violation.reported()]
        wanted = [each for each in violations if at is None or each.pointer == at]
        if not wanted:
            return operations if not operations or _references_resolve(schema) else None
        edit = _edit_for(schema, value, wanted[0])
        try:
            schema = apply_patch(schema, edit)
        except PatchError:
            return None
        if not edit:
            return None
        operations += edit
    return None


def describe(value: JSON) -> dict[str, JSON]:
    """A schema that `value` matches: its types, members and items."""
    if isinstance(value, list):
        schema: dict[str, JSON] = {"type": "array"}
        return schema | ({"items": _describe_all(value)} if value else {})
    if not isinstance(value, dict):
        return {"type": _type_of(value)}
    if len(value) > MAX_MEMBERS:
        return {"type": "object", "additionalProperties": _describe_all([*value.values()])}
    properties: dict[str, JSON] = {name: describe(member) for name, member in value.items()}
    described: dict[str, JSON] = {"type": "object", "properties": properties}
    return described | ({"required": [*value]} if value else {})


def _describe_all(values: list[JSON]) -> dict[str, JSON]:
    return reduce(_merge, map(describe, values))


def _merge(one: dict[str, JSON], other: dict[str, JSON]) -> dict[str, JSON]:
    """A description of all values that one of two descriptions matches."""
    types = list(dict.fromkeys([*type_names(one.get("type")), *type_names(other.get("type"))]))
    if "number" in types and "integer" in types:
        types.remove("integer")
    merged: dict[str, JSON] = {"type": types[0] if len(types) == 1 else [*types]}
    both = [each for each in (one, other) if "object" in type_names(each.get("type"))]
    if any("additionalProperties" in each for each in both):
        schemas = [member for each in both for member in _members_described(each)]
        merged["additionalProperties"] = reduce(_merge, schemas) if schemas else {}
    elif both:
        merged |= _merge_members(both)
    items = [members_of(each["items"]) for each in (one, other) if "items" in each]
    if items:
        merged["items"] = reduce(_merge, map(dict, items))
    return merged


def _members_described(described: dict[str, JSON]) -> Iterator[dict[str, JSON]]:
    for member in members_of(described.get("properties")).values():
        yield dict(members_of(member))
    if "additionalProperties" in described:
        yield dict(members_of(described["additionalProperties"]))


def _merge_members(both: list[dict[str, JSON]]) -> dict[str, JSON]:
    properties: dict[str, JSON] = {}
    required = strings_of(both[0].get("required"))
    for each in both:
        for name, member in members_of(each.get("properties")).items():
            known = properties.get(name)
            own = dict(members_of(member))
            properties[name] = own if known is None else _merge(dict(members_of(known)), own)
        required = [name for name in required if name in strings_of(each.get("required"))]
    merged: dict[str, JSON] = {"properties": properties}
    return merged | ({"required": [*required]} if required else {})


def _type_of(value: JSON) -> str:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return "integer" if is_integer else json_type(value)


# Edits


def _edit_for(schema: JSON, value: JSON, violation: Violation) -> list[Operation]:
    """The edit that removes `violation`; [] if there is none that keeps what matched."""
    pointer = violation.schema_pointer
    if not pointer.startswith("/"):
        return []
    is_shared = _is_shared(schema, pointer)
    if is_shared and any(keyword in _UNSAFE for _, keyword, _ in _keywords(schema)):
        return []
    for place, keyword, alternatives in _keywords(schema):
        is_around = f"{pointer}/".startswith(f"{place}/")
        if keyword == "oneOf" and (is_around or (is_shared and _refers(alternatives))):
            return [_as_any_of(schema, place)]
    found = _at(value, violation.pointer)
    around, keyword = split_last(pointer)
    node = members_of(_at(schema, around))
    # A property with the name of a keyword may be `false`.
    if keyword == violation.keyword and keyword in node and keyword in _EDITS:
        if keyword == "contains" and not _has_min_contains(schema):
            return [Operation("remove", pointer)]
        return _EDITS[keyword](around, node, found, violation)
    if _at(schema, pointer) is False:
        return [Operation("replace", pointer, _json(describe(found)))]
    if keyword in _SIZES and isinstance(found, str | list | dict):
        return [Operation("replace", pointer, len(found))]
    return [Operation("remove", pointer)]


def _edit_type(around: str, node: Object, value: JSON, _violation: Violation) -> list[Operation]:
    new = _type_of(value)
    names = [*type_names(node["type"]), new]
    if new == "number":
        names = [name for name in names if name != "integer"]
    types: JSON = names[0] if len(names) == 1 else [*names]
    return [Operation("replace", pointer_join(around, "type"), types)]


def _edit_enum(around: str, _node: Object, value: JSON, _violation: Violation) -> list[Operation]:
    return [Operation("add", pointer_join(around, "enum", "-"), value)]


def _edit_const(around: str, node: Object, value: JSON, _violation: Violation) -> list[Operation]:
    remove = Operation("remove", pointer_join(around, "const"))
    if "enum" in node:
        return [remove]
    return [remove, Operation("add", pointer_join(around, "enum"), [node["const"], value])]


def _edit_required(
    around: str, node: Object, _value: JSON, violation: Violation
) -> list[Operation]:
    place = pointer_join(around, "required")
    rest = [name for name in items_of(node["required"]) if name not in violation.names]
    return [Operation("replace", place, rest) if rest else Operation("remove", place)]


def _edit_bound(bound: str, is_less: bool) -> Callable[..., list[Operation]]:
    exclusive = f"exclusive{bound.capitalize()}"

    def edit(around: str, node: Object, value: JSON, _violation: Violation) -> list[Operation]:
        present = node.get(bound)
        reached = value
        if json_type(present) == "number" and (present < value) == is_less:  # type: ignore[operator]
            reached = present
        operations = []
        if exclusive in node:
            operations.append(Operation("remove", pointer_join(around, exclusive)))
        return [*operations, Operation("add", pointer_join(around, bound), reached)]

    return edit


def _edit_additional(
    around: str, node: Object, value: JSON, violation: Violation
) -> list[Operation]:
    """Declare the extra member. No value that matched has it."""
    return _declare(around, node, violation, _json(describe(value)))


def _edit_unevaluated(
    around: str, node: Object, _value: JSON, violation: Violation
) -> list[Operation]:
    """Allow any value of the member: what matched may have it under another alternative."""
    return _declare(around, node, violation, {})


def _declare(around: str, node: Object, violation: Violation, schema: JSON) -> list[Operation]:
    if len(violation.names) != 1:
        return []
    place = pointer_join(around, "properties")
    name = violation.names[0]
    if "properties" not in node:
        return [Operation("add", place, {name: schema})]
    return [Operation("add", pointer_join(place, name), schema)]


def _edit_any_of(around: str, _node: Object, value: JSON, _violation: Violation) -> list[Operation]:
    return [Operation("add", pointer_join(around, "anyOf", "-"), _json(describe(value)))]


def _edit_contains(around: str, _node: Object, _value: JSON, _v: Violation) -> list[Operation]:
    """Make it optional; `unevaluatedItems` may need what it evaluates."""
    return [Operation("add", pointer_join(around, "minContains"), 0)]


_EDITS: Final[Mapping[str, Callable[..., list[Operation]]]] = {
    "type": _edit_type,
    "enum": _edit_enum,
    "const": _edit_const,
    "required": _edit_required,
    "minimum": _edit_bound("minimum", is_less=True),
    "exclusiveMinimum": _edit_bound("minimum", is_less=True),
    "maximum": _edit_bound("maximum", is_less=False),
    "exclusiveMaximum": _edit_bound("maximum", is_less=False),
    "additionalProperties": _edit_additional,
    "unevaluatedProperties": _edit_unevaluated,
    "anyOf": _edit_any_of,
    "contains": _edit_contains,
}


def _has_min_contains(schema: JSON) -> bool:
    dialect = dialect_of(schema, DEFAULT_DIALECT)
    return dialect is not None and "minContains" in dialect.keywords


# Where a weaker keyword may make the schema stricter, or break a reference


def _references_resolve(schema: JSON) -> bool:
    """Whether each reference has a target; one into a part that was moved or removed has none."""
    index = SchemaMap(schema, max_nodes=MAX_NODES)
    return index.complete and not index.problems


def _is_shared(schema: JSON, pointer: str) -> bool:
    """Whether a reference may lead to the schema around the keyword at `pointer`."""
    for _, keyword, target in _keywords(schema):
        if keyword not in _REFERENCES:
            continue
        if not isinstance(target, str) or keyword != "$ref" or "%" in target:
            return True
        if not target.startswith("#/") or f"{pointer}/".startswith(f"{target[1:]}/"):
            return True
    return False


def _refers(alternatives: JSON) -> bool:
    """Whether one of the alternatives contains a reference."""
    found = _keywords({"oneOf": alternatives})
    return any(keyword in _REFERENCES for _, keyword, _ in found)


def _as_any_of(schema: JSON, pointer: str) -> Operation:
    """A `oneOf` renamed to `anyOf`; beside an `anyOf`, it moves into `allOf`."""
    around, _ = split_last(pointer)
    node = members_of(_at(schema, around))
    if "anyOf" not in node:
        return Operation("move", pointer_join(around, "anyOf"), source=pointer)
    everything = [*items_of(node.get("allOf")), {"anyOf": node["oneOf"]}]
    rest = {name: member for name, member in node.items() if name != "oneOf"}
    return Operation("replace", around, {**rest, "allOf": everything})


def _keywords(schema: JSON, pointer: str = "") -> Iterator[tuple[str, str, JSON]]:
    """The keywords of a schema and of all schemas in it: pointer, name and value."""
    waiting = [(pointer, schema)]
    while waiting:
        place, found = waiting.pop()
        for keyword, value in members_of(found).items():
            inner = pointer_join(place, keyword)
            yield inner, keyword, value
            if keyword in _NAMED:
                for name, below in members_of(value).items():
                    waiting.append((pointer_join(inner, name), below))
            elif keyword in _LISTED and isinstance(value, list):
                for index, below in enumerate(value):
                    waiting.append((pointer_join(inner, index), below))
            elif keyword not in {"enum", "const", "default", "examples", "example"}:
                waiting.append((inner, value))


def _at(value: JSON, pointer: str) -> JSON:
    found: JSON = resolve_pointer(value, pointer)  # type: ignore[assignment]
    return found


def _json(schema: dict[str, JSON]) -> JSON:
    return schema
