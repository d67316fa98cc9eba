"""JSON on a page: whole documents and one-line values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from toolshelf_core.rendering.join import join_html, with_code
from toolshelf_core.rendering.json_highlighting import (
    MAX_CHARACTERS,
    NOTE_ICONS,
    Line,
    Note,
    highlight,
    highlight_line,
)
from toolshelf_core.templatetags.icons import icon
from toolspec.errors import ToolshelfError
from toolspec.text import reader
from toolspec.text.positions import locate
from toolspec.text.pretty import MAX_PRINTED, printed_size
from toolspec.text.reader import JSON

register = template.Library()

ABSENT: Final = object()
MAX_INLINE_CHARACTERS: Final = 200
SHORT_LINES: Final = 30  # a response with at most so many needs no search


@register.inclusion_tag("_json_block.html")
def json_block(
    text: Any = "",
    *,
    value: Any = ABSENT,
    id: str = "json",  # noqa: A002 - what it becomes in HTML
    title: str = "",
    numbered: bool = True,
    annotations: Iterable[Any] = (),
    marks: Iterable[Any] = (),
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
        numbered: the lines have numbers, which are links to them unless `tree`.
        annotations: notes, or problems (or dicts of the same shape), shown at their `line`,
            otherwise at the line of their `pointer`; `schema_href` links to the rule, `edit_href`
            to an edit of it.
        marks: short words at the end of lines, each with `pointer`, `words`, and for its classes
            `kind` and `compared_with`.
        copy: show a button that copies the text (unless the page has only its beginning).
        tree: the containers of `value` can be folded.
        wrap: long lines wrap; otherwise the block scrolls.
        whole: the block is as high as its lines; otherwise it scrolls.
        download_url: of the whole text, if the page shows only its beginning.
    """
    if not isinstance(text, str):
        value = text
    is_value = value is not ABSENT
    line_count = None
    if is_value:
        text, line_count = _print(value)
    notes, loose = _group_notes(text, list(annotations))
    if line_count is not None and line_count > text.count("\n") + 1:
        # No line is known in a beginning.
        loose = [_note_with_pointer(annotation) for annotation in annotations]
    highlighted = highlight(text, notes, folds=tree and is_value, line_count=line_count)
    return {
        "id": id,
        "title": title,
        "numbered": numbered,
        "copy": copy,
        "wrap": wrap,
        "whole": whole,
        "download_url": download_url,
        "highlighted": highlighted,
        "rows": _write_rows(
            highlighted.lines,
            id,
            numbered=numbered,
            tree=tree,
            marks=_group_marks(text, list(marks)),
        ),
        "tree": tree,
        "is_short": tree and len(highlighted.lines) <= SHORT_LINES,
        "loose_notes": loose,
        "digits": len(str(max(len(highlighted.lines), 100))),
    }


def _print(value: JSON) -> tuple[str, int]:
    """`value` on several lines, of a long one the beginning; and the number of all its lines."""
    size = printed_size(value)
    if size.characters <= MAX_PRINTED:
        return reader.dumps(value, indent=2), size.lines
    return reader.dumps_start(value, MAX_CHARACTERS, indent=2), size.lines


@register.simple_tag
def json_inline(value: Any) -> SafeString:
    """A JSON value on one line, truncated if it is long."""
    text = reader.dumps(value)
    html = highlight_line(text[:MAX_INLINE_CHARACTERS])
    if len(text) > MAX_INLINE_CHARACTERS:
        more = '<span class="muted" title="{} characters">…</span>'
        html += format_html(more, f"{len(text):,}")
    return format_html('<code class="json-word">{}</code>', html)


_TAG_END: Final = SafeString('">')
_WITHOUT_NOTE: Final = SafeString('json-line" id="')
_WITH_NOTE: Final = {
    kind: SafeString(f'json-line has-note note-{kind}" id="') for kind in NOTE_ICONS
}
_FOLD: Final = SafeString('<details class="json-fold" open><summary class="')
_FOLDED: Final = SafeString('" data-folded="')
_FOLD_LINE_END: Final = SafeString("</summary>")
_FOLD_END: Final = SafeString("</details>")
_MARK: Final = ' <span class="value-change value-{} compared-with-{}">{}</span>'
_LINE: Final = SafeString('<span class="')
_NUMBERED: Final = SafeString('" data-line="')
_LINE_END: Final = SafeString("\n</span>")
_NUMBER: Final = SafeString('<span class="line-number" data-line="')
_NUMBER_END: Final = SafeString('" aria-hidden="true"></span>')
_LINK: Final = SafeString('<a class="line-number" href="#')
_LINK_NUMBER: Final = SafeString('" data-line="')
_LINK_END: Final = SafeString('" tabindex="-1" aria-hidden="true"></a>')


