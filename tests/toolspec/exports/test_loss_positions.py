"""The line of each loss in the exported document."""

import pytest

from tests.corpora import share
from tests.factories import make_spec, properties
from tests.toolspec.exports.test_corpora import specs, specs_with_every_keyword
from tests.work import at_most
from toolspec.conversion_report import MAX_LOSSES
from toolspec.exports import FORMATS, export
from toolspec.exports.loss_positions import located_losses
from toolspec.text.pointers import pointer_join, resolve_pointer, split_pointer
from toolspec.text.positions import locate
from toolspec.text.reader import dumps


def positions(parameters, key, **members):
    """For each loss of the parameters, by its pointer: the text of its line, and the member that is missing there."""
    spec = make_spec("tool", parameters=parameters, **members)
    exported = export(spec, key)
    text = dumps(exported.document, indent=2)
    lines = text.split("\n")
    losses = located_losses(spec, exported, text)
    return {
        loss.pointer.removeprefix("/definition/parameters"): (
            loss.line,
            lines[loss.line - 1].strip(),
            loss.missing,
        )
        for loss in losses
    }


def line_and_missing(parameters, key, pointer):
    _, line, missing = positions(parameters, key)[pointer]
    return line, missing


def test_a_rewritten_part_is_at_its_own_line():
    spec = make_spec("tool", name="get the tool")
    exported = export(spec, "openai")

    [name, tool_id] = located_losses(spec, exported, dumps(exported.document, indent=2))

    assert (name.pointer, name.line, name.missing) == ("/definition/name", 4, "")
    assert (tool_id.pointer, tool_id.line, tool_id.missing) == ("/definition/id", 3, "id")


def test_a_dropped_keyword_is_at_the_line_of_its_schema():
    schema = properties(
        size={"type": "integer", "multipleOf": 5}, at={"type": "string", "format": "uri-template"}
    )

    line, missing = line_and_missing(schema, "gemini", "/properties/at/format")

    assert (line, missing) == ('"at": {', "format")


def test_a_dropped_part_is_at_the_line_of_the_tool():
    found = positions(properties(a={"type": "string"}), "openai", configuration={"type": "object"})

    assert found["/configuration"] == (1, "{", "configuration")


def test_a_renamed_member_is_at_the_line_of_its_new_name():
    line, missing = line_and_missing(
        properties(**{"filter[id]": {"type": "string"}}), "anthropic", "/properties/filter[id]"
    )

    assert line.startswith('"filter_id_')
    assert missing == ""


def test_a_member_that_is_named_like_a_keyword_is_at_its_own_line():
    schema = properties(allOf=properties(anyOf={"type": "string", "pattern": "a"}))

    line, missing = line_and_missing(schema, "openai-strict", "/properties/allOf/properties/anyOf")

    assert (line, missing) == ('"anyOf": {', "")


def test_a_loss_in_a_merged_schema_is_at_the_schema_around_it():
    schema = {"type": "object", "allOf": [properties(a={"type": "string", "minLength": 1})]}

    line, missing = line_and_missing(schema, "openai-strict", "/allOf/0/properties/a/minLength")

    assert (line, missing) == ('"parameters": {', "allOf/0/properties/a/minLength")


def test_a_keyword_of_one_alternative_is_not_confused_with_that_of_the_merged_schema():
    open_object = {**properties(a={"type": "string"}), "additionalProperties": {"type": "string"}}
    schema = {"anyOf": [open_object, properties(b={"type": "string"})]}

    line, missing = line_and_missing(schema, "openai-strict", "/anyOf/0/additionalProperties")

    assert (line, missing) == ('"parameters": {', "anyOf/0/additionalProperties")


def test_alternatives_are_matched_when_null_is_moved_or_replaced():
    choice = {
        "anyOf": [
            {"type": "null"},
            {"type": "string", "minLength": 3},
            {"type": "array", "items": {}},
        ]
    }

    strict = positions(properties(a=choice), "openai-strict")
    gemini = positions(
        properties(a={"anyOf": [{"type": "null"}, {"type": "string", "format": "uri"}]}), "gemini"
    )

    assert strict["/properties/a/anyOf/1/minLength"][1:] == ("{", "minLength")
    assert strict["/properties/a/anyOf/1/minLength"][0] < strict["/properties/a/anyOf/2/items"][0]
    assert gemini["/properties/a/anyOf/1/format"][1:] == ('"a": {', "anyOf/1/format")


def test_alternatives_that_became_fewer_are_marked_together():
    same = {"type": "string"}

    line, missing = line_and_missing(
        properties(a={"oneOf": [same, {**same, "const": "b"}, {**same, "x-note": 1}]}),
        "openai-strict",
        "/properties/a/oneOf/2/x-note",
    )

    assert (line, missing) == ('"a": {', "oneOf/2/x-note")


DEFINED = {
    "$defs": {"Place": properties(country={"type": "string", "format": "uri-template"})},
    **properties(place={"$ref": "#/$defs/Place"}),
}


@pytest.mark.parametrize("schema", [DEFINED, {**DEFINED, "required": ["place"]}])
def test_a_loss_in_a_definition_is_where_the_document_has_the_definition(schema):
    line, missing = line_and_missing(
        schema, "openai-strict", "/$defs/Place/properties/country/format"
    )

    assert (line, missing) == ('"country": {', "format")


