"""The semantic diff of two stored revisions, cached: revisions never change.

Counterexamples come from the examples of the specs and from sample values. Values that people sent
in runs are never used: everybody sees a diff, and runs are private.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, QuerySet

from catalog.tools.models import Revision
from toolshelf_core.caching import LRUCache
from toolspec.diff import Change, Difference, compare
from toolspec.schema.sampling import samples
from toolspec.spec import ToolSpec

MAX_CHANGES: Final = 20  # in the body of an event for webhooks
_differences: Final[LRUCache[Difference]] = LRUCache(max_weight=1_000)


def difference_between(old: Revision, new: Revision) -> Difference:
    """The semantic changes from `old` to `new`, the worst first."""
    return _differences.get_or_compute(
        (old.sha256, new.sha256), lambda: compare(old.spec, new.spec, sample=samples)
    )


def meaning_of_event(data: dict[str, Any]) -> dict[str, Any]:
    """The verdict and the worst changes of a revision, for webhooks.

    Args:
        data: of the event: `tool`, and the numbers `previous` and `revision`.
    """
    numbers = [data["previous"], data["revision"]]
    stored = Revision.objects.filter(tool__tool_id=data["tool"]["id"], number__in=numbers)
    revisions = list(stored.order_by("number"))
    if len(revisions) != 2:
        return {"verdict": None, "changes": []}
    difference = difference_between(*revisions)
    worst = difference.changes[:MAX_CHANGES]
    changes = [{"verdict": change.verdict, "message": change.message} for change in worst]
    return {"verdict": difference.verdict, "changes": changes}


@dataclass(frozen=True, slots=True)
class Step:
    """One revision in a tool's history: its changes, and the score before it.

    Attributes:
        revision: the revision, with its assessment.
        difference: its changes to the revision before; None for the first one of a tool.
        score_before: the lint score of the revision before; None if there is none.
    """

    revision: Revision
    difference: Difference | None
    score_before: int | None

    @property
    def verdict(self) -> str:
        """The verdict on its changes; "" for the first revision of a tool."""
        return self.difference.verdict if self.difference else ""

    @property
    def headline(self) -> Change | None:
        """The most severe change, if there is one."""
        return self.difference.changes[0] if self.difference and self.difference.changes else None

    @property
    def more(self) -> int:
        """The number of its changes besides the headline."""
        return max(0, len(self.difference.changes) - 1) if self.difference else 0


def history_of(revisions: Sequence[Revision]) -> list[Step]:
    """Each of a tool's revisions with its changes.

    Args:
        revisions: the newest first, without gaps, with their assessments. Texts are read only for
            the changes that are not cached.
    """
    if not revisions:
        return []
    by_number = {revision.number: revision for revision in revisions}
    oldest = revisions[-1]
    before = oldest.number - 1
    if before:
        earlier = _of_tool(oldest, [before]).defer("source").select_related("assessment")
        by_number |= {one.number: one for one in earlier}
    pairs = {
        revision.number: (by_number[revision.number - 1], revision)
        for revision in revisions
        if revision.number - 1 in by_number
    }
    cached = {
        number: _differences.get((old.sha256, new.sha256)) for number, (old, new) in pairs.items()
    }
    missing = {number for number, difference in cached.items() if difference is None}
    numbers = missing.union(number - 1 for number in missing)
    stored = {revision.number: revision for revision in _of_tool(oldest, numbers)}
    differences = {
        number: difference or difference_between(stored[number - 1], stored[number])
        for number, difference in cached.items()
    }
    scores = {number: old.score for number, (old, _) in pairs.items()}
    return [Step(one, differences.get(one.number), scores.get(one.number)) for one in revisions]


def _of_tool(revision: Revision, numbers: Collection[int]) -> QuerySet[Revision]:
    """The revisions with these numbers, of the tool that `revision` belongs to."""
    # An empty list makes no query.
    return Revision.objects.filter(tool_id=revision.tool_id, number__in=numbers)


def verdicts_on(specs: Iterable[ToolSpec], most: int | None = None) -> dict[str, str]:
    """The verdicts on those `specs` that would become revisions of stored tools.

    They are by the specs' hashes; at most `most` of them, None: all.
    """
    by_id = {spec.tool_id: spec for spec in specs}
    current = Revision.objects.filter(tool__current_id=F("id"), tool__tool_id__in=by_id)
    pairs = []
    for revision in current.select_related("tool"):
        spec = by_id[revision.tool.tool_id]
        if revision.sha256 != spec.sha256:
            pairs.append((revision, spec))
    return {spec.sha256: difference_from(revision, spec).verdict for revision, spec in pairs[:most]}


def difference_from(old: Revision, new: ToolSpec) -> Difference:
    """The semantic changes from a stored revision to a spec that may become the next one."""
    return _differences.get_or_compute(
        (old.sha256, new.sha256), lambda: compare(old.spec, new, sample=samples)
    )
