"""The annotations and constraints of a node, as the form shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from playground.form.applicable import Applicable
from playground.form.kinds import is_integer, type_of
from playground.form.values import Kind, literal
from toolspec.schema.describe import cut, list_constraints
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

    title: str = ""
    description: str = ""
    hints: tuple[str, ...] = ()
    default: str = ""
    examples: tuple[JSON, ...] = ()
    format: str = ""
    encoding: str = ""
    media: str = ""
    is_secret: bool = False
    is_deprecated: bool = False
    is_read_only: bool = False
    is_integer: bool = False
    is_unique: bool = False
    max_length: int | None = None


NO_FACTS: Final = Facts()


def gather_facts(applicable: Applicable, kind: Kind | None) -> Facts:
    """The facts of the subschemas for a value of `kind`."""
    summary = applicable.keywords
    titles = Summary([subschema.all_keywords for subschema in applicable.named])
    is_password = summary.text("format") == "password"
    return Facts(
        title=titles.text("title"),
        description=summary.text("description"),
        hints=_write_hints(summary, kind),
        default=_write_default(summary),
        examples=_find_examples(summary),
        format=summary.text("format"),
        encoding=summary.text("contentEncoding"),
        media=summary.text("contentMediaType"),
        is_secret=is_password or summary.flag("writeOnly") or summary.flag("x-secret"),
        is_deprecated=summary.flag("deprecated"),
        is_read_only=summary.flag("readOnly"),
        is_integer=any(map(is_integer, applicable.subschemas)),
        is_unique=summary.flag("uniqueItems"),
        max_length=_find_max_length(summary),
    )


def _write_hints(summary: Summary, kind: Kind | None) -> tuple[str, ...]:
    if kind is None:
        return ()
    facts = list_constraints(summary, type_of(kind))
    return tuple(cut(fact.words, MAX_HINT) for fact in facts)


def _write_default(summary: Summary) -> str:
    if not summary.has("default"):
        return ""
    return cut(literal(summary.first("default")), MAX_DEFAULT)


def _find_max_length(summary: Summary) -> int | None:
    lengths = summary.numbers("maxLength")
    if not lengths:
        return None
    return int(min(lengths))


def _find_examples(summary: Summary) -> tuple[JSON, ...]:
    """The first examples of the first subschema that has any."""
    for examples in summary.all("examples"):
        items = items_of(examples)
        if items:
            return tuple(items[:MAX_EXAMPLES])
    return ()
