"""Filling in a run's parameters again: without their secrets, of which a mark was kept, and with word of which.

A secret's own field is left empty. Where it stood within another text, the mark stays in that text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.problems import pointer_join, split_pointer
from catalog.strict_json import JSON
from playground.configurations import secret_members
from playground.contracts import Contract
from playground.forms.nodes import Form
from playground.forms.pinning import places
from playground.forms.values import ABSENT, Maybe
from playground.scrubbing import MARK


@dataclass(frozen=True, slots=True)
class Refilled:
    """What is filled in, and where in it something is missing: pointers, in the order of the value.

    Attributes:
        value: ABSENT where the whole of it was a secret.
        emptied: places of secrets, which are left out; a list that such items were taken from.
        marked: places of other texts that hold the mark.
    """

    value: Maybe
    emptied: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldLink:
    """A field of a form: what it is called there, and the id of its control."""

    label: str
    target: str


def refill(contract: Contract, parameters: JSON) -> Refilled:
    """The parameters of a run, as they are to be filled in again."""
    secrets = secret_members(contract.parameters, parameters, by_name=False)
    marks = frozenset(pointer for pointer, kept in secrets if kept == MARK)
    if not marks:
        return Refilled(parameters)
    if "" in marks:
        return Refilled(ABSENT, ("",))
    emptied: dict[str, None] = {}
    value = _without(parameters, marks, "", "", emptied)
    return Refilled(value, tuple(emptied), tuple(_marked(value, "")))


def _without(value: JSON, marks: frozenset[str], before: str, now: str, emptied: dict[str, None]) -> JSON:
    """`value` without what `marks` point at; it stood at `before`, and stands at `now`."""
    if isinstance(value, dict):
        kept = {}
        for name, member in value.items():
            at, then = pointer_join(now, name), pointer_join(before, name)
            if then in marks:
                emptied[at] = None
            else:
                kept[name] = _without(member, marks, then, at, emptied)
        return kept
    if isinstance(value, list):
        items: list[JSON] = []
        for index, item in enumerate(value):
            then = pointer_join(before, index)
            if then in marks:
                emptied[now] = None
            else:
                items.append(_without(item, marks, then, pointer_join(now, len(items)), emptied))
        return items
    return value


def _marked(value: JSON, pointer: str) -> Iterator[str]:
    if isinstance(value, str) and MARK in value:
        yield pointer
    elif isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _marked(part, pointer_join(pointer, key))


def fields_at(form: Form, pointers: tuple[str, ...]) -> list[FieldLink]:
    """The fields of `form` at these places of its value; of a place that has none, the nearest around it."""
    found = places(form)
    return [_field_at(found, pointer) for pointer in pointers]


def _field_at(found: dict[str, tuple[str, str]], pointer: str) -> FieldLink:
    if pointer in found:
        return FieldLink(*found[pointer])
    around = pointer
    while around and around not in found:
        around = around.rpartition("/")[0]
    _, target = found.get(around, ("", ""))
    return FieldLink(" · ".join(split_pointer(pointer)), target)
