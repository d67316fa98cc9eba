"""Writing the whole catalog out, revision by revision, without holding it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Collate

from catalog.catalog_file import KeptRevision, catalog_lines
from catalog.models import Revision, Tool
from catalog.retelling import said_of

TOOLS_AT_ONCE = 200

_BY_CODE_POINT = {"sqlite": "BINARY", "postgresql": "C"}


def whole_catalog() -> Iterator[str]:
    """The lines of a file that holds every revision of every tool, and what people say of it (see `catalog_file`).

    Archived tools are in it too.

    What is published while it is written may be in it or not, but each tool is whole.
    """
    revisions = _revisions()
    first = list(islice(revisions, 1))  # a database that cannot be read shows before anything is written
    return catalog_lines(chain(first, revisions))


def _revisions() -> Iterator[KeptRevision]:
    tools = _tools().iterator(chunk_size=TOOLS_AT_ONCE)
    while chunk := list(islice(tools, TOOLS_AT_ONCE)):
        found: dict[int, list[Revision]] = {tool.pk: [] for tool in chunk}
        for revision in Revision.objects.filter(tool__in=chunk).order_by("number"):
            found[revision.tool_id].append(revision)
        said = said_of(chunk)
        for tool in chunk:
            newest = max((revision.number for revision in found[tool.pk]), default=0)
            for revision in found[tool.pk]:
                yield KeptRevision(
                    tool.tool_id,
                    revision.number,
                    revision.source,
                    revision.number == newest,
                    tool.archived,
                    said[tool.pk],
                )


def _tools() -> QuerySet[Tool]:
    """All tools in the same order on every database."""
    order = Collate("tool_id", _BY_CODE_POINT[connection.vendor])
    return Tool.objects.only("tool_id", "archived_at").order_by(order)
