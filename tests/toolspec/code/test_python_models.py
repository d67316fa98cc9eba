"""Models from schemas: their types, what they accept, and what becomes `JsonValue`."""

import json
from urllib.parse import quote

import pytest
from pydantic import TypeAdapter, ValidationError

from tests import corpora
from tests.factories import properties
from tests.toolspec.code.modules import imported, models_of
from toolspec.code.python_models import python_models
from toolspec.code.python_names import python_schemas
from toolspec.schema.policy import schema_policy_problems
from toolspec.spec import read_spec
from toolspec.text.reader import loads


def annotation(schema, *, required=True):
    """The source of the annotation of a member with this schema."""
    members = properties(x=schema) | ({"required": ["x"]} if required else {})
    [line] = [line for line in models_of(members).splitlines() if line.startswith("    x: ")]
    return line.removeprefix("    x: ")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "str"),
        ({"type": "string", "format": "date"}, "Date"),
        ({"type": "integer"}, "int"),
        ({"type": "null"}, "None"),
        ({"type": "string", "format": "date-time"}, "AwareDatetime"),
        ({"type": "string", "format": "uuid"}, "UUID"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "int | None"),
        ({"enum": ["a", 1, True, None]}, 'Literal["a"] | Literal[1] | Literal[True] | None'),
        ({"const": "a"}, 'Literal["a"]'),
        ({"enum": [0.5, 1.5]}, "float"),
        ({"type": "array", "items": {"type": "string"}}, "list[str]"),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
            },
            "list[str | int]",
        ),
        ({"type": "object"}, "dict[str, JsonValue]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object", "properties": {"a": {}}}, "RequestX"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, "Annotated[int, Field(ge=1, le=9)]"),
        ({"type": "string", "pattern": "^[a-z]+$"}, 'Annotated[str, Field(pattern="^[a-z]+$")]'),
        ({"type": "string", "pattern": "^(?=a)"}, "str"),
        ({"type": "string", "description": "Who"}, 'Annotated[str, Field(description="Who")]'),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, "Annotated[str, Field(max_length=3)]"),
        ({"type": "string", "not": {"const": "x"}}, "str"),
    ],
)
def test_a_schema_becomes_a_type(schema, expected):
    assert annotation(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer"}, "int | None = None"),
        ({"type": "integer", "default": 3}, "int = 3"),
        ({"type": "integer", "default": "three"}, "int | None = None"),
        ({"type": "string", "default": None}, "str | None = None"),
        ({"type": ["string", "null"], "default": "a"}, 'str | None = "a"'),
        ({"enum": ["a", "b"], "default": "c"}, 'Literal["a", "b"] | None = None'),
        ({"type": "array", "items": {"type": "string"}, "default": []}, "list[str] | None = None"),
    ],
)
def test_an_optional_member_has_its_default_if_that_has_the_type(schema, expected):
    assert annotation(schema, required=False) == expected


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({}, "the schema allows any value"),
        ({"not": {"type": "string"}}, "the schema has no type, only `not`"),
        ({"enum": [{"a": 1}]}, "the schema lists values that are objects or arrays"),
        ({"a\nimport os": 1}, "the schema has no type, only `a?import os`"),
    ],
)
def test_what_has_no_type_becomes_any_json_with_the_reason(schema, reason):
    source = models_of(properties(x=schema))

    assert f"    # JsonValue: {reason}.\n    x: " in source
    imported(source)


def test_a_keyword_that_the_draft_does_not_define_describes_no_type():
    draft_07 = "http://json-schema.org/draft-07/schema#"
    schema = {"$schema": draft_07, "type": "array", "prefixItems": [{"type": "string"}]}

    assert annotation(schema) == "list[JsonValue]"


def test_references_become_one_class_even_if_it_contains_itself():
    tree = properties(children={"type": "array", "items": {"$ref": "#/$defs/tree"}})

    source = models_of(
        {
            **properties(a={"$ref": "#/$defs/tree"}, b={"$ref": "#/$defs/tree"}),
            "$defs": {"tree": tree},
        }
    )

    request = imported(source).Request.model_validate({"a": {"children": [{"children": []}]}})
    assert source.count("class RequestTree(Model)") == 1
    assert request.a.children[0].children == []


def test_a_value_comes_back_unchanged():
    schema = properties(
        **{
            "class": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "maybe": {"type": ["string", "null"]},
            "inner": properties(id={"type": "string", "format": "uuid"}),
        }
    )
    value = {"class": "a", "maybe": None, "inner": {"other": [1.5]}, "unknown": {"x": None}}
    request = imported(models_of(schema)).Request

    assert request.model_validate(value).model_dump(mode="json", by_alias=True) == value
    assert request(class_="a").model_dump(mode="json", by_alias=True) == {"class": "a"}


def test_members_may_have_the_names_of_types():
    names = ["date", "Date", "UUID", "str", "list", "Field", "Model", "None", "Request"]
    schema = properties(
        **{name: {"type": "string", "format": "date"} for name in names},
        day={"type": "string", "format": "date"},
        key={"type": "string", "format": "uuid"},
    )
    value = {**dict.fromkeys(names, "2026-01-31"), "day": "2026-02-01"}

    request = imported(models_of(schema)).Request.model_validate(value)

    assert request.model_dump(mode="json", by_alias=True) == value
    assert request.date.year == request.Date_.year == 2026


