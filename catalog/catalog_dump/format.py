"""A whole catalog as one file: NDJSON, the same bytes for the same catalog, with hashes of all of it.

Nothing here knows Django. The first line says what the file is. Then come the tools, by id (in the order of code
points): a line with what people say of the tool, where they say anything (see `said`), and one line per revision, by
number. The last line says how much there was. Of people there are only the names of owners in it: no tokens, runs or
saved configurations, and no times.

    {"toolshelf":"catalog","version":2}
    {"tool":"get-weather","owner":"ada","tags":["outdoors"]}
    {"id":"get-weather","revision":1,"current":true,"archived":false,"sha256":"…","source":"…"}
    {"tools":1,"revisions":1,"sha256":"…"}

`source` is the text of the spec, byte for byte, and `sha256` is of its UTF-8; that of the last line is of all lines
before it. A file of version 1 has no lines of what people say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from catalog.catalog_dump.metadata import MAX_SAID_BYTES, ToolMetadata, metadata_json, read_metadata, unknown_members
from catalog.errors import DocumentError, Problem
from catalog.jsontext.reader import JSON, loads

VERSION: Final = 2
WITHOUT_SAID: Final = 1  # the version that had no lines of what people say
MEDIA_TYPE: Final = "application/x-ndjson"
ESCAPING: Final = 6  # bytes that one byte of a source may become: "\u001f"
AROUND_BYTES: Final = 4_096  # of a line beside the source

_MEMBERS: Final = ("id", "revision", "current", "archived", "sha256", "source")


def _header(version: int) -> str:
    return f'{{"toolshelf":"catalog","version":{version}}}'


NOTHING_SAID: Final = ToolMetadata()


@dataclass(frozen=True, slots=True)
class DumpedRevision:
    """One revision of one tool; `current` where it is the newest.

    `said` is what people say of the tool, which all of its revisions have; None where the file does not know. `unknown`
    are pointers to members of the line that no reader knows.
    """

    tool_id: str
    number: int
    source: str = field(repr=False)
    current: bool
    archived: bool
    said: ToolMetadata | None = NOTHING_SAID
    unknown: tuple[str, ...] = field(default=(), compare=False)


def is_catalog(start: bytes) -> bool:
    """Whether a file that starts with `start` is a catalog, of whatever version."""
    return start.startswith(b'{"toolshelf":"catalog"')


def max_line_bytes(max_spec_bytes: int) -> int:
    """As long is a line at most when a spec is at most `max_spec_bytes` long."""
    return max(ESCAPING * max_spec_bytes + AROUND_BYTES, MAX_SAID_BYTES)


def catalog_lines(revisions: Iterable[DumpedRevision]) -> Iterator[str]:
    """The lines of the file, each with its end; `revisions` come in their order."""
    digest = hashlib.sha256()
    tools = count = 0
    before = None
    for line, revision in _content(revisions):
        digest.update(line.encode())
        yield line
        if revision is not None:
            count += 1
            tools += revision.tool_id != before
            before = revision.tool_id
    yield _line({"tools": tools, "revisions": count, "sha256": digest.hexdigest()})


def _content(revisions: Iterable[DumpedRevision]) -> Iterator[tuple[str, DumpedRevision | None]]:
    yield f"{_header(VERSION)}\n", None
    before = None
    for revision in revisions:
        if revision.said and revision.said != NOTHING_SAID and revision.tool_id != before:
            yield _line(metadata_json(revision.tool_id, revision.said)), None
        before = revision.tool_id
        yield (
            _line(
                {
                    "id": revision.tool_id,
                    "revision": revision.number,
                    "current": revision.current,
                    "archived": revision.archived,
                    "sha256": _sha256(revision.source),
                    "source": revision.source,
                }
            ),
            revision,
        )


def _line(value: dict[str, JSON]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class CatalogReader:
    """Takes the file apart, line by line; what is wrong with a line does not stop the rest."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._lines = self._revisions = 0
        self._ended = False
        self._unsaid: ToolMetadata | None = NOTHING_SAID  # what is known of a tool of which the file says nothing
        self._said_of, self._said = "", NOTHING_SAID

    def read(self, line: bytes) -> DumpedRevision | Problem | None:
        """What the next line says: a revision; None where it is another line, as it should be.

        Args:
            line: without its end, of at most `max_line_bytes`.
        """
        self._lines += 1
        if self._ended:
            return self._problem("Something follows the last line of this catalog.", "catalog.end")
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
        if isinstance(value, dict) and "tool" in value and self._unsaid is not None:
            return self._tool(value, len(line))
        self._revisions += 1
        return self._revision(value)

    def finish(self) -> Problem | None:
        """What is missing when there are no more lines."""
        if self._ended:
            return None
        self._lines += 1
        return self._problem("This catalog has no last line: a part of it is missing.", "catalog.cut")

    def _begin(self, line: bytes) -> Problem | None:
        if line == _header(WITHOUT_SAID).encode():
            self._unsaid = None
        elif line != _header(VERSION).encode():
            message = f"Only catalogs of the versions {WITHOUT_SAID} and {VERSION} are read."
            return self._problem(message, "catalog.version")
        return None

    def _tool(self, value: dict[str, JSON], line_bytes: int) -> Problem | None:
        if not isinstance(value["tool"], str):
            return self._problem("This line names no tool: `tool` is its id.", "catalog.line", "/tool")
        try:
            self._said_of, self._said = value["tool"], read_metadata(value, line_bytes)
        except DocumentError as error:
            return self._problem(error.problems[0].message, "catalog.line", error.problems[0].pointer)
        return None

    def _revision(self, value: JSON) -> DumpedRevision | Problem:
        if not isinstance(value, dict):
            return self._problem("This line is no revision.", "catalog.line")
        tool_id, number, source = value.get("id"), value.get("revision"), value.get("source")
        if not isinstance(tool_id, str) or not isinstance(number, int) or not isinstance(source, str):
            return self._problem("This line is no revision: it needs `id`, `revision` and `source`.", "catalog.line")
        if value.get("sha256") != _sha256(source):
            return self._problem(f"The text of {tool_id!r} is not what its hash says.", "catalog.hash")
        return DumpedRevision(
            tool_id,
            number,
            source,
            value.get("current") is True,
            value.get("archived") is True,
            self._said if self._unsaid is not None and self._said_of == tool_id else self._unsaid,
            tuple(unknown_members(value, _MEMBERS)),
        )

    def _end(self, value: dict[str, JSON]) -> Problem | None:
        self._ended = True
        if value.get("revisions") != self._revisions:
            message = f"This catalog should have {value.get('revisions')} revisions, and has {self._revisions}."
            return self._problem(message, "catalog.cut")
        if value.get("sha256") != self._digest.hexdigest():
            return self._problem("This catalog is not what its hash says: it was changed.", "catalog.hash")
        return None

    def _problem(self, message: str, rule: str, pointer: str = "") -> Problem:
        return Problem(pointer, message, rule, line=self._lines, column=1)
