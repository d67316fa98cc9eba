"""Problems for a person.

They are failing examples, violations, breaking revisions, proposals and broken factories.

A person sees only problems of tools that they may see, breaking revisions only of tools that they
own or have starred, and held changes only if they may approve them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, OuterRef, Q, Subquery
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from catalog.access.models import Audience, is_visible
from catalog.index import vocabulary
from catalog.proposals.models import Proposal
from catalog.revisions.differences import difference_between
from catalog.tools.models import Revision, Tool
from playground.examples.models import ExampleCheck
from playground.factories.registry import registry
from playground.factories.specs import compare_factories
from playground.home.page import Week, runs_url
from toolshelf_core.caching import LRUCache

BROKEN: Final = "Broken"  # the kind of concern that says nothing about what the person does
READ: Final = 20  # of each kind at most
REVISIONS_READ: Final = 200  # the latest ones of the catalog
REVISIONS_COMPARED: Final = 10


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing to look at.

    Attributes:
        icon, kind: what it is, in one or two words.
        name: the tool or factory.
        text: what happened.
        url: the page that shows it.
        at: when it happened, if known.
    """

    icon: str
    kind: str
    name: str
    text: str
    url: str
    at: datetime | None = None
    tone: str = "bad"  # "bad" or "warn"


_breaking: Final[LRUCache[bool]] = LRUCache(
    max_weight=1_000
)  # by a revision's key: revisions never change
_revised: Final[LRUCache[list[tuple[int, int]]]] = LRUCache(max_weight=10)


def list_concerns(person: User, week: Week, waiting: Sequence[Proposal]) -> list[Concern]:
    """All that needs the person's attention: the most urgent kind first, of each the latest first.

    `waiting` are the changes that they may review (`catalog.proposals.actions.changes_to_review`).
    """
    return [
        *_list_proposals(waiting),
        *_list_failing_examples(person),
        *_list_violations(week),
        *_list_breaking_revisions(person),
        *_list_broken_factories(person),
    ]


def _list_failing_examples(person: User) -> list[Concern]:
    finished = ExampleCheck.objects.filter(tool=OuterRef("tool"), finished_at__isnull=False)
    latest = finished.order_by("-pk").values("pk")[:1]
    failing = ExampleCheck.objects.filter(
        failed__gt=0,
        finished_at__isnull=False,
        revision=F("tool__current"),
        tool__archived_at=None,  # a condition on the joined tool: a subquery would list all tools
        pk=Subquery(latest),
    ).filter(is_visible(Audience.objects.visibility_for(person), "tool__"))
    checks = failing.select_related("tool").defer("tool__description").order_by("-pk")[:READ]
    concerns = []
    for check in checks:
        text = "1 example fails" if check.failed == 1 else f"{check.failed} examples fail"
        url = reverse("playground:tests", args=[check.tool.slug])
        name = check.tool.name
        concerns.append(Concern("circle-x", "Test fails", name, text, url, check.finished_at))
    return concerns


def _list_violations(week: Week) -> list[Concern]:
    if not week.violating:
        return []
    name = "1 response" if week.violating == 1 else f"{week.violating} responses"
    url = runs_url(since=week.days[0].starts_at.date(), verdict="violates")
    return [Concern("triangle-alert", "Does not match", name, "in the last 7 days", url)]


def _list_breaking_revisions(person: User) -> list[Concern]:
    """Breaking revisions of the last 7 days, of tools that the person owns or has starred."""
    state, _ = vocabulary.state_and_size()
    today = timezone.now().date()
    revised = _revised.get_or_compute((state, today), _find_revised_this_week)
    if not revised:
        return []
    tools = Tool.objects.visible_to(person).available().filter(pk__in={tool for _, tool in revised})
    own_tools = tools.filter(Q(owner=person) | Q(star__user=person)).distinct()
    mine = {tool.pk: tool for tool in own_tools}
    keys = [pk for pk, tool in revised if tool in mine][:REVISIONS_COMPARED]
    breaking_keys = [pk for pk in keys if _is_breaking(pk)]
    revisions = Revision.objects.filter(pk__in=breaking_keys).defer("source")
    by_tool: dict[int, list[Revision]] = defaultdict(list)
    for revision in revisions.order_by("-pk"):
        by_tool[revision.tool_id].append(revision)
    return [_describe_breaking(mine[tool], breaking) for tool, breaking in by_tool.items()]


def _describe_breaking(tool: Tool, revisions: Sequence[Revision]) -> Concern:
    """The breaking `revisions` of a tool, the latest first.

    One links to its diff, several to the list of revisions.
    """
    latest, *earlier = revisions
    words = f"revision {latest.number} is breaking"
    url = reverse("catalog:revision_diff", args=[tool.slug, latest.pair])
    if earlier:
        numbers = ", ".join(str(revision.number) for revision in reversed(earlier))
        words = f"revisions {numbers} and {latest.number} are breaking"
        url = reverse("catalog:tool_changes", args=[tool.slug])
    return Concern("git-compare", "Breaking", tool.name, words, url, latest.created_at)


def _find_revised_this_week() -> list[tuple[int, int]]:
    """(key of the revision, key of its tool), the latest first, without first revisions."""
    since = timezone.now() - timedelta(days=7)
    revisions = Revision.objects.order_by("-pk")
    latest = revisions.values_list("pk", "tool_id", "number", "created_at")[:REVISIONS_READ]
    keys = []
    for pk, tool, number, created_at in latest:
        if number > 1 and created_at >= since:
            keys.append((pk, tool))
    return keys


def _is_breaking(pk: int) -> bool:
    return _breaking.get_or_compute(pk, lambda: _compare_with_previous(pk))


def _compare_with_previous(pk: int) -> bool:
    new = Revision.objects.get(pk=pk)
    old = Revision.objects.filter(tool_id=new.tool_id, number=new.number - 1).first()
    return old is not None and difference_between(old, new).verdict == "breaking"


def _list_proposals(waiting: Sequence[Proposal]) -> list[Concern]:
    by_tool: dict[str, list[Proposal]] = defaultdict(list)
    for change in waiting:
        by_tool[change.tool_id].append(change)
    return [_describe_proposals(tool_id, changes) for tool_id, changes in by_tool.items()]


def _describe_proposals(tool_id: str, changes: Sequence[Proposal]) -> Concern:
    """The waiting `changes` of a tool, the latest first.

    One links to its own page, several to the list of changes.
    """
    words, url = "a change waits for your approval", changes[0].get_absolute_url()
    if len(changes) > 1:
        words = f"{len(changes)} changes wait for your approval"
        url = reverse("catalog:review_list")
    return Concern("hourglass", "Review", tool_id, words, url, changes[0].created_at, "warn")


def _list_broken_factories(person: User) -> list[Concern]:
    broken = [
        factory for factory in registry().all() if factory.status in {"broken", "missing package"}
    ]
    if not broken:
        return []
    url = reverse("playground:factories")
    text = "its code cannot be loaded"
    return [
        Concern("package", BROKEN, comparison.factory.key, text, url, tone="warn")
        for comparison in compare_factories(broken, person)
    ]
