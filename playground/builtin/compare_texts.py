"""Compare two texts: a unified diff, and the operations that turn one text into the other."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

Unit = Literal["line", "word", "character"]
Ignorable = Literal["case", "white_space"]
Operation = Literal["keep", "insert", "delete", "replace"]

SPLITTERS = {
    "line": re.compile(r"[^\n]*\n|[^\n]+"),
    "word": re.compile(r"\S+\s*|\s+"),
    "character": re.compile(r"(?s)."),
}
CHARACTERS_WITHOUT_SPACE = re.compile(r"\S\s*|\s+")
MAX_UNITS = {"line": 20_000, "word": 10_000, "character": 5_000}
EXACT_UP_TO = 2_000
"""With more units, very frequent units no longer begin a match, because the time would be quadratic."""
OPERATIONS: dict[str, Operation] = {
    "equal": "keep",
    "insert": "insert",
    "delete": "delete",
    "replace": "replace",
}


@dataclass(frozen=True)
class Part:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Change:
    operation: Operation
    before: Part
    after: Part


@dataclass(frozen=True)
class Comparison:
    equal: bool
    similarity: int | float
    unified: str | None
    operations: list[Change]


@tool(spec=SPECS / "compare_texts.json")
def compare_texts(
    before: str,
    after: str,
    unit: Unit = "line",
    ignore: Sequence[Ignorable] = (),
    context_lines: int = 3,
) -> Comparison:
    old, new = split(before, unit, ignore), split(after, unit, ignore)
    matcher = SequenceMatcher(
        None,
        [key_of(part, ignore) for part in old],
        [key_of(part, ignore) for part in new],
        autojunk=max(len(old), len(new)) > EXACT_UP_TO,
    )
    changes = [
        Change(OPERATIONS[tag], part(old, start, end), part(new, start_after, end_after))
        for tag, start, end, start_after, end_after in matcher.get_opcodes()
    ]
    equal = all(change.operation == "keep" for change in changes)
    similarity = 1 if equal else math.floor(matcher.ratio() * 10_000) / 10_000
    unified = unified_diff(matcher, old, new, context_lines) if unit == "line" else None
    return Comparison(equal=equal, similarity=similarity, unified=unified, operations=changes)


def split(text: str, unit: Unit, ignore: Sequence[Ignorable]) -> list[str]:
    """The units of `text`; joined, they are the text.

    Raises:
        ValueError: there are more than can be compared in reasonable time.
    """
    apart = unit == "character" and "white_space" in ignore
    units = (CHARACTERS_WITHOUT_SPACE if apart else SPLITTERS[unit]).findall(text)
    if len(units) > MAX_UNITS[unit]:
        raise ValueError(
            f"A text has {len(units)} {unit}s; at most {MAX_UNITS[unit]} can be compared one by one."
        )
    return units


def key_of(unit: str, ignore: Sequence[Ignorable]) -> str:
    """The part of `unit` that is compared."""
    if "white_space" in ignore:
        unit = " ".join(unit.split())
    return unit.casefold() if "case" in ignore else unit


def part(units: Sequence[str], start: int, end: int) -> Part:
    return Part(start, end, "".join(units[start:end]))


def unified_diff(
    matcher: SequenceMatcher[str], before: Sequence[str], after: Sequence[str], context_lines: int
) -> str:
    """The unified diff that `matcher` found; unlike difflib's own, it shows the lines as they are, not their keys."""
    written = []
    for group in matcher.get_grouped_opcodes(context_lines):
        first, last = group[0], group[-1]
        written.append(f"@@ -{span(first[1], last[2])} +{span(first[3], last[4])} @@\n")
        for tag, start, end, start_after, end_after in group:
            if tag == "equal":
                written += marked(" ", before[start:end])
                continue
            written += marked("-", before[start:end])
            written += marked("+", after[start_after:end_after])
    return "".join(["--- before\n", "+++ after\n", *written]) if written else ""


def span(start: int, end: int) -> str:
    """Lines from `start` to `end` as in a unified diff: counted from 1, without a length of one."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def marked(mark: str, lines: Sequence[str]) -> list[str]:
    return [
        f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
        for line in lines
    ]
