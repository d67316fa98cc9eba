"""Write the whole catalog, revision by revision, without holding it in memory.

Over HTTP it is sent from a file, which is written once for each state of the catalog, because an export reads every
revision and anyone may request one.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import weakref
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Collate

from catalog.accounts.models import User
from catalog.catalog_dump.format import NO_METADATA, DumpedRevision, catalog_lines
from catalog.catalog_dump.metadata import DumpedDeprecation, DumpedWaiver, ToolMetadata
from catalog.errors import Busy
from catalog.models import Revision, Tool, Waiver
from catalog.search import vocabulary

TOOLS_PER_QUERY = 200
WAIT_S: Final = 5  # for an export that another request is writing
PART_BYTES: Final = 64 * 1024

_BY_CODE_POINT = {"sqlite": "BINARY", "postgresql": "C"}


def whole_catalog() -> Iterator[str]:
    """The lines of a catalog file with the metadata and every revision of every tool, including archived ones.

    A revision published while the file is written may be included or not, but each tool is consistent.
    """
    revisions = _revisions()
    first = list(islice(revisions, 1))  # an unreadable database raises its error before anything is written
    return catalog_lines(chain(first, revisions))


def _revisions() -> Iterator[DumpedRevision]:
    tools = _tools().iterator(chunk_size=TOOLS_PER_QUERY)
    while chunk := list(islice(tools, TOOLS_PER_QUERY)):
        found: dict[int, list[Revision]] = {tool.pk: [] for tool in chunk}
        for revision in Revision.objects.filter(tool__in=chunk).order_by("number"):
            found[revision.tool_id].append(revision)
        metadata = metadata_of(chunk)
        for tool in chunk:
            newest = max((revision.number for revision in found[tool.pk]), default=0)
            for revision in found[tool.pk]:
                yield DumpedRevision(
                    tool.tool_id,
                    revision.number,
                    revision.source,
                    revision.number == newest,
                    tool.archived,
                    metadata[tool.pk],
                )


def _tools() -> QuerySet[Tool]:
    """All tools in the same order on every database."""
    order = Collate("tool_id", _BY_CODE_POINT[connection.vendor])
    return Tool.objects.only("tool_id", "archived_at").order_by(order)


class CatalogFile:
    """The whole catalog in an unnamed temporary file, which is deleted when nothing uses it any more.

    Attributes:
        length: in bytes.
        etag: changes whenever the bytes change.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        digest = hashlib.sha256()
        with tempfile.TemporaryFile(dir=settings.DATA_DIR) as file:
            for line in lines:
                data = line.encode()
                digest.update(data)
                file.write(data)
            self.length = file.tell()
            file.flush()
            self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)
        self.etag = f'"{digest.hexdigest()}"'

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, self.length, PART_BYTES):
            yield os.pread(self._descriptor, PART_BYTES, start)


class CatalogFiles:
    """The export of the current catalog, written by one request at a time while a limited number of others wait."""

    def __init__(self, *, waiting: int) -> None:
        self._newest: tuple[Hashable, CatalogFile] | None = None
        self._writing = threading.Lock()
        self._waiting = threading.BoundedSemaphore(waiting)

    def now(self) -> CatalogFile:
        """The export of the current catalog.

        Raises:
            Busy: too many other requests are waiting for one.
        """
        state = catalog_state()
        return self._known(state) or self._written(state)

    def _known(self, state: Hashable) -> CatalogFile | None:
        newest = self._newest
        return newest[1] if newest and state is not None and newest[0] == state else None

    def _written(self, state: Hashable) -> CatalogFile:
        busy = Busy("The catalog is being exported for others. Try again in a few seconds.", retry_after_s=WAIT_S)
        if not self._waiting.acquire(blocking=False):
            raise busy
        try:
            if not self._writing.acquire(timeout=WAIT_S):
                raise busy
            try:
                known = self._known(state)
                if known is None:
                    self._newest = None  # frees its disk space before the next one is written
                    known = CatalogFile(whole_catalog())
                    self._newest = state, known
                return known
            finally:
                self._writing.release()
        finally:
            self._waiting.release()


def catalog_state() -> Hashable:
    """A value that changes whenever the content of an export changes; None if the index has no state.

    Each change of a tool changes the index. The index does not cover waivers and usernames, so they are added.
    """
    state, _ = vocabulary.state_and_size()
    if not state:
        return None
    digest = hashlib.sha256()
    waivers = Waiver.objects.order_by("pk").values_list("pk", "tool_id", "rule", "pointer", "reason")
    people = User.objects.order_by("pk").values_list("pk", "username")
    for row in chain(waivers.iterator(), people.iterator()):
        digest.update(repr(row).encode())
    return state, digest.digest()


catalog_files: Final = CatalogFiles(waiting=max(1, settings.WEB_THREADS // 4))


def metadata_of(tools: Sequence[Tool]) -> dict[int, ToolMetadata]:
    """The metadata of `tools`, by primary key; in two queries."""
    keys = [tool.pk for tool in tools]
    waivers: dict[int, list[DumpedWaiver]] = {}
    for key, *waiver in Waiver.objects.filter(tool__in=keys).values_list("tool_id", "rule", "pointer", "reason"):
        waivers.setdefault(key, []).append(DumpedWaiver(*waiver))
    rows = Tool.objects.filter(pk__in=keys).values_list(
        "pk",
        "owner__username",
        "toolkit_chosen",
        "toolkit",
        "added_tags",
        "deprecation_chosen",
        "deprecation_note",
        "superseded_by__tool_id",
    )
    return dict.fromkeys(keys, NO_METADATA) | {
        key: ToolMetadata(
            owner or "",
            toolkit if chosen else None,
            tuple(tags.splitlines()),
            DumpedDeprecation(note, successor or "") if deprecated else None,
            tuple(sorted(waivers.get(key, ()), key=lambda waiver: (waiver.rule, waiver.pointer))),
        )
        for key, owner, chosen, toolkit, tags, deprecated, note, successor in rows
    }
