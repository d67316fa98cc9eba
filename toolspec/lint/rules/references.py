"""Required members that are not declared, and definitions that are not used."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from toolspec.lint.context import Part, SchemaRule, SpecRule, Subject, keywords_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.index import Node
from toolspec.schema.validation import Budget
from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.schema.validation.pattern_search import found_in
from toolspec.text.containers import members_of
from toolspec.text.patch import Operation

_IN_PLACE: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
_DEFINITIONS: Final = frozenset({"$defs", "definitions"})


def check_required(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    names = schema.get("required")
    if not isinstance(names, list) or not _declares_members(node):
        return
    declared: set[str] = set()
    patterns: set[str] = set()
    for around in _with_in_place_parents(node):
        more_names, more_patterns = part.declared_in_place(around)
        declared |= more_names
        patterns |= more_patterns
    for index, name in enumerate(names):
        if name not in declared and not _is_matched(str(name), patterns, part.budget):
            pointer = part.pointer_to(node, "required", index)
            fix = Fix("Do not require it", (Operation("remove", pointer),))
            message = f"“{str(name)[:80]}” is required but not declared."
            if schema.get("additionalProperties") is False:
                message += " Other properties are not allowed, so no value is valid."
            yield make_finding("required-undeclared", pointer, message, fix)


def _declares_members(node: Node) -> bool:
    """Whether `node` should declare its members; a branch such as {"required": ["a"]} need not."""
    schema = keywords_of(node)
    if "properties" in schema:
        return True
    is_part = bool(node.path) and node.path[0] in _IN_PLACE
    return schema.get("type") == "object" and not is_part and "$ref" not in schema


def _with_in_place_parents(node: Node) -> list[Node]:
    """`node`, and the nodes that contain it and apply to the same value."""
    nodes = [node]
    while node.parent is not None and node.path[0] in _IN_PLACE:
        node = node.parent
        nodes.append(node)
    return nodes


def _is_matched(name: str, patterns: Collection[str], budget: Budget) -> bool:
    """Whether one of `patterns` matches the member name `name`.

    True if that takes too long to check.
    """
    with Run(budget) as run:
        try:
            return any(found_in(pattern, name, run) for pattern in patterns)
        except Unchecked:
            return True


def find_unused_definitions(subject: Subject) -> Iterator[Finding]:
    """Definitions that neither the schema nor a used definition refers to."""
    for part in subject.parts:
        unused = list(_find_unused(part))
        removals = tuple(Operation("remove", pointer) for pointer, _ in unused)
        # one fix for all, because they may refer to each other
        fix = Fix("Remove all unused definitions", removals, safe=True)
        for pointer, name in unused:
            message = f"The definition “{name[:80]}” is not used."
            yield make_finding("definition-unused", pointer, message, fix)


def _find_unused(part: Part) -> Iterator[tuple[str, str]]:
    """(pointer, name) of each unused definition that is not inside another unused one."""
    used: set[Node] | None = None
    for node in part.map.nodes:
        for pointer, name, definition in _list_definitions(part, node):
            if used is None:
                used = _find_used(part.map.root)
            if node in used and definition not in used:
                yield pointer, name


def _list_definitions(part: Part, node: Node) -> Iterator[tuple[str, str, Node | None]]:
    """(pointer, name, node) of each definition in `node`.

    The node is None if it is not a schema, or not in the map.
    """
    for keyword in ("$defs", "definitions"):
        members = members_of(keywords_of(node).get(keyword))
        if not members:
            continue
        children = {child.path: child for child in node.children}
        children |= {child.path: child for child in part.map.unforeseen if child.parent is node}
        for name in members:
            definition = children.get((keyword, name))
            if definition is None:
                below = (child for path, child in children.items() if path[:2] == (keyword, name))
                definition = next(below, None)
            yield part.pointer_to(node, keyword, name), name, definition


def _find_used(start: Node) -> set[Node]:
    """The nodes that apply to values: `start`, its subschemas, and the targets of references."""
    used: set[Node] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node in used:
            continue
        used.add(node)
        waiting += [child for child in node.children if child.path[0] not in _DEFINITIONS]
        for reference in node.references:
            for target in reference.targets:
                waiting.append(target)
                waiting += _enclosing_definitions(target)
    return used


def _enclosing_definitions(node: Node) -> Iterator[Node]:
    """The definitions that contain `node`, and so are used if it is."""
    above = node.parent
    while above is not None and above.parent is not None:
        if above.path[0] in _DEFINITIONS:
            yield above
        above = above.parent


OF_SPECS: Final[tuple[SpecRule, ...]] = (find_unused_definitions,)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (check_required,)
