"""One difference between two schemas, with its direction, and lists of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, TypeAlias

from toolspec.diff.changes import Any, Edit, Path
from toolspec.diff.conjunction import Conjunction
from toolspec.schema.validation import Subschema
from toolspec.text.reader import JSON, dumps

MAX_DIFFERENCES: Final = 300  # of one pair of schemas
MAX_FRAMES: Final = 3


class Nothing:
    """There is no such annotation."""


NOTHING: Final = Nothing()
Position: TypeAlias = tuple[Subschema, str]
"""A subschema and one of its keywords; "" for the whole subschema."""


class Effect(IntEnum):
    """Which values a difference may affect.

    UNDECLARED: only values that have a member which one side allows without declaring or requiring
    it.
    """

    NONE = 0
    UNDECLARED = 1
    ANY = 2


def effect_if(may_be: bool) -> Effect:
    """The effect of a difference that may concern any value, or none."""
    return Effect.ANY if may_be else Effect.NONE


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """One difference.

    Attributes:
        kind: the constraint: "type", "required", "minLength"; "annotation" for one whose name is
            `subject`.
        old, new: the schemas at `path`.
        lost: values that were accepted and may now be refused.
        gained: values that were refused and may now be accepted.
        subject: the member that the constraint is about, if it may be about several.
        keywords: those that may refuse a value.
        values: the lost or gained values, if they can be listed.
        is_removal: `values`, or the alternative, are those before, not those now.
        before, after: an annotation, pattern or format.
        is_conditional: it only concerns values that fulfil a condition.
        edits: make values that may show it.
        names: to try for undeclared members in `path`.
        frames: positions on the way, each with the schemas of the alternative that is chosen there.
        times: at how many positions in the values it has an effect.
    """

    kind: str
    old: Conjunction
    new: Conjunction
    lost: Effect = Effect.NONE
    gained: Effect = Effect.NONE
    path: Path = ()
    subject: str = ""
    keywords: tuple[str, ...] = ()
    values: tuple[JSON, ...] = ()
    is_removal: bool = False
    before: JSON | Nothing = NOTHING
    after: JSON | Nothing = NOTHING
    is_conditional: bool = False
    edits: tuple[Edit, ...] = field(default=(), compare=False)
    names: tuple[str, ...] = ()
    frames: tuple[tuple[Path, Conjunction, Conjunction], ...] = ()
    times: int = 1

    @property
    def is_annotation(self) -> bool:
        return self.kind == "annotation"

    def below(self, *tokens: str | int | Any, names: tuple[str, ...] = ()) -> SchemaDifference:
        """The same for the value that has this one at `tokens`."""
        frames = tuple(((*tokens, *path), old, new) for path, old, new in self.frames)
        path = (*tokens, *self.path)
        return replace(self, path=path, frames=frames, names=(*names, *self.names))

    def within(self, old: Conjunction, new: Conjunction) -> SchemaDifference:
        """The same where `old` and `new` are the alternatives that are chosen here."""
        frames = (((), old, new), *self.frames)
        return replace(self, frames=frames[:MAX_FRAMES])

    @property
    def old_pointer(self) -> str | None:
        """Its pointer in the old schema; None if it is absent there."""
        return _pointer_to(self._old_position)

    @property
    def new_pointer(self) -> str | None:
        """Its pointer in the new schema; None if it is absent there."""
        return _pointer_to(self._new_position)

    @property
    def _old_position(self) -> Position | None:
        return None if self.kind == "member-added" else self._find_position(self.old)

    @property
    def _new_position(self) -> Position | None:
        return None if self.kind == "member-removed" else self._find_position(self.new)

    def _find_position(self, conjunction: Conjunction) -> Position | None:
        """The first keyword that the difference is about, else the first schema, if any."""
        keywords = (self.subject,) if self.is_annotation else self.keywords
        for keyword in keywords:
            for subschema in conjunction.subschemas:
                if keyword in subschema.keywords:
                    return subschema, keyword
        return (conjunction.subschemas[0], "") if conjunction.subschemas else None

    @property
    def mark(self) -> Hashable:
        """Equal for the same difference of the schemas at another position in the values."""
        return (
            self.kind,
            self.subject,
            self._old_position,
            self._new_position,
            self.path[-1:],
            self.is_removal,
            self.lost,
            self.gained,
            self.is_conditional,
            dumps(list(self.values)),
        )


def _pointer_to(position: Position | None) -> str | None:
    if position is None:
        return None
    subschema, keyword = position
    return subschema.pointer_to(keyword) if keyword else subschema.pointer


Differences: TypeAlias = Iterator[SchemaDifference]


def merge_positions(differences: Iterable[SchemaDifference]) -> list[SchemaDifference]:
    """Each difference of the schemas once, however many positions in the values it concerns."""
    by_mark: dict[Hashable, SchemaDifference] = {}
    for difference in differences:
        mark = difference.mark
        known = by_mark.get(mark)
        if known is None:
            by_mark[mark] = difference
        else:
            by_mark[mark] = replace(known, times=known.times + difference.times)
    return _most_important(list(by_mark.values()))


def merge_cases(differences: Iterable[SchemaDifference]) -> list[SchemaDifference]:
    """Each difference once, if several cases of the same value show it."""
    by_mark: dict[Hashable, SchemaDifference] = {}
    for difference in differences:
        by_mark.setdefault((difference.path, difference.mark), difference)
    return _most_important(list(by_mark.values()))


def _most_important(differences: list[SchemaDifference]) -> list[SchemaDifference]:
    """As many as allowed: those that affect many values first, and at least one a direction."""
    if len(differences) <= MAX_DIFFERENCES:
        return differences
    differences.sort(key=lambda each: -max(each.lost, each.gained))
    first, others = differences[:MAX_DIFFERENCES], differences[MAX_DIFFERENCES:]
    first.append(max(others, key=lambda each: each.lost))
    first.append(max(others, key=lambda each: each.gained))
    return first
