"""A whole catalog as one file: NDJSON, the same bytes for the same catalog, with hashes of all of it.

Nothing here knows Django. The first line says what the file is; then comes one line per revision, by tool id (in the
order of code points) and number; the last line says how much there was. There are specs in it, and nothing of people:
no names, tokens, runs or saved configurations.

    {"toolshelf":"catalog","version":1}
    {"id":"get-weather","revision":1,"current":true,"archived":false,"sha256":"…","source":"…"}
    {"tools":1,"revisions":1,"sha256":"…"}

`source` is the text of the spec, byte for byte, and `sha256` is of its UTF-8; that of the last line is of all lines
before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from catalog.errors import DocumentError
from catalog.problems import Problem
from catalog.strict_json import JSON, loads

VERSION: Final = 1
HEADER: Final = f'{{"toolshelf":"catalog","version":{VERSION}}}'
MEDIA_TYPE: Final = "application/x-ndjson"
ESCAPING: Final = 6  # bytes that one byte of a source may become: "\u001f"
AROUND_BYTES: Final = 4_096  # of a line beside the source


@dataclass(frozen=True, slots=True)
class KeptRevision:
    """One revision of one tool; `current` where it is the newest."""

    tool_id: str
    number: int
    source: str = field(repr=False)
    current: bool
    archived: bool


def is_catalog(start: bytes) -> bool:
    """Whether a file that starts with `start` is a catalog, of whatever version."""
    return start.startswith(b'{"toolshelf":"catalog"')


def max_line_bytes(max_spec_bytes: int) -> int:
    """As long is a line at most when a spec is at most `max_spec_bytes` long."""
    return ESCAPING * max_spec_bytes + AROUND_BYTES


def catalog_lines(revisions: Iterable[KeptRevision]) -> Iterator[str]:
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


def _content(revisions: Iterable[KeptRevision]) -> Iterator[tuple[str, KeptRevision | None]]:
    yield f"{HEADER}\n", None
    for revision in revisions:
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

    def read(self, line: bytes) -> KeptRevision | Problem | None:
        """What the next line says: a revision; None where that is the first or last line, as it should be.

        Args:
            line: without its end, of at most `max_line_bytes`.
        """
        self._lines += 1
        if self._ended:
            return self._problem("Something follows the last line of this catalog.", "catalog.end")
        if self._lines == 1:
            self._digest.update(line + b"\n")
            wrong = line.strip() != HEADER.encode()
            return self._problem(f"Only catalogs of version {VERSION} are read.", "catalog.version") if wrong else None
        try:
            value = loads(line, max_bytes=len(line))
        except DocumentError as error:
            return self._problem(error.problems[0].message, error.problems[0].rule)
        if isinstance(value, dict) and "revisions" in value:
            return self._end(value)
        self._digest.update(line + b"\n")
        self._revisions += 1
        return self._revision(value)

    def finish(self) -> Problem | None:
        """What is missing when there are no more lines."""
        if self._ended:
            return None
        self._lines += 1
        return self._problem("This catalog has no last line: a part of it is missing.", "catalog.cut")

    def _revision(self, value: JSON) -> KeptRevision | Problem:
        if not isinstance(value, dict):
            return self._problem("This line is no revision.", "catalog.line")
        tool_id, number, source = value.get("id"), value.get("revision"), value.get("source")
        if not isinstance(tool_id, str) or not isinstance(number, int) or not isinstance(source, str):
            return self._problem("This line is no revision: it needs `id`, `revision` and `source`.", "catalog.line")
        if value.get("sha256") != _sha256(source):
            return self._problem(f"The text of {tool_id!r} is not what its hash says.", "catalog.hash")
        return KeptRevision(tool_id, number, source, value.get("current") is True, value.get("archived") is True)

    def _end(self, value: dict[str, JSON]) -> Problem | None:
        self._ended = True
        if value.get("revisions") != self._revisions:
            message = f"This catalog should have {value.get('revisions')} revisions, and has {self._revisions}."
            return self._problem(message, "catalog.cut")
        if value.get("sha256") != self._digest.hexdigest():
            return self._problem("This catalog is not what its hash says: it was changed.", "catalog.hash")
        return None

    def _problem(self, message: str, rule: str) -> Problem:
        return Problem("", message, rule, line=self._lines, column=1)
