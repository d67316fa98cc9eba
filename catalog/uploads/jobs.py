"""Run large uploads in the background: the uploaded files are stored on disk, and read in a thread.

Each transaction stores a small batch together with its results (`UploadedSpec`) and the progress (`Upload.read`): after
a power cut the page shows the stored specs, and `resume` continues from there. Each process of the server stores one
batch at a time. After a batch, an upload of another user gets its turn, so a small upload does not wait until a large
one has ended.

`Upload.seen_at` is the heartbeat. Without one for `SILENT_S`, the thread has ended with its process, or is merely slow.
The thread that resumes the upload writes a new `Upload.lease_id`; a thread that finds another lease there stops and
stores nothing more.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO, Final, Self, cast

from django.conf import settings
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connection
from django.db.models import F
from django.utils import timezone

from catalog import audit
from catalog.accounts.models import User
from catalog.conversion_report import Loss
from catalog.db.bulk_insert import insert, new_row, reserved_keys
from catalog.errors import Busy, Problem
from catalog.fairness import FairLock, may_queue
from catalog.models import Upload, UploadedSpec
from catalog.models.uploads import SILENT_S, new_upload_id
from catalog.uploads.parse import Origin
from catalog.uploads.pieces import CHUNK_BYTES, Piece, label_of
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import SHORT_BATCH, Entry, Fault, Outcome, counts_of, upload_batches

SIGN_OF_LIFE_S: Final = 5
MAX_WAITING: Final = 8  # uploads in a process; further ones are refused as busy
STORED_TEXT_CHARS: Final = 16_000_000  # of one upload: rejected specs, and revised ones of a dry run
RETENTION_DAYS: Final = 30

Files = Sequence[tuple[str, BinaryIO]]  # names and contents

TEMPORARY: Final = (DatabaseError, InterfaceError, OSError)  # an upload can be resumed after one of these,
PERMANENT: Final = (DataError, IntegrityError)  # except after these subclasses: the data cannot be written

_log = logging.getLogger(__name__)
_turns = FairLock()
_threads: dict[str, tuple[threading.Thread, str]] = {}  # each with the owner


class LeaseLostError(Exception):
    """Another thread has resumed the upload with a new lease, or the upload was deleted."""


def start(files: Files, *, by: User, dry_run: bool = False, prefix: str | None = None, replace: bool = False) -> Upload:
    """Start an upload of these files in the background and return immediately; its page shows the progress.

    Raises:
        Busy: too many uploads are waiting in this process, or too many of this user.
    """
    owners = [owner for thread, owner in list(_threads.values()) if thread.is_alive()]
    own, free = owners.count(str(by.pk)), MAX_WAITING - len(owners)
    if free <= 0:
        raise Busy("Too many uploads are waiting. Try again once one has finished.", retry_after_s=30)
    if not may_queue(own, free):
        raise Busy(f"{own} of your uploads are waiting. Try again once one has finished.", retry_after_s=30)
    delete_old()
    upload = create(files, by=by, dry_run=dry_run, prefix=prefix, replace=replace)
    _begin(upload)
    return upload


def create(
    files: Files, *, by: User, dry_run: bool = False, prefix: str | None = None, replace: bool = False
) -> Upload:
    """As `start`, but only create the upload. The files are copied before this returns."""
    names = "\n".join(label_of(" ".join(name.split())) for name, _ in files)
    upload = Upload(by=by, dry_run=dry_run, prefix=prefix, replace=replace, names=names)
    folder = folder_of(upload)
    folder.mkdir(parents=True, mode=0o700)
    try:
        for number, (_, file) in enumerate(files):
            with (folder / str(number)).open("wb") as copy:
                shutil.copyfileobj(file, copy, CHUNK_BYTES)
        upload.save(force_insert=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return upload


def resume(upload: Upload) -> bool:
    """Continue an upload whose process has ended; False if it is still running, or its files are on another machine."""
    silent = timezone.now() - timedelta(seconds=SILENT_S)
    if not can_resume(upload):
        return False
    lease_id = new_upload_id()
    waiting = Upload.objects.filter(pk=upload.pk, lease_id=upload.lease_id, ended_at=None, seen_at__lt=silent)
    if not waiting.update(seen_at=timezone.now(), lease_id=lease_id):
        return False
    upload.refresh_from_db()
    upload.lease_id = lease_id
    _begin(upload)
    return True


def can_resume(upload: Upload) -> bool:
    """Whether its process has ended, and its files are on this machine."""
    return upload.is_silent and folder_of(upload).is_dir()


def recover_uploads() -> int:
    """Mark all running uploads as interrupted and return their number. Only for a server that starts, alone."""
    long_ago = timezone.now() - timedelta(seconds=2 * SILENT_S)
    return Upload.objects.filter(ended_at=None).update(seen_at=long_ago)


def delete_old() -> None:
    """Delete the reports of uploads after `RETENTION_DAYS`; the tools stay."""
    old = Upload.objects.filter(created_at__lt=timezone.now() - timedelta(days=RETENTION_DAYS))
    for upload in old[:20]:
        shutil.rmtree(folder_of(upload), ignore_errors=True)
        upload.delete()


def folder_of(upload: Upload) -> Path:
    """The folder of its files while it runs."""
    return Path(settings.DATA_DIR) / "uploads" / upload.pk


def carry_out(upload: Upload, *, after_batch: Callable[[], None] | None = None) -> None:
    """Store the specs that are not processed yet, and remove the files. Stored specs stay, whatever happens.

    Args:
        upload: created by `create`, and not ended.
        after_batch: called after each batch, outside its transaction.

    Raises:
        LeaseLostError: `upload.lease_id` is no longer valid. Nothing was changed since it was lost.
    """
    if upload.total is None:
        _update(upload, total=sum(1 for _ in _pieces(upload)))
    batches = upload_batches(
        _pieces(upload),
        by=upload.by,
        dry_run=upload.dry_run,
        prefix=upload.prefix,
        replace=upload.replace,
        batch=SHORT_BATCH,
        on_batch=_ResultWriter(upload).write,
        before=(upload.read, upload.created_at),
    )
    for _ in batches:
        if after_batch:
            after_batch()
    _update(upload, ended_at=timezone.now(), read=upload.total)
    shutil.rmtree(folder_of(upload), ignore_errors=True)


# -- in a thread ------------------------------------------------------------------------------------------------------


def _begin(upload: Upload) -> None:
    for pk in [pk for pk, (thread, _) in list(_threads.items()) if not thread.is_alive()]:
        _threads.pop(pk, None)
    thread = threading.Thread(
        target=_begun, args=(upload, audit.origin().resolved()), name=f"upload {upload.pk}", daemon=True
    )
    _threads[upload.pk] = thread, _owner(upload)
    thread.start()


def _begun(upload: Upload, origin: audit.Origin) -> None:
    with audit.acting(origin):
        _in_turn(upload)


def _in_turn(upload: Upload) -> None:
    try:
        with _Turn(upload) as turn:
            carry_out(upload, after_batch=turn.pass_on)
    except Exception as error:  # noqa: BLE001 - a thread has no caller that would report it
        _stopped(upload, error)
    finally:
        connection.close()


def _owner(upload: Upload) -> str:
    return str(upload.by_id or "")


class _Turn:
    """The right of an upload's thread to store, which threads of several users have in turn."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._has_turn = False

    def __enter__(self) -> Self:
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._has_turn:
            _turns.release()

    def _wait(self) -> None:
        _turns.acquire(_owner(self._upload), meanwhile=lambda: _update(self._upload), every_s=SIGN_OF_LIFE_S)
        self._has_turn = True

    def pass_on(self) -> None:
        """Let an upload of another user store its next batch, if one waits."""
        if _turns.is_wanted_beside(_owner(self._upload)):
            self._has_turn = False
            _turns.release()
            self._wait()


