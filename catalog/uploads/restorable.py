"""The metadata in a catalog file, as far as it can be restored here; the rest is reported as losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import Group

from catalog.access import NamedInAccess
from catalog.accounts.models import User
from catalog.accounts.roles import is_administrator
from catalog.catalog_dump.metadata import (
    DumpedAccess,
    DumpedDeprecation,
    DumpedWaiver,
    ToolMetadata,
)
from catalog.conversion_report import Loss, Report
from catalog.jsontext.pointers import pointer_join
from catalog.lifecycle import problems_of_note
from catalog.linting.waivers import MAX_WAIVERS, problems_of_waiver
from catalog.metadata import problems_of_name
from catalog.models.access import GROUPS, VISIBILITIES
from catalog.models.tools import TAG_LENGTH, TOOLKIT_LENGTH
from catalog.rights import YES, Answer, may_add_to_toolkit
from catalog.search.document import MAX_TAGS, group_key, toolkit_of

MAX_NAME_CHARS: Final = 150  # of a username in a message
UNKNOWN: Final = "Unknown field; it was ignored."
_OTHER_OWNER: Final = (
    "Only administrators can set another owner, so the tool belongs to the person who uploaded it."
)


@dataclass(frozen=True, slots=True)
class Restorable:
    """The metadata of a tool that can be restored here, and the losses."""

    columns: Mapping[str, Any]
    waivers: Sequence[DumpedWaiver] = ()
    access: RestorableAccess | None = None
    toolkit_access: RestorableAccess | None = None
    losses: Sequence[Loss] = ()


@dataclass(frozen=True, slots=True)
class RestorableAccess(NamedInAccess):
    """The access settings of a tool or a toolkit, with the people and groups that exist here."""

    name: str
    visibility: str


class UploaderRights:
    """The rights of `by` to restore metadata in a batch; each toolkit is checked once."""

    def __init__(self, by: User | None) -> None:
        self.by = by
        self.sets_owners = by is None or is_administrator(by)
        self._toolkits: dict[str, Answer] = {}

    def to_toolkit(self, tool_id: str, toolkit: str) -> Answer:
        """Whether the tool may be in `toolkit`. That in its id was checked when it was published."""
        key = group_key(toolkit)
        if key == group_key(toolkit_of(tool_id)):
            return YES
        if key not in self._toolkits:
            self._toolkits[key] = may_add_to_toolkit(self.by, key)
        return self._toolkits[key]


def people_and_groups(metadata: Sequence[ToolMetadata]) -> tuple[dict[str, User], dict[str, Group]]:
    """The people and the groups with names in the file, by name."""
    access = [one for each in metadata for one in (each.access, each.toolkit_access) if one]
    people = {each.owner for each in metadata} | {
        name for one in access for name in (one.owner, *one.maintainers)
    }
    groups = {name for one in access for name in (*one.groups, *one.maintainer_groups)}
    users = {user.username: user for user in User.objects.filter(username__in=people - {""})}
    return users, {group.name: group for group in Group.objects.filter(name__in=groups)}


def _access(
    dumped: DumpedAccess | None,
    pointer: str,
    users: Mapping[str, User],
    groups: Mapping[str, Group],
    report: Report,
) -> RestorableAccess | None:
    """The parts that exist on this site. An unknown visibility restricts to the maintainers."""
    if dumped is None:
        return None
    visibility = dumped.visibility
    if visibility and visibility not in VISIBILITIES:
        report.dropped(
            f"{pointer}/visibility",
            "This visibility is unknown. Only the owner and maintainers see it.",
        )
        visibility = GROUPS
    if dumped.owner and dumped.owner not in users:
        report.dropped(
            f"{pointer}/owner", f"There is no user {dumped.owner[:MAX_NAME_CHARS]!r} here."
        )
    known: dict[str, list[Any]] = {}
    for member, noun, there in (
        ("groups", "group", groups),
        ("maintainers", "user", users),
        ("maintainer_groups", "group", groups),
    ):
        names: tuple[str, ...] = getattr(dumped, member)
        known[member] = [there[name] for name in names if name in there]
        for number, name in enumerate(names):
            if name not in there:
                report.dropped(
                    f"{pointer}/{member}/{number}",
                    f"There is no {noun} {name[:MAX_NAME_CHARS]!r} here.",
                )
    return RestorableAccess(
        name=dumped.name, owner=users.get(dumped.owner), visibility=visibility, **known
    )


def merged_access(
    access: RestorableAccess | None, of_toolkit: RestorableAccess
) -> RestorableAccess:
    """The restriction of a toolkit as that of one of its tools."""
    if access is None:
        return of_toolkit
    return replace(
        of_toolkit,
        maintainers=[*access.maintainers, *of_toolkit.maintainers],
        maintainer_groups=[*access.maintainer_groups, *of_toolkit.maintainer_groups],
    )


def restorable_metadata(
    tool_id: str,
    metadata: ToolMetadata,
    users: Mapping[str, User],
    groups: Mapping[str, Group],
    now: datetime,
    *,
    rights: UploaderRights,
) -> Restorable:
    """The restorable parts of a tool's `metadata` in the file; `users` and `groups` are those that exist."""
    report = Report()
    for pointer in metadata.unknown:
        report.dropped(pointer, UNKNOWN)
    owner = users.get(metadata.owner)
    columns: dict[str, Any] = {"owner": owner}
    if owner and owner != rights.by and not rights.sets_owners:
        columns = {"owner": rights.by}
        report.dropped("/owner", _OTHER_OWNER)
    elif metadata.owner and owner is None:
        report.dropped("/owner", f"There is no user {metadata.owner[:MAX_NAME_CHARS]!r} here.")
    if metadata.toolkit is not None:
        columns |= _toolkit(tool_id, metadata.toolkit, rights, report)
    columns["added_tags"] = "\n".join(_tags(metadata.tags, report))
    if metadata.deprecation:
        for problem in problems_of_note(metadata.deprecation.note):
            report.dropped("/deprecation/note", problem.message)
        columns |= {
            "deprecation_chosen": True,
            "deprecated_at": now,
            "deprecation_note": note_of(metadata.deprecation),
        }
    waivers = list(_waivers(metadata.waivers, report))
    access = _access(metadata.access, "/access", users, groups, report)
    of_toolkit = _access(metadata.toolkit_access, "/toolkit_access", users, groups, report)
    return Restorable(columns, waivers, access, of_toolkit, list(report))


