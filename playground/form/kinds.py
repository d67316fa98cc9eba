"""The types that a subschema allows, whatever the value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from playground.form.values import KINDS, Kind, kind_of
from toolspec.schema.applicable import always, branches
from toolspec.schema.describe import TYPES, join_words
from toolspec.schema.types import TYPE_OF_KEYWORD, type_names
from toolspec.schema.validation import Subschema
from toolspec.text.reader import JSON

ALL_KINDS: Final = frozenset(KINDS)

_KINDS_OF_TYPE: Final[dict[str, Kind]] = {
    "string": "text",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "object",
    "array": "array",
}
_TYPE_OF_KIND: Final[dict[Kind, str]] = {
    kind: name for name, kind in _KINDS_OF_TYPE.items() if name != "integer"
}


def type_of(kind: Kind, *, is_integer: bool = False) -> str:
    """The JSON Schema type of `kind`; for a number, "integer" if `is_integer`."""
    if is_integer and kind == "number":
        return "integer"
    return _TYPE_OF_KIND[kind]


def describe_types(kinds: Iterable[Kind], *, is_integer: bool = False) -> str:
    """The types of `kinds`: "integer or null"; "" if all are allowed."""
    names = {type_of(kind, is_integer=is_integer) for kind in kinds}
    if len(names) == len(KINDS):
        return ""
    return join_words([name for name in TYPES if name in names])


def is_integer(subschema: Subschema) -> bool:
    """Whether `type` allows integers, but not all numbers."""
    names = type_names(subschema.all_keywords.get("type"))
    return "integer" in names and "number" not in names


class Kinds:
    """The types that subschemas allow, cached for one page."""

    def __init__(self) -> None:
        self._known: dict[object, frozenset[Kind]] = {}

    def of(self, subschema: Subschema) -> frozenset[Kind]:
        """The types that `type`, `const` and `enum` allow, also those behind references."""
        identity = subschema.identity
        if identity not in self._known:
            self._known[identity] = ALL_KINDS  # a loop adds nothing
            self._known[identity] = self._find(subschema)
        return self._known[identity]

    def of_all(self, subschemas: Iterable[Subschema]) -> frozenset[Kind]:
        """The types that all of `subschemas` allow."""
        return ALL_KINDS.intersection(*map(self.of, subschemas))

    def _find(self, subschema: Subschema) -> frozenset[Kind]:
        if subschema.schema is False:
            return frozenset()
        kinds = _find_own_kinds(subschema.all_keywords)
        kinds &= self.of_all(always(subschema))
        for _, options in branches(subschema):
            kinds &= frozenset[Kind]().union(*map(self.of, options))
        return kinds


def _find_own_kinds(keywords: dict[str, JSON]) -> frozenset[Kind]:
    kinds = ALL_KINDS
    if "type" in keywords:
        names = type_names(keywords["type"])
        kinds = frozenset(_KINDS_OF_TYPE[name] for name in names if name in _KINDS_OF_TYPE)
    if "const" in keywords:
        kinds &= {kind_of(keywords["const"])}
    values = keywords.get("enum")
    if isinstance(values, list):
        kinds &= set(map(kind_of, values))
    return kinds


def guess_kind(subschemas: Iterable[Subschema]) -> Kind | None:
    """The type that the keywords suggest, if there is no `type`."""
    for subschema in subschemas:
        for keyword in subschema.all_keywords:
            if keyword in TYPE_OF_KEYWORD:
                return _KINDS_OF_TYPE[TYPE_OF_KEYWORD[keyword]]
    return None
