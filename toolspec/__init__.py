"""LLM Tool Specs as a library: read, check, describe, compare and convert them.

No Django, no files, no network.

text/           JSON and YAML: a strict reader, exact numbers, positions, pointers, patches
schema/         JSON Schema: its drafts, the check of a value, a schema in words, samples
spec            a spec, read and checked: start here
diff/           what a new revision means for callers, with proofs
exports/        a spec in the formats of providers; imports/: documents of other formats as specs
lint/           suggestions for valid specs; quick_fixes: one press for an invalid one
code/           Python packages and Java projects that implement a spec
"""
