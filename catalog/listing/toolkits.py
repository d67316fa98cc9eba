"""Numbers about toolkits for their pages, counted from the tools that a person sees."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Avg, Count, Q, Window
from django.db.models.functions import RowNumber

from catalog.caching import LRUCache
from catalog.hooks import hooks
from catalog.listing.groups import Group
from catalog.models import Tool, ToolQuerySet
from catalog.search import vocabulary
from catalog.search.visibility import Visibility

NAMES_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class ToolkitCard:
    """A toolkit, without its archived tools.

    Attributes:
        key: in the form used for comparisons and addresses.
        score: the average lint score of its tools; None if none is assessed yet.
        runnable: the number of tools that run here.
        configurable, deprecated: the number of tools that need a configuration, and that are deprecated.
        names: of its first tools.
    """

    key: str
    name: str
    tools: int
    score: int | None = None
    runnable: int = 0
    configurable: int = 0
    deprecated: int = 0
    names: tuple[str, ...] = ()

    @property
    def more(self) -> int:
        """The number of tools that `names` leaves out."""
        return self.tools - len(self.names)


_cards: LRUCache[list[ToolkitCard]] = LRUCache(max_weight=10_000, weigh=len)


def cards_of(groups: Sequence[Group], visibility: Visibility) -> list[ToolkitCard]:
    """The cards of these toolkits, in their order; counted once for each state of the catalog."""
    state, _ = vocabulary.state_and_size()
    key: Hashable = (state, hooks.runnable_tool_ids(), visibility, tuple(groups))
    return _cards.get_or_compute(key, lambda: _counted(groups, visibility))


def card_of(name: str, key: str, visibility: Visibility) -> ToolkitCard | None:
    """The card of one toolkit; None if it has no tools that can be seen."""
    [card] = cards_of([Group(key, name, 0)], visibility)
    return card if card.tools else None


def _counted(groups: Sequence[Group], visibility: Visibility) -> list[ToolkitCard]:
    tools = (
        Tool.objects.available()
        .with_visibility(visibility)
        .filter(toolkit_key__in=[one.key for one in groups])
    )
    figures = _figures(tools)
    ranked = tools.annotate(
        rank=Window(RowNumber(), partition_by="toolkit_key", order_by=("sort_name", "pk"))
    )
    names: dict[str, list[str]] = {}
    for key, name in (
        ranked.filter(rank__lte=NAMES_SHOWN)
        .order_by("sort_name", "pk")
        .values_list("toolkit_key", "name")
    ):
        names.setdefault(key, []).append(name)
    return [
        ToolkitCard(
            one.key,
            one.name,
            **figures.get(one.key, {"tools": 0}),
            names=tuple(names.get(one.key, ())),
        )
        for one in groups
    ]


def _figures(tools: ToolQuerySet) -> dict[str, dict[str, Any]]:
    counted = (
        tools.order_by()
        .values("toolkit_key")
        .annotate(
            number=Count("pk"),
            average=Avg("score"),
            running=Count("pk", filter=Q(pk__in=Tool.objects.runnable().values("pk"))),
            configured=Count("pk", filter=Q(configurable=True)),
            old=Count("pk", filter=Q(deprecated_at__isnull=False)),
        )
    )
    return {
        row["toolkit_key"]: {
            "tools": row["number"],
            "score": None if row["average"] is None else round(row["average"]),
            "runnable": row["running"],
            "configurable": row["configured"],
            "deprecated": row["old"],
        }
        for row in counted
    }
