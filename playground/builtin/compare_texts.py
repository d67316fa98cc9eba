"""Compare two texts: a unified diff, and the operations that turn one text into the other."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from playground.builtin.shipped import shipped
from toolshelf_tools import DefinedTool, Tool

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
class Texts:
    before: str
    after: str
    unit: Unit = "line"
    ignore: list[Ignorable] = field(default_factory=list)
    context_lines: int = 3


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


class CompareTexts(DefinedTool):
    definition = shipped("compare_texts")
    request_type = Texts

    def call(self, request: Texts) -> Comparison:
        before, after = split(request.before, request), split(request.after, request)
        matcher = SequenceMatcher(
            None,
            [key_of(unit, request.ignore) for unit in before],
            [key_of(unit, request.ignore) for unit in after],
            autojunk=max(len(before), len(after)) > EXACT_UP_TO,
        )
        changes = [
            Change(OPERATIONS[tag], part(before, start, end), part(after, start_after, end_after))
            for tag, start, end, start_after, end_after in matcher.get_opcodes()
        ]
        equal = all(change.operation == "keep" for change in changes)
        similarity = 1 if equal else math.floor(matcher.ratio() * 10_000) / 10_000
        unified = (
            unified_diff(matcher, before, after, request.context_lines)
            if request.unit == "line"
            else None
        )
        return Comparison(equal=equal, similarity=similarity, unified=unified, operations=changes)


def split(text: str, request: Texts) -> list[str]:
    """The units of `text`; joined, they are the text.

    Raises:
        ValueError: there are more than can be compared in reasonable time.
    """
    apart = request.unit == "character" and "white_space" in request.ignore
    units = (CHARACTERS_WITHOUT_SPACE if apart else SPLITTERS[request.unit]).findall(text)
    if len(units) > MAX_UNITS[request.unit]:
        raise ValueError(
            f"A text has {len(units)} {request.unit}s; at most {MAX_UNITS[request.unit]} can be compared one by one."
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


class CompareTextsFactory:
    def tool_id(self) -> str:
        return CompareTexts.definition.id

    def create(self) -> Tool[Texts, Comparison]:
        return CompareTexts()
