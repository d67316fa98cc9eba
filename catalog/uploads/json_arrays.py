"""Split a JSON array that is read in chunks into the texts of its elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from catalog.jsontext.positions import next_outside_strings
from catalog.uploads.pieces import Piece, refused, too_long

# The next bracket or comma, with everything before it; strings are skipped as a whole, including brackets in them.
_NEXT_AT_TOP = re.compile(next_outside_strings(r"\[\]{},").encode(), re.DOTALL)
_NEXT_INSIDE = re.compile(next_outside_strings(r"\[\]{}").encode(), re.DOTALL)
MAX_SEARCHED_BYTES = 1024 * 1024  # of a too long element, for its end
MAX_ARRAY_DEPTH = 200  # deeper than any spec may be


def elements(label: str, chunks: Iterable[bytes], max_bytes: int) -> Iterator[Piece]:
    """The texts between the commas of the outermost array. The spec reader checks whether each is valid JSON."""
    scan = _ArrayScan(label, max_bytes)
    for chunk in chunks:
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
            self.line, self.line_start = (
                self.line + newlines,
                self.buffer.rindex(b"\n", self.counted, to) + 1,
            )
        self.counted = to

    def _element_ends(self, at: int, *, last: bool) -> Iterator[Piece]:
        raw = bytes(self.buffer[self.element_start : at])
        text = raw.strip(b" \t\r\n")
        line, column = self._start_of(raw, text)
        if self.element_bytes or len(text) > self.max_bytes:
            yield too_long(self.label, line, column, self.max_bytes)
        elif text:
            yield Piece(self.label, text, line, column)
        elif not last:
            yield refused(
                self.label, "An element is missing between two commas.", "json.syntax", line, column
            )

    def _start_of(self, raw: bytes, text: bytes) -> tuple[int, int]:
        """Line and column of `text` in the file; in `raw`, whitespace precedes it."""
        if self.element_bytes:
            return self.element_line, self.element_column
        before = raw[: len(raw) - len(raw.lstrip(b" \t\r\n"))] if text else b""
        newlines = before.count(b"\n")
        column = (
            len(before) - before.rfind(b"\n") if newlines else self.element_column + len(before)
        )
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
        # An element that is too deep or too long cannot be a spec, so its end is not searched for.
        unsearched = len(self.buffer) - self.searched
        limit = max(self.max_bytes, min(4 * self.max_bytes, MAX_SEARCHED_BYTES))
        too_long = self.element_bytes > limit or unsearched > limit
        self.stuck = self.depth > MAX_ARRAY_DEPTH or too_long

    def finish(self) -> Iterator[Piece]:
        if self.ended:
            if self.buffer[self.searched :].strip(b" \t\r\n"):
                message = "There is more text after the array's closing bracket."
                yield refused(self.label, message, "json.syntax", self.line)
            return
        message = "This element of the array has no end, or is too long; the rest was skipped."
        yield refused(self.label, message, "json.syntax", self.element_line, self.element_column)
