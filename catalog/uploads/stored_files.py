"""The files of a check, which are stored for a day, so that they can be published without sending them again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO, Final

from django.conf import settings
from django.utils import timezone

from catalog.accounts.models import User
from catalog.models import Upload
from catalog.uploads.choices import NO_CHOICES, Choices
from catalog.uploads.pieces import CHUNK_BYTES

RETENTION_HOURS: Final = 24
MAX_CHECKS: Final = 3  # of one person whose files are stored
CHOICES: Final = "choices.json"  # beside the files


def store(upload: Upload, files: Sequence[tuple[str, BinaryIO]], choices: Choices) -> None:
    """Store copies of the files; those of the person's oldest checks make room for them."""
    _make_room(upload.by)
    folder = folder_of(upload)
    folder.mkdir(parents=True, mode=0o700)
    try:
        for number, (_, file) in enumerate(files):
            file.seek(0)
            with (folder / str(number)).open("wb") as copy:
                shutil.copyfileobj(file, copy, CHUNK_BYTES)
        if choices:
            (folder / CHOICES).write_text(choices.to_json())
    except BaseException:
        delete(upload)
        raise


def _make_room(by: User) -> None:
    checks = Upload.objects.filter(by=by, dry_run=True).order_by("-created_at")
    for old in checks[MAX_CHECKS - 1 : MAX_CHECKS + 20]:
        delete(old)


def can_publish(upload: Upload) -> bool:
    """Whether it is a check whose files are still stored on this machine."""
    expires_at = upload.created_at + timedelta(hours=RETENTION_HOURS)
    return upload.dry_run and timezone.now() < expires_at and folder_of(upload).is_dir()


@contextmanager
def files_of(upload: Upload) -> Iterator[list[tuple[str, BinaryIO]]]:
    """The stored files of a check, open for reading."""
    with ExitStack() as opened:
        names = enumerate(upload.names.split("\n"))
        yield [
            (name, opened.enter_context((folder_of(upload) / str(number)).open("rb")))
            for number, name in names
        ]


def choices_of(upload: Upload) -> Choices:
    """The choices about its imported tools, as long as its files are stored."""
    file = folder_of(upload) / CHOICES
    return Choices.from_json(file.read_text()) if file.exists() else NO_CHOICES


def folder_of(upload: Upload) -> Path:
    return Path(settings.DATA_DIR) / "uploads" / upload.pk


def delete(upload: Upload) -> None:
    """Delete the stored files of a check; its report stays."""
    shutil.rmtree(folder_of(upload), ignore_errors=True)


def delete_expired() -> None:
    """Delete the files of checks that can no longer be published."""
    folder = Path(settings.DATA_DIR) / "uploads"
    stored = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    expired = timezone.now() - timedelta(hours=RETENTION_HOURS)
    for upload in Upload.objects.filter(pk__in=stored[:100], created_at__lt=expired):
        delete(upload)
