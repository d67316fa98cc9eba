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
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Collate

from catalog.accounts.models import User
from catalog.catalog_dump.format import NO_METADATA, DumpedRevision, catalog_lines
from catalog.catalog_dump.metadata import (
    DumpedAccess,
    DumpedDeprecation,
    DumpedWaiver,
    ToolMetadata,
)
from catalog.errors import Busy
from catalog.models import Revision, Tool, Toolkit, Waiver
from catalog.models.access import EVERYONE
from catalog.search import vocabulary
from catalog.search.visibility import ALL_TOOLS, Visibility

TOOLS_PER_QUERY = 200
WAIT_S: Final = 5  # for an export that another request is writing
PART_BYTES: Final = 64 * 1024
FILES_STORED: Final = 4  # exports for different rights

_BY_CODE_POINT = {"sqlite": "BINARY", "postgresql": "C"}


def whole_catalog(visibility: Visibility = ALL_TOOLS, *, with_names: bool = True) -> Iterator[str]:
    """The lines of a catalog file with the metadata and every revision of every tool, including archived ones.

    With a `visibility`, only of the tools that it shows. `with_names` of the maintainers, and of the groups that see a
    tool: for administrators.

    A revision published while the file is written may be included or not, but each tool is consistent.
    """
    revisions = _revisions(visibility, with_names=with_names)
    first = list(
        islice(revisions, 1)
    )  # an unreadable database raises its error before anything is written
    return catalog_lines(chain(first, revisions))


def _revisions(visibility: Visibility, *, with_names: bool) -> Iterator[DumpedRevision]:
    tools = _tools(visibility).iterator(chunk_size=TOOLS_PER_QUERY)
    while chunk := list(islice(tools, TOOLS_PER_QUERY)):
        found: dict[int, list[Revision]] = {tool.pk: [] for tool in chunk}
        for revision in Revision.objects.filter(tool__in=chunk).order_by("number"):
            found[revision.tool_id].append(revision)
        metadata = metadata_of(chunk, visibility, with_names=with_names)
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


def _tools(visibility: Visibility) -> QuerySet[Tool]:
    """All visible tools in the same order on every database."""
    order = Collate("tool_id", _BY_CODE_POINT[connection.vendor])
    return Tool.objects.with_visibility(visibility).only("tool_id", "archived_at").order_by(order)


