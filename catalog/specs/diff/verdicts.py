"""The verdict on one difference of two schemas.

The verdicts of a whole comparison, without conventions or the worst of all, follow from these (`changes`).
"""

from __future__ import annotations

from catalog.specs.diff.changes import Proof, Verdict
from catalog.specs.diff.obstacles import Obstacle


def verdict_of(obstacle: Obstacle | None, proof: Proof | None) -> Verdict:
    """The verdict on a difference: "breaking" needs a proof or certainty, "compatible" follows from the rules alone.

    By convention, nobody sends undeclared members, so a witness with one proves nothing; a value from an example or a
    run makes the change "breaking".
    """
    if obstacle is None:
        return "compatible"
    if obstacle.undeclared:
        return "breaking" if proof is not None and proof.kind != "witness" else "compatible"
    return "breaking" if proof is not None or obstacle.certain else "unknown"
