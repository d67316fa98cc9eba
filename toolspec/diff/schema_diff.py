"""Compares one part of two specs: the parameters, the response, or the configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final

from toolspec.diff.changes import Change, Part, Proof, Verdict
from toolspec.diff.conjunction import LEAST, MOST, Conjunction, conjoin
from toolspec.diff.differences import Effect, SchemaDifference
from toolspec.diff.edits import MAX_REPEATED, samples_of, sampling_budget
from toolspec.diff.keywords import assertions_of
from toolspec.diff.messages import message_of, note_of
from toolspec.diff.walk import find_differences
from toolspec.diff.witnesses import Known, Refusal, WitnessFinder
from toolspec.diff.wording import gone_note, text_of, unlisted_words, verdict_of_annotation
from toolspec.schema.validation import CompiledSchema, compile_schema
from toolspec.schema.validation.budget import Unchecked
from toolspec.text.reader import JSON

Sampler = Callable[[CompiledSchema, str], Sequence[JSON]]
"""(schema, seed) -> some values that the schema accepts, always the same for the same seed; [] if none is found."""

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

    def changes(self) -> list[Change]:
        """The changes, with a proof for each that breaks callers."""
        try:
            found = find_differences(self.old.root, self.new.root)
        except Unchecked:
            sentence = "The two schemas are too large or too complex to compare."
            return list(
                self.with_unexplained(
                    [self.change("too-much", sentence, "unknown")], is_explained=False
                )
            )
        changes = []
        proved = 0
        for difference in found:
            proved += self.effect_of(difference) is not Effect.NONE
            changes.append(self.change_from(difference, search=proved <= MAX_PROVED))
        if self.before is not None and self.after is not None:
            changes += unlisted_words(
                self.part, SCHEMAS[self.part], self.before, self.after, changes
            )
        return list(self.with_unexplained(changes))

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
        """Finds breaking values: accepted before and refused now; for output, possible now and impossible before."""
        samples = (*self.sampled, *self.samples_of(self.refuses), {})
        return WitnessFinder(self.accepts, self.refuses, self.is_output, self.known, samples)

    @property
    def accepts(self) -> CompiledSchema:
        return self.new if self.is_output else self.old

    @property
    def refuses(self) -> CompiledSchema:
        return self.old if self.is_output else self.new

    @cached_property
    def sampled(self) -> list[JSON]:
        """Sample values of the schema that must accept them."""
        values = self.sample(self.accepts, self.part) if self.sample is not None else ()
        return [*values, *self.samples_of(self.accepts)]

    def samples_of(self, schema: CompiledSchema) -> list[JSON]:
        """Sample values; [] if the schema is too large or too complex."""
        try:
            return samples_of(conjoin(schema.root), sampling_budget())
        except Unchecked:
            return []

    # Differences and their verdicts.

    def change_from(self, difference: SchemaDifference, *, search: bool) -> Change:
        """The change with its verdict. `search`: for a value that proves it, if no known one does."""
        if difference.is_annotation:
            return self.annotation_change(difference)
        effect = self.effect_of(difference)
        proof = None
        if effect is not Effect.NONE:
            proof = self.finder.proof_of(difference, search=search)
        kind, sentence = message_of(difference, self.part)
        verdict = self.verdict_of(difference, effect, proof)
        is_compatible = verdict == "compatible"
        return replace(
            self.change(kind, sentence, verdict, difference=difference, proof=proof),
            note=note_of(difference, self.part, effect) if is_compatible else "",
            is_by_convention=effect is not Effect.NONE and is_compatible,
        )

    def effect_of(self, difference: SchemaDifference) -> Effect:
        """Which values break callers."""
        effect = difference.gained if self.is_output else difference.lost
        is_whole = difference.kind == "described" and not difference.path
        if effect is Effect.ANY and is_whole and not self.is_output:
            return Effect.UNDECLARED if self.accepts_no_arguments else Effect.ANY
        return effect

    @cached_property
    def accepts_no_arguments(self) -> bool:
        return self.finder.is_valid(self.finder.refuses, {})

    def verdict_of(
        self, difference: SchemaDifference, effect: Effect, proof: Proof | None
    ) -> Verdict:
        """The verdict: "breaking" needs a proof or certainty, "compatible" follows from the rules alone.

        By convention, nobody sends undeclared members, so a witness with one proves nothing; a value from an example
        or a run makes the change "breaking".
        """
        if effect is Effect.NONE:
            return "compatible"
        if effect is Effect.UNDECLARED:
            is_used = proof is not None and proof.kind != "witness"
            return "breaking" if is_used else "compatible"
        if proof is not None:
            return "breaking"
        sides = (difference.old, difference.new)
        accepting, refusing = reversed(sides) if self.is_output else sides
        return "breaking" if _refuses_large_size(difference, accepting, refusing) else "unknown"

    def annotation_change(self, difference: SchemaDifference) -> Change:
        kind, sentence = message_of(difference, self.part)
        before, after = difference.before, difference.after
        verdict = verdict_of_annotation(difference.subject, before, after)
        if self.part == "configuration" and difference.path == (BASE_URL,) and verdict == "unknown":
            verdict = "compatible"  # another address of the same tool; who may move it is decided by its origin
        texts = (text_of(before), text_of(after))
        change = self.change(kind, sentence, verdict, difference=difference)
        return replace(change, texts=texts, note=gone_note(*texts))

    def change(
        self,
        kind: str,
        sentence: str,
        verdict: Verdict,
        *,
        difference: SchemaDifference | None = None,
        proof: Proof | None = None,
    ) -> Change:
        before, after = (
            (difference.old_pointer, difference.new_pointer) if difference is not None else ("", "")
        )
        return Change(
            part=self.part,
            path=difference.path if difference is not None else (),
            kind=kind,
            message=sentence,
            verdict=verdict,
            before=None if before is None or self.before is None else SCHEMAS[self.part] + before,
            after=None if after is None or self.after is None else SCHEMAS[self.part] + after,
            proof=proof,
            times=difference.times if difference is not None else 1,
        )

    def with_unexplained(
        self, changes: Sequence[Change], *, is_explained: bool = True
    ) -> Iterator[Change]:
        """`changes`, and one more for a value that breaks although none of them shows it."""
        yield from changes
        if self.finder.known_refusals:
            if not self.finder.has_explained_known:
                yield self.change_of(self.finder.known_refusals[0])
        elif not is_explained:
            refused = (self.finder.refusal_of(value) for value in self.sampled)
            yield from (self.change_of(refusal) for refusal in islice(filter(None, refused), 1))
        elif all(
            change.texts is not None or change.strict_verdict == "compatible" for change in changes
        ):
            yield from map(self.change_of, self.finder.sample_refusals[:1])

    def change_of(self, refusal: Refusal) -> Change:
        """A change that only a refused value shows."""
        proof = refusal.proof()
        known_from = {
            "example": f"The example “{proof.source}”",
            "run": f"The run {proof.source}",
            "witness": "A value",
        }
        verb = "was not possible before" if self.is_output else "is now rejected"
        reason = f"{proof.message} (at {proof.pointer})" if proof.pointer else proof.message
        sentence = f"{known_from[proof.kind]} {verb}: {reason}."
        return self.change("value-refused", sentence, "breaking", proof=proof)


def _refuses_large_size(
    difference: SchemaDifference, accepting: Conjunction, refusing: Conjunction
) -> bool:
    """Whether a size is certainly refused that is too large to be shown as a witness.

    Only if sizes are all that the schema demands, and the items, if any, need only have a type.
    """
    keyword = difference.kind
    kind = next((kind for kind in LEAST if keyword in (LEAST[kind], MOST[kind])), None)
    if kind is None or difference.is_conditional:
        return False
    counts = refusing.counts(keyword)
    size = accepting.least(kind) if keyword == LEAST[kind] else min(counts, default=0) + 1
    if size <= MAX_REPEATED:
        return False
    asked = frozenset[str]().union(*map(assertions_of, accepting.subschemas))
    if kind != "array":
        return asked <= {"type", LEAST[kind], MOST[kind]}
    items = accepting.item(0)
    if not items.types or not all(assertions_of(each) <= {"type"} for each in items.subschemas):
        return False
    return asked <= {"type", "items", "minItems", "maxItems"}
