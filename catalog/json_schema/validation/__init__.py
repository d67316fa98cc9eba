"""Checking any value against any JSON Schema, both from untrusted sources, within a budget.

A check always ends, with "conforms", "violates" or "unchecked" and the reason. Messages never quote the checked value,
no keyword takes unbounded time, and nothing is fetched. No existing package offers all of this.

    budget              the cost that a check may have, and why one ends early
    equality            equality of JSON values, with exact numbers
    messages            the short phrases of messages
    errors              the violations of a schema, as a tree
    documents           one schema document with its identifiers; why none can be checked against it
    references          the targets of references
    subschema           a subschema with its document, scope and draft
    assertions, applicators, unevaluated      the keywords
    pattern_search      searching with a pattern within the budget
    compile             compile_schema, CompiledSchema, CheckResult; the keywords of each draft
"""

from catalog.json_schema.validation.budget import Budget
from catalog.json_schema.validation.compile import CheckResult, CompiledSchema, compile_schema
from catalog.json_schema.validation.errors import Violation
from catalog.json_schema.validation.subschema import Subschema

__all__ = ["Budget", "CheckResult", "CompiledSchema", "Subschema", "Violation", "compile_schema"]
