"""Schemas for type names of Python, Java, JavaScript and plain English: `dict`, `List[int]`, "list of strings".

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
    "str": "string", "text": "string", "char": "string", "character": "string", "bytes": "string", "date": "string",
    "datetime": "string", "enum": "string", "file": "string", "uuid": "string",
    "int": "integer", "long": "integer", "short": "integer", "byte": "integer", "bigint": "integer",
    "int32": "integer", "int64": "integer",
    "float": "number", "double": "number", "decimal": "number", "numeric": "number", "complex": "number",
    "bool": "boolean",
    "list": "array", "tuple": "array", "set": "array", "arraylist": "array", "sequence": "array", "frozenset": "array",
    "iterable": "array",
    "dict": "object", "map": "object", "hashmap": "object", "hashtable": "object", "mapping": "object",
    "dictionary": "object", "struct": "object", "record": "object",
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
    choices = [*_split(name, "|")]
    if len(choices) > 1:
        return _one_of(choices)
    if name.endswith("?"):
        return _one_of([name[:-1], "null"])
    if name.endswith("[]"):
        return _array(name[:-2])
    if match := _OF.fullmatch(name):
        return _array(match[2])
    if match := _GENERIC.fullmatch(name):
        return _generic(
            match[1].rpartition(".")[2].casefold(), [*_split(match[2] or match[3] or "", ",")]
        )
    return None


def _generic(name: str, inner: list[str]) -> Object | None:
    """The schema for `name[inner, …]`."""
    if name == "optional" and len(inner) == 1:
        return _one_of([*inner, "null"])
    if name == "union":
        return _one_of(inner)
    if name == "literal":
        texts = [
            match[1] or match[2] or ""
            for part in inner
            if (match := _QUOTED.fullmatch(part.strip()))
        ]
        return {"enum": [*texts]} if texts and len(texts) == len(inner) else None
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


def _array(inner: str) -> Object | None:
    items = _schema(inner)
    return None if items is None else {"type": "array", "items": items}


def _one_of(names: list[str]) -> Object | None:
    found = [_schema(name) for name in names]
    schemas = [schema for schema in found if schema is not None]
    if len(schemas) < len(found) or not found:
        return None
    return {} if {} in schemas else union_of(schemas)


def union_of(schemas: list[Object]) -> Object:
    """A schema for the values that match one of `schemas`; a list of types if they have no other keyword."""
    if len(schemas) == 1:
        return schemas[0]
    types: list[JSON] = [
        *dict.fromkeys(str(schema["type"]) for schema in schemas if schema.keys() == {"type"})
    ]
    if all(schema.keys() == {"type"} for schema in schemas):
        return {"type": types[0] if len(types) == 1 else types}
    return {"anyOf": [*schemas]}


def _split(text: str, separator: str) -> Iterator[str]:
    """`text` split at each `separator` that is not inside brackets."""
    depth, start = 0, 0
    for index, character in enumerate(text):
        depth += (character in "[<(") - (character in "]>)")
        if character == separator and not depth:
            yield text[start:index]
            start = index + 1
    yield text[start:]
