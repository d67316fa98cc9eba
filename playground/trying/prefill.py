"""Parameters to fill in: those of a run, an example, a saved input or a link.

The parameters of a run have no secrets. The field of a secret is left empty. If a secret was part
of a longer string, its mark stays in that string.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings

from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of
from playground.form.nodes import Form
from playground.form.secret_search import find_secrets, pointers_of_texts
from playground.form.values import ABSENT, Absent, Maybe
from playground.runs.models import Run
from playground.trying.notices import Notice, list_fields
from playground.trying.saved_inputs import inputs_of
from playground.trying.subject import TrialSubject
from toolshelf_core.paging import read_number
from toolshelf_core.redaction import MARK, WITHHELD
from toolspec.errors import JSONTextError
from toolspec.text import reader
from toolspec.text.patch import REMOVED, Replacement, change_all
from toolspec.text.reader import JSON


@dataclass(frozen=True, slots=True)
class Prefill:
    """The value to fill in, and pointers to its missing parts, in the order of the value.

    Attributes:
        value: ABSENT if there is none, or if all of it was a secret.
        emptied: members that were secrets and are left out, and arrays that such items were removed
            from.
        marked: other strings that contain the mark.
        notices: why there is no value, or why to check it.
        run: the run that it comes from.
    """

    value: Maybe = ABSENT
    emptied: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    run: Run | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to fill in, not even fields whose secrets were removed."""
        return isinstance(self.value, Absent) and not self.emptied

    def list_notices(self, form: Form) -> list[Notice]:
        """Its notices above `form`, which is filled in with it."""
        if not self.emptied:
            return [*self.notices]
        secrets_notice = Notice(
            "Secrets among the parameters of that run are not stored.",
            "Fill in again:",
            empty=list_fields(form, self.emptied),
            marked=list_fields(form, self.marked),
        )
        return [*self.notices, secrets_notice]


def read_prefill(subject: TrialSubject, source: str, key: str) -> Prefill:
    """The parameters of a `source`.

    Those of a "run" (`key` is its id), an "example" (its number), the user's saved "input" (its
    name), or of a link ("parameters", JSON text).
    """
    return _READERS[source](subject, key)


def _read_run(subject: TrialSubject, run_id: str) -> Prefill:
    own = subject.visitor_runs.filter(pk=run_id, tool=subject.tool)
    visible = Run.objects.visible_to(subject.user).with_names()
    run = own.first() or visible.filter(pk=run_id, tool=subject.tool).first()
    if run is None:
        return _make_empty("This tool has no such run, or you have no access to it.")
    prefill = prefill_from_stored(compiled_spec_of(run.revision), run.parameters)
    return replace(prefill, run=run)


def prefill_from_stored(compiled_spec: CompiledSpec, parameters: JSON) -> Prefill:
    """`parameters` as a run of `compiled_spec` stores them: a mark replaces each secret."""
    secrets = find_secrets(compiled_spec.parameters, parameters, by_name=False)
    marks = frozenset(pointer for pointer, stored in secrets.parts if stored == MARK)
    if secrets.reason or parameters == WITHHELD or "" in marks:
        return Prefill(emptied=("",))
    if not marks:
        return Prefill(parameters)
    emptied: dict[str, None] = {}

    def remove(pointer: str, is_item: bool) -> Replacement:
        if is_item:
            pointer = pointer.rpartition("/")[0]
        emptied[pointer] = None
        return REMOVED

    value = change_all(parameters, marks, remove)
    marked = pointers_of_texts(value, lambda text: MARK in text)
    return Prefill(value, tuple(emptied), tuple(marked))


def _read_example(subject: TrialSubject, number: str) -> Prefill:
    examples = subject.compiled_spec.spec.examples
    index = (read_number(number) or 0) - 1
    if not 0 <= index < len(examples) or not examples[index].has_parameters:
        return _make_empty("The spec has no such example with parameters.")
    return Prefill(examples[index].parameters)


def _read_saved_input(subject: TrialSubject, name: str) -> Prefill:
    saved = inputs_of(subject.user, subject.tool).filter(name=name).first()
    if saved is None:
        return _make_empty("You have no saved input of this name for this tool.")
    if saved.revision_number == subject.revision.number:
        return Prefill(saved.parameters)
    title = f"This input was saved for revision {saved.revision_number}."
    notice = Notice(title, "Check it: parameters may have changed.")
    return Prefill(saved.parameters, notices=(notice,))


def _read_text(_subject: TrialSubject, text: str) -> Prefill:
    try:
        return Prefill(reader.loads(text, max_bytes=settings.RUN_PARAMETERS_BYTES))
    except JSONTextError as error:
        message = f"They are not valid JSON: {error.problems[0].message}"
        return _make_empty("The parameters in the URL could not be used.", message, text)


def _make_empty(title: str, message: str = "", text: str = "") -> Prefill:
    return Prefill(notices=(Notice(title, message, text),))


_READERS: Final[Mapping[str, Callable[[TrialSubject, str], Prefill]]] = {
    "run": _read_run,
    "example": _read_example,
    "input": _read_saved_input,
    "parameters": _read_text,
}
