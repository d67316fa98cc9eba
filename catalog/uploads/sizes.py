"""Decide by their size whether files are published within the request or in the background."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import BinaryIO, Final

LARGE_BYTES: Final = 1024 * 1024  # of all files; larger uploads run in the background
LARGE_ARCHIVE_BYTES: Final = 32 * 1024  # of an archive, because its contents are larger


def is_large(files: Sequence[tuple[str, BinaryIO]]) -> bool:
    """Whether these files (names and contents) are uploaded in the background, without a preview as one types."""
    sizes = [_size_of(file) for _, file in files]
    if sum(sizes) > LARGE_BYTES:
        return True
    return any(size > LARGE_ARCHIVE_BYTES and _is_archive(file) for size, (_, file) in zip(sizes, files, strict=True))


def _size_of(file: BinaryIO) -> int:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def _is_archive(file: BinaryIO) -> bool:
    start = file.read(2)
    file.seek(0)
    return start == b"PK"
