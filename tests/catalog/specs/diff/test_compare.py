"""Two specs compared: which way each change goes, and what proves it."""

import json

import pytest

from catalog.specs.diff import Any, Known, attempts, compare
from catalog.specs.spec import read_spec, stored_spec
from tests.work import at_most

OPEN = {"type": "object", "properties": {"city": {"type": "string"}}}
CLOSED = {**OPEN, "additionalProperties": False}
WITH_UNIT = {"type": "object", "properties": {"city": {"type": "string"}, "unit": {"enum": ["C", "F"]}}}


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
    """A spec that was stored once, and would not be accepted today if its references lead too deep."""
    definition = {"name": "weather", "description": "Tells it.", "parameters": parameters}
    return stored_spec(json.dumps({"definition": definition}))


def only(difference):
    (change,) = difference.changes
    return change


def test_a_spec_is_identical_to_itself():
    one = spec(parameters=WITH_UNIT, returns=OPEN, configuration=CLOSED)

    assert compare(one, one).verdict == "identical"
    assert compare(one, one).changes == ()


def test_the_format_of_the_text_means_nothing():
    one = spec(parameters=OPEN)
    other = read_spec(json.dumps(one.document, indent=4, sort_keys=True))

    assert compare(one, other).verdict == "identical"


def test_the_verdict_is_the_worst_of_the_changes_and_the_worst_comes_first():
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}})
    new = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "number"}}})

    difference = compare(old, new)

    assert difference.verdict == "breaking"
    assert [change.verdict for change in difference.changes] == ["breaking", "compatible"]
    assert difference.verdict_of("parameters") == "breaking"
    assert difference.verdict_of("returnType") == "identical"


def test_parameters_are_what_others_send_and_responses_what_they_read():
    narrow, wide = {"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "object"}

    assert compare(spec(parameters=narrow), spec(parameters=wide)).verdict == "compatible"
    assert compare(spec(configuration=narrow), spec(configuration=wide)).verdict == "compatible"
    assert compare(spec(returns=wide), spec(returns=narrow)).verdict == "compatible"


def test_a_change_points_into_both_specs():
    old = spec(parameters={"type": "object", "properties": {"a/b": {"type": "integer", "minimum": 0}}})
    new = spec(parameters={"type": "object", "properties": {"a/b": {"type": "integer", "minimum": 1}}})

    change = only(compare(old, new))

    assert change.path == ("a/b",)
    assert change.before == change.after == "/definition/parameters/properties/a~1b/minimum"
    assert change.message == "`a/b` is at least 1 now; before, it was at least 0."


def test_a_change_behind_a_reference_points_to_the_definition():
    def with_address(zip_code):
        address = {"type": "object", "properties": {"zip": zip_code}}
        places = {"home": {"$ref": "#/$defs/Address"}, "work": {"$ref": "#/$defs/Address"}}
        return spec(parameters={"type": "object", "properties": places, "$defs": {"Address": address}})

    change = only(compare(with_address({"type": "string"}), with_address({"type": "string", "maxLength": 5})))

    assert change.after == "/definition/parameters/$defs/Address/properties/zip/maxLength"
    assert change.place == "home.zip"
    assert change.times == 2
    assert "1 other place" in change.message


def test_a_place_reads_as_people_write_it():
    lines = {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}}
    labels = {"type": "object", "additionalProperties": {"type": "string"}}
    old = spec(parameters={"type": "object", "properties": {"lines": lines, "labels": labels}})
    new = read_spec(old.source.replace('"string"', '["string", "null"]'))

    places = {change.place: change.path for change in compare(old, new).changes}

    assert places == {"lines[].text": ("lines", Any.ITEM, "text"), "labels.*": ("labels", Any.MEMBER)}


# Proof.


def test_an_example_that_breaks_is_the_proof():
    example = {"description": "In Lisbon", "parameters": {"city": "Lisbon", "unit": "F"}}
    old = spec(parameters=WITH_UNIT, examples=[example])
    new = spec(
        parameters={**WITH_UNIT, "properties": {**WITH_UNIT["properties"], "unit": {"const": "C"}}}, examples=[example]
    )

    change = only(compare(old, new))

    assert change.verdict == "breaking"
    assert (change.proof.kind, change.proof.source) == ("example", "In Lisbon")
    assert change.proof.value == {"city": "Lisbon", "unit": "F"}
    assert change.proof.pointer == "/unit"
    assert "'F'" in change.proof.message


def test_a_recorded_run_that_breaks_is_the_proof():
    run = Known("run", "0b1c", {"city": "Lisbon", "extra": 1})

    change = only(compare(spec(parameters=OPEN), spec(parameters=CLOSED), runs=[("parameters", run)]))

    assert (change.proof.kind, change.proof.source) == ("run", "0b1c")
    assert change.proof.pointer == "/extra"


def test_without_a_known_value_a_witness_is_made():
    change = only(compare(spec(parameters=OPEN), spec(parameters={**OPEN, "required": ["city"]})))

    assert change.proof.kind == "witness"
    assert "city" not in change.proof.value


