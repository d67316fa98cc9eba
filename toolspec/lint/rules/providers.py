"""Schemas that providers reject: no object, alternatives at the top, arrays without items.

Sources: the rules of the providers, in `toolspec.exports.format_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.format_rules import ANTHROPIC, OPENAI
from toolspec.lint.context import Part, SchemaRule, SpecRule, Subject, keywords_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.dialects import DEFAULT_DIALECT, DRAFT_04
from toolspec.schema.index import Node
from toolspec.schema.normalize import is_outdated, normalize
from toolspec.schema.types import type_names
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

_TYPING: Final = frozenset({"type", "$ref", "enum", "const", "items"})
_ITEMS: Final = frozenset({"items", "prefixItems", "enum", "const", "$ref"})
MAX_NAMED: Final = 100  # subschemas whose draft one fix changes


def check_root(subject: Subject) -> Iterator[Finding]:
    part = subject.part("parameters")
    if part is None:
        return
    node = part.map.root
    types = keywords_of(node).get("type")
    if types != "object":
        message = 'The parameters do not declare `"type": "object"`.'
        yield make_finding("root-not-object", part.pointer, message, _as_object(part))
    for keyword in keywords_of(node):
        rejecting = [rules.label for rules in (OPENAI, ANTHROPIC) if keyword in rules.barred]
        if not rejecting:
            continue
        verb = "rejects" if len(rejecting) == 1 else "reject"
        message = f"{' and '.join(rejecting)} {verb} `{keyword}` at the top of the parameters."
        yield make_finding("root-combined", part.pointer_to(node, keyword), message)


def _as_object(part: Part) -> Fix | None:
    schema = part.schema
    if schema is True or schema == {}:
        nothing: JSON = {"type": "object"}
        operation = Operation("replace", part.pointer, nothing)
    elif isinstance(schema, dict) and schema.keys().isdisjoint(_TYPING):
        operation = Operation("add", pointer_join(part.pointer, "type"), "object")
    else:
        return None
    return Fix("Declare that they are an object", (operation,))


def check_draft(subject: Subject) -> Iterator[Finding]:
    for part in subject.parts:
        outdated = []
        for node in part.map.nodes:
            if node.dialect is not DEFAULT_DIALECT and "$schema" in keywords_of(node):
                outdated.append(node)
        if outdated:
            name = outdated[0].dialect.name
            message = (
                f"This schema uses draft {name}; LLM Tool Spec requires {DEFAULT_DIALECT.name}."
            )
            fix = _use_default_draft(part, outdated)
            yield make_finding(
                "schema-draft", part.pointer_to(outdated[0], "$schema"), message, fix
            )


def _use_default_draft(part: Part, outdated: list[Node]) -> Fix | None:
    """Declare 2020-12 in the `outdated` nodes; if that changes the meaning, rewrite the schema."""
    if not is_outdated(part.schema):
        operations = []
        for node in outdated[:MAX_NAMED]:
            pointer = part.pointer_to(node, "$schema")
            operations.append(Operation("replace", pointer, DEFAULT_DIALECT.uri))
        is_safe = all(node.dialect is not DRAFT_04 for node in outdated)  # there, 1.0 is no integer
        return Fix(f"Declare {DEFAULT_DIALECT.name}", tuple(operations), safe=is_safe)
    schema = normalize(part.schema, pointer=part.pointer, report=Report()).together()
    if not isinstance(schema, dict) or not DEFAULT_DIALECT.accepts(schema):
        return None
    rewritten: JSON = {"$schema": DEFAULT_DIALECT.uri, **schema}
    operation = Operation("replace", part.pointer, rewritten)
    return Fix(f"Rewrite in {DEFAULT_DIALECT.name}", (operation,))


def check_array(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    is_array = "array" in type_names(schema.get("type"))
    if part.name == "parameters" and is_array and schema.keys().isdisjoint(_ITEMS):
        anything: JSON = {}
        operation = Operation("add", part.pointer_to(node, "items"), anything)
        fix = Fix("Allow any items", (operation,), safe=True)
        message = "This array does not describe its items."
        yield make_finding("array-without-items", part.pointer_to(node), message, fix)


OF_SPECS: Final[tuple[SpecRule, ...]] = (check_root, check_draft)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (check_array,)
