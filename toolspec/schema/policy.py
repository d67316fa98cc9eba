"""The limits that a schema must obey to be stored: its references, its loops, and the work that it causes.

A schema within these limits can be compiled, shown and evaluated at a bounded cost; the cost of a value is limited by
the budget of the run (`validation`). Every problem has a rule, a pointer and a message:

    spec.schema           does not follow its draft's meta-schema
    gate.dialect          `$schema` names no known draft
    gate.id               `$id` is not a URI, or has a fragment (from 2019-09)
    gate.id-standard      `$id` is the identifier of a published standard
    gate.id-twice         two schemas have the same `$id`, and a reference uses it
    gate.anchor-twice     two schemas have the same anchor
    gate.ref              a reference is not a URI reference
    gate.ref-remote       its target is outside the document
    gate.ref-missing      its target does not exist
    gate.ref-not-schema   its target is not a schema
    gate.loop             checking a value would never end
    gate.depth            references and branches are nested too deeply, or lead too deeply into a value
    gate.work             too many schemas apply to the same value
    gate.subschemas       too many subschemas
    gate.list             a list of values or names is too long
    gate.pattern          not a regular expression
    gate.pattern-length   a regular expression is too long, or all of them together

Sources: JSON Schema Core, sections 9.4.1 (infinite recursion) and 13 (security considerations).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from toolspec.errors import MAX_PROBLEMS, Problem
from toolspec.schema.complexity import MAX_STEPS, Graph, TooMuchToCount
from toolspec.schema.dialects import DEFAULT_DIALECT, dialect_of
from toolspec.schema.index import Node, SchemaMap, parts_by_draft
from toolspec.schema.metaschema_errors import metaschema_problems
from toolspec.schema.patterns import MAX_PATTERN_CHARACTERS, PatternError, compile_pattern
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join, split_pointer
from toolspec.text.reader import JSON, MAX_DEPTH

# Publishing assesses a spec: a lint and eight exports, some 1,000 lines of Python for each subschema.
MAX_SUBSCHEMAS: Final = 5_000
MAX_LIST: Final = (
    20_000  # entries of `enum`, `required` and the like; the budget of a check counts them
)
MAX_ALL_PATTERNS: Final = (
    40_000  # characters of all different regular expressions, as translated for the engine
)
MAX_DEPTH_IN_PLACE: Final = 64
MAX_WORK: Final = 10_000  # evaluations along one path into a value

MAX_SUBSCHEMAS_TOGETHER: Final = 200_000  # of all schemas of an imported document
MAX_STEPS_TOGETHER: Final = 2_000_000  # for counting their work

_LISTS: Final = frozenset({"enum", "required", "examples"})
_PATTERNS: Final = frozenset({"pattern", "patternProperties"})
_NAMES: Final = frozenset({"$id", "$anchor", "$dynamicAnchor"})


def schema_policy_problems(schema: JSON, pointer: str = "") -> list[Problem]:
    """The problems of `schema`, which is at `pointer` in its document; at most `MAX_PROBLEMS`.

    Linear in the schema; below 0.1 ms for a typical one.
    """
    document = SchemaMap(schema, max_nodes=MAX_SUBSCHEMAS)
    if dialect_of(schema, DEFAULT_DIALECT) is None:
        return [
            replace(problem, pointer=pointer + problem.pointer) for problem in document.problems[:1]
        ]
    if not document.complete:
        message = f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas; simplify or split it."
        return [Problem(pointer=pointer, message=message, rule="gate.subschemas")]
    malformed, _ = _malformed(document)
    problems = [
        *malformed,
        *document.problems,
        *islice(_long_lists(document), MAX_PROBLEMS),
        *islice(_bad_patterns(document), MAX_PROBLEMS),
    ]
    if any(node.references for node in document.nodes) or _mentions_unevaluated(document):
        problems += islice(_too_much_work(document), MAX_PROBLEMS)
    return [
        replace(problem, pointer=pointer + problem.pointer)
        for problem in one_per_pointer(problems)[:MAX_PROBLEMS]
    ]


def schemas_that_hold(schemas: Sequence[JSON]) -> list[JSON]:
    """Those of `schemas` that obey the policy, as far as one pass over all of them together can find out.

    Much faster than `schema_policy_problems` for each if they share most of their definitions, as the tools of an API
    do. A schema that is not in the result may also obey the policy.

    Args:
        schemas: in the default dialect, without names of their own (`$id`, anchors), and with references to
            `#/$defs/<name>` only. Under each name all have the same object, or `true` in its place.
    """
    tops = {f"/{number}": schema for number, schema in enumerate(schemas)}
    definitions: dict[str, JSON] = {}
    for schema in schemas:
        for name, definition in _definitions_of(schema).items():
            if definitions.get(name, True) is True:
                definitions[name] = definition
            elif definition is not True and definition is not definitions[name]:
                return []
    if not definitions.keys().isdisjoint(tops):
        return []
    together: JSON = {
        "$defs": {
            **definitions,
            **{name: _without_definitions(schema) for name, schema in tops.items()},
        }
    }
    document = SchemaMap(together, max_nodes=MAX_SUBSCHEMAS_TOGETHER)
    if not document.complete or not all(map(_refers_to_definitions_only, document.nodes)):
        return []
    malformed, are_all = _malformed(document)
    problems = [
        *malformed,
        *document.problems,
        *islice(_long_lists(document), MAX_PROBLEMS),
        *islice(_bad_patterns(document), MAX_PROBLEMS),
    ]
    if not are_all or len(problems) >= MAX_PROBLEMS:
        return []
    if any(_too_much_work(document, max_steps=MAX_STEPS_TOGETHER)):
        return []
    if any(problem.rule == "gate.pattern-length" for problem in problems):
        return []  # the patterns that follow may not have been read
    refused = {split_pointer(problem.pointer)[1] for problem in problems}
    sizes, needs = _sizes_and_needs_of_definitions(document)
    found = []
    for name, schema in tops.items():
        own = _definitions_of(schema)
        parts = [name, *(part for part, definition in own.items() if definition is not True)]
        size = sum(sizes[part] for part in parts) + len(own)
        has_all_needed = all(needs[part] <= own.keys() for part in parts)
        if refused.isdisjoint(parts) and has_all_needed and size <= MAX_SUBSCHEMAS:
            found.append(schema)
    return found


def _definitions_of(schema: JSON) -> dict[str, JSON]:
    return members_of(members_of(schema).get("$defs"))


def _without_definitions(schema: JSON) -> JSON:
    if not isinstance(schema, dict):
        return schema
    return {name: value for name, value in schema.items() if name != "$defs"}


def _refers_to_definitions_only(node: Node) -> bool:
    """Whether `node` means the same in each document that has its definitions."""
    if node.dialect is not DEFAULT_DIALECT or not _NAMES.isdisjoint(members_of(node.schema)):
        return False
    for reference in node.references:
        if reference.keyword != "$ref" or reference.to_bundled:
            return False
        parent = reference.targets[0].parent
        if parent is None or parent.parent is not None:
            return False
    return True


def _sizes_and_needs_of_definitions(
    document: SchemaMap,
) -> tuple[dict[str, int], dict[str, set[str]]]:
    """The number of subschemas in each of the root's `$defs`, and the others that it refers to, by its name."""
    owners: dict[Node, str] = {}
    sizes: dict[str, int] = {}
    needs: dict[str, set[str]] = {}
    for node in document.nodes[1:]:
        is_definition = node.parent is document.root
        owner = str(node.path[1]) if is_definition or not node.parent else owners[node.parent]
        owners[node] = owner
        sizes[owner] = sizes.get(owner, 0) + 1
        needed = needs.setdefault(owner, set())
        needed.update(str(one.targets[0].path[1]) for one in node.references)
    return sizes, needs


