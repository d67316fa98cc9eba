"""The texts of a response: a diff in colours, Markdown rendered, other lines unchanged.

The work is bounded by the constants below; no regular expression reads a response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

from toolshelf_core.rendering.text_diff import Difference, compare
from toolspec.text.pointers import pointer_join, resolve_pointer
from toolspec.text.reader import JSON

MAX_VALUES: Final = 2_000  # of a response that are searched for texts
MAX_TEXTS: Final = 5
MAX_CHARACTERS: Final = 20_000  # of a text that is shown; the rest is in the raw response
LINES_EXAMINED: Final = 200

TONES: Final = (("+++", "head"), ("---", "head"), ("@@", "hunk"), ("+", "added"), ("-", "removed"))


@dataclass(frozen=True)
class TextView:
    """A string of several lines at `pointer`.

    `kind`: how it is shown; `is_cut`: only the beginning is.

    `changes`: how it differs from other responses, by their keys; None if they have no text at
    `pointer`.
    """

    pointer: str
    text: str
    kind: Literal["diff", "markdown", "plain"]
    is_cut: bool
    changes: Mapping[str, Difference | None] = field(default_factory=dict)

    @property
    def diff_lines(self) -> list[tuple[str, str]]:
        """The lines of a diff, each with its tone."""
        return [(_tone(line), line) for line in self.text.splitlines()]


def find_texts(response: JSON, others: Mapping[str, JSON] | None = None) -> list[TextView]:
    """Find the first `MAX_TEXTS` strings of `response` that have several lines.

    They are compared with `others`.
    """
    views = []
    for pointer, text in islice(_find_strings(response), MAX_TEXTS):
        beginning = text[:MAX_CHARACTERS]
        changes = _compare(pointer, beginning, others or {})
        is_cut = len(text) > MAX_CHARACTERS
        views.append(TextView(pointer, beginning, _detect_kind(beginning), is_cut, changes))
    return views


def _find_strings(response: JSON) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, JSON]] = [("", response)]
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        pointer, value = waiting.pop()
        if isinstance(value, str):
            if "\n" in value.strip():
                yield pointer, value
        elif isinstance(value, dict):
            waiting += _list_parts(pointer, value.items())
        elif isinstance(value, list):
            waiting += _list_parts(pointer, enumerate(value))


def _list_parts(pointer: str, parts: Iterable[tuple[str | int, JSON]]) -> list[tuple[str, JSON]]:
    """The first parts of an object or array with their pointers, the last of them first."""
    below = [(pointer_join(pointer, token), part) for token, part in islice(parts, MAX_VALUES)]
    below.reverse()
    return below


def _compare(pointer: str, text: str, others: Mapping[str, JSON]) -> dict[str, Difference | None]:
    """The differences from each other response; one with the same text is left out."""
    changes: dict[str, Difference | None] = {}
    for key, other in others.items():
        try:
            before = resolve_pointer(other, pointer)
        except LookupError:
            before = None
        if not isinstance(before, str):
            changes[key] = None
        elif before[:MAX_CHARACTERS] != text:
            changes[key] = compare(before[:MAX_CHARACTERS], text)
    return changes


def _detect_kind(text: str) -> Literal["diff", "markdown", "plain"]:
    lines = text[:MAX_CHARACTERS].split("\n", LINES_EXAMINED)[:LINES_EXAMINED]
    has_hunk = any(line.startswith("@@ ") for line in lines)
    if has_hunk and any(line.startswith(("--- ", "+++ ")) for line in lines):
        return "diff"
    return "markdown" if _is_markdown(lines) else "plain"


def _is_markdown(lines: Sequence[str]) -> bool:
    item_count = fence_count = 0
    for line in lines:
        row = line.strip()
        if row.startswith("|") and "-" in row and set(row) <= set("|-: "):
            return True
        if line.startswith("#") and line.lstrip("#").startswith(" "):
            return True
        item_count += line.startswith(("- ", "* "))
        fence_count += line.startswith("```")
    return item_count > 1 or fence_count > 1


def _tone(line: str) -> str:
    return next((tone for start, tone in TONES if line.startswith(start)), "")
