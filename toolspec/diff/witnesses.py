"""Proof of a change: a value that one revision accepts and the other refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from math import inf
from typing import Final, Literal

from toolspec.diff.changes import Any, Path, Proof
from toolspec.diff.conjunction import Conjunction
from toolspec.diff.differences import Effect, SchemaDifference
from toolspec.diff.edits import apply_edit, put_samples, sampling_budget
from toolspec.schema.validation import Budget, CompiledSchema, Violation
from toolspec.text.pointers import split_pointer
from toolspec.text.reader import JSON

MAX_TRIES: Final = 120  # of one change
MAX_MORE_TRIES: Final = 20  # to find a value that is refused because of one change alone
MAX_BASES: Final = 12
STEPS: Final = 50_000  # of one attempt
ALL_STEPS: Final = 120_000
# The whole value at the path is refused, whatever the keyword.
_WHOLE: Final = frozenset(
    {"alternative", "choice", "described", "forbidden", "member-added", "member-removed"}
)
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

    def is_for(self, difference: SchemaDifference, refusing: Conjunction) -> bool:
        """Whether the value is refused because of `difference`, and maybe for other reasons."""
        return any(_is_for(violation, difference, refusing) for violation in self.violations)

    def is_only_for(self, difference: SchemaDifference, refusing: Conjunction) -> bool:
        """Whether `difference` alone is why the value is refused."""
        return all(_is_for(violation, difference, refusing) for violation in self.violations)

    def proof(
        self, difference: SchemaDifference | None = None, refusing: Conjunction | None = None
    ) -> Proof:
        """The proof of `difference`: with the message about it, if the value is refused for several reasons."""
        reasons = self.violations
        if difference is not None and refusing is not None:
            own = [each for each in reasons if _is_for(each, difference, refusing)]
            reasons = tuple(own) or reasons
        reported = chain.from_iterable(each.reported() for each in reasons)
        reason = next(reported)
        return Proof(self.kind, self.value, self.source, reason.message, reason.pointer)


@dataclass
class WitnessFinder:
    """Finds values that one schema accepts and another refuses.

    Attributes:
        accepts, refuses: the schema that must accept a proof, and the one that must refuse it.
        is_output: `accepts` is the new schema.
        known: values from examples and runs.
        samples: values that may be accepted, to make witnesses from.
        steps: how much work is left to check values.
        sampling: for values made of schemas.
        has_explained_known: whether a difference was found that explains why a known value is refused.
    """

    accepts: CompiledSchema
    refuses: CompiledSchema
    is_output: bool
    known: tuple[Known, ...]
    samples: tuple[JSON, ...]
    steps: int = ALL_STEPS
    sampling: Budget = field(default_factory=sampling_budget)
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
    def bases(self) -> list[tuple[JSON, bool]]:
        """Values that the first schema accepts, and whether both do: these come first.

        If a value that both accept is refused after an edit, the edit is the reason.
        """
        values = [*(known.value for known in self.known[:MAX_BASES]), *self.samples[:MAX_BASES]]
        accepted = [value for value in values if self.is_valid(self.accepts, value)]
        found = [(value, self.is_valid(self.refuses, value)) for value in accepted]
        return sorted(found, key=lambda base: not base[1])

    def proof_of(self, difference: SchemaDifference, *, search: bool = True) -> Proof | None:
        """A value that is refused because of `difference`: a known one, else a witness if `search` is set.

        It is refused because of `difference` alone, unless no such value is found.
        """
        effect = difference.gained if self.is_output else difference.lost
        refusing = difference.old if self.is_output else difference.new
        known = [*self.known_refusals, *self.sample_refusals]
        explained = [each for each in known if each.is_for(difference, refusing)]
        self.has_explained_known |= any(each.kind != "witness" for each in explained)
        for each in explained:
            # by convention, only a value that was really used proves a change of undeclared members
            if effect is Effect.UNDECLARED or each.is_only_for(difference, refusing):
                return each.proof(difference, refusing)
        refusal = self.witness(difference, refusing) if search else None
        if refusal is None or (explained and not refusal.is_only_for(difference, refusing)):
            refusal = next(iter(explained), None)
        return refusal.proof(difference, refusing) if refusal else None

    def witness(self, difference: SchemaDifference, refusing: Conjunction) -> Refusal | None:
        """An accepted value, changed by one of the edits of `difference`; None if that takes too much work.

        One that is refused for other reasons too is returned only if the next attempts find none without them.
        """
        inexact = None
        tries = MAX_TRIES
        for value, is_valid_in_both in islice(self.candidates(difference), MAX_TRIES):
            tries -= 1
            if self.steps <= 0 or tries < 0:
                break
            refusal = self.refusal_of(value)
            if refusal is None:
                continue
            if refusal.is_only_for(difference, refusing):
                return refusal
            if is_valid_in_both and refusal.violations[0].keyword in COMBINING:
                return refusal
            if inexact is None and refusal.is_for(difference, refusing):
                inexact = refusal
                tries = min(tries, MAX_MORE_TRIES)
        return inexact

    def candidates(self, difference: SchemaDifference) -> Iterator[tuple[JSON, bool]]:
        """Values that may be refused because of `difference`, and whether both accept the value before the edit."""
        bases = self.choose_bases(difference) if difference.frames else []
        bases += self.bases
        accepting = difference.new if self.is_output else difference.old
        if difference.kind == "alternative":
            bases = [*bases, (None, False)]
            tried = (*put_samples([accepting], self.sampling), *difference.edits)
        else:
            bases = [*bases, (None, False), ({}, False), ([], False)]
            tried = (*difference.edits, *put_samples([accepting], self.sampling))
        in_both = [base for base in bases if base[1]]
        others = [base for base in bases if not base[1]]
        for some in (in_both, others):
            for edit in tried:
                for base, is_valid_in_both in some:
                    made = apply_edit(base, difference.path, edit, difference.names)
                    yield from ((value, is_valid_in_both) for value in made)

    def choose_bases(self, difference: SchemaDifference) -> list[tuple[JSON, bool]]:
        """Bases in which the alternatives are chosen that lead to `difference`."""
        bases: list[JSON] = [value for value, _ in self.bases[:2]] or [None]
        for path, old, new in difference.frames:
            edits = put_samples([new if self.is_output else old], self.sampling)
            made = [
                value for edit in edits for base in bases for value in apply_edit(base, path, edit)
            ]
            bases = [value for value in made if self.is_valid(self.accepts, value)][:4] or bases
        return [(value, self.is_valid(self.refuses, value)) for value in bases]

    def refusal_of(
        self, value: JSON, kind: Literal["example", "run", "witness"] = "witness", source: str = ""
    ) -> Refusal | None:
        if not self.is_valid(self.accepts, value):
            return None
        with self.limit_budget() as budget:
            result = self.refuses.check(value, budget=budget)
        if result.verdict != "violates":
            return None
        return Refusal(value, result.violations, kind, source)

    def is_valid(self, schema: CompiledSchema, value: JSON) -> bool:
        with self.limit_budget() as budget:
            return schema.root.is_valid(value, budget) is True

    @contextmanager
    def limit_budget(self) -> Iterator[Budget]:
        """The budget of one attempt, from the rest of the common budget."""
        budget = Budget(steps=min(STEPS, self.steps), seconds=inf)
        before = budget.steps
        try:
            yield budget
        finally:
            self.steps -= before - budget.steps


def _is_for(violation: Violation, difference: SchemaDifference, refusing: Conjunction) -> bool:
    """Whether `difference` is the reason, or the only reason why some alternative refuses the value."""
    if _is_at(violation, difference, refusing):
        return True
    for branch in violation.branches:
        if branch and all(_is_for(inner, difference, refusing) for inner in branch):
            return True
    return False


def _is_at(violation: Violation, difference: SchemaDifference, refusing: Conjunction) -> bool:
    kind, path = difference.kind, difference.path
    if kind.startswith("member-") and violation.keyword == "required":
        is_missing = difference.subject in violation.names
        return is_missing and _is_at_path(violation.pointer, path[:-1], exactly=True)
    if kind in _WHOLE:
        return _is_at_path(violation.pointer, path, exactly=True)
    if kind == "type":
        asking = {*difference.keywords, *COMBINING}
        return violation.keyword in asking and _is_at_path(violation.pointer, path, exactly=True)
    if violation.keyword not in difference.keywords or not _is_at_path(violation.pointer, path):
        return False
    if kind == "required" and difference.subject not in violation.names:
        return False
    for subschema in refusing.subschemas:
        pointer = subschema.pointer_to(violation.keyword)
        if f"{violation.schema_pointer}/".startswith(f"{pointer}/"):
            return True
    return False


def _is_at_path(pointer: str, path: Path, *, exactly: bool = False) -> bool:
    """Whether `pointer` leads to a position that `path` describes, or to one below it."""
    tokens = split_pointer(pointer)
    if len(tokens) < len(path) or (exactly and len(tokens) > len(path)):
        return False
    steps = zip(path, tokens, strict=False)
    return all(isinstance(step, Any) or str(step) == token for step, token in steps)
