"""Share runs and saved configurations with groups. Without one, they are private."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from django.contrib.auth.models import Group
from django.db import transaction

from accounts.models import User
from accounts.roles import READY_GROUPS, is_administrator
from playground.configurations.models import SavedConfiguration
from toolshelf_core import audit
from toolspec.errors import DocumentError, Problem
from toolspec.text.pointers import pointer_join

if TYPE_CHECKING:
    from playground.runs.models import Run

MAX_GROUPS: Final = 50


@transaction.atomic
def share_with_groups(one: Run | SavedConfiguration, names: Sequence[str], *, by: User) -> None:
    """Share it with the groups of these names and no others.

    The caller has checked that it belongs to `by`.

    Raises:
        DocumentError: `by` belongs to no such group, or there are too many; with pointers into
            {"groups"}.
    """
    if len(names) > MAX_GROUPS:
        raise DocumentError(
            [Problem("/groups", f"Share it with at most {MAX_GROUPS} groups.", "share.groups")]
        )
    known = Group.objects.all() if is_administrator(by) else by.groups.all()
    groups = {group.name: group for group in known.exclude(name__in=READY_GROUPS)}
    unknown = [
        Problem(
            pointer_join("/groups", index), f"You belong to no group {name[:150]!r}.", "share.group"
        )
        for index, name in enumerate(names)
        if name not in groups
    ]
    if unknown:
        raise DocumentError(unknown)
    before = _group_names(one)
    one.groups.set([groups[name] for name in dict.fromkeys(names)])
    after = _group_names(one)
    if before == after:
        return
    if isinstance(one, SavedConfiguration):
        old, new = ({"configuration": one.name, "groups": each} for each in (before, after))
        audit.record("configuration.share", "tool", one.tool.tool_id, before=old, after=new)
    else:
        audit.record("run.share", "run", one.pk, before={"groups": before}, after={"groups": after})


def _group_names(one: Run | SavedConfiguration) -> list[str]:
    return list(one.groups.order_by("name").values_list("name", flat=True))
