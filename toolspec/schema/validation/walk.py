"""The walk over a value with the keyword functions of `jsonschema`, within the budget of a run.

A function gets a `Validator`, the value of its keyword, the value to check, and the schema with the
keyword. Those of `jsonschema` yield its `ValidationError`, which quotes the value and becomes a
`Violation` here; those of `keywords` yield a `Violation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from jsonschema import TypeChecker
from jsonschema.exceptions import ValidationError

from toolspec.schema.describe import cut
from toolspec.schema.validation.budget import current_run
from toolspec.schema.validation.errors import Violation, bounded_pointer
from toolspec.schema.validation.messages import (
    MAX_MESSAGE_CHARACTERS,
    describe_requirement,
    show_text,
)
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from toolspec.schema.validation.subschema import Subschema

# (the validator, the keyword's value, the value to check, the schema) -> errors
Keyword: TypeAlias = (
    "Callable[[Validator, Any, Any, Any], Iterable[ValidationError | Violation] | None]"
)


@dataclass(frozen=True, slots=True)
class Validator:
    """One keyword of a subschema, as the validator that `jsonschema` passes to its function."""

    subschema: Subschema
    keyword: str
    types: TypeChecker

    def is_type(self, instance: object, name: str) -> bool:
        """Whether `instance` has the type `name` in the draft of the subschema."""
        return self.types.is_type(instance, name)

    def evolve(self, **_: object) -> Self:
        """The validator for the schema under the keyword: its `is_valid` is asked next."""
        return self

    def is_valid(self, instance: JSON) -> bool:
        """Whether `instance` is valid in the schema that is the value of the keyword."""
        return fits(self.below(), instance)

    def descend(
        self,
        instance: JSON,
        schema: JSON,
        path: str | int | None = None,
        schema_path: str | int | None = None,
    ) -> Iterator[Violation]:
        """The violations of `instance` in `schema`.

        Args:
            instance: the value, or a member or item of it.
            schema: the value of the keyword, or a schema in it.
            path: the member or item that `instance` is; None if it is the value that the keyword
                checks.
            schema_path: from the value of the keyword to `schema`; None if it is that value.
        """
        if schema is True:
            return
        run = current_run()
        if path is not None:
            run.path.append(path)
        try:
            yield from violations(self.below(schema_path), instance)
        finally:
            if path is not None:
                run.path.pop()

    def below(self, schema_path: str | int | None = None) -> Subschema:
        """The subschema at `schema_path` in the value of the keyword."""
        if schema_path is None:
            return self.subschema.sub(self.keyword)
        if self.keyword == "if":
            return self.subschema.sub(schema_path)  # `then` or `else`
        return self.subschema.sub(self.keyword, schema_path)

    def violation(
        self,
        message: str,
        *,
        keyword: str | None = None,
        tokens: tuple[str, ...] | None = None,
        member: str | None = None,
        names: tuple[str, ...] = (),
        branches: tuple[tuple[Violation, ...], ...] = (),
    ) -> Violation:
        """A violation of the keyword at the run's path.

        Args:
            message: shortened if it is too long.
            keyword: the keyword to report, if it is another one beside it.
            tokens: from the schema to the value that is violated; by default, to the keyword.
            member: the member at the run's path that it is about, if it is only about one.
            names: as in `Violation`.
            branches: as in `Violation`.
        """
        run = current_run()
        if run.reported is None:
            return _ANY
        keyword = keyword or self.keyword
        path = run.path if member is None else [*run.path, member]
        return Violation(
            pointer=bounded_pointer(path),
            keyword=keyword,
            message=cut(message, MAX_MESSAGE_CHARACTERS),
            schema_pointer=self.subschema.pointer_to(*(tokens or (keyword,))),
            names=names,
            branches=branches,
        )


_WITH_SIZE: Final = (str, list, dict)  # keywords go over their parts, or quote them

_ANY: Final = Violation("", "", "", "")
"""Stands for any violation while only validity counts."""


@dataclass(frozen=True, slots=True)
class Check:
    """A keyword of a subschema with its function, and how many steps it costs at least."""

    function: Keyword
    validator: Validator
    value: Any
    steps: int


def list_checks(subschema: Subschema, schema: dict[str, Any], draft: Any) -> list[Check]:
    """The keywords of `schema` that `draft`, a validator class of `jsonschema`, checks."""
    checks = []
    for keyword, value in schema.items():
        if keyword in draft.VALIDATORS:
            validator = Validator(subschema, keyword, draft.TYPE_CHECKER)
            parts = len(value) // 16 if isinstance(value, list | dict) else 0
            checks.append(Check(draft.VALIDATORS[keyword], validator, value, 1 + parts))
    return checks


def violations(subschema: Subschema, instance: JSON) -> Iterator[Violation]:
    """The violations of `instance`, which is at the run's path.

    Raises:
        Unchecked: the check cannot be finished.
    """
    run = current_run()
    steps = 1
    if isinstance(instance, _WITH_SIZE):
        steps += len(instance) // 64
    run.spend(steps)
    schema = subschema.schema
    if isinstance(schema, bool):
        if not schema:
            yield _ANY if run.reported is None else _make_refusal(subschema, run.path)
        return
    run.descend()
    try:
        for check in subschema.checks:
            run.spend(check.steps)
            for error in check.function(check.validator, check.value, instance, schema) or ():
                if isinstance(error, Violation):
                    yield error
                else:
                    keyword = check.validator.keyword
                    yield check.validator.violation(
                        describe_requirement(keyword, check.value, schema)
                    )
    finally:
        run.levels += 1


def fits(subschema: Subschema, instance: JSON) -> bool:
    """Whether `instance` is valid; cached for the run.

    Raises:
        Unchecked: the check cannot be finished.
    """
    if isinstance(subschema.schema, bool):
        return subschema.schema
    run = current_run()
    key = (subschema, id(instance))
    known = run.fits.get(key)
    if known is not None:
        return known
    run.enter(key)
    reported = run.reported
    run.reported = None
    try:
        is_valid = next(violations(subschema, instance), None) is None
    finally:
        run.open.discard(key)
        run.reported = reported
    run.fits[key] = is_valid
    return is_valid


def _make_refusal(subschema: Subschema, path: list[str | int]) -> Violation:
    """The violation of a `false`, with the keyword that contains it."""
    message = "Nothing is allowed here"
    names: tuple[str, ...] = ()
    member = path[-1] if path else None
    if isinstance(member, str):
        message = f"{show_text(member)} is not allowed here"
        names = (member,)
    elif member is not None:
        message = f"Item {member} (counted from 0) is not allowed here"
    return Violation(
        bounded_pointer(path), subschema.keyword_around, message, subschema.pointer, names
    )
