"""The form and the documentation page describe a constraint with the same words."""

import json

from playground.form.facts import MAX_HINT
from tests.corpora import SELECTION
from tests.playground.form.use import FormInUse
from toolspec.schema.describe import cut
from toolspec.schema.documentation import document
from toolspec.text.reader import Number, dumps

FOLDER = SELECTION.parent
_NUMBERS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "not"}
)
CONSTRAINTS = {
    "string": frozenset({
        "contentEncoding", "contentMediaType", "format", "maxLength", "minLength", "not", "pattern",
    }),
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "array": frozenset({"contains", "maxContains", "maxItems", "minContains", "minItems", "not", "uniqueItems"}),
    "object": frozenset({"maxProperties", "minProperties", "not", "propertyNames"}),
}  # fmt: skip


def constrained_schemas():
    """Every different schema of one type in the committed data: its type and the constraints of that type."""
    found = {}
    for path in [
        *FOLDER.glob("*.json"),
        *FOLDER.glob("corpora/**/*.json"),
        *FOLDER.rglob("*.jsonl"),
    ]:
        text = path.read_text(encoding="utf-8")
        documents = text.splitlines() if path.suffix == ".jsonl" else [text]
        waiting = [
            json.loads(document, parse_float=Number)
            for document in documents
            if '"type"' in document
        ]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                type_name = value.get("type")
                constraints = (
                    CONSTRAINTS.get(type_name, frozenset())
                    if isinstance(type_name, str)
                    else frozenset()
                )
                if value.keys() & constraints:
                    schema = {"type": type_name} | {
                        key: value[key] for key in value if key in constraints
                    }
                    found[dumps(schema)] = schema
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
    return list(found.values())


def test_a_constraint_has_the_same_words_in_the_form_and_on_the_documentation_page():
    schemas = constrained_schemas()
    differing = []
    hints_seen = set()

    for schema in schemas:
        page = document(schema, anchor="parameters", pointer="")
        documented = tuple(cut(fact.words, MAX_HINT) for fact in page.facts if fact.words)
        head = FormInUse(schema).node().head
        hints_seen.update(head.hints)
        if (head.hints, head.types or page.type) != (documented, page.type):
            differing.append((schema, head.hints, documented, head.types, page.type))

    assert differing == []
    assert len(schemas) > 100
    assert len(hints_seen) > 100
