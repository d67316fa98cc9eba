"""JSON Patch applied to JSON text: only the values that an operation names change.

All other characters stay. New values are laid out like their neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolspec.errors import JSONTextError
from toolspec.text.patch import Operation, apply_patch
from toolspec.text.pointers import split_last
from toolspec.text.positions import Span, find_spans
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps, parse

_FIRST_INDENT: Final = re.compile(r"\n([ \t]+)\S")
SHORT_CHARACTERS: Final = 60  # of a value that is written on one line


def patch_text(text: str, operations: Iterable[Operation]) -> str:
    """`text`, which is JSON, with `operations` applied one after the other.

    If the layout is too unusual for that, the whole text is rewritten.

    Raises:
        PatchError: a value that an operation refers to does not exist.
        JSONTextError: `text` is not JSON.
    """
    operations = list(operations)
    result = apply_patch(parse(text), operations)
    try:
        patched = text
        for operation in operations:
            patched = _apply_to_text(patched, operation)
        if dumps(parse(patched), sort_keys=True) == dumps(result, sort_keys=True):
            return patched
    except (JSONTextError, LookupError, ValueError):
        pass
    rewritten = print_json(result) if "\n" in text.strip() else dumps(result)
    if text.endswith("\n"):
        return f"{rewritten}\n"
    return rewritten


def indent_unit(text: str) -> str | None:
    """The white space by which `text` indents one level; None if it is not indented."""
    match = _FIRST_INDENT.search(text)
    return match[1] if match else None


def margin_at(text: str, offset: int) -> str:
    """The white space at the start of the line that `offset` is in."""
    line_start = text.rfind("\n", 0, offset) + 1
    line = text[line_start:offset]
    return line[: len(line) - len(line.lstrip())]


def _splice(text: str, start: int, end: int, new: str) -> str:
    """`text` with `new` in place of the characters from `start` to `end`."""
    return text[:start] + new + text[end:]


def _apply_to_text(text: str, operation: Operation) -> str:
    if operation.op == "remove":
        return _remove(text, operation.path)
    if operation.op == "move":
        return _move(text, operation.source, operation.path)
    container, span, _ = _find_entry(text, operation.path)
    neighbour = span or next(reversed(container.entries.values()), container)
    raw = _write_value(text, operation.value, neighbour.entry_start)
    if span is not None and (operation.op == "replace" or _is_object(text, container)):
        return _splice(text, span.start, span.end, raw)
    return _insert(text, operation.path, raw)


def _find_entry(text: str, pointer: str) -> tuple[Span, Span | None, str]:
    """The container of the entry at `pointer`, the entry itself if it exists, and its name."""
    parent, name = split_last(pointer)
    container = find_spans(text, [pointer], siblings=True).at(parent)
    return container, container.entries.get(name), name


def _is_object(text: str, container: Span) -> bool:
    return text[container.start] == "{"


def _remove(text: str, pointer: str) -> str:
    container, span, name = _find_entry(text, pointer)
    if span is None:
        raise LookupError(pointer)
    entries = list(container.entries.values())
    index = list(container.entries).index(name)
    if len(entries) == 1:
        return _splice(text, container.start + 1, container.end - 1, "")
    if index + 1 < len(entries):
        return _splice(text, span.entry_start, entries[index + 1].entry_start, "")
    return _splice(text, entries[index - 1].end, span.end, "")


def _move(text: str, source: str, path: str) -> str:
    container, span, _ = _find_entry(text, source)
    if span is None:
        raise LookupError(source)
    target, existing, name = _find_entry(text, path)
    is_same_object = target.start == container.start and _is_object(text, container)
    if is_same_object and existing is None:  # it is only renamed
        old_name, _, _ = text[span.entry_start : span.start].rpartition(":")
        name_end = span.entry_start + len(old_name.rstrip())
        return _splice(text, span.entry_start, name_end, dumps(name))
    return _insert(_remove(text, source), path, text[span.start : span.end])


def _insert(text: str, pointer: str, raw: str) -> str:
    """`text` with the value written as `raw` added at `pointer`, laid out like its neighbours."""
    container, existing, name = _find_entry(text, pointer)
    is_object = _is_object(text, container)
    entries = list(container.entries.values())
    entry = dumps(name) + _colon(text, entries) + raw if is_object else raw
    if not entries:
        return _splice(text, container.start + 1, container.end - 1, entry)
    gap = _gap(text, container, entries)
    if existing is not None and not is_object:
        return _splice(text, existing.entry_start, existing.entry_start, entry + gap)
    return _splice(text, entries[-1].end, entries[-1].end, gap + entry)


def _gap(text: str, container: Span, entries: list[Span]) -> str:
    """The text between two entries."""
    if len(entries) > 1:
        return text[entries[-2].end : entries[-1].entry_start]
    margin = text[container.start + 1 : entries[0].entry_start]
    if "\n" in margin:
        return f",{margin}"
    return ", " if _is_spacious(text) else ","


def _colon(text: str, entries: list[Span]) -> str:
    """The text between a name and its value."""
    if entries:
        last = entries[-1]
        _, _, colon = text[last.entry_start : last.start].rpartition('"')
        return colon
    return ": " if _is_spacious(text) else ":"


def _is_spacious(text: str) -> bool:
    return '": ' in text or '":' not in text


def _write_value(text: str, value: JSON, neighbour: int) -> str:
    """`value` as JSON text, indented as `text` is at the offset `neighbour`."""
    raw = dumps(value)
    unit = indent_unit(text)
    is_short = len(raw) <= SHORT_CHARACTERS
    if is_short or unit is None or not isinstance(value, dict | list):
        return raw
    margin = margin_at(text, neighbour)
    lines = print_json(value, indent=len(unit), margin=len(margin))
    return lines.replace("\n", f"\n{margin}")
