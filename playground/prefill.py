"""Filling in a run's parameters again: without their secrets, of which a mark was kept, and with word of which.

A secret's own field is left empty. Where it stood within another text, the mark stays in that text.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.jsontext.patch import REMOVED, Replacement, change_all
from catalog.jsontext.pointers import split_pointer
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

    def emptied_at(pointer: str, is_item: bool) -> Replacement:
        emptied[pointer.rpartition("/")[0] if is_item else pointer] = None
        return REMOVED

    value = change_all(parameters, marks, emptied_at)
    return Prefilled(value, tuple(emptied), tuple(pointers_of_texts(value, lambda text: MARK in text)))


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
