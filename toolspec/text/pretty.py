"""JSON on several lines, within a bound.

A deep line begins with many blanks, so that short text can become long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolspec.errors import DocumentError
from toolspec.text.reader import JSON, count_layout, dumps, loads

MAX_PRINTED: Final = 1024 * 1024  # characters; a longer text stays on one line


@dataclass(frozen=True, slots=True)
class PrintedSize:
    """The characters and the lines of a JSON value on several lines."""

    characters: int
    lines: int


def is_one_line(text: str) -> bool:
    return "\n" not in text.strip()


def pretty_print(text: str) -> str:
    """`text` on several lines, with numbers as they were written.

    It is unchanged if it is not JSON, or would be too long.
    """
    try:
        value = loads(text)
    except DocumentError:
        return text
    if printed_size(value).characters > MAX_PRINTED:
        return text
    return dumps(value, indent=2)


def print_json(value: JSON, *, indent: int = 2, margin: int = 0, most: int = MAX_PRINTED) -> str:
    """`value` on several lines; on one line if the others would have more than `most` characters.

    `margin` is the number of blanks that the caller will add to each line.

    Raises:
        ValueError: as `dumps`.
    """
    compact = dumps(value)
    size = _measure(compact, indent)
    if size.characters + margin * size.lines > most:
        return compact
    return dumps(value, indent=indent)


def printed_size(value: JSON) -> PrintedSize:
    """The size of `value` on several lines, which are not made for it."""
    return _measure(dumps(value), 2)


def _measure(compact: str, indent: int) -> PrintedSize:
    layout = count_layout(compact)
    line_ends = layout.brackets + layout.commas
    characters = len(compact) + line_ends - layout.commas + indent * layout.levels
    return PrintedSize(characters, line_ends + 1)