@pytest.mark.parametrize("key", ["gemini", "openapi"])
def test_a_loss_in_a_definition_that_was_moved_is_at_the_schema_around_it(key):
    schema = {"type": "object", "$defs": {"A": {"type": "string", "default": 1, "format": "uri"}}}
    schema["properties"] = {"a": {"$ref": "#/$defs/A"}}

    found = positions(schema, key)

    [(line, missing)] = {found[name][1:] for name in found if name.startswith("/$defs/A/")}
    assert line in {'"parameters": {', '"Parameters": {'}
    assert missing in {"$defs/A/format", "$defs/A/default"}


@pytest.mark.parametrize("key", ["openapi", "openai-strict"])
def test_a_definition_that_was_renamed_is_not_confused_with_another(key):
    schema = {
        "$defs": {"A": {"type": "string", "default": 1}},
        "definitions": {"A": {"type": "integer", "default": "one"}},
        **properties(first={"$ref": "#/definitions/A"}, second={"$ref": "#/$defs/A"}),
    }

    found = positions(schema, key)

    for holder in ("definitions", "$defs"):
        _, line, missing = found[f"/{holder}/A/default"]
        assert line in {'"parameters": {', '"Parameters": {'}
        assert missing == f"{holder}/A/default"


def test_an_example_is_marked_where_it_is_among_those_that_are_left():
    examples = [{"parameters": {"a": 1}}, {"parameters": {"a": "x"}, "returnValue": 5}]

    spec = make_spec(
        "tool", parameters=properties(a={"type": "string"}), examples=examples, return_type={}
    )
    exported = export(spec, "anthropic")
    text = dumps(exported.document, indent=2)
    losses = {loss.pointer: loss for loss in located_losses(spec, exported, text)}

    lines = locate(text, ["/input_examples", "/input_examples/0"])
    assert losses["/definition/examples/0"].line == lines["/input_examples"][0]
    assert losses["/definition/examples/1/returnValue"].line == lines["/input_examples/0"][0]


def test_many_alternatives_are_matched_once():
    branches = [
        properties(**{f"m{number}": {"type": "string", "minLength": 1}}) for number in range(1_000)
    ]
    spec = make_spec("tool", parameters=properties(a={"anyOf": branches}))
    exported = export(spec, "openai-strict")
    text = dumps(exported.document, indent=2)

    with at_most(500_000):
        losses = located_losses(spec, exported, text)

    assert len(losses) == MAX_LOSSES
    assert losses[-1].line > 1_000


# -- every real spec --------------------------------------------------------------------------------------------------


def values_by_line(document, text):
    """The pointers and values of `document`, by the line where they start."""
    waiting, found = [("", document)], {}
    while waiting:
        pointer, value = waiting.pop()
        found[pointer] = value
        items = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else ()
        )
        waiting += [(pointer_join(pointer, token), inner) for token, inner in items]
    by_line = {}
    for pointer, (line, _) in locate(text, found).items():
        by_line.setdefault(line, []).append((pointer, found[pointer]))
    return by_line


def descriptions_of_references(value, name):
    """The descriptions beside references to the definition `name`: inlined, it has that of the reference."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [text for inner in inside for text in descriptions_of_references(inner, name)]
    if (
        isinstance(value, dict)
        and str(value.get("$ref", "")).endswith(f"/{name}")
        and "description" in value
    ):
        found.append(value["description"].rstrip())
    return found


def check_lines(spec, key):
    """Each loss is at a line of the document; one that is not missing is at a value with its name and description."""
    exported = export(spec, key)
    text = dumps(exported.document, indent=2)
    by_line = values_by_line(exported.document, text)
    losses = located_losses(spec, exported, text)
    assert len(losses) == len(exported.changes)
    for loss in losses:
        assert loss.line in by_line, loss
        if loss.missing:
            assert (
                loss.pointer.endswith("/" + loss.missing.replace("~", "~0")) or "~1" in loss.pointer
            ), loss
            continue
        *_, (pointer, value) = by_line[loss.line]
        tokens = split_pointer(loss.pointer)
        if "properties" in tokens[-2:-1]:
            assert split_pointer(pointer)[-1] in {tokens[-1], exported.renamed.get(loss.pointer)}, (
                loss
            )
        original = resolve_pointer(spec.document, loss.pointer)
        if (
            isinstance(original, dict)
            and isinstance(original.get("description"), str)
            and isinstance(value, dict)
        ):
            known = (
                original["description"].rstrip(),
                *descriptions_of_references(spec.document, tokens[-1]),
            )
            described = value["anyOf"][0] if key == "gemini" and "anyOf" in value else value
            assert described.get("description", "").startswith(known), loss


@pytest.mark.deep
@pytest.mark.corpora
@pytest.mark.parametrize("key", FORMATS)
def test_the_losses_of_every_real_spec_are_at_lines_of_the_same_parts(key):
    for spec in share(specs()):
        check_lines(spec, key)


@pytest.mark.deep
def test_the_losses_of_every_keyword_are_at_lines_of_the_document():
    for spec in share(list(specs_with_every_keyword())):
        for key in FORMATS:
            check_lines(spec, key)
