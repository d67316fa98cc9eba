"""What the response of a run equals: an example's return value, and the response of the run before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.accounts.models import Person
from catalog.specs.spec import ToolSpec
from playground.mocks import compare
from playground.models import Run

MAX_CHARACTERS = 131_072  # of a response that is compared
MAX_CHANGES = 20


@dataclass(frozen=True)
class Likeness:
    """How a response compares with another: `changes` are the pointers of the first differences, [] if it is equal."""

    other: str
    changes: Sequence[str]

    @property
    def is_same(self) -> bool:
        return not self.changes


def like_example(run: Run, spec: ToolSpec) -> Likeness | None:
    """The comparison with the example that has the run's parameters; None if there is none."""
    if not _is_comparable(run) or run.mode != "live":
        return None
    for number, example in enumerate(spec.examples, 1):
        given = example.parameters if example.has_parameters else {}
        if example.has_return_value and not compare(given, run.parameters, most=1):
            return Likeness(f"example {number}", _changes(example.return_value, run))
    return None


def like_last_run(run: Run, viewer: Person) -> Likeness | None:
    """The comparison with the viewer's run of this tool before, if it had the same parameters; by one query.

    None if the run is someone else's: runs are private.
    """
    if not _is_comparable(run) or run.by_id is None or run.by_id != getattr(viewer, "pk", None):
        return None
    before = (
        Run.objects.filter(tool=run.tool_id, by=run.by_id, pk__lt=run.pk, mode=run.mode)
        .order_by("-id")
        .only("parameters_json", "response_json", "response_cut")
        .first()
    )
    if before is None or not _is_comparable(before) or before.parameters_json != run.parameters_json:
        return None
    return Likeness("last run", _changes(before.response, run))


def _is_comparable(run: Run) -> bool:
    return run.response_json is not None and not run.response_cut and len(run.response_json) <= MAX_CHARACTERS


def _changes(expected: object, run: Run) -> list[str]:
    return [difference.pointer for difference in compare(expected, run.response, most=MAX_CHANGES)]  # type: ignore[arg-type]
