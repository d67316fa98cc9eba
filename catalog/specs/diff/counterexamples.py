"""Proof of a change: a value that one revision accepts and the other refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Final, Literal

from catalog.json_schema.validation import Budget, CompiledSchema, Violation
from catalog.json_schema.validation.budget import Unchecked
from catalog.jsontext.pointers import split_pointer
from catalog.jsontext.reader import JSON
from catalog.specs.diff.changes import Any, Path, Proof
from catalog.specs.diff.conjunction import TooMuch
from catalog.specs.diff.mutations import edited, put_each
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import samples

MAX_TRIES: Final = 80  # of one change
MAX_MORE_TRIES: Final = 20  # to find a value that is refused because of one change alone
MAX_BASES: Final = 12
STEPS: Final = 50_000  # of one attempt
ALL_STEPS: Final = 500_000
ALL_SECONDS: Final = 1.0  # of CPU time
_PLAIN: Final = frozenset(
    {"alternative", "choice", "described", "forbidden"}
)  # the whole value at the path is refused
COMBINING: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "$ref", "unevaluatedItems", "unevaluatedProperties"}
)


@dataclass(frozen=True, slots=True)
class Known:
    """A value that was really used: in an example of a spec, or sent or returned in a run."""

    kind: Literal["example", "run"]
    source: str
    value: JSON


@dataclass(frozen=True, slots=True)
class Refusal:
    """A value that one schema accepts and the other refuses, and why."""

    value: JSON
    violations: tuple[Violation, ...]
    kind: Literal["example", "run", "witness"] = "witness"
    source: str = ""

    def is_for(self, obstacle: Obstacle) -> bool:
        """Whether the value is refused because of `obstacle`, and maybe for other reasons."""
        return any(_is_for(violation, obstacle) for violation in self.violations)

    def is_only_for(self, obstacle: Obstacle) -> bool:
        """Whether `obstacle` alone is why the value is refused."""
        return all(_is_for(violation, obstacle) for violation in self.violations)

    def proof(self, obstacle: Obstacle | None = None) -> Proof:
        """The proof of `obstacle`: with the message about it, if the value is refused for several reasons."""
        reasons = self.violations
        if obstacle is not None:
            reasons = tuple(each for each in self.violations if _is_for(each, obstacle)) or reasons
        reason = next(islice(chain.from_iterable(each.reported() for each in reasons), 1))
        return Proof(self.kind, self.value, self.source, reason.message, reason.pointer)


@dataclass
class CounterexampleFinder:
    """Finds values that one schema accepts and another refuses.

    Attributes:
        accepts, refuses: the schema that must accept a proof, and the one that must refuse it.
        known: values from examples and runs.
        samples: values that may be accepted, to make witnesses from.
        has_explained_known: whether an obstacle was found that explains why a known value is refused.
    """

    accepts: CompiledSchema
    refuses: CompiledSchema
    known: tuple[Known, ...]
    samples: tuple[JSON, ...]
    steps: int = ALL_STEPS
    seconds: float = ALL_SECONDS
    has_explained_known: bool = False

    @cached_property
    def known_refusals(self) -> list[Refusal]:
        """The known values that are proofs."""
        found = (self.refusal_of(known.value, known.kind, known.source) for known in self.known)
        return [refusal for refusal in found if refusal is not None]

    @cached_property
    def sample_refusals(self) -> list[Refusal]:
        """The samples that are proofs without an edit."""
        found = (self.refusal_of(value) for value in self.samples[:MAX_BASES])
        return [refusal for refusal in found if refusal is not None]

    @cached_property
    def valid_in_both(self) -> list[JSON]:
        """Values that both schemas accept: if one is refused after an edit, the edit is the reason."""
        values = [*(known.value for known in self.known[:MAX_BASES]), *self.samples[:MAX_BASES]]
        return [
            value
            for value in values
            if self.is_valid(self.accepts, value) and self.is_valid(self.refuses, value)
        ]

    @cached_property
    def bases(self) -> list[JSON]:
        """Values that the first schema accepts."""
        values = [*(known.value for known in self.known[:MAX_BASES]), *self.samples[:MAX_BASES]]
        return [value for value in values if self.is_valid(self.accepts, value)]

    def proof_of(self, obstacle: Obstacle, *, search: bool = True) -> Proof | None:
        """A value that is refused because of `obstacle`: a known one, else a witness if `search` is set.

        It is refused because of `obstacle` alone, unless no such value is found.
        """
        explained = [
            each for each in (*self.known_refusals, *self.sample_refusals) if each.is_for(obstacle)
        ]
        self.has_explained_known |= any(each.kind != "witness" for each in explained)
        # by convention, only a value that was really used proves a change of undeclared members
        exactly = [each for each in explained if obstacle.undeclared or each.is_only_for(obstacle)]
        if exactly:
            return exactly[0].proof(obstacle)
        refusal = self.witness(obstacle) if search else None
        if refusal is None or (explained and not refusal.is_only_for(obstacle)):
            refusal = next(iter(explained), None)
        return refusal.proof(obstacle) if refusal else None

    def witness(self, obstacle: Obstacle) -> Refusal | None:
        """An accepted value, changed by one of the obstacle's edits; None if that takes too much work.

        One that is refused for other reasons too is returned only if the next attempts find none without them.
        """
        inexact = None
        tries = MAX_TRIES + 1
        with suppress(TooMuch, Unchecked):
            for value, is_valid_in_both in islice(self.candidates(obstacle), MAX_TRIES + 1):
                tries -= 1
                if self.seconds <= 0 or self.steps <= 0 or tries < 0:
                    break
                refusal = self.refusal_of(value)
                if refusal is None:
                    continue
                if refusal.is_only_for(obstacle):
                    return refusal
                if is_valid_in_both and refusal.violations[0].keyword in COMBINING:
                    return refusal
                if inexact is None and refusal.is_for(obstacle):
                    inexact = refusal
                    tries = min(tries, MAX_MORE_TRIES)
        return inexact

    def candidates(self, obstacle: Obstacle) -> Iterator[tuple[JSON, bool]]:
        for bases, is_valid_in_both in (
            (self.valid_in_both, True),
            (self.bases, False),
            ([None, {}, []], False),
        ):
            for edit in obstacle.edits:
                for base in bases:
                    yield from (
                        (value, is_valid_in_both)
                        for value in edited(base, obstacle.path, edit, obstacle.names)
                    )
        for edit in put_each(samples(obstacle.producer)):
            for base in (*self.valid_in_both, *self.bases, None):
                yield from (
                    (value, False) for value in edited(base, obstacle.path, edit, obstacle.names)
                )

    def refusal_of(
        self, value: JSON, kind: Literal["example", "run", "witness"] = "witness", source: str = ""
    ) -> Refusal | None:
        if not self.is_valid(self.accepts, value):
            return None
        with self.limited_budget() as budget:
            result = self.refuses.check(value, budget=budget)
        if result.verdict != "violates":
            return None
        return Refusal(value, result.violations, kind, source)

    def is_valid(self, schema: CompiledSchema, value: JSON) -> bool:
        with self.limited_budget() as budget:
            return schema.root.is_valid(value, budget) is True

    @contextmanager
    def limited_budget(self) -> Iterator[Budget]:
        """The budget of one attempt, from the rest of the common budget."""
        budget = Budget(steps=min(STEPS, self.steps), seconds=self.seconds)
        before = budget.steps
        try:
            yield budget
        finally:
            self.steps -= before - budget.steps
            self.seconds = budget.seconds


def _is_for(violation: Violation, obstacle: Obstacle) -> bool:
    """Whether `obstacle` is the reason, or the only reason why some alternative refuses the value."""
    if _is_at(violation, obstacle):
        return True
    return any(
        branch and all(_is_for(inner, obstacle) for inner in branch)
        for branch in violation.branches
    )


def _is_at(violation: Violation, obstacle: Obstacle) -> bool:
    if obstacle.kind in _PLAIN:
        return _is_at_path(violation.pointer, obstacle.path, exactly=True)
    if obstacle.kind == "type":
        asking = {*obstacle.keywords, *COMBINING}
        return violation.keyword in asking and _is_at_path(
            violation.pointer, obstacle.path, exactly=True
        )
    if violation.keyword not in obstacle.keywords or not _is_at_path(
        violation.pointer, obstacle.path
    ):
        return False
    if obstacle.kind == "required" and obstacle.subject not in violation.names:
        return False
    pointers = (
        subschema.pointer_to(violation.keyword) for subschema in obstacle.consumer.subschemas
    )
    return any(f"{violation.schema_pointer}/".startswith(f"{pointer}/") for pointer in pointers)


def _is_at_path(pointer: str, path: Path, *, exactly: bool = False) -> bool:
    """Whether `pointer` leads to a position that `path` describes, or to one below it."""
    tokens = split_pointer(pointer)
    if len(tokens) < len(path) or (exactly and len(tokens) > len(path)):
        return False
    return all(
        isinstance(step, Any) or str(step) == token
        for step, token in zip(path, tokens, strict=False)
    )
