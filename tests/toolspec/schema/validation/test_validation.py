"""Checks of any value against any schema: the problems, their positions and messages, and a bounded end."""

import sys
import threading
from decimal import Decimal
from random import Random

import jsonschema_rs
import pytest

from tests.toolspec.random_schemas import Schemas
from tests.toolspec.random_values import values_like
from tests.work import at_most
from toolspec.schema.validation import Budget, compile_schema
from toolspec.schema.validation.errors import MAX_POINTER_CHARACTERS
from toolspec.schema.validation.subschema import MAX_PROBLEMS
from toolspec.text.pointers import resolve_pointer
from toolspec.text.reader import loads

DRAFT_04 = "http://json-schema.org/draft-04/schema#"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def check(schema, value, **kwargs):
    return compile_schema(schema).check(value, **kwargs)


def verdict(schema, value):
    return check(schema, value).verdict


def violation_facts(schema, value):
    """The reported problems, as (pointer, keyword, schema pointer)."""
    return [(p.pointer, p.keyword, p.schema_pointer) for p in check(schema, value).problems]


def messages(schema, value):
    return [problem.message for problem in check(schema, value).problems]


def violation(schema, value):
    [found] = compile_schema(schema).root.errors(value)
    return found


# What is reported.


def test_a_problem_says_where_in_the_value_and_where_in_the_schema():
    schema = {"properties": {"temperatureUnit": {"type": "string", "enum": ["C", "F"]}}}

    [problem] = check(schema, {"temperatureUnit": "K"}).problems

    assert problem.as_json() == {
        "pointer": "/temperatureUnit",
        "message": 'must be "C" or "F"',
        "rule": "schema.enum",
        "keyword": "enum",
        "schema_pointer": "/properties/temperatureUnit/enum",
    }


def test_a_schema_pointer_leads_to_the_keyword_after_references():
    schema = {
        "properties": {"a/b": {"$ref": "#/$defs/percent%25"}, "c": {"$ref": "#anchor"}},
        "$defs": {
            "percent%": {"allOf": [{"minimum": 3}]},
            "other": {"$anchor": "anchor", "type": "string"},
        },
    }

    assert violation_facts(schema, {"a/b": 2, "c": 1}) == [
        ("/a~1b", "minimum", "/$defs/percent%/allOf/0/minimum"),
        ("/c", "type", "/$defs/other/type"),
    ]
    for _, _, pointer in violation_facts(schema, {"a/b": 2, "c": 1}):
        resolve_pointer(schema, pointer)


def test_a_pointer_into_a_bundled_draft_begins_with_its_uri():
    [problem] = check({"$ref": DRAFT_07}, {"type": 5}).problems[:1]

    assert problem.pointer == "/type"
    assert problem.schema_pointer.startswith("http://json-schema.org/draft-07/schema#/definitions/")


def test_each_missing_member_is_named_at_the_object_it_is_missing_in():
    schema = {"properties": {"a": {"required": ["x", "y", "z"]}}}

    found = compile_schema(schema).root.errors({"a": {"y": 1}})

    assert [(each.pointer, each.keyword, each.names) for each in found] == [
        ("/a", "required", ("x",)),
        ("/a", "required", ("z",)),
    ]
    assert found[0].message == '"x" is missing'


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"properties": {"a": {}}, "additionalProperties": False}, "additionalProperties"),
        ({"properties": {"a": {}}, "unevaluatedProperties": False}, "unevaluatedProperties"),
        ({"properties": {"b/": False}}, "properties"),
        ({"propertyNames": {"maxLength": 1}}, "propertyNames"),
        ({"patternProperties": {"^b": False}}, "patternProperties"),
    ],
)
def test_a_member_that_is_not_allowed_is_named_and_pointed_at(schema, keyword):
    found = violation(schema, {"a": 1, "b/": 2})

    assert (found.pointer, found.keyword, found.names) == ("/b~1", keyword, ("b/",))
    assert '"b/" is not allowed' in found.message


def test_a_name_that_is_not_allowed_says_why():
    schema = {"propertyNames": {"pattern": "^[a-z]+$"}}

    assert messages(schema, {"A": 1}) == [
        '"A" is not allowed as a property name: must match the pattern ^[a-z]+$'
    ]


