"""Differences in declarations: added and removed members, and annotations, whatever their effect on values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from catalog.json_schema.formats import FORMATS
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.diff import children
from catalog.specs.diff.branches import paired
from catalog.specs.diff.changes import Any, Path
from catalog.specs.diff.conjunction import Conjunction
from catalog.specs.diff.keywords import ANNOTATIONS

MAX_DEPTH: Final = 40
MAX_CHANGES: Final = 500


class Nothing:
    """There is no such annotation."""


NOTHING: Final = Nothing()


@dataclass(frozen=True, slots=True)
class DeclarationChange:
    """One such difference.

    Attributes:
        kind: "annotation" for an annotation, whose name is `subject`.
        before, after: the values of the annotation.
    """

    kind: Literal["member-added", "member-removed", "annotation"]
    path: Path
    old: Conjunction
    new: Conjunction
    subject: str = ""
    before: JSON | Nothing = NOTHING
    after: JSON | Nothing = NOTHING


@dataclass
class DeclarationComparison:
    """Walks through both schemas side by side, visiting each pair of subschemas once."""

    seen: set[tuple[Hashable, Hashable]] = field(default_factory=set)

    def changes(
        self, old: Conjunction, new: Conjunction, path: Path = ()
    ) -> Iterator[DeclarationChange]:
        pair = (old.key, new.key)
        if pair in self.seen or len(path) > MAX_DEPTH or len(self.seen) > MAX_CHANGES:
            return
        self.seen.add(pair)
        yield from annotated(old, new, path)
        if any(whole.is_anything and not children.names(whole) for whole in (old, new)):
            return
        for name in dict.fromkeys([*children.names(old), *children.names(new)]):
            yield from self.of_member(name, old, new, path)
        yield from self.of_others(old, new, path)
        yield from self.of_branches(old, new, path)

    def of_member(
        self, name: str, old: Conjunction, new: Conjunction, path: Path
    ) -> Iterator[DeclarationChange]:
        before, after = children.member(old, name), children.member(new, name)
        if name not in children.names(old):
            yield DeclarationChange("member-added", (*path, name), before, after, name)
        elif name not in children.names(new):
            yield DeclarationChange("member-removed", (*path, name), before, after, name)
        else:
            yield from self.changes(before, after, (*path, name))

    def of_others(
        self, old: Conjunction, new: Conjunction, path: Path
    ) -> Iterator[DeclarationChange]:
        """Items, and undeclared members."""
        first = max(children.first_items(old), children.first_items(new))
        for index in range(first + 1):
            before, after = children.item(old, index), children.item(new, index)
            if before.subschemas and after.subschemas:
                yield from self.changes(
                    before, after, (*path, index if index < first else Any.ITEM)
                )
        before, after = children.undeclared(old, frozenset()), children.undeclared(new, frozenset())
        if before.subschemas and after.subschemas:
            yield from self.changes(before, after, (*path, Any.MEMBER))

    def of_branches(
        self, old: Conjunction, new: Conjunction, path: Path
    ) -> Iterator[DeclarationChange]:
        for before, after in zip(old.unions, new.unions, strict=False):
            for branch, twin in paired(before.schemas, after.schemas):
                yield from self.changes(branch, twin, path)


_TEXTS: Final = frozenset({"title", "description"})  # a model reads all of them


def annotated(old: Conjunction, new: Conjunction, path: Path) -> Iterator[DeclarationChange]:
    """The annotations that differ; of several with the same name, the outermost that is new."""
    for keyword in ANNOTATIONS:
        before, after = (next(iter(whole.annotations(keyword)), NOTHING) for whole in (old, new))
        if keyword in _TEXTS and text_of(before) == text_of(after):
            known = {text_of(value) for value in old.annotations(keyword)}
            more = [value for value in new.annotations(keyword) if text_of(value) not in known]
            after = more[0] if more else after
        if keyword == "format":
            before, after = (NOTHING if value in FORMATS else value for value in (before, after))
        if text_of(before) != text_of(after):
            yield DeclarationChange("annotation", path, old, new, keyword, before, after)


def text_of(value: JSON | Nothing) -> str | None:
    return None if isinstance(value, Nothing) else dumps(value)
