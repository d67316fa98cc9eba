"""Schemas that providers reject: parameters that are not an object, alternatives at the top, arrays without items.

Sources: the rules of the providers, in `toolspec.exports.format_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.format_rules import ANTHROPIC, OPENAI
from toolspec.lint.context import Part, SchemaRule, SpecRule, Subject, keywords_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import found
from toolspec.schema.dialects import DEFAULT_DIALECT, DRAFT_04
from toolspec.schema.index import Node
from toolspec.schema.normalize import is_outdated, normalized
from toolspec.schema.types import type_names
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_NAMED: Final = 100  # subschemas whose draft one fix changes


def root(subject: Subject) -> Iterator[Finding]:
    part = subject.part("parameters")
    if part is None:
        return
    node = part.map.root
    types = keywords_of(node).get("type")
    if types != "object":
        message = 'The parameters do not declare `"type": "object"`.'
        yield found("root-not-object", part.pointer, message, _as_object(part))
    barred = [
        keyword for keyword in keywords_of(node) if keyword in OPENAI.barred | ANTHROPIC.barred
    ]
    for keyword in barred:
        rejecting = [rules.label for rules in (OPENAI, ANTHROPIC) if keyword in rules.barred]
        verb = "rejects" if len(rejecting) == 1 else "reject"
        message = f"{' and '.join(rejecting)} {verb} `{keyword}` at the top of the parameters."
        yield found("root-combined", part.pointer_to(node, keyword), message)


def _as_object(part: Part) -> Fix | None:
    schema = part.schema
    if schema is True or schema == {}:
        nothing: JSON = {"type": "object"}
        return Fix(
            "Declare that they are an object", (Operation("replace", part.pointer, nothing),)
        )
    if isinstance(schema, dict) and not schema.keys() & {"type", "$ref", "enum", "const", "items"}:
        pointer = pointer_join(part.pointer, "type")
        return Fix("Declare that they are an object", (Operation("add", pointer, "object"),))
    return None


def draft(subject: Subject) -> Iterator[Finding]:
    for part in subject.parts:
        named = [
            node
            for node in part.map.nodes
            if node.dialect is not DEFAULT_DIALECT and "$schema" in keywords_of(node)
        ]
        if not named:
            continue
        message = f"This schema uses draft {named[0].dialect.name}; LLM Tool Spec requires {DEFAULT_DIALECT.name}."
        yield found(
            "schema-draft",
            part.pointer_to(named[0], "$schema"),
            message,
            _in_default_draft(part, named),
        )


def _in_default_draft(part: Part, named: list[Node]) -> Fix | None:
    """Declare 2020-12 where a draft is named; rewrite the whole schema if it means something else in 2020-12."""
    if not is_outdated(part.schema):
        operations = (
            Operation("replace", part.pointer_to(node, "$schema"), DEFAULT_DIALECT.uri)
            for node in named[:MAX_NAMED]
        )
        # In draft-04, 1.0 is not an integer.
        return Fix(
            f"Declare {DEFAULT_DIALECT.name}",
            tuple(operations),
            safe=DRAFT_04 not in {n.dialect for n in named},
        )
    schema = normalized(part.schema, pointer=part.pointer, report=Report()).together()
    if not isinstance(schema, dict) or not DEFAULT_DIALECT.accepts(schema):
        return None
    rewritten: JSON = {"$schema": DEFAULT_DIALECT.uri, **schema}
    return Fix(
        f"Rewrite in {DEFAULT_DIALECT.name}", (Operation("replace", part.pointer, rewritten),)
    )


def arrays(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    is_array = "array" in type_names(schema.get("type"))
    if (
        part.name == "parameters"
        and is_array
        and not schema.keys() & {"items", "prefixItems", "enum", "const", "$ref"}
    ):
        anything: JSON = {}
        fix = Fix(
            "Allow any items",
            (Operation("add", part.pointer_to(node, "items"), anything),),
            safe=True,
        )
        yield found(
            "array-without-items",
            part.pointer_to(node),
            "This array does not describe its items.",
            fix,
        )


OF_SPECS: Final[tuple[SpecRule, ...]] = (root, draft)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (arrays,)
