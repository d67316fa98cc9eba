"""Why a schema does not follow the meta-schema of its draft, in terms of the schema."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import Any, Final

from toolspec.errors import Problem
from toolspec.schema.dialects import BUNDLED, TYPE_NAMES, Dialect
from toolspec.schema.validation import CompiledSchema, compile_schema
from toolspec.text.pointers import pointer_join, resolve_pointer, split_pointer
from toolspec.text.reader import JSON

RULE: Final = "spec.schema"
_SCHEMA_EXPECTED: Final = "A schema is expected here:"

MAX_TYPE_CHARACTERS: Final = 20  # a longer unknown type is not compared with the known ones
_OTHER_TYPES: Final = {
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "map": "object",
    "none": "null",
    "str": "string",
    "text": "string",
}


def metaschema_problems(schema: JSON, dialect: Dialect) -> tuple[list[Problem], bool]:
    """The problems of a schema that `dialect` does not accept, and whether these are all.

    There is at least one; pointers are from `schema`. The keyword of a problem is None if a whole
    schema is malformed, which is no keyword's only value.
    """
    result = _compile_metaschema(dialect.uri).check(schema)
    problems: dict[str, Problem] = {}
    for violation in result.problems:
        tokens = split_pointer(violation.pointer)
        if _is_item_of_names(violation):
            tokens = tokens[:-1]
        pointer = pointer_join("", *tokens)
        if pointer in problems:
            continue
        name = tokens[-1] if tokens else ""
        value = resolve_pointer(schema, pointer)
        message = _explain(violation, name, value, dialect)
        keyword = next(filter(dialect.keywords.__contains__, reversed(tokens)), None)
        is_list_of_keyword = isinstance(value, list) and name in dialect.keywords
        if message.startswith(_SCHEMA_EXPECTED) and not is_list_of_keyword:
            keyword = None
        problems[pointer] = Problem(pointer, message, RULE, keyword=keyword)
    if not problems:
        message = f"This does not follow the meta-schema of draft {dialect.name}."
        path = pointer_join("", *dialect.find_first_mistake(schema))
        return [Problem(path, message, RULE)], False
    return list(problems.values()), not result.truncated


def _is_item_of_names(violation: Problem) -> bool:
    """Whether it is an item of a list of names (`required`), which is reported as a whole."""
    return "/stringArray/items" in (violation.schema_pointer or "")


@cache
def _compile_metaschema(uri: str) -> CompiledSchema:
    """Without formats: patterns and references have their own checks."""
    contents: Any = BUNDLED.contents(uri)
    return compile_schema(contents, asserts_formats=False)


def _explain(violation: Problem, name: str, value: object, dialect: Dialect) -> str:
    """The message of a violation at `value`, which is the keyword or member `name`."""
    rule = (violation.schema_pointer or "").rpartition("#")[2]
    if "/simpleTypes/" in rule or rule.startswith("/properties/type/"):
        return _explain_type(value)
    if "/stringArray/" in rule:
        return f"`{name}` must be a list of property names without duplicates."
    if name == "items" and isinstance(value, list) and "prefixItems" in dialect.keywords:
        return "`items` must be one schema; use `prefixItems` for a list of schemas."
    if rule == "/type" or violation.keyword == "anyOf":
        forms = "an object, true or false"
        if rule == "/type" and dialect.name == "04":
            forms = "an object"
        return f"{_SCHEMA_EXPECTED} {forms}."
    if name.startswith("exclusive") and isinstance(value, bool):
        return f"`{name}` must be a number; true and false are from draft-04."
    if name == "$id" and violation.keyword == "pattern":
        return "`$id` must not have a fragment; use `$anchor` to name a schema inside this one."
    if violation.message.startswith("must "):
        return f"`{name}` {violation.message}."
    return f"{violation.message}."


def _explain_type(value: object) -> str:
    closest = find_closest_type(value) if isinstance(value, str) else None
    if closest:
        return f"`type` cannot be `{value}`. Did you mean `{closest}`?"
    names = ", ".join(TYPE_NAMES)
    return f"`type` must be one of {names}, or a list of them without duplicates."


def find_closest_type(name: str) -> str | None:
    """The type that the unknown `name` probably means: "string" for "sting" and for "str".

    None if it is unclear.
    """
    name = name[:MAX_TYPE_CHARACTERS].lower()
    if name in _OTHER_TYPES:
        return _OTHER_TYPES[name]
    matches = get_close_matches(name, TYPE_NAMES, n=1, cutoff=0.7)
    return matches[0] if matches else None
