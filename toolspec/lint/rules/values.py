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
from toolspec.lint.registry import found
from toolspec.schema.index import Node
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation.equality import canonical, is_integer
from toolspec.text.containers import items_of
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps

MAX_VALUES: Final = 200  # of one list
MAX_SHOWN_CHARACTERS: Final = 40


def spec_examples(subject: Subject) -> Iterator[Finding]:
    """Examples of the tool that do not match its schemas, or that not every reader of the format accepts."""
    for index, example in enumerate(subject.spec.examples):
        pointer = pointer_join("/definition/examples", index)
        if example.has_parameters:
            yield from _example(
                subject.part("parameters"), example.parameters, pointer_join(pointer, "parameters")
            )
        if example.has_return_value:
            pointer = pointer_join(pointer, "returnValue")
            yield from _example(subject.part("returnType"), example.return_value, pointer)
            if not isinstance(example.return_value, dict):
                message = "The example returns a value that is not an object, which other readers may reject."
                yield found("example-return-not-portable", pointer, message)


def _example(part: Part | None, value: JSON, pointer: str) -> Iterator[Finding]:
    if part is None:
        return
    problem = part.mismatch(part.map.root, value)
    if problem is not None:
        rule = (
            "example-parameters-invalid" if part.name == "parameters" else "example-return-invalid"
        )
        yield found(rule, pointer, f"The example does not match `{part.name}`: {problem}.")


def described_values(part: Part, node: Node) -> Iterator[Finding]:
    """`default` and `examples` that do not match the schema that contains them."""
    schema = keywords_of(node)
    if "default" in schema and (problem := _mismatch(part, node, schema["default"])) is not None:
        pointer = part.pointer_to(node, "default")
        remove = Fix("Remove the default", (Operation("remove", pointer),), safe=True)
        fix = remove if schema["default"] is None else None
        yield found(
            "default-invalid", pointer, f"The default does not match its schema: {problem}.", fix
        )
    for index, value in enumerate(items_of(schema.get("examples"))[:MAX_VALUES]):
        if (problem := _mismatch(part, node, value)) is not None:
            pointer = part.pointer_to(node, "examples", index)
            fix = Fix("Remove this example", (Operation("remove", pointer),), safe=True)
            yield found(
                "examples-invalid",
                pointer,
                f"The example does not match its schema: {problem}.",
                fix,
            )


def _mismatch(part: Part, node: Node, value: JSON) -> str | None:
    """Why `value` does not match. Most schemas constrain only the type, which needs no full check."""
    schema = keywords_of(node)
    if (
        schema.keys() <= _PLAIN
        and isinstance(schema.get("type"), str)
        and has_type(value, str(schema["type"]))
    ):
        return None
    return part.mismatch(node, value)


_PLAIN: Final = frozenset({"type", "title", "description", "default", "examples", "deprecated"})


def has_type(value: JSON, name: str) -> bool:
    return is_integer(value) if name == "integer" else json_type(value) == name


def choices(part: Part, node: Node) -> Iterator[Finding]:
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
            message = f"{_shown(value)} is already listed, at index {first}."
            yield found("enum-duplicate", pointer, message, fix)
        elif not _has_declared_type(schema.get("type"), value):
            message = f"{_shown(value)} is not of the type {dumps(schema['type'])}."
            yield found("enum-impossible", pointer, message, fix if len(values) > 1 else None)


def _has_declared_type(types: JSON, value: JSON) -> bool:
    return types is None or any(has_type(value, name) for name in type_names(types))


def _shown(value: JSON) -> str:
    text = dumps(value)
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"


def optional_null(part: Part, node: Node) -> Iterator[Finding]:
    """An optional parameter that may be null, without a default."""
    name = property_name(node)
    if (
        part.name != "parameters"
        or name is None
        or node.parent is None
        or "default" in keywords_of(node)
    ):
        return
    if (
        name in items_of(keywords_of(node.parent).get("required"))
        or not _may_be_null(node)
        or _mentions_null(node)
    ):
        return
    pointer = part.pointer_to(node)
    fix = Fix(
        "Make null the default",
        (Operation("add", pointer_join(pointer, "default"), None),),
        safe=True,
    )
    message = f"`{name[:80]}` may be null or omitted; make null the default if both mean the same."
    yield found("optional-null-without-default", pointer, message, fix)


def _mentions_null(node: Node) -> bool:
    """Whether the description explains null: "omit to keep it, null to clear it"."""
    return bool(re.search(r"\bnull\b", str(keywords_of(node).get("description")), re.IGNORECASE))


def _may_be_null(node: Node) -> bool:
    return any(keywords_of(one).get("type") == "null" for one in in_place(node) if one is not node)


OF_SPECS: Final[tuple[SpecRule, ...]] = (spec_examples,)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (choices, optional_null, described_values)
