"""The edits that authors of tools make from one revision to the next, applied to a schema at a random position."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.toolspec.random_schemas import objects_in

Schema = dict[str, Any]
Edit = Callable[[Random, Schema], None]
NEW_MEMBERS = (
    {"type": "string", "description": "The format of the answer."},
    {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
    {"type": "boolean", "default": False},
    {"type": "string", "enum": ["asc", "desc"]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object", "properties": {"key": {"type": "string"}}},
    {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    {"type": ["string", "null"]},
    {"type": "number"},
    {"type": "string", "format": "date-time"},
    {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
)


def revised(random: Random, schema: Schema) -> tuple[list[str], Schema]:
    """(the names of one to three edits, `schema` after them)."""
    new = copy.deepcopy(schema)
    names = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        name = random.choice([name for name in EDITS if any(True for _ in _where(name, new))])
        EDITS[name][1](random, random.choice(list(_where(name, new))))
        names.append(name)
    return names, new


def _where(name: str, schema: Schema) -> Iterator[Schema]:
    applies = EDITS[name][0]
    return (inner for inner in objects_in(schema) if applies(inner))


def _has(keyword: str, kind: type = object) -> Callable[[Schema], bool]:
    return lambda schema: isinstance(schema.get(keyword), kind) and bool(schema[keyword])


def _is(*types: str, without: tuple[str, ...] = ()) -> Callable[[Schema], bool]:
    return lambda schema: (
        schema.get("type") in types and not any(name in schema for name in without)
    )


def _set(keyword: str, *values: Any) -> Edit:
    def edit(random: Random, schema: Schema) -> None:
        schema[keyword] = random.choice(values)

    return edit


def _members(schema: Schema) -> dict[str, Any]:
    return schema.setdefault("properties", {})


def _add_optional(random: Random, schema: Schema) -> None:
    _members(schema)[f"new_{random.choice('abc')}"] = copy.deepcopy(random.choice(NEW_MEMBERS))


def _add_required(random: Random, schema: Schema) -> None:
    _members(schema)["new_required"] = copy.deepcopy(random.choice(NEW_MEMBERS))
    schema["required"] = [*schema.get("required", []), "new_required"]


def _remove_member(random: Random, schema: Schema) -> None:
    name = random.choice(list(schema["properties"]))
    del schema["properties"][name]
    if name in schema.get("required", []):
        schema["required"] = [other for other in schema["required"] if other != name]


def _rename_member(random: Random, schema: Schema) -> None:
    name = random.choice(list(schema["properties"]))
    schema["properties"] = {
        f"{key}_renamed" if key == name else key: value for key, value in _members(schema).items()
    }
    schema["required"] = [
        f"{key}_renamed" if key == name else key for key in schema.get("required", [])
    ]


def _require(random: Random, schema: Schema) -> None:
    schema["required"] = sorted(
        {*schema.get("required", []), random.choice(list(schema["properties"]))}
    )


def _no_longer_require(random: Random, schema: Schema) -> None:
    schema["required"].remove(random.choice(schema["required"]))


def _add_choice(_random: Random, schema: Schema) -> None:
    schema["enum"].append(
        "another" if all(isinstance(value, str) for value in schema["enum"]) else 97
    )


def _remove_choice(random: Random, schema: Schema) -> None:
    schema["enum"].remove(random.choice(schema["enum"]))


def _rename_description(_random: Random, schema: Schema) -> None:
    schema["description"] = f"{schema['description']} In other words."


def _tighten_bound(random: Random, schema: Schema) -> None:
    keyword = random.choice([name for name in BOUNDS if name in schema])
    schema[keyword] += 1 if keyword.startswith(("min", "exclusiveMin")) else -1


def _widen_bound(random: Random, schema: Schema) -> None:
    keyword = random.choice([name for name in BOUNDS if name in schema])
    schema[keyword] = max(
        0, schema[keyword] + (-1 if keyword.startswith(("min", "exclusiveMin")) else 10)
    )


def _keyword_of_union(schema: Schema) -> str:
    return "oneOf" if schema.get("oneOf") else "anyOf"


def _append_branch(random: Random, schema: Schema) -> None:
    branches = schema[_keyword_of_union(schema)]
    first = next((branch for branch in branches if isinstance(branch, dict)), {})
    if "const" in first:
        branches.append({"const": "another" if isinstance(first["const"], str) else 97})
    elif isinstance(first.get("properties"), dict):
        twin = copy.deepcopy(first)
        constant = next(
            (m for m in twin["properties"].values() if isinstance(m, dict) and "const" in m), None
        )
        if constant is not None:
            constant["const"] = "another"
        else:
            twin["properties"]["another"] = {"type": "string"}
            twin["required"] = [*twin.get("required", []), "another"]
        branches.append(twin)
    else:
        branches.append(random.choice([{"type": "null"}, {"type": "boolean"}, {"type": "number"}]))


def _remove_branch(random: Random, schema: Schema) -> None:
    branches = schema[_keyword_of_union(schema)]
    if len(branches) > 1:
        del branches[random.randrange(len(branches))]


def _edit_branch(random: Random, schema: Schema) -> None:
    branches = [
        b for b in schema[_keyword_of_union(schema)] if isinstance(b, dict) and "properties" in b
    ]
    random.choice([_add_optional, _add_optional, _add_required])(random, random.choice(branches))


def _has_object_branch(schema: Schema) -> bool:
    branches = schema.get("oneOf") or schema.get("anyOf") or []
    return any(
        isinstance(branch, dict) and isinstance(branch.get("properties"), dict)
        for branch in branches
    )


def _make_nullable(_random: Random, schema: Schema) -> None:
    schema["type"] = [schema["type"], "null"]


def _make_union(_random: Random, schema: Schema) -> None:
    schema["anyOf"] = [{"type": schema.pop("type")}, {"type": "null"}]


def _accept_list(_random: Random, schema: Schema) -> None:
    text = {
        name: schema.pop(name)
        for name in ("type", "enum", "minLength", "maxLength", "pattern")
        if name in schema
    }
    schema["oneOf"] = [text, {"type": "array", "items": copy.deepcopy(text)}]


def _tighten_pattern(_random: Random, schema: Schema) -> None:
    schema["pattern"] = "^[a-z]+$"


def _constants(random: Random, schema: Schema) -> None:
    kind = schema.pop("type")
    values = [1, 2, 3] if kind == "integer" else ["low", "high"]
    schema[random.choice(["oneOf", "anyOf"])] = [{"const": value} for value in values]


def _allow_fractions(_random: Random, schema: Schema) -> None:
    schema["type"] = "number"


def _only_integers(_random: Random, schema: Schema) -> None:
    schema["type"] = "integer"


def _become_string(_random: Random, schema: Schema) -> None:
    schema["type"] = "string"


def _open(_random: Random, schema: Schema) -> None:
    del schema["additionalProperties"]


_is_object = _has("properties", dict)
BOUNDS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_has_bound = lambda schema: any(type(schema.get(name)) is int for name in BOUNDS)  # noqa: E731
_has_union = lambda schema: bool(schema.get("anyOf") or schema.get("oneOf"))  # noqa: E731
_is_free_object = lambda schema: "properties" in schema or schema.get("type") == "object"  # noqa: E731

# The name of each edit: (where it applies, the edit).
EDITS: dict[str, tuple[Callable[[Schema], bool], Edit]] = {
    "add an optional member": (_is_free_object, _add_optional),
    "add an optional member, too": (_is_free_object, _add_optional),
    "add a required member": (_is_free_object, _add_required),
    "remove a member": (_is_object, _remove_member),
    "rename a member": (_is_object, _rename_member),
    "require a member": (_is_object, _require),
    "no longer require a member": (_has("required", list), _no_longer_require),
    "add a choice": (_has("enum", list), _add_choice),
    "remove a choice": (lambda schema: len(schema.get("enum", ())) > 1, _remove_choice),
    "change a description": (_has("description", str), _rename_description),
    "add minLength": (
        _is("string", without=("minLength", "enum", "const")),
        _set("minLength", 1, 1, 3),
    ),
    "add maxLength": (
        _is("string", without=("maxLength", "enum", "const")),
        _set("maxLength", 100, 2000),
    ),
    "add a minimum": (
        _is("integer", "number", without=("minimum", "enum", "const")),
        _set("minimum", 0, 1),
    ),
    "add a maximum": (
        _is("integer", "number", without=("maximum", "enum", "const")),
        _set("maximum", 50, 100),
    ),
    "add minItems": (_is("array", without=("minItems",)), _set("minItems", 1)),
    "add maxItems": (_is("array", without=("maxItems",)), _set("maxItems", 10, 100)),
    "add a pattern": (
        _is("string", without=("pattern", "enum", "const")),
        _set("pattern", "^\\S+$", "^[a-z0-9-]+$"),
    ),
    "add a format": (
        _is("string", without=("format", "enum", "const")),
        _set("format", "uri", "email", "date-time"),
    ),
    "add a list of values": (
        _is("string", without=("enum", "const")),
        _set("enum", ["low", "high"]),
    ),
    "add a default": (
        _is("string", "integer", "boolean", without=("default",)),
        _set("default", None),
    ),
    "tighten a bound": (_has_bound, _tighten_bound),
    "widen a bound": (_has_bound, _widen_bound),
    "tighten a pattern": (_has("pattern", str), _tighten_pattern),
    "remove a pattern": (_has("pattern", str), lambda _, schema: schema.pop("pattern")),
    "append a branch": (_has_union, _append_branch),
    "remove a branch": (_has_union, _remove_branch),
    "add a member to one branch": (_has_object_branch, _edit_branch),
    "make nullable": (_is("string", "integer", "number", "boolean", "array"), _make_nullable),
    "make nullable by a union": (
        _is("string", "integer", "number", without=("anyOf",)),
        _make_union,
    ),
    "accept a list": (_is("string", without=("oneOf", "const")), _accept_list),
    "name the constants": (
        _is("integer", "string", without=("oneOf", "anyOf", "enum", "const")),
        _constants,
    ),
    "allow fractions": (_is("integer"), _allow_fractions),
    "allow integers only": (_is("number"), _only_integers),
    "become a string": (_is("integer", "number", "boolean"), _become_string),
    "close an object": (_is_object, _set("additionalProperties", False)),
    "open an object": (lambda schema: schema.get("additionalProperties") is False, _open),
}
