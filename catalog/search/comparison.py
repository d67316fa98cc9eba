"""Two tools side by side: which properties both have, and which only one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.tools.models import Tool
from catalog.tools.page import ToolPage
from toolspec.schema.documentation import Node


@dataclass(frozen=True, slots=True)
class PropertyPair:
    """A property of two tools; None where one of them does not have it."""

    name: str
    old: Node | None
    new: Node | None


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """The parameters, the return type or the configuration of two tools.

    `old_type` and `new_type` describe the whole values in words, "none" where a tool has none.
    """

    title: str
    old_type: str
    new_type: str
    shared: tuple[PropertyPair, ...]
    only_old: tuple[PropertyPair, ...]
    only_new: tuple[PropertyPair, ...]

    @property
    def pairs(self) -> tuple[PropertyPair, ...]:
        """All properties, the shared ones first."""
        return (*self.shared, *self.only_old, *self.only_new)


def compare_sections(old: Tool, new: Tool) -> Iterator[ComparedSection]:
    """The sections of two tools, without those that neither has."""
    for one, other in zip(ToolPage(old, "").sections, ToolPage(new, "").sections, strict=True):
        if one.node is None and other.node is None:
            continue
        before, after = _properties(one.node), _properties(other.node)
        yield ComparedSection(
            one.title,
            one.node.type if one.node else "none",
            other.node.type if other.node else "none",
            tuple(
                PropertyPair(name, node, after[name])
                for name, node in before.items()
                if name in after
            ),
            tuple(
                PropertyPair(name, node, None) for name, node in before.items() if name not in after
            ),
            tuple(
                PropertyPair(name, None, node) for name, node in after.items() if name not in before
            ),
        )


def _properties(node: Node | None) -> dict[str, Node]:
    """The named properties of a value, or of the items of an array."""
    return {
        child.name: child
        for child in (node.children if node else ())
        if child.kind == "name" and child.name
    }
