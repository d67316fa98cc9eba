"""Specs to export, and the parts of what is exported that the tests look at."""

from tests.factories import make_spec
from toolspec.exports import export

DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def spec_with(parameters, **members):
    return make_spec("tool", parameters=parameters, **members)


def parameters_in(exported):
    document = exported.document
    function = document.get("function", document)
    return (
        function.get("parameters")
        or function.get("inputSchema")
        or function.get("input_schema")
        or function
    )


def changes_of(exported):
    return {loss.pointer: loss.what for loss in exported.changes}


def strict(parameters):
    return parameters_in(export(spec_with(parameters), "openai-strict"))


def gemini(parameters):
    return parameters_in(export(spec_with(parameters), "gemini"))


MIXED_DRAFTS = {
    "$schema": DRAFT_07,
    "type": "object",
    "properties": {
        "b": {
            "type": "array",
            "items": {"type": "string"},
            "prefixItems": [{"type": "object", "properties": {}}],
        }
    },
}
