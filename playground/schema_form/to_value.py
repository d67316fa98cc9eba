"""From a draft to its value, and an error for each part that cannot be parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from playground.schema_form.control_names import member_path, row_path
from playground.schema_form.draft import (
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
from playground.schema_form.values import ABSENT, Absent, Maybe, literal, read_literal, read_number
from toolspec.errors import JSONTextError, Problem
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

_MAY_HOLD_MARK: Final = (str, list, dict)
_MARKABLE: Final = frozenset(_MAY_HOLD_MARK)


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of a draft that is missing or cannot be parsed. `on_key`: the problem is the entry's key."""

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
    value = reader.value_of(draft, "", "")
    return Reading(value, tuple(reader.faults), reader.paths)


@dataclass(slots=True)
class _Reader:
    find_secret: Callable[[str], Maybe]
    known: FoldedValues
    faults: list[Fault] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)

    def value_of(self, draft: Draft, path: str, pointer: str) -> Maybe:
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
                return self._folded(draft, path, pointer)
            case Object():
                return self._object(draft, path, pointer)
            case Array():
                return self._array(draft, path, pointer)
            case StoredSecret(token):
                return self._secret(token, path, pointer)
            case _:
                return self._typed(draft, path, pointer)

    def _folded(self, draft: Folded, path: str, pointer: str) -> Maybe:
        if id(draft) in self.known:
            return self.known[id(draft)][1]
        count = len(self.faults)
        value = self._revealed(draft.value, path, pointer)
        if len(self.faults) == count:
            self.known[id(draft)] = (draft, value)
        return value

    def _typed(self, draft: Text | Numeral | Raw, path: str, pointer: str) -> Maybe:
        try:
            if isinstance(draft, Numeral):
                return read_number(draft.text)
            value = read_literal(draft.text)
        except JSONTextError as error:
            self._fault(path, pointer, _located(error.problems[0]))
            return ABSENT
        if isinstance(draft, Text) and not isinstance(value, str):
            message = 'Write the text as a JSON literal in double quotes, like "a\\nb"'
            self._fault(path, pointer, Problem("", message, "form.literal"))
            return ABSENT
        return self._revealed(value, path, pointer) if MARK in draft.text else value

    def _revealed(self, value: JSON, path: str, pointer: str) -> Maybe:
        """`value` with its marks replaced by the secrets."""
        if isinstance(value, str) and value.startswith(MARK):
            return self._secret(value.removeprefix(MARK), path, pointer)
        if isinstance(value, list):
            if _MARKABLE.isdisjoint(map(type, value)):
                return value
            items = [
                self._revealed(item, path, pointer) if isinstance(item, _MAY_HOLD_MARK) else item
                for item in value
            ]
            return [item for item in items if not isinstance(item, Absent)]
        if isinstance(value, dict):
            if _MARKABLE.isdisjoint(map(type, value.values())):
                return value
            members = {
                name: self._revealed(member, path, pointer)
                if isinstance(member, _MAY_HOLD_MARK)
                else member
                for name, member in value.items()
            }
            return {
                name: member for name, member in members.items() if not isinstance(member, Absent)
            }
        return value

    def _secret(self, token: str, path: str, pointer: str) -> Maybe:
        value = self.find_secret(token)
        if isinstance(value, Absent):
            self._fault(
                path,
                pointer,
                Problem("", "This secret is no longer available; enter it again", "form.secret"),
            )
        return value

    def _object(self, draft: Object, path: str, pointer: str) -> dict[str, JSON]:
        value: dict[str, JSON] = {}
        for name, member in draft.members.items():
            found = self.value_of(member, member_path(path, name), pointer_join(pointer, name))
            if not isinstance(found, Absent):
                value[name] = found
        used = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
        for entry in draft.entries:
            self._entry(entry, value, used, row_path(path, entry.row), pointer)
        return value

    def _entry(
        self, entry: Entry, value: dict[str, JSON], used: set[str], path: str, pointer: str
    ) -> None:
        if entry.is_run:
            self._run(entry, value, used, path, pointer)
            return
        key = self._key(entry, path, pointer)
        if key is None:
            return
        here = pointer_join(pointer, key)
        if key in used:
            shown = literal(key)
            message = f"The name {shown} is used twice; rename this entry"
            self._fault(path, here, Problem("", message, "form.duplicate-name"), on_key=True)
            return
        used.add(key)
        found = self.value_of(entry.draft, path, here)
        if not isinstance(found, Absent):
            value[key] = found
        elif is_empty(entry.draft):
            self._fault(
                path,
                here,
                Problem("", f"Enter a value for {literal(key)}, or remove it", "form.value-needed"),
            )

    def _run(
        self, entry: Entry, value: dict[str, JSON], used: set[str], path: str, pointer: str
    ) -> None:
        members = self.value_of(entry.draft, path, pointer)
        if not isinstance(members, dict):
            return
        for key, member in members.items():
            if key in used:
                message = f"The name {literal(key)} is used twice; rename it in this text"
                self._fault(
                    path, pointer_join(pointer, key), Problem("", message, "form.duplicate-name")
                )
            else:
                used.add(key)
                value[key] = member

    def _key(self, entry: Entry, path: str, pointer: str) -> str | None:
        key = key_of(entry)
        if key is None:
            message = 'Write the name as a JSON literal in double quotes, like "a\\nb"'
            self._fault(path, pointer, Problem("", message, "form.literal"), on_key=True)
        return key

    def _array(self, draft: Array, path: str, pointer: str) -> list[JSON]:
        value: list[JSON] = []
        for item in draft.items:
            here, there = row_path(path, item.row), pointer_join(pointer, len(value))
            found = self.value_of(item.draft, here, there)
            if item.is_run and isinstance(found, list):
                value += found
            elif not isinstance(found, Absent):
                value.append(found)
            elif is_empty(item.draft):
                message = "Enter a value for this item, or remove it"
                self._fault(here, there, Problem("", message, "form.value-needed"))
        return value

    def _fault(self, path: str, pointer: str, problem: Problem, *, on_key: bool = False) -> None:
        self.faults.append(Fault(path, replace(problem, pointer=pointer), on_key))


def _located(problem: Problem) -> Problem:
    """A problem in JSON text, with its line and column in the message."""
    if problem.line is None or problem.column is None:
        return problem
    return replace(
        problem, message=f"{problem.message} (line {problem.line}, column {problem.column})"
    )
