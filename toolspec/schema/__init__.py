"""JSON Schema: its drafts, the parts of a schema, validation, and a schema in words.

dialects.py             the drafts, with the keywords and the meta-schema of each
metaschema_errors.py    why a schema does not follow its meta-schema
index.py                the pointer of each subschema, and the targets of references
normalize.py            a schema of any draft as a schema of 2020-12
complexity.py           how many evaluations a schema can cause
policy.py               the limits that a schema must obey to be stored
formats.py              the formats that are asserted
patterns.py             ECMA-262 regular expressions, matched in bounded time; pattern_samples.py
summary.py              what all schemas of one value say, keyword by keyword
describe.py             types and constraints in words
documentation.py        a schema as the tree of a documentation page; documentation_layers.py
validation/             a value checked against a schema
applicable.py           which subschemas apply to the same value: references, allOf, conditions
children.py             which subschemas apply to a member or an item
constraints.py          the constraints of all schemas that apply to one value
sampling.py             sample values that a schema accepts; sample_scalars.py, sample_values.py
"""
