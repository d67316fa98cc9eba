"""Join HTML from trusted markup and untrusted text, where `format_html` is too slow.

CPU time of 20 rows of a search, side by side: f-strings of escaped text 1.6 ms, `join_html` 2.7 ms,
`format_html` 12 ms (on a busy machine; the ratios matter). Unlike f-strings, `join_html` cannot
forget to escape a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import cycle
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString

_CODE: Final = re.compile(r"`([^`\n]+)`")
_CODE_TAG: Final = (SafeString("<code>"), SafeString("</code>"))


def join_html(parts: Iterable[str]) -> SafeString:
    """`parts` as one HTML text; every part that is not a `SafeString` is escaped."""
    pieces = []
    for part in parts:
        if part:  # `conditional_escape` would take longer
            pieces.append(part if isinstance(part, SafeString) else escape(part))
    return SafeString("".join(pieces))


def escape_content(text: str) -> SafeString:
    """`text` escaped for the content of an element, never for an attribute.

    Quotes stay, of which JSON has many.
    """
    return SafeString(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def tag_pieces(
    pieces: Iterable[tuple[str, bool]], opening: SafeString, closing: SafeString
) -> SafeString:
    """Pieces of one text, each with whether it is between `opening` and `closing`."""
    parts: list[str] = []
    for piece, is_tagged in pieces:
        if is_tagged:
            piece = join_html((opening, piece, closing))  # noqa: PLW2901
        parts.append(piece)
    return join_html(parts)


def with_code(message: str) -> SafeString:
    """A message with the text between backticks as code."""
    pieces = zip(_CODE.split(message), cycle((False, True)))  # text and code alternate
    return tag_pieces(pieces, *_CODE_TAG)
