"""Reading a spec: the result, the texts that are refused, and the position of each problem."""

import hashlib
import json

import pytest

from tests import corpora
from toolspec import spec as spec_module
from toolspec.errors import SpecError
from toolspec.spec import LLM_TOOL_SPEC_SCHEMA, read_spec, slug_for
from toolspec.text.reader import Number, dumps

GET_WEATHER = corpora.GET_WEATHER.read_text(encoding="utf-8")


def spec_text(*, configuration=None, **definition):
    """A valid spec whose members are replaced by those of `definition`; a member that is None is left out."""
    members = {"name": "Get weather", "description": "Get weather by location", **definition}
    document = {"definition": {name: value for name, value in members.items() if value is not None}}
    if configuration is not None:
        document["configuration"] = configuration
    return json.dumps(document)


def problems_of(text):
    with pytest.raises(SpecError) as caught:
        read_spec(text)
    return caught.value.problems


def problem_of(text):
    (problem,) = problems_of(text)
    return problem


# The result


def test_the_example_of_the_formats_documentation_is_read():
    spec = read_spec(GET_WEATHER)

    assert spec.name == "Get weather"
    assert spec.description == "Get weather by location"
    assert spec.parameters["properties"]["location"]["type"] == "string"
    assert spec.return_type["properties"]["temperature"]["type"] == "number"
    assert spec.configuration["properties"]["temperatureUnit"]["enum"] == ["C", "F"]


def test_without_an_id_the_name_is_the_tool_id():
    assert read_spec(GET_WEATHER).tool_id == "Get weather"


def test_an_id_is_the_tool_id():
    assert read_spec(spec_text(id="getWeather")).tool_id == "getWeather"


def test_the_text_is_stored_unchanged_and_hashed():
    spec = read_spec(GET_WEATHER.encode())

    assert spec.source == GET_WEATHER
    assert spec.sha256 == hashlib.sha256(GET_WEATHER.encode()).hexdigest()


def test_examples_distinguish_an_absent_value_from_null():
    text = spec_text(examples=[{"description": "d", "parameters": {"a": 1}, "returnValue": {}}, {}])

    whole, empty = read_spec(text).examples

    assert (whole.description, whole.parameters, whole.return_value) == ("d", {"a": 1}, {})
    assert (whole.has_parameters, whole.has_return_value) == (True, True)
    assert (empty.description, empty.has_parameters, empty.has_return_value) == (None, False, False)


def test_absent_parts_are_none():
    spec = read_spec(spec_text())

    assert (spec.parameters, spec.return_type, spec.configuration, spec.examples) == (
        None,
        None,
        None,
        (),
    )


def test_a_schema_may_be_true_or_false():
    assert read_spec(spec_text(parameters=True, configuration=False)).configuration is False


def test_unknown_members_are_preserved():
    spec = read_spec(
        '{"definition": {"name": "n", "description": "d", "x-order": 1}, "x-vendor": {"a": 1}}'
    )

    assert spec.document["x-vendor"] == {"a": 1}
    assert spec.document["definition"]["x-order"] == 1


def test_numbers_keep_their_text():
    text = spec_text(parameters={"default": "?"}).replace('"?"', "19.90")

    assert read_spec(text).parameters["default"].lexeme == "19.90"


def test_a_description_may_be_empty_or_have_lines():
    assert read_spec(spec_text(description="")).description == ""
    assert read_spec(spec_text(description="a\n\tb")).description == "a\n\tb"


@pytest.mark.parametrize(
    "name", ["Get weather", "取得天气", "😀", "a/b\\c", "../x", "<b>", '"', "a\u200db", "C:x"]
)
def test_a_name_may_be_any_visible_text(name):
    assert read_spec(spec_text(name=name)).tool_id == name


# Slugs


@pytest.mark.parametrize("tool_id", ["getWeather", "a", "0", "a.b_c-d", "NUL.json", "x" * 100])
def test_a_plain_id_is_its_own_slug(tool_id):
    assert slug_for(tool_id) == tool_id


@pytest.mark.parametrize(
    ("tool_id", "slug"),
    [
        ("Get weather", "get-weather-498ebfb0"),
        ("a/b", "ab-c14cddc0"),
        ("..", "-5ec1f7e7"),
        ("Café Nr. 5", "cafe-nr-5-"),
        ("😀", "-"),
        ("-x", "x-"),
        ("getWeather\n", "getweather-"),
        ("x" * 101, "x" * 91 + "-"),
    ],
)
def test_the_slug_of_any_other_id_is_its_letters_and_the_start_of_its_hash(tool_id, slug):
    expected = slug if slug[-1] != "-" else slug + hashlib.sha256(tool_id.encode()).hexdigest()[:8]

    assert slug_for(tool_id) == expected


# Refusals


def test_text_that_is_not_json_is_refused_with_its_line_and_column():
    problem = problem_of('{\n  "definition": {,}\n}')

    assert (problem.rule, problem.line, problem.column) == ("json.syntax", 2, 18)


