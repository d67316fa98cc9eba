"""Compare the parameters, responses, durations and other facts of two runs of one tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from playground.history.presenters import join_missing
from playground.history.response_changes import MAX_CHANGES, WORDS, Mark, is_comparable, marks_of
from playground.history.run_sentence import VERDICT_WORDS
from playground.runs.models import Run
from toolshelf_core.rendering.text_diff import Difference
from toolshelf_core.rendering.text_diff import compare as compare_texts
from toolshelf_core.templatetags.text_display import duration
from toolspec.errors import Problem
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON
from toolspec.value_differences import Change
from toolspec.value_differences import compare as compare_values

MAX_CHARACTERS = 200_000  # of longer texts, only the fact that they differ is shown
OTHER = "other"


@dataclass(frozen=True)
class Side:
    """One fact of both runs, as text."""

    name: str
    first: str
    second: str


@dataclass(frozen=True)
class Part:
    """One JSON value of both runs, and how its text differs.

    `difference` is None if the text is too long.
    """

    name: str
    is_same: bool
    difference: Difference | None


@dataclass(frozen=True)
class Comparison:
    """Two runs, the earlier one first."""

    first: Run
    second: Run

    @property
    def differing_facts(self) -> list[Side]:
        """Those of the `FACTS` that are not the same."""
        facts = []
        for name, text_of in FACTS:
            fact = Side(name, text_of(self.first), text_of(self.second))
            if fact.first != fact.second:
                facts.append(fact)
        return facts

    @property
    def parameters(self) -> Part:
        return _compare_part(
            "Parameters", _print(self.first.parameters), _print(self.second.parameters)
        )

    @property
    def sides(self) -> list[tuple[str, Run, list[Problem], list[Mark]]]:
        """The name of each run on the page, the run, and the problems and marks of its response."""
        changes = self.changes or ()
        # In the earlier response, values that are missing or different in the later one.
        first_marks = [
            Mark(change.pointer, change.kind, WORDS[change.kind], OTHER)
            for change in changes
            if change.kind != "added"
        ]
        second_marks = list(marks_of(changes, OTHER))
        return [
            ("Earlier run", self.first, join_missing(self.first.problems), first_marks),
            ("Later run", self.second, join_missing(self.second.problems), second_marks),
        ]

    @cached_property
    def changes(self) -> list[Change] | None:
        """How the second response differs from the first; None if they cannot be compared."""
        if is_comparable(self.first) and is_comparable(self.second):
            return compare_values(self.first.response, self.second.response, most=MAX_CHANGES)
        return None

    @property
    def has_changes_left_out(self) -> bool:
        return len(self.changes or ()) == MAX_CHANGES

    @property
    def is_active(self) -> bool:
        return self.first.is_active or self.second.is_active


FACTS: tuple[tuple[str, Callable[[Run], str]], ...] = (
    ("Outcome", lambda run: run.outcome.replace("_", " ")),
    ("Verdict", lambda run: VERDICT_WORDS.get(run.verdict, "—")),
    ("Violations", lambda run: str(len(run.problems)) if run.verdict == "violates" else "—"),
    ("Duration", lambda run: duration(run.duration_ms)),
    ("Time to start", lambda run: duration(run.start_ms)),
    ("Mode", lambda run: run.mode),
    ("Revision", lambda run: str(run.revision.number)),
    ("Factory", lambda run: run.factory or "—"),
    (
        "Configuration",
        lambda run: (
            f"{run.configuration_label} {run.configuration_fingerprint[:12]}".strip() or "—"
        ),
    ),
    ("Error", lambda run: run.error.split("\n")[0][:200] or "—"),
)


def _compare_part(name: str, first: str, second: str) -> Part:
    if first == second:
        return Part(name, is_same=True, difference=None)
    if len(first) + len(second) > MAX_CHARACTERS:
        return Part(name, is_same=False, difference=None)
    return Part(name, is_same=False, difference=compare_texts(first, second))


def _print(value: JSON) -> str:
    return print_json(value, most=MAX_CHARACTERS) + "\n"
