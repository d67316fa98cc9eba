"""What a source declared about a tool, whatever the tool's spec says here now."""

from __future__ import annotations

from typing import Final

from django.db.models import QuerySet

from catalog.sources.models import Source
from catalog.tools.models import Revision
from toolspec.errors import ToolshelfError
from toolspec.text.reader import JSON

NOT_APPROVED: Final = (
    "This tool was in the catalog before its source. Approve the source's definition first."
)
_DECLARED: Final = (
    "x-openapi",
    "configuration",
)  # the members of a spec that say where requests go


def is_declared(revision: Revision, source: Source) -> bool:
    """Whether the source declared this revision."""
    return (revision.origin_kind, revision.origin_name) == ("source", source.name)


def revisions_from(source: Source, tool_id: int) -> QuerySet[Revision]:
    """The revisions of a tool that the source declared."""
    return Revision.objects.filter(tool_id=tool_id, origin_kind="source", origin_name=source.name)


def declared_document(revision: Revision, source: Source) -> dict[str, JSON]:
    """The spec to run: the spec of `revision`, with the addresses that the source declared.

    People may revise the spec of a tool here, for instance its description. This must not let them
    send other people's secrets to another address.

    Raises:
        ToolshelfError: the source's own definition was never approved.
    """
    document = revision.spec.document
    if is_declared(revision, source):
        return document
    found = revisions_from(source, revision.tool_id)
    before = found.filter(number__lte=revision.number).order_by("-number")
    declared = before.first() or found.order_by("number").first()
    if declared is None:
        raise ToolshelfError(NOT_APPROVED)
    at_source = declared.spec.document
    own = {name: value for name, value in document.items() if name not in _DECLARED}
    return own | {name: at_source[name] for name in _DECLARED if name in at_source}
