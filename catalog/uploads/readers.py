"""Split a file into the texts of specs: a document, a JSON array, NDJSON, YAML, an export.

Lines are read as a stream: one that is too long is skipped, not buffered. A document is read as a
whole, up to a limit.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from catalog.exports.exported_tools import (
    EARLIER_EXPORT,
    MAX_METADATA_BYTES,
    ONLY_BY_COMMAND,
    is_earlier_export,
    is_export,
    read_exported_line,
)
from catalog.uploads.file_types import Kind, kind_by_name
from catalog.uploads.pieces import CHUNK_BYTES, Piece, label_of, refused, too_long
from toolspec.errors import DocumentError
from toolspec.imports import MAX_DOCUMENT_BYTES, may_be_imported
from toolspec.text.positions import ArrayError, split_array
from toolspec.text.reader import MAX_BYTES, decode, loads
from toolspec.text.yaml_reader import documents_in, looks_like_yaml

ZIP_REFUSED = (
    "ZIP archives are not read. Unpack it, and upload the files in it; you can choose several."
)
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")


def pieces_of(
    name: str,
    file: BinaryIO,
    *,
    kind: Kind | None = None,
    max_bytes: int = MAX_BYTES,
    max_document_bytes: int = MAX_DOCUMENT_BYTES,
    reads_exports: bool = False,
) -> Iterator[Piece]:
    """Each text in `file`, in order; an unreadable text becomes a piece with a refusal and does not stop the rest.

    Args:
        name: the file's name, for the report; its ending helps to detect the format.
        file: open for reading.
        kind: the format, if known; otherwise it is detected from the name and the first bytes.
        max_bytes: the limit for one text.
        max_document_bytes: the limit for a document that may contain several tools.
        reads_exports: whether a file of `export_catalog` is read; else it is refused.
    """
    label = label_of(name)
    start = file.read(CHUNK_BYTES).removeprefix(BOM_UTF8)
    if start.startswith(_ZIP_STARTS):
        yield refused(label, ZIP_REFUSED, "upload.zip")
        return
    stream = _Stream(file, start)
    kind = kind or kind_by_name(label)
    if _is_yaml(start, kind):
        yield from _yaml_documents(label, stream, max_document_bytes)
    elif is_earlier_export(start) or (is_export(start) and not reads_exports):
        yield _refuse_export(label, start)
    elif is_export(start):
        yield from _read_export(label, stream, max_bytes)
    elif kind == "ndjson" or (kind in {None, "json"} and _looks_like_ndjson(start)):
        yield from _lines(label, stream, max_bytes)
    elif start.lstrip(b" \t\r\n").startswith(b"["):
        yield from _elements(label, stream, max_bytes, max_document_bytes)
    else:
        yield _whole_document(label, stream, max_bytes, max_document_bytes)


def _whole_document(label: str, stream: _Stream, max_bytes: int, max_document_bytes: int) -> Piece:
    text = stream.read(max(max_bytes, max_document_bytes) + 1)
    if len(text) > max_document_bytes and may_be_imported(text):
        return _too_large_document(label, max_document_bytes)
    if len(text) > max_bytes and not may_be_imported(text):
        return too_long(label, 1, 1, max_bytes)
    if not text.strip():
        return refused(label, "The file is empty.", "upload.empty")
    return Piece(label, text)


def _too_large_document(label: str, max_document_bytes: int) -> Piece:
    return refused(
        label, f"This document has more than {max_document_bytes:,} bytes.", "json.too-large"
    )


def _elements(
    label: str, stream: _Stream, max_bytes: int, max_document_bytes: int
) -> Iterator[Piece]:
    """The texts of the elements of a JSON array. After an error between them, the rest is skipped."""
    data = stream.read(max_document_bytes + 1)
    if len(data) > max_document_bytes:
        message = f"This array has more than {max_document_bytes:,} bytes; write one spec per line (NDJSON)."
        yield refused(label, message, "json.too-large")
        return
    try:
        text = decode(data, max_bytes=max_document_bytes)
    except DocumentError as error:
        problem = error.problems[0]
        yield Piece(label, line=problem.line or 1, refusal=problem)
        return
    line, counted = 1, 0
    try:
        for start, end in split_array(text):
            line += text.count("\n", counted, start)
            counted = start
            column = start - text.rfind("\n", 0, start)
            element = text[start:end].encode()
            if len(element) > max_bytes:
                yield too_long(label, line, column, max_bytes)
            else:
                yield Piece(label, element, line, column)
    except ArrayError as error:
        line += text.count("\n", counted, error.offset)
        column = error.offset - text.rfind("\n", 0, error.offset)
        message = f"{error} The rest of the array was skipped."
        yield refused(label, message, "json.syntax", line, column)


def _looks_like_ndjson(start: bytes) -> bool:
    """Whether the first line is a JSON object and more follows it."""
    line, newline, rest = start.lstrip().partition(b"\n")
    if not newline or not rest.strip() or not line.startswith(b"{"):
        return False
    try:
        return isinstance(loads(line), dict)
    except DocumentError:
        return False


class _Stream:
    """A file whose first bytes have already been read."""

    def __init__(self, file: BinaryIO, start: bytes) -> None:
        self._file, self._start = file, start

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; b"" at the end."""
        parts = [self._start[:size]]
        self._start = self._start[size:]
        missing = size - len(parts[0])
        while missing and (part := self._file.read(missing)):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def chunks(self) -> Iterator[bytes]:
        while chunk := self.read(CHUNK_BYTES):
            yield chunk


