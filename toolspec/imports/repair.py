"""Repair schemas that are not quite JSON Schema: type names of languages, flags in members.

Every change is reported. Source: common mistakes in the tool lists of real MCP servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, cast

from toolspec.conversion_report import Report
from toolspec.errors import Problem
from toolspec.imports.results import Object
from toolspec.imports.type_names import schema_named, union_of
from toolspec.schema.dialects import (
    DEFAULT_DIALECT,
    DRAFT_04,
    TYPE_NAMES,
    Dialect,
    dialect_of,
    fill,
    list_held,
)
from toolspec.schema.normalize import is_outdated, normalize
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.patch import remove_at, set_at
from toolspec.text.pointers import exists_at, pointer_join, resolve_pointer, split_last
from toolspec.text.reader import JSON, dumps

EXCLUSIVE: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
FLAGS: Final = {"required": True, "optional": False}  # in a member, if it is required


def repaired_schema(schema: JSON, pointer: str, report: Report) -> JSON:
    """`schema`, which is at `pointer` of a document, as JSON Schema 2020-12."""
    if not isinstance(schema, dict):
        return schema
    dialect = dialect_of(schema, DEFAULT_DIALECT)
    if dialect is None:
        reason = "`$schema` is not a known draft; the schema is read as 2020-12."
        report.dropped(f"{pointer}/$schema", reason)
        schema = {name: value for name, value in schema.items() if name != "$schema"}
        dialect = DEFAULT_DIALECT
    repaired = _repair(schema, dialect, pointer, report)
    if not is_outdated(repaired):
        return repaired
    reason = f"The schema was converted from draft {dialect.name} to 2020-12."
    report.rewritten(pointer_join(pointer, "$schema"), reason)
    return normalize(repaired, pointer=pointer, report=report).together()


def _repair(schema: JSON, dialect: Dialect, pointer: str, report: Report) -> JSON:
    if isinstance(schema, str):
        return _repair_name(schema, pointer, report)
    if not isinstance(schema, dict):
        return schema
    out: Object = {}
    for keyword, value in schema.items():
        keyword_pointer = pointer_join(pointer, keyword)
        holds = dialect.holds.get(keyword)
        if keyword == "type":
            set_type(out, value, keyword_pointer, report)
        elif keyword in FLAGS and isinstance(value, bool):
            continue  # becomes `required` of the object
        elif keyword == "optional" and isinstance(value, list) and "properties" in schema:
            reason = "Properties that are not in `required` are optional anyway."
            report.rewritten(keyword_pointer, reason)
        elif keyword == "items" and isinstance(value, list) and dialect is DEFAULT_DIALECT:
            report.rewritten(keyword_pointer, "An array of `items` became `prefixItems`.")
            out["prefixItems"] = _repair_items(value, keyword_pointer, report)
        elif holds is not None:
            repaired: dict[tuple[str | int, ...], JSON] = {}
            for path, inner in list_held(holds, value):
                place = pointer_join(keyword_pointer, *path)
                repaired[path] = _repair(inner, dialect, place, report)
            out[keyword] = fill(value, repaired)
        else:
            out[keyword] = value
    require_flagged(schema, out, pointer, report)
    if dialect is not DRAFT_04:
        _report_exclusive_bounds(exclusive_bounds(out), pointer, report)
    return out


def _repair_items(items: list[JSON], pointer: str, report: Report) -> list[JSON]:
    repaired = []
    for index, item in enumerate(items):
        place = pointer_join(pointer, index)
        repaired.append(_repair(item, DEFAULT_DIALECT, place, report))
    return repaired


def _repair_name(name: str, pointer: str, report: Report) -> JSON:
    """The schema for the type `name`; the name itself if it is not known."""
    schema = schema_named(name)
    if schema is None:
        return name
    reason = f"This is the name of a type, not a schema; it became `{dumps(schema)}`."
    report.rewritten(pointer, reason)
    return schema


def _report_exclusive_bounds(flags: dict[str, bool], pointer: str, report: Report) -> None:
    for exclusive, excludes in flags.items():
        result = "has no effect and was removed"
        if excludes:
            result = "was replaced by the bound itself"
        reason = f"`{exclusive}` is a number in this draft; the boolean {result}."
        report.rewritten(pointer_join(pointer, exclusive), reason)


def exclusive_bounds(out: Object) -> dict[str, bool]:
    """Write the flags of draft 04 in `out` as the numbers of later drafts.

    Returns:
        The keywords that were flags, and whether each excluded its bound.
    """
    flags: dict[str, bool] = {}
    for exclusive, bound in EXCLUSIVE.items():
        flag = out.get(exclusive)
        if not isinstance(flag, bool):
            continue
        del out[exclusive]
        flags[exclusive] = flag and bound in out
        if flags[exclusive]:
            out[exclusive] = out.pop(bound)
    return flags


def set_type(out: Object, value: JSON, pointer: str, report: Report) -> None:
    """Set `type` of `out` to the types that `value` names; no type if it names any."""
    values: list[JSON] = value if isinstance(value, list) else [value]
    names = strings_of(values)
    if len(names) < len(values) or set(names) <= set(TYPE_NAMES):
        out["type"] = value
        return
    schemas = list(map(schema_named, names))
    if None in schemas:
        out["type"] = value
        return
    if {} in schemas:
        report.rewritten(pointer, f"{_quote_all(names)} became any type.")
        return
    union = union_of([schema for schema in schemas if schema is not None])
    for keyword, inner in union.items():
        out.setdefault(keyword, inner)
    report.rewritten(pointer, f"{_quote_all(names)} became {_describe(union)}.")


def _describe(schema: Object) -> str:
    if schema.keys() != {"type"}:
        return f"`{dumps(schema)}`"
    types = schema["type"]
    return _quote_all(types if isinstance(types, list) else [types])


def _quote_all(names: Iterable[JSON]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def require_flagged(schema: Object, out: Object, pointer: str, report: Report) -> None:
    """Add members with `required: true` or `optional: false` to `required` of the object."""
    for name, member in members_of(schema.get("properties")).items():
        for flag in FLAGS:
            value = member.get(flag) if isinstance(member, dict) else None
            if not isinstance(value, bool):
                continue
            names = items_of(out.get("required"))
            if value is FLAGS[flag] and name not in names:
                out["required"] = [*names, name]
            reason = "The object's `required` lists the required properties instead."
            report.rewritten(pointer_join(pointer, "properties", name, flag), reason)


# Invalid keywords

_NAME_LISTS: Final = frozenset({"required", "dependentRequired", "dependencies", "type"})
_REPAIRABLE: Final = frozenset({"gate.pattern", "gate.pattern-length", "gate.list", "spec.schema"})


def without_refused(
    document: Object, problems: tuple[Problem, ...], origin: Callable[[str], str], report: Report
) -> Object | None:
    """`document`, a spec, without the keywords that `problems` are about.

    None if one cannot be removed.
    """
    if not all(problem.rule in _REPAIRABLE for problem in problems):
        return None
    for problem in sorted(problems, key=lambda problem: -len(problem.pointer)):
        if problem.pointer.count("/") < 3:  # the schema itself
            return None
        names = _distinct_names(document, problem)
        if names is not None:
            document = cast("Object", set_at(document, problem.pointer, names))
            reason = f"{problem.pointer} listed a name twice; each name is now listed once."
            report.rewritten(origin(problem.pointer), reason)
            continue
        document = _without(document, problem.pointer, is_schema=problem.keyword is None)
        report.dropped(origin(problem.pointer), f"{problem.pointer} was removed: {problem.message}")
    return document


def _distinct_names(document: Object, problem: Problem) -> JSON:
    """The lists of names that `problem` is about, with each name once.

    None if it is another one.
    """
    if problem.keyword not in _NAME_LISTS or not exists_at(document, problem.pointer):
        return None
    value = cast("JSON", resolve_pointer(document, problem.pointer))
    distinct = _distinct(value)
    if isinstance(value, dict):
        distinct = {name: _distinct(member) for name, member in value.items()}
    return None if distinct == value else distinct


def _distinct(names: JSON) -> JSON:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return names
    return [*dict.fromkeys(names)]


def _without(document: Object, pointer: str, *, is_schema: bool) -> Object:
    """`document` without the keyword at `pointer`, or with a schema there that allows any value."""
    parent_pointer, last = split_last(pointer)
    parent = resolve_pointer(document, parent_pointer)
    if is_schema or isinstance(parent, list):
        return cast("Object", set_at(document, pointer, True))
    if isinstance(parent, dict) and last in parent:
        return cast("Object", remove_at(document, pointer))
    return document
