"""The outermost schema of parameters as providers require it: one object with a list of members.

Models are asked for an object, so other types that the schema allows are removed; alternatives at
the top become one list of members.
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
_WITHOUT_PROPERTIES: Final = frozenset({"type", "required", "title", "description"})
_MERGED: Final = _WITHOUT_PROPERTIES | {"properties"}
_BARRED: Final = ("enum", "const", "not", "if", "then", "else")


class NotAnObject(ValueError):
    """The schema does not allow an object."""


def object_root(modern: Normalized, *, pointer: str, report: Report) -> Schema:
    """The root of `modern` with `type`, `properties` and `required`, and no alternatives.

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
            reason = f"`{keyword}` is not allowed in the outermost schema."
            report.dropped(flat.pointer_to(keyword), reason)
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
        reason = "Parameters must be an object; the other types were removed."
        report.rewritten(flat.pointer_to("type"), reason)
        flat.members["type"] = "object"
    else:
        raise NotAnObject(NOT_AN_OBJECT)


def _merge_alternatives(flat: Flat, keyword: str, flattener: Flattener, report: Report) -> None:
    branches = flat.members.get(keyword)
    if not isinstance(branches, list):
        return
    pointer = flat.pointer_to(keyword)
    del flat.members[keyword]
    objects = []
    for branch in branches:
        if isinstance(branch, dict):
            alternative = flattener.flat(branch)
            names = type_names(alternative.members.get("type"))
            if not names or "object" in names:
                objects.append(alternative)
    if all(alternative.members.keys() <= _WITHOUT_PROPERTIES for alternative in objects):
        reason = "so the rules about combinations of properties are lost."
        report.dropped(pointer, f"`{keyword}` is not allowed in the outermost schema, {reason}")
        return
    reason = "so the properties of all alternatives were merged."
    report.rewritten(pointer, f"`{keyword}` is not allowed in the outermost schema, {reason}")
    _merge_common_keywords(flat, objects)
    common = _names_required_by_all(objects)
    for alternative in objects:
        _merge_alternative(flat, alternative, flattener, report)
    required = list(items_of(flat.members.get("required")))
    required += [name for name in common if name not in required]
    if required:
        flat.members["required"] = required


def _names_required_by_all(branches: list[Flat]) -> list[JSON]:
    first, *others = [items_of(branch.members.get("required")) for branch in branches]
    common = []
    for name in first:
        if all(name in names for names in others):
            common.append(name)
    return common


def _merge_common_keywords(flat: Flat, branches: list[Flat]) -> None:
    first, *others = branches
    for keyword, value in first.members.items():
        if keyword not in _MERGED and all(_has(other, keyword, value) for other in others):
            flat.members.setdefault(keyword, value)


def _has(flat: Flat, keyword: str, value: JSON) -> bool:
    return keyword in flat.members and flat.members[keyword] == value


def _merge_alternative(flat: Flat, branch: Flat, flattener: Flattener, report: Report) -> None:
    for keyword, value in branch.members.items():
        if keyword not in _MERGED and not _has(flat, keyword, value):
            report.dropped(branch.pointer_to(keyword), "It applies to one alternative only.")
    members = dict(members_of(flat.members.get("properties")))
    for name, schema in members_of(branch.members.get("properties")).items():
        if members.get(name) in (None, True):
            members[name] = schema
        else:
            members[name] = _unite(members[name], schema, flattener)
    flat.members["properties"] = members


def _unite(first: JSON, second: JSON, flattener: Flattener) -> JSON:
    """A schema for the values that match one of the two."""
    if first == second or not isinstance(first, dict) or second is True:
        return first
    branches: list[JSON] = [first]
    if first.keys() == {"anyOf"} and isinstance(first["anyOf"], list):
        branches = first["anyOf"]
    if second not in branches:
        branches = [*branches, second]
    return flattener.with_origin_of(first, {"anyOf": branches})
