"""Split a file into the texts of specs: a document, a JSON array, NDJSON, YAML, a ZIP of such files, a catalog.

It writes nothing to disk. Files are read as a stream within limits: a text that
is too long is skipped, not buffered; an archive is refused by the sizes in its directory, and by the actual sizes.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Literal

from catalog.catalog_dump.format import CatalogReader, DumpedRevision, is_catalog, max_line_bytes
from catalog.errors import DocumentError, Problem
from catalog.jsontext.positions import next_outside_strings
from catalog.jsontext.reader import MAX_BYTES, loads
from catalog.jsontext.yaml_reader import documents_in, looks_like_yaml
from catalog.specs.importers import MAX_DOCUMENT_BYTES, may_be_imported

Kind = Literal["json", "ndjson", "yaml", "zip"]

CHUNK_BYTES = 64 * 1024
MAX_PIECES = 100_000
MAX_YAML_DOCUMENTS = 1_000  # in one file
MAX_ENTRIES = 20_000
MAX_DIRECTORY_BYTES = 8 * 1024 * 1024
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_RATIO = 200  # of unpacked to packed size; JSON rarely compresses better than 20 to 1
MAX_NAME_CHARS = 200

NDJSON_ENDINGS = (".ndjson", ".jsonl")
JSON_ENDINGS = (".json", *NDJSON_ENDINGS)
YAML_ENDINGS = (".yaml", ".yml")
ENDINGS = (*JSON_ENDINGS, *YAML_ENDINGS)
NDJSON_TYPES = frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"})
YAML_TYPES = frozenset({"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "text/vnd.yaml"})
ZIP_TYPES = frozenset({"application/zip", "application/x-zip-compressed"})

_ZIP_START = b"PK\x03\x04"
_EMPTY_ZIP_START = b"PK\x05\x06"


@dataclass(frozen=True, slots=True)
class Piece:
    """One text that should be a spec; it starts at `line` and `column` of `source`.

    `refusal` is the reason why there is no text; `revision` is the revision of a catalog file that it belongs to. The
    text is JSON unless `is_yaml`.
    """

    source: str
    text: bytes = b""
    line: int = 1
    column: int = 1
    refusal: Problem | None = None
    revision: DumpedRevision | None = None
    is_yaml: bool = False

    def in_source(self, problem: Problem) -> Problem:
        """`problem` with its line and column in the text converted to those in the source."""
        if problem.line is None or problem is self.refusal:
            return problem
        if self.revision is not None:  # the whole text is one line of the source
            return replace(problem, line=self.line, column=1)
        column = problem.column
        if problem.line == 1 and column is not None:
            column += self.column - 1
        return replace(problem, line=problem.line + self.line - 1, column=column)


def pieces_of(name: str, file: BinaryIO, *, kind: Kind | None = None, max_bytes: int = MAX_BYTES) -> Iterator[Piece]:
    """Each text in `file`, in order; an unreadable text becomes a piece with a refusal and does not stop the rest.

    Args:
        name: the file's name, for the report; its ending helps to detect the format.
        file: open for reading; a ZIP must be seekable.
        kind: the format, if known; otherwise it is detected from the name and the first bytes.
        max_bytes: the limit for one text.
    """
    label = _label(name)
    for count, piece in enumerate(_pieces(label, file, kind, max_bytes)):
        if count >= MAX_PIECES and piece.revision is None:
            yield _refused(
                label, f"At most {MAX_PIECES:,} specs are read at once; the rest was left.", "upload.too-many"
            )
            return
        yield piece


def _pieces(label: str, file: BinaryIO, kind: Kind | None, max_bytes: int) -> Iterator[Piece]:
    start = file.read(CHUNK_BYTES)
    if kind == "zip" or (kind is None and start.startswith((_ZIP_START, _EMPTY_ZIP_START))):
        if isinstance(file, _Bounded):
            yield _refused(label, "This is an archive within an archive; upload it by itself.", "upload.zip-entry")
        else:
            yield from _zip_pieces(label, file, max_bytes)
        return
    stream = _Stream(file, start)
    kind = kind or _kind_by_name(label)
    if _is_yaml(start, kind):
        yield from _yaml_documents(label, stream)
    elif is_catalog(start):
        yield from _catalog_pieces(label, stream, max_bytes)
    elif kind == "ndjson" or (kind in {None, "json"} and _looks_like_ndjson(start)):
        yield from _lines(label, stream, max_bytes)
    elif start.lstrip(b" \t\r\n").startswith(b"["):
        yield from _elements(label, stream, max_bytes)
    else:
        text = stream.read(max(max_bytes, MAX_DOCUMENT_BYTES) + 1)
        if len(text) > MAX_DOCUMENT_BYTES and may_be_imported(text):
            yield _refused(label, f"This document has more than {MAX_DOCUMENT_BYTES:,} bytes.", "json.too-large")
        elif len(text) > max_bytes and not may_be_imported(text):
            yield _too_long(label, 1, 1, max_bytes)
        elif text.strip():
            yield Piece(label, text)
        else:
            yield _refused(label, "The file is empty.", "upload.empty")


def _kind_by_name(label: str) -> Kind | None:
    kinds: dict[tuple[str, ...], Kind] = {NDJSON_ENDINGS: "ndjson", YAML_ENDINGS: "yaml", JSON_ENDINGS: "json"}
    return next((kind for endings, kind in kinds.items() if label.lower().endswith(endings)), None)


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
    """A file whose first bytes were read already."""

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
    return (kind == "yaml" and not _JSON_START.match(start)) or (kind is None and looks_like_yaml(start))


def _yaml_documents(label: str, stream: _Stream) -> Iterator[Piece]:
    text = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(text) > MAX_DOCUMENT_BYTES:
        yield _refused(label, f"This document has more than {MAX_DOCUMENT_BYTES:,} bytes.", "json.too-large")
        return
    count = 0
    for count, (line, document) in enumerate(documents_in(text), 1):
        if count > MAX_YAML_DOCUMENTS:
            message = f"At most {MAX_YAML_DOCUMENTS:,} documents are read of one file; the rest was left."
            yield _refused(label, message, "upload.too-many", line)
            return
        yield Piece(label, document, line, is_yaml=True)
    if not count:
        yield _refused(label, "The file is empty.", "upload.empty")


# -- NDJSON -----------------------------------------------------------------------------------------------------------


def _lines(label: str, stream: _Stream, max_bytes: int) -> Iterator[Piece]:
    number = 1
    line, length = bytearray(), 0  # of a line that is too long, only the length is stored
    for chunk in stream.chunks():
        *ended, open_end = chunk.split(b"\n")
        for part in ended:
            yield from _line(label, bytes(line) + part, length + len(part), number, max_bytes)
            line.clear()
            length, number = 0, number + 1
        length += len(open_end)
        if length <= max_bytes:
            line += open_end
        else:
            line.clear()
    yield from _line(label, bytes(line), length, number, max_bytes)


def _line(label: str, text: bytes, length: int, number: int, max_bytes: int) -> Iterator[Piece]:
    if length > max_bytes:
        yield _too_long(label, number, 1, max_bytes)
    elif text.strip():
        yield Piece(label, text.removesuffix(b"\r"), number)


def _catalog_pieces(label: str, stream: _Stream, max_bytes: int) -> Iterator[Piece]:
    reader = CatalogReader()
    for line in _lines(label, stream, max_line_bytes(max_bytes)):
        found = line.refusal or reader.read(line.text)
        if isinstance(found, Problem):
            yield Piece(label, line=line.line, refusal=replace(found, line=line.line))
        elif found is not None:
            yield Piece(label, found.source.encode(), line.line, revision=found)
    if (missing := reader.finish()) is not None:
        yield Piece(label, line=missing.line or 1, refusal=missing)


# -- a JSON array -----------------------------------------------------------------------------------------------------

# The next bracket or comma, with everything before it; strings are skipped as a whole, including brackets in them.
_NEXT_AT_TOP = re.compile(next_outside_strings(r"\[\]{},").encode(), re.DOTALL)
_NEXT_INSIDE = re.compile(next_outside_strings(r"\[\]{}").encode(), re.DOTALL)
MAX_ARRAY_DEPTH = 200  # deeper than any spec may be


def _elements(label: str, stream: _Stream, max_bytes: int) -> Iterator[Piece]:
    """The texts between the commas of the outermost array. The spec reader checks whether each is valid JSON."""
    scan = _ArrayScan(label, max_bytes)
    for chunk in stream.chunks():
        yield from scan.feed(chunk)
        if scan.ended or scan.stuck:
            break
    yield from scan.finish()


class _ArrayScan:
    """Splits an array that arrives in chunks at the commas of its own level.

    It cannot use `jsontext.positions`, which needs the whole of a valid text: an array may be larger than memory, and
    its elements are not known to be JSON yet. They share the pattern that skips strings.
    """

    def __init__(self, label: str, max_bytes: int) -> None:
        self.label, self.max_bytes = label, max_bytes
        self.buffer = bytearray()
        self.searched = 0  # position in the buffer up to which it is scanned
        self.depth = 0
        self.counted = 0  # position in the buffer up to which its lines are counted
        self.line, self.line_start = 1, 0  # the line of `counted`, and its start in the buffer
        self.element_line, self.element_column = 1, 1
        self.element_start = 0
        self.element_bytes = 0  # bytes of a too long element that were dropped
        self.ended = self.stuck = False

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        self.buffer += chunk
        while not self.ended:
            following = _NEXT_AT_TOP if self.depth < 2 else _NEXT_INSIDE
            found = following.match(self.buffer, self.searched)
            if found is None or self.depth > MAX_ARRAY_DEPTH:
                break
            self.searched = found.end()
            yield from self._step(found[1], found.end())
        self._forget()

    def _step(self, sign: bytes, end: int) -> Iterator[Piece]:
        if sign in b"[{":
            self.depth += 1
            if self.depth == 1:
                self._element_starts(end)
        elif sign in b"]}":
            self.depth -= 1
            if self.depth == 0:
                self.ended = True
                yield from self._element_ends(end - 1, last=True)
        elif self.depth == 1:
            yield from self._element_ends(end - 1, last=False)
            self._element_starts(end)

    def _element_starts(self, at: int) -> None:
        self._count_lines(at)
        self.element_start, self.element_bytes = at, 0
        self.element_line, self.element_column = self.line, at - self.line_start + 1

    def _count_lines(self, to: int) -> None:
        newlines = self.buffer.count(b"\n", self.counted, to)
        if newlines:
            self.line, self.line_start = self.line + newlines, self.buffer.rindex(b"\n", self.counted, to) + 1
        self.counted = to

    def _element_ends(self, at: int, *, last: bool) -> Iterator[Piece]:
        raw = bytes(self.buffer[self.element_start : at])
        text = raw.strip(b" \t\r\n")
        line, column = self._start_of(raw, text)
        if self.element_bytes or len(text) > self.max_bytes:
            yield _too_long(self.label, line, column, self.max_bytes)
        elif text:
            yield Piece(self.label, text, line, column)
        elif not last:
            yield _refused(self.label, "There is nothing between two commas.", "json.syntax", line, column)

    def _start_of(self, raw: bytes, text: bytes) -> tuple[int, int]:
        """Line and column of `text` in the file; in `raw`, whitespace precedes it."""
        if self.element_bytes:
            return self.element_line, self.element_column
        before = raw[: len(raw) - len(raw.lstrip(b" \t\r\n"))] if text else b""
        newlines = before.count(b"\n")
        column = len(before) - before.rfind(b"\n") if newlines else self.element_column + len(before)
        return self.element_line + newlines, column

    def _forget(self) -> None:
        """Drop bytes that are no longer needed: those before the element, and the element if it is too long."""
        needed_from = self.element_start
        if self.searched - self.element_start > self.max_bytes or self.element_bytes:
            self._count_lines(self.searched)
            self.element_bytes += self.searched - self.element_start
            needed_from = self.searched
        del self.buffer[:needed_from]
        self.searched -= needed_from
        self.counted -= needed_from
        self.line_start -= needed_from
        self.element_start = 0
        # too deep or too long to be a spec: finding its end is not worth the work
        unsearched = len(self.buffer) - self.searched
        too_long = self.element_bytes > 4 * self.max_bytes or unsearched > 4 * self.max_bytes
        self.stuck = self.depth > MAX_ARRAY_DEPTH or too_long

    def finish(self) -> Iterator[Piece]:
        if self.ended:
            if self.buffer[self.searched :].strip(b" \t\r\n"):
                yield _refused(self.label, "Something follows the array's closing bracket.", "json.syntax", self.line)
            return
        message = "This entry of the array has no end, or none near enough; what follows it was left."
        yield _refused(self.label, message, "json.syntax", self.element_line, self.element_column)


# -- ZIP --------------------------------------------------------------------------------------------------------------


def _zip_pieces(label: str, file: BinaryIO, max_bytes: int) -> Iterator[Piece]:
    try:
        _check_directory(file)
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, struct.error, NotImplementedError) as error:
        yield _refused(label, f"This archive cannot be read: {error}", "upload.zip")
        return
    left = _Allowance(MAX_UNPACKED_BYTES)
    with archive:
        for entry in archive.infolist():
            source = _label(f"{label}/{entry.filename}")
            if entry.is_dir() or _is_clutter(entry.filename):
                continue
            if reason := _entry_refusal(entry):
                yield _refused(source, reason, "upload.zip-entry")
                continue
            try:
                with archive.open(entry) as unpacked:
                    bounded = _Bounded(unpacked, left, MAX_RATIO * max(entry.compress_size, 1024))
                    yield from _pieces(source, bounded, None, max_bytes)  # type: ignore[arg-type]
            except (
                zipfile.BadZipFile,
                zlib.error,
                EOFError,
                OSError,
                ValueError,
                RuntimeError,
                NotImplementedError,
            ) as error:
                yield _refused(source, f"This entry cannot be unpacked: {error}", "upload.zip-entry")
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
    if at < 0 or not (tail.startswith(_EMPTY_ZIP_START, at) and tail.endswith(b"\0\0")):
        at = tail.rfind(_EMPTY_ZIP_START)
    if at < 0 or at + 22 > len(tail):
        raise ValueError("its directory is missing.")
    entries, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
    if b"PK\x06\x07" in tail[max(0, at - 20) : at] or entries == 0xFFFF or directory_bytes == 0xFFFF_FFFF:
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
        return "This entry is no .json, .ndjson, .jsonl, .yaml or .yml file, and was left alone."
    if entry.file_size > MAX_RATIO * max(entry.compress_size, 1024):
        return "This entry grows beyond all measure when it is unpacked."
    return ""


@dataclass(slots=True)
class _Allowance:
    """The number of bytes that may still be unpacked from an archive."""

    bytes: int


class _Bounded:
    """An entry of an archive; reading it fails once the entry, or the whole archive, exceeds its limit."""

    def __init__(self, file: object, all_left: _Allowance, own_left: int) -> None:
        self._file, self._all, self._own = file, all_left, own_left

    def read(self, size: int = CHUNK_BYTES) -> bytes:
        data: bytes = self._file.read(min(size, CHUNK_BYTES))  # type: ignore[attr-defined]
        self._own -= len(data)
        self._all.bytes -= len(data)
        if self._own < 0 or self._all.bytes < 0:
            raise ValueError("it grows beyond all measure.")
        return data


# -- refusals ---------------------------------------------------------------------------------------------------------


def _refused(label: str, message: str, rule: str, line: int = 1, column: int = 1) -> Piece:
    return Piece(label, line=line, column=column, refusal=Problem("", message, rule, line=line, column=column))


def _too_long(label: str, line: int, column: int, max_bytes: int) -> Piece:
    return _refused(label, f"This spec has more than {max_bytes:,} bytes.", "json.too-large", line, column)


def _label(name: str) -> str:
    """`name` for a report: one line, without control characters, shortened at the front if it is long."""
    clean = "".join(c if c.isprintable() else "�" for c in name)
    return clean if len(clean) <= MAX_NAME_CHARS else "…" + clean[1 - MAX_NAME_CHARS :]
