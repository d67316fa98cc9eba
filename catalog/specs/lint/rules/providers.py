"""What providers refuse: parameters that are no object, alternatives at the top, arrays of anything; earlier drafts.

Sources: the rules of the providers, in `exports.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.json_schema.dialects import DEFAULT_DIALECT
from catalog.json_schema.index import Node
from catalog.json_schema.normalize import is_outdated
from catalog.jsontext.patch import Operation
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.exporters.providers import ANTHROPIC, OPENAI
from catalog.specs.lint.context import Part, Subject, keywords_of
from catalog.specs.lint.findings import Finding, Fix
from catalog.specs.lint.registry import found


def root(subject: Subject) -> Iterator[Finding]:
    part = subject.part("parameters")
    if part is None:
        return
    node = part.map.root
    types = keywords_of(node).get("type")
    if types != "object":
        yield found(
            "root-not-object", part.pointer, "The parameters do not say that they are an object.", _as_object(part)
        )
    barred = [keyword for keyword in keywords_of(node) if keyword in OPENAI.barred | ANTHROPIC.barred]
    for keyword in barred:
        who = [rules.label for rules in (OPENAI, ANTHROPIC) if keyword in rules.barred]
        message = f"{' and '.join(who)} {'refuses' if len(who) == 1 else 'refuse'} `{keyword}` at the top."
        yield found("root-combined", part.pointer_to(node, keyword), message)


def _as_object(part: Part) -> Fix | None:
    schema = part.schema
    if schema is True or schema == {}:
        nothing: JSON = {"type": "object"}
        return Fix("Say that they are an object", (Operation("replace", part.pointer, nothing),))
    if isinstance(schema, dict) and not schema.keys() & {"type", "$ref", "enum", "const", "items"}:
        place = pointer_join(part.pointer, "type")
        return Fix("Say that they are an object", (Operation("add", place, "object"),))
    return None


def draft(subject: Subject) -> Iterator[Finding]:
    for part in subject.parts:
        dialect = part.map.root.dialect
        if dialect is DEFAULT_DIALECT:
            continue
        place = pointer_join(part.pointer, "$schema")
        fix = None
        if not is_outdated(part.schema):
            fix = Fix("Name 2020-12", (Operation("replace", place, DEFAULT_DIALECT.uri),), safe=True)
        yield found("schema-draft", place, f"This schema is of draft {dialect.name}.", fix)


def arrays(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    types = schema.get("type")
    is_array = types == "array" or (isinstance(types, list) and "array" in types)
    if part.name == "parameters" and is_array and not schema.keys() & {"items", "prefixItems", "enum", "const", "$ref"}:
        anything: JSON = {}
        fix = Fix(
            "Say that they may be anything", (Operation("add", part.pointer_to(node, "items"), anything),), safe=True
        )
        yield found("array-without-items", part.pointer_to(node), "Nothing says what this array holds.", fix)
