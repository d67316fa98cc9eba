"""Compares one part of two specs: the parameters, the response, or the configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final

from catalog.json_schema.validation import CompiledSchema, compile_schema
from catalog.json_schema.validation.budget import Unchecked
from catalog.jsontext.reader import JSON
from catalog.specs.diff.annotations import DeclarationChange
from catalog.specs.diff.changes import Change, Part, Proof, Verdict
from catalog.specs.diff.conjunction import TooMuch
from catalog.specs.diff.counterexamples import CounterexampleFinder, Known, Refusal
from catalog.specs.diff.differences import DetectedDifference, find_differences
from catalog.specs.diff.messages import message_of, note_of
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import samples_of
from catalog.specs.diff.verdicts import verdict_of
from catalog.specs.diff.wording import gone_note, text_of, unlisted_words, verdict_of_annotation

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
        except (TooMuch, Unchecked):
            sentence = "The two schemas are too large or too complex to compare."
            return list(
                self.with_unexplained(
                    [self.change("too-much", sentence, "unknown")], is_explained=False
                )
            )
        changes = [self.change_from(difference, index) for index, difference in enumerate(found)]
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
    def finder(self) -> CounterexampleFinder:
        """Finds breaking values: accepted before and refused now; for output, possible now and impossible before."""
        return CounterexampleFinder(
            self.accepts,
            self.refuses,
            self.known,
            (*self.sampled, *samples_of(self.refuses.root), {}),
        )

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
        return [*values, *samples_of(self.accepts.root)]

    # Differences and their verdicts.

    def change_from(self, difference: DetectedDifference, index: int) -> Change:
        if difference.declaration is not None and difference.declaration.kind == "annotation":
            return self.annotation_change(difference, difference.declaration)
        obstacle = self.obstacle_of(difference)
        proof = None
        if obstacle is not None:
            proof = self.finder.proof_of(obstacle, search=index < MAX_PROVED)
        kind, sentence = message_of(difference, self.part)
        verdict = verdict_of(obstacle, proof)
        return replace(
            self.change(kind, sentence, verdict, difference=difference, proof=proof),
            note=note_of(difference, self.part, obstacle) if verdict == "compatible" else "",
            is_by_convention=obstacle is not None and verdict == "compatible",
        )

    def annotation_change(
        self, difference: DetectedDifference, declaration: DeclarationChange
    ) -> Change:
        kind, sentence = message_of(difference, self.part)
        before, after = declaration.before, declaration.after
        verdict = verdict_of_annotation(declaration.subject, before, after)
        if self.part == "configuration" and difference.path == (BASE_URL,) and verdict == "unknown":
            verdict = "compatible"  # another address of the same tool; who may move it is decided by its origin
        texts = (text_of(before), text_of(after))
        change = self.change(kind, sentence, verdict, difference=difference)
        return replace(change, texts=texts, note=gone_note(*texts))

    def obstacle_of(self, difference: DetectedDifference) -> Obstacle | None:
        """Why `difference` breaks callers; None if it does not."""
        obstacle = difference.gained if self.is_output else difference.lost
        if (
            obstacle is not None
            and obstacle.kind == "described"
            and not obstacle.path
            and not self.is_output
        ):
            return replace(obstacle, undeclared=self.finder.is_valid(self.finder.refuses, {}))
        return obstacle

    def change(
        self,
        kind: str,
        sentence: str,
        verdict: Verdict,
        *,
        difference: DetectedDifference | None = None,
        proof: Proof | None = None,
    ) -> Change:
        before, after = (
            (difference.before, difference.after) if difference is not None else ("", "")
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
