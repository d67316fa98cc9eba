"""Large values: containers or runs of rows beyond a page's budget are folded into JSON text.

A folded part is one control; a button shows its fields. A part is never folded while it contains
incomplete input or state beyond its value (`State`), because JSON text would lose them. Measuring
stops at the page's budget, so a large value costs no more than the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from playground.form.control_names import member_path, row_path
from playground.form.draft import (
    MARK,
    PLAIN,
    Array,
    Draft,
    Entry,
    Folded,
    Item,
    Missing,
    Object,
    Raw,
    StoredSecret,
    draft_of,
    make_row_id,
)
from playground.form.to_value import read
from playground.form.values import Absent, Maybe
from toolspec.text.reader import JSON

PAGE: Final = 400  # controls of a form when it is opened
FULL_PAGE: Final = 800  # controls of a form that a user has unfolded
OPENED: Final = 150  # controls of one unfolded container

_LEAST: Final = 3  # controls of a folded container
_WORTHWHILE: Final = 25  # if fewer controls are left, a container is folded as a whole, not in part
# Controls besides those of the parts.
_OBJECT: Final = 3
_ARRAY: Final = 2
_ROW: Final = 1
_ENTRY: Final = 2


def fold_value(value: Maybe, budget: int = PAGE) -> Draft:
    """The draft of a finished value, with about `budget` controls."""
    if not isinstance(value, dict | list) or _measure(value, budget) <= budget:
        return draft_of(value)
    if isinstance(value, list):
        return _fold_list(value, budget)
    return _fold_dict(value, budget)


def fold(
    draft: Draft,
    budget: int = FULL_PAGE,
    *,
    focus: str | None = None,
) -> Draft:
    """`draft`, folded until it has about `budget` controls.

    The containers around the path `focus` stay open.
    """
    return _Folding(focus or "").fold(draft, budget, "")


def _measure(value: JSON, limit: int) -> int:
    """About how many controls `value` has; counted no further than `limit`."""
    count = 0
    waiting: list[JSON] = [value]
    while waiting and count <= limit:
        part = waiting.pop()
        if isinstance(part, dict):
            count += _OBJECT
            waiting += part.values()
        elif isinstance(part, list):
            count += _ARRAY + _ROW * len(part)
            waiting += part[: limit + 1]
        else:
            count += 1
    return count


def _fold_list(value: list[JSON], budget: int) -> Array:
    parts = list(_fold_parts(value, budget - _ARRAY - _LEAST, _ROW))
    items = [Item(str(row), part) for row, part in enumerate(parts)]
    rest = value[len(items) :]
    if len(rest) == 1:
        items.append(Item(str(len(items)), _fold_single(rest[0])))
    elif rest:
        items.append(Item(f"~{len(items)}", Folded(rest)))
    return Array(tuple(items))


def _fold_dict(value: dict[str, JSON], budget: int) -> Object:
    parts = list(_fold_parts(value.values(), budget - _OBJECT - _LEAST, 0))
    members = dict(zip(value, parts, strict=False))
    rest = dict(list(value.items())[len(parts) :])
    if len(rest) > 1:
        return Object(members, (Entry("~0", "", Folded(rest)),))
    for name, member in rest.items():
        members[name] = _fold_single(member)
    return Object(members)


def _fold_parts(
    values: Iterable[JSON],
    budget: int,
    frame: int,
) -> Iterator[Draft]:
    """The drafts of as many of `values` as fit into `budget`, with `frame` controls around each."""
    for value in values:
        size = _measure(value, budget) + frame
        if size <= budget:
            yield draft_of(value)
        elif budget <= frame:
            return
        elif budget >= _WORTHWHILE and isinstance(value, dict | list):
            yield fold_value(value, budget - frame)
            size = budget
        else:
            yield _fold_single(value)
            size = _LEAST + frame
        budget -= size


def _fold_single(value: JSON) -> Draft:
    if isinstance(value, dict | list) and value:
        return Folded(value)
    return draft_of(value)


@dataclass(slots=True)
class _Folding:
    """Folds a submitted draft.

    It is never large, and may contain parts that must not be folded.
    """

    focus: str

    def fold(
        self,
        draft: Draft,
        budget: int,
        path: str,
    ) -> Draft:
        if _count_controls(draft) <= budget:
            return draft
        if isinstance(draft, Object):
            return self._fold_object(draft, budget - _OBJECT, path)
        if isinstance(draft, Array):
            return self._fold_array(draft, budget - _ARRAY, path)
        return draft

    def _fold_object(
        self,
        draft: Object,
        budget: int,
        path: str,
    ) -> Draft:
        spare = budget
        for name, member in draft.members.items():
            spare -= self._count_least(member, member_path(path, name))
        for entry in draft.entries:
            spare -= _ENTRY + self._count_least(entry.draft, row_path(path, entry.row))
        members = {}
        for name, member in draft.members.items():
            members[name], spare = self._fold_part(member, member_path(path, name), spare)
        entries = []
        for entry in draft.entries:
            inner, spare = self._fold_part(entry.draft, row_path(path, entry.row), spare)
            entries.append(replace(entry, draft=inner))
        for start, end in self._find_runs(entries, path, -spare, _ENTRY):
            run = _read_with_marks(Object({}, tuple(entries[start:end])))
            entries[start:end] = [Entry(f"~{make_row_id(entries)}", "", Folded(run))]
        return replace(draft, members=members, entries=tuple(entries))

    def _fold_array(
        self,
        draft: Array,
        budget: int,
        path: str,
    ) -> Draft:
        spare = budget
        for item in draft.items:
            spare -= _ROW + self._count_least(item.draft, row_path(path, item.row))
        items = []
        for item in draft.items:
            inner, spare = self._fold_part(item.draft, row_path(path, item.row), spare)
            items.append(replace(item, draft=inner))
        for start, end in self._find_runs(items, path, -spare, _ROW):
            run = _read_with_marks(Array(tuple(items[start:end])))
            items[start:end] = [Item(f"~{_find_run_row(items, start, end)}", Folded(run))]
        return replace(draft, items=tuple(items))

    def _find_runs(
        self,
        rows: Sequence[Item | Entry],
        path: str,
        excess: int,
        frame: int,
    ) -> list[tuple[int, int]]:
        """The runs of rows to fold, to save `excess` controls.

        One is at the beginning, one at the end; the last comes first, so that indexes stay valid.
        """
        stays = []
        for row in rows:
            is_open = self._is_on_the_way(row_path(path, row.row))
            stays.append(is_open or not _is_plain(row.draft))
        start = 0
        while excess > 0 and start < len(rows) and not stays[start]:
            excess -= frame + _count_controls(rows[start].draft)
            start += 1
        end = len(rows)
        while excess > 0 and end > start and not stays[end - 1]:
            excess -= frame + _count_controls(rows[end - 1].draft)
            end -= 1
        runs = [(end, len(rows)), (0, start)]
        return [(first, last) for first, last in runs if last - first > 1]

    def _fold_part(
        self,
        part: Draft,
        path: str,
        spare: int,
    ) -> tuple[Draft, int]:
        """The part, with at most `spare` controls beyond its minimum; and the rest of `spare`."""
        least = self._count_least(part, path)
        size = _count_controls(part)
        if size - least <= max(spare, 0) and spare >= 0:
            return part, spare - (size - least)
        if least == size:  # it cannot be folded as a whole
            inner = self.fold(part, size + min(spare, 0), path)
            return inner, spare + size - _count_controls(inner)
        return _fold_whole(part), spare

    def _count_least(self, part: Draft, path: str) -> int:
        """The number of controls of a part that is folded as a whole, if it can be."""
        size = _count_controls(part)
        if size <= _LEAST or not isinstance(part, Object | Array) or self._is_on_the_way(path):
            return size
        if not _is_plain(part):
            return size
        return _LEAST

    def _is_on_the_way(self, path: str) -> bool:
        return self.focus == path or self.focus.startswith(f"{path}/")


def _count_controls(draft: Draft) -> int:
    """About how many controls `draft` has."""
    match draft:
        case Object():
            count = _OBJECT + sum(map(_count_controls, draft.members.values()))
            for entry in draft.entries:
                count += _ENTRY + _count_controls(entry.draft)
            return count
        case Array():
            count = _ARRAY
            for item in draft.items:
                count += _ROW + _count_controls(item.draft)
            return count
        case StoredSecret():
            return 3
    return 1


def _fold_whole(draft: Draft) -> Draft:
    """A container as JSON text, with marks for its secrets."""
    value = _read_with_marks(draft)
    if not isinstance(value, dict | list):
        return draft
    return Folded(value, draft.state)


def _mark(token: str) -> str:
    return MARK + token


def _read_with_marks(draft: Draft) -> JSON:
    value = read(draft, _mark).value
    return None if isinstance(value, Absent) else value


def _find_run_row(
    items: Sequence[Item],
    start: int,
    end: int,
) -> str:
    """The id of a run of rows: the first row's if the ids are consecutive, else a new one."""
    first = expected = items[start].number
    for item in items[start:end]:
        if item.number != expected:
            return make_row_id(items)
        expected += item.length
    return str(first)


def _is_plain(draft: Draft) -> bool:
    """Whether `draft` is a complete value without any other state."""
    waiting = [draft]
    for part in waiting:
        if part.state is not PLAIN or isinstance(part, Missing | Raw):
            return False
        if isinstance(part, Object):
            waiting += part.members.values()
            waiting += [entry.draft for entry in part.entries]
        elif isinstance(part, Array):
            waiting += [item.draft for item in part.items]
    return not read(draft, _mark).faults
