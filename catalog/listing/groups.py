"""The toolkits and tags that a person sees, with their numbers of visible tools.

Somebody who sees all tools reads the stored numbers (search/tag_counts.py). For others the visible tools are counted,
once for each state of the catalog and each set of rights.
"""

from __future__ import annotations

from typing import Final

from django.db.models import Count

from catalog.caching import LRUCache
from catalog.models import Tool, ToolTag
from catalog.search import tag_counts, vocabulary
from catalog.search.document import GroupKind, group_key
from catalog.search.tag_counts import Group
from catalog.search.visibility import Visibility

KEYS_PER_QUERY: Final = 500

_groups: LRUCache[list[Group]] = LRUCache(max_weight=100_000, weigh=len)


def largest(
    kind: GroupKind,
    limit: int,
    visibility: Visibility,
    *,
    containing: str = "",
    beyond: tuple[int, str] | None = None,
) -> list[Group]:
    """The groups with the most visible tools whose keys contain `containing`, the largest first.

    `beyond` is the number and key of the previous group.
    """
    if visibility.is_complete:
        return tag_counts.largest(kind, limit, containing=containing, beyond=beyond)
    groups = [group for group in _visible_groups(kind, visibility) if containing in group.key]
    if beyond is not None:
        tools, key = beyond
        groups = [group for group in groups if (-group.tools, group.key) > (-tools, key)]
    return groups[:limit]


def _in_order(
    kind: GroupKind,
    limit: int,
    visibility: Visibility,
    *,
    beginning: str,
    containing: str,
    beyond: str,
) -> list[Group]:
    """The groups whose keys start with `beginning` and contain `containing`, after the key `beyond`, in their order."""
    if visibility.is_complete:
        return tag_counts.in_order(
            kind, limit, beginning=beginning, containing=containing, beyond=beyond
        )
    groups = [group for group in _visible_groups(kind, visibility) if containing in group.key]
    groups = sorted(groups, key=lambda group: group.key)
    return [group for group in groups if group.key.startswith(beginning) and group.key > beyond][
        :limit
    ]


def page_of(
    kind: GroupKind,
    visibility: Visibility,
    *,
    beginning: str = "",
    containing: str = "",
    by_name: bool = False,
    after: str = "",
    limit: int,
) -> tuple[list[Group], str | None]:
    """A page of groups, the largest first or by name, and `after` for the next page; None at the end.

    With `beginning` the order is by name. An invalid `after` means the first page. `containing` reads all keys if few
    of them match: some 50 ms for 100,000 tags.
    """
    by_name = by_name or bool(beginning)
    part = group_key(containing)
    if by_name:
        first, beyond_key = group_key(beginning), group_key(after)
        found = _in_order(
            kind, limit + 1, visibility, beginning=first, containing=part, beyond=beyond_key
        )
    else:
        tools, _, key = after.partition(".")
        known = tools.isascii() and tools.isdecimal() and len(tools) < 10
        beyond = (int(tools), group_key(key)) if known else None
        found = largest(kind, limit + 1, visibility, containing=part, beyond=beyond)
    shown = found[:limit]
    if len(found) == len(shown):
        return shown, None
    return shown, shown[-1].key if by_name else f"{shown[-1].tools}.{shown[-1].key}"


def _visible_groups(kind: GroupKind, visibility: Visibility) -> list[Group]:
    """All groups with visible tools, the largest first."""
    state, _ = vocabulary.state_and_size()
    return _groups.get_or_compute((state, kind, visibility), lambda: _counted(kind, visibility))


def _counted(kind: GroupKind, visibility: Visibility) -> list[Group]:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    if kind == "toolkit":
        counts: dict[str, int] = dict(
            tools.exclude(toolkit_key="").values_list("toolkit_key").annotate(Count("pk"))
        )
    else:
        rows = ToolTag.objects.filter(tool__in=tools.values("pk")).order_by()
        counts = dict(rows.values_list("key").annotate(Count("pk")))
    keys, named = list(counts), dict[str, Group]()
    for start in range(0, len(keys), KEYS_PER_QUERY):
        named |= tag_counts.with_keys(kind, keys[start : start + KEYS_PER_QUERY])
    groups = [
        Group(key, named[key].name if key in named else key, count) for key, count in counts.items()
    ]
    return sorted(groups, key=lambda group: (-group.tools, group.key))
