"""The smallest edit with which a schema accepts one more value, and a description of a value.

    widen(schema, value)   -> a JSON Patch; whatever matched before still matches
    describe(value)        -> a schema that the value matches

Each edit removes or weakens the one keyword that refuses the value. Below `not`, `if` and the like,
a weaker keyword makes the schema stricter elsewhere; there is no edit then. `oneOf` becomes `anyOf`
where an alternative is widened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain
from typing import Final

from toolspec.schema.dialects import DEFAULT_DIALECT, dialect_of
from toolspec.schema.index import SchemaMap
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation import Budget, Violation, compile_schema
from toolspec.text.containers import items_of, members_of
from toolspec.text.numbers import is_number
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
_VALUES: Final = frozenset(("enum", "const", "default", "examples", "example"))
_SIZES: Final = frozenset(
    ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
)

Object = Mapping[str, JSON]


def widen(schema: JSON, value: JSON, *, at: str | None = None) -> list[Operation] | None:
    """The edits with which `schema` accepts `value` too.

    Args:
        schema: the schema, in any draft.
        value: a value that it refuses.
        at: a JSON Pointer into the value; only what violates the schema there is accepted
            afterwards.

    Returns:
        The operations, one after the other; [] if there is nothing to do; None if there is no such
        edit, or if a reference would lead nowhere afterwards.
    """
    operations: list[Operation] = []
    budget = Budget()
    for _ in range(MAX_EDITS):
        result = compile_schema(schema).check(value, budget=budget)
        if result.verdict == "unchecked":
            return None
        violation = _find_first_violation(result.violations, at)
        if violation is None:
            if not operations or _resolves_references(schema):
                return operations
            return None
        edit = _choose_edit(schema, value, violation)
        if not edit:
            return None
        try:
            schema = apply_patch(schema, edit)
        except PatchError:
            return None
        operations += edit
    return None


def _find_first_violation(violations: Iterable[Violation], at: str | None) -> Violation | None:
    for violation in violations:
        for detail in violation.reported():
            if at is None or detail.pointer == at:
                return detail
    return None


def describe(value: JSON) -> dict[str, JSON]:
    """A schema that `value` matches: its types, members and items."""
    if isinstance(value, list):
        array: dict[str, JSON] = {"type": "array"}
        if value:
            array["items"] = _describe_all(value)
        return array
    if not isinstance(value, dict):
        return {"type": _name_type(value)}
    if len(value) > MAX_MEMBERS:
        return {"type": "object", "additionalProperties": _describe_all(value.values())}
    properties: dict[str, JSON] = {name: describe(member) for name, member in value.items()}
    described: dict[str, JSON] = {"type": "object", "properties": properties}
    if value:
        described["required"] = [*value]
    return described


def _describe_all(values: Iterable[JSON]) -> dict[str, JSON]:
    return reduce(_merge, map(describe, values))


def _merge(one: Object, other: Object) -> dict[str, JSON]:
    """A description of all values that one of two descriptions matches."""
    types = _merge_types([*type_names(one.get("type")), *type_names(other.get("type"))])
    merged: dict[str, JSON] = {"type": types}
    objects = [each for each in (one, other) if "object" in type_names(each.get("type"))]
    if any("additionalProperties" in each for each in objects):
        schemas = list(chain.from_iterable(map(_list_member_schemas, objects)))
        merged["additionalProperties"] = reduce(_merge, schemas) if schemas else {}
    elif objects:
        merged |= _merge_members(objects)
    items = [members_of(each["items"]) for each in (one, other) if "items" in each]
    if items:
        merged["items"] = reduce(_merge, items)
    return merged


def _merge_types(names: Iterable[str]) -> JSON:
    types: list[JSON] = list(dict.fromkeys(names))
    if "number" in types and "integer" in types:
        types.remove("integer")
    if len(types) == 1:
        return types[0]
    return types


def _list_member_schemas(description: Object) -> Iterator[dict[str, JSON]]:
    yield from map(members_of, members_of(description.get("properties")).values())
    if "additionalProperties" in description:
        yield members_of(description["additionalProperties"])


def _merge_members(objects: list[Object]) -> dict[str, JSON]:
    properties: dict[str, JSON] = {}
    required: list[JSON] = items_of(objects[0].get("required"))
    for each in objects:
        for name, member in members_of(each.get("properties")).items():
            if name in properties:
                properties[name] = _merge(members_of(properties[name]), members_of(member))
            else:
                properties[name] = member
        required = [name for name in required if name in items_of(each.get("required"))]
    merged: dict[str, JSON] = {"properties": properties}
    if required:
        merged["required"] = required
    return merged


def _name_type(value: JSON) -> str:
    # Integers are of type int only where they are written without a point or an exponent.
    if type(value) is int:
        return "integer"
    return json_type(value)


# Edits


def _choose_edit(schema: JSON, value: JSON, violation: Violation) -> list[Operation]:
    """The edit that removes `violation`; [] if there is none that keeps what matched."""
    pointer = violation.schema_pointer
    if not pointer.startswith("/"):
        return []
    is_shared = _is_shared(schema, pointer)
    if is_shared and any(keyword in _UNSAFE for _, keyword, _ in _walk_keywords(schema)):
        return []
    for path, keyword, alternatives in _walk_keywords(schema):
        if keyword == "oneOf":
            is_around = _is_inside(pointer, path)
            if is_around or (is_shared and _has_reference(alternatives)):
                return [_turn_into_any_of(schema, path)]
    part = _resolve(value, violation.pointer)
    parent, keyword = split_last(pointer)
    node = members_of(_resolve(schema, parent))
    # A property with the name of a keyword may be `false`.
    if keyword == violation.keyword and keyword in node and keyword in _EDITS:
        if keyword == "contains" and not _has_min_contains(schema):
            return [Operation("remove", pointer)]
        return _EDITS[keyword](parent, node, part, violation)
    if _resolve(schema, pointer) is False:
        return [Operation("replace", pointer, _as_json(describe(part)))]
    if keyword in _SIZES and isinstance(part, str | list | dict):
        return [Operation("replace", pointer, len(part))]
    return [Operation("remove", pointer)]


def _is_inside(pointer: str, outer: str) -> bool:
    return f"{pointer}/".startswith(f"{outer}/")


def _edit_type(around: str, node: Object, value: JSON, _violation: Violation) -> list[Operation]:
    new = _name_type(value)
    names: list[JSON] = [*type_names(node["type"]), new]
    if new == "number":
        names = [name for name in names if name != "integer"]
    types = names[0] if len(names) == 1 else names
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
    pointer = pointer_join(around, "required")
    rest = [name for name in items_of(node["required"]) if name not in violation.names]
    if not rest:
        return [Operation("remove", pointer)]
    return [Operation("replace", pointer, rest)]


def _edit_bound(bound: str, is_less: bool) -> Callable[..., list[Operation]]:
    exclusive = f"exclusive{bound.capitalize()}"

    def edit(around: str, node: Object, value: JSON, _violation: Violation) -> list[Operation]:
        limit = node.get(bound)
        is_wide = is_number(limit) and is_number(value) and (limit < value) == is_less
        operations = []
        if exclusive in node:
            operations.append(Operation("remove", pointer_join(around, exclusive)))
        new_limit = limit if is_wide else value
        operations.append(Operation("add", pointer_join(around, bound), new_limit))
        return operations

    return edit


def _edit_additional(
    around: str, node: Object, value: JSON, violation: Violation
) -> list[Operation]:
    """Declare the extra member. No value that matched has it."""
    return _declare(around, node, violation, _as_json(describe(value)))


def _edit_unevaluated(
    around: str, node: Object, _value: JSON, violation: Violation
) -> list[Operation]:
    """Allow any value of the member: what matched may have it under another alternative."""
    return _declare(around, node, violation, {})


def _declare(around: str, node: Object, violation: Violation, schema: JSON) -> list[Operation]:
    if len(violation.names) != 1:
        return []
    [name] = violation.names
    if "properties" not in node:
        return [Operation("add", pointer_join(around, "properties"), {name: schema})]
    return [Operation("add", pointer_join(around, "properties", name), schema)]


def _edit_any_of(around: str, _node: Object, value: JSON, _violation: Violation) -> list[Operation]:
    return [Operation("add", pointer_join(around, "anyOf", "-"), _as_json(describe(value)))]


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


def _resolves_references(schema: JSON) -> bool:
    """Whether each reference has a target; one into a part that was moved or removed has none."""
    index = SchemaMap(schema, max_nodes=MAX_NODES)
    return index.complete and not index.problems


def _is_shared(schema: JSON, pointer: str) -> bool:
    """Whether a reference may lead to the schema around the keyword at `pointer`."""
    for _, keyword, target in _walk_keywords(schema):
        if keyword not in _REFERENCES:
            continue
        if not isinstance(target, str) or keyword != "$ref" or "%" in target:
            return True
        if not target.startswith("#/") or _is_inside(pointer, target[1:]):
            return True
    return False


def _has_reference(alternatives: JSON) -> bool:
    """Whether one of the alternatives contains a reference."""
    keywords = _walk_keywords({"oneOf": alternatives})
    return any(keyword in _REFERENCES for _, keyword, _ in keywords)


def _turn_into_any_of(schema: JSON, pointer: str) -> Operation:
    """A `oneOf` renamed to `anyOf`; beside an `anyOf`, it moves into `allOf`."""
    around, _ = split_last(pointer)
    node = members_of(_resolve(schema, around))
    if "anyOf" not in node:
        return Operation("move", pointer_join(around, "anyOf"), source=pointer)
    changed = dict(node)
    alternatives = changed.pop("oneOf")
    changed["allOf"] = [*items_of(node.get("allOf")), {"anyOf": alternatives}]
    return Operation("replace", around, changed)


def _walk_keywords(schema: JSON) -> Iterator[tuple[str, str, JSON]]:
    """The keywords of a schema and of all schemas in it: pointer, name and value."""
    waiting = [("", schema)]
    while waiting:
        outer, node = waiting.pop()
        for keyword, value in members_of(node).items():
            pointer = pointer_join(outer, keyword)
            yield pointer, keyword, value
            if keyword in _NAMED:
                for name, member in members_of(value).items():
                    waiting.append((pointer_join(pointer, name), member))
            elif keyword in _LISTED and isinstance(value, list):
                for index, item in enumerate(value):
                    waiting.append((pointer_join(pointer, index), item))
            elif keyword not in _VALUES:
                waiting.append((pointer, value))


def _resolve(value: JSON, pointer: str) -> JSON:
    part: JSON = resolve_pointer(value, pointer)  # type: ignore[assignment]
    return part


def _as_json(schema: dict[str, JSON]) -> JSON:
    return schema
