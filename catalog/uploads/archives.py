"""Read the files in a ZIP archive, within limits on their number and unpacked size."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from catalog.uploads.file_types import ENDINGS
from catalog.uploads.pieces import CHUNK_BYTES, Piece, label_of, refused

MAX_ENTRIES = 20_000
MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_RATIO = 200  # of unpacked to packed size; JSON rarely compresses better than 20 to 1

_START = b"PK\x03\x04"
_EMPTY_START = b"PK\x05\x06"


def is_archive(start: bytes) -> bool:
    """Whether a file that begins with `start` is a ZIP archive."""
    return start.startswith((_START, _EMPTY_START))


def entries_of(
    label: str, file: BinaryIO, read: Callable[[str, BoundedEntry], Iterator[Piece]]
) -> Iterator[Piece]:
    try:
        _check_directory(file)
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, struct.error, NotImplementedError) as error:
        yield refused(label, f"This archive cannot be read: {error}", "upload.zip")
        return
    left = _Allowance(MAX_UNPACKED_BYTES)
    with archive:
        for entry in archive.infolist():
            source = label_of(f"{label}/{entry.filename}")
            if entry.is_dir() or _is_clutter(entry.filename):
                continue
            if reason := _entry_refusal(entry):
                yield refused(source, reason, "upload.zip-entry")
                continue
            try:
                with archive.open(entry) as unpacked:
                    bounded = BoundedEntry(
                        unpacked, left, MAX_RATIO * max(entry.compress_size, 1024)
                    )
                    yield from read(source, bounded)
            except (
                zipfile.BadZipFile,
                zlib.error,
                EOFError,
                OSError,
                ValueError,
                RuntimeError,
                NotImplementedError,
            ) as error:
                yield refused(source, f"This entry cannot be unpacked: {error}", "upload.zip-entry")
                if left.bytes <= 0:
                    return


def _check_directory(file: BinaryIO) -> None:
    """Refuse an archive by the record at its end, before `zipfile` reads the directory it points to.

    Source: PKWARE APPNOTE, 4.3.16. `zipfile` finds the record in the same two ways.
    """
    file.seek(0, 2)
    size = file.tell()
    tail_size = min(size, 22 + 65_535)
    file.seek(size - tail_size)
    tail = file.read(tail_size)
    at = len(tail) - 22
    if at < 0 or not (tail.startswith(_EMPTY_START, at) and tail.endswith(b"\0\0")):
        at = tail.rfind(_EMPTY_START)
    if at < 0 or at + 22 > len(tail):
        raise ValueError("its directory is missing.")
    entries, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
    if (
        b"PK\x06\x07" in tail[max(0, at - 20) : at]
        or entries == 0xFFFF
        or directory_bytes == 0xFFFF_FFFF
    ):
        raise ValueError("it is a ZIP64 archive; at most 4 GiB and 65,534 entries are read.")
    if entries > MAX_ENTRIES or directory_bytes > MAX_DIRECTORY_BYTES:
        raise ValueError(f"it has {entries:,} entries; at most {MAX_ENTRIES:,} are read.")
    file.seek(0)


def _is_clutter(name: str) -> bool:
    """Whether it is a file that archivers add: a macOS resource fork, or a hidden file."""
    parts = name.split("/")
    return parts[0] == "__MACOSX" or parts[-1].startswith(".")


def _entry_refusal(entry: zipfile.ZipInfo) -> str:
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "This entry is a link; only files are read."
    if entry.flag_bits & 0x1:
        return "This entry is encrypted."
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "This entry is compressed by a method that is not supported; use deflate."
    if not entry.filename.lower().endswith(ENDINGS):
        return "This entry was skipped: it is not a .json, .ndjson, .jsonl, .yaml or .yml file."
    if entry.file_size > MAX_RATIO * max(entry.compress_size, 1024):
        return f"This entry unpacks to more than {MAX_RATIO} times its size, so it was skipped."
    return ""


@dataclass(slots=True)
class _Allowance:
    """The number of bytes that may still be unpacked from an archive."""

    bytes: int


class BoundedEntry:
    """An entry of an archive; reading it fails once the entry, or the whole archive, exceeds its limit."""

    def __init__(self, file: object, all_left: _Allowance, own_left: int) -> None:
        self._file, self._all, self._own = file, all_left, own_left

    def read(self, size: int = CHUNK_BYTES) -> bytes:
        data: bytes = self._file.read(min(size, CHUNK_BYTES))  # type: ignore[attr-defined]
        self._own -= len(data)
        self._all.bytes -= len(data)
        if self._own < 0 or self._all.bytes < 0:
            raise ValueError("its unpacked contents are too large.")
        return data
