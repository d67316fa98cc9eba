"""JSON text as lines of highlighted, escaped HTML: verbatim, bounded, and with notes beside lines.

The text is not parsed: tokens are recognised by a regular expression, so any text is shown as it
is, JSON or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import escape_content, join_html

MAX_LINES: Final = 2_000
MAX_CHARACTERS: Final = 200_000
MAX_HTML: Final = 200_000  # characters of the lines with their elements
MAX_TREE_HTML: Final = 140_000  # the same of a response, which its page also shows in other ways
MAX_TOKENS: Final = 20_000  # coloured; the rest stays plain
MAX_FOLDS: Final = 500

_LINE_HTML: Final = 70  # about the characters of a line's own element
_FOLD_HTML: Final = 190  # of a line that folds
_TOKEN_HTML: Final = 24
_UNSEEN_HTML: Final = 48
_ESCAPED_HTML: Final = 4
_MOST_HTML: Final = 1 + max(_UNSEEN_HTML, _TOKEN_HTML + _ESCAPED_HTML)  # of one character

_TOKEN: Final = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+"?)(?P<colon>[ \t]*:)?'
    r"|(?P<number>-?[0-9][0-9.eE+-]*+)"
    r"|(?P<literal>\b(?:true|false|null)\b)"
)
# Characters that reverse the direction of text or are invisible: their names are shown.
_UNSEEN: Final = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u061c"
    "\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


@dataclass(frozen=True, slots=True)
class Note:
    """A note on one line: a message, the URL of its rule, and its line if it is known, from 1.

    `edit_href` leads to the page that changes the spec so that the line matches.

    `kind`: "problem", a severity of lint ("error", "warning", "info"), or the change that an export
    made ("rewritten", "dropped").
    """

    message: str
    href: str = ""
    kind: str = "problem"
    line: int = 0
    edit_href: str = ""

    @property
    def icon(self) -> str:
        return NOTE_ICONS[self.kind]


NOTE_ICONS: Final = {
    "problem": "triangle-alert",
    "error": "circle-x",
    "warning": "triangle-alert",
    "info": "info",
    "rewritten": "pencil",
    "dropped": "minus",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, its HTML, its notes, and whether it opens or closes a fold."""

    number: int
    html: SafeString
    notes: tuple[Note, ...] = ()
    opens: bool = False
    closes: bool = False
    folded: str = ""


@dataclass(frozen=True, slots=True)
class Highlighted:
    """The lines that are shown, the number of all lines, and the notes on lines that are not shown.

    `cut`: only the beginning of the text is shown. It may end within the last line.
    """

    lines: tuple[Line, ...]
    line_count: int
    cut: bool
    late_notes: tuple[tuple[int, Note], ...] = field(default=())


def highlight(
    text: str,
    notes: Mapping[int, Iterable[Note]] | None = None,
    *,
    folds: bool = False,
    line_count: int | None = None,
) -> Highlighted:
    """`text` as highlighted lines.

    Args:
        text: any text; at most `MAX_LINES` lines and `MAX_CHARACTERS` characters of it are shown,
            in about `MAX_HTML` characters of HTML.
        notes: by line, counted from 1.
        folds: `text` is pretty-printed JSON (one member or item per line), whose containers may
            fold; it is shown in about `MAX_TREE_HTML` characters.
        line_count: the number of all lines, if `text` is only a beginning.
    """
    notes_by_line = {number: tuple(of_line) for number, of_line in (notes or {}).items()}
    if line_count is None:
        line_count = text.count("\n") + 1 - text.endswith("\n")
    raw_lines = text[:MAX_CHARACTERS].split("\n", MAX_LINES)[:MAX_LINES]
    texts = [line.removesuffix("\r") for line in raw_lines]
    if text.endswith("\n") and len(texts) == line_count + 1:
        texts.pop()
    colours = _Colours(MAX_TREE_HTML if folds else MAX_HTML)
    html_lines = list(colours.colour_lines(texts, folds=folds))
    last = len(html_lines)
    cut = len(text) > MAX_CHARACTERS or line_count > last or colours.is_cut
    opening, closing = _find_folds(texts[:last]) if folds else ({}, set())
    lines = tuple(
        Line(
            number,
            html,
            notes_by_line.pop(number, ()),
            opens=number in opening,
            closes=number in closing,
            folded=opening.get(number, ""),
        )
        for number, html in enumerate(html_lines, start=1)
    )
    late_notes: list[tuple[int, Note]] = []
    for number in sorted(notes_by_line):
        late_notes += [(number, note) for note in notes_by_line[number]]
    return Highlighted(lines, line_count, cut, tuple(late_notes))


