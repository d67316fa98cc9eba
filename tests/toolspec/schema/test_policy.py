"""The limits of an uploaded schema: its references, its loops, and the work that it causes."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.work import at_most
from toolspec.schema import dialects
from toolspec.schema.patterns import MAX_PATTERN_CHARACTERS
from toolspec.schema.policy import (
    MAX_LIST,
    MAX_SUBSCHEMAS,
    schema_policy_problems,
    select_acceptable_schemas,
)
from toolspec.text.reader import Number

# One JSON object a line: {"rule", "schema", "problems": [[rule of the policy, pointer], …]}.
CASES = Path(__file__).parents[2] / "data" / "schema_policy.jsonl"
DRAFT_04 = "http://json-schema.org/draft-04/schema#"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def found(schema):
    """The problems of a schema, as (rule, pointer)."""
    return [(problem.rule, problem.pointer) for problem in schema_policy_problems(schema)]


def chain(keyword, length, width=2):
    """d0 … dn, each referring `width` times to the one before."""
    names = {
        f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n - 1}"}] * width} if n else {"type": "object"}
        for n in range(length + 1)
    }
    return {"$defs": names, "$ref": f"#/$defs/d{length}"}


def nested(keyword, depth, inner):
    for _ in range(depth):
        inner = {keyword: [inner], "unevaluatedProperties": False}
    return inner


def entangled(step):
    """150 schemas that each refer to 11 others."""
    names = {
        f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{step(i, k)}"} for k in range(1, 12)]}
        for i in range(150)
    }
    return {"$defs": names | {"d150": {}}}


LISTED = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", LISTED, ids=lambda case: f"{case['rule']} {case['schema']}"[:120])
def test_a_schema_has_the_listed_problems_and_no_others(case):
    assert found(case["schema"]) == [tuple(problem) for problem in case["problems"]]


# References


@pytest.mark.parametrize(
    ("reference", "rule"),
    [
        ("http://127.0.0.1:9/s.json", "gate.ref-remote"),
        ("file:///etc/passwd", "gate.ref-remote"),
        ("//example.com/x", "gate.ref-remote"),
        ("other.json", "gate.ref-remote"),
        ("http://json-schema.org/draft-03/schema#", "gate.ref-remote"),
        ("http://[", "gate.ref-remote"),
        ("x" * 3000, "gate.ref"),
        ("#/$defs/nope", "gate.ref-missing"),
        ("#nope", "gate.ref-missing"),
        ("#/allOf/7", "gate.ref-missing"),
        ("#/allOf/00", "gate.ref-missing"),
        ("#/allOf/" + "9" * 5000, "gate.ref-missing"),
        ("#" + "/a" * 50_000, "gate.ref-missing"),
        (f"{DRAFT_2020}#/$defs/nope", "gate.ref-missing"),
        ("#/default", "gate.ref-not-schema"),
        ("#/enum/0", "gate.ref-not-schema"),
        ("#/$defs", "gate.ref-not-schema"),
        ("#/title", "gate.ref-not-schema"),
    ],
)
def test_references_that_lead_elsewhere_are_refused(reference, rule):
    assert found(referring("$ref", reference)) == [(rule, "/properties/p/$ref")]


def test_dynamic_references_that_lead_elsewhere_are_refused():
    for reference, rule in [("other.json", "gate.ref-remote"), ("#nope", "gate.ref-missing")]:
        assert found(referring("$dynamicRef", reference)) == [(rule, "/properties/p/$dynamicRef")]


def referring(keyword, reference):
    return {
        "default": {"x": 1},
        "enum": [{"type": "string"}],
        "title": "t",
        "$defs": {"a": {}},
        "allOf": [True],
        "properties": {"p": {keyword: reference}},
    }


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (
            {"$id": "http://example.com/", "items": {"$ref": "http://["}},
            ("gate.ref", "/items/$ref"),
        ),
        ({"$defs": {"x": {"$ref": "http://h/"}}}, ("gate.ref-remote", "/$defs/x/$ref")),
        (
            {"$defs": {"x": {"$id": "http://h/b/", "items": {"$ref": "c.json"}}}},
            ("gate.ref-remote", "/$defs/x/items/$ref"),
        ),
    ],
    ids=["no URI", "in an unused definition", "relative to another base"],
)
def test_a_reference_anywhere_is_resolved_against_the_base_uri_around_it(schema, problem):
    assert found(schema) == [problem]


def test_a_schema_below_an_unknown_member_is_checked_if_a_reference_leads_to_it():
    schema = {
        "$ref": "#/x/y",
        "x": {"y": {"type": "dict", "items": {"$ref": "http://example.com/"}}},
    }

    assert sorted(found(schema)) == [
        ("gate.ref-remote", "/x/y/items/$ref"),
        ("spec.schema", "/x/y/type"),
    ]


def test_a_property_named_ref_is_not_a_reference():
    assert found({"properties": {"$ref": {"type": "string"}}}) == []
    assert found({"enum": [{"$ref": "http://example.com/"}], "default": {"$ref": 5}}) == []


def test_a_reference_that_is_not_a_string_is_refused_in_every_draft():
    for uri in (DRAFT_04, DRAFT_07, DRAFT_2019, DRAFT_2020):
        assert [
            pointer for _, pointer in found({"$schema": uri, "properties": {"p": {"$ref": 5}}})
        ] == ["/properties/p/$ref"]


# Names


def test_a_schema_may_not_take_the_name_of_a_standard():
    elder = "http://json-schema.org/draft-03/schema"
    for uri in (DRAFT_2020, DRAFT_07, "HTTPS://json-schema.org/draft/2020-12/schema", elder):
        assert found({"$id": uri.removesuffix("#")}) == [("gate.id-standard", "/$id")]


@pytest.mark.parametrize(
    "reference", [{"$ref": "urn:x:y"}, {"$id": "urn:x:y", "$ref": "#/$defs/c"}]
)
def test_a_reference_to_the_id_of_two_schemas_is_refused(reference):
    schema = {
        "$defs": {
            "a": {"$id": "urn:x:y", "$defs": {"c": {}}},
            "b": {"$id": "urn:x:y"},
            "r": reference,
        }
    }

    assert found(schema) == [("gate.id-twice", "/$defs/b/$id")]


def test_two_schemas_of_one_resource_may_not_have_the_same_anchor():
    assert found({"$anchor": "a", "$defs": {"b": {"$anchor": "a"}}}) == [
        ("gate.anchor-twice", "/$defs/b/$anchor")
    ]
    assert found({"$anchor": "a", "$defs": {"b": {"$id": "urn:b", "$anchor": "a"}}}) == []


def test_an_id_may_not_have_a_fragment():
    assert found({"$id": "urn:x:y#frag"}) == [("spec.schema", "/$id")]
    assert found({"$schema": DRAFT_2019, "$id": "urn:x:y#frag"}) == [("spec.schema", "/$id")]


def test_the_id_of_a_standard_with_a_fragment_is_refused():
    assert found({"$schema": DRAFT_04, "id": "http://json-schema.org/draft-04/schema#mine"}) == [
        ("gate.id-standard", "/id")
    ]


def test_an_id_beside_a_reference_is_ignored_up_to_draft_07():
    schema = {
        "$schema": DRAFT_07,
        "allOf": [{"$ref": "#/definitions/a", "$id": DRAFT_07}],
        "definitions": {"a": {}},
    }

    assert found(schema) == []


# Drafts


@pytest.mark.parametrize(
    "uri", ["http://example.com/meta", 7, {}, None, "", "http://json-schema.org/draft-03/schema#"]
)
def test_an_unknown_draft_is_refused(uri):
    assert found({"$schema": uri, "type": "whatever"}) == [("gate.dialect", "/$schema")]


def test_an_unknown_draft_is_refused_inside_too():
    schema = {"properties": {"a": {"$schema": "http://example.com/meta"}}}

    assert found(schema) == [("gate.dialect", "/properties/a/$schema")]


@pytest.mark.parametrize(
    "elder",
    [{"$schema": DRAFT_07, "items": [{}]}, {"$schema": DRAFT_07, "$id": "urn:a", "items": [{}]}],
)
def test_a_schema_inside_that_names_another_draft_is_read_in_that_draft(elder):
    assert found({"$defs": {"a": elder}}) == []
    assert found({"properties": {"a": {"not": elder}}}) == []


def test_a_schema_inside_that_breaks_the_draft_it_names_is_refused():
    elder = {"$schema": DRAFT_07, "properties": {"b": {"type": "dict"}}}
    younger = {"$id": "urn:b", "$schema": DRAFT_2020, "items": [{}]}
    in_elder = {"$schema": DRAFT_07, "items": [{}], "definitions": {"b": younger}}

    problem = ("spec.schema", "/properties/a/properties/b/type")
    assert found({"properties": {"a": elder}}) == [problem]
    assert found(in_elder) == [("spec.schema", "/definitions/b/items")]


def test_many_schemas_inside_that_name_another_draft_take_linear_work():
    schema = {"properties": {str(n): {"$schema": DRAFT_07, "items": [{}]} for n in range(600)}}

    with at_most(200_000):
        assert found(schema) == []


# Work


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_a_chain_that_doubles_25_times_is_refused(keyword):
    assert [rule for rule, _ in found(chain(keyword, 25))] == ["gate.work"]


def test_a_chain_that_doubles_into_smaller_values_is_refused():
    names = {
        f"d{n}": {"allOf": [{"items": {"$ref": f"#/$defs/d{n - 1}"}}] * 2} for n in range(1, 25)
    }

    assert [rule for rule, _ in found({"$defs": names | {"d0": {}}, "$ref": "#/$defs/d24"})] == [
        "gate.work"
    ]


def test_costs_of_sibling_members_do_not_add_up():
    names = {
        f"d{n}": {
            "properties": {name: {"$ref": f"#/$defs/d{n - 1}"} for name in ("a", "b", "c", "d")}
        }
        for n in range(1, 25)
    }

    assert found({"$defs": names | {"d0": {}}, "$ref": "#/$defs/d24"}) == []


def test_nested_unions_of_many_branches_are_accepted():
    leaf = {"anyOf": [{"properties": {"kind": {"const": n}}} for n in range(12)]}
    union = {
        "oneOf": [{"properties": {"kind": {"const": n}, f"inner{n}": leaf}} for n in range(12)]
    }

    assert (
        found({"oneOf": [{"properties": {"kind": {"const": n}, "body": union}} for n in range(5)]})
        == []
    )


def test_unevaluated_properties_many_levels_deep_in_place_are_refused():
    assert found(nested("allOf", 3, {"properties": {"a": True}})) == []
    assert [rule for rule, _ in found(nested("allOf", 12, {"properties": {"a": True}}))] == [
        "gate.work"
    ]


def linked(length, link, *, last=None):
    """A chain of definitions d0, d1, …, each `link` around a reference to the next; the last refers to nothing."""
    names = {f"d{n}": link({"$ref": f"#/$defs/d{n + 1}"}) for n in range(length)}
    return {"$ref": "#/$defs/d0", "$defs": names | {f"d{length}": last or {}}}


LINKS = {
    "properties": lambda inner: {"properties": {"next": inner}},
    "patternProperties": lambda inner: {"patternProperties": {"^n": inner}},
    "additionalProperties": lambda inner: {"additionalProperties": inner},
    "unevaluatedProperties": lambda inner: {"unevaluatedProperties": inner},
    "propertyNames": lambda inner: {"propertyNames": inner},
    "items": lambda inner: {"items": inner},
    "prefixItems": lambda inner: {"prefixItems": [inner]},
    "unevaluatedItems": lambda inner: {"unevaluatedItems": inner},
    "contains": lambda inner: {"contains": inner},
    "items, anyOf": lambda inner: {"items": {"anyOf": [inner, {"type": "null"}]}},
    "items, allOf": lambda inner: {"items": {"allOf": [inner, {"description": "x"}]}},
    "if, then, items": lambda inner: {"if": {"type": "array"}, "then": {"items": inner}},
    "dependentSchemas, items": lambda inner: {"dependentSchemas": {"a": {"items": inner}}},
    "not, items": lambda inner: {"not": {"items": inner}},
}


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_references_that_lead_deeper_into_a_value_than_values_may_be_are_refused(link):
    assert found(linked(64, link)) == []
    assert found(linked(65, link)) == [("gate.depth", "/$defs/d65")]


def test_a_refusal_of_depth_points_to_the_schema_that_is_too_deep():
    [problem] = schema_policy_problems(linked(150, LINKS["properties"]), "/definition/parameters")

    assert problem.pointer == "/definition/parameters/$defs/d65"
    assert problem.message == (
        "Its references describe values nested more than 64 levels deep; reduce the nesting."
    )


@pytest.mark.parametrize("keyword", ["$anchor", "$dynamicAnchor"])
def test_references_by_name_count_as_those_by_pointer(keyword):
    refer = "$ref" if keyword == "$anchor" else "$dynamicRef"
    names = {f"d{n}": {keyword: f"d{n}", "items": {refer: f"#d{n + 1}"}} for n in range(70)}
    last = {"d70": {keyword: "d70"}}

    assert [rule for rule, _ in found({"$ref": "#d0", "$defs": names | last})] == ["gate.depth"]


def test_the_longest_path_to_a_schema_counts():
    schema = linked(70, LINKS["items"])
    near = {f"near{n}": {"$ref": f"#/$defs/d{n}"} for n in range(71)}

    assert found({"properties": near, "$defs": schema["$defs"]}) == [("gate.depth", "/$defs/d64")]


@pytest.mark.parametrize("length", [1, 65, 900])
def test_a_loop_of_references_through_smaller_values_of_any_length_is_accepted(length):
    back = {"properties": {"next": {"$ref": "#/$defs/d0"}}}

    assert found(linked(length, LINKS["properties"], last=back)) == []


def test_a_chain_between_two_loops_counts():
    schema = linked(66, LINKS["items"], last={"items": {"$ref": "#/$defs/d66"}})
    schema["$defs"]["d0"]["prefixItems"] = [{"$ref": "#/$defs/d0"}]

    assert found(schema) == [("gate.depth", "/$defs/d65")]


def test_dynamic_references_with_a_million_possible_targets_are_refused():
    anchors = {f"a{n}": {"$id": f"urn:{n}", "$dynamicAnchor": "n"} for n in range(900)}
    references = {f"r{n}": {"items": {"$dynamicRef": "urn:1#n"}} for n in range(400)}

    assert "gate.work" in {rule for rule, _ in found({"$defs": anchors | references})}


# Bounds


def test_too_many_subschemas_are_refused():
    assert found({"properties": {str(n): {} for n in range(MAX_SUBSCHEMAS - 1)}}) == []
    assert found({"properties": {str(n): {} for n in range(MAX_SUBSCHEMAS)}}) == [
        ("gate.subschemas", "")
    ]


@pytest.mark.parametrize("keyword", ["enum", "required", "examples"])
def test_too_long_a_list_is_refused(keyword):
    assert found({keyword: [str(n) for n in range(MAX_LIST)]}) == []
    assert found({keyword: [str(n) for n in range(MAX_LIST + 1)]}) == [("gate.list", f"/{keyword}")]


def test_an_invalid_regular_expression_is_refused_at_its_pointer():
    assert found({"properties": {"a": {"pattern": "["}}}) == [
        ("gate.pattern", "/properties/a/pattern")
    ]
    assert [rule for rule, _ in found({"patternProperties": {"[": True}})] == ["gate.pattern"]


def test_a_regular_expression_has_a_bounded_length():
    assert found({"pattern": "a" * MAX_PATTERN_CHARACTERS}) == []
    assert found({"pattern": "a" * (MAX_PATTERN_CHARACTERS + 1)}) == [
        ("gate.pattern-length", "/pattern")
    ]


def test_a_regular_expression_that_the_engine_writes_much_longer_is_refused():
    assert found({"pattern": "\\b" * 1_000}) == [("gate.pattern", "/pattern")]


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": [f"value {n}" for n in range(6_000)]},
        {"oneOf": [{"const": n} for n in range(4_900)]},
        {"properties": {f"p{n}": {"type": "string", "description": "x"} for n in range(4_000)}},
        {"pattern": "^(" + "|".join(f"licence-{n}" for n in range(600)) + ")$"},
        {"properties": {str(n): {"pattern": "^[a-z][a-z0-9_.-]*$"} for n in range(900)}},
    ],
    ids=lambda schema: json.dumps(schema)[:30],
)
def test_a_large_schema_that_is_cheap_to_check_is_accepted(schema):
    assert found(schema) == []


def test_the_total_length_of_regular_expressions_is_limited():
    schema = {"properties": {str(n): {"pattern": "\\b" * 200 + str(n)} for n in range(30)}}

    assert "gate.pattern-length" in {rule for rule, _ in found(schema)}


# Shapes


@pytest.mark.parametrize(
    ("schema", "pointer", "message"),
    [
        ([], "", "A schema is expected here: an object, true or false."),
        ("x", "", "A schema is expected here: an object, true or false."),
        ({"properties": {"a": 5}}, "/properties/a", "A schema is expected here: an object, true or false."),
        ({"properties": {"a": []}}, "/properties/a", "A schema is expected here: an object, true or false."),
        ({"properties": []}, "/properties", "`properties` must be an object."),
        ({"type": "dict"}, "/type", "`type` cannot be `dict`. Did you mean `object`?"),
        ({"type": "sting"}, "/type", "`type` cannot be `sting`. Did you mean `string`?"),
        ({"type": "xyz"}, "/type", "`type` must be one of array, boolean, integer, null, number, object, string, or a list of them without duplicates."),  # noqa: E501
        ({"type": ["xyz", "null"]}, "/type", "`type` must be one of array, boolean, integer, null, number, object, string, or a list of them without duplicates."),  # noqa: E501
        ({"type": []}, "/type", "`type` must be one of array, boolean, integer, null, number, object, string, or a list of them without duplicates."),  # noqa: E501
        ({"required": "a"}, "/required", "`required` must be a list of property names without duplicates."),
        ({"required": ["a", "a"]}, "/required", "`required` must be a list of property names without duplicates."),
        ({"items": [{}]}, "/items", "`items` must be one schema; use `prefixItems` for a list of schemas."),
        ({"not": [{}]}, "/not", "A schema is expected here: an object, true or false."),
        ({"allOf": []}, "/allOf", "`allOf` must have at least 1 item."),
        ({"allOf": {}}, "/allOf", "`allOf` must be an array."),
        ({"enum": "a"}, "/enum", "`enum` must be an array."),
        ({"minLength": -1}, "/minLength", "`minLength` must be at least 0."),
        ({"minLength": Number("1.5")}, "/minLength", "`minLength` must be an integer."),
        ({"minimum": "0"}, "/minimum", "`minimum` must be a number."),
        ({"exclusiveMinimum": True}, "/exclusiveMinimum", "`exclusiveMinimum` must be a number; true and false are from draft-04."),  # noqa: E501
        ({"multipleOf": 0}, "/multipleOf", "`multipleOf` must be greater than 0."),
        ({"uniqueItems": 1}, "/uniqueItems", "`uniqueItems` must be a boolean."),
        ({"format": ["x"]}, "/format", "`format` must be a string."),
        ({"dependentRequired": {"a": "b"}}, "/dependentRequired/a", "`a` must be a list of property names without duplicates."),  # noqa: E501
        ({"$anchor": "1a"}, "/$anchor", "`$anchor` must match the pattern ^[A-Za-z_][-A-Za-z0-9._]*$."),
    ],
    ids=lambda value: json.dumps(value, default=str) if isinstance(value, dict | list) else None,
)  # fmt: skip
def test_a_malformed_keyword_is_described_in_terms_of_the_schema(schema, pointer, message):
    (problem,) = schema_policy_problems(schema)

    assert (problem.rule, problem.pointer, problem.message) == ("spec.schema", pointer, message)


def test_numbers_are_compared_exactly_and_may_be_huge_and_written_in_any_way():
    for lexeme in ("1e-400", "0.1", "1e2"):
        assert found({"multipleOf": Number(lexeme)}) == []
    for value in (10**30, Number("1e30"), Number("2.0"), 2**63):
        assert found({"minLength": value, "minimum": value}) == []


scalars = [None, True, False, 0, 1, -1, 2, "", "a", "string", "object", "1"]
scalars += [Number("1.0"), Number("0.5"), Number("-0")]
names = st.sampled_from(["a", "type", "items", "not", "minimum", "required"])
keyword_values = st.recursive(
    st.sampled_from(scalars),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.deep
@pytest.mark.parametrize("dialect", dialects.DIALECTS, ids=lambda dialect: dialect.name)
def test_a_schema_is_malformed_if_its_meta_schema_refuses_it(dialect):
    keywords = sorted((dialect.keywords | {"dependencies", "definitions", "unknown"}) - {"$schema"})

    @settings(max_examples=600, deadline=None)
    @given(st.dictionaries(st.sampled_from(keywords), keyword_values, max_size=3))
    def compare(schema):
        is_accepted = dialect.accepts(schema)

        rules = {rule for rule, _ in found({"$schema": dialect.uri, **schema})}

        assert ("spec.schema" in rules) is not is_accepted

    compare()


@pytest.mark.deep
@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"$ref": "#"}] * 1900},
        {"allOf": [7] * 60_000},
        {"properties": {str(n): 7 for n in range(25_000)}},
        {"properties": {str(n): {"type": 7, "minLength": -1} for n in range(1900)}},
        {"dependencies": {str(n): {"type": 7} for n in range(12_000)}},
        entangled(lambda i, k: (i * 7 + k) % 150),
        entangled(lambda i, k: min(i + k, 150)),
        {"properties": {"x" * 100_000: {"properties": {str(n): {"$ref": "#/$defs/b"} for n in range(1900)}}}},
        {"$id": "http://x/" + "b" * 1900 + "/", "$defs": {str(n): {"$id": f"a{n}"} for n in range(1900)}},
        {"patternProperties": {"a" * 520 + str(n): {} for n in range(400)}},
        {"properties": {str(n): {"pattern": "\\b" * 250} for n in range(1900)}},
        {"$schema": DRAFT_04, "enum": [n * (2**61 - 1) for n in range(11_000)] + [0]},
    ],
    ids=lambda schema: json.dumps(schema)[:40],
)  # fmt: skip
def test_no_schema_within_the_size_limit_takes_long_to_check(schema):
    with at_most(5_000_000):
        schema_policy_problems(schema)


NAME = {"type": "string"}
TREE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Tree"}}}
REFUSED = {"type": "strange"}
MANY = {"anyOf": [{"type": "string"}] * 3_000}


def test_schemas_that_share_definitions_hold_together():
    first = {"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE, "Name": NAME}}
    second = {"properties": {"a": {"$ref": "#/$defs/Name"}}, "$defs": {"Name": NAME}}

    assert select_acceptable_schemas([first, second, True]) == [first, second, True]


def test_only_schemas_without_the_refused_definition_hold():
    wrong = {"$ref": "#/$defs/Refused", "$defs": {"Refused": REFUSED, "Name": NAME}}
    right = {"$ref": "#/$defs/Name", "$defs": {"Name": NAME}}

    assert select_acceptable_schemas([wrong, right]) == [right]


@pytest.mark.parametrize(
    "schemas",
    [
        [{"allOf": [{"$ref": "#"}]}],
        [{"$ref": "#/$defs/A", "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}}],
        [{"$ref": "#/$defs/Missing"}],
        [{"$ref": "#/$defs/A/properties/b", "$defs": {"A": {"properties": {"b": True}}}}],
        [{"$schema": DRAFT_07, "$ref": "#/$defs/A", "$defs": {"A": True}}],
        [{"$id": "https://example.com/a", "$ref": "#/$defs/A", "$defs": {"A": True}}],
        [{"$defs": {"A": {"type": "string"}}}, {"$defs": {"A": {"type": "string"}}}],
        [{"anyOf": [{"$ref": "#/$defs/Many"}] * 2_500, "$defs": {"Many": MANY}}],
        [chain("allOf", 40)],
        [{"$ref": "#/$defs/~10"}, {"$defs": {"/0": {"type": "strange"}}}],
    ],
    ids=lambda schemas: json.dumps(schemas)[:80],
)
def test_schemas_hold_together_only_if_each_would_hold_alone(schemas):
    assert select_acceptable_schemas(schemas) == []


def test_no_schema_holds_beside_patterns_that_are_too_long_to_read_on():
    patterns = [f"{number}{'a' * 3_900}" for number in range(11)]
    long = {"anyOf": [{"pattern": pattern} for pattern in patterns]}
    wrong = {"items": {"items": {"pattern": "("}}}

    assert wrong not in select_acceptable_schemas([long, wrong])


@pytest.mark.parametrize("reference", ["#/$defs/Name", "#/$defs/~11"], ids=["name", "number"])
def test_a_schema_does_not_hold_by_a_definition_that_only_another_one_has(reference):
    right = {"properties": {"a": {"$ref": "#/$defs/Name"}}, "$defs": {"Name": NAME}}
    wrong = {"properties": {"a": {"$ref": reference}}}

    assert select_acceptable_schemas([right, wrong, right]) == [right, right]


def test_no_schema_holds_that_gives_itself_an_empty_name_twice():
    wrong = {
        "properties": {"a": {"$id": ""}, "b": {"$ref": "#/$defs/Name"}},
        "$defs": {"Name": NAME},
    }

    assert select_acceptable_schemas([wrong, wrong]) == []
