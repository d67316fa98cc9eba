"""The drafts of JSON Schema: their keywords, those that contain subschemas, and their meta-schemas.

Nothing is fetched: the meta-schemas are part of the package `jsonschema-specifications`.

Sources: JSON Schema drafts 04, 06, 07, 2019-09 and 2020-12; their meta-schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property
from typing import Any

import jsonschema_rs
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.jsonschema import SchemaRegistry

from toolspec.text.reader import JSON, plain

BUNDLED: SchemaRegistry = REGISTRY
"""The meta-schemas of the drafts and their vocabularies, by URI without fragment."""

TYPE_NAMES = ("array", "boolean", "integer", "null", "number", "object", "string")


class Holds(Enum):
    """How the value of a keyword contains subschemas."""

    SCHEMA = auto()  # {"not": {…}}
    ARRAY = auto()  # {"allOf": [{…}, …]}
    MEMBERS = auto()  # {"properties": {"a": {…}, …}}
    SCHEMA_OR_ARRAY = auto()  # `items` up to 2019-09
    MEMBERS_OR_NAMES = auto()  # `dependencies`: {"a": {…}, "b": ["c", …]}


@dataclass(frozen=True, eq=False)
class Dialect:
    """One draft.

    Attributes:
        name: "2020-12".
        uri: its meta-schema's URI, without fragment.
        holds: keyword -> how it contains subschemas.
        keywords: every keyword that the draft defines.
    """

    name: str
    uri: str
    holds: Mapping[str, Holds]
    keywords: frozenset[str]

    @cached_property
    def id_keyword(self) -> str:
        return "id" if self.name == "04" else "$id"

    @cached_property
    def ref_stands_alone(self) -> bool:
        """Whether everything beside `$ref` is ignored (up to draft-07)."""
        return self.name in {"04", "06", "07"}

    def accepts(self, schema: JSON) -> bool:
        """Whether `schema` is valid for the meta-schema, ignoring formats.

        Takes 0.01 ms for a typical schema.
        """
        validator = _metaschema_validator(self.uri)
        try:
            if validator.is_valid(schema):
                return True
        except ValueError:  # the extension accepts Decimal, but not our subclass
            pass
        exact = plain(schema)
        return exact is not schema and bool(validator.is_valid(exact))

    def find_first_mistake(self, schema: JSON) -> list[str | int]:
        """The path to the first error in `schema`, which the meta-schema does not accept."""
        try:
            _metaschema_validator(self.uri).validate(plain(schema))
        except jsonschema_rs.ValidationError as error:
            return error.instance_path
        return []


def list_subschemas(schema: JSON, dialect: Dialect) -> Iterator[tuple[tuple[str | int, ...], JSON]]:
    """The direct subschemas of `schema`, each with its path from there, without malformed parts."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        how = dialect.holds.get(keyword)
        if how is None:
            continue
        for tokens, subschema in list_held(how, value):
            yield (keyword, *tokens), subschema


def list_held(how: Holds, value: JSON) -> list[tuple[tuple[str | int, ...], JSON]]:
    """The subschemas in `value`, the value of a keyword that contains them as `how` says."""
    if isinstance(value, list):
        if how is Holds.ARRAY or how is Holds.SCHEMA_OR_ARRAY:
            return [((index,), subschema) for index, subschema in enumerate(value)]
        return []
    if how is Holds.SCHEMA or how is Holds.SCHEMA_OR_ARRAY:
        return [((), value)]
    if how is Holds.ARRAY or not isinstance(value, dict):
        return []
    if how is Holds.MEMBERS:
        return [((name,), subschema) for name, subschema in value.items()]
    return [((name,), member) for name, member in value.items() if not isinstance(member, list)]


