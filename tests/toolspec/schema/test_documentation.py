import base64
import gzip
import json

import pytest

from tests.corpora import ATTACKS
from tests.factories import properties, real_specs
from tests.work import at_most
from toolspec.errors import DocumentError
from toolspec.schema.documentation import MAX_SHOWN, Node, document
from toolspec.text.reader import loads


def docs(schema) -> Node:
    return document(schema, anchor="parameters", pointer="/definition/parameters")


def prop(schema) -> Node:
    """The documentation of one property with this schema."""
    return docs(properties(x=schema)).children[0]


def facts(schema) -> list[tuple[str, object]]:
    return [(fact.label, fact.value) for fact in prop(schema).facts]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "integer", "null"]}, "string, integer or null"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"type": "string", "nullable": True}, "string or null"),
        ({"type": "array", "items": {"type": "string"}}, "array of strings"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "object"}}},
            "array of arrays of objects",
        ),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "array of (string or null)"),
        ({"prefixItems": [{"type": "string"}]}, "tuple"),
        ({"type": "array", "items": [{"type": "string"}]}, "tuple"),
        ({"enum": ["a", 1, None]}, "string, integer or null"),
        ({"const": True}, "boolean"),
        ({"oneOf": [{"type": "string"}, {"type": "object"}]}, "string or object"),
        ({"$ref": "#/properties/y"}, "any value"),
        ({}, "any value"),
        (True, "any value"),
        (False, "nothing: no value fits"),
    ],
)
def test_a_type_is_described_in_words(schema, words):
    assert prop(schema).type == words


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"minimum": 1, "maximum": 14}, [("Range", "1 to 14")]),
        ({"minimum": 0, "exclusiveMinimum": True}, [("Range", "greater than 0")]),
        ({"minimum": 2, "multipleOf": 2}, [("Range", "at least 2, a multiple of 2")]),
        ({"minLength": 1}, [("Length", "at least 1 character")]),
        ({"maxItems": 1, "uniqueItems": True}, [("Items", "at most 1 item, no duplicates")]),
        ({"pattern": "^a"}, [("Pattern", "^a")]),
        (
            {"format": "date-time"},
            [("Format", "date and time with offset, like 2024-05-31T14:30:00Z")],
        ),
        ({"enum": ["a", "b"]}, [("One of", ["a", "b"])]),
        ({"const": None}, [("Always", None)]),
        ({"default": None}, [("Default", None)]),
        ({"examples": [1]}, [("Example", [1])]),
        ({"type": "object", "additionalProperties": False}, [("Other properties", "not allowed")]),
        ({"propertyNames": {"pattern": "^x"}}, [("Names: pattern", "^x")]),
        ({"dependentRequired": {"a": ["b", "c"]}}, [("Together", "a needs b and c")]),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
            [("At least one of", "a or b and c")],
        ),
        ({"minLength": "x", "maximum": None, "enum": 5, "pattern": 1}, []),
    ],
)
def test_a_constraint_is_described_in_words(schema, expected):
    assert facts(schema) == expected


def test_numbers_are_shown_as_they_were_written():
    assert [fact.value for fact in docs(loads('{"maximum": 1.50}')).facts] == ["at most 1.50"]


def test_nested_properties_have_their_own_anchors():
    tree = docs(properties(address=properties(street={"type": "string"}), **{"a b": {}, "a-b": {}}))

    assert tree.children[0].children[0].anchor == "parameters.address.street"
    assert [child.anchor for child in tree.children[1:]] == ["parameters.a-b", "parameters.a-b~2"]
    assert (
        tree.children[0].children[0].pointer
        == "/definition/parameters/properties/address/properties/street"
    )


def test_constraints_of_items_are_listed_at_the_array():
    [array] = docs(
        properties(trips={"type": "array", "items": properties(city={"type": "string"})})
    ).children

    assert (array.children_title, [child.name for child in array.children]) == (
        "Each item",
        ["city"],
    )


def test_a_map_is_described_by_the_schema_of_other_names():
    node = prop(
        {
            "type": "object",
            "additionalProperties": {"type": "number"},
            "patternProperties": {"^x-": {}},
        }
    )

    assert [(child.kind, child.name, child.type) for child in node.children] == [
        ("pattern", "^x-", "any value"),
        ("other", "", "number"),
    ]


