"""Sync the sources that are due: by a job of the server, by `sync_sources --due` in cron, or by Celery beat."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.db import connection
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from catalog.sources.models import Source, SourceSync
from catalog.sources.reading import Reading
from catalog.sources.reconciliation import Contents
from catalog.sources.sync import AlreadySyncing, begin, carry_out, sync
from catalog.tools.hooks import hooks
from toolshelf_core import audit

NO_CONFIGURATION: Final[Mapping[str, str]] = {}

log = logging.getLogger(__name__)


def sync_due() -> None:
    """Sync the sources that are due, one after the other; the log names those that could not be read."""
    for record in sync_each(Source.objects.due()):
        if record.error:
            log.warning("The source %s could not be read: %s", record.source.name, record.error)


def sync_each(sources: Iterable[Source], *, by: User | None = None) -> Iterator[SourceSync]:
    """Sync each of the sources, except those that another process is syncing; yields each report."""
    for source in list(sources):
        try:
            yield sync(source, by=by)
        except AlreadySyncing:
            continue


def sync_all_in_background(sources: Iterable[Source], *, by: User) -> None:
    """Start a thread of this process that syncs the sources, one after the other."""
    thread = threading.Thread(
        target=_sync_all, args=(list(sources), by, audit.current_origin().resolve()), daemon=True
    )
    thread.start()


def _sync_all(sources: list[Source], by: User, origin: audit.Origin) -> None:
    try:
        with audit.act_for(origin):
            for _ in sync_each(sources, by=by):
                pass
    finally:
        connection.close()


def sync_in_background(source: Source, *, by: User | None) -> tuple[SourceSync, threading.Thread]:
    """Start a sync in a thread of this process; its report is stored while it runs.

    Args:
        source: the source.
        by: who asked for it.

    Raises:
        AlreadySyncing: a sync of this source is running.
    """
    record = begin(source, by=by)
    return record, carry_out_in_background(record)


@sensitive_variables("configuration")
def carry_out_in_background(
    record: SourceSync,
    reading: Reading | None = None,
    sent: Contents | None = None,
    configuration: Mapping[str, str] = NO_CONFIGURATION,
) -> threading.Thread:
    """Start a thread of this process that carries out a sync.

    Args:
        record: of the sync, as `begin` returns it.
        reading: as for `carry_out`.
        sent: as for `carry_out`.
        configuration: the person who asked for the sync saves it for the new tools, each with the
            members that it has.
    """
    thread = threading.Thread(
        target=_carry_out,
        args=(record, audit.current_origin().resolve(), reading, sent, configuration),
        name=f"sync {record.source.name}",
        daemon=True,
    )
    thread.start()
    return thread


@sensitive_variables("configuration")
def _carry_out(
    record: SourceSync,
    origin: audit.Origin,
    reading: Reading | None,
    sent: Contents | None,
    configuration: Mapping[str, str],
) -> None:
    try:
        with audit.act_for(origin):
            carry_out(record, reading, sent)
            configure(record, configuration)
    finally:
        connection.close()


@sensitive_variables("configuration")
def configure(record: SourceSync, configuration: Mapping[str, str]) -> None:
    """Save the configuration of the tools; the report of the sync says for which ones it is not saved."""
    if not configuration:
        return
    problems = hooks.configure_source(record.by, record.source, configuration)
    if record.error:
        record.error += " The configuration that you entered was not saved."
    for change in record.changes:
        problem = problems.get(change["tool_id"], "")
        if problem or change["outcome"] == "held":
            parts = (change.get("message"), "Your configuration was not saved for it.", problem)
            change["message"] = " ".join(part for part in parts if part)
    record.changes_json = json.dumps(record.changes) if record.changes else ""
    record.save(update_fields=["error", "changes_json"])
