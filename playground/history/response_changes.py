"""The changes in a run's response from an example's return value and from other runs.

Pages mark them beside the lines of the response, as "changed, was 12" or "removed: unit".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from accounts.models import Person
from playground.runs.models import Run
from toolspec.spec import ToolSpec
from toolspec.text.pointers import split_last
from toolspec.text.reader import JSON
from toolspec.value_differences import Change, compare

MAX_CHANGES: Final = 200
MAX_NAMES: Final = 3  # of missing members, in one mark
MAX_CHARACTERS = 131_072  # of a response that is compared
RECENT_RUNS = 50  # of the user and the tool, searched for the last one with the same parameters
WORDS: Final = {"changed": "changed", "added": "added", "missing": "removed"}


@dataclass(frozen=True)
class Mark:
    """Words at the line of the value at `pointer`.

    `compared_with` names the other response: a class of the page.
    """

    pointer: str
    kind: str
    words: str
    compared_with: str


@dataclass(frozen=True)
class Likeness:
    """How a response compares with another.

    `changes` are the first differences, [] if it is equal.
    """

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
    if not is_comparable(run) or run.is_mock:
        return None
    for number, example in enumerate(spec.examples, 1):
        if not example.has_return_value:
            continue
        parameters = example.parameters if example.has_parameters else {}
        if not compare(parameters, run.parameters, most=1):
            return _compare("example", f"example {number}", example.return_value, run)
    return None


def like_last_run(run: Run, viewer: Person) -> Likeness | None:
    """Compare with the viewer's last run of this tool with the same parameters.

    It takes one query.

    None if the run is someone else's: runs are private.
    """
    if not is_comparable(run) or run.by_id is None or run.by_id != getattr(viewer, "pk", None):
        return None
    earlier = Run.objects.filter(tool=run.tool_id, by=run.by_id, pk__lt=run.pk, mode=run.mode)
    recent = earlier.order_by("-id").values("pk")[:RECENT_RUNS]
    alike = Run.objects.filter(pk__in=recent, parameters_json=run.parameters_json)
    before = alike.order_by("-id").only("response_json", "response_cut").first()
    if before is None or not is_comparable(before):
        return None
    return _compare("last", "last run", before.response, run)


def is_comparable(run: Run) -> bool:
    """Whether the response is whole and short enough to be compared."""
    return (
        run.response_json is not None
        and not run.response_cut
        and len(run.response_json) <= MAX_CHARACTERS
    )


def marks_of(changes: Sequence[Change], compared_with: str) -> Iterator[Mark]:
    """The marks for the lines of the new response.

    What was removed is marked at the object or array that had it.
    """
    names_by_parent: dict[str, list[str]] = {}
    for change in changes:
        if change.kind == "missing":
            parent, name = split_last(change.pointer)
            names_by_parent.setdefault(parent, []).append(name)
        else:
            words = f"changed, was {change.was}" if change.was else change.kind
            yield Mark(change.pointer, change.kind, words, compared_with)
    for parent, names in names_by_parent.items():
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        words = f"removed: {', '.join(names[:MAX_NAMES])}{more}"
        yield Mark(parent, "missing", words, compared_with)


def _compare(key: Literal["example", "last"], other: str, value: JSON, run: Run) -> Likeness:
    changes = compare(value, run.response, most=MAX_CHANGES)
    return Likeness(key, other, value, changes)