def test_a_witness_is_made_of_what_the_sampler_gives():
    def sample(schema, seed):
        return [{"a": "deep", "b": {"c": [1, 2, 3]}}]

    deep = {"type": "object", "properties": {"c": {"type": "array", "items": {"type": "integer"}}}, "required": ["c"]}
    old = spec(parameters={"type": "object", "properties": {"a": {"const": "deep"}, "b": deep}, "required": ["a", "b"]})
    new = read_spec(old.source.replace('"integer"', '"string"'))

    change = only(compare(old, new, sample=sample))

    assert change.proof.value == {"a": "deep", "b": {"c": [1, 2, 3]}}


def test_a_new_response_that_old_readers_could_not_meet_is_the_proof_where_responses_are_read():
    old = spec(returns={"type": "object", "properties": {"unit": {"enum": ["C"]}}})
    new = spec(returns={"type": "object", "properties": {"unit": {"enum": ["C", "K"]}}})

    change = only(compare(old, new))

    assert change.verdict == "breaking"
    assert change.proof.value == {"unit": "K"}


def test_a_known_value_that_breaks_makes_a_doubtful_change_breaking():
    old = spec(parameters={"type": "object", "properties": {"code": {"type": "string", "pattern": "^(?!Q)[A-Z]+$"}}})
    new = spec(parameters={"type": "object", "properties": {"code": {"type": "string", "pattern": "^(?!Q)[A-Y]+$"}}})
    run = Known("run", "7", {"code": "Z"})

    assert compare(old, new).verdict == "unknown"
    assert compare(old, new, runs=[("parameters", run)]).verdict == "breaking"


# Members that were not declared.


def test_a_member_that_is_declared_in_an_open_object_may_break_who_sent_another_by_that_name():
    change = only(compare(spec(parameters=OPEN), spec(parameters=WITH_UNIT)))

    assert change.verdict == "unknown"
    assert change.message.startswith("`unit` is new, and optional. It was not declared before")
    assert change.proof.kind == "witness"


def test_it_breaks_where_somebody_really_sent_another_by_that_name():
    run = Known("run", "3", {"unit": "Kelvin"})

    change = only(compare(spec(parameters=OPEN), spec(parameters=WITH_UNIT), runs=[("parameters", run)]))

    assert change.verdict == "breaking"
    assert change.proof.kind == "run"


def test_parameters_that_had_no_schema_get_one():
    assert only(compare(spec(), spec(parameters=OPEN))).verdict == "unknown"
    assert only(compare(spec(), spec(parameters={**OPEN, "required": ["city"]}))).verdict == "breaking"
    assert only(compare(spec(parameters=OPEN), spec())).verdict == "compatible"


def test_a_response_that_is_described_for_the_first_time_breaks_nobody():
    change = only(compare(spec(), spec(returns=OPEN)))

    assert change.verdict == "compatible"
    assert (change.before, change.after) == (None, "/definition/returnType/type")


def test_a_response_that_is_no_longer_described_breaks():
    assert only(compare(spec(returns=OPEN), spec())).verdict == "breaking"


# Besides the schemas.


def test_a_new_name_may_break_who_calls_by_name():
    change = only(compare(spec(id="w"), spec(id="w", name="get_weather")))

    assert (change.part, change.kind, change.verdict) == ("definition", "name-changed", "unknown")


def test_descriptions_and_examples_break_nothing():
    old = spec(description="Tells.", examples=[{"parameters": {}}])
    new = spec(description="Tells more.", examples=[])

    difference = compare(old, new)

    assert difference.verdict == "compatible"
    assert [change.kind for change in difference.changes] == ["description-changed", "examples-changed"]


def test_schemas_that_are_too_entangled_are_said_to_be(monkeypatch):
    monkeypatch.setattr(attempts, "SECONDS", 0)
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    new = spec(parameters={"type": "object", "properties": {"a": {"type": "integer", "maximum": 999}}})

    assert only(compare(old, new)).kind == "too-much"
    assert compare(old, new).verdict == "unknown"


def test_a_simple_value_shows_that_entangled_schemas_break(monkeypatch):
    monkeypatch.setattr(attempts, "SECONDS", 0)
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    new = spec(parameters={"type": "object", "properties": {"a": {"type": "string"}}})

    assert [change.kind for change in compare(old, new).changes] == ["value-refused", "too-much"]


def test_a_known_value_shows_that_entangled_schemas_break(monkeypatch):
    monkeypatch.setattr(attempts, "SECONDS", 0)
    old = spec(parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    new = spec(parameters={"type": "object", "properties": {"a": {"type": "string"}}})

    difference = compare(old, new, runs=[("parameters", Known("run", "12", {"a": 1}))])

    assert [change.kind for change in difference.changes] == ["value-refused", "too-much"]
    assert difference.changes[0].message == "The run 12 is refused now: 1 is not a string."


# Large and hostile schemas: a comparison ends, and says what it could not find out.


def nested(depth, last, wrap):
    return last if depth == 0 else wrap(nested(depth - 1, last, wrap), depth)


def chained(length, last):
    """Definitions that lead from one to the next, each a member deeper."""
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


@pytest.mark.parametrize("schema", LARGE.values(), ids=LARGE)
def test_a_comparison_ends_soon(schema):
    with at_most(8_000_000):
        difference = compare(stored(schema("string")), stored(schema("integer")))

    assert difference.verdict in {"breaking", "unknown"}