def _stopped(upload: Upload, error: Exception) -> None:
    """After a temporary error the upload keeps its files and can be resumed; otherwise it has failed."""
    if isinstance(error, LeaseLostError):
        _log.info("The upload %s continues in another thread", upload.pk)
    elif isinstance(error, TEMPORARY) and not isinstance(error, PERMANENT):
        _log.error("The upload %s stopped, and can be resumed", upload.pk, exc_info=error)
    else:
        _log.error("The upload %s failed", upload.pk, exc_info=error)
        try:
            _update(upload, ended_at=timezone.now(), failed=True)
        except (LeaseLostError, *TEMPORARY):
            return  # its files stay for the thread that resumes it
        shutil.rmtree(folder_of(upload), ignore_errors=True)


def _update(upload: Upload, **changes: object) -> None:
    """Store changes and renew `seen_at`, if this thread still has the lease."""
    changes["seen_at"] = timezone.now()
    if not Upload.objects.filter(pk=upload.pk, lease_id=upload.lease_id, ended_at=None).update(**changes):
        raise LeaseLostError
    for name, value in changes.items():
        setattr(upload, name, value)


# -- reading the files, storing the results ---------------------------------------------------------------------------


def _pieces(upload: Upload) -> Iterator[Piece]:
    """The texts in its files. Reading them renews the heartbeat."""
    seen = time.monotonic()
    with ExitStack() as opened:
        for number, name in enumerate(upload.names.split("\n")):
            file = opened.enter_context((folder_of(upload) / str(number)).open("rb"))
            for piece in pieces_of(name, file, max_bytes=settings.MAX_SPEC_BYTES):
                if time.monotonic() - seen >= SIGN_OF_LIFE_S:
                    _update(upload)
                    seen = time.monotonic()
                yield piece


