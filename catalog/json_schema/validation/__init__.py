"""Checking any value against any JSON Schema, both from strangers, under a budget.

Nothing here knows Django. `jsonschema` runs the schema, with keywords of our own; a check always ends, and says
"conforms", "violates" or "unchecked" with the reason.

    budget         what a check may cost, and why one ends early
    equality       JSON's idea of equal, exact numbers
    wording        the short words of messages
    violations     what breaks a schema, as a tree
    flaws          what keeps a schema from being checked against
    documents      one schema document, its identifiers
    references     what a reference leads to
    places         a subschema where it stands
    assertions, applicators, evaluated      the keywords
    drafts         which keywords each draft has
    checking       compile_schema, CompiledSchema, CheckResult
"""

from catalog.json_schema.validation.budget import Budget
from catalog.json_schema.validation.compile import CheckResult, CompiledSchema, compile_schema
from catalog.json_schema.validation.errors import Violation
from catalog.json_schema.validation.subschema import Subschema

__all__ = ["Budget", "CheckResult", "CompiledSchema", "Subschema", "Violation", "compile_schema"]
