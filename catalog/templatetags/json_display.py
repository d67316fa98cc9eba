"""JSON on a page: whole documents, one-line values, and the offending line of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final

from django import template
from django.utils.safestring import SafeString, mark_safe

from catalog.errors import ToolshelfError
from catalog.json_highlighting import Line, Note, highlight, highlight_line
from catalog.jsontext import reader
from catalog.jsontext.positions import locate
from catalog.templatetags.icons import icon

register = template.Library()

ABSENT: Final = object()
MAX_INLINE_CHARACTERS: Final = 200
EXCERPT_CHARACTERS: Final = 100
EXCERPT_BEFORE: Final = 20  # of them, before the caret, so that it is in sight on a phone too


@register.inclusion_tag("_json_block.html")
def json_block(
    text: Any = "",
    *,
    value: Any = ABSENT,
    id: str = "json",  # noqa: A002 - what it becomes in HTML
    title: str = "",
    numbered: bool = True,
    annotations: Iterable[Any] = (),
    copy: bool = True,
    tree: bool = False,
    wrap: bool = False,
    whole: bool = False,
    download_url: str = "",
) -> dict[str, Any]:
    """JSON as highlighted lines.

    Args:
        text: JSON text, shown verbatim (anything but a string is used as `value`).
        value: or a JSON value, shown pretty-printed with its numbers as they were written.
        id: of the block; its lines are `<id>-L<number>`.
        title: the title in the block's bar.
        numbered: the lines have numbers, to link to.
        annotations: problems (or dicts of the same shape), shown at their `line`, otherwise at the line of their
            `pointer`; `schema_href` links to the rule.
        copy: show a button that copies the text (unless the page has only its beginning).
        tree: the containers of `value` can be folded.
        wrap: long lines wrap; otherwise the block scrolls.
        whole: the block is as high as its lines; otherwise it scrolls.
        download_url: of the whole text, if the page shows only its beginning.
    """
    if not isinstance(text, str):
        value = text
    is_value = value is not ABSENT
    if is_value:
        text = reader.dumps(value, indent=2)
    notes, loose = _notes_by_line(text, list(annotations))
    highlighted = highlight(text, notes, folds=tree and is_value)
    return {
        "id": id,
        "title": title,
        "numbered": numbered,
        "copy": copy,
        "wrap": wrap,
        "whole": whole,
        "download_url": download_url,
        "highlighted": highlighted,
        "rows": _rows(highlighted.lines, id, numbered=numbered),
        "loose_notes": loose,
        "digits": len(str(max(len(highlighted.lines), 100))),
    }


@register.simple_tag
def json_inline(value: Any) -> SafeString:
    """A JSON value on one line, truncated if it is long."""
    text = reader.dumps(value)
    cut = len(text) > MAX_INLINE_CHARACTERS
    shown = highlight_line(text[:MAX_INLINE_CHARACTERS])
    more = f'<span class="muted" title="{len(text):,} characters">…</span>' if cut else ""
    return mark_safe(f'<code class="json-word">{shown}{more}</code>')  # noqa: S308 - `shown` is escaped


@register.filter
def json_text(value: Any) -> str:
    """A JSON value as pretty-printed text."""
    return reader.dumps(value, indent=2)


@register.filter
def json_compact(value: Any) -> str:
    """A JSON value as text on one line."""
    return reader.dumps(value)


@register.simple_tag
def excerpt(source: str, problem: Any) -> SafeString:
    """The line of `source` with the `problem`, and a caret under its column; nothing if the problem has no line."""
    number, column = _part(problem, "line"), _part(problem, "column") or 1
    lines = source.split("\n", number) if number else []
    if not number or number > len(lines):
        return SafeString("")
    line = lines[number - 1].removesuffix("\r").replace("\t", " ")
    start = max(0, column - 1 - EXCERPT_BEFORE)
    before, after = "…" * (start > 0), "…" * (len(line) > start + EXCERPT_CHARACTERS)
    shown = f"{before}{line[start : start + EXCERPT_CHARACTERS]}{after}"
    caret = " " * (len(before) + column - 1 - start) + "^"
    gutter = " " * len(str(number))
    return mark_safe(  # noqa: S308 - `shown` is escaped
        f'<pre class="excerpt" tabindex="0"><code><span class="excerpt-number">{number}</span>{escape(shown)}\n'
        f'<span class="excerpt-number">{gutter}</span><span class="caret">{caret}</span></code></pre>'
    )


def _rows(lines: Iterable[Line], block: str, *, numbered: bool) -> SafeString:
    """The lines as HTML, built in Python: a template would take ten times as long for a thousand lines."""
    return mark_safe("".join(_row_parts(lines, escape(block), numbered=numbered)))  # noqa: S308 - escaped in _row_parts


def _row_parts(lines: Iterable[Line], block: str, *, numbered: bool) -> Iterator[str]:
    for line in lines:
        name = "json-line has-note" if line.notes else "json-line"
        line_id = f"{block}-L{line.number}"
        number = _line_number(line, line_id) if numbered else ""
        if line.opens:
            folded = escape(line.folded)
            yield f'<details class="json-fold" open><summary class="{name}" id="{line_id}" data-folded="{folded}">'
            yield f"{number}{line.html}</summary>"
        else:
            yield f'<span class="{name}" id="{line_id}">{number}{line.html}\n</span>'
        for note in line.notes:
            yield f'<span class="json-note" role="note">{icon("triangle-alert")}<span>{_note_words(note)}</span></span>'
        if line.closes:
            yield "</details>"


def _line_number(line: Line, line_id: str) -> str:
    """A link to the line; on the line of a fold, which is a control itself, only the number."""
    if line.opens:
        return f'<span class="line-number" data-line="{line.number}" aria-hidden="true"></span>'
    return f'<a class="line-number" href="#{line_id}" data-line="{line.number}" tabindex="-1" aria-hidden="true"></a>'


def _note_words(note: Note) -> str:
    link = f' <a href="{escape(note.href)}">See the rule</a>' if note.href else ""
    return escape(note.message) + link


def _notes_by_line(text: str, annotations: list[Any]) -> tuple[dict[int, list[Note]], list[Note]]:
    """The notes of each line, and the notes without a known line."""
    pointers = {_part(one, "pointer") or "" for one in annotations if not _part(one, "line")}
    positions = _positions(text, pointers) if pointers else {}
    by_line: dict[int, list[Note]] = {}
    loose: list[Note] = []
    for one in annotations:
        note = Note(str(_part(one, "message") or ""), str(_part(one, "schema_href") or ""))
        pointer = _part(one, "pointer") or ""
        line = _part(one, "line") or (positions[pointer][0] if pointer in positions else None)
        if line:
            by_line.setdefault(line, []).append(note)
        else:
            loose.append(note)
    return by_line, loose


def _positions(text: str, pointers: set[str]) -> Mapping[str, tuple[int, int]]:
    try:
        return locate(text, pointers)
    except (ToolshelfError, ValueError, LookupError):
        return {}  # not JSON, or no such pointer: the notes are shown above the text instead


def _part(problem: Any, name: str) -> Any:
    return problem.get(name) if isinstance(problem, Mapping) else getattr(problem, name, None)
