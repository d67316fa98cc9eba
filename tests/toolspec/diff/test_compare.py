"""Comparisons of two specs: the direction of each change, and its proof."""

import json
import string
import tomllib
from pathlib import Path

import pytest

from tests.work import at_most
from toolspec.diff import Any, Known, compare
from toolspec.diff import messages as message_texts
from toolspec.spec import read_spec, stored_spec

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


def test_many_changes_of_one_direction_hide_none_of_the_other():
    def parameters(most, last):
        lengths = {f"a{index}": {"type": "string", "maxLength": most} for index in range(400)}
        return {"properties": {**lengths, "z": {"type": last}}}

    wider = compare(
        spec(parameters=parameters(5, "string")), spec(parameters=parameters(9, "null"))
    )

    assert wider.verdict == "breaking"


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


def test_schemas_that_are_too_complex_are_reported():
    old, new = stored(LARGE["parts"]("string")), stored(LARGE["parts"]("integer"))

    difference = compare(old, new)

    assert only(difference).kind == "too-much"
    assert difference.verdict == "unknown"


def test_a_simple_value_shows_that_schemas_too_complex_to_compare_break():
    old, new = stored(LARGE["parts"]("string")), stored(LARGE["parts"]("integer"))

    difference = compare(old, new, sample=lambda schema, seed: [{"p7": "text"}])

    assert [change.kind for change in difference.changes] == ["value-refused", "too-much"]


def test_a_known_value_shows_that_schemas_too_complex_to_compare_break():
    old, new = stored(LARGE["parts"]("string")), stored(LARGE["parts"]("integer"))

    difference = compare(old, new, runs=[("parameters", Known("run", "12", {"p0": "a"}))])

    assert [change.kind for change in difference.changes] == ["value-refused", "too-much"]
    assert (
        difference.changes[0].message == "The run 12 is now rejected: must be an integer (at /p0)."
    )


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


def closed(kind, **members):
    """An alternative that is known by its constant, which it does not require."""
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, "text": {"type": "string"}, **members},
        "additionalProperties": False,
    }


def test_a_new_member_of_an_alternative_that_does_not_require_its_constant_is_compatible():
    old = {"properties": {"block": {"oneOf": [closed("a"), closed("b")]}}}
    new = {"properties": {"block": {"oneOf": [closed("a"), closed("b", size={"type": "integer"})]}}}

    change = only(compare(spec(parameters=old), spec(parameters=new)))

    assert (change.verdict, change.kind, change.place) == (
        "compatible",
        "member-added",
        "block.size",
    )