def test_a_dependent_member_is_named():
    found = violation({"dependentRequired": {"card": ["address"]}}, {"card": 1})

    assert (found.pointer, found.names, found.schema_pointer) == (
        "",
        ("address",),
        "/dependentRequired/card",
    )
    assert found.message == '"address" is missing; it is required if "card" is given'


def test_an_item_that_is_not_allowed_is_pointed_at():
    assert violation_facts({"prefixItems": [{}], "items": False}, [1, 2]) == [
        ("/1", "items", "/items")
    ]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, "abc", "must be an integer"),
        ({"type": ["string", "null"]}, [1, 2], "must be a string or null"),
        ({"type": "number"}, True, "must be a number"),
        ({"enum": ["create", "update"]}, "creat", 'must be "create" or "update"'),
        ({"enum": [1, "1", None, True, 1.5]}, "x", 'must be 1, "1", null, true or 1.5'),
        ({"enum": ['it\'s "so"\n']}, "x", r'must be "it' + r"'" + r's \"so\"\n"'),
        ({"enum": list(range(20))}, -1, "must be one of 0, 1, 2, 3, 4, 5 and 14 more"),
        ({"enum": []}, 1, "cannot have any value: the list of allowed values is empty"),
        ({"const": 5}, {"a": 1}, "must be 5"),
        ({"const": {"a": [1, {}], "b": {}}}, 5, 'must be {"a": […], "b": {}}'),
        ({"const": [1, 2, 3, 4]}, 5, "must be a certain array of 4 items"),
        ({"minLength": 1}, "", "must not be empty"),
        ({"minLength": 3}, "ab", "must have at least 3 characters"),
        ({"minLength": 50000}, "ab", "must have at least 50,000 characters"),
        ({"minimum": 50000}, 3, "must be at least 50000"),
        ({"maxItems": 1}, [1, 2], "must have at most 1 item"),
        ({"minProperties": 1}, {}, "must have at least 1 property"),
        ({"minimum": 3}, 2, "must be at least 3"),
        ({"exclusiveMaximum": 3}, 3, "must be less than 3"),
        ({"multipleOf": 2}, 3, "must be a multiple of 2"),
        ({"pattern": r"^\d+$"}, "a\nb", r"must match the pattern ^\d+$"),
        ({"format": "date"}, "tomorrow", "must be a date, like 2024-05-31"),
        ({"format": "ipv4"}, "1", "must be an IPv4 address"),
        (
            {"uniqueItems": True},
            [1, "a", "a"],
            "must have no duplicates: the items 1 and 2 are equal (counted from 0)",
        ),
        ({"not": {"type": "null"}}, None, "must not match the schema of `not`"),
        ({"contains": {"type": "null"}}, [1], "must have at least 1 item matching `contains`"),
        (
            {"contains": {"type": "null"}, "minContains": 2},
            [1],
            "must have at least 2 items matching `contains`",
        ),
        (
            {"oneOf": [{}, {"type": "null"}]},
            None,
            "must match exactly one of 2 alternatives, not both 0 and 1 (counted from 0)",
        ),
        (False, 1, "Nothing is allowed here"),
    ],
)
def test_a_message_is_a_short_plain_sentence(schema, value, message):
    assert messages(schema, value) == [message]


def test_a_number_is_shown_as_it_was_written():
    assert messages({"maximum": loads("1.00")}, 2) == ["must be at most 1.00"]


def test_a_message_never_repeats_a_long_value_or_schema():
    long = "x" * 100_000
    schema = {
        "enum": [long, *("y" * 1000 + str(n) for n in range(1000))],
        "pattern": "z" * 500,
        "const": long + "!",
    }

    for message in messages(schema, long + "?"):
        assert len(message) <= 200


def test_at_most_fifty_problems_are_reported():
    result = check({"items": {"type": "string"}}, list(range(100_000)))

    fewer = check({"items": {"type": "string"}}, list(range(MAX_PROBLEMS)))

    assert result.verdict == "violates"
    assert len(result.problems) == len(fewer.problems) == MAX_PROBLEMS
    assert result.truncated
    assert not fewer.truncated


def test_a_pointer_that_would_be_too_long_leads_to_a_value_around():
    name = "k" * MAX_POINTER_CHARACTERS
    schema = {"additionalProperties": {"additionalProperties": {"type": "string"}}}

    [problem] = check(schema, {"a": {name: 1}}).problems

    assert problem.pointer == "/a"


# Unions.


