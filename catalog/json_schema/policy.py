"""The gate that a stranger's schema passes before it is kept: what it refers to, how it loops, how much it asks for.

What passes can be compiled, drawn and evaluated at a bounded cost; what a value adds to that
is for the budget of the run (`validation`). Every refusal has a code, a pointer and a sentence:

    spec.schema           does not follow its draft's meta-schema
    gate.dialect          `$schema` names no known draft
    gate.dialect-nested   another draft in the middle of a schema
    gate.id               `$id` is no URI, or carries a fragment
    gate.id-standard      `$id` is the name of a published standard
    gate.id-twice         `$id` names two schemas
    gate.anchor-twice     an anchor names two places
    gate.ref              a reference is no URI reference
    gate.ref-remote       it leads out of the document
    gate.ref-missing      it leads nowhere
    gate.ref-not-schema   it leads to what is not a schema
    gate.loop             checking would go round for ever
    gate.depth            references and branches are nested too deeply, or lead too deeply into a value
    gate.work             too many schemas would look at the same value
    gate.subschemas       too many subschemas
    gate.list             too long a list of values or names
    gate.pattern          not a regular expression, or too many of them
    gate.pattern-length   too long a regular expression

Sources: JSON Schema Core, sections 9.4.1 (infinite recursion) and 13 (security considerations).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from catalog.errors import MAX_PROBLEMS, Problem
from catalog.json_schema.complexity import TooMuchToCount, costs, levels, loops_in_place
from catalog.json_schema.dialects import DEFAULT_DIALECT, dialect_of
from catalog.json_schema.index import Node, SchemaMap
from catalog.json_schema.metaschema_errors import RULE, metaschema_problems
from catalog.json_schema.regex.match import MAX_PATTERN_CHARACTERS, PatternError, compile_pattern
from catalog.json_schema.regex.translate import translate
from catalog.jsontext.patch import set_at
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON, MAX_DEPTH

MAX_SUBSCHEMAS: Final = 2_000
MAX_LIST: Final = 2_000  # entries of `enum`, `required` and the like
MAX_ALL_PATTERNS: Final = 40_000  # characters that all regular expressions spell out to the engine, which compiles them
MAX_DEPTH_IN_PLACE: Final = 64
MAX_WORK: Final = 10_000  # evaluations along one path into a value

_LISTS: Final = frozenset({"enum", "required", "examples"})
_PATTERNS: Final = frozenset({"pattern", "patternProperties"})


def schema_policy_problems(schema: JSON, pointer: str = "") -> list[Problem]:
    """What is not acceptable about `schema`, which stands at `pointer` in its document; at most `MAX_PROBLEMS`.

    Linear in the schema, below 0.1 ms for a typical one.
    """
    document = SchemaMap(schema, max_nodes=MAX_SUBSCHEMAS)
    if dialect_of(schema, DEFAULT_DIALECT) is None:
        return [replace(problem, pointer=pointer + problem.pointer) for problem in document.problems[:1]]
    if not document.complete:
        message = f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas; split it, or say less."
        return [Problem(pointer=pointer, message=message, rule="gate.subschemas")]
    problems = [
        *islice(_misshapen(document), MAX_PROBLEMS),
        *document.problems,
        *islice(_long_lists(document), MAX_PROBLEMS),
        *islice(_bad_patterns(document), MAX_PROBLEMS),
    ]
    if any(node.references for node in document.nodes) or _mentions_unevaluated(document):
        problems += islice(_too_much_work(document), MAX_PROBLEMS)
    return [replace(problem, pointer=pointer + problem.pointer) for problem in one_per_pointer(problems)[:MAX_PROBLEMS]]


def _misshapen(document: SchemaMap) -> Iterator[Problem]:
    """Where the schema does not follow its meta-schema; parts in another draft follow that one's."""
    inner: dict[Node, list[Node]] = {node: [] for node in (document.root, *document.unforeseen)}
    for node in document.nodes[1:]:
        if node.parent and node.dialect is not node.parent.dialect:
            inner[node] = []
            inner[_part_around(node, inner)].append(node)
    refused = [part for part, others in inner.items() if not part.dialect.accepts(_without(part, others))]
    if not refused:
        return
    found = False
    for node in document.nodes:
        for problem in metaschema_problems(node):
            found = True
            yield problem
    for part in [] if found else refused:
        message = f"This does not follow the meta-schema of draft {part.dialect.name}."
        place = part.dialect.first_mistake(_without(part, inner[part]))
        yield Problem(pointer=pointer_join(part.pointer, *place), message=message, rule=RULE)


