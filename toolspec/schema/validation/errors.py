"""Violations of a schema, as a tree: users see problems; forms also use names and branches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from toolspec.errors import Problem
from toolspec.text.pointers import pointer_join

MAX_POINTER_CHARACTERS: Final = 16_000


def bounded_pointer(tokens: Iterable[str | int]) -> str:
    """The JSON Pointer of `tokens`; if it is too long, of the nearest value around it."""
    pointer = ""
    for token in tokens:
        longer = pointer_join(pointer, token)
        if len(longer) > MAX_POINTER_CHARACTERS:
            break
        pointer = longer
    return pointer


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a value breaks a schema.

    Attributes:
        pointer: the invalid value; for a missing member, the object around it; for a member that is
            not allowed or has an invalid name, the member.
        keyword: "required", "enum", "oneOf"; for a schema that is `false`, the keyword that
            contains it.
        message: what is required at the pointer, without a full stop: "must be a string"; or a
            short sentence.
        schema_pointer: the keyword in the schema's document, after references. In a bundled
            meta-schema, it follows the URI and "#".
        names: the members missing for `required`, `dependentRequired` and `dependencies`; the
            member refused by `additionalProperties`, `unevaluatedProperties`, `propertyNames` or
            `false`.
        branches: of `anyOf`, and of `oneOf` if no alternative matches: the violations of each
            alternative, in order; () if there are too many.
    """

    pointer: str
    keyword: str
    message: str
    schema_pointer: str
    names: tuple[str, ...] = ()
    branches: tuple[tuple[Violation, ...], ...] = ()

    def problem(self) -> Problem:
        """The violation without its branches, in the form shared by all problems of a document."""
        return Problem(
            pointer=self.pointer,
            message=self.message,
            rule=f"schema.{self.keyword}",
            keyword=self.keyword,
            schema_pointer=self.schema_pointer,
        )

    def reported(self) -> Iterator[Violation]:
        """The violations to show in a flat list.

        If one alternative of a union is clearly meant, its own violations are more helpful. This is
        common: most optional values are declared as `anyOf: [T, null]`.
        """
        alternative = self._find_alternative()
        if alternative is None:
            yield self
            return
        for violation in alternative:
            yield from violation.reported()

    def _find_alternative(self) -> tuple[Violation, ...] | None:
        """The only alternative for this type of value.

        Of several, the only one with a matching `const` or `enum`.
        """
        if len(self.branches) < 2:
            return None
        branches = [each for each in self.branches if not any(map(self._is_other_type, each))]
        if len(branches) > 1:
            branches = [each for each in branches if not any(map(self._is_other_name, each))]
        if len(branches) == 1:
            return branches[0]
        return None

    def _is_other_type(self, violation: Violation) -> bool:
        return violation.keyword == "type" and violation.pointer == self.pointer

    def _is_other_name(self, violation: Violation) -> bool:
        """Whether a member that identifies alternatives selects another one."""
        if violation.keyword not in {"const", "enum"}:
            return False
        parent, _, _ = violation.pointer.rpartition("/")
        return parent == self.pointer