class _ResultWriter:
    """Stores the results of specs in the transaction that stores the specs."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.position = upload.specs.count()
        self.left = STORED_TEXT_CHARS

    def write(self, entries: list[Entry], read: int) -> None:
        counts = {name: F(name) + number for name, number in counts_of(entries).items()}
        own = Upload.objects.filter(pk=self.upload.pk, lease_id=self.upload.lease_id, ended_at=None)
        if not own.update(read=read, seen_at=timezone.now(), **counts):
            raise LeaseLostError  # which rolls the batch back
        keys = reserved_keys(UploadedSpec, len(entries))
        insert([self._row(key, entry) for key, entry in zip(keys, entries, strict=True)])

    def _row(self, key: int, entry: Entry) -> UploadedSpec:
        self.position += 1
        self.left -= len(entry.text)
        return new_row(
            UploadedSpec,
            id=key,
            upload_id=self.upload.pk,
            position=self.position,
            source=entry.source,
            line=entry.line,
            outcome=entry.outcome,
            tool_id=entry.tool_id or "",
            name=entry.name or "",
            slug=entry.slug or "",
            revision=entry.revision or 0,
            archived=entry.archived,
            details_json=_details(entry),
            text=entry.text.replace("\x00", "\ufffd") if self.left > 0 else "",
        )


def _details(entry: Entry) -> str:
    """The faults, warnings, origin and verdict of an entry as JSON; "" if it has none, as most."""
    verdict = entry.verdict if entry.outcome == "revised" else None
    if not (entry.faults or entry.origin or entry.warnings or verdict or entry.change):
        return ""
    origin = replace(entry.origin, text="") if entry.origin else None
    details = {
        "faults": list(map(asdict, entry.faults)),
        "origin": origin and asdict(origin),
        "warnings": list(map(asdict, entry.warnings)),
        "verdict": verdict,
        "change": entry.change,
    }
    return json.dumps(details)


def entry_of(row: UploadedSpec) -> Entry:
    """The entry that `_ResultWriter.write` stored in this row."""
    details = json.loads(row.details_json) if row.details_json else {"faults": [], "origin": None}
    faults = [Fault(**{**fault, "problem": Problem(**fault["problem"])}) for fault in details["faults"]]
    origin = details["origin"] and Origin(
        **{**details["origin"], "losses": tuple(Loss(**loss) for loss in details["origin"]["losses"])}
    )
    return Entry(
        row.source,
        row.line,
        cast("Outcome", row.outcome),
        row.tool_id or None,
        row.name or None,
        row.slug or None,
        row.revision or None,
        row.archived,
        tuple(faults),
        row.text,
        origin,
        "identical" if row.outcome == "unchanged" else details.get("verdict"),
        tuple(Problem(**warning) for warning in details.get("warnings", ())),
        details.get("change"),
    )
