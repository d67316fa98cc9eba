import pytest

from catalog.json_schema.sampling import samples
from catalog.json_schema.types import KEYWORDS_OF_TYPES, TYPE_OF_KEYWORD, json_type
from catalog.json_schema.validation import compile_schema
from catalog.jsontext.reader import loads


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", "object"),
        ("[]", "array"),
        ('"1"', "string"),
        ("1", "number"),
        ("1.0", "number"),
        ("-0", "number"),
        ("true", "boolean"),
        ("null", "null"),
    ],
)
def test_every_json_value_has_one_type(text, expected):
    assert json_type(loads(text)) == expected


def test_no_keyword_belongs_to_two_types():
    assert len(TYPE_OF_KEYWORD) == sum(map(len, KEYWORDS_OF_TYPES.values()))


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
