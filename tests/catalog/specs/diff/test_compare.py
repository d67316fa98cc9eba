"""Comparisons of two specs: the direction of each change, and its proof."""

import json

import pytest

from catalog.specs.diff import Any, Known, compare, value_checks
from catalog.specs.spec import read_spec, stored_spec
from tests.work import at_most

OPEN = {"type": "object", "properties": {"city": {"type": "string"}}}
CLOSED = {**OPEN, "additionalProperties": False}
WITH_UNIT = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"enum": ["C", "F"]}},
}


def spec(parameters=None, returns=None, configuration=None, **definition):
    members = {"parameters": parameters, "returnType": returns} | definition
    document = {
        "definition": {"name": "weather", "description": "Tells it."}
        | {name: value for name, value in members.items() if value is not None}
    }
    if configuration is not None:
        document["configuration"] = configuration
    return read_spec(json.dumps(document))


def stored(parameters):
    """A spec as stored earlier, which need not pass today's limits."""
    definition = {"name": "weather", "description": "Tells it.", "parameters": parameters}
    return stored_spec(json.dumps({"definition": definition}))


def only(difference):
    (change,) = difference.changes
    return change


def test_a_spec_is_identical_to_itself():
    one = spec(parameters=WITH_UNIT, returns=OPEN, configuration=CLOSED)

    assert compare(one, one).verdict == "identical"
    assert compare(one, one).changes == ()


def test_the_layout_of_the_text_makes_no_difference():
    one = spec(parameters=OPEN)
    other = read_spec(json.dumps(one.document, indent=4, sort_keys=True))

    assert compare(one, other).verdict == "identical"


def test_the_verdict_is_the_worst_of_the_changes_and_the_worst_comes_first():
    old = spec(
        parameters={
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        }
    )
    new = spec(
        parameters={
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "number"}},
        }
    )

    difference = compare(old, new)

    assert difference.verdict == "breaking"
    assert [change.verdict for change in difference.changes] == ["breaking", "compatible"]
    assert {change.part for change in difference.changes} == {"parameters"}


