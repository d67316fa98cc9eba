"""Restore what people set for the tools of an export: toolkit, tags, owner and visibility.

A tool that is new here gets them; an existing tool keeps its own. A restricted tool never becomes
more visible: where none of its groups exists, its owner and administrators see it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.models import Group

from accounts.models import User
from catalog.access.models import EVERYONE, GROUPS, SIGNED_IN
from catalog.exports.exported_tools import ExportedTool
from catalog.organise.metadata import problems_of_name
from catalog.tools.audiences import toolkits_of
from catalog.tools.indexing import reindex
from catalog.tools.models import TAG_LENGTH, TOOLKIT_LENGTH, Tool
from catalog.tools.publishing import Publication
from toolspec.catalog_names import MAX_TAGS
from toolspec.conversion_report import Loss, Report

_STRICTNESS: Final = (EVERYONE, SIGNED_IN, GROUPS)
_EXISTED: Final = Loss(
    "/tool", "dropped", "The tool existed already, and keeps its toolkit, tags, owner and access."
)


class ExportedMetadata:
    """The metadata of the tools of a batch, with the people and groups that exist here, by the ids of the tools."""

    def __init__(self, exported: Mapping[str, ExportedTool]) -> None:
        self._exported = exported
        owners = {one.owner for one in exported.values()}
        names = {name for one in exported.values() for name in one.groups}
        self._users = {user.username: user for user in User.objects.filter(username__in=owners)}
        self._groups = {group.name: group for group in Group.objects.filter(name__in=names)}

    def columns(self) -> dict[str, Mapping[str, Any]]:
        """The initial column values of the tools, in case they are new."""
        return {tool_id: self._columns_of(one) for tool_id, one in self._exported.items()}

    def _columns_of(self, exported: ExportedTool) -> dict[str, Any]:
        columns: dict[str, Any] = {"added_tags": "\n".join(_valid_tags(exported.tags))}
        if exported.owner in self._users:
            columns["owner"] = self._users[exported.owner]
        if exported.toolkit is not None and _is_toolkit(exported.toolkit):
            columns |= {"toolkit": exported.toolkit, "toolkit_chosen": True}
        if exported.visibility:
            columns["visibility"] = exported.visibility
        return columns

    def restrict(self, publications: Sequence[Publication]) -> None:
        """Let the groups of new tools see them, and follow toolkits that are stricter here; in their transaction."""
        restricted = [
            one.tool
            for one in publications
            if one.outcome == "created" and self._visibility_of(one.tool)
        ]
        toolkits = toolkits_of(restricted)
        for tool in restricted:
            exported = self._exported[tool.tool_id]
            toolkit = toolkits.get(tool.toolkit_key)
            groups = [self._groups[name] for name in exported.groups if name in self._groups]
            is_stricter_here = toolkit is not None and (
                _STRICTNESS.index(toolkit.visibility) > _STRICTNESS.index(exported.visibility)
            )
            if not groups and not is_stricter_here:
                continue
            stored = Tool.objects.with_current().get(pk=tool.pk)
            if is_stricter_here:
                stored.visibility = None
            else:
                stored.groups.set(groups)
            reindex(stored, "visibility")

    def _visibility_of(self, tool: Tool) -> str:
        exported = self._exported.get(tool.tool_id)
        return exported.visibility if exported else ""

    def losses(self, publication: Publication) -> tuple[Loss, ...]:
        """What is not restored of a published tool."""
        exported = self._exported.get(publication.tool.tool_id)
        if exported is None or exported == ExportedTool():
            return ()
        if publication.outcome != "created":
            return (_EXISTED,)
        report = Report()
        if exported.owner and exported.owner not in self._users:
            report.dropped("/tool/owner", f"There is no user {exported.owner[:150]!r} here.")
        for number, name in enumerate(exported.groups):
            if name not in self._groups:
                report.dropped(f"/tool/groups/{number}", f"There is no group {name[:150]!r} here.")
        if exported.toolkit is not None and not _is_toolkit(exported.toolkit):
            report.dropped("/tool/toolkit", "This is not the name of a toolkit.")
        if len(_valid_tags(exported.tags)) < len(exported.tags):
            report.dropped("/tool/tags", "Some of these are not names of tags.")
        return tuple(report)


def _is_toolkit(name: str) -> bool:
    return not name or not problems_of_name(name, "", "toolkit", TOOLKIT_LENGTH)


def _valid_tags(tags: Sequence[str]) -> list[str]:
    valid = [
        tag for tag in tags if "\n" not in tag and not problems_of_name(tag, "", "tag", TAG_LENGTH)
    ]
    return valid[:MAX_TAGS]
