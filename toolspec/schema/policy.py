"""The limits that a schema must obey to be stored: on its references, its loops, and its work.

A schema within these limits can be compiled, shown and evaluated at a bounded cost; the cost of a
value is limited by the budget of the run (`validation`). Every problem has a rule, a pointer and a
message:

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
    gate.depth            references are nested too deeply, or lead too deeply into a value
    gate.work             too many schemas apply to the same value
    gate.subschemas       too many subschemas
    gate.list             a list of values or names is too long
    gate.pattern          not a regular expression
    gate.pattern-length   a regular expression is too long, or all of them together

Sources: JSON Schema Core, sections 9.4.1 (infinite recursion) and 13 (security considerations).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
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

# Publishing assesses a spec: a lint and eight exports, some 1,000 lines of Python for each
# subschema.
MAX_SUBSCHEMAS: Final = 5_000
MAX_LIST: Final = 20_000  # entries of `enum`, `required`, …; the budget of a check counts them
# Characters of all different regular expressions, as translated for the engine.
MAX_ALL_PATTERNS: Final = 40_000
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
        problems = document.problems[:1]
    elif not document.complete:
        message = f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas; simplify or split it."
        problems = [Problem("", message, "gate.subschemas")]
    else:
        problems, _ = _check_parts(document)
        if any(node.references for node in document.nodes) or _has_unevaluated(document):
            problems += islice(_check_work(document), MAX_PROBLEMS)
        problems = choose_one_per_pointer(problems)[:MAX_PROBLEMS]
    return [replace(problem, pointer=pointer + problem.pointer) for problem in problems]


def _check_parts(document: SchemaMap) -> tuple[list[Problem], bool]:
    """The problems of all parts of a document, and whether none of a meta-schema is left out."""
    problems, are_all = _check_metaschemas(document)
    problems += document.problems
    problems += islice(_find_long_lists(document), MAX_PROBLEMS)
    problems += islice(_check_patterns(document), MAX_PROBLEMS)
    return problems, are_all


def select_acceptable_schemas(schemas: Sequence[JSON]) -> list[JSON]:
    """Those of `schemas` that obey the policy, as far as one pass over all together can find out.

    Much faster than `schema_policy_problems` for each if they share most of their definitions, as
    the tools of an API do. A schema that is not in the result may also obey the policy.

    Args:
        schemas: in the default dialect, without names of their own (`$id`, anchors), and with
            references to `#/$defs/<name>` only. Under each name all have the same object, or `true`
            in its place.
    """
    schemas_by_name = {f"/{number}": schema for number, schema in enumerate(schemas)}
    definitions = _unite_definitions(schemas)
    if definitions is None or not definitions.keys().isdisjoint(schemas_by_name):
        return []
    for name, schema in schemas_by_name.items():
        definitions[name] = _drop_definitions(schema)
    document = SchemaMap({"$defs": definitions}, max_nodes=MAX_SUBSCHEMAS_TOGETHER)
    if not document.complete or not all(map(_has_only_definitions_as_targets, document.nodes)):
        return []
    problems, are_all = _check_parts(document)
    if not are_all or len(problems) >= MAX_PROBLEMS:
        return []
    if any(_check_work(document, max_steps=MAX_STEPS_TOGETHER)):
        return []
    if any(problem.rule == "gate.pattern-length" for problem in problems):
        return []  # the patterns that follow may not have been read
    unacceptable = {split_pointer(problem.pointer)[1] for problem in problems}
    sizes, needs = _measure_definitions(document)
    acceptable = []
    for name, schema in schemas_by_name.items():
        own = _definitions_of(schema)
        parts = [part for part, definition in own.items() if definition is not True]
        parts.append(name)
        size = sum(sizes[part] for part in parts) + len(own)
        has_all_needed = all(needs[part] <= own.keys() for part in parts)
        if unacceptable.isdisjoint(parts) and has_all_needed and size <= MAX_SUBSCHEMAS:
            acceptable.append(schema)
    return acceptable


def _unite_definitions(schemas: Sequence[JSON]) -> dict[str, JSON] | None:
    """The definitions of all `schemas`; None if a name stands for different ones."""
    definitions: dict[str, JSON] = {}
    for schema in schemas:
        for name, definition in _definitions_of(schema).items():
            if definitions.get(name, True) is True:
                definitions[name] = definition
            elif definition is not True and definition is not definitions[name]:
                return None
    return definitions


def _definitions_of(schema: JSON) -> dict[str, JSON]:
    return members_of(members_of(schema).get("$defs"))


def _drop_definitions(schema: JSON) -> JSON:
    if not isinstance(schema, dict):
        return schema
    return {name: value for name, value in schema.items() if name != "$defs"}


def _has_only_definitions_as_targets(node: Node) -> bool:
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


def _measure_definitions(
    document: SchemaMap,
) -> tuple[Mapping[str, int], Mapping[str, set[str]]]:
    """Of each of the root's `$defs`: the number of its subschemas, and the others it refers to."""
    owners: dict[Node | None, str] = {}
    sizes: Counter[str] = Counter()
    needs: defaultdict[str, set[str]] = defaultdict(set)
    for node in document.nodes[1:]:
        owner = owners.get(node.parent) or str(node.path[1])
        owners[node] = owner
        sizes[owner] += 1
        for reference in node.references:
            needs[owner].add(str(reference.targets[0].path[1]))
    return sizes, needs


