"""The toolkits and tags that a person sees, with their numbers of visible tools.

Archived tools do not count. The visible tools are counted once for each state of the catalog and
each set of rights.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Min

from catalog.index import vocabulary
from catalog.index.document import GroupKind
from catalog.index.visibility import Visibility
from catalog.tools.models import Tool, ToolTag
from toolshelf_core.caching import LRUCache
from toolshelf_core.paging import read_number
from toolspec.catalog_names import group_key


@dataclass(frozen=True, slots=True)
class Group:
    """A toolkit or a tag.

    `name` is spelled as in its first tool; `key` is the form used for comparisons.
    """

    key: str
    name: str
    tools: int


_groups: LRUCache[list[Group]] = LRUCache(max_weight=100_000, weigh=len)


def page_of(
    kind: GroupKind,
    visibility: Visibility,
    *,
    containing: str = "",
    by_name: bool = False,
    after: str = "",
    limit: int,
) -> tuple[list[Group], str | None]:
    """A page of groups, the largest first or by name, and `after` for the next page.

    `after` is None at the end; an invalid one means the first page.
    """
    part = group_key(containing)

    def place(group: Group) -> tuple[int, str]:
        size = 0 if by_name else -group.tools
        return size, group.key

    groups = [group for group in visible_groups(kind, visibility) if part in group.key]
    groups.sort(key=place)
    size, _, key = after.partition(".")
    if (tools := read_number(size)) is not None:
        previous = place(Group(group_key(key), "", tools))
        groups = [group for group in groups if place(group) > previous]
    page = groups[:limit]
    if len(page) == len(groups):
        return page, None
    return page, f"{page[-1].tools}.{page[-1].key}"


def visible_groups(kind: GroupKind, visibility: Visibility) -> list[Group]:
    """All groups with visible tools, the largest first."""
    state, _ = vocabulary.state_and_size()
    return _groups.get_or_compute((state, kind, visibility), lambda: _count(kind, visibility))


def _count(kind: GroupKind, visibility: Visibility) -> list[Group]:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    if kind == "toolkit":
        in_toolkits = tools.exclude(toolkit_key="")
        counts = list(in_toolkits.values_list("toolkit_key").annotate(Count("pk"), Min("pk")))
    else:
        tags = ToolTag.objects.filter(tool__in=tools.values("pk")).order_by()
        counts = list(tags.values_list("key").annotate(Count("pk"), Min("tool")))
    names_alone = Tool.objects.only("toolkit", "spec_tags", "added_tags")
    first_tools = names_alone.in_bulk([first for _, _, first in counts])
    groups = []
    for key, number, first in counts:
        tool = first_tools[first]
        names = [tool.toolkit] if kind == "toolkit" else tool.tags
        name = next((name for name in names if group_key(name) == key), key)
        groups.append(Group(key, name, number))
    return sorted(groups, key=lambda group: (-group.tools, group.key))
