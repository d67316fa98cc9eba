"""What a new revision of a spec changes in meaning. Nothing here knows Django.

changes       values: a change, its proof, all of them
comparing     two specs: all their changes
parts         one part of them: verdicts and proofs
findings      two schemas: what differs, with what that means in both directions
containing    whether one schema accepts all that another one does, and what stands in the way
rules         ... by the rules of scalars, containers, combining
together      schemas that hold for the same value, read as one; inside, ranges, reading: what they say
languages     texts that some patterns match and others do not; texts: those that a schema accepts
apartness     when no value fits two schemas; sameness: when they mean the same; trying: single values
notes         what is only told differently: members, descriptions, defaults
witnesses     values that one schema accepts and the other refuses; made by sketching and edits
wording       the sentences
"""

from catalog.specs.diff.changes import Any, Change, Difference, Part, Proof, Verdict
from catalog.specs.diff.compare import compare
from catalog.specs.diff.counterexamples import Known
from catalog.specs.diff.schema_diff import Sampler

__all__ = ["Any", "Change", "Difference", "Known", "Part", "Proof", "Sampler", "Verdict", "compare"]
