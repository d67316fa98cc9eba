"""Checking any value against any JSON Schema, both from untrusted sources, within a budget.

The keyword functions of `jsonschema` decide; `keywords` replaces those that a stranger could make
slow, or that quote the value. A check always ends, with "conforms", "violates" or "unchecked" and
the reason. Messages never quote the checked value, and nothing is fetched.

    budget              the cost that a check may have, and why one ends early
    equality            equality of JSON values, with exact numbers
    messages            the short phrases of messages
    errors              the violations of a schema, as a tree
    walk                the walk over a value, with what the functions of `jsonschema` need
    keywords            the keywords that are replaced, and the validator class of each draft
    unevaluated         which members and items other keywords have evaluated
    pattern_search      searching with a pattern within the budget
    documents           one schema document with its identifiers; why none can be checked against it
    references          the targets of references
    subschema           a subschema with its document, scope and draft
    fast_check          whether a value conforms, by `jsonschema-rs`, where the cost is known before
    compile             compile_schema, CompiledSchema, CheckResult
"""

from toolspec.schema.validation.budget import Budget
from toolspec.schema.validation.compile import CheckResult, CompiledSchema, compile_schema
from toolspec.schema.validation.errors import Violation
from toolspec.schema.validation.subschema import Subschema

__all__ = ["Budget", "CheckResult", "CompiledSchema", "Subschema", "Violation", "compile_schema"]
