"""What two schemas tell differently: members that come and go, and annotations, whatever that means for values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from catalog.json_schema.formats import FORMATS
from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.diff import children
from catalog.specs.diff.changes import Any, Path
from catalog.specs.diff.conjunction import Together, together
from catalog.specs.diff.keywords import ANNOTATIONS, annotations_of

MAX_DEPTH: Final = 40
MAX_NOTES: Final = 500


class Nothing:
    """There is no such annotation."""


NOTHING: Final = Nothing()


@dataclass(frozen=True, slots=True)
class Note:
    """One difference in what is told.

    Attributes:
        kind: "annotation" for an annotation, whose name is `subject`.
        before, after: what the annotation says.
    """

    kind: Literal["member-added", "member-removed", "annotation"]
    path: Path
    old: Together
    new: Together
    subject: str = ""
    before: JSON | Nothing = NOTHING
    after: JSON | Nothing = NOTHING


@dataclass
class NoteTaker:
    """Walks through both schemas side by side, each pair of places once."""

    seen: set[tuple[Hashable, Hashable]] = field(default_factory=set)

    def notes(self, old: Together, new: Together, path: Path = ()) -> Iterator[Note]:
        pair = (old.key, new.key)
        if pair in self.seen or len(path) > MAX_DEPTH or len(self.seen) > MAX_NOTES:
            return
        self.seen.add(pair)
        yield from annotated(old, new, path)
        if any(whole.is_anything and not children.names(whole) for whole in (old, new)):
            return
        for name in dict.fromkeys([*children.names(old), *children.names(new)]):
            yield from self.of_member(name, old, new, path)
        yield from self.of_others(old, new, path)
        yield from self.of_branches(old, new, path)

    def of_member(self, name: str, old: Together, new: Together, path: Path) -> Iterator[Note]:
        before, after = children.member(old, name), children.member(new, name)
        if name not in children.names(old):
            yield Note("member-added", (*path, name), before, after, name)
        elif name not in children.names(new):
            yield Note("member-removed", (*path, name), before, after, name)
        else:
            yield from self.notes(before, after, (*path, name))

    def of_others(self, old: Together, new: Together, path: Path) -> Iterator[Note]:
        """Items, and members that are not declared by name."""
        first = max(children.first_items(old), children.first_items(new))
        for index in range(first + 1):
            before, after = children.item(old, index), children.item(new, index)
            if before.places and after.places:
                yield from self.notes(before, after, (*path, index if index < first else Any.ITEM))
        before, after = children.undeclared(old, frozenset()), children.undeclared(new, frozenset())
        if before.places and after.places:
            yield from self.notes(before, after, (*path, Any.MEMBER))

    def of_branches(self, old: Together, new: Together, path: Path) -> Iterator[Note]:
        for before, after in zip(old.unions, new.unions, strict=False):
            left = {mark_of(branch, index): branch for index, branch in enumerate(after.schemas)}
            for index, branch in enumerate(before.schemas):
                twin = left.pop(mark_of(branch, index), None)
                if twin is not None:
                    yield from self.notes(together(branch), together(twin), path)


def mark_of(branch: Subschema, index: int) -> Hashable:
    """What an alternative is known by: where it refers to, its title, its types; else where it stands."""
    keywords = annotations_of(branch)
    for keyword in ("$ref", "title", "type"):
        if keyword in keywords:
            return (keyword, dumps(keywords[keyword]))
    return index


def annotated(old: Together, new: Together, path: Path) -> Iterator[Note]:
    """The annotations that differ; of several, the outermost counts."""
    for keyword in ANNOTATIONS:
        before, after = (next(iter(whole.annotations(keyword)), NOTHING) for whole in (old, new))
        if keyword == "format":
            before, after = (NOTHING if value in FORMATS else value for value in (before, after))
        if text_of(before) != text_of(after):
            yield Note("annotation", path, old, new, keyword, before, after)


def text_of(value: JSON | Nothing) -> str | None:
    return None if isinstance(value, Nothing) else dumps(value)
