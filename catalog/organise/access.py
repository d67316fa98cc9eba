"""Set who owns, maintains and sees a tool or a toolkit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.contrib.auth.models import Group
from django.db import transaction

from accounts.models import User
from catalog.access.models import EVERYONE, GROUPS, VISIBILITIES, Toolkit
from catalog.access.rights import may, require
from catalog.index import search_index
from catalog.tools.audiences import remove_unused_audiences, set_audience
from catalog.tools.indexing import changing_tool, reindex
from catalog.tools.models import Tool
from toolshelf_core import audit
from toolshelf_core.errors import NotAllowed
from toolspec.errors import DocumentError, Problem
from toolspec.text.pointers import pointer_join

MAX_NAMES: Final = 100  # of maintainers, and of groups


@dataclass(frozen=True, slots=True)
class Access:
    """The requested settings, by names.

    Attributes:
        owner: a username; "" for nobody; None leaves it unchanged.
        maintainers: usernames.
        maintainer_groups: names of groups.
        visibility: one of `VISIBILITIES`; "" for a tool that is as visible as its toolkit.
        groups: names of the groups that see it, for the visibility "groups".
    """

    owner: str | None = None
    maintainers: Collection[str] = ()
    maintainer_groups: Collection[str] = ()
    visibility: str = ""
    groups: Collection[str] = ()


def access_of(one: Tool | Toolkit) -> Access:
    """The stored settings of a tool or a toolkit."""
    if one.pk is None:
        return Access(
            owner="", maintainers=[], maintainer_groups=[], visibility=EVERYONE, groups=[]
        )
    return Access(
        owner=one.owner.username if one.owner else "",
        maintainers=list(one.maintainers.order_by("username").values_list("username", flat=True)),
        maintainer_groups=list(
            one.maintainer_groups.order_by("name").values_list("name", flat=True)
        ),
        visibility=one.visibility or "",
        groups=list(one.groups.order_by("name").values_list("name", flat=True)),
    )


def change_tool_access(
    tool: Tool, wanted: Access, *, by: User | None, seen: Collection[str] | None = None
) -> Tool:
    """Set the owner, the maintainers and the visibility of `tool`, or nothing.

    Raises:
        RevisionConflict: the tool's entity tag is not in `seen` (see `indexing.changing_tool`).
        NotAllowed: `by` may not organise the tool, or not change its owner.
        DocumentError: a name is unknown; with pointers into the members of `Access`.
    """
    with changing_tool(tool, seen=seen) as stored:
        require(by, "organise", stored)
        found = _looked_up(wanted, visibilities={"", *VISIBILITIES})
        before = access_of(stored)
        if wanted.owner is not None and found.owner != stored.owner:
            require(by, "hand over", stored)
            stored.owner = found.owner
        stored.visibility = wanted.visibility or None
        found.store_names(stored)
        reindex(stored, "owner", "visibility")
        audit.record_change(
            "tool.access", "tool", stored.tool_id, asdict(before), asdict(access_of(stored))
        )
        return stored


def change_toolkit_access(toolkit: Toolkit, wanted: Access, *, by: User | None) -> Toolkit:
    """Set the owner, the maintainers and the visibility of a toolkit, or nothing.

    They apply to all of its tools.

    Its tools are indexed again, if the change concerns who sees them.

    Args:
        toolkit: from `tools.lookup.toolkit_for`, so it may have no settings yet.
        wanted: its visibility is one of `VISIBILITIES`.
        by: who changes it.

    Raises:
        NotAllowed: `by` is not its owner, one of its maintainers or an administrator.
        DocumentError: a name is unknown; with pointers into the members of `Access`.
    """
    with transaction.atomic():
        search_index().hold()
        stored = Toolkit.objects.select_related("owner").filter(key=toolkit.key).first() or toolkit
        require(by, "organise", stored)
        found = _looked_up(wanted, visibilities=VISIBILITIES.keys())
        before = access_of(stored)
        if wanted.owner is not None and found.owner != stored.owner:
            if (
                by is not None
                and stored.owner_id not in {None, by.pk}
                and not may(by, "administer")
            ):
                raise NotAllowed(
                    f"Only the owner and administrators can change the owner of {stored.name}."
                )
            stored.owner = found.owner
        stored.visibility = wanted.visibility
        stored.save()
        found.store_names(stored)
        index_tools_again(stored)
        audit.record_change(
            "toolkit.access", "toolkit", stored.name, asdict(before), asdict(access_of(stored))
        )
        return stored


def index_tools_again(toolkit: Toolkit) -> None:
    """Update the audience of the toolkit's tools that have no settings of their own."""
    toolkits = {toolkit.key: toolkit}
    for tool in Tool.objects.with_current().filter(toolkit_key=toolkit.key):
        before = tool.audience_id
        set_audience(tool, toolkits)
        if tool.audience_id != before:
            reindex(tool)
    remove_unused_audiences()


@dataclass(frozen=True, slots=True)
class NamedInAccess:
    """The people and groups that access settings name.

    These are the owner of a toolkit, the maintainers, and who sees it.
    """

    owner: User | None
    maintainers: list[User]
    maintainer_groups: list[Group]
    groups: list[Group]

    def store_names(self, one: Tool | Toolkit) -> None:
        one.maintainers.set(self.maintainers)
        one.maintainer_groups.set(self.maintainer_groups)
        one.groups.set(self.groups)


def _looked_up(wanted: Access, *, visibilities: Collection[str]) -> NamedInAccess:
    """The people and groups with these names.

    Raises:
        DocumentError: a name is unknown, or the visibility is.
    """
    problems: list[Problem] = []
    if wanted.visibility not in visibilities:
        known = ", ".join(sorted(filter(None, visibilities)))
        problems.append(
            Problem("/visibility", f"The visibility must be one of {known}.", "access.visibility")
        )
    people = {
        user.username: user
        for user in User.objects.filter(is_active=True, username__in=wanted.maintainers)
    }
    groups = {
        group.name: group
        for group in Group.objects.filter(name__in=[*wanted.maintainer_groups, *wanted.groups])
    }
    owner = None
    if wanted.owner:
        owner = User.objects.filter(is_active=True, username__in=[wanted.owner]).first()
        problems += [] if owner else [_unknown("/owner", "user", wanted.owner)]
    problems += _missing("maintainers", "user", wanted.maintainers, people)
    problems += _missing("maintainer_groups", "group", wanted.maintainer_groups, groups)
    problems += _missing("groups", "group", wanted.groups, groups)
    if wanted.visibility == GROUPS and not wanted.groups:
        problems.append(Problem("/groups", "Choose the groups that may see it.", "access.groups"))
    if problems:
        raise DocumentError(problems)
    return NamedInAccess(
        owner,
        [people[name] for name in dict.fromkeys(wanted.maintainers)],
        [groups[name] for name in dict.fromkeys(wanted.maintainer_groups)],
        [groups[name] for name in dict.fromkeys(wanted.groups)],
    )


def _missing(
    member: str, noun: str, names: Collection[str], found: dict[str, Any]
) -> list[Problem]:
    if len(names) > MAX_NAMES:
        return [
            Problem(f"/{member}", f"There can be at most {MAX_NAMES} names.", f"access.{member}")
        ]
    return [
        _unknown(pointer_join("", member, index), noun, name)
        for index, name in enumerate(names)
        if name not in found
    ]


def _unknown(pointer: str, noun: str, name: str) -> Problem:
    return Problem(pointer, f"There is no {noun} {name[:150]!r}.", f"access.{noun}")
