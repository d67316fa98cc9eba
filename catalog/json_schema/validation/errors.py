"""What breaks a schema, as a tree: for people as problems, for forms with names and branches."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from jsonschema.exceptions import ValidationError

from catalog.errors import Problem
from catalog.json_schema.validation.messages import MAX_MESSAGE_CHARACTERS
from catalog.jsontext.pointers import pointer_join

if TYPE_CHECKING:
    from catalog.json_schema.validation.subschema import Subschema

MAX_POINTER_CHARACTERS: Final = 16_000


def bounded_pointer(tokens: Iterable[str | int]) -> str:
    """The JSON Pointer of `tokens`; where that is too long, of what is around it."""
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
        pointer: into the value: what is wrong; for what is missing, the object it is missing in; for a member that is
            not allowed or not named right, the member itself.
        keyword: "required", "enum", "oneOf"; for a schema that is `false`, the keyword that it stands under.
        message: one short sentence.
        schema_pointer: into the schema's document: where the keyword stands, references followed. Into a bundled
            meta-schema, its URI and "#" come first.
        names: what `required`, `dependentRequired` and `dependencies` miss; the member that `additionalProperties`,
            `unevaluatedProperties`, `propertyNames` or a `false` object to.
        branches: of `anyOf`, and of `oneOf` where nothing fits: what is wrong with each alternative, in their order;
            empty where that would be too much to tell.
    """

    pointer: str
    keyword: str
    message: str
    schema_pointer: str
    names: tuple[str, ...] = ()
    branches: tuple[tuple[Violation, ...], ...] = ()

    def problem(self) -> Problem:
        """The violation without its branches, as everything that is wrong with a document is told."""
        return Problem(
            pointer=self.pointer,
            message=self.message,
            rule=f"schema.{self.keyword}",
            keyword=self.keyword,
            schema_pointer=self.schema_pointer,
        )

    def reported(self) -> Iterator[Violation]:
        """What to tell a person who sees a flat list.

        Where one alternative of a union is clearly meant, what is wrong with it says more: `anyOf: [T, null]` is how
        most real schemas say that something is optional.
        """
        meant = self._alternative_meant()
        if meant is None:
            yield self
            return
        for violation in meant:
            yield from violation.reported()

    def _alternative_meant(self) -> tuple[Violation, ...] | None:
        """The only alternative that is for values of this type, or the only one of those that is for this `const`."""
        if len(self.branches) < 2:
            return None
        of_type = [branch for branch in self.branches if not any(self._is_other_type(each) for each in branch)]
        if len(of_type) > 1:
            of_type = [branch for branch in of_type if not any(self._is_other_name(each) for each in branch)]
        return of_type[0] if len(of_type) == 1 else None

    def _is_other_type(self, violation: Violation) -> bool:
        return violation.keyword == "type" and violation.pointer == self.pointer

    def _is_other_name(self, violation: Violation) -> bool:
        """Whether a member that tells the alternatives apart says that another one is meant."""
        return violation.keyword in {"const", "enum"} and violation.pointer.rpartition("/")[0] == self.pointer


class Failure(ValidationError):
    """A violation on its way through `jsonschema`, which knows already where it is."""

    def __init__(
        self,
        place: Subschema,
        path: Sequence[str | int],
        keyword: str,
        message: str,
        *,
        tokens: tuple[str | int, ...] | None = None,
        names: tuple[str, ...] = (),
        branches: tuple[tuple[Failure, ...], ...] = (),
    ) -> None:
        super().__init__(message, validator=keyword, path=path)
        self.schema_path = self.relative_schema_path = deque(maxlen=0)
        self.place = place
        self.tokens = (keyword,) if tokens is None else tokens
        self.names = names
        self.branches = branches

    def _set(self, type_checker: object = None, **kwargs: Any) -> None:
        """Nothing: `jsonschema` would keep the value and the schema here."""

    def violation(self) -> Violation:
        message = "A" + self.message[1:] if self.message.startswith("an ") else self.message
        if len(message) > MAX_MESSAGE_CHARACTERS:
            message = message[: MAX_MESSAGE_CHARACTERS - 1] + "…"
        return Violation(
            pointer=bounded_pointer(self.path),
            keyword=str(self.validator),
            message=message,
            schema_pointer=self.place.pointer_to(*self.tokens),
            names=self.names,
            branches=tuple(tuple(failure.violation() for failure in branch) for branch in self.branches),
        )
