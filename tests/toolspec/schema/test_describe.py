import pytest

from toolspec.schema.describe import FORMATS, facts_of, list_few, phrase, sentence
from toolspec.schema.summary import Summary
from toolspec.text.reader import Number


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("minLength", 1, "at least 1 character"),
        ("maxLength", 3, "at most 3 characters"),
        ("maxItems", 10000, "at most 10,000 items"),
        ("maxLength", 10**60, f"at most {10**60} characters"),
        ("maxLength", Number("50000.5"), "at most 50000.5 characters"),
        ("maxProperties", 1, "at most 1 property"),
        ("minimum", Number("1.50"), "at least 1.50"),
        ("exclusiveMinimum", 0, "greater than 0"),
        ("multipleOf", 2, "a multiple of 2"),
        ("pattern", "^a", "matches the pattern ^a"),
        ("format", "uuid", "format: UUID"),
        ("format", "x-own", "format: x-own"),
        ("contentEncoding", "base64", "encoded as base64"),
        ("contentMediaType", "image/png", "media type: image/png"),
        ("uniqueItems", True, "no duplicates"),
        ("const", None, "always null"),
        ("enum", ["a", 1], 'one of "a", 1'),
        ("default", "a", 'default: "a"'),
        ("examples", [1, 2], "for example 1, 2"),
        ("uniqueItems", False, ""),
        ("minLength", "x", ""),
        ("maximum", True, ""),
        ("title", "A", ""),
    ],
)
def test_a_keyword_has_one_phrase(keyword, value, words):
    assert phrase(keyword, value) == words


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("maxItems", 1, "At most 1 item."),
        ("default", [1], "Default: [1]."),
        ("deprecated", True, "Deprecated."),
        ("enum", list(range(200)), None),
        ("pattern", "a\nb", None),
        ("title", "A", None),
    ],
)
def test_a_sentence_is_the_phrase_unless_it_is_long_or_has_several_lines(keyword, value, words):
    assert sentence(keyword, value) == words


@pytest.mark.parametrize(
    ("schemas", "words"),
    [
        (
            [{"minLength": 1}, {"minLength": 3, "maxLength": 9}, {"maxLength": 5}],
            ["3 to 5 characters"],
        ),
        ([{"minimum": 1}, {"exclusiveMinimum": 1}], ["greater than 1"]),
        ([{"maximum": 9}, {"exclusiveMaximum": 9, "minimum": 2}], ["at least 2, less than 9"]),
        ([{"maximum": 9, "exclusiveMaximum": True}], ["less than 9"]),
        (
            [{"multipleOf": 2}, {"multipleOf": 3}, {"multipleOf": 2}],
            ["a multiple of 2, a multiple of 3"],
        ),
        ([{"minimum": 5, "maximum": 5}], ["exactly 5"]),
        ([{"minItems": 0, "maxItems": 2}], ["at most 2 items"]),
        ([{"minItems": 500, "maxItems": 50000}], ["500 to 50,000 items"]),
        ([{"minimum": 500, "maximum": 50000}], ["500 to 50000"]),
        ([{"pattern": "a"}, {"pattern": "b"}], ["matches the pattern a", "matches the pattern b"]),
        (
            [{"contains": {"type": "string"}, "maxContains": 2}],
            ["contains 1 to 2 items of type string"],
        ),
        ([{"contains": {"enum": [1, 2]}}], ["contains at least 1 item out of 1, 2"]),
        ([{"contains": {"minimum": 5}}], ["contains at least 1 item matching `contains`"]),
        ([{"propertyNames": {"enum": ["a", "b"]}}], ['names: one of "a", "b"']),
        ([{"not": {"const": 0}}, {"not": {"type": "null"}}], ["not 0"]),
    ],
)
def test_the_constraints_of_all_schemas_of_a_value_become_one_description(schemas, words):
    assert [fact.words for fact in facts_of(Summary(schemas))] == words


def test_long_lists_and_long_values_are_shortened():
    assert list_few(list(range(8))) == "0, 1, 2, 3, 4 and 3 more"
    assert list_few(["x" * 100]) == '"' + "x" * 38 + "…"


def test_every_format_begins_with_its_noun():
    assert all(not words.startswith(("a ", "an ", "the ")) for words in FORMATS.values())
