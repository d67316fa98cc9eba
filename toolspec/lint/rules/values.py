"""Values in a spec that must match its schemas: defaults, examples, choices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolspec.lint.context import (
    Part,
    SchemaRule,
    SpecRule,
    Subject,
    in_place,
    keywords_of,
    property_name,
)
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.describe import cut
from toolspec.schema.index import Node
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation.equality import canonical, is_integer
from toolspec.text.containers import items_of
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps

MAX_VALUES: Final = 200  # of one list
MAX_SHOWN_CHARACTERS: Final = 40


def check_examples(subject: Subject) -> Iterator[Finding]:
    """Examples that do not match the schemas, or that not every reader of the format accepts."""
    for index, example in enumerate(subject.spec.examples):
        pointer = pointer_join("/definition/examples", index)
        if example.has_parameters:
            place = pointer_join(pointer, "parameters")
            yield from _check_example(subject.part("parameters"), example.parameters, place)
        if example.has_return_value:
            place = pointer_join(pointer, "returnValue")
            yield from _check_example(subject.part("returnType"), example.return_value, place)
            if not isinstance(example.return_value, dict):
                message = "The example returns a value that is not an object,"
                message += " which other readers may reject."
                yield make_finding("example-return-not-portable", place, message)


def _check_example(part: Part | None, value: JSON, pointer: str) -> Iterator[Finding]:
    if part is None:
        return
    problem = part.explain_mismatch(part.map.root, value)
    if problem is not None:
        rule = "example-return-invalid"
        if part.name == "parameters":
            rule = "example-parameters-invalid"
        yield make_finding(rule, pointer, f"The example does not match `{part.name}`: {problem}.")


def check_annotations(part: Part, node: Node) -> Iterator[Finding]:
    """`default` and `examples` that do not match the schema that contains them."""
    schema = keywords_of(node)
    if "default" in schema:
        default = schema["default"]
        problem = _explain_mismatch(part, node, default)
        if problem is not None:
            pointer = part.pointer_to(node, "default")
            removal = Fix("Remove the default", (Operation("remove", pointer),), safe=True)
            fix = removal if default is None else None
            message = f"The default does not match its schema: {problem}."
            yield make_finding("default-invalid", pointer, message, fix)
    for index, value in enumerate(items_of(schema.get("examples"))[:MAX_VALUES]):
        problem = _explain_mismatch(part, node, value)
        if problem is not None:
            pointer = part.pointer_to(node, "examples", index)
            fix = Fix("Remove this example", (Operation("remove", pointer),), safe=True)
            message = f"The example does not match its schema: {problem}."
            yield make_finding("examples-invalid", pointer, message, fix)


def _explain_mismatch(part: Part, node: Node, value: JSON) -> str | None:
    """Why `value` does not match.

    Most schemas constrain only the type, which needs no full check.
    """
    schema = keywords_of(node)
    name = schema.get("type")
    if isinstance(name, str) and schema.keys() <= _PLAIN and has_type(value, name):
        return None
    return part.explain_mismatch(node, value)


_PLAIN: Final = frozenset({"type", "title", "description", "default", "examples", "deprecated"})


def has_type(value: JSON, name: str) -> bool:
    return is_integer(value) if name == "integer" else json_type(value) == name


def check_choices(part: Part, node: Node) -> Iterator[Finding]:
    """Values of `enum` that are listed twice, or are not of the declared type."""
    schema = keywords_of(node)
    values = schema.get("enum")
    if not isinstance(values, list):
        return
    seen: dict[str, int] = {}
    for index, value in enumerate(values):
        pointer = part.pointer_to(node, "enum", index)
        first = seen.setdefault(canonical(value), index)
        fix = Fix("Remove it", (Operation("remove", pointer),), safe=True)
        if first != index:
            message = f"{_quote(value)} is already listed, at index {first}."
            yield make_finding("enum-duplicate", pointer, message, fix)
        elif not _has_declared_type(schema.get("type"), value):
            message = f"{_quote(value)} is not of the type {dumps(schema['type'])}."
            removal = fix if len(values) > 1 else None
            yield make_finding("enum-impossible", pointer, message, removal)


def _quote(value: JSON) -> str:
    return cut(dumps(value), MAX_SHOWN_CHARACTERS)


def _has_declared_type(types: JSON, value: JSON) -> bool:
    return types is None or any(has_type(value, name) for name in type_names(types))


def check_optional_null(part: Part, node: Node) -> Iterator[Finding]:
    """An optional parameter that may be null, without a default."""
    name = property_name(node)
    if part.name != "parameters" or name is None or node.parent is None:
        return
    is_required = name in items_of(keywords_of(node.parent).get("required"))
    if is_required or "default" in keywords_of(node):
        return
    if not _may_be_null(node) or _mentions_null(node):
        return
    pointer = part.pointer_to(node)
    operation = Operation("add", pointer_join(pointer, "default"), None)
    fix = Fix("Make null the default", (operation,), safe=True)
    message = f"`{name[:80]}` may be null or omitted; make null the default if both mean the same."
    yield make_finding("optional-null-without-default", pointer, message, fix)


def _mentions_null(node: Node) -> bool:
    """Whether the description explains null: "omit to keep it, null to clear it"."""
    return bool(re.search(r"\bnull\b", str(keywords_of(node).get("description")), re.IGNORECASE))


def _may_be_null(node: Node) -> bool:
    for inner in in_place(node):
        if inner is not node and keywords_of(inner).get("type") == "null":
            return True
    return False


OF_SPECS: Final[tuple[SpecRule, ...]] = (check_examples,)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (check_choices, check_optional_null, check_annotations)
