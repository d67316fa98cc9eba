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
def share_with_groups(subject: Run | SavedConfiguration, names: Sequence[str], *, by: User) -> None:
    """Share `subject` with the groups of these names and no others.

    The caller has checked that it belongs to `by`.

    Raises:
        DocumentError: `by` belongs to no such group, or there are too many; with pointers into
            {"groups"}.
    """
    if len(names) > MAX_GROUPS:
        raise DocumentError(
            [Problem("/groups", f"Share it with at most {MAX_GROUPS} groups.", "share.groups")]
        )
    own_groups = Group.objects.all() if is_administrator(by) else by.groups.all()
    groups = {group.name: group for group in own_groups.exclude(name__in=READY_GROUPS)}
    problems = []
    for index, name in enumerate(names):
        if name not in groups:
            message = f"You belong to no group {name[:150]!r}."
            problems.append(Problem(pointer_join("/groups", index), message, "share.group"))
    if problems:
        raise DocumentError(problems)
    before = _describe_groups(subject)
    subject.groups.set([groups[name] for name in dict.fromkeys(names)])
    after = _describe_groups(subject)
    if before == after:
        return
    if isinstance(subject, SavedConfiguration):
        tool_id = subject.tool.tool_id
        audit.record("configuration.share", "tool", tool_id, before=before, after=after)
    else:
        audit.record("run.share", "run", subject.pk, before=before, after=after)


def _describe_groups(subject: Run | SavedConfiguration) -> dict[str, object]:
    """The groups that it is shared with, as the audit log has them."""
    names = list(subject.groups.order_by("name").values_list("name", flat=True))
    if isinstance(subject, SavedConfiguration):
        return {"configuration": subject.name, "groups": names}
    return {"groups": names}
