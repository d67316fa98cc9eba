"""The work that a schema causes: infinite loops, and the greatest cost of checking part of a value.

Keywords like `$ref`, `allOf` and `if` apply more schemas *in place*, to the same value.
`properties` and `items` apply schemas to parts of the value, so recursion through them ends with
the value. A loop in place never ends. Without one, the schemas that apply to the same value can be
counted in advance, and so can those along the most expensive path into a value, except for
recursion, which the budget of a run limits. The levels that references lead into a value can also
be counted.

Everything here is iterative. Finding loops is linear in the schema; counting costs has its own
limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeAlias

from toolspec.schema.applicable import steps_of
from toolspec.schema.index import REFERENCES, Node

MAX_STEPS: Final = 200_000  # of the counting itself
MAX_COUNT: Final = 10**9  # greater numbers make no difference

BUNDLED_COST: Final = 50  # evaluations of a draft's meta-schema for one value
# `unevaluated…` evaluates the keywords beside it again (2.6 times, measured).
UNEVALUATED_FACTOR: Final = 3

_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_BY_STEP: Final = frozenset({"properties", "prefixItems", "items"})

Step: TypeAlias = str | int | tuple[str]
"""A member by its name, an item by its index, or every member or item."""
_EVERY_MEMBER: Final = ("member",)
_EVERY_ITEM: Final = ("item",)
_EVERY: Final[dict[str | int, Step]] = {
    "additionalItems": _EVERY_ITEM,
    "additionalProperties": _EVERY_MEMBER,
    "contains": _EVERY_ITEM,
    "items": _EVERY_ITEM,
    "patternProperties": _EVERY_MEMBER,
    "propertyNames": _EVERY_MEMBER,
    "unevaluatedItems": _EVERY_ITEM,
    "unevaluatedProperties": _EVERY_MEMBER,
}


class TooMuchToCount(Exception):
    """Counting took too many steps."""


@dataclass(slots=True)
class Cost:
    """The cost of checking one value.

    Attributes:
        here: the evaluations for the value itself.
        depth: how deeply they are nested.
        path: the evaluations along the most expensive path into the value.
        beyond: the evaluations that each step into the value adds.
    """

    here: int = 1
    depth: int = 1
    path: int = 1
    beyond: dict[Step, int] = field(default_factory=dict)


_LEAF: Final = Cost()
"""Of every node without children and references; never changed."""


class Graph:
    """Which subschemas of a document lead to which, for all questions of this module.

    Each list has an entry per node, and names other nodes by their index.

    Attributes:
        nodes: all subschemas of the document.
        in_place: the nodes that are evaluated on the same value.
        parts: the children that apply to parts of the value, each with the step to the part.
        order: every node once, after the nodes that it leads to; the order within a loop is
            arbitrary.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.in_place: list[Sequence[int]] = [()] * len(nodes)
        self.parts: list[Sequence[tuple[int, Step]]] = [()] * len(nodes)
        self._targets: list[Sequence[int]] = [()] * len(nodes)
        number_of = {node: number for number, node in enumerate(nodes)}
        for number, node in enumerate(nodes):
            if not node.children and not node.references:
                continue
            stands_alone = _stands_alone(node)
            in_place = [number_of[target] for target in _list_in_place(node, stands_alone)]
            self.in_place[number] = in_place
            self._targets[number] = in_place
            if not stands_alone:
                parts = [(number_of[child], step) for child, step in _list_parts(node)]
                self.parts[number] = parts
                self._targets[number] = in_place + [child for child, _ in parts]

    @cached_property
    def order(self) -> list[int]:
        return _sort_postorder(self._targets)

    def find_loops_in_place(self) -> Iterator[tuple[Node, str]]:
        """One reference of each infinite loop, as its node and keyword."""
        done: set[int] = set()
        for start, edges in enumerate(self.in_place):
            if not edges or start in done:
                continue
            trail = [start]
            unvisited = [iter(edges)]
            position = {start: 0}
            while trail:
                target = next(unvisited[-1], None)
                if target is None:
                    unvisited.pop()
                    done.add(trail[-1])
                    del position[trail.pop()]
                elif target in position:
                    yield self._find_reference([*trail[position[target] :], target])
                elif target not in done and self.in_place[target]:
                    position[target] = len(trail)
                    trail.append(target)
                    unvisited.append(iter(self.in_place[target]))

    def _find_reference(self, loop: list[int]) -> tuple[Node, str]:
        """The last reference of a loop.

        There is one, because schemas without references form a tree.
        """
        for number, next_number in reversed([*pairwise(loop)]):
            node = self.nodes[number]
            for reference in node.references:
                if self.nodes[next_number] in reference.targets:
                    return node, reference.keyword
        raise AssertionError("a loop without a reference")

    def count_costs(self, *, max_steps: int = MAX_STEPS) -> list[Cost]:
        """The cost of each node, if there are no loops in place.

        Raises:
            TooMuchToCount: counting takes more than `max_steps`.
        """
        costs = [_LEAF] * len(self.nodes)
        for number in _sort_postorder(self.in_place):
            node = self.nodes[number]
            if not node.children and not node.references:
                continue
            inner = [costs[target] for target in self.in_place[number]]
            bundled = BUNDLED_COST * sum(reference.to_bundled for reference in node.references)
            evaluations = 1 + bundled + sum(cost.here for cost in inner)
            here = _count_factor(node) * evaluations
            depth = 1 + max((cost.depth for cost in inner), default=0)
            costs[number] = Cost(here=min(here, MAX_COUNT), depth=depth)
        self._add_paths(costs, max_steps)
        return costs

    def _add_paths(self, costs: list[Cost], max_steps: int) -> None:
        """Fill in `path` and `beyond`.

        The path of a recursive target is not known yet; its cost for one value is used.
        """
        steps = 0
        for number in self.order:
            cost = costs[number]
            if cost is _LEAF:
                continue
            beyond = cost.beyond
            for target in self.in_place[number]:
                steps += 1 + len(costs[target].beyond)
                if steps > max_steps:
                    raise TooMuchToCount
                factor = _count_factor(self.nodes[number])
                for step, count in costs[target].beyond.items():
                    beyond[step] = min(beyond.get(step, 0) + factor * count, MAX_COUNT)
            for child, step in self.parts[number]:
                added = max(costs[child].path, costs[child].here)
                beyond[step] = min(beyond.get(step, 0) + added, MAX_COUNT)
            cost.path = min(cost.here + _find_greatest(beyond), MAX_COUNT)

    def count_levels(self) -> list[int]:
        """The deepest level inside a value where each node can apply.

        References, members and items lead there. Recursive schemas are legitimate: all schemas that
        refer back to each other count as one level together. Linear: Kosaraju's algorithm finds
        those groups, each after all groups that lead to it.
        """
        sources: list[list[tuple[int, int]]] = [[] for _ in self.nodes]
        for number, targets in enumerate(self._targets):
            in_place = len(self.in_place[number])
            for position, target in enumerate(targets):
                sources[target].append((number, int(position >= in_place)))
        unknown = -1
        component = [unknown] * len(self.nodes)
        level: list[int] = []
        for start in reversed(self.order):
            if component[start] != unknown:
                continue
            number = len(level)
            component[start] = number
            members = [start]
            deepest = 0
            for node in members:
                for source, step in sources[node]:
                    if component[source] == unknown:
                        component[source] = number
                        members.append(source)
                    elif component[source] != number:
                        deepest = max(deepest, level[component[source]] + step)
            level.append(deepest)
        return [level[number] for number in component]


