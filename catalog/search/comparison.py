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
    common: tuple[PropertyPair, ...]
    only_old: tuple[PropertyPair, ...]
    only_new: tuple[PropertyPair, ...]

    @property
    def pairs(self) -> tuple[PropertyPair, ...]:
        """All properties, the common ones first."""
        return (*self.common, *self.only_old, *self.only_new)


def compare_sections(old: Tool, new: Tool) -> Iterator[ComparedSection]:
    """The sections of two tools, without those that neither has."""
    sections = zip(ToolPage(old, "").sections, ToolPage(new, "").sections, strict=True)
    for old_section, new_section in sections:
        old_node, new_node = old_section.node, new_section.node
        if old_node is None and new_node is None:
            continue
        before = _list_properties(old_node)
        after = _list_properties(new_node)
        pairs = []
        for name in {**before, **after}:
            pairs.append(PropertyPair(name, before.get(name), after.get(name)))
        yield ComparedSection(
            title=old_section.title,
            old_type=old_node.type if old_node else "none",
            new_type=new_node.type if new_node else "none",
            common=tuple(pair for pair in pairs if pair.old and pair.new),
            only_old=tuple(pair for pair in pairs if not pair.new),
            only_new=tuple(pair for pair in pairs if not pair.old),
        )


def _list_properties(node: Node | None) -> dict[str, Node]:
    """The named properties of a value, or of the items of an array."""
    children = node.children if node else ()
    return {child.name: child for child in children if child.kind == "name" and child.name}