def test_a_document_of_another_type_is_refused():
    assert problem_of("[]").message == "A spec must be an object."


def test_a_definition_is_required():
    problem = problem_of("{}")

    assert (problem.rule, problem.pointer) == ("spec.required", "")
    assert problem.message == "`definition` is missing."


def test_a_name_and_a_description_are_required():
    problems = problems_of('{\n"definition": {}}')

    assert [problem.message for problem in problems] == [
        "`definition.name` is missing.",
        "`definition.description` is missing.",
    ]
    assert {(problem.pointer, problem.line, problem.column) for problem in problems} == {
        ("/definition", 2, 15)
    }


def test_a_misspelt_member_is_named_beside_the_one_that_is_missing():
    problems = problems_of('{"definition": {"name": "a",\n"desciption": "b",\n"paramters": {}}}')

    assert [(problem.line, problem.message) for problem in problems] == [
        (1, "`definition.description` is missing."),
        (
            2,
            "`desciption` is not part of the format and has no effect; did you mean `description`?",
        ),
        (3, "`paramters` is not part of the format and has no effect; did you mean `parameters`?"),
    ]


@pytest.mark.parametrize(
    ("definition", "pointer", "message"),
    [
        ({"name": 1}, "/definition/name", "`name` must be a string."),
        ({"id": 5}, "/definition/id", "`id` must be a string."),
        ({"description": []}, "/definition/description", "`description` must be a string."),
        ({"examples": {}}, "/definition/examples", "`examples` must be an array."),
        ({"examples": [3]}, "/definition/examples/0", "An example must be an object."),
        (
            {"examples": [{"parameters": [1]}]},
            "/definition/examples/0/parameters",
            "`parameters` must be an object.",
        ),
    ],
)
def test_members_of_the_wrong_type_are_refused(definition, pointer, message):
    problem = problem_of(spec_text(**definition))

    assert (problem.rule, problem.pointer, problem.message) == ("spec.type", pointer, message)


def test_a_decimal_number_is_refused_like_any_other():
    assert (
        problem_of('{"definition": {"name": 1.50, "description": "d"}}').message
        == "`name` must be a string."
    )


@pytest.mark.parametrize("member", ["id", "name"])
@pytest.mark.parametrize("value", ["", "  ", "\u200b"])
def test_an_invisible_id_or_name_is_refused(member, value):
    problem = problem_of(spec_text(**{member: value}))

    assert (problem.rule, problem.pointer) == ("spec.empty", f"/definition/{member}")


@pytest.mark.parametrize(
    "character", ["\n", "\r", "\t", "\x1b", "\x7f", "\x85", "\u2028", "\u202e", "\u2066"]
)
def test_an_id_or_name_with_a_control_character_is_refused(character):
    problem = problem_of(spec_text(id=f"a{character}b"))

    assert (problem.rule, problem.pointer) == ("spec.control", "/definition/id")
    assert f"U+{ord(character):04X}" in problem.message


def test_an_id_of_200_characters_is_accepted_and_one_of_201_refused():
    assert read_spec(spec_text(id="x" * 200)).tool_id == "x" * 200
    assert problem_of(spec_text(id="x" * 201)).rule == "spec.too-long"


def test_more_than_200_examples_are_refused():
    assert len(read_spec(spec_text(examples=[{}] * 200)).examples) == 200
    assert problem_of(spec_text(examples=[{}] * 201)).rule == "spec.too-many"


def test_a_spec_is_at_most_1_mib():
    room = 1024 * 1024 - len(spec_text(description=""))

    assert read_spec(spec_text(description="x" * room))
    assert problem_of(spec_text(description="x" * (room + 1))).rule == "json.too-large"


def test_the_size_can_be_set():
    with pytest.raises(SpecError, match="at most 100 are allowed"):
        read_spec(spec_text(description="x" * 100), max_bytes=100)


@pytest.mark.parametrize("member", ["parameters", "returnType"])
def test_an_invalid_schema_is_refused_at_its_keyword(member):
    problem = problem_of(spec_text(**{member: {"type": "tuple"}}))

    assert (problem.rule, problem.pointer, problem.keyword) == (
        "spec.schema",
        f"/definition/{member}/type",
        "type",
    )


def test_a_configuration_that_is_not_a_schema_is_refused():
    assert problem_of(spec_text(configuration=[])).pointer == "/configuration"


def test_all_problems_are_reported_together_in_the_order_of_the_text():
    text = """{
  "configuration": {"$ref": "http://example.com/x"},
  "definition": {
    "examples": 1,
    "returnType": {"minLength": -1, "pattern": "["},
    "parameters": {"properties": {"a": {"type": "dict"}}},
    "name": ""
  }
}"""

    assert [(problem.rule, problem.pointer, problem.line) for problem in problems_of(text)] == [
        ("gate.ref-remote", "/configuration/$ref", 2),
        ("spec.required", "/definition", 3),
        ("spec.type", "/definition/examples", 4),
        ("spec.schema", "/definition/returnType/minLength", 5),
        ("gate.pattern", "/definition/returnType/pattern", 5),
        ("spec.schema", "/definition/parameters/properties/a/type", 6),
        ("spec.empty", "/definition/name", 7),
    ]


