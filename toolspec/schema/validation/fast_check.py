"""Whether a value conforms, by `jsonschema-rs`, where the cost is known before the check begins.

It takes a tenth of the time of the walk, but cannot be stopped, and quotes the value in its
messages. So it is only asked whether a value conforms, and only if a schema of known size meets a
value of known size: no references that go around, no patterns, no formats, no identifiers inside.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final, cast
from urllib.parse import unquote

import jsonschema_rs

from toolspec.schema.dialects import Dialect, list_subschemas
from toolspec.schema.validation.budget import Budget
from toolspec.text.numbers import Number
from toolspec.text.pointers import resolve_pointer
from toolspec.text.reader import JSON, plain

MIN_PARTS: Final = 32  # of a value; for smaller ones, the walk is as fast
MAX_PARTS: Final = 200_000  # of a value
MAX_WORK: Final = 400_000  # parts of the schema times parts of the value: at most 0.2 s
MAX_SCHEMA_PARTS: Final = 2_000  # with the target of each reference
MAX_SCHEMA_DEPTH: Final = 60
_CHARACTERS_PER_PART: Final = 64
_MAX_BITS: Final = 63  # of an integer; a comparison of larger ones takes 5 µs
_PARTS_OF_DECIMAL: Final = 10  # a comparison takes 4 µs
_SMALL_NUMBER: Final = re.compile(r"-?[0-9]{1,10}(\.[0-9]{1,10})?")

_NOT_HERE: Final = frozenset(
    {
        "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef",
        "dependencies", "format", "multipleOf", "pattern", "patternProperties", "unevaluatedItems",
        "unevaluatedProperties", "uniqueItems",
    }
)  # fmt: skip
"""Keywords whose cost is not known, or that `jsonschema-rs` understands otherwise."""
_NOT_INSIDE: Final = frozenset({"$id", "$schema", "id"})
_DEFINITION: Final = re.compile(r"#(/(\$defs|definitions)/[^/]+)")


class _UnboundedError(Exception):
    """The cost is not known, or is too high."""


class FastCheck:
    """Checks of values against one schema, which its meta-schema accepts."""

    def __init__(self, schema: JSON, dialect: Dialect) -> None:
        self._schema = schema
        self._dialect = dialect

    def conforms(self, value: JSON, budget: Budget) -> bool:
        """Whether `value` is known to conform. Deducts what it uses from `budget`."""
        if not isinstance(value, dict | list):
            return False
        try:
            parts = _count_parts(value)
        except _UnboundedError:
            return False
        if not MIN_PARTS <= parts <= budget.steps // 2:
            return False
        if self._schema_parts is None or parts * self._schema_parts > MAX_WORK:
            return False
        try:
            conforms = self._validator.is_valid(plain(value))
        except (ValueError, RecursionError):  # nested too deeply, or half of a surrogate pair
            return False
        if conforms:
            budget.steps -= 2 * parts
        return conforms

    @cached_property
    def _schema_parts(self) -> int | None:
        """The parts of the schema that may apply to one part of a value; None if unbounded."""
        try:
            return self._count_schema(self._schema, 0, ())
        except (_UnboundedError, LookupError, RecursionError):
            return None

    def _count_schema(
        self, schema: JSON, so_far: int, references: tuple[str, ...], depth: int = 0
    ) -> int:
        """`so_far` and the parts of `schema`, which is inside the targets of `references`.

        Raises:
            _UnboundedError: there is no limit, or there are too many.
            LookupError: a reference has no target.
        """
        parts = so_far + 1
        if parts > MAX_SCHEMA_PARTS or depth > MAX_SCHEMA_DEPTH:
            raise _UnboundedError
        if not isinstance(schema, dict):
            return parts
        if not _NOT_HERE.isdisjoint(schema) or (depth and not _NOT_INSIDE.isdisjoint(schema)):
            raise _UnboundedError
        for keyword, value in schema.items():
            if keyword not in self._dialect.holds:
                parts += _count_parts(value)
        for _, inner in list_subschemas(schema, self._dialect):
            parts = self._count_schema(inner, parts, references, depth + 1)
        if "$ref" not in schema:
            return parts
        reference = str(schema["$ref"])
        definition = _DEFINITION.fullmatch(reference)
        if definition is None or reference in references:
            raise _UnboundedError
        if definition[2] not in self._dialect.holds:
            raise _UnboundedError
        target = cast("JSON", resolve_pointer(self._schema, unquote(definition[1])))
        return self._count_schema(target, parts, (*references, reference), depth + 1)

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        schema = plain(self._schema)
        if isinstance(schema, dict):
            schema = {**schema, "$schema": self._dialect.uri}
        return jsonschema_rs.validator_for(schema, validate_formats=False, offline=True)


def _count_parts(value: JSON) -> int:
    """The values in `value`; a long string counts as several.

    Raises:
        _UnboundedError: they are too many, or there are numbers that take long to compare.
    """
    count = 0
    waiting = [value]
    while waiting:
        part = waiting.pop()
        count += 1
        if count > MAX_PARTS:
            raise _UnboundedError
        if isinstance(part, str):
            count += len(part) // _CHARACTERS_PER_PART
        elif isinstance(part, dict):
            count += sum(map(len, part)) // _CHARACTERS_PER_PART
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, int):
            if part.bit_length() > _MAX_BITS:
                raise _UnboundedError
        elif isinstance(part, Number):
            if _SMALL_NUMBER.fullmatch(part.lexeme) is None:
                raise _UnboundedError
            count += _PARTS_OF_DECIMAL
        elif part is not None:
            raise _UnboundedError
    return count