def test_callers_send_parameters_and_read_responses():
    narrow, wide = {"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "object"}

    assert compare(spec(parameters=narrow), spec(parameters=wide)).verdict == "compatible"
    assert compare(spec(configuration=narrow), spec(configuration=wide)).verdict == "compatible"
    assert compare(spec(returns=wide), spec(returns=narrow)).verdict == "compatible"


def test_a_change_points_into_both_specs():
    old = spec(
        parameters={"type": "object", "properties": {"a/b": {"type": "integer", "minimum": 0}}}
    )
    new = spec(
        parameters={"type": "object", "properties": {"a/b": {"type": "integer", "minimum": 1}}}
    )

    change = only(compare(old, new))

    assert change.path == ("a/b",)
    assert change.before == change.after == "/definition/parameters/properties/a~1b/minimum"
    assert change.message == "`a/b` must now be at least 1; before, it had to be at least 0."


def test_a_change_behind_a_reference_points_to_the_definition():
    def with_address(zip_code):
        address = {"type": "object", "properties": {"zip": zip_code}}
        places = {"home": {"$ref": "#/$defs/Address"}, "work": {"$ref": "#/$defs/Address"}}
        return spec(
            parameters={"type": "object", "properties": places, "$defs": {"Address": address}}
        )

    change = only(
        compare(with_address({"type": "string"}), with_address({"type": "string", "maxLength": 5}))
    )

    assert change.after == "/definition/parameters/$defs/Address/properties/zip/maxLength"
    assert change.place == "home.zip"
    assert change.times == 2
    assert "(also at 1 other position)." in change.message


def test_a_path_is_written_with_dots_and_brackets():
    lines = {
        "type": "array",
        "items": {"type": "object", "properties": {"text": {"type": "string"}}},
    }
    labels = {"type": "object", "additionalProperties": {"type": "string"}}
    old = spec(parameters={"type": "object", "properties": {"lines": lines, "labels": labels}})
    new = read_spec(old.source.replace('"string"', '["string", "null"]'))

    places = {change.place: change.path for change in compare(old, new).changes}

    assert places == {
        "lines[].text": ("lines", Any.ITEM, "text"),
        "labels.*": ("labels", Any.MEMBER),
    }


# Proof.


def test_an_example_that_breaks_is_the_proof():
    example = {"description": "In Lisbon", "parameters": {"city": "Lisbon", "unit": "F"}}
    old = spec(parameters=WITH_UNIT, examples=[example])
    new = spec(
        parameters={**WITH_UNIT, "properties": {**WITH_UNIT["properties"], "unit": {"const": "C"}}},
        examples=[example],
    )

    change = only(compare(old, new))

    assert change.verdict == "breaking"
    assert (change.proof.kind, change.proof.source) == ("example", "In Lisbon")
    assert change.proof.value == {"city": "Lisbon", "unit": "F"}
    assert change.proof.pointer == "/unit"
    assert change.proof.message == 'must be "C"'


def test_a_recorded_run_that_breaks_is_the_proof():
    run = Known("run", "0b1c", {"city": "Lisbon", "extra": 1})

    change = only(
        compare(spec(parameters=OPEN), spec(parameters=CLOSED), runs=[("parameters", run)])
    )

    assert (change.proof.kind, change.proof.source) == ("run", "0b1c")
    assert change.proof.pointer == "/extra"


def test_without_a_known_value_a_witness_is_made():
    change = only(compare(spec(parameters=OPEN), spec(parameters={**OPEN, "required": ["city"]})))

    assert change.proof.kind == "witness"
    assert "city" not in change.proof.value


def test_a_witness_is_made_from_the_values_of_the_sampler():
    def sample(schema, seed):
        return [{"a": "deep", "b": {"c": [1, 2, 3]}}]

    deep = {
        "type": "object",
        "properties": {"c": {"type": "array", "items": {"type": "integer"}}},
        "required": ["c"],
    }
    old = spec(
        parameters={
            "type": "object",
            "properties": {"a": {"const": "deep"}, "b": deep},
            "required": ["a", "b"],
        }
    )
    new = read_spec(old.source.replace('"integer"', '"string"'))

    change = only(compare(old, new, sample=sample))

    assert change.proof.value == {"a": "deep", "b": {"c": [1, 2, 3]}}


def test_an_example_with_a_response_that_was_impossible_before_is_the_proof():
    old = spec(returns={"type": "object", "properties": {"unit": {"enum": ["C"]}}})
    new = spec(returns={"type": "object", "properties": {"unit": {"enum": ["C", "K"]}}})

    change = only(compare(old, new))

    assert change.verdict == "breaking"
    assert change.proof.value == {"unit": "K"}


def test_a_refused_known_value_makes_an_unknown_change_breaking():
    old = spec(
        parameters={
            "type": "object",
            "properties": {"code": {"type": "string", "pattern": "^(?!Q)[A-Z]+$"}},
        }
    )
    new = spec(
        parameters={
            "type": "object",
            "properties": {"code": {"type": "string", "pattern": "^(?!Q)[A-Y]+$"}},
        }
    )
    run = Known("run", "7", {"code": "Z"})

    assert compare(old, new).verdict == "unknown"
    assert compare(old, new, runs=[("parameters", run)]).verdict == "breaking"


# Members that were not declared.


def test_a_new_optional_parameter_of_an_open_object_is_compatible_and_a_value_shows_the_edge():
    change = only(compare(spec(parameters=OPEN), spec(parameters=WITH_UNIT)))

    assert (change.verdict, change.message) == ("compatible", "New optional parameter `unit`.")
    assert change.note == (
        "Undeclared properties were accepted before; callers that send other values as `unit` are now rejected."
    )
    assert change.proof.kind == "witness"
    assert change.proof.value["unit"] not in ("C", "F")


def test_strictly_a_new_optional_parameter_of_an_open_object_leaves_a_doubt():
    difference = compare(spec(parameters=OPEN), spec(parameters=WITH_UNIT))

    assert (difference.verdict, difference.strict.verdict) == ("compatible", "unknown")
    assert only(difference.strict).proof == only(difference).proof


def test_strictly_doubtful_changes_come_first():
    described = {**WITH_UNIT, "description": "A place."}
    difference = compare(spec(parameters=OPEN, description="Tells."), spec(parameters=described))

    assert [change.verdict for change in difference.changes] == ["wording", "wording", "compatible"]
    assert [change.verdict for change in difference.strict.changes] == [
        "unknown",
        "wording",
        "wording",
    ]


def test_a_new_optional_parameter_of_a_closed_object_needs_no_note():
    closed = {**WITH_UNIT, "additionalProperties": False}

    change = only(compare(spec(parameters=CLOSED), spec(parameters=closed)))

    assert (change.verdict, change.strict_verdict, change.note) == ("compatible", "compatible", "")


def test_a_removed_optional_parameter_of_an_open_object_is_noted():
    change = only(compare(spec(parameters=WITH_UNIT), spec(parameters=OPEN)))

    assert (change.verdict, change.strict_verdict) == ("compatible", "compatible")
    assert change.note == "Callers that still send `unit` are accepted, but the tool may ignore it."


@pytest.mark.parametrize(("schema", "strict"), [(OPEN, "unknown"), (CLOSED, "compatible")])
def test_a_removed_optional_member_of_a_response_is_noted(schema, strict):
    before = {**schema, "properties": WITH_UNIT["properties"]}

    change = only(compare(spec(returns=before), spec(returns=schema)))

    assert (change.verdict, change.strict_verdict) == ("compatible", strict)
    assert change.note == "Callers that read `unit` may no longer find it, or may get another type."


def test_many_new_optional_parameters_hide_no_change_that_breaks():
    new = {
        "properties": {
            **{f"a{index}": {"type": "string"} for index in range(400)},
            "city": {"type": "integer"},
        }
    }

    assert (
        compare(spec(parameters=OPEN), spec(parameters={"type": "object", **new})).verdict
        == "breaking"
    )


def test_it_breaks_if_a_caller_really_sent_another_value_under_that_name():
    run = Known("run", "3", {"unit": "Kelvin"})

    change = only(
        compare(spec(parameters=OPEN), spec(parameters=WITH_UNIT), runs=[("parameters", run)])
    )

    assert change.verdict == "breaking"
    assert change.proof.kind == "run"


def test_parameters_that_had_no_schema_get_one():
    change = only(compare(spec(), spec(parameters=OPEN)))

    assert (change.verdict, change.strict_verdict) == ("compatible", "unknown")
    assert (
        change.note
        == "Any value was accepted before; callers that send other values are now rejected."
    )
    assert (
        only(compare(spec(), spec(parameters={**OPEN, "required": ["city"]}))).verdict == "breaking"
    )
    assert only(compare(spec(parameters=OPEN), spec())).verdict == "compatible"


def test_a_response_schema_where_there_was_none_is_compatible():
    change = only(compare(spec(), spec(returns=OPEN)))

    assert change.verdict == "compatible"
    assert (change.before, change.after) == (None, "/definition/returnType/type")


def test_removing_the_response_schema_is_breaking():
    assert only(compare(spec(returns=OPEN), spec())).verdict == "breaking"


# Besides the schemas.


def test_a_new_name_may_break_callers_that_use_the_name():
    change = only(compare(spec(id="w"), spec(id="w", name="get_weather")))

    assert (change.part, change.kind, change.verdict) == ("definition", "name-changed", "unknown")


def test_new_descriptions_and_examples_are_a_change_of_wording():
    old = spec(description="Tells.", examples=[{"parameters": {}}])
    new = spec(description="Tells more.", examples=[])

    difference = compare(old, new)

    assert difference.verdict == "wording"
    assert [change.kind for change in difference.changes] == [
        "description-changed",
        "examples-changed",
    ]


def test_schemas_that_are_too_complex_are_reported(monkeypatch):
    monkeypatch.setattr(value_checks, "SECONDS", 0)
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    new = spec(
        parameters={"type": "object", "properties": {"a": {"type": "integer", "maximum": 999}}}
    )

    assert only(compare(old, new)).kind == "too-much"
    assert compare(old, new).verdict == "unknown"


def test_a_simple_value_shows_that_schemas_too_complex_to_compare_break(monkeypatch):
    monkeypatch.setattr(value_checks, "SECONDS", 0)
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    new = spec(parameters={"type": "object", "properties": {"a": {"type": "string"}}})

    assert [change.kind for change in compare(old, new).changes] == ["value-refused", "too-much"]


def test_a_known_value_shows_that_schemas_too_complex_to_compare_break(monkeypatch):
    monkeypatch.setattr(value_checks, "SECONDS", 0)
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    new = spec(parameters={"type": "object", "properties": {"a": {"type": "string"}}})

    difference = compare(old, new, runs=[("parameters", Known("run", "12", {"a": 1}))])

    assert [change.kind for change in difference.changes] == ["value-refused", "too-much"]
    assert difference.changes[0].message == "The run 12 is now rejected: must be a string (at /a)."


# Large and hostile schemas: a comparison ends, and says what it could not find out.


def nested(depth, last, wrap):
    return last if depth == 0 else wrap(nested(depth - 1, last, wrap), depth)


def chained(length, last):
    """A chain of definitions, each one member deeper."""
    names = [f"d{index}" for index in range(length)]
    links = {
        name: {"type": "object", "properties": {"x": {"$ref": f"#/$defs/{after}"}}}
        for name, after in zip(names, [*names[1:], "last"], strict=True)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**links, "last": last}}


