"""JSON Patch applied to JSON text: only the values that an operation names change, all other characters stay.

New values are laid out like their neighbours.
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
    wanted = apply_patch(parse(text), operations)
    try:
        patched = text
        for operation in operations:
            patched = _patched(patched, operation)
        if dumps(parse(patched), sort_keys=True) == dumps(wanted, sort_keys=True):
            return patched
    except (JSONTextError, LookupError, ValueError):
        pass
    rewritten = print_json(wanted) if "\n" in text.strip() else dumps(wanted)
    return rewritten + ("\n" if text.endswith("\n") else "")


def indent_unit(text: str) -> str | None:
    """The white space by which `text` indents one level; None if it is not indented."""
    found = _FIRST_INDENT.search(text)
    return found[1] if found else None


def margin_at(text: str, offset: int) -> str:
    """The white space at the start of the line that `offset` is in."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())]


def _patched(text: str, operation: Operation) -> str:
    if operation.op == "remove":
        return _without(text, operation.path)
    if operation.op == "move":
        return _moved(text, operation.source, operation.path)
    around, span, _ = _entry(text, operation.path)
    neighbour = span or next(reversed(around.entries.values()), around)
    raw = _written(text, operation.value, neighbour.entry_start)
    if span is not None and (operation.op == "replace" or text[around.start] == "{"):
        return text[: span.start] + raw + text[span.end :]
    return _with(text, operation.path, raw)


def _entry(text: str, pointer: str) -> tuple[Span, Span | None, str]:
    """The span around the entry at `pointer`, that of the entry itself if it exists, and its name or index."""
    parent, token = split_last(pointer)
    around = find_spans(text, [pointer], siblings=True).at(parent)
    return around, around.entries.get(token), token


def _without(text: str, pointer: str) -> str:
    around, span, token = _entry(text, pointer)
    if span is None:
        raise LookupError(pointer)
    entries = list(around.entries.values())
    index = list(around.entries).index(token)
    if len(entries) == 1:
        return text[: around.start + 1] + text[around.end - 1 :]
    if index + 1 < len(entries):
        return text[: span.entry_start] + text[entries[index + 1].entry_start :]
    return text[: entries[index - 1].end] + text[span.end :]


def _moved(text: str, source: str, path: str) -> str:
    around, span, _ = _entry(text, source)
    if span is None:
        raise LookupError(source)
    new_around, existing, name = _entry(text, path)
    if (
        new_around.start == around.start and existing is None and text[around.start] == "{"
    ):  # it is only renamed
        old_name, colon, space = text[span.entry_start : span.start].rpartition(":")
        space_before = old_name[len(old_name.rstrip()) :]
        return (
            text[: span.entry_start]
            + dumps(name)
            + space_before
            + colon
            + space
            + text[span.start :]
        )
    return _with(_without(text, source), path, text[span.start : span.end])


def _with(text: str, pointer: str, raw: str) -> str:
    """`text` with the value written as `raw` added at `pointer`, laid out like its neighbours."""
    around, _, name = _entry(text, pointer)
    entries = list(around.entries.values())
    is_object = text[around.start] == "{"
    entry = f"{dumps(name)}{_colon(text, entries)}{raw}" if is_object else raw
    if not entries:
        return text[: around.start + 1] + entry + text[around.end - 1 :]
    gap = _gap(text, around, entries)
    if not is_object and name in around.entries:
        before = around.entries[name].entry_start
        return text[:before] + entry + gap + text[before:]
    return text[: entries[-1].end] + gap + entry + text[entries[-1].end :]


def _gap(text: str, around: Span, entries: list[Span]) -> str:
    """The text between two entries."""
    if len(entries) > 1:
        return text[entries[-2].end : entries[-1].entry_start]
    lead = text[around.start + 1 : entries[0].entry_start]
    return f",{lead}" if "\n" in lead else ", " if _is_spacious(text) else ","


def _colon(text: str, entries: list[Span]) -> str:
    """The text between a name and its value."""
    if entries:
        between = text[entries[-1].entry_start : entries[-1].start]
        return between[between.rindex('"') + 1 :]
    return ": " if _is_spacious(text) else ":"


def _is_spacious(text: str) -> bool:
    return '": ' in text or '":' not in text


def _written(text: str, value: JSON, neighbour: int) -> str:
    """`value` as JSON text, indented as `text` is at the offset `neighbour`."""
    raw, unit = dumps(value), indent_unit(text)
    if len(raw) <= SHORT_CHARACTERS or unit is None or not isinstance(value, dict | list):
        return raw
    margin = margin_at(text, neighbour)
    return print_json(value, indent=len(unit), margin=len(margin)).replace("\n", f"\n{margin}")
