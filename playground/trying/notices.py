"""Messages of the page: notices above the form, and the entries of its error summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playground.form.errors import controls_by_pointer
from playground.form.nodes import Form
from toolspec.text.pointers import split_pointer


@dataclass(frozen=True, slots=True)
class FieldLink:
    """A field of a form: its label, and the id of its control; "" if it has none."""

    label: str
    target: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A message above the form.

    Attributes:
        text: input that could not be used, shown so that it is not lost.
        empty, marked: fields whose secrets were removed: they are empty, or contain a mark in place
            of each secret.
    """

    title: str
    message: str = ""
    text: str = ""
    empty: Sequence[FieldLink] = ()
    marked: Sequence[FieldLink] = ()


def list_fields(form: Form, pointers: Sequence[str]) -> list[FieldLink]:
    """The fields of `form` at these pointers into its value, or the nearest enclosing ones."""
    controls = controls_by_pointer(form)
    fields = []
    for pointer in pointers:
        enclosing = pointer
        while enclosing and enclosing not in controls:
            enclosing = enclosing.rpartition("/")[0]
        label, target = controls.get(enclosing, ("", ""))
        if enclosing != pointer:
            label = " · ".join(split_pointer(pointer))
        fields.append(FieldLink(label, target))
    return fields


def describe_errors(form: Form) -> list[dict[str, str]]:
    """The entries of the error summary for `form`.

    {"href", "message", "line"?, "column"?}: in JSON text, the link opens this line and column.
    """
    entries = []
    for error in form.errors:
        entry = {"href": f"#{error.target}", "message": error.message}
        if error.mark:
            entry["line"] = str(error.mark.line)
            entry["column"] = str(error.mark.column)
        entries.append(entry)
    return entries
