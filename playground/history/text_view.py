"""The texts of a response: a diff in colours, Markdown rendered, other lines unchanged.

The work is bounded by the constants below; no regular expression reads a response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def texts_of(response: JSON, others: Mapping[str, JSON] | None = None) -> list[TextView]:
    """The first strings of `response` that have several lines, at most `MAX_TEXTS`, compared with `others`."""
    found = []
    for pointer, text in _texts(response):
        shown = text[:MAX_CHARACTERS]
        found.append(
            TextView(
                pointer,
                shown,
                _kind(shown),
                len(text) > len(shown),
                _changes(pointer, shown, others or {}),
            )
        )
        if len(found) == MAX_TEXTS:
            break
    return found


def _texts(response: JSON) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, JSON]] = [("", response)]
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        pointer, value = waiting.pop()
        if isinstance(value, str):
            if "\n" in value.strip():
                yield pointer, value
        elif isinstance(value, dict):
            below = [
                (pointer_join(pointer, name), member)
                for name, member in islice(value.items(), MAX_VALUES)
            ]
            waiting += reversed(below)
        elif isinstance(value, list):
            waiting += reversed(
                [
                    (pointer_join(pointer, str(index)), item)
                    for index, item in enumerate(value[:MAX_VALUES])
                ]
            )


def _changes(pointer: str, text: str, others: Mapping[str, JSON]) -> dict[str, Difference | None]:
    """The differences from each other response; one with the same text is left out."""
    found: dict[str, Difference | None] = {}
    for key, other in others.items():
        try:
            before = resolve_pointer(other, pointer)
        except LookupError:
            before = None
        if not isinstance(before, str):
            found[key] = None
        elif before[:MAX_CHARACTERS] != text:
            found[key] = compare(before[:MAX_CHARACTERS], text)
    return found


def _kind(text: str) -> Literal["diff", "markdown", "plain"]:
    lines = text[:MAX_CHARACTERS].split("\n", LINES_EXAMINED)[:LINES_EXAMINED]
    if any(line.startswith("@@ ") for line in lines) and any(
        line.startswith(("--- ", "+++ ")) for line in lines
    ):
        return "diff"
    return "markdown" if _is_markdown(lines) else "plain"


def _is_markdown(lines: Sequence[str]) -> bool:
    is_table = any(
        line.strip().startswith("|") and set(line.strip()) <= set("|-: ") and "-" in line
        for line in lines
    )
    has_heading = any(line.lstrip("#").startswith(" ") and line.startswith("#") for line in lines)
    items = sum(line.startswith(("- ", "* ")) for line in lines)
    return is_table or has_heading or items > 1 or sum(line.startswith("```") for line in lines) > 1


def _tone(line: str) -> str:
    return next((tone for start, tone in TONES if line.startswith(start)), "")
