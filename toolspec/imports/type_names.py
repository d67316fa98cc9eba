"""Schemas for type names of languages and plain English: `dict`, `List[int]`, "list of strings".

Sources: the Berkeley Function Calling Leaderboard, whose functions have the types of Python,
Java and JavaScript; Python's `typing`; the tool lists of real servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolspec.imports.results import Object
from toolspec.schema.dialects import TYPE_NAMES
from toolspec.text.reader import JSON

TYPES: Final[Mapping[str, str]] = {
    "str": "string", "text": "string", "char": "string", "character": "string", "bytes": "string",
    "date": "string", "datetime": "string", "enum": "string", "file": "string", "uuid": "string",
    "int": "integer", "long": "integer", "short": "integer", "byte": "integer",
    "bigint": "integer", "int32": "integer", "int64": "integer",
    "float": "number", "double": "number", "decimal": "number", "numeric": "number",
    "complex": "number",
    "bool": "boolean",
    "list": "array", "tuple": "array", "set": "array", "arraylist": "array", "sequence": "array",
    "frozenset": "array", "iterable": "array",
    "dict": "object", "map": "object", "hashmap": "object", "hashtable": "object",
    "mapping": "object", "dictionary": "object", "struct": "object", "record": "object",
    "none": "null", "nonetype": "null", "nil": "null", "undefined": "null",
}  # fmt: skip
MAX_CHARS: Final = 200
_ANY: Final = frozenset({"any", "unknown", "mixed", "variant", "generic"})
_OF: Final = re.compile(r"(array|list|set|tuple)s? of (.+)", re.IGNORECASE)
_GENERIC: Final = re.compile(r"([\w.]+)\s*(?:\[(.*)\]|<(.*)>)")
_QUOTED: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def schema_named(name: str) -> Object | None:
    """The schema for the type `name`; {} for any type, None for an unknown name."""
    return _schema(name) if len(name) <= MAX_CHARS else None


def _schema(name: str) -> Object | None:
    name = name.strip()
    plain = name.casefold()
    if plain in _ANY:
        return {}
    if plain in TYPE_NAMES or plain in TYPES:
        return {"type": TYPES.get(plain, plain)}
    if plain.endswith("s") and plain[:-1] in {*TYPE_NAMES, *TYPES}:
        return {"type": TYPES.get(plain[:-1], plain[:-1])}
    choices = list(_split(name, "|"))
    if len(choices) > 1:
        return _one_of(choices)
    if name.endswith("?"):
        return _one_of([name[:-1], "null"])
    if name.endswith("[]"):
        return _array(name[:-2])
    phrase = _OF.fullmatch(name)
    if phrase:
        return _array(phrase[2])
    generic = _GENERIC.fullmatch(name)
    if generic:
        outer = generic[1].rpartition(".")[2].casefold()
        return _generic(outer, list(_split(generic[2] or generic[3] or "", ",")))
    return None


def _generic(name: str, inner: list[str]) -> Object | None:
    """The schema for `name[inner, …]`."""
    if name == "optional" and len(inner) == 1:
        return _one_of([*inner, "null"])
    if name == "union":
        return _one_of(inner)
    if name == "literal":
        return _literal(inner)
    json_type = TYPES.get(name, name)
    if json_type == "array" and name == "tuple" and inner[-1].strip() != "...":
        items = [_schema(part) for part in inner]
        return None if None in items else {"type": "array", "prefixItems": [*items]}
    if json_type == "array":
        return _array(inner[0])
    if json_type != "object" or len(inner) != 2:
        return None
    value = _schema(inner[1])
    return None if value is None else {"type": "object", "additionalProperties": value}


def _literal(inner: list[str]) -> Object | None:
    """The schema for one of the texts in quotes."""
    texts: list[JSON] = []
    for part in inner:
        match = _QUOTED.fullmatch(part.strip())
        if match is None:
            return None
        texts.append(match[1] or match[2] or "")
    return {"enum": texts} if texts else None


def _array(inner: str) -> Object | None:
    items = _schema(inner)
    return None if items is None else {"type": "array", "items": items}


def _one_of(names: list[str]) -> Object | None:
    schemas = []
    for name in names:
        schema = _schema(name)
        if schema is None:
            return None
        schemas.append(schema)
    if not schemas:
        return None
    return {} if {} in schemas else union_of(schemas)


def union_of(schemas: list[Object]) -> Object:
    """A schema for the values that match one of `schemas`.

    It is a list of types if they have no other keyword.
    """
    if len(schemas) == 1:
        return schemas[0]
    if any(schema.keys() != {"type"} for schema in schemas):
        return {"anyOf": [*schemas]}
    types: list[JSON] = [*dict.fromkeys(str(schema["type"]) for schema in schemas)]
    return {"type": types[0] if len(types) == 1 else types}


def _split(text: str, separator: str) -> Iterator[str]:
    """`text` split at each `separator` that is not inside brackets."""
    depth, start = 0, 0
    for index, character in enumerate(text):
        depth += (character in "[<(") - (character in "]>)")
        if character == separator and not depth:
            yield text[start:index]
            start = index + 1
    yield text[start:]