def test_a_union_has_the_violations_of_each_alternative():
    found = violation({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 2)

    assert (found.keyword, found.message) == ("anyOf", "must match at least one of 2 alternatives")
    assert [[each.keyword for each in branch] for branch in found.branches] == [
        ["type"],
        ["minimum"],
    ]
    assert found.branches[1][0].schema_pointer == "/anyOf/1/minimum"


def test_a_union_with_null_reports_the_violations_of_the_other_alternative():
    schema = {
        "properties": {
            "unit": {"anyOf": [{"type": "string", "enum": ["C", "F"]}, {"type": "null"}]}
        }
    }

    assert violation_facts(schema, {"unit": "K"}) == [
        ("/unit", "enum", "/properties/unit/anyOf/0/enum")
    ]


def test_the_alternative_selected_by_a_constant_is_reported():
    circle = {"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}}
    square = {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}}

    assert violation_facts({"oneOf": [circle, square]}, {"kind": "square", "side": "long"}) == [
        ("/side", "type", "/oneOf/1/properties/side/type")
    ]


def test_a_union_without_a_clearly_meant_alternative_is_one_problem():
    assert violation_facts({"anyOf": [{"minimum": 3}, {"multipleOf": 2}]}, 1) == [
        ("", "anyOf", "/anyOf")
    ]


def test_details_of_alternatives_are_bounded():
    found = violation({"oneOf": [{"type": "null"}] * 5000}, {})

    assert found.branches == ()


# Equality and numbers.


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("-0", "0.0", True),
        ("0.1", "1e-1", True),
        ('{"a": 1, "b": 2}', '{"b": 2.0, "a": 1.0}', True),
        ('{"a": "b,"}', '{"a": "b"}', False),
        ('["a", "b"]', '["a\\",\\"b"]', False),
        ("9223372036854775809", "9223372036854775808", False),
        ("9007199254740993", "9007199254740992.0", False),
        ("0.30000000000000004", "0.3", False),
    ],
)
def test_equality_is_that_of_json(one, other, equal):
    one, other = loads(one), loads(other)

    assert (verdict({"const": one}, other) == "conforms") is equal
    assert (verdict({"enum": ["?", one]}, other) == "conforms") is equal
    assert (verdict({"uniqueItems": True}, [one, other]) == "violates") is equal


@pytest.mark.parametrize(
    ("value", "divisor", "is_multiple"),
    [
        ("19.99", "0.01", True),
        ("19.995", "0.01", False),
        ("1e300", "1e-300", True),
        ("1e-300", "1e300", False),
        ("1e300", "3e-300", False),
        ("9223372036854775809", "3", True),
        ("9223372036854775809", "2", False),
        ("9" * 300, "0.5", True),
    ],
)
def test_multiples_are_exact(value, divisor, is_multiple):
    with at_most(2_000):
        assert (verdict({"multipleOf": loads(divisor)}, loads(value)) == "conforms") is is_multiple


@pytest.mark.parametrize(("value", "is_integer"), [("1e3", True), ("1e-3", False), ("-0.0", True)])
def test_an_integer_is_a_number_without_fraction(value, is_integer):
    assert (verdict({"type": "integer"}, loads(value)) == "conforms") is is_integer


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"minimum": "9007199254740993"}, "9007199254740992", False),
        ({"exclusiveMinimum": "0.1"}, "0.10000000000000000001", True),
        ({"maximum": "1e308"}, "1.0000000001e308", False),
    ],
)
def test_bounds_are_exact(schema, value, valid):
    schema = {keyword: loads(limit) for keyword, limit in schema.items()}

    assert (verdict(schema, loads(value)) == "conforms") is valid


def test_a_number_of_too_many_digits_is_not_checked():
    assert verdict({"multipleOf": 3}, Decimal("1" * 5000)) == "unchecked"
    assert verdict({"maximum": 3}, 10**5000) == "unchecked"


