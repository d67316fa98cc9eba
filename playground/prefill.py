"""Filling in a run's parameters again: without their secrets, of which a mark was kept, and with word of which.

A secret's own field is left empty. Where it stood within another text, the mark stays in that text.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.jsontext.pointers import PointerTree, pointer_join, pointer_tree, split_pointer
from catalog.jsontext.reader import JSON
from playground.compiled_spec import CompiledSpec
from playground.redaction import MARK, WITHHELD
from playground.schema_form.errors import places
from playground.schema_form.nodes import Form
from playground.schema_form.secret_search import find_secrets, pointers_of_texts
from playground.schema_form.values import ABSENT, Maybe


@dataclass(frozen=True, slots=True)
class Prefilled:
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


def prefilled(contract: CompiledSpec, parameters: JSON) -> Prefilled:
    """The parameters of a run, as they are to be filled in again."""
    secrets = find_secrets(contract.parameters, parameters, by_name=False)
    if secrets.reason or parameters == WITHHELD:
        return Prefilled(ABSENT, ("",))
    marks = frozenset(pointer for pointer, kept in secrets.parts if kept == MARK)
    if not marks:
        return Prefilled(parameters)
    if "" in marks:
        return Prefilled(ABSENT, ("",))
    emptied: dict[str, None] = {}
    value = _without(parameters, pointer_tree(marks), "", emptied)
    return Prefilled(value, tuple(emptied), tuple(pointers_of_texts(value, lambda text: MARK in text)))


def _without(value: JSON, marks: PointerTree, now: str, emptied: dict[str, None]) -> JSON:
    """`value` without the parts at `marks`; its new pointer is `now`. Parts that do not change are shared."""
    if isinstance(value, dict):
        kept = {}
        for name, member in value.items():
            below = marks.get(name)
            if below is None:
                kept[name] = member
            elif below:
                kept[name] = _without(member, below, pointer_join(now, name), emptied)
            else:
                emptied[pointer_join(now, name)] = None
        return kept
    if isinstance(value, list):
        items: list[JSON] = []
        for index, item in enumerate(value):
            below = marks.get(str(index))
            if below is None:
                items.append(item)
            elif below:
                items.append(_without(item, below, pointer_join(now, len(items)), emptied))
            else:
                emptied[now] = None
        return items
    return value


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
