"""The semantic diff: what a new revision of a spec changes for those who call the tool.

    compare                    two specs: all their changes; changes: a change, its proof, all of them
    schema_diff                one schema of them: verdicts and proofs
    differences                two schemas: what differs, and what that means in both directions; the list of all rules
    containment                whether one schema accepts all that another accepts, and what prevents it
    containment_scalars        the rules of it, by subject; also containment_containers, containment_combinators
    conjunction                schemas that apply to the same value, as one; children, ranges, keywords: its parts
    regex_automata             strings that some patterns match and others do not; string_sets: those of a schema
    disjointness               whether no value fits two schemas, and whether they are the same; attempts: single values
    annotations                differences that no value shows: names, descriptions, defaults
    counterexamples            values that one schema accepts and the other refuses; made by samples and mutations
    messages                   the sentences

Why the containment prover is our own (measured in 2026-11)
-----------------------------------------------------------
We tried to replace it by `jsonschema_rs.canonicalize(new).covers(canonicalize(old))` of jsonschema-rs 0.60.3, in a
forked child with a deadline of 1 s. Both schemas were rewritten in 2020-12 first, without the keywords that their
draft does not know. The bar: at least 95 % of the decided verdicts stay, and none is wrong. It was missed.

- Of the 502 directions that are compatible or identical in the 358 cases of tests/data/diff_cases.jsonl, `covers`
  proves 464 (92.4 %). Missing are: a pattern that implies another pattern, a list or a length; `patternProperties`
  beside `additionalProperties`; recursive schemas with different text; formats that include other formats.
- Of the 204 breaking directions, it answers "no" to 147 and "unknown" to 56, and refuses to compare one. A sample of
  `old.subtract(new)` is a counterexample for 158.
- It answers for two whole schemas, and each change needs its own verdict: of 224 comparisons of real schemas with
  changed ones, 31 list changes with different verdicts.
- No answer was wrong. Of the compatible or identical directions, it proves 2,578 of 2,618 in random schemas and 139
  of 139 in real ones. If the keywords of other drafts stay in, 2 answers for the cases are wrong.
- One comparison takes 15 to 40 ms (median, both directions, with the fork), about as long as the prover.

The automata in `regex_automata` stay too: without them, 28 of 714 verdicts for the cases change, 24 of them to
"unknown".
"""

from catalog.specs.diff.changes import Any, Change, Difference, Part, Proof, Verdict
from catalog.specs.diff.compare import compare
from catalog.specs.diff.counterexamples import Known
from catalog.specs.diff.schema_diff import Sampler

__all__ = ["Any", "Change", "Difference", "Known", "Part", "Proof", "Sampler", "Verdict", "compare"]
