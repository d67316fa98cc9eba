"""The origins that a saved configuration is bound to.

Its secrets go there when a tool of an OpenAPI source runs.

A source's document or an edit of the source may move the address of an API. A secret that was saved
for the old one must not go to the new one before its owner enters it again.
"""

from __future__ import annotations

from typing import Final

from django.views.decorators.debug import sensitive_variables

from catalog.sources.declared import declared_document, revisions_from
from catalog.sources.models import SourceTool
from catalog.tools.models import Revision, Tool
from playground.configurations.models import SavedConfiguration
from playground.configurations.secret_members import Configuration
from playground.connections.request import origins_of_requests
from toolshelf_tools import ToolError
from toolspec.errors import ToolshelfError
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

_SHARED: Final = (
    "The tool now sends requests to another URL than when this shared configuration was saved. "
    "Its owner has to enter its secrets again and save it again."
)
_OWN: Final = (
    "This configuration was saved for {before}, but the tool now sends requests to {now}. "
    "Nothing was sent there. To use it with the new URL, enter its secrets again and save it "
    "again."
)


@sensitive_variables("value")
def origins_of(tool: Tool, revision: Revision | None, value: JSON) -> str:
    """The origins that a run of `revision` sends the configuration `value` to, separated by spaces.

    "" if the tool is none of an OpenAPI source, or its address is not complete, so that nothing is
    sent.
    """
    listed = _find_source_tool(tool)
    if listed is None or revision is None:
        return ""
    try:
        document = declared_document(revision, listed.source)
        origins = origins_of_requests(
            document, members_of(value), source_address=listed.source.address
        )
    except (ToolshelfError, ToolError):
        return ""
    return " ".join(origins)


@sensitive_variables("value")
def binding_of(saved: SavedConfiguration, value: JSON) -> str:
    """The origins that `saved`, whose content is `value`, was saved for; "" for none.

    A configuration of an earlier version of Toolshelf is bound at its first use, to the origins of
    the revision that the source had declared when it was saved; to none if the source was added or
    moved to another server since.
    """
    if saved.origins:
        return saved.origins
    listed = _find_source_tool(saved.tool)
    if listed is None or (listed.source.moved_at or listed.source.created_at) > saved.updated_at:
        return ""
    revisions = revisions_from(listed.source, saved.tool_id)
    earlier = revisions.filter(created_at__lte=saved.updated_at)
    origins = origins_of(saved.tool, earlier.order_by("-number").first(), value)
    if origins:
        SavedConfiguration.objects.filter(pk=saved.pk, origins="").update(origins=origins)
    return origins


@sensitive_variables("configuration")
def moved_message(configuration: Configuration | None, tool: Tool, revision: Revision) -> str:
    """Why a saved configuration cannot be used for a run of `revision`, and what to do.

    "" if it can.
    """
    if configuration is None or configuration.bound_to is None:
        return ""
    now = origins_of(tool, revision, configuration.value)
    if not now or now == configuration.bound_to:
        return ""
    if configuration.shared_as:
        return _SHARED
    return _OWN.format(before=configuration.bound_to or "another URL", now=now)


def _find_source_tool(tool: Tool) -> SourceTool | None:
    tools = SourceTool.objects.filter(catalog_tool=tool, source__kind="openapi")
    return tools.select_related("source").defer("source__document").first()
