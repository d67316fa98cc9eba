"""The headings of a Markdown text as a tree of sections."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
CLOSING_MARKS = re.compile(r"(^|[ \t]+)#+$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
WORD = re.compile(r"\w+(?:['’-]\w+)*")  # noqa: RUF001  both apostrophes
SENTENCE_END = re.compile(r"[.!?…。！？]+(?=[\s\"')\]]|$)")  # noqa: RUF001  sentences end in other scripts too


@dataclass
class Section:
    title: str
    level: int
    line: int
    words: int = 0
    sections: list[Section] = field(default_factory=list)


@dataclass(frozen=True)
class Outline:
    words: int
    sentences: int
    reading_time_s: int
    sections: list[Section]


@tool(spec=SPECS / "outline_markdown.json")
def outline_markdown(markdown: str, deepest_level: int = 6, words_per_minute: int = 200) -> Outline:
    words = len(WORD.findall(markdown))
    return Outline(
        words=words,
        sentences=len(SENTENCE_END.findall(markdown)),
        reading_time_s=math.ceil(words * 60 / words_per_minute),
        sections=sections_of(markdown, deepest_level),
    )


def sections_of(markdown: str, deepest_level: int) -> list[Section]:
    """The outermost sections, without the text before the first heading."""
    top = Section(title="", level=0, line=0)
    path = [top]
    fence = ""
    for number, line in enumerate(markdown.splitlines(), start=1):
        mark = FENCE.match(line)
        heading = None if fence else HEADING.fullmatch(line.rstrip())
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        if heading is None or len(heading[1]) > deepest_level:
            path[-1].words += len(WORD.findall(line))
            continue
        section = Section(
            title=CLOSING_MARKS.sub("", heading[2] or "").strip(),
            level=len(heading[1]),
            line=number,
        )
        while path[-1].level >= section.level:
            path.pop()
        path[-1].sections.append(section)
        path.append(section)
    return top.sections
