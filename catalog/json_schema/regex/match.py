"""Regular expressions as JSON Schema defines them: those of ECMA-262, matched in bounded time.

The syntax tree is in `syntax`, and its form for the engine in `translate`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import regex

from catalog.json_schema.regex.characters import PatternSyntaxError
from catalog.json_schema.regex.translate import translate

MAX_PATTERN_CHARACTERS: Final = 8_192
MAX_TRANSLATED_CHARACTERS: Final = 40_000  # the engine takes about 10 µs for each to compile
MATCH_TIMEOUT_S: Final = (
    0.05  # CPU time of one search; bounds its memory too, which grows by 1 MB per ms at worst
)


@dataclass(frozen=True, slots=True)
class PatternError:
    """Why a pattern cannot be used; `position` counts characters from 0."""

    message: str
    position: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern."""

    source: str
    _compiled: regex.Pattern[str] = field(repr=False)

    def found_in(self, text: str, *, timeout_s: float = MATCH_TIMEOUT_S) -> bool:
        """Whether the pattern matches somewhere in `text`.

        Raises:
            TimeoutError: it took longer than `timeout_s` (s of CPU time).
        """
        return self._compiled.search(text, timeout=timeout_s) is not None


@lru_cache(maxsize=2048)
def compile_pattern(source: str) -> Pattern | PatternError:
    """`source` compiled, or why it cannot be used. Takes about 1 ms per 100 characters, at most 0.5 s; cached."""
    if len(source) > MAX_PATTERN_CHARACTERS:
        return PatternError(
            f"it is longer than {MAX_PATTERN_CHARACTERS} characters.", MAX_PATTERN_CHARACTERS
        )
    try:
        translated = translate(source)
        if len(translated) > MAX_TRANSLATED_CHARACTERS:
            return PatternError("it is too long once its escapes are expanded; shorten it.", 0)
        return Pattern(source, regex.compile(translated, regex.VERSION0))
    except PatternSyntaxError as error:
        return PatternError(str(error), error.position)
    except (regex.error, RecursionError) as error:
        return PatternError(f"it cannot be compiled: {error}"[:200], 0)


def matches(source: str, text: str) -> bool:
    """Whether the pattern `source` is found in `text`; False if it is not usable or takes too long."""
    pattern = compile_pattern(source)
    try:
        return isinstance(pattern, Pattern) and pattern.found_in(text)
    except TimeoutError:
        return False
