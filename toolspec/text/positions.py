"""Positions in JSON text: the offsets, lines and columns of the values that JSON Pointers name.

    locate(text, pointers)       -> line and column of each value
    find_spans(text, pointers)   -> start and end of each value, and of its neighbours if asked for
    split_array(text)            -> start and end of each element

The text is known to be valid JSON, except in `split_array`; `syntax_errors` finds the errors in any
other text. Each character is read at most twice, whatever the pointers, and nothing recurses.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from toolspec.text.pointers import split_pointer

STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'


_ENTRY: Final = re.compile(
    rf'[\s,]*+(?:(?P<name>{STRING})\s*+:\s*+)?(?P<value>{STRING}|[\[{{]|[^\s,:\[\]{{}}"]++)',
    re.DOTALL,
)
_CLOSING: Final = re.compile(r"\s*+[\]}]")
_TEXT: Final = rf'[^"\[\]{{}}]++|{STRING}'
_FLAT: Final = rf"[\[{{](?:{_TEXT})*+[\]}}]"
_NESTED_ONCE: Final = rf"[\[{{](?:{_TEXT}|{_FLAT})*+[\]}}]"
# Small containers are passed over in one match.
_NEXT_BRACKET: Final = re.compile(rf"(?:{_TEXT}|{_NESTED_ONCE})*+([\[\]{{}}])", re.DOTALL)
_ARRAY_START: Final = re.compile(r"\s*+\[\s*+")
_EMPTY_ARRAY: Final = re.compile(r"\s*+\[\s*+\]\s*+\Z")
_SCALAR: Final = re.compile(rf'{STRING}|[^\s,:\[\]{{}}"]++', re.DOTALL)
_AFTER_ELEMENT: Final = re.compile(r"\s*+(?:,\s*+|(\])\s*+\Z)")
_LINE_END: Final = re.compile(r"\r\n?|\n")

_Tree: TypeAlias = "dict[str, _Tree]"


@dataclass(slots=True)
class Span:
    """One value: from `start` to `end` in the text.

    Attributes:
        entry_start: where its entry starts: at the name of a member, or at the value itself.
        entries: the spans that are known inside it, by name or index.
    """

    start: int
    entry_start: int
    end: int
    entries: dict[str, Span] = field(default_factory=dict)

    def at(self, pointer: str) -> Span:
        """The span of the value at `pointer`.

        Raises:
            LookupError: there is no such value.
        """
        span = self
        for token in split_pointer(pointer):
            span = span.entries[token]
        return span

    def nearest(self, pointer: str) -> Span:
        """The span of the value at `pointer`, or of the innermost value around it that exists."""
        span = self
        for token in split_pointer(pointer):
            if token not in span.entries:
                break
            span = span.entries[token]
        return span


@dataclass(slots=True)
class _Container:
    """An array or object that is being read."""

    span: Span
    tree: _Tree  # of the pointers that lead into it
    count: int = 0  # entries read


class ArrayError(ValueError):
    """The text is not an array of elements that are separated by commas.

    Attributes:
        offset: where it goes wrong.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Lines:
    """Turns offsets in a text into lines and columns. A line ends with LF, CR or both."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def locate(text: str, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Line and column, from 1, of the value at each pointer.

    If there is no such value, they are those of the innermost value around it that exists.

    Raises:
        ValueError: `text` is not JSON. Not every error is noticed.
    """
    pointers = list(pointers)
    root = find_spans(text, pointers)
    lines = Lines(text)
    return {pointer: lines.position(root.nearest(pointer).start) for pointer in pointers}


def find_spans(text: str, pointers: Iterable[str], *, siblings: bool = False) -> Span:
    """The span of the whole value in `text`, with the spans of the values at `pointers` inside it.

    With `siblings`, all other entries of the arrays and objects that the pointers pass through are
    found too.

    Raises:
        ValueError: `text` is not JSON. Not every error is noticed.
    """
    text += "]"  # as if the document were the only item of an array
    document = _Container(Span(0, 0, 0), {"0": _build_tree(pointers)})
    containers = [document]
    offset = 0
    while containers:
        container = containers[-1]
        match = _ENTRY.match(text, offset)
        if match is None:
            offset = containers.pop().span.end = _match(_CLOSING, text, offset)
            continue
        start = match.start("value")
        if name := match["name"]:
            key = _unescape(name)
            entry_start = match.start("name")
        else:
            key = str(container.count)
            entry_start = start
        container.count += 1
        inner = container.tree.get(key)
        is_container = text[start] in "[{"
        if not is_container:
            offset = match.end()
        elif inner:
            offset = start + 1
        else:
            offset = _end_of_container(text, start)
        if siblings or inner is not None:
            span = Span(start, entry_start, offset)
            container.span.entries[key] = span
            if is_container and inner:
                containers.append(_Container(span, inner))
    if document.count != 1 or offset != len(text):
        raise ValueError("This is not JSON.")
    return document.span.entries["0"]


def split_array(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each element of the array in `text`; an element may contain errors.

    Raises:
        ArrayError: the array does not end, or its elements are not separated by commas.
    """
    if _EMPTY_ARRAY.match(text):
        return
    start = _match(_ARRAY_START, text, 0)
    is_last = False
    while not is_last:
        end = _end_of_element(text, start)
        separator = _AFTER_ELEMENT.match(text, end)
        if separator is None:
            raise ArrayError("A comma, or ']' at the end of the text, is expected here.", end)
        yield start, end
        start = separator.end()
        is_last = separator[1] is not None


def _end_of_element(text: str, start: int) -> int:
    if text.startswith(("[", "{"), start):
        try:
            return _end_of_container(text, start)
        except ValueError:
            raise ArrayError("This element has no end.", start) from None
    match = _SCALAR.match(text, start)
    if match is None:
        raise ArrayError("An element is expected here.", start)
    return match.end()


def _build_tree(pointers: Iterable[str]) -> _Tree:
    root: _Tree = {}
    for pointer in pointers:
        below = root
        for token in split_pointer(pointer):
            below = below.setdefault(token, {})
    return root


def _unescape(name: str) -> str:
    if "\\" not in name:
        return name[1:-1]
    unescaped: str = json.loads(name)
    return unescaped


def _end_of_container(text: str, start: int) -> int:
    """The offset after the array or object that starts at `start`."""
    depth = 1
    offset = start + 1
    while depth:
        offset = _match(_NEXT_BRACKET, text, offset)
        if text[offset - 1] in "[{":
            depth += 1
        else:
            depth -= 1
    return offset


def _match(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    if match is None:
        raise ValueError("This is not JSON.")
    return match.end()
