"""What keeps two schemas from accepting the same, in both directions at once: one finding for each difference."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.specs.diff import containment_combinators, containment_containers, containment_scalars
from catalog.specs.diff.annotations import Note, NoteTaker
from catalog.specs.diff.attempts import Trial
from catalog.specs.diff.changes import Path
from catalog.specs.diff.conjunction import Together, together
from catalog.specs.diff.containment import Containment, Rule
from catalog.specs.diff.obstacles import Obstacle

# The plainest first.
RULES: Final[tuple[Rule, ...]] = (
    containment_scalars.choices,
    containment_scalars.numbers,
    containment_scalars.texts,
    containment_scalars.sizes,
    containment_containers.required,
    containment_containers.declared_members,
    containment_containers.other_members,
    containment_containers.member_names,
    containment_containers.items,
    containment_containers.distinct_items,
    containment_containers.contained_items,
    containment_combinators.unions,
    containment_combinators.negations,
    containment_combinators.conditions,
    containment_combinators.dependents,
    containment_combinators.left_over,
)
# What is lost and what is gained by these are two changes, not one.
_APART: Final = frozenset({"choice", "listed", "alternative"})
# What these are about is not what tells them apart: the old pattern is replaced by the new one.
_REPLACED: Final = frozenset({"pattern", "format"})


@dataclass(frozen=True, slots=True)
class DetectedDifference:
    """One difference between two schemas.

    Attributes:
        lost: why values that were accepted may be refused now; None where none are.
        gained: why values that were refused may be accepted now.
        note: what is told differently, where that is the change.
        times: at how many places it is met.
    """

    path: Path
    kind: str
    lost: Obstacle | None = None
    gained: Obstacle | None = None
    note: Note | None = None
    times: int = 1

    @property
    def old(self) -> Together:
        """What stood there."""
        return self._side(old=True)

    @property
    def new(self) -> Together:
        """What stands there now."""
        return self._side(old=False)

    def _side(self, *, old: bool) -> Together:
        if self.note is not None:
            return self.note.old if old else self.note.new
        if self.lost is not None:
            return self.lost.giver if old else self.lost.taker
        assert self.gained is not None  # noqa: S101 - a finding has one of the three
        return self.gained.taker if old else self.gained.giver

    @property
    def subject(self) -> str:
        source = self.note or self.lost or self.gained
        return source.subject if source is not None else ""

    @property
    def is_conditional(self) -> bool:
        source = self.lost or self.gained
        return source is not None and source.conditional

    @property
    def keywords(self) -> tuple[str, ...]:
        source = self.lost or self.gained
        return source.keywords if source is not None else ()

    @property
    def before(self) -> str | None:
        """Where in the old schema it stands; None where nothing does."""
        if self.kind == "member-added":
            return None
        return self.old.pointer(*self._pointed())

    @property
    def after(self) -> str | None:
        """Where in the new schema it stands; None where nothing does."""
        if self.kind == "member-removed":
            return None
        return self.new.pointer(*self._pointed())

    def _pointed(self) -> tuple[str, ...]:
        return (self.note.subject,) if self.note is not None and self.note.kind == "annotation" else self.keywords


def findings(old: Subschema, new: Subschema) -> list[DetectedDifference]:
    """The differences between two schemas.

    Raises:
        TooMuch: they cannot be compared.
    """
    before, after, trial = together(old), together(new), Trial()
    lost = Containment(RULES, trial).obstacles(before, after)
    gained = Containment(RULES, trial).obstacles(after, before)
    paired = _paired(lost, gained)
    noted = [_with_its_reasons(note, paired) for note in NoteTaker().notes(before, after)]
    return _once([*noted, *paired.values()])


def _paired(lost: Iterable[Obstacle], gained: Iterable[Obstacle]) -> dict[Hashable, DetectedDifference]:
    """One finding for the obstacles that say the same of both directions."""
    found: dict[Hashable, DetectedDifference] = {}
    for obstacle in lost:
        found[_mark(obstacle, "lost")] = DetectedDifference(obstacle.path, obstacle.kind, lost=obstacle)
    for obstacle in gained:
        mark = _mark(obstacle, "gained")
        other = found.get(mark)
        found[mark] = replace(other or DetectedDifference(obstacle.path, obstacle.kind), gained=obstacle)
    return found


def _mark(obstacle: Obstacle, direction: str) -> Hashable:
    if obstacle.kind in _APART:
        return (obstacle.path, obstacle.kind, direction, repr(obstacle.values))
    return (obstacle.path, obstacle.kind, "" if obstacle.kind in _REPLACED else obstacle.subject, obstacle.conditional)


def _with_its_reasons(note: Note, paired: dict[Hashable, DetectedDifference]) -> DetectedDifference:
    """The finding of a note; where a member comes or goes, with what that means for values, which is taken out."""
    finding = DetectedDifference(note.path, note.kind, note=note)
    if note.kind == "annotation":
        return finding
    reasons = [(mark, reason) for mark, reason in paired.items() if _is_about(reason, note)]
    for mark, _ in reasons:
        del paired[mark]
    return replace(
        finding,
        lost=_gravest(reason.lost for _, reason in reasons),
        gained=_gravest(reason.gained for _, reason in reasons),
    )


def _is_about(finding: DetectedDifference, note: Note) -> bool:
    if finding.kind == "required" and not finding.is_conditional:
        return (*finding.path, finding.subject) == note.path
    return finding.path == note.path


def _gravest(obstacles: Iterable[Obstacle | None]) -> Obstacle | None:
    found = [obstacle for obstacle in obstacles if obstacle is not None]
    return min(found, key=lambda obstacle: obstacle.undeclared, default=None)


def _once(findings: Iterable[DetectedDifference]) -> list[DetectedDifference]:
    """Each difference of the schemas once, however many places of the values are described by it."""
    found: dict[Hashable, DetectedDifference] = {}
    for finding in findings:
        mark = (
            finding.kind,
            finding.subject,
            finding.before,
            finding.after,
            finding.path[-1:],
            repr(_reported(finding)),
        )
        known = found.get(mark)
        found[mark] = finding if known is None else replace(known, times=known.times + 1)
    return list(found.values())


def _reported(finding: DetectedDifference) -> list[object]:
    """What tells two findings about the same schemas apart: the direction, and what it is about."""
    return [
        obstacle and (obstacle.values, obstacle.undeclared, obstacle.conditional)
        for obstacle in (finding.lost, finding.gained)
    ]
