"""Searches with the pattern of a schema, within the rest of the budget."""

from __future__ import annotations

from toolspec.schema.patterns import MATCH_TIMEOUT_S, PatternError, compile_pattern
from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.schema.validation.messages import show_source


def found_in(source: str, text: str, run: Run) -> bool:
    """Whether the pattern `source` matches somewhere in `text`.

    Raises:
        Unchecked: the pattern is not usable, or the search takes too long.
    """
    run.spend(1 + len(text) // 1024)
    pattern = compile_pattern(source)
    if isinstance(pattern, PatternError):
        raise Unchecked(f"The pattern “{show_source(source)}” cannot be used: {pattern.message}")
    timeout_s = min(MATCH_TIMEOUT_S, run.seconds_left())
    if timeout_s <= 0:
        raise Unchecked("The check takes too long.")
    try:
        return pattern.found_in(text, timeout_s=timeout_s)
    except TimeoutError:
        if timeout_s < MATCH_TIMEOUT_S:
            raise Unchecked("The check takes too long.") from None
        message = f"Matching the pattern “{show_source(source)}” takes too long."
        raise Unchecked(message) from None
