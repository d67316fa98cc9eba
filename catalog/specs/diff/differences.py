"""The differences between two schemas, each with its effect in both directions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.specs.diff import containment_combinators, containment_containers, containment_scalars
from catalog.specs.diff.annotations import DeclarationChange, DeclarationComparison
from catalog.specs.diff.changes import Path
from catalog.specs.diff.conjunction import Conjunction, conjoin
from catalog.specs.diff.containment import ContainmentProver, Rule
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.value_checks import ValueChecks

# The rules with the simplest messages first.
RULES: Final[tuple[Rule, ...]] = (
    containment_scalars.choices,
    containment_scalars.numbers,
    containment_scalars.strings_allowed,
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
    containment_combinators.unevaluated,
)
# Of these, lost and gained values are two changes, not one.
_SPLIT: Final = frozenset({"choice", "listed", "alternative"})
# Of these, a new subject replaces the old one in the same change: one pattern for another.
_REPLACED: Final = frozenset({"pattern", "format"})


@dataclass(frozen=True, slots=True)
class DetectedDifference:
    """One difference between two schemas.

    Attributes:
        lost: why values that were accepted may now be refused; None if there are none.
        gained: why values that were refused may now be accepted; None if there are none.
        declaration: the member or annotation that changed, if that is the change.
        times: at how many positions in the values it has an effect.
    """

    path: Path
    kind: str
    lost: Obstacle | None = None
    gained: Obstacle | None = None
    declaration: DeclarationChange | None = None
    times: int = 1

    @property
    def old(self) -> Conjunction:
        """The schemas before."""
        return self._side(old=True)

    @property
    def new(self) -> Conjunction:
        """The schemas now."""
        return self._side(old=False)

    def _side(self, *, old: bool) -> Conjunction:
        if self.declaration is not None:
            return self.declaration.old if old else self.declaration.new
        if self.lost is not None:
            return self.lost.producer if old else self.lost.consumer
        assert self.gained is not None  # noqa: S101 - a difference has one of the three
        return self.gained.consumer if old else self.gained.producer

    @property
    def subject(self) -> str:
        source = self.declaration or self.lost or self.gained
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
        """Its pointer in the old schema; None if it is absent there."""
        if self.kind == "member-added":
            return None
        return self.old.pointer(*self._pointed())

    @property
    def after(self) -> str | None:
        """Its pointer in the new schema; None if it is absent there."""
        if self.kind == "member-removed":
            return None
        return self.new.pointer(*self._pointed())

    def _pointed(self) -> tuple[str, ...]:
        return (
            (self.declaration.subject,)
            if self.declaration is not None and self.declaration.kind == "annotation"
            else self.keywords
        )


def find_differences(old: Subschema, new: Subschema) -> list[DetectedDifference]:
    """The differences between two schemas.

    Raises:
        TooMuch: they cannot be compared.
    """
    before, after, checks = conjoin(old), conjoin(new), ValueChecks()
    lost = ContainmentProver(RULES, checks).obstacles(before, after)
    gained = ContainmentProver(RULES, checks).obstacles(after, before)
    paired = _paired(lost, gained)
    noted = [
        _with_reasons(declaration, paired)
        for declaration in DeclarationComparison().changes(before, after)
    ]
    return _deduplicated([*noted, *paired.values()])


def _paired(
    lost: Iterable[Obstacle], gained: Iterable[Obstacle]
) -> dict[Hashable, DetectedDifference]:
    """One difference for each pair of obstacles that are about the same constraint in both directions."""
    found: dict[Hashable, DetectedDifference] = {}
    for obstacle in lost:
        found[_mark(obstacle, "lost")] = DetectedDifference(
            obstacle.path, obstacle.kind, lost=obstacle
        )
    for obstacle in gained:
        mark = _mark(obstacle, "gained")
        other = found.get(mark)
        found[mark] = replace(
            other or DetectedDifference(obstacle.path, obstacle.kind), gained=obstacle
        )
    return found


def _mark(obstacle: Obstacle, direction: str) -> Hashable:
    if obstacle.kind in _SPLIT:
        return (obstacle.path, obstacle.kind, direction, repr(obstacle.values))
    subject = "" if obstacle.kind in _REPLACED else obstacle.subject
    return (obstacle.path, obstacle.kind, subject, obstacle.conditional, obstacle.undeclared)


def _with_reasons(
    declaration: DeclarationChange, paired: dict[Hashable, DetectedDifference]
) -> DetectedDifference:
    """The difference for `declaration`; obstacles about an added or removed member move here from `paired`."""
    difference = DetectedDifference(declaration.path, declaration.kind, declaration=declaration)
    if declaration.kind == "annotation":
        return difference
    reasons = [(mark, reason) for mark, reason in paired.items() if _is_about(reason, declaration)]
    for mark, _ in reasons:
        del paired[mark]
    return replace(
        difference,
        lost=_most_certain(reason.lost for _, reason in reasons),
        gained=_most_certain(reason.gained for _, reason in reasons),
    )


def _is_about(difference: DetectedDifference, declaration: DeclarationChange) -> bool:
    if difference.kind == "required" and not difference.is_conditional:
        return (*difference.path, difference.subject) == declaration.path
    return difference.path == declaration.path


def _most_certain(obstacles: Iterable[Obstacle | None]) -> Obstacle | None:
    found = [obstacle for obstacle in obstacles if obstacle is not None]
    return min(found, key=lambda obstacle: obstacle.undeclared, default=None)


def _deduplicated(find_differences: Iterable[DetectedDifference]) -> list[DetectedDifference]:
    """Each difference of the schemas once, however many positions in the values it describes."""
    found: dict[Hashable, DetectedDifference] = {}
    for difference in find_differences:
        mark = (
            difference.kind,
            difference.subject,
            difference.before,
            difference.after,
            difference.path[-1:],
            repr(_details(difference)),
        )
        known = found.get(mark)
        found[mark] = difference if known is None else replace(known, times=known.times + 1)
    return list(found.values())


def _details(difference: DetectedDifference) -> list[object]:
    """Distinguishes two differences about the same schemas: their direction and details."""
    return [
        obstacle and (obstacle.values, obstacle.undeclared, obstacle.conditional)
        for obstacle in (difference.lost, difference.gained)
    ]
