"""The semantic diff: the changes in a new revision of a spec that matter to callers of the tool.

    compare        compares two specs; changes: the result as values
    schema_diff    compares one pair of schemas: the changes with their verdicts and proofs
    walk           the differences of two schemas, found side by side, each with its direction
    rules          the rules of each keyword: rules_values, rules_containers, rules_combinators
    unions         how the alternatives of two unions compare
    alternatives   which alternatives of a union are the same, and which have no value in common
    differences    one difference, and lists of them
    conjunction    the schemas that apply to one value; limits, listed_values: what they accept
    subschemas     what one schema applies to its value and members; keywords: its constraints
    witnesses      values that one schema accepts and the other refuses; edits: how they are made
    wording        words, hints of MCP servers, and instructions that are gone
    messages       the sentences

A change is "compatible" if the rules show that no value is refused, "breaking" if the validator
confirms a value that is, and else "unknown". The rules compare like with like, so that each change
is found at its own position: a bound with a bound, a pattern with a pattern. Two schemas that mean
the same in other words are "unknown": a pattern that implies another pattern or a length, a
condition that became alternatives, bounds that contradict each other.

`jsonschema_rs.canonicalize` proves more of these (its `covers` proves 464 of the 502 compatible
directions of tests/data/diff_cases.jsonl), but only of whole schemas, while each change needs its
own verdict.
"""

from toolspec.diff.changes import HARMLESS, Any, Change, Difference, Part, Proof, Verdict, is_held
from toolspec.diff.compare import compare
from toolspec.diff.schema_diff import Sampler
from toolspec.diff.witnesses import Known

__all__ = [
    "HARMLESS", "Any", "Change", "Difference", "Known", "Part", "Proof", "Sampler", "Verdict",
    "compare", "is_held",
]  # fmt: skip
