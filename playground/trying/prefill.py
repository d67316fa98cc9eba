"""Prefill a form with the parameters of a run, without its secrets, and list the fields that lack one.

The field of a secret is left empty. If a secret was part of a longer string, its mark stays in that
string.
"""

from __future__ import annotations

from dataclasses import dataclass

from playground.configurations.compiled_spec import CompiledSpec
from playground.form.errors import controls_by_pointer
from playground.form.nodes import Form
from playground.form.secret_search import find_secrets, pointers_of_texts
from playground.form.values import ABSENT, Maybe
from toolshelf_core.redaction import MARK, WITHHELD
from toolspec.text.patch import REMOVED, Replacement, change_all
from toolspec.text.pointers import split_pointer
from toolspec.text.reader import JSON


@dataclass(frozen=True, slots=True)
class Prefilled:
    """The value to fill in, and pointers to its missing parts, in the order of the value.

    Attributes:
        value: ABSENT if all of it was a secret.
        emptied: members that were secrets and are left out, and arrays that such items were removed
            from.
        marked: other strings that contain the mark.
    """

    value: Maybe
    emptied: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldLink:
    """A field of a form: its label, and the id of its control."""

    label: str
    target: str


def prefilled(compiled_spec: CompiledSpec, parameters: JSON) -> Prefilled:
    """The parameters of a run, to fill in again."""
    secrets = find_secrets(compiled_spec.parameters, parameters, by_name=False)
    if secrets.reason or parameters == WITHHELD:
        return Prefilled(ABSENT, ("",))
    marks = frozenset(pointer for pointer, stored in secrets.parts if stored == MARK)
    if not marks:
        return Prefilled(parameters)
    if "" in marks:
        return Prefilled(ABSENT, ("",))
    emptied: dict[str, None] = {}

    def emptied_at(pointer: str, is_item: bool) -> Replacement:
        emptied[pointer.rpartition("/")[0] if is_item else pointer] = None
        return REMOVED

    value = change_all(parameters, marks, emptied_at)
    return Prefilled(
        value, tuple(emptied), tuple(pointers_of_texts(value, lambda text: MARK in text))
    )


def fields_at(form: Form, pointers: tuple[str, ...]) -> list[FieldLink]:
    """The fields of `form` at these pointers into its value, or the nearest enclosing ones."""
    found = controls_by_pointer(form)
    return [_field_at(found, pointer) for pointer in pointers]


def _field_at(found: dict[str, tuple[str, str]], pointer: str) -> FieldLink:
    if pointer in found:
        return FieldLink(*found[pointer])
    around = pointer
    while around and around not in found:
        around = around.rpartition("/")[0]
    _, target = found.get(around, ("", ""))
    return FieldLink(" · ".join(split_pointer(pointer)), target)
