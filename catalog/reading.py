"""Bodies of requests, read as they were sent and bounded before they are read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from django.conf import settings
from django.http import HttpRequest

from catalog.errors import SpecError
from catalog.problems import Problem
from catalog.unpacking import CHUNK_BYTES, NDJSON_TYPES, ZIP_TYPES, Kind, Piece, pieces_of

IN_MEMORY_BYTES = 1024 * 1024


def spec_text(request: HttpRequest) -> bytes:
    """The body, which is one spec.

    Raises:
        SpecError: it is empty, or longer than a spec may be.
    """
    limit = settings.MAX_SPEC_BYTES
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
        raise too_long()
    text = request.read(limit + 1)
    if len(text) > limit:
        raise too_long()
    if not text.strip():
        raise SpecError([Problem("", "The body is empty; send a spec as JSON.", "json.syntax", line=1, column=1)])
    return text


def too_long() -> SpecError:
    message = f"A spec has at most {settings.MAX_SPEC_BYTES:,} bytes."
    return SpecError([Problem("", message, "json.too-large", line=1, column=1)])


def uploaded_pieces(request: HttpRequest) -> Iterator[Piece]:
    """The texts in an upload: in its files, or in its body where it has none."""
    if request.content_type == "multipart/form-data":
        for _, files in sorted(request.FILES.lists()):
            for file in files:
                yield from file_pieces(file.name or "file", cast("BinaryIO", file.file))
        return
    with _spooled(request) as body:
        yield from pieces_of("body", body, kind=_kind(request.content_type), max_bytes=settings.MAX_SPEC_BYTES)


def file_pieces(name: str, file: BinaryIO) -> Iterator[Piece]:
    return pieces_of(name, file, max_bytes=settings.MAX_SPEC_BYTES)


def _kind(content_type: str | None) -> Kind | None:
    if content_type in NDJSON_TYPES:
        return "ndjson"
    return "zip" if content_type in ZIP_TYPES else None


@contextmanager
def _spooled(request: HttpRequest) -> Iterator[BinaryIO]:
    """The body as a file that can be read from any place; its size was bounded at the door."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        while chunk := request.read(CHUNK_BYTES):
            file.write(chunk)
        file.seek(0)
        yield cast("BinaryIO", file)
