"""The bounds and sizes that the schemas of one value allow.

Source: JSON Schema 2020-12 Validation, section 6; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from toolspec.diff.conjunction import Conjunction
from toolspec.diff.keywords import NUMBERS, Edge, integer_edge
from toolspec.schema.children import prefix_length

LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
MOST: Final = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}


def edge_of(conjunction: Conjunction, *, lowest: bool) -> Edge | None:
    """The tightest bound of numbers; if fractions are not accepted, the nearest integer within."""
    bound = conjunction.keywords.bound(lowest=lowest)
    if bound is None:
        return None
    number, is_exclusive = bound
    edge = (Decimal(number), is_exclusive)
    if conjunction.types & NUMBERS == {"integer"}:
        return integer_edge(edge, lowest=lowest)
    return edge


def edges_of(conjunctions: Iterable[Conjunction]) -> list[Edge]:
    """The lower and upper bounds of numbers."""
    edges = []
    for conjunction in conjunctions:
        edges += [edge_of(conjunction, lowest=True), edge_of(conjunction, lowest=False)]
    return [edge for edge in edges if edge is not None]


def counts_of(conjunction: Conjunction, keyword: str) -> list[int]:
    """The values of a keyword like `maxItems` in all subschemas."""
    return list(map(int, conjunction.keywords.numbers(keyword)))


def least_size(conjunction: Conjunction, kind: str) -> int:
    """The least number of characters, items or members of a value of the type `kind`."""
    counts = counts_of(conjunction, LEAST[kind])
    if kind == "object":
        counts.append(len(conjunction.members.required))
    return max([0, *counts])


def greatest_size(conjunction: Conjunction, kind: str) -> int | None:
    """The greatest number of characters, items or members; None if it is unlimited."""
    limits = counts_of(conjunction, MOST[kind])
    if kind == "array":
        length = prefix_length(conjunction.subschemas)
        if conjunction.item(length).accepts_nothing:
            limits.append(length)
    if kind == "object":
        members = conjunction.members
        if not members.patterns and members.undeclared(()).accepts_nothing:
            limits.append(len(members.names))
    return min(limits, default=None)