LARGE = {
    "members": lambda kind: {"type": "object", "properties": {f"p{index}": {"type": kind} for index in range(1500)}},
    "items": lambda kind: {"type": "array", "prefixItems": [{"type": kind}] * 1500},
    "patterns": lambda kind: {"type": "object", "patternProperties": {f"^p{i}": {"type": kind} for i in range(300)}},
    "links": lambda kind: chained(900, {"type": kind}),
    "objects": lambda kind: nested(25, {"type": kind}, lambda x, _: {"type": "object", "properties": {"x": x}}),
    "negations": lambda kind: nested(25, {"type": kind}, lambda x, _: {"not": x}),
    "alternatives": lambda kind: nested(20, {"type": kind}, lambda x, depth: {"oneOf": [x, {"minLength": depth}]}),
    "conditions": lambda kind: nested(20, {"type": kind}, lambda x, n: {"if": x, "then": {"minLength": n}, "else": x}
                                      if n % 7 == 0 else {"if": x, "then": {"minLength": n}}),
    "parts": lambda kind: {"allOf": [{"properties": {f"p{index}": {"type": kind}}} for index in range(900)]},
    "inner parts": lambda kind: {
        "properties": {"x": {"allOf": [{"properties": {f"p{index}": {"type": kind}}} for index in range(900)]}}
    },
    "unions": lambda kind: {
        "type": "object",
        "allOf": [
            {"anyOf": [{"required": [f"a{i + j}"], "properties": {f"b{i}": {"type": kind}}} for i in range(14)]}
            for j in range(12)
        ],
    },
}  # fmt: skip