def _write_rows(
    lines: Iterable[Line],
    block: str,
    *,
    numbered: bool,
    tree: bool,
    marks: Mapping[int, Sequence[SafeString]],
) -> SafeString:
    """The lines as HTML, built in Python: a template would take ten times as long."""
    return join_html(
        _list_parts(lines, join_html([block, "-L"]), numbered=numbered, tree=tree, marks=marks)
    )


def _list_parts(
    lines: Iterable[Line],
    prefix: SafeString,
    *,
    numbered: bool,
    tree: bool,
    marks: Mapping[int, Sequence[SafeString]],
) -> Iterator[str]:
    for line in lines:
        number = SafeString(line.number)
        yield _FOLD if line.opens else _LINE
        opening = _WITH_NOTE[line.notes[0].kind] if line.notes else _WITHOUT_NOTE
        yield from (opening, prefix, number)
        if line.opens:
            yield from (_FOLDED, line.folded)
        elif tree and numbered:  # of which there may be thousands, and a click selects the line
            yield from (_NUMBERED, number)
        yield _TAG_END
        if numbered and line.opens:  # no link inside a summary, which is a control itself
            yield from (_NUMBER, number, _NUMBER_END)
        elif numbered and not tree:
            yield from (_LINK, prefix, number, _LINK_NUMBER, number, _LINK_END)
        yield line.html
        yield from marks.get(line.number, ())
        yield _FOLD_LINE_END if line.opens else _LINE_END
        yield from map(_write_note, line.notes)
        if line.closes:
            yield _FOLD_END


def _write_note(note: Note) -> SafeString:
    link = SafeString("")
    if note.href:
        link += format_html(' <a href="{}">See the rule</a>', note.href)
    if note.edit_href:
        link += format_html(' <a href="{}">Change the spec to match</a>', note.edit_href)
    message = note.message
    if not isinstance(message, SafeString):
        message = with_code(message)
    parts = (note.kind, icon(note.icon), message, link)
    return format_html(
        '<span class="json-note note-{}" role="note">{}<span>{}{}</span></span>', *parts
    )


def _group_marks(text: str, marks: Sequence[Any]) -> dict[int, list[SafeString]]:
    """The marks of each line, as HTML."""
    positions = _locate(text, {mark.pointer for mark in marks})
    by_line: dict[int, list[SafeString]] = {}
    for mark in marks:
        if mark.pointer in positions:
            html = format_html(_MARK, mark.kind, mark.compared_with, mark.words)
            by_line.setdefault(positions[mark.pointer][0], []).append(html)
    return by_line


def _group_notes(text: str, annotations: list[Any]) -> tuple[dict[int, list[Note]], list[Note]]:
    """The notes of each line, and the notes without a known line."""
    unplaced = [annotation for annotation in annotations if not _get(annotation, "line")]
    positions = _locate(text, {_get(annotation, "pointer") or "" for annotation in unplaced})
    by_line: dict[int, list[Note]] = {}
    loose: list[Note] = []
    for annotation in annotations:
        note = _as_note(annotation)
        line = _get(annotation, "line")
        if not line:
            line, _ = positions.get(_get(annotation, "pointer") or "", (0, 0))
        if line:
            by_line.setdefault(line, []).append(note)
        else:
            loose.append(note)
    return by_line, loose


def _as_note(problem: Any) -> Note:
    if isinstance(problem, Note):
        return problem
    return Note(
        _get(problem, "message") or "",
        _get(problem, "schema_href") or "",
        _get(problem, "kind") or "problem",
        edit_href=_get(problem, "edit_href") or "",
    )


def _note_with_pointer(problem: Any) -> Note:
    note = _as_note(problem)
    pointer = _get(problem, "pointer")
    return replace(note, message=f"{pointer}: {note.message}") if pointer else note


def _locate(text: str, pointers: set[str]) -> Mapping[str, tuple[int, int]]:
    if not pointers:
        return {}
    try:
        return locate(text, pointers)
    except (ToolshelfError, ValueError, LookupError):
        return {}  # not JSON, or no such pointer: the notes are shown above the text instead


def _get(problem: Any, name: str) -> Any:
    if isinstance(problem, Mapping):
        return problem.get(name)
    return getattr(problem, name, None)
