"""Required members that are not declared, and definitions that are not used."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from toolspec.lint.context import Part, SchemaRule, SpecRule, Subject, keywords_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import found
from toolspec.schema.index import Node
from toolspec.schema.validation import Budget
from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.schema.validation.pattern_search import found_in
from toolspec.text.patch import Operation


def required_names(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    names = schema.get("required")
    if not isinstance(names, list) or not _declares_members(node):
        return
    declarations = [part.declared_in_place(one) for one in _with_in_place_parents(node)]
    patterns = frozenset[str]().union(*(patterns for _, patterns in declarations))
    closed = " Other properties are not allowed, so no value is valid."
    for index, name in enumerate(names):
        if any(name in declared for declared, _ in declarations):
            continue
        if not _is_matched(str(name), patterns, part.budget):
            pointer = part.pointer_to(node, "required", index)
            fix = Fix("Do not require it", (Operation("remove", pointer),))
            message = f"“{str(name)[:80]}” is required but not declared."
            if schema.get("additionalProperties") is False:
                message += closed
            yield found("required-undeclared", pointer, message, fix)


def _declares_members(node: Node) -> bool:
    """Whether `node` is expected to declare its members; a branch such as {"required": ["a"]} is not."""
    schema = keywords_of(node)
    is_part = bool(node.path) and node.path[0] in {
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
    }
    return "properties" in schema or (
        schema.get("type") == "object" and not is_part and "$ref" not in schema
    )


def _with_in_place_parents(node: Node) -> list[Node]:
    """`node`, and the nodes that contain it and apply to the same value."""
    nodes = [node]
    while node.parent is not None and node.path[0] in {
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "then",
        "else",
        "not",
    }:
        node = node.parent
        nodes.append(node)
    return nodes


def _is_matched(name: str, patterns: Collection[str], budget: Budget) -> bool:
    """Whether one of `patterns` matches the member name `name`; True if that takes too long to check."""
    with Run(budget) as run:
        try:
            return any(found_in(pattern, name, run) for pattern in patterns)
        except Unchecked:
            return True


def definitions(subject: Subject) -> Iterator[Finding]:
    """Definitions that neither the schema nor a used definition refers to."""
    for part in subject.parts:
        unused = list(_unused(part))
        removals = tuple(Operation("remove", pointer) for pointer, _ in unused)
        fix = Fix(
            "Remove all unused definitions", removals, safe=True
        )  # they may refer to each other
        for pointer, name in unused:
            yield found(
                "definition-unused", pointer, f"The definition “{name[:80]}” is not used.", fix
            )


def _unused(part: Part) -> Iterator[tuple[str, str]]:
    """The pointer and name of each unused definition that is not inside another unused definition."""
    used: set[Node] | None = None
    for node in part.map.nodes:
        for pointer, name, definition in _defined(part, node):
            used = _reached(part.map.root) if used is None else used
            if node in used and definition not in used:
                yield pointer, name


def _defined(part: Part, node: Node) -> Iterator[tuple[str, str, Node | None]]:
    """The definitions in `node`: pointer, name, and node (None if it is not a schema, or not in the map)."""
    for keyword in ("$defs", "definitions"):
        members = keywords_of(node).get(keyword)
        if not isinstance(members, dict):
            continue
        nodes = {
            one.path: one for one in (*node.children, *part.map.unforeseen) if one.parent is node
        }
        for name in members:
            below = (one for path, one in nodes.items() if path[:2] == (keyword, name))
            yield (
                part.pointer_to(node, keyword, name),
                name,
                nodes.get((keyword, name)) or next(below, None),
            )


def _reached(start: Node) -> set[Node]:
    """The nodes that apply to values: `start`, its subschemas except definitions, and what these refer to."""
    reached: set[Node] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node in reached:
            continue
        reached.add(node)
        waiting += [
            child for child in node.children if child.path[0] not in {"$defs", "definitions"}
        ]
        for reference in node.references:
            waiting += reference.targets
            waiting += [
                above for target in reference.targets for above in _enclosing_definitions(target)
            ]
    return reached


def _enclosing_definitions(node: Node) -> Iterator[Node]:
    """The definitions that contain `node`, and so are used if it is."""
    above = node.parent
    while above is not None and above.parent is not None:
        if above.path[:1] in {("$defs",), ("definitions",)}:
            yield above
        above = above.parent


OF_SPECS: Final[tuple[SpecRule, ...]] = (definitions,)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (required_names,)