class CatalogFile:
    """The whole catalog in an unnamed temporary file, which is deleted when it is no longer used.

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
    """The exports of the current catalog, one for each set of rights; the most recent ones are stored.

    They are written by one request at a time while a limited number of others wait. `caching.LRUCache` would write the
    exports for different rights at the same time, let any number of requests wait, and store the outdated file until
    the new one is complete, which takes the disk space of both.
    """

    def __init__(self, *, waiting: int) -> None:
        self._newest: OrderedDict[tuple[Visibility, bool], tuple[Hashable, CatalogFile]] = (
            OrderedDict()
        )
        self._writing = threading.Lock()
        self._waiting = threading.BoundedSemaphore(waiting)

    def now(self, visibility: Visibility, *, with_names: bool) -> CatalogFile:
        """The export of the current catalog for users with this visibility, as `whole_catalog`.

        Raises:
            Busy: too many other requests are waiting for one.
        """
        state = catalog_state()
        rights = visibility, with_names
        return self._known(state, rights) or self._written(state, rights)

    def _known(self, state: Hashable, rights: tuple[Visibility, bool]) -> CatalogFile | None:
        newest = self._newest.get(rights)
        return newest[1] if newest and state is not None and newest[0] == state else None

    def _written(self, state: Hashable, rights: tuple[Visibility, bool]) -> CatalogFile:
        busy = Busy(
            "Other exports of the catalog are in progress. Try again in a few seconds.",
            retry_after_s=WAIT_S,
        )
        if not self._waiting.acquire(blocking=False):
            raise busy
        try:
            if not self._writing.acquire(timeout=WAIT_S):
                raise busy
            try:
                known = self._known(state, rights)
                if known is None:
                    self._newest.pop(
                        rights, None
                    )  # frees its disk space before the next one is written
                    known = CatalogFile(whole_catalog(rights[0], with_names=rights[1]))
                    self._newest[rights] = state, known
                    while len(self._newest) > FILES_STORED:
                        self._newest.popitem(last=False)
                return known
            finally:
                self._writing.release()
        finally:
            self._waiting.release()


def catalog_state() -> Hashable:
    """A value that changes whenever the content of an export changes; None if the index has no state.

    Each change of a tool changes the index. The index does not cover waivers, names, and
    who maintains and sees, so they are added.
    """
    state, _ = vocabulary.state_and_size()
    if not state:
        return None
    digest = hashlib.sha256()
    waivers = Waiver.objects.order_by("pk").values_list(
        "pk", "tool_id", "rule", "pointer", "reason"
    )
    people = User.objects.order_by("pk").values_list("pk", "username")
    groups = Group.objects.order_by("pk").values_list("pk", "name")
    toolkits = Toolkit.objects.order_by("pk").values_list(
        "pk", "key", "name", "owner", "visibility"
    )
    links = (
        link.objects.order_by("pk").values_list()
        for owner in (Tool, Toolkit)
        for link in (
            owner.groups.through,
            owner.maintainers.through,
            owner.maintainer_groups.through,
        )
    )
    for row in chain(waivers.iterator(), people.iterator(), groups, toolkits, *links):
        digest.update(repr(row).encode())
    return state, digest.digest()


catalog_files: Final = CatalogFiles(waiting=max(1, settings.WEB_THREADS // 4))


def metadata_of(
    tools: Sequence[Tool], visibility: Visibility = ALL_TOOLS, *, with_names: bool = True
) -> dict[int, ToolMetadata]:
    """The metadata of `tools`, by primary key; in a few queries. Hidden successors are left out."""
    keys = [tool.pk for tool in tools]
    waivers: dict[int, list[DumpedWaiver]] = {}
    for key, *waiver in Waiver.objects.filter(tool__in=keys).values_list(
        "tool_id", "rule", "pointer", "reason"
    ):
        waivers.setdefault(key, []).append(DumpedWaiver(*waiver))
    rows = Tool.objects.filter(pk__in=keys).values_list(
        "pk",
        "owner__username",
        "toolkit_chosen",
        "toolkit",
        "toolkit_key",
        "added_tags",
        "deprecation_chosen",
        "deprecation_note",
        "superseded_by__tool_id",
        "superseded_by__audience",
        "superseded_by__toolkit_key",
    )
    access = _access_of(Tool.objects.filter(pk__in=keys), with_names=with_names)
    kits = Toolkit.objects.filter(key__in=Tool.objects.filter(pk__in=keys).values("toolkit_key"))
    kit_access = _access_of(kits, with_names=with_names)
    kit_keys = dict(kits.values_list("key", "pk"))
    return dict.fromkeys(keys, NO_METADATA) | {
        key: ToolMetadata(
            owner or "",
            toolkit if chosen else None,
            tuple(tags.splitlines()),
            DumpedDeprecation(
                note, successor if successor and visibility.sees(audience, kit) else ""
            )
            if deprecated
            else None,
            tuple(sorted(waivers.get(key, ()), key=lambda waiver: (waiver.rule, waiver.pointer))),
            access.get(key),
            kit_access.get(kit_keys.get(own_kit, 0)),
        )
        for key, owner, chosen, toolkit, own_kit, tags, deprecated, note, successor, audience, kit in rows
    }


def _access_of(found: QuerySet[Any], *, with_names: bool) -> dict[int, DumpedAccess]:
    """Who maintains and sees these tools or toolkits, by primary key; only of those with such settings."""
    result = {}
    related = ("groups", "maintainers", "maintainer_groups") if with_names else ()
    for one in found.select_related("owner").prefetch_related(*related):
        is_toolkit = isinstance(one, Toolkit)
        visibility = "" if is_toolkit and one.visibility == EVERYONE else one.visibility or ""
        access = DumpedAccess(visibility=visibility)
        if with_names:
            access = DumpedAccess(
                owner=one.owner.username if is_toolkit and one.owner else "",
                visibility=visibility,
                groups=tuple(sorted(group.name for group in one.groups.all())),
                maintainers=tuple(sorted(person.username for person in one.maintainers.all())),
                maintainer_groups=tuple(
                    sorted(group.name for group in one.maintainer_groups.all())
                ),
            )
        if access != DumpedAccess():
            result[one.pk] = replace(access, name=one.name) if is_toolkit else access
    return result
