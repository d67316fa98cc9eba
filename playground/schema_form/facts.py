"""The annotations and constraints of a node, as the form shows them."""

from __future__ import annotations

from dataclasses import dataclass

from playground.schema_form.branches import Applicable
from playground.schema_form.schemas import is_integer, type_of
from playground.schema_form.values import Kind, literal
from toolspec.schema.describe import constraints, cut
from toolspec.schema.summary import Summary
from toolspec.text.containers import items_of
from toolspec.text.reader import JSON

MAX_HINT = 140
MAX_DEFAULT = 200
MAX_EXAMPLES = 20


@dataclass(frozen=True, slots=True)
class Facts:
    """The annotations and constraints of all subschemas that apply to one value.

    Attributes:
        hints: the constraints in words, each shortened.
        default: its JSON text, shortened; "" if there is no default.
        examples: values to suggest.
        format: the first `format`; `encoding`: the first `contentEncoding`; `media`: the first
            `contentMediaType`.
        is_secret: `writeOnly`, `format: password` or `x-secret`.
        is_integer: numbers are integers; `is_unique`: an array has no item twice.
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
    is_integer: bool
    is_unique: bool
    max_length: int | None


def facts_of(found: Applicable, kind: Kind | None) -> Facts:
    """The facts of the subschemas for a value of `kind`."""
    summary = found.keywords
    hints = [fact.words for fact in constraints(summary, type_of(kind))] if kind else []
    lengths = summary.numbers("maxLength")
    examples = filter(None, map(items_of, summary.all("examples")))
    return Facts(
        title=Summary([subschema.all_keywords for subschema in found.named]).text("title"),
        description=summary.text("description"),
        hints=tuple(cut(hint, MAX_HINT) for hint in hints),
        default=cut(literal(summary.first("default")), MAX_DEFAULT)
        if summary.has("default")
        else "",
        examples=tuple(next(examples, [])[:MAX_EXAMPLES]),
        format=summary.text("format"),
        encoding=summary.text("contentEncoding"),
        media=summary.text("contentMediaType"),
        is_secret=summary.flag("writeOnly")
        or summary.flag("x-secret")
        or summary.text("format") == "password",
        is_deprecated=summary.flag("deprecated"),
        is_read_only=summary.flag("readOnly"),
        is_integer=any(map(is_integer, found.subschemas)),
        is_unique=summary.flag("uniqueItems"),
        max_length=int(min(lengths)) if lengths else None,
    )
