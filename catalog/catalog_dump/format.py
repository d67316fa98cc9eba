"""The format of a catalog file: a whole catalog as NDJSON, the same bytes for the same catalog, with hashes.

The first line names the format and its version. The tools follow, sorted by id
(by code points): one line with the metadata of the tool, if it has any (see metadata.py), and one line per revision, by
number. The last line has the totals. The file contains usernames of owners only: no tokens, runs, saved configurations
or times.

    {"toolshelf":"catalog","version":2}
    {"tool":"get-weather","owner":"ada","tags":["outdoors"]}
    {"id":"get-weather","revision":1,"current":true,"archived":false,"sha256":"…","source":"…"}
    {"tools":1,"revisions":1,"sha256":"…"}

`source` is the text of the spec, byte for byte, and `sha256` the hash of its UTF-8; in the last line, the hash of all
previous lines. A file of version 1 has no metadata lines.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from catalog.catalog_dump.metadata import (
    MAX_METADATA_BYTES,
    DumpedAccess,
    ToolMetadata,
    metadata_json,
    read_metadata,
    unknown_members,
)
from catalog.errors import DocumentError, Problem
from catalog.jsontext.reader import JSON, loads

VERSION: Final = 2
VERSION_WITHOUT_METADATA: Final = 1
MEDIA_TYPE: Final = "application/x-ndjson"
ESCAPING: Final = 6  # one byte of a source becomes at most 6 bytes: "\u001f"
AROUND_BYTES: Final = 4_096  # of a line, besides the source

_MEMBERS: Final = ("id", "revision", "current", "archived", "sha256", "source")


def _header(version: int) -> str:
    return f'{{"toolshelf":"catalog","version":{version}}}'


NO_METADATA: Final = ToolMetadata()


@dataclass(frozen=True, slots=True)
class DumpedRevision:
    """One revision of one tool; `current` if it is the newest.

    `metadata` belongs to the tool, so that all its revisions have the same; None if the file has no metadata lines.
    `unknown` are pointers to unknown members of the line.
    """

    tool_id: str
    number: int
    source: str = field(repr=False)
    current: bool
    archived: bool
    metadata: ToolMetadata | None = NO_METADATA
    unknown: tuple[str, ...] = field(default=(), compare=False)


def is_catalog(start: bytes) -> bool:
    """Whether a file that starts with `start` is a catalog file of any version."""
    return start.startswith(b'{"toolshelf":"catalog"')


def max_line_bytes(max_spec_bytes: int) -> int:
    """The maximum length of a line for specs of at most `max_spec_bytes`."""
    return max(ESCAPING * max_spec_bytes + AROUND_BYTES, MAX_METADATA_BYTES)


def catalog_lines(revisions: Iterable[DumpedRevision]) -> Iterator[str]:
    """The lines of the file, each with its newline; `revisions` are in the file's order."""
    digest = hashlib.sha256()
    tools = count = 0
    before = None

    def hashed(line: str) -> str:
        digest.update(line.encode())
        return line

    yield hashed(f"{_header(VERSION)}\n")
    for revision in revisions:
        if revision.tool_id != before:
            before = revision.tool_id
            tools += 1
            if revision.metadata and revision.metadata != NO_METADATA:
                yield hashed(_line(metadata_json(revision.tool_id, revision.metadata)))
        count += 1
        line: dict[str, JSON] = {
            "id": revision.tool_id,
            "revision": revision.number,
            "current": revision.current,
            "archived": revision.archived,
            "sha256": _sha256(revision.source),
            "source": revision.source,
        }
        yield hashed(_line(line))
    yield _line({"tools": tools, "revisions": count, "sha256": digest.hexdigest()})


