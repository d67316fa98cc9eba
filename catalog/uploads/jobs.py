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

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO, Final, Self

from django.conf import settings
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    connection,
    transaction,
)
from django.utils import timezone

from catalog import audit
from catalog.accounts.models import User
from catalog.errors import Busy
from catalog.fairness import FairLock, may_queue
from catalog.models import Upload
from catalog.models.uploads import SILENT_S, new_upload_id
from catalog.uploads.choices import NO_CHOICES, NO_OPTIONS, Choices, ImportOptions
from catalog.uploads.entries import Entry
from catalog.uploads.pieces import CHUNK_BYTES, Piece, label_of
from catalog.uploads.readers import pieces_of
from catalog.uploads.results import LeaseLostError, ResultWriter
from catalog.uploads.store import SHORT_BATCH, upload_batches

SIGN_OF_LIFE_S: Final = 5
MAX_WAITING: Final = 8  # uploads in a process; further ones are refused as busy
RETENTION_DAYS: Final = 30
PREVIEW_HOURS: Final = 24  # the files of a dry run can be published this long
MAX_PREVIEWS: Final = 3  # of one person whose files are stored

CHOICES: Final = "choices.json"  # beside the files, so that a resumed upload has the same choices

Files = Sequence[tuple[str, BinaryIO]]  # names and contents

TEMPORARY: Final = (
    DatabaseError,
    InterfaceError,
    OSError,
)  # an upload can be resumed after one of these,
PERMANENT: Final = (
    DataError,
    IntegrityError,
)  # except after these subclasses: the data cannot be written

_log = logging.getLogger(__name__)
_turns = FairLock()
_threads: dict[str, tuple[threading.Thread, str]] = {}  # each with the owner


def start(
    files: Files,
    *,
    by: User,
    dry_run: bool = False,
    options: ImportOptions = NO_OPTIONS,
) -> Upload:
    """Start an upload of these files in the background and return immediately; its page shows the progress.

    Raises:
        Busy: too many uploads are waiting in this process, or too many of this user.
    """
    owners = [owner for thread, owner in list(_threads.values()) if thread.is_alive()]
    own, free = owners.count(str(by.pk)), MAX_WAITING - len(owners)
    if free <= 0:
        raise Busy(
            "Too many uploads are waiting. Try again once one has finished.", retry_after_s=30
        )
    if not may_queue(own, free):
        raise Busy(
            f"{own} of your uploads are waiting. Try again once one has finished.", retry_after_s=30
        )
    delete_old()
    upload = create(files, by=by, dry_run=dry_run, options=options)
    _begin(upload)
    return upload


def preview(
    files: Files, entries: list[Entry], *, by: User, options: ImportOptions = NO_OPTIONS
) -> Upload:
    """Store the results of a small dry run, and its files, so that they can be published afterwards."""
    delete_old()
    upload = create(files, by=by, dry_run=True, options=options)
    with transaction.atomic():
        ResultWriter(upload).write(entries, len(entries))
    _update(upload, ended_at=timezone.now(), total=len(entries), read=len(entries))
    return upload


def can_publish(upload: Upload) -> bool:
    """Whether it is a dry run that has ended, and whose files are still stored on this machine."""
    if not upload.dry_run or upload.failed or upload.ended_at is None:
        return False
    return (
        timezone.now() < upload.ended_at + timedelta(hours=PREVIEW_HOURS)
        and folder_of(upload).is_dir()
    )


@contextmanager
def files_of(upload: Upload) -> Iterator[list[tuple[str, BinaryIO]]]:
    """The stored files of an upload, open for reading."""
    with ExitStack() as opened:
        names = enumerate(upload.names.split("\n"))
        yield [
            (name, opened.enter_context((folder_of(upload) / str(number)).open("rb")))
            for number, name in names
        ]


def delete_files(upload: Upload) -> None:
    """Delete the stored files of an upload; its report stays."""
    shutil.rmtree(folder_of(upload), ignore_errors=True)