# Drafts and references.


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:1/a.json",
        "file:///etc/passwd",
        "#nothing",
        "other.json",
        "http://[",
        "#/allOf/-1",
        "#/default",
        "#" + "/a" * 100_000,
    ],
)
def test_a_dangling_reference_leaves_the_value_unchecked(reference):
    result = check({"$ref": reference, "allOf": [{}], "default": {"type": 5}}, 1)

    assert result.verdict == "unchecked"
    assert result.reason.startswith('The reference "')
    assert result.reason.endswith("cannot be resolved.")


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"if": {"$ref": "#"}, "then": True},
        {"anyOf": [{"type": "null"}, {"$ref": "#"}]},
        {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#"}}}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
        {"$dynamicAnchor": "n", "$dynamicRef": "#n"},
        {"$schema": DRAFT_2019, "$recursiveRef": "#"},
        {"unevaluatedProperties": False, "oneOf": [{"$ref": "#"}]},
    ],
)
def test_an_infinite_loop_in_a_schema_is_detected(schema):
    result = check(schema, {"a": 1})

    assert result.verdict == "unchecked"
    assert result.reason == "The schema refers to itself without going deeper into the value."


@pytest.mark.parametrize(
    "schema",
    [
        5,
        [],
        {"type": "text"},
        {"minLength": "1"},
        {"properties": []},
        {"$id": 5},
        {"$schema": 5},
        {"$schema": DRAFT_04, "$ref": 5},
        {"$schema": DRAFT_04, "format": ["x"], "type": "x"},
        {"unknown": {"minLength": "x"}, "$ref": "#/unknown"},
        {"pattern": "["},
        {"pattern": "a" * 8_193},
        {"$id": "http://" + "a" * 5_000_000, "$ref": "#/$defs/a", "$defs": {"a": {}}},
    ],
)
def test_a_malformed_schema_leaves_the_value_unchecked(schema):
    compiled = compile_schema(schema)

    assert compiled.check("text").verdict == "unchecked"
    assert compiled.check("text").reason
    assert compiled.root.is_valid("text") is None
    assert compiled.root.errors("text") == []


def test_formats_can_be_left_as_annotations():
    schema = {"format": "date"}

    assert compile_schema(schema).check("x").verdict == "violates"
    assert compile_schema(schema, asserts_formats=False).check("x").verdict == "conforms"
    assert verdict({"format": "binary"}, "x") == "conforms"


# Budgets.


def tree(depth):
    return {"child": tree(depth - 1)} if depth else 1


TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "anyOf": [{"type": "integer"}, {"properties": {"child": {"$ref": "#/$defs/node"}}}]
        }
    },
}


def test_a_value_as_deep_as_the_reader_allows_is_checked_against_a_recursive_schema():
    assert verdict(TREE, tree(63)) == "conforms"


def test_a_deeper_value_or_schema_is_unchecked_and_never_a_recursion_error():
    value, schema = 1, {}
    for _ in range(900):
        value = {"child": value}
    for _ in range(5000):
        schema = {"items": schema}

    of_value, of_schema = check(TREE, value), check(schema, [])

    assert of_value.reason == "The schema or the value is nested too deeply to be checked."
    assert of_schema.reason == "The schema is nested too deeply."


def test_little_room_on_the_stack_is_no_recursion_error_either():
    compiled = compile_schema(TREE)

    def deeper(frames):
        return deeper(frames - 1) if frames else compiled.check(tree(10)).verdict

    used = len(list(_frames()))
    room = range(100, sys.getrecursionlimit() - used - 20, 25)
    verdicts = {deeper(frames) for frames in room}

    assert verdicts <= {"conforms", "unchecked"}


def _frames():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back


def test_a_check_fits_into_the_small_stack_of_a_thread():
    found = []
    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(verdict(TREE, tree(63))))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()

    assert found == ["conforms"]


def doubling(keyword, levels, innermost):
    definitions = {"d0": innermost}
    for n in range(1, levels + 1):
        definitions[f"d{n}"] = {keyword: [{"$ref": f"#/$defs/d{n - 1}"}] * 2}
    return {"$ref": f"#/$defs/d{levels}", "$defs": definitions}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize("innermost", [{"type": "object"}, {"type": "null"}])
def test_definitions_that_double_at_each_level_are_evaluated_once_per_value(keyword, innermost):
    with at_most(400_000):
        result = check(doubling(keyword, 30, innermost), {})

    assert result.verdict != "unchecked"


def test_nested_unevaluated_keywords_cost_no_more_than_their_size():
    schema = {"properties": {"a": True}, "unevaluatedProperties": False}
    for _ in range(50):
        schema = {"allOf": [schema], "unevaluatedProperties": False}

    with at_most(100_000):
        assert verdict(schema, {"a": 1}) == "conforms"
        assert verdict(schema, {"b": 1}) == "violates"


