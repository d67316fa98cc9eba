"""Compares one part of two specs: the parameters, the response, or the configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from toolspec.diff.changes import Change, Part, Path, Proof, Verdict
from toolspec.diff.conjunction import Conjunction, conjoin
from toolspec.diff.differences import Effect, SchemaDifference
from toolspec.diff.edits import MAX_REPEATED, sampling_budget
from toolspec.diff.edits import samples_of as make_samples
from toolspec.diff.limits import LEAST, MOST, counts_of, least_size
from toolspec.diff.messages import write_message, write_note
from toolspec.diff.walk import find_differences
from toolspec.diff.witnesses import Known, Refusal, WitnessFinder
from toolspec.diff.wording import (
    list_new_words,
    quote_gone_instructions,
    text_of,
    verdict_of_annotation,
)
from toolspec.schema.validation import CompiledSchema, compile_schema
from toolspec.schema.validation.budget import Unchecked
from toolspec.text.reader import JSON

Sampler = Callable[[CompiledSchema, str], Sequence[JSON]]
"""(schema, seed) -> some values that the schema accepts, always the same for the same seed.

[] if none is found.
"""

BASE_URL: Final = "baseUrl"  # of the configuration of an OpenAPI operation
SCHEMAS: Final[dict[Part, str]] = {
    "parameters": "/definition/parameters",
    "returnType": "/definition/returnType",
    "configuration": "/configuration",
}
MAX_PROVED: Final = 60  # changes for which a witness is searched


@dataclass(frozen=True)
class Comparison:
    """Two schemas to compare.

    Attributes:
        before, after: the schemas; None accepts everything.
        known: values from examples and runs.
    """

    part: Part
    before: JSON
    after: JSON
    known: tuple[Known, ...]
    sample: Sampler | None

    def list_changes(self) -> list[Change]:
        """The changes, with a proof for each that breaks callers."""
        try:
            differences = find_differences(self.old.root, self.new.root)
        except Unchecked:
            sentence = "The two schemas are too large or too complex to compare."
            change = self.make_change_at("too-much", sentence, "unknown")
            return [change, *self.find_refused_sample()]
        changes = []
        breaking_count = 0
        for difference in differences:
            if self.effect_of(difference) is not Effect.NONE:
                breaking_count += 1
            changes.append(self.make_change(difference, search=breaking_count <= MAX_PROVED))
        if self.before is not None and self.after is not None:
            prefix = SCHEMAS[self.part]
            changes += list_new_words(self.part, prefix, self.before, self.after, changes)
        return [*changes, *self.find_unexplained(changes)]

    # The two sides.

    @cached_property
    def old(self) -> CompiledSchema:
        return compile_schema(True if self.before is None else self.before)

    @cached_property
    def new(self) -> CompiledSchema:
        return compile_schema(True if self.after is None else self.after)

    @property
    def is_output(self) -> bool:
        """Whether callers read these values instead of sending them."""
        return self.part == "returnType"

    @cached_property
    def finder(self) -> WitnessFinder:
        """Finds breaking values: accepted before and refused now.

        For output, possible now and impossible before.
        """
        samples = (*self.samples, *samples_of(self.refuses), {})
        return WitnessFinder(self.accepts, self.refuses, self.is_output, self.known, samples)

    @property
    def accepts(self) -> CompiledSchema:
        return self.new if self.is_output else self.old

    @property
    def refuses(self) -> CompiledSchema:
        return self.old if self.is_output else self.new

    @cached_property
    def samples(self) -> list[JSON]:
        """Sample values of the schema that must accept them."""
        values = samples_of(self.accepts)
        if self.sample is not None:
            return [*self.sample(self.accepts, self.part), *values]
        return values

    # Differences and their verdicts.

    def make_change(self, difference: SchemaDifference, *, search: bool) -> Change:
        """The change with its verdict.

        `search`: for a value that proves it, if no known one does.
        """
        if difference.is_annotation:
            return self.make_annotation_change(difference)
        effect = self.effect_of(difference)
        kind, sentence = write_message(difference, self.part)
        if effect is Effect.NONE:
            change = self.make_change_at(kind, sentence, "compatible", difference)
            return replace(change, note=write_note(difference, self.part, effect))
        proof = self.finder.find_proof(difference, search=search)
        verdict = self.verdict_of(difference, effect, proof)
        change = self.make_change_at(kind, sentence, verdict, difference, proof)
        if verdict != "compatible":
            return change
        note = write_note(difference, self.part, effect)
        return replace(change, note=note, is_by_convention=True)

    def effect_of(self, difference: SchemaDifference) -> Effect:
        """Which values break callers."""
        if self.is_output:
            return difference.gained
        is_whole = difference.kind == "described" and not difference.path
        if is_whole and difference.lost is Effect.ANY and self.accepts_no_arguments:
            return Effect.UNDECLARED
        return difference.lost

    @cached_property
    def accepts_no_arguments(self) -> bool:
        return self.finder.is_valid(self.refuses, {})

    def verdict_of(
        self, difference: SchemaDifference, effect: Effect, proof: Proof | None
    ) -> Verdict:
        """The verdict: "breaking" needs a proof or certainty, "compatible" follows from the rules.

        By convention, nobody sends undeclared members, so a witness with one proves nothing; a
        value from an example or a run makes the change "breaking".
        """
        if effect is Effect.UNDECLARED:
            is_used = proof is not None and proof.kind != "witness"
            return "breaking" if is_used else "compatible"
        if proof is not None:
            return "breaking"
        accepting, refusing = difference.old, difference.new
        if self.is_output:
            accepting, refusing = refusing, accepting
        return "breaking" if _refuses_large_size(difference, accepting, refusing) else "unknown"

    def make_annotation_change(self, difference: SchemaDifference) -> Change:
        kind, sentence = write_message(difference, self.part)
        before, after = difference.before, difference.after
        verdict = verdict_of_annotation(difference.subject, before, after)
        if self.part == "configuration" and difference.path == (BASE_URL,) and verdict == "unknown":
            # another URL of the same tool; its origin decides who may move it
            verdict = "compatible"
        texts = (text_of(before), text_of(after))
        change = self.make_change_at(kind, sentence, verdict, difference)
        return replace(change, texts=texts, note=quote_gone_instructions(*texts))

    def make_change_at(
        self,
        kind: str,
        sentence: str,
        verdict: Verdict,
        difference: SchemaDifference | None = None,
        proof: Proof | None = None,
    ) -> Change:
        """A change at the position of `difference`, or of the whole value."""
        path: Path = ()
        before: str | None = ""
        after: str | None = ""
        times = 1
        if difference is not None:
            path, times = difference.path, difference.times
            before, after = difference.old_pointer, difference.new_pointer
        prefix = SCHEMAS[self.part]
        before = None if before is None or self.before is None else prefix + before
        after = None if after is None or self.after is None else prefix + after
        return Change(self.part, path, kind, sentence, verdict, before, after, proof, times=times)

    def find_unexplained(self, changes: Sequence[Change]) -> list[Change]:
        """A change for a value that breaks although none of `changes` shows it.

        [] if there is none.
        """
        if self.finder.known_refusals:
            if self.finder.has_explained_known:
                return []
            return [self.make_value_change(self.finder.known_refusals[0])]
        for change in changes:
            if change.texts is None and change.strict_verdict != "compatible":
                return []
        return list(map(self.make_value_change, self.finder.sample_refusals[:1]))

    def find_refused_sample(self) -> list[Change]:
        """A change for the first known or sample value that breaks; [] if there is none."""
        if self.finder.known_refusals:
            return self.find_unexplained([])
        for value in self.samples:
            refusal = self.finder.refusal_of(value)
            if refusal is not None:
                return [self.make_value_change(refusal)]
        return []

    def make_value_change(self, refusal: Refusal) -> Change:
        """A change that only a refused value shows."""
        proof = refusal.proof()
        sources = {
            "example": f"The example “{proof.source}”",
            "run": f"The run {proof.source}",
            "witness": "A value",
        }
        verb = "was not possible before" if self.is_output else "is now rejected"
        reason = f"{proof.message} (at {proof.pointer})" if proof.pointer else proof.message
        sentence = f"{sources[proof.kind]} {verb}: {reason}."
        return self.make_change_at("value-refused", sentence, "breaking", proof=proof)


def samples_of(schema: CompiledSchema) -> list[JSON]:
    """Sample values; [] if the schema is too large or too complex."""
    try:
        return make_samples(conjoin(schema.root), sampling_budget())
    except Unchecked:
        return []


def _refuses_large_size(
    difference: SchemaDifference, accepting: Conjunction, refusing: Conjunction
) -> bool:
    """Whether a size is certainly refused that is too large to be shown as a witness.

    Only if sizes are all that the schema demands, and the items, if any, need only have a type.
    """
    kind = next((kind for kind in LEAST if difference.kind in (LEAST[kind], MOST[kind])), None)
    if kind is None or difference.is_conditional:
        return False
    if difference.kind == LEAST[kind]:
        size = least_size(accepting, kind)
    else:
        size = min(counts_of(refusing, difference.kind), default=0) + 1
    if size <= MAX_REPEATED:
        return False
    sizes = {"type", LEAST[kind], MOST[kind]}
    if kind != "array":
        return accepting.assertions <= sizes
    items = accepting.item(0)
    if not items.types or not items.assertions <= {"type"}:
        return False
    return accepting.assertions <= {*sizes, "items"}