def _part_around(node: Node, parts: Container[Node]) -> Node:
    while node.parent is not None:
        node = node.parent
        if node in parts:
            break
    return node


def _without(part: Node, others: list[Node]) -> JSON:
    """The schema of `part`, with an empty one in place of each of the `others` inside it."""
    schema = part.schema
    for other in others:
        path: list[str | int] = []
        node = other
        while node is not part and node.parent is not None:
            path[:0] = node.path
            node = node.parent
        schema = set_at(schema, pointer_join("", *path), {})
    return schema


def _long_lists(document: SchemaMap) -> Iterator[Problem]:
    for node in document.nodes:
        if not isinstance(node.schema, dict) or _LISTS.isdisjoint(node.schema):
            continue
        for keyword in _LISTS:
            value = node.schema.get(keyword)
            if isinstance(value, list) and len(value) > MAX_LIST:
                message = f"`{keyword}` has {len(value):,} entries; at most {MAX_LIST:,} are taken."
                yield _problem(node, "gate.list", message, keyword)


def _bad_patterns(document: SchemaMap) -> Iterator[Problem]:
    spelled_out = 0
    for node in document.nodes:
        if not isinstance(node.schema, dict) or _PATTERNS.isdisjoint(node.schema):
            continue
        for path, pattern in _patterns(node.schema):
            complaint = _pattern_complaint(pattern)
            if complaint:
                yield _problem(node, *complaint, *path)
                continue
            spelled_out += len(translate(pattern))
            if spelled_out > MAX_ALL_PATTERNS:
                message = "The regular expressions of this schema are too much together; say less by them."
                yield _problem(node, "gate.pattern-length", message, *path)
                return


def _patterns(schema: dict[str, JSON]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The regular expressions that stand in `schema` itself, each with its path."""
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        yield ("pattern",), pattern
    members = schema.get("patternProperties")
    for pattern in members if isinstance(members, dict) else ():
        yield ("patternProperties", pattern), pattern


def _pattern_complaint(pattern: str) -> tuple[str, str] | None:
    """The rule that a regular expression breaks, and the sentence."""
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        return "gate.pattern-length", (
            f"This regular expression has {len(pattern):,} characters; at most {MAX_PATTERN_CHARACTERS} are taken."
        )
    compiled = compile_pattern(pattern)
    if isinstance(compiled, PatternError):
        return "gate.pattern", (
            f"This is no regular expression of ECMA-262, at character {compiled.position + 1}: {compiled.message}"
        )
    return None


def _too_much_work(document: SchemaMap) -> Iterator[Problem]:
    looped = False
    for node, keyword in loops_in_place(document.nodes):
        looped = True
        message = f"`{keyword}` comes back to itself without going on to a smaller value, so checking would never end."
        yield _problem(node, "gate.loop", message, keyword)
    if looped:
        return
    level = levels(document.nodes)
    too_deep = next((node for node in document.nodes if level[node] > MAX_DEPTH), None)
    if too_deep:
        message = (
            f"References lead more than {MAX_DEPTH} levels into a value here, deeper than any value is. Shorten them."
        )
        yield _problem(too_deep, "gate.depth", message)
    try:
        cost = costs(document.nodes)
    except TooMuchToCount:
        yield Problem(pointer="", message="The schema is too entangled to be checked in time.", rule="gate.work")
        return
    deepest = max(document.nodes, key=lambda node: cost[node].depth)
    if cost[deepest].depth > MAX_DEPTH_IN_PLACE:
        message = f"References and branches lead through more than {MAX_DEPTH_IN_PLACE} schemas here."
        yield _problem(deepest, "gate.depth", message)
    heaviest = max(document.nodes, key=lambda node: max(cost[node].here, cost[node].path))
    if max(cost[heaviest].here, cost[heaviest].path) > MAX_WORK:
        message = f"More than {MAX_WORK:,} schemas would look at the same part of a value here; refer to fewer."
        yield _problem(heaviest, "gate.work", message)


def _mentions_unevaluated(document: SchemaMap) -> bool:
    return any(node.path[:1] in {("unevaluatedItems",), ("unevaluatedProperties",)} for node in document.nodes)


def one_per_pointer(problems: list[Problem]) -> list[Problem]:
    first: dict[str, Problem] = {}
    for problem in problems:
        first.setdefault(problem.pointer, problem)
    return list(first.values())


def _problem(node: Node, rule: str, message: str, *path: str) -> Problem:
    keyword = path[0] if path else None
    return Problem(pointer=pointer_join(node.pointer, *path), message=message, rule=rule, keyword=keyword)
