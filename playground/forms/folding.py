"""Large values: what is beyond a page's budget is folded into JSON text, whole containers or runs of rows at a time.

A folded part is one control; a button shows its fields. A part that holds what is no value yet, or what was chosen
beside the value, is never folded: nothing of that may be lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from catalog.strict_json import JSON
from playground.forms.drafts import (
    MARK,
    PLAIN,
    Array,
    Draft,
    Entry,
    Folded,
    Item,
    Kept,
    Missing,
    Object,
    Raw,
    draft_of,
    new_row,
    read,
)
from playground.forms.names import member_path, row_path

PAGE: Final = 400  # controls of a form that is opened
FULL_PAGE: Final = 800  # controls of a form that a person has unfolded
OPENED: Final = 150  # controls of one container that is unfolded

_LEAST: Final = 3  # controls of a folded container
_WORTHWHILE: Final = 25  # controls for which a container is shown in part


def fold(draft: Draft, budget: int = PAGE, *, focus: str | None = None) -> Draft:
    """`draft`, folded until it has about `budget` controls; the way to the path `focus` stays open."""
    folding = _Folding(focus or "")
    return folding.fit(draft, budget, "") if folding.weight(draft) > budget else draft


@dataclass(slots=True)
class _Child:
    """A part of a container, while it is decided how much of it is shown."""

    path: str
    draft: Draft
    weight: int
    frame: int  # controls around it: a row's, a key's
    result: Draft

    @property
    def least(self) -> int:
        return self.frame + min(self.weight, _LEAST)


@dataclass(slots=True)
class _Folding:
    focus: str
    weights: dict[int, int] = field(default_factory=dict)

    def weight(self, draft: Draft) -> int:
        """About how many controls `draft` has."""
        known = self.weights.get(id(draft))
        if known is None:
            known = self.weights[id(draft)] = self._weight(draft)
        return known

    def _weight(self, draft: Draft) -> int:
        match draft:
            case Object():
                entries = sum(2 + self.weight(entry.draft) for entry in draft.entries)
                return 3 + entries + sum(self.weight(member) for member in draft.members.values())
            case Array():
                return 2 + sum(1 + self.weight(item.draft) for item in draft.items)
            case Kept():
                return 3
        return 1

    def fit(self, draft: Draft, budget: int, path: str) -> Draft:
        """A container that is too large, with as much of it shown as `budget` allows."""
        if isinstance(draft, Object):
            return self._fit_object(draft, budget - 3, path)
        if isinstance(draft, Array):
            return self._fit_array(draft, budget - 2, path)
        return draft

    def _fit_object(self, draft: Object, budget: int, path: str) -> Draft:
        members = {name: self._child(member, member_path(path, name), 0) for name, member in draft.members.items()}
        entries = [self._child(entry.draft, row_path(path, entry.row), 2) for entry in draft.entries]
        shown = self._share([*members.values(), *entries], budget)
        kept = {name: child.result for name, child in members.items() if child.path in shown}
        rest = {name: child.draft for name, child in members.items() if child.path not in shown}
        new_entries = [
            replace(entry, draft=child.result)
            for entry, child in zip(draft.entries, entries, strict=True)
            if child.path in shown
        ]
        left_out = [entry for entry, child in zip(draft.entries, entries, strict=True) if child.path not in shown]
        run = read(Object(rest, tuple(left_out)), _marked).value
        if run:
            new_entries.append(Entry(f"~{new_row(draft.entries)}", "", Folded(run)))  # type: ignore[arg-type]
        return replace(draft, members=kept, entries=tuple(new_entries))

    def _fit_array(self, draft: Array, budget: int, path: str) -> Draft:
        children = [self._child(item.draft, row_path(path, item.row), 1) for item in draft.items]
        shown = self._share(children, budget)
        items: list[Item] = []
        run: list[Item] = []
        for item, child in zip(draft.items, children, strict=True):
            if child.path in shown:
                items += _as_run(run)
                items.append(replace(item, draft=child.result))
                run = []
            else:
                run.append(item)
        return replace(draft, items=(*items, *_as_run(run)))

    def _child(self, draft: Draft, path: str, frame: int) -> _Child:
        return _Child(path, draft, self.weight(draft), frame, draft)

    def _share(self, children: list[_Child], budget: int) -> set[str]:
        """Give each child its part of `budget`; the paths of those that are shown by themselves."""
        first = [child for child in children if self._is_wanted(child) or not _is_plain(child.draft)]
        shown = {child.path for child in first}
        left = budget - sum(child.least for child in first)
        for child in children:
            if child.path not in shown and child.least <= left:
                shown.add(child.path)
                left -= child.least
            elif child.path not in shown:
                left = 0
        for child in sorted(children, key=lambda child: not self._is_wanted(child)):
            if child.path in shown:
                left -= self._expand(child, left)
        return shown

    def _expand(self, child: _Child, left: int) -> int:
        """Show as much of a child as is affordable; how much that takes beside the least."""
        more = child.weight - min(child.weight, _LEAST)
        if more <= left or not isinstance(child.draft, Object | Array):
            return more
        if left < _WORTHWHILE and _is_plain(child.draft) and not self._is_wanted(child):
            child.result = folded(child.draft)
            return 0
        child.result = self.fit(child.draft, max(left, _WORTHWHILE) + _LEAST, child.path)
        return _Folding(self.focus).weight(child.result)

    def _is_wanted(self, child: _Child) -> bool:
        return self.focus == child.path or self.focus.startswith(f"{child.path}/")


def folded(draft: Draft) -> Draft:
    """A container as JSON text, secrets as marks."""
    value = read(draft, _marked).value
    return Folded(value, draft.state) if isinstance(value, dict | list) else draft


def unfolded(value: JSON) -> Draft:
    """What a person gets who opens a folded container."""
    return fold(draft_of(value), OPENED)


def _marked(token: str) -> str:
    return MARK + token


def _is_plain(draft: Draft) -> bool:
    """Whether nothing but a finished value is here."""
    waiting = [draft]
    for part in waiting:
        if part.state is not PLAIN or isinstance(part, Missing | Raw):
            return False
        if isinstance(part, Object):
            waiting += [*part.members.values(), *(entry.draft for entry in part.entries)]
        elif isinstance(part, Array):
            waiting += [item.draft for item in part.items]
    return not read(draft, _marked).faults


def _as_run(items: Sequence[Item]) -> list[Item]:
    """Rows that are shown together as one list's JSON; a single one stays a row."""
    if len(items) < 2:
        return [replace(item, draft=folded(item.draft)) for item in items]
    value = read(Array(tuple(items)), _marked).value
    return [Item(f"~{items[0].row.lstrip('~')}", Folded(value))] if isinstance(value, list) else list(items)