def test_a_violation_reported_once_does_not_count_as_valid_later():
    schema = {
        "$defs": {"a": {"type": "string"}, "b": {"$ref": "#/$defs/a"}},
        "allOf": [
            {"$ref": "#/$defs/a"},
            {"$ref": "#/$defs/b"},
            {"not": {"not": {"$ref": "#/$defs/b"}}},
        ],
    }

    assert [problem.keyword for problem in check(schema, 1).problems] == ["type", "not"]


@pytest.mark.parametrize(
    "pair",
    [
        lambda: ({"items": {"anyOf": [{"type": "null"}] * 5000 + [{}]}}, [1] * 10_000),
        lambda: (
            {"items": {"required": [f"a{n}" for n in range(5000)]}},
            [{f"a{n}": 1 for n in range(5000)}] * 20_000,
        ),
        lambda: ({"allOf": [{"not": {"enum": [[n]]}} for n in range(5000)]}, ["x" * 1_000_000]),
        lambda: (
            {"patternProperties": {f"^(x|xx)*({n})?$": {} for n in range(100)}},
            {"x" * 5000 + "!" * n: 1 for n in range(99)},
        ),
        lambda: ({"pattern": "^(x|xx)*$"}, "x" * 500_000 + "!"),
        lambda: ({"format": "regex"}, "a" * 60_000),
        lambda: ({"$schema": DRAFT_07, "allOf": [{"items": True}] * 5000}, [1] * 100_000),
        lambda: (
            {"uniqueItems": True, "items": {"uniqueItems": True}},
            [[n, list(range(3000))] for n in range(3000)],
        ),
    ],
)
def test_work_beyond_the_budget_ends_unchecked_with_a_reason(pair):
    schema, value = pair()  # made here, because together they take 250 MB
    compiled = compile_schema(schema)

    with at_most(6_000_000):
        result = compiled.check(value)

    assert result.verdict == "unchecked"
    assert "too" in result.reason


FORECAST = {
    "type": "array",
    "items": {"$ref": "#/$defs/day"},
    "$defs": {
        "day": {
            "type": "object",
            "properties": {"day": {"type": "integer"}, "sky": {"enum": ["clear", "grey"]}},
            "required": ["day"],
            "additionalProperties": False,
        }
    },
}


def test_a_large_value_costs_little_and_its_one_mistake_is_found():
    forecast = [{"day": day, "sky": "clear"} for day in range(2_000)]
    compiled = compile_schema(FORECAST)
    with at_most(150_000):
        assert compiled.check(forecast).verdict == "conforms"
    forecast[1_500] = {"day": loads("1.5")}

    [problem] = compiled.check(forecast).problems

    assert (problem.pointer, problem.message) == ("/1500/day", "must be an integer")


@pytest.mark.parametrize(
    "schema",
    [
        {"items": {"$ref": "#"}},
        {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {}]}}},
        {"items": {"anyOf": [{"const": n} for n in range(5_000)]}},
        {"items": {"enum": [loads("1.5"), "x" * 1_000_000]}},
    ],
)
def test_a_large_value_is_decided_within_the_budget_however_the_schema_is(schema):
    with at_most(6_000_000):
        result = check(schema, [f"a{n}" for n in range(5_000)])

    assert result.reason is None or "too" in result.reason or "itself" in result.reason


@pytest.mark.parametrize("value", ["1.599e-900", "1" + "0" * 299])
def test_numbers_that_take_long_to_compare_are_counted_one_by_one(value):
    schema = {"items": {"enum": [loads(f"1.{n}e-900") for n in range(1, 600)] + [10**299]}}
    budget = Budget()

    result = compile_schema(schema).check([loads(value)] * 700, budget=budget)

    assert result.verdict == "conforms"
    assert Budget().steps - budget.steps > 2_000  # not by the package that nothing can stop


def test_numbers_in_a_large_value_are_exact():
    schema = {"items": {"multipleOf": loads("0.1"), "maximum": loads("1e300")}}
    numbers = [loads(text) for text in ("0.3", "1e299", "9007199254740993", "1.0", "-0")] * 20

    assert verdict(schema, numbers) == "conforms"
    assert verdict(schema, [*numbers, loads("0.35")]) == "violates"
    assert verdict(schema, [*numbers, loads("1.00000000000000000001e300")]) == "violates"