def _list_in_place(node: Node, stands_alone: bool) -> Iterator[Node]:
    """The nodes that are evaluated on the same value as `node`."""
    for keyword, target in steps_of(node):
        if not stands_alone or keyword in REFERENCES:
            yield target


def _list_parts(node: Node) -> Iterator[tuple[Node, Step]]:
    """The children of `node` that apply to parts of the value, each with the step to the part."""
    for child in node.children:
        keyword = child.path[0]
        if keyword in _BY_STEP and len(child.path) > 1:
            yield child, child.path[1]
        elif keyword in _EVERY:
            yield child, _EVERY[keyword]


def _stands_alone(node: Node) -> bool:
    """Whether `$ref` disables everything beside it, as up to draft-07."""
    if not node.dialect.ref_stands_alone:
        return False
    return any(reference.keyword == "$ref" for reference in node.references)


def _count_factor(node: Node) -> int:
    """How often the keywords of `node` are evaluated."""
    if not isinstance(node.schema, dict) or _UNEVALUATED.isdisjoint(node.schema):
        return 1
    if _UNEVALUATED & node.dialect.keywords:
        return UNEVALUATED_FACTOR
    return 1


def _find_greatest(beyond: dict[Step, int]) -> int:
    member = 0
    item = 0
    for step, count in beyond.items():
        if isinstance(step, str):
            member = max(member, count)
        elif isinstance(step, int):
            item = max(item, count)
    return max(member + beyond.get(_EVERY_MEMBER, 0), item + beyond.get(_EVERY_ITEM, 0))


def _sort_postorder(targets: Sequence[Sequence[int]]) -> list[int]:
    """Every node once, after the nodes that it leads to."""
    order: list[int] = []
    seen = [False] * len(targets)
    for start in range(len(targets)):
        if seen[start]:
            continue
        seen[start] = True
        trail = [(start, iter(targets[start]))]
        while trail:
            for target in trail[-1][1]:
                if seen[target]:
                    continue
                seen[target] = True
                if targets[target]:
                    trail.append((target, iter(targets[target])))
                    break
                order.append(target)
            else:
                order.append(trail.pop()[0])
    return order
