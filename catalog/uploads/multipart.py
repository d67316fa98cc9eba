"""Check the parts of a multipart form while Django's parser reads it, because the parser drops invalid parts silently.

Only the headers of parts are buffered. A dropped part is reported by its number.

Source: RFC 7578 (multipart/form-data), section 4; RFC 2046, section 5.1.1 (boundaries).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

from django.utils.http import parse_header_parameters

MAX_HEADER_BYTES: Final = 4 * 1024  # of a part; Django looks no further than 1 KiB
MAX_FLAWS: Final = 50


class Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class WatchedForm:
    """Reads a form's body and records problems with its parts.

    Args:
        body: the body of the request.
        content_type: the header with the boundary.
    """

    def __init__(self, body: Readable, content_type: str) -> None:
        self._body = body
        boundary = parse_header_parameters(content_type)[1].get("boundary", "")
        self._delimiter = b"\r\n--" + boundary.encode(errors="replace")
        self._seen = b"\r\n"  # so that the first boundary looks like the others
        self._in_header = self._ended = False
        self._number = 0
        self._flaws: list[str] = []

    def read(self, size: int = -1) -> bytes:
        chunk = self._body.read(size)
        self._seen += chunk
        while not self._ended and self._step():
            pass
        return chunk

    def flaws(self) -> list[str]:
        """The problems as sentences, once the body is read."""
        ended = [] if self._ended else ["The form ends before its last boundary."]
        return [*self._flaws, *ended][:MAX_FLAWS]

    def _step(self) -> bool:
        """Process the next boundary or header; False if more bytes are needed."""
        if not self._in_header:
            return self._find_part()
        header, end, rest = self._seen.partition(b"\r\n\r\n")
        if not end and len(header) <= MAX_HEADER_BYTES:
            return False
        self._flaws += self._flaws_of(header if end else b"")
        self._in_header = False
        self._seen = rest if end else self._seen
        return True

    def _find_part(self) -> bool:
        at = self._seen.find(self._delimiter)
        after = at + len(self._delimiter)
        if at < 0 or len(self._seen) < after + 2:
            self._seen = self._seen[at if at >= 0 else -len(self._delimiter) :]
            return False
        if self._seen[after : after + 2] == b"--":
            self._ended = True
            return False
        self._number += 1
        self._in_header = True
        self._seen = self._seen[after:]
        return True

    def _flaws_of(self, header: bytes) -> Iterator[str]:
        for line in header.decode(errors="replace").split("\r\n"):
            name, _, value = line.partition(":")
            if name.strip().lower() == "content-disposition":
                parameters = parse_header_parameters(value)[1]
                if not parameters.get("name", "").strip():
                    break
                if not parameters.get("filename"):
                    name = parameters["name"]
                    yield f"Part {self._number} of the form, {name!r}, has no file name, so it is not a file."
                return
        yield f"Part {self._number} of the form has no header `Content-Disposition: form-data` that names it."