# -- YAML -------------------------------------------------------------------------------------------------------------

_JSON_START = re.compile(rb"\s*+[\[{][\s\[{]*+[\"\]}]")


def _is_yaml(start: bytes, kind: Kind | None) -> bool:
    """Whether it is declared as YAML or looks like YAML; JSON is read as JSON, whatever the file's name."""
    return (kind == "yaml" and not _JSON_START.match(start)) or (
        kind is None and looks_like_yaml(start)
    )


def _yaml_documents(label: str, stream: _Stream, max_document_bytes: int) -> Iterator[Piece]:
    text = stream.read(max_document_bytes + 1)
    if len(text) > max_document_bytes:
        yield _too_large_document(label, max_document_bytes)
        return
    is_empty = True
    for line, document in documents_in(text):
        is_empty = False
        yield Piece(label, document, line, is_yaml=True)
    if is_empty:
        yield refused(label, "The file is empty.", "upload.empty")


_SPACE = re.compile(rb"\s*+")

# -- NDJSON -----------------------------------------------------------------------------------------------------------


def _lines(label: str, stream: _Stream, max_bytes: int) -> Iterator[Piece]:
    number = 1
    line, length = bytearray(), 0  # of a line that is too long, only the length is stored
    for chunk in stream.chunks():
        at = 0
        while at < len(chunk):
            if not length:
                at, number = _after_blank_lines(chunk, at, number)
            end = chunk.find(b"\n", at)
            if end < 0:
                break
            yield from _line(
                label, bytes(line) + chunk[at:end], length + end - at, number, max_bytes
            )
            line.clear()
            length, number, at = 0, number + 1, end + 1
        length += len(chunk) - at
        if length <= max_bytes:
            line += chunk[at:]
        else:
            line.clear()
    yield from _line(label, bytes(line), length, number, max_bytes)


def _after_blank_lines(chunk: bytes, at: int, number: int) -> tuple[int, int]:
    """The position and the number of the first line from `at`, where line `number` starts, that is not blank."""
    space = _SPACE.match(chunk, at)
    start = max(at, chunk.rfind(b"\n", at, space.end() if space else at) + 1)
    return start, number + chunk.count(b"\n", at, start)


def _line(label: str, text: bytes, length: int, number: int, max_bytes: int) -> Iterator[Piece]:
    if length > max_bytes:
        yield too_long(label, number, 1, max_bytes)
    elif text.strip():
        yield Piece(label, text.removesuffix(b"\r"), number)


def _refuse_export(label: str, start: bytes) -> Piece:
    if is_earlier_export(start):
        return refused(label, EARLIER_EXPORT, "export.earlier")
    return refused(label, ONLY_BY_COMMAND, "export.command")


def _read_export(label: str, stream: _Stream, max_bytes: int) -> Iterator[Piece]:
    for line in _lines(label, stream, max_bytes + MAX_METADATA_BYTES):
        if line.refusal:
            yield line
            continue
        try:
            exported, text = read_exported_line(line.text)
        except DocumentError as error:
            problem = replace(error.problems[0], line=line.line, column=1)
            yield Piece(label, line=line.line, refusal=problem)
        else:
            yield Piece(label, text, line.line, exported=exported)