def _toolkit(tool_id: str, name: str, rights: UploaderRights, report: Report) -> dict[str, Any]:
    toolkit = " ".join(name.split())
    problems = problems_of_name(toolkit, "/toolkit", "toolkit", TOOLKIT_LENGTH) if toolkit else []
    for problem in problems:
        report.dropped(problem.pointer, problem.message)
    if not problems and not (answer := rights.to_toolkit(tool_id, toolkit)):
        report.dropped("/toolkit", answer.reason)
        return {}
    return {} if problems else {"toolkit": toolkit, "toolkit_chosen": True}


def _tags(tags: Sequence[str], report: Report) -> list[str]:
    accepted: dict[str, str] = {}
    for number, dumped in enumerate(tags):
        tag, pointer = " ".join(dumped.split()), pointer_join("/tags", number)
        problems = problems_of_name(tag, pointer, "tag", TAG_LENGTH)
        for problem in problems:
            report.dropped(pointer, problem.message)
        if problems:
            continue
        if group_key(tag) in accepted:
            report.dropped(pointer, "The tool already has this tag.")
        elif len(accepted) == MAX_TAGS:
            report.dropped(pointer, f"A tool can have at most {MAX_TAGS} tags.")
        else:
            accepted[group_key(tag)] = tag
    return list(accepted.values())


def note_of(deprecation: DumpedDeprecation) -> str:
    """The note to store; "" if it is invalid."""
    return "" if problems_of_note(deprecation.note) else deprecation.note.strip()


def _waivers(waivers: Sequence[DumpedWaiver], report: Report) -> Iterator[DumpedWaiver]:
    seen: set[tuple[str, str]] = set()
    for number, dumped in enumerate(waivers):
        reason, pointer = " ".join(dumped.reason.split()), f"/waivers/{number}"
        waiver = DumpedWaiver(dumped.rule, dumped.pointer, reason)
        problems = problems_of_waiver(waiver.rule, waiver.pointer, waiver.reason)
        for problem in problems:
            report.dropped(pointer + problem.pointer, problem.message)
        if problems:
            continue
        if (key := (waiver.rule, waiver.pointer)) in seen:
            report.dropped(pointer, "This finding is already waived.")
        elif len(seen) == MAX_WAIVERS:
            report.dropped(pointer, f"A tool can have at most {MAX_WAIVERS} waivers.")
        else:
            seen.add(key)
            yield waiver
