"""Which subschemas apply to the same value as a given one.

A schema applies others to its own value ("in place") through references, `allOf`, `anyOf`, `oneOf`,
`not`, `if`, `then`, `else` and `dependentSchemas`. Schemas are never merged: every answer is a list
of subschemas. Each subschema is visited once, so a loop of references ends. `children.py` answers
the same question for members and items.

    always             through references and `allOf`: they apply whatever the value is
    branches           through `anyOf` and `oneOf`
    conditional        through `if`, `then`, `else`, `dependentSchemas` and `dependencies`
    outcomes           those of them that apply to a given value
    gather, gather_all all subschemas that always apply, and all that may apply
    steps_of           the same for a node of `SchemaMap`

The validator does not use this module: it checks the value against each subschema, counts each
check, and stops as soon as the result is certain (`validation/keywords.py`,
`validation/unevaluated.py`).

Sources: JSON Schema 2020-12 Core, sections 8.2.3, 10.2 and 10.3; the earlier drafts by their own
keywords.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from toolspec.schema.index import Node
from toolspec.schema.validation import Budget, Subschema
from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

MAX_SUBSCHEMAS: Final = 4000  # that may apply to one value; real schemas have a handful
ALWAYS: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf"})
BRANCHES: Final = ("anyOf", "oneOf")
CONDITIONAL: Final = ("if", "then", "else", "dependentSchemas", "dependencies")
_IN_PLACE: Final = ALWAYS | {*BRANCHES, *CONDITIONAL, "not"}


class Impossible(Exception):
    """No value can be valid."""


# One step.


def always(subschema: Subschema) -> Iterator[Subschema]:
    """The targets of references, and the parts of `allOf`."""
    yield from subschema.references()
    yield from subschema.list_schemas("allOf")


def branches(subschema: Subschema) -> Iterator[tuple[str, list[Subschema]]]:
    """(keyword, options) of `anyOf` and of `oneOf`, each if it has any."""
    for keyword in BRANCHES:
        options = subschema.list_schemas(keyword)
        if options:
            yield keyword, options


def conditional(subschema: Subschema) -> Iterator[Subschema]:
    """The subschemas of `if`, `then`, `else`, `dependentSchemas` and `dependencies`.

    They count whether or not they apply, and even if the draft does not define the keyword: schemas
    mix drafts, and may mark a secret there.
    """
    for keyword in ("if", "then", "else"):
        if keyword in subschema.all_keywords:
            yield subschema.sub(keyword)
    for _, _, dependent in dependent_schemas(subschema, subschema.all_keywords):
        yield dependent


def outcomes(
    subschema: Subschema,
    keywords: dict[str, JSON],
    value: JSON,
    is_valid: Callable[[Subschema, JSON], bool | None],
) -> Iterator[tuple[tuple[str, ...], Subschema]]:
    """(path, subschema) of what `if`, `dependentSchemas` and `dependencies` add for `value`.

    `keywords` are `subschema.keywords`, or `subschema.all_keywords` to count those of other drafts
    too. `is_valid` returns None if the answer is not known; then neither `then` nor `else` is
    added.
    """
    if "if" in keywords and ("then" in keywords or "else" in keywords):
        result = is_valid(subschema.sub("if"), value)
        branch = "then" if result else "else"
        if result is not None and branch in keywords:
            yield (branch,), subschema.sub(branch)
    if isinstance(value, dict):
        for keyword, name, dependent in dependent_schemas(subschema, keywords):
            if name in value:
                yield (keyword, name), dependent


def dependent_schemas(
    subschema: Subschema, keywords: dict[str, JSON]
) -> Iterator[tuple[str, str, Subschema]]:
    """(keyword, name, subschema) of each subschema for objects with the member `name`."""
    for keyword in ("dependentSchemas", "dependencies"):
        for name, schema in members_of(keywords.get(keyword)).items():
            if not isinstance(schema, list):
                yield keyword, name, subschema.sub(keyword, name)


def steps_of(node: Node) -> Iterator[tuple[str, Node]]:
    """(keyword, node) of each node that applies to the same value as `node`.

    Up to draft-07, `$ref` hides everything beside it; the caller decides whether this matters.
    """
    for reference in node.references:
        for target in reference.targets:
            yield reference.keyword, target
    for child in node.children:
        keyword = str(child.path[0])
        if keyword in _IN_PLACE:
            yield keyword, child


# All of them.


def gather(
    subschemas: Iterable[Subschema], known: Iterable[Subschema] = ()
) -> tuple[list[Subschema], list[list[Subschema]]]:
    """All subschemas that always apply where `subschemas` do, and the options of each union.

    Those that are `known` are left out.

    Raises:
        Impossible: one of them accepts nothing.
    """
    seen = {subschema.identity for subschema in known}
    applicable: list[Subschema] = []
    unions: list[list[Subschema]] = []
    waiting = deque(subschemas)
    while waiting:
        subschema = waiting.popleft()
        if subschema.schema is False:
            raise Impossible
        if subschema.identity in seen:
            continue
        seen.add(subschema.identity)
        applicable.append(subschema)
        waiting += always(subschema)
        unions += (options for _, options in branches(subschema))
    return applicable, unions


def gather_all(subschemas: Iterable[Subschema], run: Run) -> list[Subschema]:
    """Every subschema that may apply where `subschemas` do, whichever branches and conditions hold.

    Raises:
        Unchecked: the budget of `run` is used up, or there are more than `MAX_SUBSCHEMAS`.
    """
    applicable: dict[object, Subschema] = {}
    waiting = list(subschemas)
    while waiting:
        subschema = waiting.pop()
        if subschema.identity in applicable:
            continue
        if len(applicable) == MAX_SUBSCHEMAS:
            raise Unchecked("Too many schemas apply to the same part of the value.")
        run.spend()
        applicable[subschema.identity] = subschema
        waiting += always(subschema)
        for _, options in branches(subschema):
            waiting += options
        waiting += conditional(subschema)
    return list(applicable.values())


def conditions(subschemas: Iterable[Subschema], value: JSON, budget: Budget) -> Iterator[Subschema]:
    """What `if`, `dependentSchemas` and `dependencies` add for a sample like `value`.

    If `else` accepts nothing, `if` itself is added.
    """

    def is_valid(subschema: Subschema, value: JSON) -> bool:
        return bool(subschema.is_valid(value, budget))

    for subschema in subschemas:
        for path, added in outcomes(subschema, subschema.all_keywords, value, is_valid):
            if path == ("else",) and added.schema is False:
                yield subschema.sub("if")
            else:
                yield added


def gather_nodes(node: Node, keywords: frozenset[str]) -> list[Node]:
    """`node` and every node that applies to the same value through `keywords`."""
    nodes: dict[Node, None] = {}
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node not in nodes:
            nodes[node] = None
            waiting += (target for keyword, target in steps_of(node) if keyword in keywords)
    return list(nodes)