def count_shown_lines(text: str) -> int:
    """The number of lines of `text` that `highlight` shows."""
    return len(highlight(text).lines)


def highlight_line(text: str) -> SafeString:
    """One line of JSON text as highlighted HTML."""
    return _Colours().colour_line(text)


class _Colours:
    """Colours tokens until `MAX_TOKENS` of them are coloured, in about `room` characters.

    `is_cut`: the last line is not whole.
    """

    def __init__(self, room: int = MAX_HTML) -> None:
        self.left = MAX_TOKENS
        self.room = room
        self.is_cut = False

    def colour_lines(self, texts: Iterable[str], *, folds: bool) -> Iterator[SafeString]:
        for text in texts:
            self.room -= _LINE_HTML
            if folds and text.endswith(("[", "{")):
                self.room -= _FOLD_HTML - _LINE_HTML
            if self.room <= 0:
                return
            fitting = _start_that_fits(text, self.room)
            self.is_cut = len(fitting) < len(text)
            line = self.colour_line(fitting)
            self.room -= len(line)
            yield line
            if self.is_cut:
                return

    def colour_line(self, text: str) -> SafeString:
        return join_html(self._split_tokens(text))

    def _split_tokens(self, text: str) -> Iterator[str]:
        end = 0
        for token in _TOKEN.finditer(text):
            if self.left <= 0:
                break
            self.left -= 1
            yield from _show_unseen(text[end : token.start()])
            if token["string"] is not None:
                yield _SPAN_OF_KEY if token["colon"] else _SPAN_OF_STRING
                yield from _show_unseen(token["string"])
                yield _SPAN_END
                yield escape_content(token["colon"] or "")
            else:
                yield _SPAN_OF_LITERAL if token["number"] is None else _SPAN_OF_NUMBER
                yield escape_content(token[0])
                yield _SPAN_END
            end = token.end()
        yield from _show_unseen(text[end:])


def _start_that_fits(text: str, room: int) -> str:
    """About the longest beginning of `text` whose HTML has at most `room` characters."""
    if len(text) * _MOST_HTML <= room:
        return text
    text = text[:room]
    while text and (length := _estimate_html(text)) > room:
        text = text[: min(len(text) * room // length, len(text) - 1)]
    return text


def _estimate_html(text: str) -> int:
    """About how many characters the HTML of `text` has."""
    length = len(text) + _ESCAPED_HTML * sum(map(text.count, "<>&"))
    length += _UNSEEN_HTML * sum(1 for _ in _UNSEEN.finditer(text))
    return length + _TOKEN_HTML * sum(1 for _ in _TOKEN.finditer(text))


_SPAN_OF_KEY: Final = SafeString('<span class="jk">')
_SPAN_OF_STRING: Final = SafeString('<span class="jt">')
_SPAN_OF_NUMBER: Final = SafeString('<span class="jn">')
_SPAN_OF_LITERAL: Final = SafeString('<span class="jl">')
_SPAN_END: Final = SafeString("</span>")


def _show_unseen(text: str) -> Iterator[str]:
    """`text` in parts, with the names of characters that cannot be seen."""
    end = 0
    for character in _UNSEEN.finditer(text):
        yield escape_content(text[end : character.start()])
        name = f"U+{ord(character[0]):04X}"
        yield format_html('<span class="unseen" data-name="{}">{}</span>', name, character[0])
        end = character.end()
    if end < len(text):
        yield escape_content(text[end:])


def _find_folds(lines: list[str]) -> tuple[dict[int, str], set[int]]:
    """The lines that open a fold, with the text for the closed fold, and those that close one."""
    opening: dict[int, str] = {}
    closing: set[int] = set()
    open_lines: list[int] = []
    for number, line in enumerate(lines, start=1):
        bare = line.lstrip(" ")
        if bare[:1] in {"}", "]"} and open_lines:
            start = open_lines.pop()
            if len(opening) < MAX_FOLDS:
                count = number - start - 1
                opening[start] = f" … {count} line{'s' * (count != 1)} {bare}"
                closing.add(number)
        if bare[-1:] in {"{", "["}:
            open_lines.append(number)
    return opening, closing
