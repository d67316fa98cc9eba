"""What a schema says about a place to the person who fills it in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import JSON
from playground.schema_form.values import Kind, literal
from playground.schema_form.wording import constraints, is_whole

MAX_DEFAULT = 200
MAX_EXAMPLES = 20


@dataclass(frozen=True, slots=True)
class Facts:
    """The annotations and constraints of all subschemas at a place.

    Attributes:
        default: its JSON text, shortened; "" where there is none.
        examples: values to suggest.
        format: the first `format` named.
        encoding: the first `contentEncoding`; `media`: the first `contentMediaType`.
        is_secret: `writeOnly`, `format: password` or `x-secret`.
        is_whole: numbers are integers.
    """

    title: str
    description: str
    hints: tuple[str, ...]
    default: str
    examples: tuple[JSON, ...]
    format: str
    encoding: str
    media: str
    is_secret: bool
    is_deprecated: bool
    is_read_only: bool
    is_whole: bool
    max_length: int | None


def facts_of(places: Sequence[Subschema], named: Sequence[Subschema], kind: Kind | None) -> Facts:
    """The facts of `places`, for a value of `kind`; of an annotation that stands more than once, the first.

    The title is one of `named` alone.
    """
    titles = (place.all_keywords.get("title") for place in named)
    schemas = [place.all_keywords for place in places]

    def first(keyword: str) -> str:
        found = (schema[keyword] for schema in schemas if keyword in schema)
        return next((text for text in found if isinstance(text, str) and text), "")

    def is_true(keyword: str) -> bool:
        return any(schema.get(keyword) is True for schema in schemas)

    default = next((literal(schema["default"]) for schema in schemas if "default" in schema), "")
    hints = dict.fromkeys(hint for schema in schemas for hint in constraints(schema, kind))
    lengths = [length for schema in schemas if isinstance(length := schema.get("maxLength"), int)]
    return Facts(
        title=next((title for title in titles if isinstance(title, str) and title), ""),
        description=first("description"),
        hints=tuple(hints),
        default=default if len(default) <= MAX_DEFAULT else default[: MAX_DEFAULT - 1] + "…",
        examples=tuple(_examples(schemas)[:MAX_EXAMPLES]),
        format=first("format"),
        encoding=first("contentEncoding"),
        media=first("contentMediaType"),
        is_secret=is_true("writeOnly") or is_true("x-secret") or first("format") == "password",
        is_deprecated=is_true("deprecated"),
        is_read_only=is_true("readOnly"),
        is_whole=any(is_whole(schema) for schema in schemas),
        max_length=min(lengths, default=None),
    )


def _examples(schemas: Sequence[dict[str, JSON]]) -> list[JSON]:
    for schema in schemas:
        listed = schema.get("examples")
        if isinstance(listed, list) and listed:
            return listed
    return []