def _check_metaschemas(document: SchemaMap) -> tuple[list[Problem], bool]:
    """Violations of the meta-schema, at most `MAX_PROBLEMS`, and whether these are all.

    A part in another draft is checked against its own meta-schema.
    """
    problems: list[Problem] = []
    are_all = True
    for part, schema in parts_by_draft(document):
        if part.dialect.accepts(schema):
            continue
        of_part, are_all_of_part = metaschema_problems(schema, part.dialect)
        problems += [replace(each, pointer=part.pointer + each.pointer) for each in of_part]
        are_all = are_all and are_all_of_part
        if len(problems) >= MAX_PROBLEMS:
            return problems[:MAX_PROBLEMS], False
    return problems, are_all


def _find_long_lists(document: SchemaMap) -> Iterator[Problem]:
    for node in document.nodes:
        if not isinstance(node.schema, dict) or _LISTS.isdisjoint(node.schema):
            continue
        for keyword in _LISTS:
            value = node.schema.get(keyword)
            if isinstance(value, list) and len(value) > MAX_LIST:
                message = (
                    f"`{keyword}` has {len(value):,} entries; at most {MAX_LIST:,} are allowed."
                )
                yield _make_problem(node, "gate.list", message, keyword)


def _check_patterns(document: SchemaMap) -> Iterator[Problem]:
    total = 0
    counted: set[str] = set()
    for node in document.nodes:
        if not isinstance(node.schema, dict) or _PATTERNS.isdisjoint(node.schema):
            continue
        for path, source in _list_patterns(node.schema):
            pattern = compile_pattern(source)
            if isinstance(pattern, PatternError):
                rule, message = _explain_pattern(source, pattern)
                yield _make_problem(node, rule, message, *path)
                continue
            if source in counted:  # compiled once
                continue
            counted.add(source)
            total += len(pattern.translated)
            if total > MAX_ALL_PATTERNS:
                message = (
                    "The regular expressions of this schema are too long in total; "
                    "shorten or remove some."
                )
                yield _make_problem(node, "gate.pattern-length", message, *path)
                return


def _list_patterns(schema: dict[str, JSON]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The regular expressions in `schema` itself, each with its path."""
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        yield ("pattern",), pattern
    for pattern in members_of(schema.get("patternProperties")):
        yield ("patternProperties", pattern), pattern


def _explain_pattern(source: str, error: PatternError) -> tuple[str, str]:
    """The rule that the regular expression `source` breaks, and the message."""
    if len(source) > MAX_PATTERN_CHARACTERS:
        message = (
            f"This regular expression has {len(source):,} characters; "
            f"at most {MAX_PATTERN_CHARACTERS:,} are allowed."
        )
        return "gate.pattern-length", message
    message = f"Invalid regular expression at character {error.position + 1}: {error.message}"
    return "gate.pattern", message


def _check_work(document: SchemaMap, *, max_steps: int = MAX_STEPS) -> Iterator[Problem]:
    graph = Graph(document.nodes)
    has_loops = False
    for node, keyword in graph.find_loops_in_place():
        has_loops = True
        message = (
            f"`{keyword}` refers back to its own schema for the same value, "
            "so checking would never end."
        )
        yield _make_problem(node, "gate.loop", message, keyword)
    if has_loops:
        return
    for node, level in zip(document.nodes, graph.count_levels(), strict=True):
        if level > MAX_DEPTH:
            message = (
                f"Its references describe values nested more than {MAX_DEPTH} levels deep; "
                "reduce the nesting."
            )
            yield _make_problem(node, "gate.depth", message)
            break
    try:
        costs = graph.count_costs(max_steps=max_steps)
    except TooMuchToCount:
        message = "The schema is too complex to be checked in time; simplify it."
        yield _make_problem(document.root, "gate.work", message)
        return
    depths = [cost.depth for cost in costs]
    if max(depths) > MAX_DEPTH_IN_PLACE:
        deepest = document.nodes[depths.index(max(depths))]
        message = (
            "This chain of references and branches has more than "
            f"{MAX_DEPTH_IN_PLACE} schemas; shorten it."
        )
        yield _make_problem(deepest, "gate.depth", message)
    work = [max(cost.here, cost.path) for cost in costs]
    if max(work) > MAX_WORK:
        heaviest = document.nodes[work.index(max(work))]
        message = f"More than {MAX_WORK:,} schemas apply to the same value here; use fewer."
        yield _make_problem(heaviest, "gate.work", message)


def _has_unevaluated(document: SchemaMap) -> bool:
    keywords = {("unevaluatedItems",), ("unevaluatedProperties",)}
    return any(node.path[:1] in keywords for node in document.nodes)


def choose_one_per_pointer(problems: list[Problem]) -> list[Problem]:
    first: dict[str, Problem] = {}
    for problem in problems:
        first.setdefault(problem.pointer, problem)
    return list(first.values())


def _make_problem(node: Node, rule: str, message: str, *path: str) -> Problem:
    keyword = path[0] if path else None
    return Problem(pointer_join(node.pointer, *path), message, rule, keyword=keyword)
