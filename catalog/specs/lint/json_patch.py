"""JSON Patch, for values and for texts: of a text, only what is said to change changes.

Source: RFC 6902, of whose operations "test" and "copy" are not needed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from catalog.errors import JSONTextError
from catalog.jsontext.pointers import pointer_join, split_pointer
from catalog.jsontext.positions import Span, find_spans
from catalog.jsontext.reader import JSON, dumps, parse
from catalog.specs.lint.findings import Fix, Operation

_FIRST_INDENT: Final = re.compile(r"\n([ \t]+)\S")
SHORT_CHARACTERS: Final = 60  # of a value that is written on one line


class PatchError(ValueError):
    """The fix does not fit this text: it is not the one that it was made for."""


def apply_fix(text: str, fix: Fix) -> str:
    """`text`, a spec's, with `fix` applied to it; what the fix is not about stays as it is written.

    Raises:
        PatchError: something that the fix changes is not there.
        JSONTextError: `text` is not JSON.
    """
    wanted = patched(parse(text), fix.operations)
    try:
        edited = text
        for operation in fix.operations:
            edited = _edited(edited, operation)
        if dumps(parse(edited), sort_keys=True) == dumps(wanted, sort_keys=True):
            return edited
    except (JSONTextError, LookupError, ValueError):
        pass
    return dumps(wanted, indent=2 if "\n" in text.strip() else None) + ("\n" if text.endswith("\n") else "")


# Values


def patched(value: JSON, operations: Iterable[Operation]) -> JSON:
    """`value` with `operations` applied, one after the other; `value` itself is not changed.

    Raises:
        PatchError: something that is to be changed is not there.
    """
    for operation in operations:
        try:
            value = _patched(value, operation)
        except (LookupError, TypeError, ValueError) as error:
            raise PatchError(f"Nothing stands at {operation.source or operation.path} any more.") from error
    return value


def _patched(value: JSON, operation: Operation) -> JSON:
    if operation.op != "move":
        change = {"add": _added, "remove": _removed, "replace": _replaced}[operation.op]
        return _changed(value, split_pointer(operation.path), change, operation.value)
    source = split_pointer(operation.source)
    moved = value
    for token in source:
        moved = _member(moved, token)
    return _changed(_changed(value, source, _removed, None), split_pointer(operation.path), _added, moved)


Change = Callable[[JSON, str, JSON], JSON]
"""(an object or array, the name or index of an entry, a value) -> the object or array with that entry changed."""


def _changed(value: JSON, tokens: list[str], change: Change, new: JSON) -> JSON:
    """`value` with the entry at `tokens` changed; what is not on the way there is shared."""
    if not tokens:
        return new
    token, rest = tokens[0], tokens[1:]
    if not rest:
        return change(value, token, new)
    return _replaced(value, token, _changed(_member(value, token), rest, change, new))


def _member(value: JSON, token: str) -> JSON:
    if isinstance(value, list):
        return value[int(token)]
    if isinstance(value, dict):
        return value[token]
    raise LookupError(token)


def _replaced(value: JSON, token: str, new: JSON) -> JSON:
    _member(value, token)
    if isinstance(value, list):
        return [*value[: int(token)], new, *value[int(token) + 1 :]]
    return {**value, token: new} if isinstance(value, dict) else value


def _added(value: JSON, token: str, new: JSON) -> JSON:
    if isinstance(value, list):
        index = len(value) if token == "-" else int(token)  # noqa: S105 - no secret, but a token of a pointer
        if index > len(value):
            raise LookupError(token)
        return [*value[:index], new, *value[index:]]
    if isinstance(value, dict):
        return {**value, token: new}
    raise LookupError(token)


def _removed(value: JSON, token: str, _new: JSON) -> JSON:
    _member(value, token)
    if isinstance(value, list):
        return [*value[: int(token)], *value[int(token) + 1 :]]
    return {name: member for name, member in value.items() if name != token} if isinstance(value, dict) else value


# Texts


def _edited(text: str, operation: Operation) -> str:
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
    """The span around the entry at `pointer`, that of the entry itself if it is there, and its name or index."""
    tokens = split_pointer(pointer)
    around = find_spans(text, [pointer], siblings=True).at(pointer_join("", *tokens[:-1]))
    return around, around.entries.get(tokens[-1]), tokens[-1]


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
    there, taken, name = _entry(text, path)
    if there.start == around.start and taken is None and text[there.start] == "{":  # it only changes its name
        colon = text[span.entry_start : span.start].rpartition(":")[1:]
        behind = text[span.entry_start : span.start].rpartition(":")[0]
        space = behind[len(behind.rstrip()) :]
        return text[: span.entry_start] + dumps(name) + space + "".join(colon) + text[span.start :]
    return _with(_without(text, source), path, text[span.start : span.end])


def _with(text: str, pointer: str, raw: str) -> str:
    """`text` with the value that is written as `raw` added at `pointer`, in the way of its neighbours."""
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
    """What stands between two entries."""
    if len(entries) > 1:
        return text[entries[-2].end : entries[-1].entry_start]
    lead = text[around.start + 1 : entries[0].entry_start]
    return f",{lead}" if "\n" in lead else ", " if _is_spacious(text) else ","


def _colon(text: str, entries: list[Span]) -> str:
    """What stands between a name and its value."""
    if entries:
        between = text[entries[-1].entry_start : entries[-1].start]
        return between[between.rindex('"') + 1 :]
    return ": " if _is_spacious(text) else ":"


def _is_spacious(text: str) -> bool:
    return '": ' in text or '":' not in text


def _written(text: str, value: JSON, beside: int) -> str:
    """`value` as JSON, laid out as `text` is around `beside`."""
    raw = dumps(value)
    unit = _FIRST_INDENT.search(text)
    if len(raw) <= SHORT_CHARACTERS or unit is None or not isinstance(value, dict | list):
        return raw
    line = text[text.rfind("\n", 0, beside) + 1 : beside]
    base = line[: len(line) - len(line.lstrip())]
    return dumps(value, indent=len(unit[1])).replace("\n", f"\n{base}")
