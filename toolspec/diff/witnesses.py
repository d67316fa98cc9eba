"""Proof of a change: a value that one revision accepts and the other refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby, islice, product
from math import inf
from typing import Final, Literal, TypeAlias

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
_KINDS_OF_WHOLE_SCHEMAS: Final = frozenset(
    {"alternative", "choice", "described", "forbidden", "member-added", "member-removed"}
)
COMBINING: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "$ref", "unevaluatedItems", "unevaluatedProperties"}
)
Base: TypeAlias = tuple[JSON, bool]
"""A value that one schema accepts, and whether the other does too."""


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
        """The proof of `difference`; if the value has several violations, with the one about it."""
        violations = list(self.violations)
        if difference is not None and refusing is not None:
            violations.sort(key=lambda violation: not _is_for(violation, difference, refusing))
        reason = next(chain.from_iterable(violation.reported() for violation in violations))
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
        has_explained_known: whether a difference was found that explains why a known value is
            refused.
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
        refusals = []
        for known in self.known:
            refusal = self.refusal_of(known.value, known.kind, known.source)
            if refusal is not None:
                refusals.append(refusal)
        return refusals

    @cached_property
    def sample_refusals(self) -> list[Refusal]:
        """The samples that are proofs without an edit."""
        refusals = map(self.refusal_of, self.samples[:MAX_BASES])
        return [refusal for refusal in refusals if refusal is not None]

    @cached_property
    def bases(self) -> list[Base]:
        """Values that the first schema accepts; those that both accept come first.

        If a value that both accept is refused after an edit, the edit is the reason.
        """
        values = [*(known.value for known in self.known[:MAX_BASES]), *self.samples[:MAX_BASES]]
        accepted = [value for value in values if self.is_valid(self.accepts, value)]
        bases = [(value, self.is_valid(self.refuses, value)) for value in accepted]
        return sorted(bases, key=lambda base: not base[1])

    def find_proof(self, difference: SchemaDifference, *, search: bool = True) -> Proof | None:
        """A value that is refused because of `difference`: a known one, else a witness if `search`.

        It is refused because of `difference` alone, unless no such value is found.
        """
        effect = difference.gained if self.is_output else difference.lost
        refusing = difference.old if self.is_output else difference.new
        explained = []
        for refusal in (*self.known_refusals, *self.sample_refusals):
            if refusal.is_for(difference, refusing):
                explained.append(refusal)
                self.has_explained_known |= refusal.kind != "witness"
        for refusal in explained:
            # by convention, only a value that was really used proves a change of undeclared members
            if effect is Effect.UNDECLARED or refusal.is_only_for(difference, refusing):
                return refusal.proof(difference, refusing)
        witness = self.find_witness(difference, refusing) if search else None
        if explained and (witness is None or not witness.is_only_for(difference, refusing)):
            witness = explained[0]
        return witness.proof(difference, refusing) if witness else None

    def find_witness(self, difference: SchemaDifference, refusing: Conjunction) -> Refusal | None:
        """An accepted value, changed by one of the edits of `difference`.

        None if that takes too much work.

        One that is refused for other reasons too is returned only if the next attempts find none
        without them.
        """
        inexact = None
        tries = MAX_TRIES
        for value, is_valid_in_both in islice(self.list_candidates(difference), MAX_TRIES):
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

    def list_candidates(self, difference: SchemaDifference) -> Iterator[Base]:
        """Values that may be refused because of `difference`, and whether both accept the base."""
        bases = [*self.choose_bases(difference), *self.bases, (None, False)]
        accepting = difference.new if self.is_output else difference.old
        samples = put_samples([accepting], self.sampling)
        if difference.kind == "alternative":
            tried = (*samples, *difference.edits)
        else:
            bases += [({}, False), ([], False)]
            tried = (*difference.edits, *samples)
        bases.sort(key=lambda base: not base[1])
        for is_valid_in_both, group in groupby(bases, key=lambda base: base[1]):
            for edit, (base, _) in product(tried, group):
                for value in apply_edit(base, difference.path, edit, difference.names):
                    yield value, is_valid_in_both

    def choose_bases(self, difference: SchemaDifference) -> list[Base]:
        """Bases in which the alternatives are chosen that lead to `difference`.

        [] if it is in none.
        """
        if not difference.frames:
            return []
        values: list[JSON] = [value for value, _ in self.bases[:2]] or [None]
        for path, old, new in difference.frames:
            accepted = []
            for edit in put_samples([new if self.is_output else old], self.sampling):
                for base in values:
                    edited = apply_edit(base, path, edit)
                    accepted += [value for value in edited if self.is_valid(self.accepts, value)]
            values = accepted[:4] or values
        return [(value, self.is_valid(self.refuses, value)) for value in values]

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
    """Whether `difference` is the reason, or the only reason of some alternative."""
    if _is_at(violation, difference, refusing):
        return True
    for branch in violation.branches:
        if branch and all(_is_for(inner, difference, refusing) for inner in branch):
            return True
    return False


def _is_at(violation: Violation, difference: SchemaDifference, refusing: Conjunction) -> bool:
    """Whether `violation` is at the place of `difference` and about its keyword.

    About any keyword, for a kind in `_KINDS_OF_WHOLE_SCHEMAS`.
    """
    kind, path = difference.kind, difference.path
    keyword, pointer = violation.keyword, violation.pointer
    if kind.startswith("member-") and keyword == "required":
        is_missing = difference.subject in violation.names
        return is_missing and _is_at_path(pointer, path[:-1], exactly=True)
    if kind in _KINDS_OF_WHOLE_SCHEMAS:
        return _is_at_path(pointer, path, exactly=True)
    if kind == "type":
        is_about_type = keyword in COMBINING or keyword in difference.keywords
        return is_about_type and _is_at_path(pointer, path, exactly=True)
    if keyword not in difference.keywords or not _is_at_path(pointer, path):
        return False
    if kind == "required" and difference.subject not in violation.names:
        return False
    for subschema in refusing.subschemas:
        if f"{violation.schema_pointer}/".startswith(f"{subschema.pointer_to(keyword)}/"):
            return True
    return False


def _is_at_path(pointer: str, path: Path, *, exactly: bool = False) -> bool:
    """Whether `pointer` leads to a position that `path` describes, or to one below it."""
    tokens = split_pointer(pointer)
    if len(tokens) < len(path) or (exactly and len(tokens) > len(path)):
        return False
    for step, token in zip(path, tokens, strict=False):
        if not isinstance(step, Any) and str(step) != token:
            return False
    return True
