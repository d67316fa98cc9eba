"""The state of a run in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from playground.runs.models import Run


@dataclass(frozen=True)
class Sentence:
    """The state of a run in one sentence. `tone` is "good", "bad", "warn", "info" or "muted"."""

    text: str
    tone: str
    icon: str


VERDICT_WORDS: Final = {
    "conforms": "matches",
    "violates": "does not match",
    "unchecked": "not checked",
}
MAX_HEADLINE: Final = 200  # characters
RUNNING = Sentence("Running.", "info", "play")


def sentence(run: Run, position: int = 0) -> Sentence:
    """The state of `run`.

    `position` counts from 1 in the queue; it is 0 if the run is not waiting.
    """
    if run.outcome == "queued" and position:
        which = f"number {position:,}" if position > 1 else "next"
        return Sentence(f"Waiting: {which} in the queue.", "info", "clock")
    if run.verdict == "conforms" and run.mock.get("source") == "example":
        # It says nothing about the tool: the response is part of the spec.
        text = f"Mock: the saved response of example {run.mock['example']}"
        return Sentence(text, "muted", "flask-conical")
    if run.verdict == "conforms":
        return Sentence("Matches its return type", "good", "circle-check")
    if run.verdict == "violates":
        text = f"Does not match its return type: {_violation_count(run)}"
        return Sentence(text, "bad", "triangle-alert")
    if run.verdict == "unchecked":
        return Sentence(
            f"Not checked: {run.verdict_reason[:1].lower()}{run.verdict_reason[1:]}",
            "muted",
            "circle-dashed",
        )
    return {
        "queued": RUNNING,  # the row of a short run is not updated before its end
        "running": RUNNING,
        "raised": Sentence(_headline(run.error), "bad", "circle-x"),
        "timed_out": Sentence(f"Timed out after {run.timeout_s:g} s.", "bad", "hourglass"),
        "cancelled": Sentence("Cancelled.", "muted", "square"),
        "crashed": Sentence(
            "Crashed: the process ended before the tool returned a response.", "bad", "zap"
        ),
        "refused": Sentence("Refused: the tool was not called.", "warn", "circle-slash"),
    }.get(run.outcome, Sentence("Ended without a response.", "muted", "circle-dashed"))


def _violation_count(run: Run) -> str:
    count = len(run.problems)
    if run.problems_truncated:
        return f"more than {count} violations"
    return "1 violation" if count == 1 else f"{count} violations"


def _headline(error: str) -> str:
    """The first line of the tool's error, at most `MAX_HEADLINE` characters."""
    first = error.strip().partition("\n")[0]
    if not first:
        return "The tool raised an error."
    return first if len(first) <= MAX_HEADLINE else f"{first[: MAX_HEADLINE - 1]}…"