def test_at_most_50_problems_are_reported():
    schema = {"properties": {str(n): {"type": "x"} for n in range(100)}}

    assert len(problems_of(spec_text(parameters=schema, configuration=schema))) == 50


# Drafts


@pytest.mark.parametrize(
    "uri",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-04/schema",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
        "http://json-schema.org/draft/2020-12/schema",
    ],
)
def test_the_known_drafts_are_accepted_in_every_spelling(uri):
    assert read_spec(spec_text(parameters={"$schema": uri, "type": "object"}))


def test_a_schema_follows_the_draft_that_it_names():
    named = {"$schema": "http://json-schema.org/draft-04/schema#", "minLength": "?"}
    text = spec_text(parameters=named).replace('"?"', "1.0")

    assert (
        problem_of(text).pointer == "/definition/parameters/minLength"
    )  # 1.0 is not an integer in draft-04
    assert read_spec(text.replace("draft-04", "draft-07"))


DRAFT_04 = {"$schema": "http://json-schema.org/draft-04/schema#"}
DRAFT_07 = {"$schema": "http://json-schema.org/draft-07/schema#"}


@pytest.mark.parametrize(
    "parameters",
    [
        DRAFT_07 | {"items": [{}, {}]},
        DRAFT_07 | {"$id": "#foo"},
        DRAFT_07
        | {
            "type": "object",
            "dependencies": {"a": {}, "b": ["c"]},
            "definitions": {"p": {"$comment": "x"}},
        },
        DRAFT_07
        | {"$ref": "#/definitions/p", "title": "T", "definitions": {"p": {"type": "object"}}},
        DRAFT_07
        | {"properties": {"a": {"markdownDescription": "*x*", "x-intellij-html-description": 1}}},
        DRAFT_04 | {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        DRAFT_04 | {"id": "http://h/s#rank"},
        DRAFT_04 | {"properties": {"a": {"id": "x"}, "b": {"id": "x"}}},
        {"properties": {"a": DRAFT_04 | {"minimum": 0, "exclusiveMinimum": True}}},
        {"type": "string", "pattern": "[^\u0000]"},
        {"type": "string", "pattern": "[^\\u0000]", "format": "my-own"},
    ],
    ids=json.dumps,
)
def test_a_schema_of_an_earlier_draft_is_validated_by_that_draft(parameters):
    assert read_spec(spec_text(parameters=parameters)).parameters == parameters


# The format


@pytest.mark.parametrize("value", ["text", "1.50", [1, {"a": None}], True, None])
def test_an_example_may_return_any_json_value(value):
    [example] = read_spec(spec_text(examples=[{"returnValue": value}])).examples

    assert (example.return_value, example.has_return_value) == (value, True)


def test_a_number_that_an_example_returns_stays_as_it_was_written():
    [example] = read_spec(
        spec_text(examples=[{"returnValue": 0}]).replace('"returnValue": 0', '"returnValue": 1.50')
    ).examples

    assert dumps(example.return_value) == "1.50"


def test_the_corrected_schema_requires_a_definition_and_declares_the_correction():
    assert LLM_TOOL_SPEC_SCHEMA["required"] == ["definition"]
    assert list(LLM_TOOL_SPEC_SCHEMA["properties"]) == ["definition", "configuration"]
    assert "Corrected by Toolshelf" in LLM_TOOL_SPEC_SCHEMA["$comment"]


def test_reading_a_spec_does_not_import_django():
    assert not hasattr(spec_module, "django")


def test_the_document_of_a_spec_can_be_serialized_and_read_again():
    spec = read_spec(GET_WEATHER)

    assert read_spec(dumps(spec.document)).document == spec.document
    assert isinstance(
        read_spec('{"definition":{"name":"n","description":"d","x":1.0}}').document, dict
    )
    assert Number("1.0") == 1


@pytest.mark.parametrize(
    "value", [" f", "f ", "f\u00a0", "f\u200bg", "\ufefff", "f\u200d", "f\u2060g"]
)
@pytest.mark.parametrize("member", ["id", "name"])
def test_an_id_with_outer_or_invisible_spaces_is_refused(member, value):
    definition = {"name": "f", "description": "d", member: value}

    with pytest.raises(SpecError) as error:
        read_spec(json.dumps({"definition": definition}))

    [problem] = error.value.problems
    assert (problem.rule, problem.pointer) == ("spec.invisible", f"/definition/{member}")


@pytest.mark.parametrize(
    "value",
    [
        "Get weather",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f469\u200d\U0001f4bb",
    ],
)
def test_an_id_may_have_inner_spaces_and_joiners_between_letters_that_need_them(value):
    assert (
        read_spec(json.dumps({"definition": {"name": value, "description": "d"}})).tool_id == value
    )
