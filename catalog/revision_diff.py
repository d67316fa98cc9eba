"""The semantic diff of two stored revisions, cached: revisions never change.

Counterexamples come from the examples of the specs and from sample values. Values that people sent in runs are never
used: everybody sees a diff, and runs are private.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from django.db.models import F, QuerySet

from catalog.caching import LRUCache
from catalog.json_schema.sampling import samples
from catalog.models import Revision
from catalog.specs.diff import Difference, compare
from catalog.specs.spec import ToolSpec

_differences: Final[LRUCache[Difference]] = LRUCache(max_weight=1_000)


def meaning_of(old: Revision, new: Revision) -> Difference:
    """The semantic changes from `old` to `new`, the worst first."""
    return _differences.get_or_compute((old.sha256, new.sha256), lambda: compare(old.spec, new.spec, sample=samples))


def with_verdicts(revisions: Sequence[Revision]) -> list[tuple[Revision, str | None]]:
    """Each of a tool's revisions with the verdict on its changes; None for the first one of a tool.

    Args:
        revisions: the newest first, without gaps. Texts are read only for the changes that are not cached.
    """
    if not revisions:
        return []
    by_number = {revision.number: revision for revision in revisions}
    oldest = revisions[-1]
    before = oldest.number - 1
    if before:
        by_number |= {one.number: one for one in _of_tool(oldest, [before]).defer("source")}
    pairs = {
        revision.number: (by_number[revision.number - 1], revision)
        for revision in revisions
        if revision.number - 1 in by_number
    }
    cached = {number: _differences.get((old.sha256, new.sha256)) for number, (old, new) in pairs.items()}
    missing = {number for number, difference in cached.items() if difference is None}
    stored = {one.number: one for one in _of_tool(oldest, missing | {number - 1 for number in missing})}
    verdicts = {
        number: (difference or meaning_of(stored[number - 1], stored[number])).verdict
        for number, difference in cached.items()
    }
    return [(revision, verdicts.get(revision.number)) for revision in revisions]


def _of_tool(revision: Revision, numbers: Collection[int]) -> QuerySet[Revision]:
    """The revisions with these numbers, of the tool that `revision` belongs to."""
    return Revision.objects.filter(tool_id=revision.tool_id, number__in=numbers)  # an empty list makes no query


def verdicts_on(specs: Iterable[ToolSpec]) -> dict[str, str]:
    """The verdicts on those `specs` that would become revisions of stored tools, by the specs' hashes."""
    by_id = {spec.tool_id: spec for spec in specs}
    current = Revision.objects.filter(tool__current_id=F("id"), tool__tool_id__in=by_id)
    pairs = [(revision, by_id[revision.tool.tool_id]) for revision in current.select_related("tool")]
    return {
        spec.sha256: difference_from(revision, spec).verdict
        for revision, spec in pairs
        if revision.sha256 != spec.sha256
    }


def difference_from(old: Revision, new: ToolSpec) -> Difference:
    """The semantic changes from a stored revision to a spec that may become the next one."""
    return _differences.get_or_compute((old.sha256, new.sha256), lambda: compare(old.spec, new, sample=samples))