@pytest.mark.deep
@pytest.mark.parametrize("schema", LARGE.values(), ids=LARGE)
def test_a_comparison_ends_soon(schema):
    with at_most(8_000_000):
        difference = compare(stored(schema("string")), stored(schema("integer")))

    assert difference.verdict in {"breaking", "unknown"}


# Alternatives: which is which, and what is written about them.


def messages(before, after, part="parameters"):
    return [
        change.message for change in compare(spec(**{part: before}), spec(**{part: after})).changes
    ]


@pytest.mark.parametrize("union", ["oneOf", "anyOf"])
def test_a_union_of_constants_reads_as_a_list_of_values(union):
    constants = {union: [{"const": 1, "title": "low"}, {"const": 2, "title": "high"}]}

    assert messages(
        {"properties": {"n": {"type": "integer"}}}, {"properties": {"n": constants}}
    ) == ["`n` must now be 1 or 2."]
    assert messages(
        {"properties": {"n": constants}}, {"properties": {"n": {"type": "integer"}}}
    ) == ["`n` is no longer limited to 1 or 2."]


def test_a_constant_that_is_appended_to_many_is_compared_as_a_value():
    def union(count):
        return {"properties": {"n": {"oneOf": [{"const": f"c{index}"} for index in range(count)]}}}

    assert messages(union(400), union(401)) == ['`n` may now also be "c400".']
    assert compare(spec(parameters=union(401)), spec(parameters=union(400))).verdict == "breaking"


@pytest.mark.parametrize("union", ["oneOf", "anyOf"])
@pytest.mark.parametrize("required", [[], ["kind"]])
def test_a_member_of_one_alternative_is_reported_for_that_alternative(union, required):
    def branch(kind, **members):
        return {
            "type": "object",
            "properties": {"kind": {"const": kind}, "text": {"type": "string"}, **members},
            "required": required,
            "additionalProperties": False,
        }

    def parameters(*branches):
        return {"properties": {"block": {union: list(branches)}}}

    old = parameters(branch("a"), branch("b"), branch("c"))
    new = parameters(branch("c"), branch("b", size={"type": "integer"}), branch("a"))
    difference = compare(spec(parameters=old), spec(parameters=new))

    added = [change for change in difference.changes if change.kind == "member-added"]
    assert [(change.message, change.after) for change in added] == [
        (
            "New optional field `block.size`.",
            f"/definition/parameters/properties/block/{union}/1/properties/size/type",
        )
    ]
    assert not [change for change in difference.changes if change.kind == "member-removed"]


def test_alternatives_without_constants_are_paired_by_their_titles():
    def parameters(*branches):
        return {"properties": {"a": {"anyOf": list(branches)}}}

    def titled(title, **members):
        return {
            "title": title,
            "type": "object",
            "properties": members,
            "required": list(members)[:1],
        }

    old = parameters(
        titled("Text", text={"type": "string"}), titled("Image", url={"type": "string"})
    )
    image = titled("Image", url={"type": "string", "description": "The address."})

    assert messages(old, parameters(image, titled("Text", text={"type": "string"}))) == [
        "The description of `a.url` was added."
    ]
