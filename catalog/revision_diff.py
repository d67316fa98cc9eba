"""What a stored revision changes in meaning from another one. Revisions never change, so what is found is kept.

Values that prove a change are made from the schemas by whoever can: the playground provides that when it starts
(`playground/apps.py`); alone, the catalog has the examples and its own sketches. What people have sent in runs proves
nothing here: a difference is shown to everybody, and runs are their own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from catalog.hooks import hooks
from catalog.models import Revision
from catalog.specs.diff import Difference, compare

MAX_KEPT: Final = 1000

_kept: OrderedDict[tuple[str, str], Difference] = OrderedDict()
_lock = threading.Lock()


def meaning_of(old: Revision, new: Revision) -> Difference:
    """The changes of meaning from `old` to `new`, the worst first."""
    key = (old.sha256, new.sha256)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    difference = compare(old.spec, new.spec, sample=hooks.sample_values)
    with _lock:
        _kept[key] = difference
        if len(_kept) > MAX_KEPT:
            _kept.popitem(last=False)
    return difference


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
