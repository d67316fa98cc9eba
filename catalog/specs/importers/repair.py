"""Bringing a schema from elsewhere to JSON Schema: the type names of programming languages, and other habits.

What is changed is reported. Source: common mistakes in the tool lists of real MCP servers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from catalog.conversion_report import Report
from catalog.errors import Problem
from catalog.json_schema.dialects import DEFAULT_DIALECT, TYPE_NAMES, Dialect, dialect_of, held
from catalog.json_schema.normalize import is_outdated, normalized
from catalog.jsontext.patch import remove_at, set_at
from catalog.jsontext.pointers import pointer_join, resolve_pointer, split_last
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.importers.results import Object
from catalog.specs.importers.type_names import schema_named, union_of

FLAGS: Final = {"required": True, "optional": False}  # in a member; the value that asks for it


def repaired_schema(schema: JSON, pointer: str, report: Report) -> JSON:
    """`schema`, which stands at `pointer` of a document, as one that JSON Schema 2020-12 means."""
    if not isinstance(schema, dict):
        return schema
    dialect = dialect_of(schema, DEFAULT_DIALECT)
    if dialect is None:
        report.dropped(f"{pointer}/$schema", "It names no draft that is known; the schema is read as 2020-12.")
        schema = {name: value for name, value in schema.items() if name != "$schema"}
        dialect = DEFAULT_DIALECT
    repaired = _repaired(schema, dialect, pointer, report)
    if not is_outdated(repaired):
        return repaired
    report.rewritten(pointer_join(pointer, "$schema"), f"The schema of draft {dialect.name} is one of 2020-12 now.")
    return normalized(repaired, pointer=pointer, report=report).together()


def _repaired(schema: JSON, dialect: Dialect, pointer: str, report: Report) -> JSON:
    if isinstance(schema, str) and (meant := schema_named(schema)) is not None:
        report.rewritten(pointer, f"The name of a type stood here; it became `{dumps(meant)}`.")
        return meant
    if not isinstance(schema, dict):
        return schema
    out: Object = {}
    for keyword, value in schema.items():
        place = pointer_join(pointer, keyword)
        how = dialect.holds.get(keyword)
        if keyword == "type":
            set_type(out, value, place, report)
        elif keyword in FLAGS and isinstance(value, bool):
            continue  # said by the schema around it
        elif keyword == "optional" and isinstance(value, list) and "properties" in schema:
            report.rewritten(place, "Members that are not in `required` are optional anyway.")
        elif keyword == "items" and isinstance(value, list) and dialect is DEFAULT_DIALECT:
            report.rewritten(place, "A list of `items` became `prefixItems`.")
            out["prefixItems"] = [
                _repaired(item, dialect, pointer_join(place, at), report) for at, item in enumerate(value)
            ]
        elif how is not None:
            inner = {
                path: _repaired(one, dialect, pointer_join(place, *path), report) for path, one in held(how, value)
            }
            out[keyword] = filled(value, inner)
        else:
            out[keyword] = value
    require_flagged(schema, out, pointer, report)
    return out


def filled(value: JSON, inner: dict[tuple[str | int, ...], JSON]) -> JSON:
    """`value` with the schemas `inner` in their places, which are at most one step away."""
    if () in inner:
        return inner[()]
    if isinstance(value, list):
        return [inner.get((index,), item) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: inner.get((name,), member) for name, member in value.items()}
    return value


def set_type(out: Object, value: JSON, pointer: str, report: Report) -> None:
    """Put the type that `value` means into `out`; none where it means any."""
    listed = value if isinstance(value, list) else [value]
    names = [name for name in listed if isinstance(name, str)]
    if len(names) < len(listed) or all(name in TYPE_NAMES for name in names):
        out["type"] = value
        return
    schemas = [schema_named(name) for name in names]
    if None in schemas:
        out["type"] = value
        return
    if {} in schemas:
        report.rewritten(pointer, f"{_declared(names)} became any type.")
        return
    meant = union_of([schema for schema in schemas if schema is not None])
    for keyword, inner in meant.items():
        out.setdefault(keyword, inner)
    report.rewritten(pointer, f"{_declared(names)} became {_reported(meant)}.")


def _reported(schema: Object) -> str:
    types = schema.get("type")
    if schema.keys() != {"type"}:
        return f"`{dumps(schema)}`"
    return _declared([str(name) for name in types] if isinstance(types, list) else [str(types)])


def _declared(names: list[str]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def require_flagged(schema: Object, out: Object, pointer: str, report: Report) -> None:
    """`required: true` or `optional: false` in a member says what the list of the object should say."""
    members = schema.get("properties")
    for name, member in members.items() if isinstance(members, dict) else ():
        for flag in FLAGS:
            value = member.get(flag) if isinstance(member, dict) else None
            if not isinstance(value, bool):
                continue
            required = out.get("required")
            names = list(required) if isinstance(required, list) else []
            if value is FLAGS[flag] and name not in names:
                out["required"] = [*names, name]
            place = pointer_join(pointer, "properties", name, flag)
            report.rewritten(place, "Whether a member may be left out is said by the `required` of the object.")


# What the reader of specs refuses

_MENDABLE: Final = frozenset({"gate.pattern", "gate.pattern-length", "gate.list", "spec.schema", "spec.dialect"})


def without_refused(
    document: Object, problems: tuple[Problem, ...], origin: Callable[[str], str], report: Report
) -> Object | None:
    """`document`, a spec, without the keywords that `problems` speak of; None where one cannot be left out."""
    if not all(problem.rule in _MENDABLE for problem in problems):
        return None
    for problem in sorted(problems, key=lambda problem: -len(problem.pointer)):
        if problem.pointer.count("/") < 3:  # the schema itself
            return None
        document = _without(document, problem.pointer, is_schema=problem.keyword is None)
        report.dropped(origin(problem.pointer), f"{problem.pointer} was left out: {problem.message}")
    return document


def _without(document: Object, pointer: str, *, is_schema: bool) -> Object:
    """`document` without the keyword at `pointer`, or with a schema there that allows any value."""
    around, last = split_last(pointer)
    holder = resolve_pointer(document, around)
    if is_schema or isinstance(holder, list):
        return cast("Object", set_at(document, pointer, True))
    if isinstance(holder, dict) and last in holder:
        return cast("Object", remove_at(document, pointer))
    return document
