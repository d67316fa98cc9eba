"""Match a regular expression against a text, with a time limit."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import regex

from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

TIMEOUT_S = 2.0
Flag = Literal["ignore_case", "multi_line", "dot_all", "verbose", "ascii"]
FLAGS: dict[Flag, regex.RegexFlag] = {
    "ignore_case": regex.IGNORECASE,
    "multi_line": regex.MULTILINE,
    "dot_all": regex.DOTALL,
    "verbose": regex.VERBOSE,
    "ascii": regex.ASCII,
}


@dataclass(frozen=True)
class Match:
    text: str
    start: int
    end: int
    line: int
    column: int
    groups: list[str | None]
    named_groups: dict[str, str | None]


@dataclass(frozen=True)
class Matches:
    matches: list[Match]
    truncated: bool
    replaced: str | None


@tool(spec=SPECS / "match_regular_expression.json")
def match_regular_expression(
    pattern: str,
    text: str,
    flags: Sequence[Flag] = (),
    replacement: str | None = None,
    match_limit: int = 100,
) -> Matches:
    end = time.monotonic() + TIMEOUT_S
    with refusals_in_words():
        all_flags = regex.VERSION0
        for flag in flags:
            all_flags |= FLAGS[flag]
        compiled = regex.compile(pattern, all_flags)
        found = list(islice(compiled.finditer(text, timeout=TIMEOUT_S), match_limit + 1))
        replaced = None
        if replacement is not None:
            left_s = max(end - time.monotonic(), 0.001)
            replaced = compiled.sub(replacement, text, count=match_limit, timeout=left_s)
    line_ends = [index for index, character in enumerate(text) if character == "\n"]
    line_starts = [0, *(index + 1 for index in line_ends)]
    matches = [match_of(match, line_starts) for match in found[:match_limit]]
    return Matches(matches=matches, truncated=len(found) > match_limit, replaced=replaced)


@contextmanager
def refusals_in_words() -> Iterator[None]:
    """Turn an error of the pattern into a sentence.

    Raises:
        TimeoutError: it takes too long on this text.
        ValueError: it is not a regular expression, or the replacement does not match it.
    """
    try:
        yield
    except TimeoutError:
        raise TimeoutError(
            f"The pattern takes longer than {TIMEOUT_S:g} s on this text and was stopped."
        ) from None
    except regex.error as error:
        raise ValueError(f"The pattern or its replacement is wrong: {error}.") from None
    except IndexError:
        raise ValueError("The replacement names a group that the pattern does not have.") from None
    except RecursionError:
        raise ValueError("The pattern is nested too deeply.") from None


def match_of(match: regex.Match[str], line_starts: list[int]) -> Match:
    line = bisect_right(line_starts, match.start())
    return Match(
        text=match.group(),
        start=match.start(),
        end=match.end(),
        line=line,
        column=match.start() - line_starts[line - 1] + 1,
        groups=list(match.groups()),
        named_groups=match.groupdict(),
    )
