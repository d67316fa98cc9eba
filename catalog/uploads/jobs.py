"""Carrying out large uploads beside the site's own work: what is sent is kept in files, and read in a thread.

A small batch at a time is stored, each together with what there is to say of it (`UploadedSpec`) and how far it is
(`Upload.read`): after a power cut the page says what was stored, and `resume` reads on from there. One upload at a time
is carried out by each process of the server; the others wait.

`Upload.seen_at` is the sign of life. Who has given none for `SILENT_S` has ended with its process, or is only slow: who
goes on instead writes down a new `Upload.lease_id`, and who finds another's there stops and stores nothing more.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO, Final, cast

from django.conf import settings
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connection
from django.db.models import F
from django.utils import timezone

from catalog.accounts.models import User
from catalog.conversion_report import Loss
from catalog.db.bulk_insert import insert, new_row, reserved_keys
from catalog.errors import Busy, Problem
from catalog.models import Upload, UploadedSpec
from catalog.models.uploads import SILENT_S, new_upload_id
from catalog.uploads.parse import Origin
from catalog.uploads.readers import CHUNK_BYTES, Piece, _label, pieces_of
from catalog.uploads.store import SHORT_BATCH, Entry, Fault, Outcome, counts_of, upload_batches

SIGN_OF_LIFE_S: Final = 5
WAITING_MOST: Final = 8  # uploads in a process; of more the sender is told to come back
KEPT_TEXT_CHARS: Final = 16_000_000  # of rejected specs and of those of a dry run, of one upload
KEPT_DAYS: Final = 30

Files = Sequence[tuple[str, BinaryIO]]  # names and contents

PASSING: Final = (DatabaseError, InterfaceError, OSError)  # it can go on after one of these,
LASTING: Final = (DataError, IntegrityError)  # but not after these of them: what is to be written cannot be

_log = logging.getLogger(__name__)
_turn = threading.Lock()
_threads: dict[str, threading.Thread] = {}


class LeaseLostError(Exception):
    """Another lease_id goes on with the upload, or it was forgotten."""


def start(files: Files, *, by: User, dry_run: bool = False, prefix: str | None = None) -> Upload:
    """Begin to carry out an upload of these files, and give it back at once; its page says how far it is.

    Raises:
        Busy: this process has as many waiting as it takes.
    """
    if sum(thread.is_alive() for thread in list(_threads.values())) >= WAITING_MOST:
        raise Busy("Too many uploads are waiting. Try again when one has ended.", retry_after_s=30)
    forget_old()
    upload = keep(files, by=by, dry_run=dry_run, prefix=prefix)
    _begin(upload)
    return upload


def keep(files: Files, *, by: User, dry_run: bool = False, prefix: str | None = None) -> Upload:
    """As `start`, without beginning. The files are copied before this returns."""
    names = "\n".join(_label(" ".join(name.split())) for name, _ in files)
    upload = Upload(by=by, dry_run=dry_run, prefix=prefix or "", names=names)
    folder = folder_of(upload)
    folder.mkdir(parents=True, mode=0o700)
    try:
        for number, (_, file) in enumerate(files):
            with (folder / str(number)).open("wb") as kept:
                shutil.copyfileobj(file, kept, CHUNK_BYTES)
        upload.save(force_insert=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return upload


def resume(upload: Upload) -> bool:
    """Read on where the process that carried it out has ended; False where it goes on, or its files are not here."""
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
    """Say of uploads under way that who carried them out has ended; how many. For a server that starts, alone."""
    long_ago = timezone.now() - timedelta(seconds=2 * SILENT_S)
    return Upload.objects.filter(ended_at=None).update(seen_at=long_ago)


def forget_old() -> None:
    """Remove what is told of uploads after `KEPT_DAYS`; the tools stay."""
    old = Upload.objects.filter(created_at__lt=timezone.now() - timedelta(days=KEPT_DAYS))
    for upload in old[:20]:
        shutil.rmtree(folder_of(upload), ignore_errors=True)
        upload.delete()


def folder_of(upload: Upload) -> Path:
    """Where its files are while it is under way."""
    return Path(settings.DATA_DIR) / "uploads" / upload.pk


def carry_out(upload: Upload) -> None:
    """Store what it holds from where it is on, and remove its files. What was stored stays, whatever happens.

    Raises:
        LeaseLostError: `upload.lease_id` is no longer its lease_id. Nothing was changed since.
    """
    if upload.total is None:
        _note(upload, total=sum(1 for _ in _pieces(upload)))
    batches = upload_batches(
        _pieces(upload),
        by=upload.by,
        dry_run=upload.dry_run,
        prefix=upload.prefix or None,
        batch=SHORT_BATCH,
        keep=_Keeping(upload).keep,
        before=(upload.read, upload.created_at),
    )
    for _ in batches:
        pass
    _note(upload, ended_at=timezone.now(), read=upload.total)
    shutil.rmtree(folder_of(upload), ignore_errors=True)


# -- in a thread ------------------------------------------------------------------------------------------------------


def _begin(upload: Upload) -> None:
    for pk in [pk for pk, thread in list(_threads.items()) if not thread.is_alive()]:
        _threads.pop(pk, None)
    thread = threading.Thread(target=_in_turn, args=(upload,), name=f"upload {upload.pk}", daemon=True)
    _threads[upload.pk] = thread
    thread.start()


def _in_turn(upload: Upload) -> None:
    try:
        while not _turn.acquire(timeout=SIGN_OF_LIFE_S):
            _note(upload)
        try:
            carry_out(upload)
        finally:
            _turn.release()
    except Exception as error:  # noqa: BLE001 - a thread has nobody above it who would say so
        _stopped(upload, error)
    finally:
        connection.close()


def _stopped(upload: Upload, error: Exception) -> None:
    """What can go on falls silent, with its files; the rest has failed."""
    if isinstance(error, LeaseLostError):
        _log.info("The upload %s goes on elsewhere", upload.pk)
    elif isinstance(error, PASSING) and not isinstance(error, LASTING):
        _log.error("The upload %s stopped, and can go on", upload.pk, exc_info=error)
    else:
        _log.error("The upload %s failed", upload.pk, exc_info=error)
        try:
            _note(upload, ended_at=timezone.now(), failed=True)
        except (LeaseLostError, *PASSING):
            return  # its files stay, for who goes on
        shutil.rmtree(folder_of(upload), ignore_errors=True)


def _note(upload: Upload, **changes: object) -> None:
    """Write changes down, and that it lives, if nobody else carries it out."""
    changes["seen_at"] = timezone.now()
    if not Upload.objects.filter(pk=upload.pk, lease_id=upload.lease_id, ended_at=None).update(**changes):
        raise LeaseLostError
    for name, value in changes.items():
        setattr(upload, name, value)


# -- what is read, and what is kept of it -----------------------------------------------------------------------------


def _pieces(upload: Upload) -> Iterator[Piece]:
    """The texts in its files. While they are read, there are signs of life."""
    noted = time.monotonic()
    with ExitStack() as opened:
        for number, name in enumerate(upload.names.split("\n")):
            file = opened.enter_context((folder_of(upload) / str(number)).open("rb"))
            for piece in pieces_of(name, file, max_bytes=settings.MAX_SPEC_BYTES):
                if time.monotonic() - noted >= SIGN_OF_LIFE_S:
                    _note(upload)
                    noted = time.monotonic()
                yield piece


class _Keeping:
    """Writes down what became of specs, as part of the transaction that stores them."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.position = upload.specs.count()
        self.left = KEPT_TEXT_CHARS

    def keep(self, entries: list[Entry], read: int) -> None:
        counts = {name: F(name) + number for name, number in counts_of(entries).items()}
        own = Upload.objects.filter(pk=self.upload.pk, lease_id=self.upload.lease_id, ended_at=None)
        if not own.update(read=read, seen_at=timezone.now(), **counts):
            raise LeaseLostError  # and what the batch stored is not
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
    """The faults and the origin of an entry as JSON; "" where it has none, as most."""
    if not entry.faults and not entry.origin:
        return ""
    origin = replace(entry.origin, text="") if entry.origin else None
    return json.dumps({"faults": list(map(asdict, entry.faults)), "origin": origin and asdict(origin)})


def entry_of(row: UploadedSpec) -> Entry:
    """What `keep` wrote down."""
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
    )
