"""One part of two specs compared: its parameters, what it returns, or its configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final

from catalog.json_schema.validation import CompiledSchema, compile_schema
from catalog.json_schema.validation.budget import Unchecked
from catalog.jsontext.reader import JSON
from catalog.specs.diff.changes import Change, Part, Proof, Verdict
from catalog.specs.diff.conjunction import TooMuch
from catalog.specs.diff.counterexamples import CounterexampleFinder, Known, Refusal
from catalog.specs.diff.differences import DetectedDifference, findings
from catalog.specs.diff.messages import message_of
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import sketches_of

Sampler = Callable[[CompiledSchema, str], Sequence[JSON]]
"""Some values that a schema accepts; the same for the same seed, and none where none is found."""

SCHEMAS: Final[dict[Part, str]] = {
    "parameters": "/definition/parameters",
    "returnType": "/definition/returnType",
    "configuration": "/configuration",
}
MAX_PROVED: Final = 60  # changes for which a witness is looked for


@dataclass(frozen=True)
class Comparison:
    """One part.

    Attributes:
        before, after: the schemas; None where there is none, which accepts everything.
        known: values that were used.
    """

    part: Part
    before: JSON
    after: JSON
    known: tuple[Known, ...]
    sample: Sampler | None

    def changes(self) -> list[Change]:
        """What changed, with proof of what breaks."""
        try:
            found = findings(self.old.root, self.new.root)
        except (TooMuch, Unchecked):
            sentence = "The two schemas are too large, or too entangled, to be compared."
            return list(self.unexplained([self.change("too-much", sentence, "unknown")], is_explained=False))
        return list(self.unexplained([self.checked(finding, index) for index, finding in enumerate(found)]))

    # The two sides.

    @cached_property
    def old(self) -> CompiledSchema:
        return compile_schema(True if self.before is None else self.before)

    @cached_property
    def new(self) -> CompiledSchema:
        return compile_schema(True if self.after is None else self.after)

    @property
    def is_read(self) -> bool:
        """Whether others read these values, instead of sending them."""
        return self.part == "returnType"

    @cached_property
    def court(self) -> CounterexampleFinder:
        """What holds values that break something: accepted before and refused now, or the reverse for what is read."""
        return CounterexampleFinder(
            self.accepts, self.refuses, self.known, (*self.drawn, *sketches_of(self.refuses.root), {})
        )

    @property
    def accepts(self) -> CompiledSchema:
        return self.new if self.is_read else self.old

    @property
    def refuses(self) -> CompiledSchema:
        return self.old if self.is_read else self.new

    @cached_property
    def drawn(self) -> list[JSON]:
        """Values made of the schema that has to accept them."""
        sampled = self.sample(self.accepts, self.part) if self.sample is not None else ()
        return [*sampled, *sketches_of(self.accepts.root)]

    # Findings and their verdicts.

    def checked(self, finding: DetectedDifference, index: int) -> Change:
        obstacle = self.harm(finding)
        proof = None
        if obstacle is not None:
            proof = self.court.proof_of(obstacle, search=index < MAX_PROVED)
        kind, sentence = message_of(finding, self.part)
        return self.change(kind, sentence, verdict_of(obstacle, proof), finding=finding, proof=proof)

    def harm(self, finding: DetectedDifference) -> Obstacle | None:
        """The direction of `finding` that breaks; None where it has not got it."""
        obstacle = finding.gained if self.is_read else finding.lost
        if obstacle is not None and obstacle.kind == "described" and not obstacle.path and not self.is_read:
            return replace(obstacle, undeclared=self.court.refusal_of({}) is None)
        return obstacle

    def change(
        self,
        kind: str,
        sentence: str,
        verdict: Verdict,
        *,
        finding: DetectedDifference | None = None,
        proof: Proof | None = None,
    ) -> Change:
        before, after = (finding.before, finding.after) if finding is not None else ("", "")
        return Change(
            part=self.part,
            path=finding.path if finding is not None else (),
            kind=kind,
            message=sentence,
            verdict=verdict,
            before=None if before is None or self.before is None else SCHEMAS[self.part] + before,
            after=None if after is None or self.after is None else SCHEMAS[self.part] + after,
            proof=proof,
            times=finding.times if finding is not None else 1,
        )

    def unexplained(self, changes: Sequence[Change], *, is_explained: bool = True) -> Iterator[Change]:
        """`changes`, and one for a value that breaks something which none of them shows."""
        yield from changes
        if self.court.known_refusals:
            shown = any(change.proof is not None and change.proof.kind != "witness" for change in changes)
            yield from () if shown else [self.of_refusal(self.court.known_refusals[0])]
        elif not is_explained:
            refused = (self.court.refusal_of(value) for value in self.drawn)
            yield from (self.of_refusal(refusal) for refusal in islice(filter(None, refused), 1))
        elif all(change.verdict == "compatible" for change in changes):
            yield from map(self.of_refusal, self.court.made_refusals[:1])

    def of_refusal(self, refusal: Refusal) -> Change:
        """The change that a value shows which nothing else explains."""
        proof = refusal.proof
        known_from = {
            "example": f"The example “{proof.source}”",
            "run": f"The run {proof.source}",
            "witness": "A value",
        }
        verb = "could not come before" if self.is_read else "is refused now"
        sentence = f"{known_from[proof.kind]} {verb}: {proof.message}."
        return self.change("value-refused", sentence, "breaking", proof=proof)


def verdict_of(obstacle: Obstacle | None, proof: Proof | None) -> Verdict:
    """What is proved to break is "breaking"; "compatible" is said by rule alone.

    What a schema does not declare is rarely sent, so a witness made of it says that the change may break, not that it
    does; what somebody really sent does.
    """
    if obstacle is None:
        return "compatible"
    if obstacle.undeclared:
        return "breaking" if proof is not None and proof.kind != "witness" else "unknown"
    return "breaking" if proof is not None else "unknown"
