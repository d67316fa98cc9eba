"""From a draft to its value, and an error for each part that cannot be parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from playground.form.control_names import member_path, row_path
from playground.form.draft import (
    MARK,
    Array,
    Constant,
    Draft,
    Entry,
    Folded,
    Missing,
    Numeral,
    Object,
    Raw,
    StoredSecret,
    Text,
    is_empty,
    key_of,
)
from playground.form.values import ABSENT, Absent, Maybe, literal, read_literal, read_number
from toolspec.errors import JSONTextError, Problem
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

_MARKABLE: Final = frozenset({str, list, dict})


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of a draft that is missing or cannot be parsed.

    `on_key`: the problem is the entry's key.
    """

    path: str
    problem: Problem
    on_key: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The value of a draft, without the parts that cannot be parsed.

    Attributes:
        value: the value, or ABSENT.
        faults: the parts that are left out, in the draft's order.
        paths: the path of each part of the value in the draft, by its pointer.
    """

    value: Maybe
    faults: tuple[Fault, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)


FoldedValues: TypeAlias = dict[int, tuple[Folded, Maybe]]
"""The values of folded parts that have been read without a fault, by the id of the part."""


def read(
    draft: Draft,
    find_secret: Callable[[str], Maybe] = lambda _token: ABSENT,
    known: FoldedValues | None = None,
) -> Reading:
    """The value of `draft`, and its faults.

    Args:
        draft: a value while it is edited.
        find_secret: finds the secret of a token; ABSENT if it is no longer available.
        known: is filled in: a folded part is read once, although all containers around it are read.
    """
    reader = _Reader(find_secret, {} if known is None else known)
    value = reader.read_part(draft, "", "")
    return Reading(value, tuple(reader.faults), reader.paths)


@dataclass(slots=True)
class _Reader:
    find_secret: Callable[[str], Maybe]
    known: FoldedValues
    faults: list[Fault] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)

    def read_part(
        self,
        draft: Draft,
        path: str,
        pointer: str,
    ) -> Maybe:
        self.paths[pointer] = path
        match draft:
            case Missing():
                return ABSENT
            case Raw(text) if not text.strip():
                return ABSENT
            case Text(text, False):
                return text
            case Constant(value):
                return value
            case Folded():
                return self._read_folded(draft, path, pointer)
            case Object():
                return self._read_object(draft, path, pointer)
            case Array():
                return self._read_array(draft, path, pointer)
            case StoredSecret(token):
                return self._read_secret(token, path, pointer)
            case _:
                return self._read_typed(draft, path, pointer)

    def _read_folded(
        self,
        draft: Folded,
        path: str,
        pointer: str,
    ) -> Maybe:
        if id(draft) in self.known:
            return self.known[id(draft)][1]
        count = len(self.faults)
        value = self._replace_marks(draft.value, path, pointer)
        if len(self.faults) == count:
            self.known[id(draft)] = (draft, value)
        return value

    def _read_typed(
        self,
        draft: Text | Numeral | Raw,
        path: str,
        pointer: str,
    ) -> Maybe:
        try:
            if isinstance(draft, Numeral):
                return read_number(draft.text)
            value = read_literal(draft.text)
        except JSONTextError as error:
            self._add_fault(path, pointer, _with_position(error.problems[0]))
            return ABSENT
        if isinstance(draft, Text) and not isinstance(value, str):
            message = 'Write the text as a JSON literal in double quotes, like "a\\nb"'
            self._add_fault(path, pointer, Problem("", message, "form.literal"))
            return ABSENT
        if MARK not in draft.text:
            return value
        return self._replace_marks(value, path, pointer)

    def _replace_marks(
        self,
        value: JSON,
        path: str,
        pointer: str,
    ) -> Maybe:
        """`value` with its marks replaced by the secrets."""
        if isinstance(value, str) and value.startswith(MARK):
            return self._read_secret(value.removeprefix(MARK), path, pointer)
        if isinstance(value, list):
            if _MARKABLE.isdisjoint(map(type, value)):
                return value
            items = []
            for item in value:
                opened = self._replace_marks(item, path, pointer)
                if not isinstance(opened, Absent):
                    items.append(opened)
            return items
        if isinstance(value, dict):
            if _MARKABLE.isdisjoint(map(type, value.values())):
                return value
            members = {}
            for name, member in value.items():
                opened = self._replace_marks(member, path, pointer)
                if not isinstance(opened, Absent):
                    members[name] = opened
            return members
        return value

    def _read_secret(
        self,
        token: str,
        path: str,
        pointer: str,
    ) -> Maybe:
        value = self.find_secret(token)
        if isinstance(value, Absent):
            message = "This secret is no longer available; enter it again"
            self._add_fault(path, pointer, Problem("", message, "form.secret"))
        return value

    def _read_object(
        self,
        draft: Object,
        path: str,
        pointer: str,
    ) -> dict[str, JSON]:
        members: dict[str, JSON] = {}
        used = set()
        for name, member in draft.members.items():
            value = self.read_part(member, member_path(path, name), pointer_join(pointer, name))
            if not isinstance(value, Absent):
                members[name] = value
            if not isinstance(member, Missing):
                used.add(name)
        for entry in draft.entries:
            below = row_path(path, entry.row)
            if entry.is_run:
                self._read_run(entry, members, used, below, pointer)
            else:
                self._read_entry(entry, members, used, below, pointer)
        return members

    def _read_entry(
        self,
        entry: Entry,
        members: dict[str, JSON],
        used: set[str],
        path: str,
        pointer: str,
    ) -> None:
        key = key_of(entry)
        if key is None:
            message = 'Write the name as a JSON literal in double quotes, like "a\\nb"'
            self._add_fault(path, pointer, Problem("", message, "form.literal"), on_key=True)
            return
        below = pointer_join(pointer, key)
        if key in used:
            message = f"The name {literal(key)} is used twice; rename this entry"
            self._add_fault(path, below, Problem("", message, "form.duplicate-name"), on_key=True)
            return
        used.add(key)
        value = self.read_part(entry.draft, path, below)
        if not isinstance(value, Absent):
            members[key] = value
        elif is_empty(entry.draft):
            message = f"Enter a value for {literal(key)}, or remove it"
            self._add_fault(path, below, Problem("", message, "form.value-needed"))

    def _read_run(
        self,
        entry: Entry,
        members: dict[str, JSON],
        used: set[str],
        path: str,
        pointer: str,
    ) -> None:
        run = self.read_part(entry.draft, path, pointer)
        if not isinstance(run, dict):
            return
        for key, member in run.items():
            if key in used:
                message = f"The name {literal(key)} is used twice; rename it in this text"
                problem = Problem("", message, "form.duplicate-name")
                self._add_fault(path, pointer_join(pointer, key), problem)
            else:
                used.add(key)
                members[key] = member

    def _read_array(
        self,
        draft: Array,
        path: str,
        pointer: str,
    ) -> list[JSON]:
        items: list[JSON] = []
        for item in draft.items:
            row, below = row_path(path, item.row), pointer_join(pointer, len(items))
            value = self.read_part(item.draft, row, below)
            if item.is_run and isinstance(value, list):
                items += value
            elif not isinstance(value, Absent):
                items.append(value)
            elif is_empty(item.draft):
                message = "Enter a value for this item, or remove it"
                self._add_fault(row, below, Problem("", message, "form.value-needed"))
        return items

    def _add_fault(
        self,
        path: str,
        pointer: str,
        problem: Problem,
        *,
        on_key: bool = False,
    ) -> None:
        self.faults.append(Fault(path, replace(problem, pointer=pointer), on_key))


def _with_position(problem: Problem) -> Problem:
    """A problem in JSON text, with its line and column in the message."""
    if problem.line is None or problem.column is None:
        return problem
    message = f"{problem.message} (line {problem.line}, column {problem.column})"
    return replace(problem, message=message)