def test_a_reference_is_followed_and_named():
    schema = properties(
        unit={"$ref": "#/$defs/Unit"}, other={"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]}
    )
    schema["$defs"] = {
        "Unit": {"type": "string", "enum": ["C", "F"], "description": "Of temperature."}
    }

    unit, other = docs(schema).children

    assert (unit.definition, unit.type, unit.description) == ("Unit", "string", "Of temperature.")
    assert (other.definition, other.type) == ("Unit", "string or null")


@pytest.mark.parametrize("reference", ["#", "#/$defs/Node", "#node"])
def test_a_recursive_schema_is_described_once(reference):
    child = properties(value={"type": "integer"}, child={"$ref": reference})
    schema = child | {"$defs": {"Node": child | {"$anchor": "node"}}} if reference != "#" else child

    tree = docs(schema)

    def depth(node):
        return 1 + max((depth(below) for below in node.children), default=0)

    assert depth(tree) <= 4


def test_a_dangling_reference_is_any_value():
    assert prop({"$ref": "#/$defs/nothing"}).type == "any value"
    assert prop({"$ref": "https://example.org/x"}).type == "any value"


def test_schemas_of_all_of_are_described_as_one():
    node = prop(
        {"allOf": [properties(a={}) | {"required": ["a"]}, properties(b={})], "required": ["b"]}
    )

    assert [(child.name, child.required) for child in node.children] == [("a", True), ("b", True)]


def test_alternatives_are_described_one_by_one():
    node = prop({"oneOf": [{"title": "By name", "type": "string"}, properties(id={"const": 1})]})

    assert node.branches_title == "Exactly one of these"
    assert [(branch.title, branch.node.type) for branch in node.branches] == [
        ("By name", "string"),
        ("object", "object"),
    ]


def test_variants_are_named_by_title_definition_constant_or_type():
    schema = {
        "oneOf": [
            {"title": "By name", "type": "object"},
            {"$ref": "#/$defs/point"},
            {"type": "string"},
            {"type": "object"},
        ]
    }

    tree = docs(properties(x=schema) | {"$defs": {"point": {"type": "object"}}})

    assert [branch.title for branch in tree.children[0].branches] == [
        "By name",
        "point",
        "string",
        "Option 4",
    ]


def test_an_alternative_is_named_by_its_own_required_property_or_as_the_only_object():
    emoji = {"type": "object", "properties": {"emoji": {"type": "string"}}, "required": ["emoji"]}
    linked = {
        "type": "object",
        "properties": {"url": {"type": "string"}, "kind": {}},
        "required": ["url"],
    }
    schema = properties(
        icon={"anyOf": [emoji, {"type": "string"}]},
        cover={"anyOf": [emoji, linked]},
        values={"anyOf": [{"type": "object", "additionalProperties": True}, {"type": "string"}]},
        either={"anyOf": [{"type": "object"}, {"type": "object", "minProperties": 1}]},
    )

    icon, cover, values, either = docs(schema).children

    assert [branch.title for branch in icon.branches] == ["{emoji}", "string"]
    assert [branch.title for branch in cover.branches] == ["{emoji}", "{url}"]
    assert [branch.title for branch in values.branches] == ["object", "string"]
    assert [branch.title for branch in either.branches] == ["Option 1", "Option 2"]


def test_variants_are_named_by_the_constant_that_selects_them():
    at = {"type": "integer", "description": "Where."}
    first = properties(kind={"const": "insert"}, at=at, text={"type": "string"})
    second = properties(kind={"enum": ["delete"]}, at=at, length={"type": "integer"})

    node = prop({"oneOf": [first, second]})

    assert node.discriminator == "kind"
    assert [branch.title for branch in node.branches] == ["insert", "delete"]
    assert [child.name for child in node.children] == ["at"]
    assert [[child.name for child in branch.node.children] for branch in node.branches] == [
        ["text"],
        ["length"],
    ]


def test_properties_that_differ_between_variants_are_described_in_each():
    first = properties(kind={"const": "a"}, at={"type": "integer"})
    second = properties(kind={"const": "b"}, at={"type": "string"})

    node = prop({"oneOf": [first, second]})

    assert node.children == ()
    assert [[child.type for child in branch.node.children] for branch in node.branches] == [
        ["integer"],
        ["string"],
    ]


def test_a_recursive_union_is_named_by_its_variants():
    schema = properties(expression={"$ref": "#/$defs/expression"}) | {
        "$defs": {
            "expression": {"oneOf": [{"$ref": "#/$defs/number"}, {"$ref": "#/$defs/call"}]},
            "number": {"type": "number"},
            "call": properties(argument={"$ref": "#/$defs/expression"}),
        }
    }

    [expression] = docs(schema).children

    assert expression.type == "number or call"
    [argument] = expression.branches[1].node.children
    assert (argument.type, argument.same_as) == ("number or call", expression.anchor)


def test_required_properties_come_first():
    node = docs(properties(a={}, b={}, c={}) | {"required": ["c", "b"]})

    assert [child.name for child in node.children] == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("description", "lead"),
    [
        ("One. Two.", "One."),
        ("At 1.5 m. More", "At 1.5 m."),
        ("A line\nand another\n\nMore", "A line\nand another"),
        ("word " * 40, "word " * 32 + "…"),
        ("", ""),
    ],
)
def test_the_line_of_a_property_has_the_first_sentence(description, lead):
    assert prop({"description": description}).lead == lead


def test_conditions_are_described_as_conditions():
    node = prop(
        {"if": properties(a={"const": 1}), "then": {"required": ["b"]}, "else": {"required": ["c"]}}
    )

    assert node.branches_title == "Depending on the value"
    assert [branch.title for branch in node.branches] == ["When it is", "Then", "Otherwise"]


def test_a_schema_too_large_for_a_page_is_cut_and_marked_as_cut():
    tree = docs(properties(**{f"p{number}": {} for number in range(MAX_SHOWN * 2)}))

    assert tree.cut
    assert tree.size <= MAX_SHOWN + 1


@pytest.mark.deep
def test_a_hostile_schema_is_documented_quickly():
    for line in ATTACKS.read_text(encoding="utf-8").splitlines():
        attack = json.loads(line)
        if "body_gz_b64" not in attack:
            continue
        try:
            definition = loads(gzip.decompress(base64.b64decode(attack["body_gz_b64"])))[
                "definition"
            ]
        except (DocumentError, KeyError, TypeError):
            continue
        if not isinstance(definition, dict):
            continue
        with at_most(1_000_000):
            tree = docs(definition.get("parameters"))
        assert tree.size <= 2 * MAX_SHOWN


@pytest.mark.corpora
def test_every_real_schema_is_documented_completely():
    for text in real_specs():
        definition = loads(text)["definition"]
        for member in ("parameters", "returnType"):
            if member in definition:
                assert not docs(definition[member]).cut