def _malformed(document: SchemaMap) -> tuple[list[Problem], bool]:
    """Violations of the meta-schema, at most `MAX_PROBLEMS`, and whether these are all.

    A part in another draft is checked against its own meta-schema.
    """
    found: list[Problem] = []
    are_all = True
    for part, schema in parts_by_draft(document):
        if part.dialect.accepts(schema):
            continue
        problems, are_all_of_part = metaschema_problems(schema, part.dialect)
        found += [replace(problem, pointer=part.pointer + problem.pointer) for problem in problems]
        are_all = are_all and are_all_of_part
        if len(found) >= MAX_PROBLEMS:
            return found[:MAX_PROBLEMS], False
    return found, are_all


def _long_lists(document: SchemaMap) -> Iterator[Problem]:
    for node in document.nodes:
        if not isinstance(node.schema, dict) or _LISTS.isdisjoint(node.schema):
            continue
        for keyword in _LISTS:
            value = node.schema.get(keyword)
            if isinstance(value, list) and len(value) > MAX_LIST:
                message = (
                    f"`{keyword}` has {len(value):,} entries; at most {MAX_LIST:,} are allowed."
                )
                yield _problem(node, "gate.list", message, keyword)


def _bad_patterns(document: SchemaMap) -> Iterator[Problem]:
    total = 0
    counted: set[str] = set()
    for node in document.nodes:
        if not isinstance(node.schema, dict) or _PATTERNS.isdisjoint(node.schema):
            continue
        for path, source in _patterns(node.schema):
            pattern = compile_pattern(source)
            if isinstance(pattern, PatternError):
                yield _problem(node, *_pattern_violation(source, pattern), *path)
                continue
            if source in counted:  # compiled once
                continue
            counted.add(source)
            total += len(pattern.translated)
            if total > MAX_ALL_PATTERNS:
                message = "The regular expressions of this schema are too long in total; shorten or remove some."
                yield _problem(node, "gate.pattern-length", message, *path)
                return


