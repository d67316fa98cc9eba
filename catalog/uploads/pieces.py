"""The texts of an upload, and the problems of texts that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog.exports.exported_tools import ExportedTool
from toolspec.errors import Problem

CHUNK_BYTES = 64 * 1024
MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Piece:
    """One text that should be a spec; it starts at `line` and `column` of `source`.

    `refusal` is the reason why there is no text; `exported` is what a line of `export_catalog` says
    of the tool. The text is JSON unless `is_yaml`.
    """

    source: str
    text: bytes = b""
    line: int = 1
    column: int = 1
    refusal: Problem | None = None
    exported: ExportedTool | None = None
    is_yaml: bool = False

    def in_source(self, problem: Problem) -> Problem:
        """`problem` with its line and column in the text converted to those in the source."""
        if problem.line is None or problem is self.refusal:
            return problem
        if self.exported is not None:  # the whole text is one line of the source
            return replace(problem, line=self.line, column=1)
        column = problem.column
        if problem.line == 1 and column is not None:
            column += self.column - 1
        return replace(problem, line=problem.line + self.line - 1, column=column)


def refused(label: str, message: str, rule: str, line: int = 1, column: int = 1) -> Piece:
    return Piece(
        label,
        line=line,
        column=column,
        refusal=Problem("", message, rule, line=line, column=column),
    )


def too_long(label: str, line: int, column: int, max_bytes: int) -> Piece:
    return refused(
        label, f"This spec has more than {max_bytes:,} bytes.", "json.too-large", line, column
    )


def label_of(name: str) -> str:
    """`name` for a report: one line, without control characters, shortened at the front if it is long."""
    clean = "".join(c if c.isprintable() else "�" for c in name)
    return clean if len(clean) <= MAX_NAME_CHARS else "…" + clean[1 - MAX_NAME_CHARS :]