def test_descriptions_are_docstrings_and_fields_that_a_reader_can_read():
    schema = {
        **properties(x={"type": "string", "description": 'In München: "now"\nor later' + "."}),
        "description": 'Where "it" is,\nand C:\\when.',
    }

    source = models_of(schema)

    assert 'description="In München: \\"now\\"\\nor later."' in source
    assert imported(source).Request.__doc__ == 'Where "it" is,\n    and C:\\when.\n    '


@pytest.mark.parametrize("number", ["1e308", "-1e-300", "9" * 300, "0.1"])
def test_a_default_of_any_size_is_a_constant(number):
    schema = loads(
        '{"properties": {"x": {"type": "number", "default": N}, "y": {"type": "integer", "enum": [1, N]}}}'.replace(
            "N", number
        )
    )

    default = imported(models_of(schema)).Request().x

    assert float(default) == float(number)


def test_a_closed_object_refuses_unknown_members():
    request = imported(
        models_of({**properties(a={"type": "string"}), "additionalProperties": False})
    ).Request

    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        request.model_validate({"b": 1})


def test_a_root_that_is_no_object_becomes_an_alias():
    source = models_of({"type": "array", "items": properties(a={"type": "integer"})})

    assert "Request: TypeAlias = list[RequestItem]" in source
    imported(source)


# Hostile text

EVIL = [
    '"""\nimport os\n"""', "'''", '"); import os; ("', "\\", '\\"""', "{{ 7 * 7 }}{% raw %}", "\u2028import os",
    "\r\nimport os", "#\nimport os", "\x0cimport os", "\u202eimport os", "%s %(x)s", "${HOME}", "\U0001f600",
    "a" * 900, "<<MODELS>>", "\ufeff",
]  # fmt: skip


@pytest.mark.parametrize("evil", EVIL)
def test_text_of_a_schema_never_becomes_code(evil):
    member = {"type": "string", "description": evil, "default": evil, "title": evil, "format": evil}
    schema = {
        **properties(
            **{
                evil: member,
                "choice": {"enum": [evil, "b"], "default": evil},
                "const": {"const": evil},
            }
        ),
        "$defs": {evil: properties(a={"type": "string"})},
        "description": evil,
        "title": evil,
        "required": [evil],
        evil: evil,
        "x-python-import": {"module": "os", "name": evil},
    }
    schema["properties"]["patterned"] = {"type": "string", "pattern": evil}
    schema["properties"]["ref"] = {"$ref": "#/$defs/" + json_pointer_of(evil)}

    module = imported(models_of(schema))

    assert "os" not in vars(module)
    value = {evil: "text", "choice": evil, "const": evil, "ref": {"a": "x"}}
    assert module.Request.model_validate(value).model_dump(mode="json", by_alias=True) == value


def json_pointer_of(name):
    return quote(name.replace("~", "~0").replace("/", "~1"))


@pytest.mark.parametrize(
    "extension",
    [
        {"customTypePath": "os.system"},
        {"customBasePath": "os.PathLike"},
        {"x-python-import": {"module": "os", "name": "system"}},
        {"x-python-type": "__import__('os').system('true')"},
        {"x-enum-varnames": ["a\nimport os"]},
        {"x-propertyNames": {"a": "b"}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string", "customTypePath": "os.system"}}},
    ],
)
def test_keywords_of_code_generators_have_no_effect(extension):
    source = models_of(properties(x={"type": "string", **extension}))

    assert "import os" not in source
    assert "from os" not in source
    assert "    x: str | None = None" in source


# Real data


@pytest.mark.deep
@pytest.mark.corpora
def test_valid_arguments_that_agents_sent_are_accepted_and_come_back_unchanged():
    adapters = {}
    checked = 0
    for row in map(json.loads, corpora.lines("toolcall_pairs")):
        schema = loads(json.dumps(row["schema"]))
        if not row["valid"] or schema_policy_problems(schema):
            continue
        text = json.dumps(row["schema"])
        if text not in adapters:
            adapters[text] = TypeAdapter(imported(models_of(schema)).Request)
        request = adapters[text].validate_python(row["instance"])
        assert adapters[text].dump_python(request, mode="json", by_alias=True) == row["instance"]
        checked += 1
    assert checked >= corpora.expected(selection=30, full=200)


@pytest.mark.corpora
def test_nearly_all_real_schemas_have_real_types():
    lines = corpora.lines("specs_mcp")[::20]
    untyped = [
        part
        for line in lines
        for part in python_models(python_schemas(read_spec(line))).untyped
        if part.declared
    ]

    assert len(untyped) <= len(lines) // 20


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "null"},
        {"type": ["null"]},
        {"const": None},
        {"enum": [None]},
        {"anyOf": [{"type": "null"}]},
    ],
)
def test_a_member_that_is_only_null_leaves_the_others_their_types(schema):
    name = "not-a-name"
    inner = properties(**{name: schema, "count": {"type": "integer"}})
    source = models_of(properties(**{name: schema, "text": {"type": "string"}, "inner": inner}))
    model = imported(source).Request

    value = model.model_validate({name: None, "text": "a", "inner": {name: None, "count": 1}})

    assert (value.text, value.inner.count) == ("a", 1)
    assert value.model_dump(by_alias=True) == {
        name: None,
        "text": "a",
        "inner": {name: None, "count": 1},
    }
    with pytest.raises(ValidationError):
        model.model_validate({name: 1})
