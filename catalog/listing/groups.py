"""The toolkits and tags that a person sees, with their numbers of visible tools.

Somebody who sees all tools reads the stored numbers (search/tag_counts.py). For others the visible tools are counted,
once for each state of the catalog and each set of rights.
"""

from __future__ import annotations

from django.db.models import Count

from catalog.caching import LRUCache
from catalog.models import Tool, ToolTag
from catalog.search import tag_counts, vocabulary
from catalog.search.document import group_key
from catalog.search.tag_counts import Group, Kind
from catalog.search.visibility import Visibility

_groups: LRUCache[list[Group]] = LRUCache(max_weight=100_000, weigh=len)


def largest(kind: Kind, limit: int, visibility: Visibility) -> list[Group]:
    """The groups with the most visible tools, the largest first."""
    if visibility.is_complete:
        return tag_counts.largest(kind, limit)
    return _visible_groups(kind, visibility)[:limit]


def page_of(
    kind: Kind,
    visibility: Visibility,
    *,
    beginning: str = "",
    containing: str = "",
    by_name: bool = False,
    after: str = "",
    limit: int,
) -> tuple[list[Group], str | None]:
    """A page of groups with visible tools, and `after` for the next page; as `tag_counts.page_of`."""
    if visibility.is_complete:
        return tag_counts.page_of(
            kind, beginning=beginning, containing=containing, by_name=by_name, after=after, limit=limit
        )
    part = group_key(containing)
    groups = [group for group in _visible_groups(kind, visibility) if part in group.key]
    by_name = by_name or bool(beginning)
    if by_name:
        first, start = group_key(beginning), group_key(after)
        groups = sorted(groups, key=lambda group: group.key)
        groups = [group for group in groups if group.key.startswith(first) and group.key > start]
    else:
        tools, _, key = after.partition(".")
        if tools.isascii() and tools.isdecimal() and len(tools) < 10:
            beyond = (-int(tools), group_key(key))
            groups = [group for group in groups if (-group.tools, group.key) > beyond]
    shown = groups[:limit]
    if len(groups) == len(shown):
        return shown, None
    return shown, shown[-1].key if by_name else f"{shown[-1].tools}.{shown[-1].key}"


def _visible_groups(kind: Kind, visibility: Visibility) -> list[Group]:
    """All groups with visible tools, the largest first."""
    state, _ = vocabulary.state_and_size()
    return _groups.get_or_compute((state, kind, visibility), lambda: _counted(kind, visibility))


def _counted(kind: Kind, visibility: Visibility) -> list[Group]:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    if kind == "toolkit":
        counts: dict[str, int] = dict(tools.exclude(toolkit_key="").values_list("toolkit_key").annotate(Count("pk")))
    else:
        rows = ToolTag.objects.filter(tool__in=tools.values("pk")).order_by()
        counts = dict(rows.values_list("key").annotate(Count("pk")))
    names = {key: group.name for key, group in _named(kind, list(counts)).items()}
    groups = [Group(key, names.get(key, key), count) for key, count in counts.items()]
    return sorted(groups, key=lambda group: (-group.tools, group.key))


def _named(kind: Kind, keys: list[str], step: int = 500) -> dict[str, Group]:
    named: dict[str, Group] = {}
    for start in range(0, len(keys), step):
        named |= tag_counts.with_keys(kind, keys[start : start + step])
    return named
