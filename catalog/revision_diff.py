"""The semantic diff of two stored revisions, cached: revisions never change.

The playground installs the function that makes values from a schema (`playground/apps.py`), which serve as
counterexamples; without it the diff has the examples and its own samples. Values that people sent in runs are never
used: everybody sees a diff, and runs are private.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.caching import LRUCache
from catalog.hooks import hooks
from catalog.models import Revision
from catalog.specs.diff import Difference, compare

_differences: Final[LRUCache[Difference]] = LRUCache(max_weight=1_000)


def meaning_of(old: Revision, new: Revision) -> Difference:
    """The changes of meaning from `old` to `new`, the worst first."""
    return _differences.get_or_compute(
        (old.sha256, new.sha256), lambda: compare(old.spec, new.spec, sample=hooks.sample_values)
    )


def with_verdicts(revisions: Sequence[Revision]) -> list[tuple[Revision, str | None]]:
    """Each of a tool's revisions with the verdict on its changes; None for the first one of a tool.

    Args:
        revisions: the newest first, without gaps; the texts of those shown and of the one before are read.
    """
    if not revisions:
        return []
    numbers = range(revisions[-1].number - 1, revisions[0].number + 1)
    stored = {
        revision.number: revision
        for revision in Revision.objects.filter(tool_id=revisions[0].tool_id, number__in=numbers)
    }
    return [
        (
            revision,
            meaning_of(stored[revision.number - 1], stored[revision.number]).verdict
            if revision.number - 1 in stored
            else None,
        )
        for revision in revisions
    ]
