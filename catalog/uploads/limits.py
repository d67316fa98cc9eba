"""The bounds of an upload in a request: it is read as a whole before anything is stored."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import BinaryIO, Final

from django.conf import settings

from catalog.uploads.choices import ImportOptions
from catalog.uploads.parse import ForeignDocument, Parsed, read_candidates
from catalog.uploads.pieces import Piece
from toolspec.errors import Problem, SpecError

MAX_DOCUMENTS: Final = 100  # each becomes a source, which is synced in the request
_WAYS: Final = "Load more with manage.py load_specs, or add the document as a source."


def check_size(size: int) -> None:
    """Check the number of bytes of all files together.

    Raises:
        SpecError: there are too many; the message names the other ways.
    """
    limit = settings.MAX_UPLOAD_BYTES
    if size > limit:
        message = f"An upload can have at most {limit:,} bytes, so nothing of this one was stored. {_WAYS}"
        raise SpecError([Problem("", message, "upload.too-large")])


def size_of(files: Sequence[tuple[str, BinaryIO]]) -> int:
    """The number of bytes of all files together."""
    size = 0
    for _, file in files:
        size += file.seek(0, io.SEEK_END)
        file.seek(0)
    return size


def read_all(pieces: Iterable[Piece], options: ImportOptions) -> list[Parsed]:
    """All specs of an upload.

    Raises:
        SpecError: there are more than an upload can have; the message names the other ways.
    """
    limit = settings.MAX_UPLOAD_SPECS
    candidates: list[Parsed] = []
    specs = documents = 0
    for candidate in read_candidates(pieces, options):
        candidates.append(candidate)
        if isinstance(candidate, ForeignDocument):
            documents += 1
            specs += len(candidate.tools)
        else:
            specs += 1
        if specs > limit:
            raise _too_many(f"{limit:,} specs")
        if documents > MAX_DOCUMENTS:
            raise _too_many(f"{MAX_DOCUMENTS} documents in other formats")
    return candidates


def _too_many(most: str) -> SpecError:
    message = f"An upload can have at most {most}, so nothing of this one was stored. {_WAYS}"
    return SpecError([Problem("", message, "upload.too-many")])
