"""Match a regular expression against a text, with a time limit."""

from __future__ import annotations

import functools
import operator
import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import regex

from playground.builtin.shipped import shipped
from toolshelf_tools import DefinedTool, Tool

TIMEOUT_S = 2.0
FLAGS = {
    "ignore_case": regex.IGNORECASE,
    "multi_line": regex.MULTILINE,
    "dot_all": regex.DOTALL,
    "verbose": regex.VERBOSE,
    "ascii": regex.ASCII,
}


@dataclass(frozen=True)
class Trial:
    pattern: str
    text: str
    flags: list[Literal["ignore_case", "multi_line", "dot_all", "verbose", "ascii"]] = field(
        default_factory=list
    )
    replacement: str | None = None
    match_limit: int = 100


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


class MatchRegularExpression(DefinedTool):
    definition = shipped("match_regular_expression")
    request_type = Trial

    def call(self, request: Trial) -> Matches:
        end = time.monotonic() + TIMEOUT_S
        with refusals_in_words():
            flags = functools.reduce(
                operator.or_, (FLAGS[flag] for flag in request.flags), regex.VERSION0
            )
            pattern = regex.compile(request.pattern, flags)
            found = list(
                islice(pattern.finditer(request.text, timeout=TIMEOUT_S), request.match_limit + 1)
            )
            replaced = None
            if request.replacement is not None:
                left_s = max(end - time.monotonic(), 0.001)
                replaced = pattern.sub(
                    request.replacement, request.text, count=request.match_limit, timeout=left_s
                )
        line_starts = [
            0,
            *(index + 1 for index, character in enumerate(request.text) if character == "\n"),
        ]
        matches = [match_of(match, line_starts) for match in found[: request.match_limit]]
        return Matches(
            matches=matches, truncated=len(found) > request.match_limit, replaced=replaced
        )


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


class MatchRegularExpressionFactory:
    def tool_id(self) -> str:
        return MatchRegularExpression.definition.id

    def create(self) -> Tool[Trial, Matches]:
        return MatchRegularExpression()