def test_violations_found_before_the_budget_ended_are_reported():
    schema = {"properties": {"a": {"type": "string"}, "b": {"pattern": "^(x|xx)*$"}}}

    result = check(schema, {"a": 1, "b": "x" * 500_000 + "!"})

    assert result.verdict == "violates"
    assert [problem.pointer for problem in result.problems] == ["/a"]
    assert result.truncated
    assert result.reason == "Matching the pattern “^(x|xx)*$” takes too long."


def test_several_checks_can_share_one_budget():
    compiled = compile_schema({"items": {"type": "integer"}})
    budget = Budget(steps=500)

    verdicts = [compiled.check(list(range(100)), budget=budget).verdict for _ in range(4)]

    assert verdicts == ["conforms", "conforms", "unchecked", "unchecked"]
    assert compiled.root.is_valid([], budget) is None


# Places.


def test_a_subschema_checks_values_on_its_own():
    root = compile_schema(
        {"properties": {"a": {"type": "string"}, "b": False}, "required": ["c"]}
    ).root

    assert root.is_valid({}) is False
    assert root.sub("properties", "a").is_valid("x") is True
    assert root.sub("properties", "b").is_valid("x") is False
    assert root.sub("properties", "a").pointer == "/properties/a"
    with pytest.raises(LookupError):
        root.sub("properties", "z")


def test_many_threads_can_check_with_one_compiled_schema():
    compiled = compile_schema(
        TREE | {"unevaluatedProperties": False, "properties": {"child": True}}
    )
    found = []

    def work():
        found.append(
            [compiled.check(value).verdict for value in [tree(20), {"y": 1}, {"child": "x"}] * 20]
        )

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [["conforms", "violates", "conforms"] * 20] * 8


# Against another implementation.


@pytest.mark.parametrize("seed", range(4))
def test_random_schemas_get_the_verdicts_of_another_implementation(seed):
    chance = Random(seed)
    schemas = Schemas(chance)
    compared = 0
    for _ in range(150):
        schema = schemas.document()
        other = jsonschema_rs.Draft202012Validator(schema)
        ours = compile_schema(schema, asserts_formats=False)
        for value in [values_like(chance, schema, schema) for _ in range(6)]:
            result = ours.check(value)
            if result.reason and "refers to itself" in result.reason:
                continue

            expected = "conforms" if other.is_valid(value) else "violates"
            assert result.verdict == expected, (schema, value)
            assert ours.root.is_valid(value) is (result.verdict == "conforms")
            assert bool(result.problems) is (result.verdict == "violates")
            for problem in result.problems:
                resolve_pointer(value, problem.pointer)
                resolve_pointer(schema, problem.schema_pointer)
            compared += 1
    assert compared > 700


@pytest.mark.parametrize("draft", ["draft-04", "draft-06", "draft-07"])
@pytest.mark.parametrize("dependencies", [{"a": {}, "b": ["c"]}, {"b": ["c"], "a": {}}])
def test_references_resolve_beside_dependencies_of_both_kinds(draft, dependencies):
    schema = {
        "$schema": f"http://json-schema.org/{draft}/schema#",
        "properties": {"x": {"$ref": "#/definitions/p"}},
        "definitions": {"p": {"type": "integer"}},
        "dependencies": dependencies,
    }

    assert compile_schema(schema).check({"x": "no"}).verdict == "violates"
    assert compile_schema(schema).check({"x": 1, "b": 1, "c": 2}).verdict == "conforms"


def test_a_schema_inside_is_checked_in_the_draft_that_it_names():
    pair = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "string"}, {"$ref": "#/$defs/n"}],
    }
    compiled = compile_schema({"properties": {"pair": pair}, "$defs": {"n": {"type": "integer"}}})

    assert compiled.check({"pair": ["a", 1]}).verdict == "conforms"
    assert compiled.check({"pair": ["a", "b"]}).verdict == "violates"


def test_an_identifier_with_a_fragment_names_the_schema_around_references():
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "http://h/s#rank",
        "properties": {"a": {"$ref": "#/definitions/n"}, "b": {"$ref": "http://h/s#rank"}},
        "definitions": {"n": {"type": "integer"}},
    }

    assert compile_schema(schema).check({"a": 1, "b": {"a": 1}}).verdict == "conforms"
    assert compile_schema(schema).check({"b": {"a": "x"}}).verdict == "violates"
