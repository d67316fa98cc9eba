"""Join HTML from trusted markup and untrusted text: for pages with so much of it that `format_html` is too slow.

CPU time of 20 rows of a search, side by side: f-strings of escaped text 1.6 ms, `join_html` 2.7 ms,
`format_html` 12 ms (on a busy machine; the ratios matter). Unlike f-strings, `join_html` cannot
forget to escape a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString

_CODE: Final = re.compile(r"`([^`\n]+)`")
_CODE_TAG: Final = (SafeString("<code>"), SafeString("</code>"))


def join_html(parts: Iterable[str]) -> SafeString:
    """`parts` as one HTML text; every part that is not a `SafeString` is escaped."""
    return SafeString(
        "".join([part if isinstance(part, SafeString) else escape(part) for part in parts if part])
    )


def escape_content(text: str) -> SafeString:
    """`text` escaped for the content of an element, never for an attribute: quotes stay, of which JSON has many."""
    return SafeString(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def tagged(
    pieces: Iterable[tuple[str, bool]], opening: SafeString, closing: SafeString
) -> SafeString:
    """Pieces of one text, each with whether it is between `opening` and `closing`."""
    return join_html(_tagged(pieces, opening, closing))


def _tagged(
    pieces: Iterable[tuple[str, bool]], opening: SafeString, closing: SafeString
) -> Iterator[str]:
    for piece, is_tagged in pieces:
        yield from (opening, piece, closing) if is_tagged else (piece,)


def with_code(message: str) -> SafeString:
    """A message with the text between backticks as code."""
    pieces = enumerate(_CODE.split(message))  # text and code alternate
    return tagged(((piece, index % 2 == 1) for index, piece in pieces), *_CODE_TAG)
