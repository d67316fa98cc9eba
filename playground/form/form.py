"""The interface of the package for pages: open a form with a value, and read the submitted form.

opened = begin(schema, value, name="parameters")            -> .form to draw
again = read_submission(schema, pairs, name="parameters")   -> .form to draw, .value to use if
                                                               there are no .problems
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from playground.form.actions import apply
from playground.form.build import build
from playground.form.collapse import FULL_PAGE, OPENED, PAGE, fold, fold_value
from playground.form.controls import Button
from playground.form.defaults import make_draft
from playground.form.draft import Draft, Missing, Object, Raw
from playground.form.errors import place_problems
from playground.form.lookups import SchemaLookups
from playground.form.nodes import Form, Summary, count_fields
from playground.form.page_tokens import NoPageTokens, PageTokenMaker
from playground.form.parse import Pairs, decode
from playground.form.secret_marks import mentions_secrets, secret_names
from playground.form.secrets import Safe, hide_secrets
from playground.form.to_value import Fault, read
from playground.form.values import ABSENT, Absent, Maybe, print_literal
from toolspec.errors import Problem
from toolspec.schema.validation import CheckResult, CompiledSchema, Subschema, Violation
from toolspec.text.reader import JSON

Adjust = Callable[[CheckResult, JSON], CheckResult]
HIDDEN: Final = "••••••••"
MAX_FIELDS: Final = 1000  # that one form sends
MAX_PREVIEW: Final = 200_000  # characters


@dataclass(frozen=True, slots=True)
class Preview:
    """JSON text, or only its beginning."""

    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Submission:
    """An opened or submitted form.

    Attributes:
        form: the nodes to draw.
        draft: the contents of the form, as typed.
        value: the value, without the parts that cannot be parsed; ABSENT if there is none.
        problems: after a plain submit: parse errors, then violations of the schema. Pointers are
            into `value`.
        unchecked: the reason why the value could not be checked against the schema; "" if it was
            checked.
        unread: the fields whose text cannot be parsed.
        omitted: such fields of a form that was just replaced by JSON text, which does not contain
            them.
    """

    form: Form
    draft: Draft
    value: Maybe
    problems: tuple[Problem, ...] = ()
    unchecked: str = ""
    unread: tuple[Fault, ...] = ()
    omitted: tuple[Summary, ...] = ()

    def mark_unread(self) -> Submission:
        """The same with an error at each field whose text cannot be parsed."""
        if not self.unread:
            return self
        return replace(self, form=place_problems(self.form, self.unread, (), {}))

    @property
    def value_or_empty(self) -> JSON:
        """The value; {} if nothing is filled in."""
        return {} if isinstance(self.value, Absent) else self.value

    @property
    def view(self) -> Literal["fields", "json"]:
        """How the value is shown."""
        if isinstance(self.draft, Raw):
            return "json"
        return "fields"

    @property
    def switch(self) -> Button:
        """The button that changes between fields and JSON; the draft stays the same."""
        other, words = ("fields", "Form") if self.view == "json" else ("json", "JSON")
        title = f"Edit {self.form.root.head.label} as {words}"
        return Button(f"{self.form.name}:view::{other}", words, title)

    @property
    def preview(self) -> Preview:
        """The exact JSON that would be sent, with secrets hidden."""
        value = read(self.draft, lambda _token: HIDDEN).value
        text = "{}" if isinstance(value, Absent) else print_literal(value)
        return Preview(text[:MAX_PREVIEW], len(text) > MAX_PREVIEW)


def begin(
    schema: CompiledSchema | None,
    value: Maybe = ABSENT,
    *,
    name: str,
    stored: Maybe = ABSENT,
    seal: PageTokenMaker | None = None,
) -> Submission:
    """Open a form with `value`, or with a new value.

    Args:
        schema: None allows everything.
        value: a complete value, or ABSENT.
        name: the prefix of each control's name; lower-case letters, which label the whole form too.
            Forms of one page have different names.
        stored: the stored value, whose secrets are not sent to the page; it may be `value` itself.
        seal: encrypts secrets and snapshots of other branches; without it, they are readable in the
            page.
    """
    session = _Session(schema, name, stored, seal or NoPageTokens())
    if isinstance(value, Absent):
        return session.show(session.make_value())
    budget = PAGE
    while True:
        submission = session.show(fold_value(value, budget))
        if budget < OPENED or count_fields(submission.form.root) <= MAX_FIELDS:
            return submission
        budget //= 2  # the schema adds fields, so the value alone does not determine their number


def read_submission(
    schema: CompiledSchema | None,
    pairs: Pairs,
    *,
    name: str,
    stored: Maybe = ABSENT,
    seal: PageTokenMaker | None = None,
    is_checked: bool = True,
    adjust: Adjust | None = None,
) -> Submission:
    """Read a submitted form, and apply its pressed button; without one, check its value.

    Of this form's buttons, the switch between fields and JSON is the only one after which errors
    are shown.

    Args:
        schema: as for `begin`.
        pairs: all names and values of the request, a file as `Upload`; names of other forms are
            ignored.
        name: as for `begin`.
        stored: as for `begin`.
        seal: as for `begin`.
        is_checked: False if a button of another form on the page was pressed; then nothing is
            checked.
        adjust: removes secrets from the result of a check.
    """
    session = _Session(schema, name, stored, seal or NoPageTokens())
    decoded = decode(pairs, name=name)
    verb = decoded.operation.verb if decoded.operation else ""
    session.shows_all = verb == "all" or (decoded.shows_all and verb != "fewer")
    outcome = apply(decoded, session.subschemas, session.lookups)
    if is_checked and verb in {"", "view"}:
        submission = session.check(outcome.draft, decoded.faults, adjust)
    else:
        session.pressed = verb
        submission = session.show(outcome.draft, focus=outcome.focus, faults=decoded.faults)
    is_json = isinstance(outcome.draft, Raw)
    if verb == "view" and is_json and not isinstance(decoded.draft, Raw):
        return replace(submission, omitted=session.summarize_unread(decoded.draft))
    return submission


class _Session:
    def __init__(
        self,
        schema: CompiledSchema | None,
        name: str,
        stored: Maybe,
        seal: PageTokenMaker,
    ) -> None:
        self.schema = schema
        self.subschemas: Sequence[Subschema] = () if schema is None else (schema.root,)
        self.name = name
        self.safe = Safe(stored, seal)
        self.lookups = SchemaLookups(find_secret=self.safe.open, seal=seal)
        self.shows_all = False
        self.pressed = ""
        self.has_secrets = False
        self.secret_names: frozenset[str] = frozenset()
        if schema is not None and mentions_secrets(schema.schema):
            self.has_secrets = True
            self.secret_names = secret_names(schema.schema)

    def make_value(self) -> Draft:
        """A new value; an object if the schema allows any type."""
        draft = make_draft(self.lookups, self.subschemas)
        if not isinstance(draft, Missing) or draft.kind is not None:
            return draft
        kinds = self.lookups.kinds.of_all(self.subschemas)
        return Object() if "object" in kinds else draft

    def show(
        self,
        draft: Draft,
        *,
        focus: str | None = None,
        faults: Sequence[Fault] = (),
    ) -> Submission:
        """The form of `draft`, without a check; it shows only the `faults` of the action."""
        draft, form = self._draw(draft, focus)
        if faults:
            form = place_problems(form, faults, (), {})
        reading = self.lookups.read(draft)
        unread = _find_unread((*faults, *reading.faults))
        return Submission(form, draft, reading.value, unread=unread)

    def summarize_unread(self, draft: Draft) -> tuple[Summary, ...]:
        """The fields of `draft` whose text cannot be parsed."""
        unread = _find_unread(self.lookups.read(draft).faults)
        if not unread:
            return ()
        _, form = self._draw(draft, None)
        return place_problems(form, unread, (), {}).errors

    def check(
        self,
        draft: Draft,
        faults: Sequence[Fault],
        adjust: Adjust | None,
    ) -> Submission:
        """The form of `draft`, with all its errors."""
        draft, form = self._draw(draft, None)
        reading = self.lookups.read(draft)
        faults = [*faults, *reading.faults]
        if isinstance(reading.value, Absent) and not faults:
            faults = [Fault("", Problem("", "Enter a value", "form.value-needed"))]
        problems = [fault.problem for fault in faults]
        unchecked = ""
        violations: tuple[Violation, ...] = ()
        if self.schema is not None and not isinstance(reading.value, Absent):
            result = self.schema.check(reading.value)
            if adjust is not None:
                result = adjust(result, reading.value)
            unchecked = result.reason or ""
            violations = result.violations
            problems += result.problems
        form = place_problems(form, faults, violations, reading.paths)
        unread = _find_unread(faults)
        return Submission(form, draft, reading.value, tuple(problems), unchecked, unread)

    def _draw(self, draft: Draft, focus: str | None) -> tuple[Draft, Form]:
        if self.has_secrets:
            draft = hide_secrets(draft, self.subschemas, self.lookups, self.safe, self.secret_names)
        draft = fold(draft, FULL_PAGE // 2 if self.shows_all else FULL_PAGE, focus=focus)
        form = build(
            self.subschemas,
            draft,
            name=self.name,
            label=self.name.capitalize(),
            lookups=self.lookups,
            focus=focus,
            pressed=self.pressed,
            shows_all=self.shows_all,
            has_secrets=self.has_secrets,
        )
        return draft, form


def _find_unread(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """The faults of fields whose text cannot be parsed: an empty field loses nothing."""
    return tuple(fault for fault in faults if fault.problem.rule != "form.value-needed")
