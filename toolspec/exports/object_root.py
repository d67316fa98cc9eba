"""The outermost schema of parameters as providers require it: one object with a list of members.

Models are asked for an object, so other types that the schema allows are removed; alternatives at the top become one
list of members.
"""

from __future__ import annotations

from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.merge_all_of import Flat, Flattener
from toolspec.schema.normalize import Normalized, Schema
from toolspec.schema.types import type_names
from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON

NOT_AN_OBJECT: Final = "Models send parameters as an object, but these parameters do not allow one."

_ALTERNATIVES: Final = ("anyOf", "oneOf")
_JOINED: Final = frozenset({"type", "properties", "required", "title", "description"})
_BARRED: Final = ("enum", "const", "not", "if", "then", "else")


class NotAnObject(ValueError):
    """The schema does not allow an object."""


def object_root(modern: Normalized, *, pointer: str, report: Report) -> Schema:
    """The root of `modern` with `type`, `properties` and `required` at the top, and no alternatives.

    Raises:
        NotAnObject: the schema does not allow an object.
    """
    root = modern.root
    if isinstance(root, bool):
        if not root:
            raise NotAnObject(NOT_AN_OBJECT)
        report.rewritten(pointer, "`true` was replaced by a schema for any object.")
        root = {}
    if not isinstance(root, dict):
        raise NotAnObject(NOT_AN_OBJECT)
    flattener = Flattener(modern, report)
    if root is not modern.root:
        modern.origins.put(root, pointer)
    flat = flattener.flat(root)
    _make_object(flat, pointer, report)
    for keyword in _ALTERNATIVES:
        _merge_alternatives(flat, keyword, flattener, report)
    for keyword in _BARRED:
        if keyword in flat.members:
            report.dropped(
                flat.pointer_to(keyword), f"`{keyword}` is not allowed in the outermost schema."
            )
            del flat.members[keyword]
    if not isinstance(flat.members.get("properties"), dict):
        flat.members["properties"] = {}
    return modern.origins.put(flat.members, pointer)


def _make_object(flat: Flat, pointer: str, report: Report) -> None:
    declared = flat.members.get("type")
    names = type_names(declared)
    if names == ["object"]:
        flat.members["type"] = "object"
    elif not names and "type" not in flat.members:
        report.rewritten(pointer, '`"type": "object"` was added.')
        flat.members = {"type": "object", **flat.members}
    elif "object" in names:
        report.rewritten(
            flat.pointer_to("type"), "Parameters must be an object; the other types were removed."
        )
        flat.members["type"] = "object"
    else:
        raise NotAnObject(NOT_AN_OBJECT)


def _merge_alternatives(flat: Flat, keyword: str, flattener: Flattener, report: Report) -> None:
    branches = flat.members.get(keyword)
    if not isinstance(branches, list):
        return
    pointer = flat.pointer_to(keyword)
    del flat.members[keyword]
    objects = [flattener.flat(branch) for branch in branches if isinstance(branch, dict)]
    objects = [
        branch
        for branch in objects
        if "object" in (type_names(branch.members.get("type")) or ["object"])
    ]
    if not objects or all(
        branch.members.keys() <= {"required", "title", "description", "type"} for branch in objects
    ):
        reason = "so the rules about combinations of properties are lost."
        report.dropped(pointer, f"`{keyword}` is not allowed in the outermost schema, {reason}")
        return
    reason = "so the properties of all alternatives were merged."
    report.rewritten(pointer, f"`{keyword}` is not allowed in the outermost schema, {reason}")
    _merge_common_keywords(flat, objects)
    common = _in_all(objects)
    for branch in objects:
        _join(flat, branch, common, flattener, report)


def _in_all(branches: list[Flat]) -> list[JSON]:
    """The names that every branch requires."""
    first, *others = [branch.members.get("required") or [] for branch in branches]
    return [
        name
        for name in items_of(first)
        if all(isinstance(other, list) and name in other for other in others)
    ]


def _merge_common_keywords(flat: Flat, branches: list[Flat]) -> None:
    first, *others = branches
    for keyword, value in first.members.items():
        if keyword not in _JOINED and all(
            keyword in other.members and other.members[keyword] == value for other in others
        ):
            flat.members.setdefault(keyword, value)


def _join(
    flat: Flat, branch: Flat, common: list[JSON], flattener: Flattener, report: Report
) -> None:
    for keyword, value in branch.members.items():
        if keyword not in _JOINED and not (
            keyword in flat.members and flat.members[keyword] == value
        ):
            report.dropped(branch.pointer_to(keyword), "It applies to one alternative only.")
    members = dict(members_of(flat.members.get("properties")))
    for name, schema in members_of(branch.members.get("properties")).items():
        other = members.get(name)
        members[name] = (
            schema if other is None or other is True else _either(other, schema, flattener)
        )
    flat.members["properties"] = members
    names = list(items_of(flat.members.get("required")))
    names += [name for name in common if name not in names]
    if names:
        flat.members["required"] = names


def _either(first: JSON, second: JSON, flattener: Flattener) -> JSON:
    """A schema for the values that match one of the two."""
    if first == second or not isinstance(first, dict) or second is True:
        return first
    if first.keys() == {"anyOf"} and isinstance(alternatives := first["anyOf"], list):
        return flattener.with_origin_of(
            first, {"anyOf": alternatives if second in alternatives else [*alternatives, second]}
        )
    return flattener.with_origin_of(first, {"anyOf": [first, second]})