def _patterns(schema: dict[str, JSON]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The regular expressions in `schema` itself, each with its path."""
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        yield ("pattern",), pattern
    for pattern in members_of(schema.get("patternProperties")):
        yield ("patternProperties", pattern), pattern


def _pattern_violation(source: str, error: PatternError) -> tuple[str, str]:
    """The rule that the regular expression `source` breaks, and the message."""
    if len(source) > MAX_PATTERN_CHARACTERS:
        return "gate.pattern-length", (
            f"This regular expression has {len(source):,} characters; at most {MAX_PATTERN_CHARACTERS:,} are allowed."
        )
    return "gate.pattern", (
        f"Invalid regular expression at character {error.position + 1}: {error.message}"
    )


def _too_much_work(document: SchemaMap, *, max_steps: int = MAX_STEPS) -> Iterator[Problem]:
    graph = Graph(document.nodes)
    looped = False
    for node, keyword in graph.find_loops_in_place():
        looped = True
        message = f"`{keyword}` refers back to its own schema for the same value, so checking would never end."
        yield _problem(node, "gate.loop", message, keyword)
    if looped:
        return
    levels = graph.count_levels()
    if max(levels) > MAX_DEPTH:
        too_deep = next(
            node for node, level in zip(document.nodes, levels, strict=True) if level > MAX_DEPTH
        )
        message = f"Its references describe values nested more than {MAX_DEPTH} levels deep; reduce the nesting."
        yield _problem(too_deep, "gate.depth", message)
    try:
        costs = graph.count_costs(max_steps=max_steps)
    except TooMuchToCount:
        yield Problem(
            pointer="",
            message="The schema is too complex to be checked in time; simplify it.",
            rule="gate.work",
        )
        return
    depths = [cost.depth for cost in costs]
    if max(depths) > MAX_DEPTH_IN_PLACE:
        deepest = document.nodes[depths.index(max(depths))]
        message = f"This chain of references and branches has more than {MAX_DEPTH_IN_PLACE} schemas; shorten it."
        yield _problem(deepest, "gate.depth", message)
    work = [max(cost.here, cost.path) for cost in costs]
    if max(work) > MAX_WORK:
        heaviest = document.nodes[work.index(max(work))]
        message = f"More than {MAX_WORK:,} schemas apply to the same value here; use fewer."
        yield _problem(heaviest, "gate.work", message)


def _mentions_unevaluated(document: SchemaMap) -> bool:
    return any(
        node.path[:1] in {("unevaluatedItems",), ("unevaluatedProperties",)}
        for node in document.nodes
    )


def one_per_pointer(problems: list[Problem]) -> list[Problem]:
    first: dict[str, Problem] = {}
    for problem in problems:
        first.setdefault(problem.pointer, problem)
    return list(first.values())


def _problem(node: Node, rule: str, message: str, *path: str) -> Problem:
    keyword = path[0] if path else None
    return Problem(
        pointer=pointer_join(node.pointer, *path), message=message, rule=rule, keyword=keyword
    )
