import pytest

from toolspec.schema.sampling import samples
from toolspec.schema.types import json_type
from toolspec.schema.validation import compile_schema


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"maxProperties": 2}, "object"),
        ({"dependentRequired": {"a": ["b"]}}, "object"),
        ({"maxItems": 2}, "array"),
        ({"pattern": "^a$"}, "string"),
        ({"multipleOf": 2}, "number"),
    ],
)
def test_a_sample_has_the_type_that_the_keywords_suggest(schema, expected):
    assert {json_type(value) for value in samples(compile_schema(schema), "seed")} == {expected}