def fill(value: JSON, inner: Mapping[tuple[str | int, ...], JSON]) -> JSON:
    """`value` with the schemas `inner` at their paths, of at most one token (see `held`)."""
    if () in inner:
        return inner[()]
    if isinstance(value, list):
        return [inner.get((index,), item) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {name: inner.get((name,), member) for name, member in value.items()}
    return value


def change_subschemas(
    schema: dict[str, JSON], dialect: Dialect, change: Callable[[tuple[str | int, ...], JSON], JSON]
) -> dict[str, JSON]:
    """`schema` with `change(path, subschema)` in place of each direct subschema.

    It is `schema` itself if none of them changes.
    """
    result = schema
    for keyword, value in schema.items():
        how = dialect.holds.get(keyword)
        if how is None:
            continue
        changes: dict[tuple[str | int, ...], JSON] = {}
        for tokens, subschema in list_held(how, value):
            new = change((keyword, *tokens), subschema)
            if new is not subschema:
                changes[tokens] = new
        if changes:
            result = {**result, keyword: fill(value, changes)}
    return result


def item_keywords(
    keywords: Mapping[str, JSON], dialect: Dialect | None = None
) -> tuple[str, int, str]:
    """How a schema with these `keywords` describes items; with `dialect`, only as it allows.

    Returns:
        The keyword for the first items, how many it lists, and the keyword for all others.
    """
    items = keywords.get("items")
    if isinstance(items, list):
        allows_array = dialect is None or dialect.holds["items"] is Holds.SCHEMA_OR_ARRAY
        if allows_array:
            return "items", len(items), "additionalItems"
    prefix = keywords.get("prefixItems")
    prefix_length = len(prefix) if isinstance(prefix, list) else 0
    return "prefixItems", prefix_length, "items"


def dialect_of(schema: JSON, default: Dialect) -> Dialect | None:
    """The dialect that `schema` names in `$schema`, or `default`; None if it is unknown."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return default
    return find_dialect(schema["$schema"])


def find_dialect(uri: object) -> Dialect | None:
    """The dialect of a `$schema`; None if it is unknown.

    It may have http or https, and an empty fragment.
    """
    if isinstance(uri, str):
        return _BY_URI.get(_without_scheme(uri))
    return None


def is_standard(uri: str) -> bool:
    """Whether `uri` names a document of a draft: a meta-schema or one of a vocabulary."""
    return _without_scheme(uri.casefold()) in _STANDARD


def _without_scheme(uri: str) -> str:
    """`uri` so that http, https and an empty fragment make no difference."""
    return uri.removesuffix("#").removeprefix("http://").removeprefix("https://")


# Each draft as changes to the one before.
_HOLDS_04 = {
    "additionalItems": Holds.SCHEMA,
    "additionalProperties": Holds.SCHEMA,
    "allOf": Holds.ARRAY,
    "anyOf": Holds.ARRAY,
    "definitions": Holds.MEMBERS,
    "dependencies": Holds.MEMBERS_OR_NAMES,
    "items": Holds.SCHEMA_OR_ARRAY,
    "not": Holds.SCHEMA,
    "oneOf": Holds.ARRAY,
    "patternProperties": Holds.MEMBERS,
    "properties": Holds.MEMBERS,
}
_HOLDS_06 = _HOLDS_04 | {"contains": Holds.SCHEMA, "propertyNames": Holds.SCHEMA}
_HOLDS_07 = _HOLDS_06 | {"if": Holds.SCHEMA, "then": Holds.SCHEMA, "else": Holds.SCHEMA}
_HOLDS_2019 = _HOLDS_07 | {
    "$defs": Holds.MEMBERS,
    "contentSchema": Holds.SCHEMA,
    "dependentSchemas": Holds.MEMBERS,
    "unevaluatedItems": Holds.SCHEMA,
    "unevaluatedProperties": Holds.SCHEMA,
}
del _HOLDS_2019["dependencies"]
_HOLDS_2020 = _HOLDS_2019 | {"items": Holds.SCHEMA, "prefixItems": Holds.ARRAY}
del _HOLDS_2020["additionalItems"]

_KEYWORDS_04 = frozenset(_HOLDS_04) | {
    "$ref", "$schema", "default", "description", "enum", "exclusiveMaximum", "exclusiveMinimum",
    "format", "id", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "pattern", "required", "title", "type", "uniqueItems",
}  # fmt: skip
_KEYWORDS_06 = (_KEYWORDS_04 - {"id"}) | set(_HOLDS_06) | {"$id", "const", "examples"}
_KEYWORDS_07 = (
    _KEYWORDS_06
    | set(_HOLDS_07)
    | {"$comment", "contentEncoding", "contentMediaType", "readOnly", "writeOnly"}
)
_KEYWORDS_2019 = ((_KEYWORDS_07 - {"dependencies"}) | set(_HOLDS_2019)) | {
    "$anchor", "$recursiveAnchor", "$recursiveRef", "$vocabulary", "dependentRequired",
    "deprecated", "maxContains", "minContains",
}  # fmt: skip
_KEYWORDS_2020 = (
    (_KEYWORDS_2019 - {"$recursiveAnchor", "$recursiveRef", "additionalItems"})
    | set(_HOLDS_2020)
    | {"$dynamicAnchor", "$dynamicRef"}
)


DRAFT_04 = Dialect("04", "http://json-schema.org/draft-04/schema", _HOLDS_04, _KEYWORDS_04)
DRAFT_06 = Dialect("06", "http://json-schema.org/draft-06/schema", _HOLDS_06, _KEYWORDS_06)
DRAFT_07 = Dialect("07", "http://json-schema.org/draft-07/schema", _HOLDS_07, _KEYWORDS_07)
DRAFT_2019_09 = Dialect(
    "2019-09", "https://json-schema.org/draft/2019-09/schema", _HOLDS_2019, _KEYWORDS_2019
)
DRAFT_2020_12 = Dialect(
    "2020-12", "https://json-schema.org/draft/2020-12/schema", _HOLDS_2020, _KEYWORDS_2020
)

DIALECTS = (DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12)
DEFAULT_DIALECT = DRAFT_2020_12
HOLDS_IN_ANY_DRAFT: Mapping[str, Holds] = (
    _HOLDS_04 | _HOLDS_06 | _HOLDS_07 | _HOLDS_2019 | _HOLDS_2020
)
"""Every keyword that contains subschemas, as the newest draft that defines it says."""

_BY_URI = {_without_scheme(dialect.uri): dialect for dialect in DIALECTS}
_STANDARD = frozenset(_without_scheme(uri) for uri in BUNDLED)


@cache
def _metaschema_validator(uri: str) -> jsonschema_rs.Validator:
    """The meta-schema of a draft, compiled once.

    Without formats: patterns and references have their own checks.
    """
    metaschema: Any = BUNDLED.contents(uri)
    return jsonschema_rs.validator_for(metaschema, validate_formats=False)
