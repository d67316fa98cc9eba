"""The semantic diff: the changes in a new revision of a spec that matter to callers of the tool.

    compare                    compares two specs; changes: the result as values
    schema_diff                compares one pair of schemas: the changes with their proofs
    verdicts                   whether a difference is breaking, compatible or unknown
    differences                the differences of two schemas, each in both directions; the list of all rules
    containment                whether one schema accepts everything that another accepts, and if not, why
    containment_scalars        its rules, by subject; also containment_containers, containment_combinators
    conjunction                schemas that apply to the same value, as one; children, ranges, keywords: its parts
    regex_automata             strings that some patterns match and others do not; string_sets: those of a schema
    disjointness               whether two schemas have no value in common, or are the same; value_checks: single values
    branches                   which alternatives of a union are the same ones before and now
    annotations                differences that no value shows: names, descriptions, defaults
    wording                    words, hints of MCP servers, and instructions that are gone
    counterexamples            values that one schema accepts and the other refuses; made by samples and mutations
    messages                   the sentences

Why no existing prover of containment is used (measured in 2026-11)
-------------------------------------------------------------------
The alternative, `jsonschema_rs.canonicalize(new).covers(canonicalize(old))` of jsonschema-rs 0.60.3, should give at
least 95 % of the decided verdicts, and no wrong one. It was measured in a forked child with a deadline of 1 s; both
schemas were first normalised to 2020-12, without keywords unknown to their draft.

- Of the 502 directions that are compatible or identical in the 358 cases of tests/data/diff_cases.jsonl, `covers`
  proves 464 (92.4 %). It misses a pattern that implies another pattern, a list or a length; `patternProperties`
  beside `additionalProperties`; recursive schemas with different text; and formats that include other formats.
- Of the 204 breaking directions, it answers "no" to 147 and "unknown" to 56, and refuses to compare one. A sample of
  `old.subtract(new)` is a counterexample for 158.
- It answers for whole schemas, but each change needs its own verdict: of 224 comparisons of real schemas with changed
  ones, 31 list changes with different verdicts.
- No answer was wrong. Of the compatible or identical directions, it proves 2,578 of 2,618 in random schemas and 139
  of 139 in real ones. If the keywords of other drafts stay in, 2 answers for the cases are wrong.
- One comparison takes 15 to 40 ms (median, both directions, with the fork), about as long as with this prover.

Without the automata in `regex_automata`, 28 of 714 verdicts for the cases change, 24 of them to "unknown".
"""

from catalog.specs.diff.changes import (
    HARMLESS,
    Any,
    Change,
    Difference,
    Part,
    Proof,
    Verdict,
    is_held,
)
from catalog.specs.diff.compare import compare
from catalog.specs.diff.counterexamples import Known
from catalog.specs.diff.schema_diff import Sampler

__all__ = [
    "HARMLESS", "Any", "Change", "Difference", "Known", "Part", "Proof", "Sampler", "Verdict", "compare", "is_held",
]  # fmt: skip
