"""The work that a schema causes: infinite loops, and the greatest cost of checking one part of a value.

Keywords like `$ref`, `allOf` and `if` apply more schemas *in place*, to the same value. `properties` and `items` apply
schemas to parts of the value, so recursion through them ends with the value. A loop in place never ends. Without
one, the schemas that apply to the same value can be counted in advance, and so can those along the most expensive path
into a value, except for recursion, which the budget of a run limits. The levels that references lead into a value can
also be counted.

Everything here is iterative. Finding loops is linear in the schema; counting costs has its own limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from catalog.json_schema.applicable import steps_of
from catalog.json_schema.index import REFERENCES, Node

MAX_STEPS: Final = 200_000  # of the counting itself
MAX_COUNT: Final = 10**9  # greater numbers make no difference

BUNDLED_COST: Final = 50  # evaluations of a draft's meta-schema for one value
UNEVALUATED_FACTOR: Final = (
    3  # `unevaluated…` evaluates the keywords beside it again (2.6 times, measured)
)

_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})

Step: TypeAlias = str | int | tuple[str]
"""A member by its name, an item by its index, or every member or item."""
_EVERY_MEMBER: Final = ("member",)
_EVERY_ITEM: Final = ("item",)
_EVERY: Final[dict[str, Step]] = {
    "additionalItems": _EVERY_ITEM,
    "additionalProperties": _EVERY_MEMBER,
    "contains": _EVERY_ITEM,
    "items": _EVERY_ITEM,
    "patternProperties": _EVERY_MEMBER,
    "propertyNames": _EVERY_MEMBER,
    "unevaluatedItems": _EVERY_ITEM,
    "unevaluatedProperties": _EVERY_MEMBER,
}

Edge: TypeAlias = "tuple[Node, str | None]"
"""A node that applies in place, and the keyword of the reference to it; None if it is a child."""


class TooMuchToCount(Exception):
    """Counting took more than `MAX_STEPS`."""


@dataclass(slots=True)
class Cost:
    """The evaluations for one value, their nesting, and the evaluations along the most expensive path into it."""

    here: int = 1
    depth: int = 1
    path: int = 1
    beyond: dict[Step, int] = field(
        default_factory=dict
    )  # evaluations that each step into the value adds


def loops_in_place(nodes: Iterable[Node]) -> Iterator[tuple[Node, str]]:
    """One reference of each infinite loop, as its node and keyword."""
    done: set[Node] = set()
    for start in nodes:
        trail = [_TrailNode(start, None, _in_place(start))] if start not in done else []
        on_trail = {start: 0}
        while trail:
            target, keyword = next(trail[-1].edges, (None, None))
            if target is None:
                done.add(trail[-1].node)
                del on_trail[trail.pop().node]
            elif target in on_trail:
                yield _reference_in(trail[on_trail[target] :], keyword)
            elif target not in done:
                on_trail[target] = len(trail)
                trail.append(_TrailNode(target, keyword, _in_place(target)))


def costs(nodes: Sequence[Node]) -> dict[Node, Cost]:
    """The cost of each of `nodes`, if there are no loops in place.

    Raises:
        TooMuchToCount: counting takes too long.
    """
    found: dict[Node, Cost] = {}
    in_place = {node: [*_in_place_nodes(node)] for node in nodes}
    for node in _postorder(nodes, in_place.__getitem__):
        if not in_place[node] and not node.references:
            found[node] = Cost(here=_factor(node))
            continue
        inner = [found[target] for target in in_place[node]]
        bundled = BUNDLED_COST * sum(reference.to_bundled for reference in node.references)
        here = _factor(node) * (1 + bundled + sum(cost.here for cost in inner))
        depth = 1 + max((cost.depth for cost in inner), default=0)
        found[node] = Cost(here=min(here, MAX_COUNT), depth=depth)
    _add_paths(nodes, found, in_place)
    return found


def levels(nodes: Sequence[Node]) -> dict[Node, int]:
    """The deepest level inside a value where each of `nodes` can apply, through references, members and items.

    Recursive schemas are legitimate: all schemas that refer back to each other count as one level together. Linear:
    Kosaraju's algorithm finds those groups, each after all groups that lead to it.
    """
    sources: dict[Node, list[tuple[Node, int]]] = {node: [] for node in nodes}
    targets: dict[Node, list[Node]] = {node: [] for node in nodes}
    for node in nodes:
        for target, step in _steps(node):
            sources[target].append((node, step))
            targets[node].append(target)
    component: dict[Node, int] = {}
    level: list[int] = []
    postorder = [*_postorder(nodes, targets.__getitem__)]
    for start in reversed(postorder):
        if start in component:
            continue
        number = len(level)
        component[start] = number
        members, deepest = [start], 0
        for node in members:
            for source, step in sources[node]:
                if source not in component:
                    component[source] = number
                    members.append(source)
                elif component[source] != number:
                    deepest = max(deepest, level[component[source]] + step)
        level.append(deepest)
    return {node: level[component[node]] for node in nodes}


def _steps(node: Node) -> Iterator[tuple[Node, int]]:
    """The nodes that apply to the same value as `node` (0), and to values one level inside it (1)."""
    yield from ((target, 0) for target in _in_place_nodes(node))
    yield from ((child, 1) for child, _ in _parts(node))


def _add_paths(
    nodes: Iterable[Node], found: dict[Node, Cost], in_place: dict[Node, list[Node]]
) -> None:
    """Fill in `path` and `beyond`. The path of a recursive target is not known yet; its cost for one value is used."""
    steps = 0
    for node in _postorder(nodes, lambda node: [*in_place[node], *node.children]):
        cost = found[node]
        if not in_place[node] and not node.children:
            cost.path = cost.here
            continue
        factor = _factor(node)
        for target in in_place[node]:
            steps += 1 + len(found[target].beyond)
            if steps > MAX_STEPS:
                raise TooMuchToCount
            for step, count in found[target].beyond.items():
                cost.beyond[step] = min(cost.beyond.get(step, 0) + factor * count, MAX_COUNT)
        for child, step in _parts(node):
            cost.beyond[step] = min(
                cost.beyond.get(step, 0) + max(found[child].path, found[child].here), MAX_COUNT
            )
        cost.path = min(cost.here + _greatest(cost.beyond), MAX_COUNT)


def _greatest(beyond: dict[Step, int]) -> int:
    if not beyond:
        return 0
    members = max((count for step, count in beyond.items() if isinstance(step, str)), default=0)
    items = max((count for step, count in beyond.items() if isinstance(step, int)), default=0)
    return max(members + beyond.get(_EVERY_MEMBER, 0), items + beyond.get(_EVERY_ITEM, 0))


def _in_place(node: Node) -> Iterator[Edge]:
    """The nodes that are evaluated on the same value as `node`."""
    if not node.children and not node.references:
        return
    stands_alone = _stands_alone(node)
    for keyword, target in steps_of(node):
        is_reference = keyword in REFERENCES
        if is_reference or not stands_alone:
            yield target, keyword if is_reference else None


def _in_place_nodes(node: Node) -> Iterator[Node]:
    return (target for target, _ in _in_place(node))


def _parts(node: Node) -> Iterator[tuple[Node, Step]]:
    """The children of `node` that apply to parts of the value, each with the step to the part."""
    if _stands_alone(node):
        return
    for child in node.children:
        keyword = str(child.path[0])
        if len(child.path) > 1 and keyword in {"properties", "prefixItems", "items"}:
            yield child, child.path[1]
        elif keyword in _EVERY:
            yield child, _EVERY[keyword]


def _stands_alone(node: Node) -> bool:
    """Whether `$ref` disables everything beside it, as up to draft-07."""
    return node.dialect.ref_stands_alone and any(
        reference.keyword == "$ref" for reference in node.references
    )


def _factor(node: Node) -> int:
    repeats = isinstance(node.schema, dict) and not _UNEVALUATED.isdisjoint(node.schema)
    return UNEVALUATED_FACTOR if repeats and _UNEVALUATED & node.dialect.keywords else 1


def _postorder(
    nodes: Iterable[Node], neighbours: Callable[[Node], Sequence[Node]]
) -> Iterator[Node]:
    """Every node once, after the nodes it leads to; the order within a loop is arbitrary."""
    seen: set[Node] = set()
    for start in nodes:
        if start in seen:
            continue
        seen.add(start)
        trail = [(start, iter(neighbours(start)))]
        while trail:
            for node in trail[-1][1]:
                if node in seen:
                    continue
                seen.add(node)
                further = neighbours(node)
                if further:
                    trail.append((node, iter(further)))
                    break
                yield node
            else:
                yield trail.pop()[0]


class _TrailNode(NamedTuple):
    """A node on the trail of `loops_in_place`: the reference to it, and its edges that are not yet visited."""

    node: Node
    keyword: str | None
    edges: Iterator[Edge]


def _reference_in(loop: list[_TrailNode], closing: str | None) -> tuple[Node, str]:
    """The last reference of a loop. There is one, because nested schemas without references form a tree."""
    if closing:
        return loop[-1].node, closing
    return next(
        (loop[at - 1].node, visited.keyword)
        for at, visited in reversed([*enumerate(loop)][1:])
        if visited.keyword
    )
