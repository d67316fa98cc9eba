"""JSON text as lines of highlighted, escaped HTML: verbatim, bounded, and with notes beside lines.

The text is not parsed: tokens are recognised by a regular expression, so any text is shown as it is, JSON or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.rendering.html import join_html

MAX_LINES: Final = 2_000
MAX_CHARACTERS: Final = 200_000
MAX_TOKENS: Final = 20_000  # coloured; the rest stays plain
MAX_FOLDS: Final = 500

_TOKEN: Final = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+"?)(?P<colon>[ \t]*:)?'
    r"|(?P<number>-?[0-9][0-9.eE+-]*+)"
    r"|(?P<literal>\b(?:true|false|null)\b)"
)
# Characters that reverse the direction of text or are invisible: their names are shown.
_UNSEEN: Final = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)


@dataclass(frozen=True, slots=True)
class Note:
    """A note on one line: a message, the URL of its rule, and its line if it is known, from 1.

    `kind`: "problem", a severity of lint ("error", "warning", "info"), or the change that an export made ("rewritten",
    "dropped").
    """

    message: str
    href: str = ""
    kind: str = "problem"
    line: int = 0

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
    """The lines that are shown, the number of all lines, and the notes on lines that are not shown."""

    lines: tuple[Line, ...]
    line_count: int
    cut: bool
    late_notes: tuple[tuple[int, Note], ...] = field(default=())


def highlight(text: str, notes: Mapping[int, Iterable[Note]] | None = None, *, folds: bool = False) -> Highlighted:
    """`text` as highlighted lines.

    Args:
        text: any text; at most `MAX_LINES` lines and `MAX_CHARACTERS` characters of it are shown.
        notes: by line, counted from 1.
        folds: `text` is pretty-printed JSON (one member or item per line), whose containers may fold.
    """
    pinned = {number: tuple(of_line) for number, of_line in (notes or {}).items()}
    line_count = text.count("\n") + 1 - text.endswith("\n")
    shown = [line.removesuffix("\r") for line in text[:MAX_CHARACTERS].split("\n", MAX_LINES)[:MAX_LINES]]
    if text.endswith("\n") and len(shown) == line_count + 1:
        shown.pop()
    cut = len(text) > MAX_CHARACTERS or line_count > len(shown)
    opening, closing = _folds(shown) if folds else ({}, set())
    colours = _Colours()
    lines = tuple(
        Line(
            number,
            colours.line(line),
            pinned.get(number, ()),
            opens=number in opening,
            closes=number in closing,
            folded=opening.get(number, ""),
        )
        for number, line in enumerate(shown, start=1)
    )
    late = tuple((number, note) for number in sorted(pinned) if number > len(shown) for note in pinned[number])
    return Highlighted(lines, line_count, cut, late)


def shown_line_count(text: str) -> int:
    """The number of lines of `text` that `highlight` shows."""
    return min(text.count("\n", 0, MAX_CHARACTERS) + 1, MAX_LINES)


def highlight_line(text: str) -> SafeString:
    """One line of JSON text as highlighted HTML."""
    return _Colours().line(text)


class _Colours:
    """Colours tokens until `MAX_TOKENS` of them are coloured."""

    def __init__(self) -> None:
        self.left = MAX_TOKENS

    def line(self, text: str) -> SafeString:
        return join_html(self._parts(text))

    def _parts(self, text: str) -> Iterator[str]:
        end = 0
        for token in _TOKEN.finditer(text):
            if self.left <= 0:
                break
            self.left -= 1
            yield from _visible(text[end : token.start()])
            if token["string"] is not None:
                yield _SPANS["jk" if token["colon"] else "jt"]
                yield from _visible(token["string"])
                yield _SPAN_END
                yield token["colon"] or ""
            else:
                yield _SPANS["jn" if token["number"] is not None else "jl"]
                yield token[0]
                yield _SPAN_END
            end = token.end()
        yield from _visible(text[end:])


_SPANS: Final = {name: SafeString(f'<span class="{name}">') for name in ("jk", "jt", "jn", "jl")}
_SPAN_END: Final = SafeString("</span>")


def _visible(text: str) -> Iterator[str]:
    """`text` in parts, with the names of characters that cannot be seen."""
    end = 0
    for character in _UNSEEN.finditer(text):
        yield text[end : character.start()]
        name = f"U+{ord(character[0]):04X}"
        yield format_html('<span class="unseen" data-name="{}">{}</span>', name, character[0])
        end = character.end()
    if end < len(text):
        yield text[end:]


def _folds(lines: list[str]) -> tuple[dict[int, str], set[int]]:
    """The lines that open a fold, with the text for the closed fold, and the lines that close one."""
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
