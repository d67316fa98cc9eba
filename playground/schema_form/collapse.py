"""Large values: the parts that exceed a page's budget are folded into JSON text, whole containers or runs of rows.

A folded part is one control; a button shows its fields. A part is never folded while it contains
incomplete input or state beyond its value (`State`), because JSON text would lose them. Measuring
stops at the page's budget, so a large value costs no more than the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from playground.schema_form.control_names import member_path, row_path
from playground.schema_form.draft import (
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
from playground.schema_form.to_value import read
from playground.schema_form.values import Absent, Maybe
from toolspec.text.reader import JSON

PAGE: Final = 400  # controls of a form when it is opened
FULL_PAGE: Final = 800  # controls of a form that a user has unfolded
OPENED: Final = 150  # controls of one unfolded container

_LEAST: Final = 3  # controls of a folded container
_WORTHWHILE: Final = 25  # if fewer controls are left, a container is folded as a whole, not in part
_OBJECT: Final = (
    3  # controls of an object, of a list, of a row and of an entry, besides their parts
)
_ARRAY: Final = 2
_ROW: Final = 1
_ENTRY: Final = 2


def folded_draft(value: Maybe, budget: int = PAGE) -> Draft:
    """The draft of a finished value, with about `budget` controls."""
    if (
        isinstance(value, Absent)
        or not isinstance(value, dict | list)
        or _size(value, budget) <= budget
    ):
        return draft_of(value)
    if isinstance(value, list):
        return _list(value, budget)
    return _dict(value, budget)


def fold(draft: Draft, budget: int = FULL_PAGE, *, focus: str | None = None) -> Draft:
    """`draft`, folded until it has about `budget` controls.

    The containers around the path `focus` stay open.
    """
    return _Folding(focus or "").fit(draft, budget, "")


def _size(value: JSON, limit: int) -> int:
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


def _list(value: list[JSON], budget: int) -> Array:
    left = budget - _ARRAY - _LEAST
    items: list[Item] = []
    for row, (part, spent) in enumerate(_parts(value, left, _ROW)):
        items.append(Item(str(row), part))
        left -= spent
    rest = value[len(items) :]
    run = (
        [Item(f"~{len(items)}", Folded(rest))]
        if len(rest) > 1
        else [Item(str(len(items)), _single(v)) for v in rest]
    )
    return Array((*items, *run))


def _dict(value: dict[str, JSON], budget: int) -> Object:
    parts = [part for part, _ in _parts(value.values(), budget - _OBJECT - _LEAST, 0)]
    members = dict(zip(value, parts, strict=False))
    rest = dict(list(value.items())[len(parts) :])
    if len(rest) == 1:
        return Object({**members, **{name: _single(part) for name, part in rest.items()}})
    return Object(members, (Entry("~0", "", Folded(rest)),) if rest else ())


def _parts(values: Iterable[JSON], budget: int, frame: int) -> Iterator[tuple[Draft, int]]:
    """The drafts of as many of `values` as fit into `budget`, each with its number of controls."""
    left = budget
    for value in values:
        size = _size(value, left)
        if size + frame <= left:
            part, spent = draft_of(value), size + frame
        elif left <= frame:
            return
        elif left >= _WORTHWHILE and isinstance(value, dict | list):
            part, spent = folded_draft(value, left - frame), left
        else:
            part, spent = _single(value), _LEAST + frame
        left -= spent
        yield part, spent


def _single(value: JSON) -> Draft:
    return Folded(value) if isinstance(value, dict | list) and value else draft_of(value)


@dataclass(slots=True)
class _Folding:
    """Folds a submitted draft, which is never large and may contain parts that must not be folded."""

    focus: str

    def fit(self, draft: Draft, budget: int, path: str) -> Draft:
        if weight(draft) <= budget:
            return draft
        if isinstance(draft, Object):
            return self._object(draft, budget - _OBJECT, path)
        if isinstance(draft, Array):
            return self._array(draft, budget - _ARRAY, path)
        return draft

    def _object(self, draft: Object, budget: int, path: str) -> Draft:
        paths = {name: member_path(path, name) for name in draft.members}
        members = dict(draft.members)
        entries = list(draft.entries)
        spare = budget - sum(self._least(members[name], paths[name]) for name in members)
        spare -= sum(
            _ENTRY + self._least(entry.draft, row_path(path, entry.row)) for entry in entries
        )
        for name, member in members.items():
            members[name], spare = self._fitted(member, paths[name], spare)
        for index, entry in enumerate(entries):
            inner, spare = self._fitted(entry.draft, row_path(path, entry.row), spare)
            entries[index] = replace(entry, draft=inner)
        for start, end in self._runs(entries, path, -spare, _ENTRY):
            run = _marked_value(Object({}, tuple(entries[start:end])))
            entries[start:end] = [Entry(f"~{make_row_id(entries)}", "", Folded(run))]
        return replace(draft, members=members, entries=tuple(entries))

    def _array(self, draft: Array, budget: int, path: str) -> Draft:
        items = list(draft.items)
        spare = budget - sum(
            _ROW + self._least(item.draft, row_path(path, item.row)) for item in items
        )
        for index, item in enumerate(items):
            inner, spare = self._fitted(item.draft, row_path(path, item.row), spare)
            items[index] = replace(item, draft=inner)
        for start, end in self._runs(items, path, -spare, _ROW):
            run = _marked_value(Array(tuple(items[start:end])))
            items[start:end] = [Item(f"~{_run_row(items, start, end)}", Folded(run))]
        return replace(draft, items=tuple(items))

    def _runs(
        self, rows: Sequence[Item | Entry], path: str, excess: int, frame: int
    ) -> list[tuple[int, int]]:
        """The runs of rows to fold, to save `excess` controls: at the beginning, then at the end."""
        stays = [
            self._is_on_the_way(row_path(path, row.row)) or not _is_plain(row.draft) for row in rows
        ]
        head = tail = 0
        while excess > 0 and head < len(rows) and not stays[head]:
            excess -= frame + weight(rows[head].draft)
            head += 1
        while excess > 0 and tail < len(rows) - head and not stays[-1 - tail]:
            excess -= frame + weight(rows[-1 - tail].draft)
            tail += 1
        runs = [
            (len(rows) - tail, len(rows)),
            (0, head),
        ]  # from the end, so that indexes stay valid
        return [(start, end) for start, end in runs if end - start > 1]

    def _fitted(self, part: Draft, path: str, spare: int) -> tuple[Draft, int]:
        """The part, folded to use at most `spare` controls beyond its minimum.

        And what is left of `spare`.
        """
        least = self._least(part, path)
        size = weight(part)
        if size - least <= max(spare, 0) and spare >= 0:
            return part, spare - (size - least)
        if least == size:  # it cannot be folded as a whole
            inner = self.fit(part, size + min(spare, 0), path)
            return inner, spare + size - weight(inner)
        return folded(part), spare

    def _least(self, part: Draft, path: str) -> int:
        can_fold = (
            isinstance(part, Object | Array) and _is_plain(part) and not self._is_on_the_way(path)
        )
        return min(weight(part), _LEAST) if can_fold else weight(part)

    def _is_on_the_way(self, path: str) -> bool:
        return self.focus == path or self.focus.startswith(f"{path}/")


def weight(draft: Draft) -> int:
    """About how many controls `draft` has."""
    match draft:
        case Object():
            entries = sum(_ENTRY + weight(entry.draft) for entry in draft.entries)
            return _OBJECT + entries + sum(weight(member) for member in draft.members.values())
        case Array():
            return _ARRAY + sum(_ROW + weight(item.draft) for item in draft.items)
        case StoredSecret():
            return 3
    return 1


def folded(draft: Draft) -> Draft:
    """A container as JSON text, with marks for its secrets."""
    value = read(draft, _marked).value
    return Folded(value, draft.state) if isinstance(value, dict | list) else draft


def _marked(token: str) -> str:
    return MARK + token


def _marked_value(draft: Draft) -> JSON:
    value = read(draft, _marked).value
    return None if isinstance(value, Absent) else value


def _run_row(items: Sequence[Item], start: int, end: int) -> str:
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
            waiting += [*part.members.values(), *(entry.draft for entry in part.entries)]
        elif isinstance(part, Array):
            waiting += [item.draft for item in part.items]
    return not read(draft, _marked).faults