def create(
    files: Files,
    *,
    by: User,
    dry_run: bool = False,
    options: ImportOptions = NO_OPTIONS,
) -> Upload:
    """As `start`, but only create the upload. The files are copied before this returns."""
    if dry_run:
        _make_room(by)
    upload = Upload(
        by=by,
        dry_run=dry_run,
        prefix=options.prefix,
        replace=options.replace,
        names=names_of(files),
    )
    folder = folder_of(upload)
    folder.mkdir(parents=True, mode=0o700)
    try:
        for number, (_, file) in enumerate(files):
            file.seek(0)
            with (folder / str(number)).open("wb") as copy:
                shutil.copyfileobj(file, copy, CHUNK_BYTES)
        if options.choices:
            (folder / CHOICES).write_text(options.choices.to_json())
        upload.save(force_insert=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return upload


def names_of(files: Files) -> str:
    """The names of the files for the report, one per line."""
    return "\n".join(label_of(" ".join(name.split())) for name, _ in files)


def _make_room(by: User) -> None:
    """Delete the files of this person's oldest dry runs, so that at most `MAX_PREVIEWS` remain with the next one."""
    ended = (
        Upload.objects.filter(by=by, dry_run=True).exclude(ended_at=None).order_by("-created_at")
    )
    for old in ended[MAX_PREVIEWS - 1 : MAX_PREVIEWS + 20]:
        delete_files(old)


def resume(upload: Upload) -> bool:
    """Continue an upload whose process has ended; False if it is still running, or its files are on another machine."""
    silent = timezone.now() - timedelta(seconds=SILENT_S)
    if not can_resume(upload):
        return False
    lease_id = new_upload_id()
    waiting = Upload.objects.filter(
        pk=upload.pk, lease_id=upload.lease_id, ended_at=None, seen_at__lt=silent
    )
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
    """Delete the reports of uploads after `RETENTION_DAYS`, and the files of expired dry runs; the tools stay."""
    old = Upload.objects.filter(created_at__lt=timezone.now() - timedelta(days=RETENTION_DAYS))
    for upload in old[:20]:
        delete_files(upload)
        upload.delete()
    folder = Path(settings.DATA_DIR) / "uploads"
    stored = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    if stored:
        expired = timezone.now() - timedelta(hours=PREVIEW_HOURS)
        for upload in Upload.objects.filter(
            pk__in=stored[:100], dry_run=True, ended_at__lt=expired
        ):
            delete_files(upload)


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
        options=ImportOptions(upload.prefix, upload.replace, choices_of(upload)),
        batch=SHORT_BATCH,
        on_batch=ResultWriter(upload).write,
        before=upload.read,
    )
    for _ in batches:
        if after_batch:
            after_batch()
    _update(upload, ended_at=timezone.now(), read=upload.total)
    if not upload.dry_run:
        delete_files(upload)


def choices_of(upload: Upload) -> Choices:
    """The choices about its imported tools, as long as its files are stored."""
    file = folder_of(upload) / CHOICES
    return Choices.from_json(file.read_text()) if file.exists() else NO_CHOICES


# -- in a thread ------------------------------------------------------------------------------------------------------


def _begin(upload: Upload) -> None:
    for pk in [pk for pk, (thread, _) in list(_threads.items()) if not thread.is_alive()]:
        _threads.pop(pk, None)
    thread = threading.Thread(
        target=_store_in_turn,
        args=(upload, audit.origin().resolved()),
        name=f"upload {upload.pk}",
        daemon=True,
    )
    _threads[upload.pk] = thread, _owner(upload)
    thread.start()


def _store_in_turn(upload: Upload, origin: audit.Origin) -> None:
    with audit.acting(origin):
        try:
            with _StoringTurn(upload) as turn:
                carry_out(upload, after_batch=turn.pass_on)
        except Exception as error:  # noqa: BLE001 - a thread has no caller that would report it
            _stopped(upload, error)
        finally:
            connection.close()


def _owner(upload: Upload) -> str:
    return str(upload.by_id or "")


class _StoringTurn:
    """An upload's turn to store a batch. Uploads of different users take turns."""

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
        _turns.acquire(
            _owner(self._upload), meanwhile=lambda: _update(self._upload), every_s=SIGN_OF_LIFE_S
        )
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
        delete_files(upload)


def _update(upload: Upload, **changes: object) -> None:
    """Store changes and renew `seen_at`, if this thread still has the lease."""
    changes["seen_at"] = timezone.now()
    if not Upload.objects.filter(pk=upload.pk, lease_id=upload.lease_id, ended_at=None).update(
        **changes
    ):
        raise LeaseLostError
    for name, value in changes.items():
        setattr(upload, name, value)


# -- reading the files ---------------------------------------------------------------------------


def _pieces(upload: Upload) -> Iterator[Piece]:
    """The texts in its files. Reading them renews the heartbeat."""
    seen = time.monotonic()
    with files_of(upload) as files:
        for name, file in files:
            for piece in pieces_of(
                name,
                file,
                max_bytes=settings.MAX_SPEC_BYTES,
                max_document_bytes=settings.MAX_DOCUMENT_BYTES,
            ):
                if time.monotonic() - seen >= SIGN_OF_LIFE_S:
                    _update(upload)
                    seen = time.monotonic()
                yield piece
