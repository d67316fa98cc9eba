"""Sync a source: claim it, read it, apply what it contains, and store the report.

A source that cannot be read changes nothing. `reconciliation.py` publishes or holds its tools.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from catalog.index.visibility import Visibility
from catalog.sources.listings import listed_tools, read_document
from catalog.sources.models import INTERRUPTED, INTERRUPTED_S, TITLE_LENGTH, Source, SourceSync
from catalog.sources.reading import Reading, read_source
from catalog.sources.reconciliation import Contents, Reconciliation, headers_of
from catalog.sources.redacting import without_credentials
from catalog.tools.models import Tool
from catalog.tools.origins import MAX_NAME_CHARS, RevisionOrigin
from catalog.webhooks.queue import WebhookEvent, queue_events
from toolshelf_core import audit
from toolshelf_core.errors import OutgoingError
from toolspec.errors import ToolshelfError
from toolspec.imports import detect, name_of

STORED_SYNCS: Final = 100  # of one source
_DRIFT: Final = ("revised", "held", "refused", "gone", "returned")
MAX_EVENT_TOOLS: Final = 50
_INTERNAL: Final = "An internal error stopped the sync. The server's log has the details."

log = logging.getLogger(__name__)


class AlreadySyncing(ToolshelfError):
    """Another process is syncing this source."""


def sync(source: Source, *, by: User | None = None) -> SourceSync:
    """Read `source` and apply its changes.

    Args:
        source: is read again when its turn comes.
        by: who asked for it; None for the schedule and the command line.

    Returns:
        The report, stored; `error` says why it failed.

    Raises:
        AlreadySyncing: a sync of this source is running.
    """
    return carry_out(begin(source, by=by))


def begin(source: Source, *, by: User | None = None) -> SourceSync:
    """Claim the source for a sync, which the caller passes to `carry_out`.

    Raises:
        AlreadySyncing: a sync of this source is running.
    """
    now = timezone.now()
    old = now - timedelta(seconds=INTERRUPTED_S)
    SourceSync.objects.filter(source=source, ended_at=None, started_at__lt=old).update(
        ended_at=now, error=INTERRUPTED
    )
    try:
        with transaction.atomic():
            record = SourceSync.objects.create(source=source, by=by, started_at=now)
            if by is not None:
                audit.record("source.sync", "source", source.name, after={"sync": record.pk}, by=by)
            return record
    except IntegrityError as error:
        raise AlreadySyncing(f"The source {source.name} is being synced already.") from error


def carry_out(
    record: SourceSync, reading: Reading | None = None, sent: Contents | None = None
) -> SourceSync:
    """Read the source and apply its changes; every outcome, also a failure, is stored in `record`.

    `reading`: if the source was read just now. `sent`: what it contains, if a person just sent its
    document.
    """
    source = Source.objects.select_related("owner").get(pk=record.source_id)
    actor = audit.Actor.of(
        record.by, client=f"source {source.name}", address=audit.current_origin().actor().address
    )
    with audit.act_for(audit.Origin("sync", lambda: actor)):
        return _carry_out(source, record, reading, sent)


def check(source: Source, sent: Contents, *, by: User | None) -> None:
    """Call `sent.on_batch` with what a sync would do; nothing is stored. `source` is stored or not."""
    record = SourceSync(source=source, by=by)
    Reconciliation(source, record, sent, dry_run=True).apply()


def _carry_out(
    source: Source, record: SourceSync, reading: Reading | None, sent: Contents | None
) -> SourceSync:
    try:
        if sent is None:
            reading = reading or read_source(source)
            listed = listed_tools(source, reading)
            sent = Contents(listed, _origin_before(reading), reading.replaces)
        Reconciliation(source, record, sent).apply()
        if reading is not None:
            _store_title(source, reading)
        _queue_drift(source, record)
    except OutgoingError as error:
        record.error = without_credentials(str(error), headers_of(source), source.address)
    except Exception:
        log.exception("The sync of the source %r stopped.", source.name)
        record.error = _INTERNAL
    record.ended_at = timezone.now()
    record.save()
    source.refresh_from_db(fields=["every_minutes"])
    source.schedule_next(record.ended_at)
    source.save(update_fields=["next_sync_at"])
    old = source.syncs.values_list("pk", flat=True)[STORED_SYNCS:]
    SourceSync.objects.filter(pk__in=list(old)).delete()
    return record


def _origin_before(reading: Reading) -> RevisionOrigin:
    """The origin that earlier versions recorded for uploads of this document.

    It has no name for an MCP server.
    """
    if reading.tools is not None:
        return RevisionOrigin("mcp")
    document = read_document(reading.document)
    return RevisionOrigin(detect(document) or "openapi-3", name_of(document)[:MAX_NAME_CHARS])


def _queue_drift(source: Source, record: SourceSync) -> None:
    """Queue an event if tools that the source listed before have changed or vanished."""
    counts = {name: getattr(record, name) for name in _DRIFT}
    if not any(counts.values()):
        return
    tools = [change for change in record.changes if change["outcome"] in _DRIFT][:MAX_EVENT_TOOLS]
    data = {
        "source": {"name": source.name, "kind": source.kind},
        "sync": record.pk,
        "counts": counts,
        "tools": tools,
    }
    queue_events([WebhookEvent("source.drifted", source.name, data)])


def hide_changes(record: SourceSync, visibility: Visibility) -> None:
    """Leave out, of this object, what happened to tools that `visibility` hides."""
    if not visibility.is_complete and record.changes:
        named = Tool.objects.filter(tool_id__in=[change["tool_id"] for change in record.changes])
        seen = set(named.with_visibility(visibility).values_list("tool_id", flat=True))
        hidden = set(named.values_list("tool_id", flat=True)) - seen
        record.changes = [change for change in record.changes if change["tool_id"] not in hidden]


def _store_title(source: Source, reading: Reading) -> None:
    if reading.title and reading.title != source.title:
        source.title = reading.title[:TITLE_LENGTH]
        source.save(update_fields=["title"])