def test_a_wider_alternative_that_may_overlap_another_one_is_not_compatible():
    short, long = {"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 9}
    old = {"oneOf": [closed("a"), closed("b", text=short)]}
    new = {"oneOf": [closed("a"), closed("b", text=long)]}

    change = only(compare(spec(parameters=old), spec(parameters=new)))

    assert (change.verdict, change.kind) == ("unknown", "maxLength-changed")


@pytest.mark.parametrize("wrap", [
    lambda bound: bound,
    lambda bound: {"anyOf": [bound, {"type": "null"}]},
    lambda bound: {"allOf": [bound, {"maxLength": 100}]},
    lambda bound: {"oneOf": [bound, {"type": "array", "items": bound}]},
    lambda bound: {"type": "array", "items": {"$ref": "#/$defs/bound"}},
])  # fmt: skip
def test_a_bound_that_is_loosened_in_one_place_is_compatible(wrap):
    def parameters(most):
        bound = {"type": "string", "maxLength": most}
        return {"properties": {"a": wrap(bound)}, "$defs": {"bound": bound}}

    difference = compare(spec(parameters=parameters(5)), spec(parameters=parameters(9)))

    assert difference.verdict == "compatible"
    assert {change.kind for change in difference.changes} == {"maxLength-changed"}


def test_a_change_under_not_has_the_opposite_direction():
    def parameters(longest):
        return {"properties": {"a": {"type": "string", "not": {"maxLength": longest}}}}

    assert compare(spec(parameters=parameters(3)), spec(parameters=parameters(2))).verdict == (
        "compatible"
    )
    assert compare(spec(parameters=parameters(2)), spec(parameters=parameters(3))).verdict == (
        "breaking"
    )


def test_a_recursive_schema_under_not_is_not_equal():
    def parameters(longest):
        node = {
            "type": "object",
            "properties": {
                "text": {"type": "string", "maxLength": longest},
                "other": {"not": {"$ref": "#/$defs/node"}},
            },
        }
        return {"$ref": "#/$defs/node", "$defs": {"node": node}}

    difference = compare(spec(parameters=parameters(3)), spec(parameters=parameters(5)))

    assert difference.verdict in {"unknown", "breaking"}


def test_a_change_deep_in_lists_of_optional_members_is_proved():
    def parameters(kind):
        inner = {"type": kind}
        for _ in range(5):
            inner = {"type": "array", "items": {"type": "object", "properties": {"x": inner}}}
        return {"properties": {"a": inner}}

    change = only(
        compare(spec(parameters=parameters("string")), spec(parameters=parameters("integer")))
    )

    assert (change.verdict, change.proof.message) == ("breaking", "must be an integer")


def test_a_comparison_has_the_same_result_on_a_slow_machine(monkeypatch):
    ticks = iter(range(10**9))
    old = spec(parameters={"properties": {"a": {"anyOf": [OPEN, {"type": "null"}]}}})
    new = spec(parameters={"properties": {"a": {"anyOf": [WITH_UNIT, {"type": "string"}]}}})
    expected = compare(old, new)

    monkeypatch.setattr("time.thread_time", lambda: next(ticks))

    assert compare(old, new) == expected


def test_an_alternative_that_requires_less_and_overlaps_another_one_is_not_compatible():
    def alternative(*required):
        members = {"a": {"type": "string"}, "b": {"type": "string"}}
        return {"type": "object", "properties": members, "required": list(required)}

    without_b = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    old = {"oneOf": [alternative("a"), alternative("a", "b")]}
    new = {"oneOf": [alternative("a"), without_b]}

    assert compare(spec(parameters=old), spec(parameters=new)).verdict in {"breaking", "unknown"}


STRING = {"type": "string"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (STRING, [STRING, {"enum": ["auto"]}]),
        ([STRING, {"type": "null"}], [STRING, {"enum": [None, "auto"]}]),
        ([STRING, {"type": "integer"}], [STRING, {"enum": ["auto"]}, {"type": "integer"}]),
        ([{"type": "null", "enum": ["auto"]}, STRING], [{"enum": ["auto"]}, STRING]),
    ],
    ids=["new-union", "wider-list", "new-alternative", "without-type"],
)
def test_a_listed_value_that_another_alternative_accepts_too_is_no_longer_allowed(old, new):
    before, after = (one if isinstance(one, dict) else {"oneOf": one} for one in (old, new))

    change = only(compare(spec(parameters=before), spec(parameters=after)))

    assert (change.verdict, change.proof.value) == ("breaking", "auto")


def test_names_that_are_described_by_the_schema_of_their_object_are_compared():
    names = {"propertyNames": {"$ref": "#/$defs/names"}, "minProperties": 1}
    new = {"$ref": "#/$defs/names", "$defs": {"names": names}}

    assert compare(spec(parameters={"type": "null"}), spec(parameters=new)).changes


def test_every_text_of_a_change_names_words_that_exist():
    file = Path(message_texts.__file__).with_suffix(".toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    texts = [*tables.pop("notes").values(), *tables.pop("labels").values()]
    del tables["parts"]
    texts += [text for table in tables.values() for entry in table.values() for text in entry]

    named = {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}

    assert named - {*dir(message_texts.Words), *message_texts.SCHEMA_WORDS} == set()