def _line(value: dict[str, JSON]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class CatalogReader:
    """Reads the file line by line; an invalid line does not stop the rest."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._lines = self._revisions = 0
        self._ended = False
        self._default: ToolMetadata | None = NO_METADATA  # for a tool without a metadata line
        self._metadata_of, self._metadata = "", NO_METADATA

    def read(self, line: bytes) -> DumpedRevision | Problem | None:
        """The revision in the next line; a problem if the line is invalid; None for any other valid line.

        Args:
            line: without its newline, at most `max_line_bytes` long.
        """
        self._lines += 1
        if self._ended:
            return self._problem(
                "There is more text after the last line of this catalog.", "catalog.end"
            )
        if self._lines == 1:
            self._digest.update(line + b"\n")
            return self._begin(line.strip())
        try:
            value = loads(line, max_bytes=len(line))
        except DocumentError as error:
            return self._problem(error.problems[0].message, error.problems[0].rule)
        if isinstance(value, dict) and "revisions" in value:
            return self._end(value)
        self._digest.update(line + b"\n")
        if isinstance(value, dict) and "tool" in value and self._default is not None:
            return self._tool(value, len(line))
        self._revisions += 1
        return self._revision(value)

    def finish(self) -> Problem | None:
        """Call this after the last line: a problem if the file is incomplete."""
        if self._ended:
            return None
        self._lines += 1
        return self._problem("This catalog is incomplete: its last line is missing.", "catalog.cut")

    def _begin(self, line: bytes) -> Problem | None:
        if line == _header(VERSION_WITHOUT_METADATA).encode():
            self._default = None
        elif line != _header(VERSION).encode():
            message = f"Only versions {VERSION_WITHOUT_METADATA} and {VERSION} of catalog files are supported."
            return self._problem(message, "catalog.version")
        return None

    def _tool(self, value: dict[str, JSON], line_bytes: int) -> Problem | None:
        if not isinstance(value["tool"], str):
            return self._problem(
                "This line needs the id of a tool as `tool`.", "catalog.line", "/tool"
            )
        try:
            self._metadata_of, self._metadata = value["tool"], read_metadata(value, line_bytes)
        except DocumentError as error:
            # nobody knows who may see the tool, so its revisions must not become public
            restricted = ToolMetadata(access=DumpedAccess(visibility="groups"))
            is_restricted = "access" in value or "toolkit_access" in value
            self._metadata_of, self._metadata = (
                value["tool"],
                restricted if is_restricted else NO_METADATA,
            )
            return self._problem(
                error.problems[0].message, "catalog.line", error.problems[0].pointer
            )
        return None

    def _revision(self, value: JSON) -> DumpedRevision | Problem:
        if not isinstance(value, dict):
            return self._problem("This line is not a revision.", "catalog.line")
        tool_id, number, source = value.get("id"), value.get("revision"), value.get("source")
        if (
            not isinstance(tool_id, str)
            or not isinstance(number, int)
            or not isinstance(source, str)
        ):
            return self._problem(
                "This line is not a revision: it needs `id`, `revision` and `source`.",
                "catalog.line",
            )
        if value.get("sha256") != _sha256(source):
            return self._problem(
                f"The text of {tool_id!r} does not match its hash.", "catalog.hash"
            )
        return DumpedRevision(
            tool_id,
            number,
            source,
            value.get("current") is True,
            value.get("archived") is True,
            self._metadata
            if self._default is not None and self._metadata_of == tool_id
            else self._default,
            tuple(unknown_members(value, _MEMBERS)),
        )

    def _end(self, value: dict[str, JSON]) -> Problem | None:
        self._ended = True
        if value.get("revisions") != self._revisions:
            message = f"This catalog should have {value.get('revisions')} revisions, but has {self._revisions}."
            return self._problem(message, "catalog.cut")
        if value.get("sha256") != self._digest.hexdigest():
            return self._problem(
                "This catalog does not match its hash: it was changed.", "catalog.hash"
            )
        return None

    def _problem(self, message: str, rule: str, pointer: str = "") -> Problem:
        return Problem(pointer, message, rule, line=self._lines, column=1)
