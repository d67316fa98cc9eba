"""Compare two runs of one tool: parameters, responses, durations and other facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from catalog.jsontext.reader import JSON, dumps
from catalog.text_diff import Difference, compare
from playground.models import Run

MAX_CHARACTERS = 200_000  # of longer texts, only the fact that they differ is shown


@dataclass(frozen=True)
class Side:
    """One fact of both runs, as text."""

    name: str
    first: str
    second: str

    @property
    def is_different(self) -> bool:
        return self.first != self.second


@dataclass(frozen=True)
class Part:
    """One JSON value of both runs, and how its text differs; `difference` is None if the text is too long."""

    name: str
    is_same: bool
    difference: Difference | None


@dataclass(frozen=True)
class Comparison:
    """Two runs, the earlier one first."""

    first: Run
    second: Run

    @property
    def facts(self) -> list[Side]:
        return [Side(name, text_of(self.first), text_of(self.second)) for name, text_of in FACTS]

    @property
    def parts(self) -> list[Part]:
        return [
            _part("Parameters", _text(self.first.parameters), _text(self.second.parameters)),
            _part("Response", _response(self.first), _response(self.second)),
        ]


FACTS: tuple[tuple[str, Callable[[Run], str]], ...] = (
    ("Outcome", lambda run: run.outcome.replace("_", " ")),
    ("Verdict", lambda run: run.verdict or "—"),
    ("Violations", lambda run: str(len(run.problems)) if run.verdict == "violates" else "—"),
    ("Duration", lambda run: _milliseconds(run.duration_ms)),
    ("Time to start", lambda run: _milliseconds(run.start_ms)),
    ("Mode", lambda run: run.mode),
    ("Revision", lambda run: str(run.revision.number)),
    ("Factory", lambda run: run.factory or "—"),
    ("Configuration", lambda run: run.configuration_fingerprint[:12] or "—"),
    ("Error", lambda run: run.error.split("\n")[0][:200] or "—"),
)


def _milliseconds(duration_ms: float | None) -> str:
    return "—" if duration_ms is None else f"{duration_ms:.1f} ms"


def _part(name: str, first: str, second: str) -> Part:
    if first == second:
        return Part(name, is_same=True, difference=None)
    if len(first) + len(second) > MAX_CHARACTERS:
        return Part(name, is_same=False, difference=None)
    return Part(name, is_same=False, difference=compare(first, second))


def _text(value: JSON) -> str:
    return dumps(value, indent=2) + "\n"


def _response(run: Run) -> str:
    return _text(run.response) if run.has_response else ""
