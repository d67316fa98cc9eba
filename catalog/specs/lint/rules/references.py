"""Names that lead to nothing: required members that are not declared, definitions that nothing refers to."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from catalog.json_schema.index import Node
from catalog.json_schema.validation import Budget
from catalog.json_schema.validation.budget import Run, Unchecked
from catalog.json_schema.validation.pattern_search import found_in
from catalog.jsontext.patch import Operation
from catalog.specs.lint.context import Part, Subject, keywords_of
from catalog.specs.lint.findings import Finding, Fix
from catalog.specs.lint.registry import found


def required_names(part: Part, node: Node) -> Iterator[Finding]:
    schema = keywords_of(node)
    names = schema.get("required")
    if not isinstance(names, list) or not _declares_members(node):
        return
    around = [part.declared_in_place(one) for one in _around(node)]
    patterns = frozenset[str]().union(*(patterns for _, patterns in around))
    for index, name in enumerate(names):
        if any(name in known for known, _ in around):
            continue
        if not _is_matched(str(name), patterns, part.budget):
            place = part.pointer_to(node, "required", index)
            fix = Fix("Do not require it", (Operation("remove", place),))
            closed = (
                " Nothing else is allowed, so no value is valid." if schema.get("additionalProperties") is False else ""
            )
            yield found("required-undeclared", place, f"“{str(name)[:80]}” is required and not declared.{closed}", fix)


def _declares_members(node: Node) -> bool:
    """Whether the members are meant to be listed; a part that only asks for some of them lists none."""
    schema = keywords_of(node)
    is_part = bool(node.path) and node.path[0] in {"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
    return "properties" in schema or (schema.get("type") == "object" and not is_part and "$ref" not in schema)


def _around(node: Node) -> list[Node]:
    """`node` and the nodes that contain it."""
    found_here = [node]
    above = node
    while above.parent is not None and above.path[0] in {"allOf", "anyOf", "oneOf", "if", "then", "else", "not"}:
        above = above.parent
        found_here.append(above)
    return found_here


def _is_matched(name: str, patterns: Collection[str], budget: Budget) -> bool:
    """Whether one of `patterns` matches the member name `name`; True if that takes too long to check."""
    with Run(budget) as run:
        try:
            return any(found_in(pattern, name, run) for pattern in patterns)
        except Unchecked:
            return True


def definitions(subject: Subject) -> Iterator[Finding]:
    """Definitions that no reference leads to, from the schema or from definitions that are used."""
    for part in subject.parts:
        unused = list(_unused(part))
        removals = tuple(Operation("remove", place) for place, _ in unused)
        fix = Fix("Take out all that nothing refers to", removals, safe=True)  # they may refer to each other
        for place, name in unused:
            yield found("definition-unused", place, f"Nothing refers to “{name[:80]}”.", fix)


def _unused(part: Part) -> Iterator[tuple[str, str]]:
    """Where each definition stands that is not used, and its name; not those inside of one."""
    used: set[Node] | None = None
    for node in part.map.nodes:
        for place, name, definition in _defined(part, node):
            used = _reached(part.map.root) if used is None else used
            if node in used and definition not in used:
                yield place, name


def _defined(part: Part, node: Node) -> Iterator[tuple[str, str, Node | None]]:
    """The definitions in `node`: where each stands, its name, and its node where it is a schema that is known of."""
    for keyword in ("$defs", "definitions"):
        members = keywords_of(node).get(keyword)
        if not isinstance(members, dict):
            continue
        nodes = {one.path: one for one in (*node.children, *part.map.unforeseen) if one.parent is node}
        for name in members:
            below = (one for path, one in nodes.items() if path[:2] == (keyword, name))
            yield part.pointer_to(node, keyword, name), name, nodes.get((keyword, name)) or next(below, None)


def _reached(start: Node) -> set[Node]:
    """What holds for values: from the schema through its parts and references, not through its lists of definitions."""
    reached: set[Node] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node in reached:
            continue
        reached.add(node)
        waiting += [child for child in node.children if child.path[0] not in {"$defs", "definitions"}]
        for reference in node.references:
            waiting += reference.targets
            waiting += [above for target in reference.targets for above in _holding(target)]
    return reached


def _holding(node: Node) -> Iterator[Node]:
    """The definitions that a target stands inside of: they are used for its sake."""
    above = node.parent
    while above is not None and above.parent is not None:
        if above.path[:1] in {("$defs",), ("definitions",)}:
            yield above
        above = above.parent
