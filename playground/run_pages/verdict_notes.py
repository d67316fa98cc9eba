"""Compare the response of a run with an example's return value and with the previous run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.accounts.models import Person
from catalog.jsontext.reader import JSON
from catalog.specs.spec import ToolSpec
from playground.models import Run
from playground.run_pages.response_changes import (
    MAX_CHANGES,
    Change,
    Mark,
    changes_between,
    marks_of,
)
from playground.value_differences import compare

MAX_CHARACTERS = 131_072  # of a response that is compared
RECENT_RUNS = (
    50  # of the user and the tool, among which the last one with the same parameters is looked for
)


@dataclass(frozen=True)
class Likeness:
    """How a response compares with another: `changes` are the first differences, [] if it is equal."""

    key: Literal["example", "last"]
    other: str
    value: JSON
    changes: Sequence[Change]

    @property
    def is_same(self) -> bool:
        return not self.changes

    @property
    def there_are_more(self) -> bool:
        return len(self.changes) == MAX_CHANGES

    @property
    def marks(self) -> list[Mark]:
        return list(marks_of(self.changes, self.key))


def like_example(run: Run, spec: ToolSpec) -> Likeness | None:
    """The comparison with the example that has the run's parameters; None if there is none."""
    if not is_comparable(run) or run.mode != "live":
        return None
    for number, example in enumerate(spec.examples, 1):
        given = example.parameters if example.has_parameters else {}
        if example.has_return_value and not compare(given, run.parameters, most=1):
            return _likeness("example", f"example {number}", example.return_value, run)
    return None


def like_last_run(run: Run, viewer: Person) -> Likeness | None:
    """The comparison with the viewer's last run of this tool with the same parameters; by one query.

    None if the run is someone else's: runs are private.
    """
    if not is_comparable(run) or run.by_id is None or run.by_id != getattr(viewer, "pk", None):
        return None
    earlier = Run.objects.filter(
        tool=run.tool_id, by=run.by_id, pk__lt=run.pk, mode=run.mode
    ).order_by("-id")
    before = (
        Run.objects.filter(
            pk__in=earlier.values("pk")[:RECENT_RUNS], parameters_json=run.parameters_json
        )
        .order_by("-id")
        .only("response_json", "response_cut")
        .first()
    )
    if before is None or not is_comparable(before):
        return None
    return _likeness("last", "last run", before.response, run)


def is_comparable(run: Run) -> bool:
    """Whether the response is whole and short enough to be compared."""
    return (
        run.response_json is not None
        and not run.response_cut
        and len(run.response_json) <= MAX_CHARACTERS
    )


def _likeness(key: Literal["example", "last"], other: str, value: JSON, run: Run) -> Likeness:
    return Likeness(key, other, value, changes_between(value, run.response))
