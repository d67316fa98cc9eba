"""What an import of an OpenAPI document makes of its schemas, names and addresses."""

import pytest

from tests.factories import properties
from tests.field import field_input
from tests.field.openapi_calls import Refused, losses_of, openapi, problems_of, sending, spec_of
from toolspec.imports import import_document, prefix_for

TEXT = {"type": "string"}
READ_ONLY = {"type": "string", "readOnly": True}
WRITE_ONLY = {"type": "string", "writeOnly": True}


def reference(name):
    return {"$ref": f"#/components/schemas/{name}"}


def required(*names, **members):
    return {**properties(**members), "required": list(names)}


def taking(schema, schemas=None, version="3.0.3"):
    """The schema of the parameter `body`."""
    parameters = [{"name": "id", "in": "query", "schema": TEXT}]
    body = sending("application/json", schema)
    document = openapi(
        version, parameters=parameters, requestBody=body, components={"schemas": schemas or {}}
    )
    whole = spec_of(document, "up")["definition"]["parameters"]
    return {**whole["properties"]["body"], "$defs": whole.get("$defs", {})}


def returning(schema, schemas=None, version="3.0.3"):
    response = {"description": "", "content": {"application/json": {"schema": schema}}}
    document = openapi(version, responses={"200": response}, components={"schemas": schemas or {}})
    return spec_of(document, "up")["definition"]["returnType"]


# -- discriminators ---------------------------------------------------------------------------------------------------

CAT = required("kind", kind=TEXT, lives={"type": "integer"})
DOG = required("kind", kind=TEXT, bark={"type": "boolean"})
PETS = {"oneOf": [reference("Cat"), reference("Dog")]}


def by_kind(**mapping):
    return {"discriminator": {"propertyName": "kind", **({"mapping": mapping} if mapping else {})}}


def test_the_mapping_of_a_discriminator_chooses_the_branch_of_a_request(api):
    case = field_input("discriminator-request")

    received = api.call(case["document"], "create", case["call"]["parameters"])

    assert received.body == b'{"kind":"cat","lives":9}'
    with pytest.raises(Refused):
        api.call(case["document"], "create", {"body": {"kind": "dog", "bark": "no"}})
    body = spec_of(case["document"], "create")["definition"]["parameters"]["properties"]["body"]
    assert body["oneOf"][0] == {"$ref": "#/$defs/Cat", "properties": {"kind": {"const": "cat"}}}


@pytest.mark.parametrize(
    ("union", "cat", "dog"),
    [
        (PETS | by_kind(), "Cat", "Dog"),
        (PETS | by_kind(c=reference("Cat")["$ref"], d="Dog"), "c", "d"),
        (PETS | by_kind(c="Cat", tom="Cat"), "tom", "Dog"),
        ({"anyOf": PETS["oneOf"]} | by_kind(), "Cat", "Dog"),
        ({"oneOf": [*PETS["oneOf"], {"type": "null"}]} | by_kind(), "Cat", "Dog"),
        (reference("Pets"), "Cat", "Dog"),
        ({"type": "array", "items": reference("Pets")}, "Cat", "Dog"),
    ],
)
@pytest.mark.parametrize("schema_of", [taking, returning])
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_exactly_one_branch_fits_and_a_wrong_one_is_refused(union, cat, dog, schema_of, version):
    schemas = {"Cat": CAT, "Dog": DOG, "Pets": PETS | by_kind()}

    schema = schema_of(union, schemas, version)

    wrap = (lambda value: [value]) if union.get("type") == "array" else (lambda value: value)
    assert problems_of(schema, wrap({"kind": cat, "lives": 9})) == []
    assert problems_of(schema, wrap({"kind": dog, "bark": True})) == []
    assert problems_of(schema, wrap({"kind": dog, "bark": "no"}))
    assert problems_of(schema, wrap({"kind": "bird"}))


@pytest.mark.parametrize("where", ["union", "base"])
def test_a_discriminator_of_an_inherited_schema_chooses_the_branch(where):
    mapping = by_kind(cat="Cat", dog="Dog")
    schemas = {
        "Pet": required("kind", kind={"type": "string", "enum": ["cat", "dog"]})
        | (mapping if where == "base" else {}),
        "Cat": {"allOf": [reference("Pet"), properties(lives={"type": "integer"})]},
        "Dog": {"allOf": [reference("Pet"), properties(bark={"type": "boolean"})]},
    }

    schema = taking(PETS | (mapping if where == "union" else {}), schemas)

    assert problems_of(schema, {"kind": "cat", "lives": 9}) == []
    assert problems_of(schema, {"kind": "dog", "bark": True}) == []
    assert problems_of(schema, {"kind": "dog", "bark": "no"})


BASE = {
    "Pet": required("kind", kind=TEXT, friend=reference("Pet")) | by_kind(cat="Cat"),
    "Cat": {"allOf": [reference("Pet"), properties(lives={"type": "integer"})]},
    "Dog": {"allOf": [reference("Pet"), properties(bark={"type": "boolean"})]},
    "Puppy": {"allOf": [reference("Dog"), properties(weeks={"type": "integer"})]},
}


@pytest.mark.parametrize("schema_of", [taking, returning])
@pytest.mark.parametrize(
    "pet", [reference("Pet"), {"allOf": [reference("Pet")], "description": "A pet."}]
)
def test_a_base_schema_stands_for_all_schemas_that_extend_it(schema_of, pet):
    schema = schema_of(pet, BASE)

    for valid in (
        {"kind": "cat", "lives": 9},
        {"kind": "Dog", "bark": True, "friend": {"kind": "cat", "lives": 1}},
        {"kind": "Puppy", "bark": True, "weeks": 3},
        {"kind": "bird", "lives": "many"},
    ):
        assert problems_of(schema, valid) == []
    for invalid in (
        {"kind": "cat", "lives": "many"},
        {"kind": "Puppy", "bark": "no"},
        {"kind": "Puppy", "weeks": "no"},
        {"kind": "Dog", "friend": {"kind": "cat", "lives": "many"}},
        {"lives": 9},
    ):
        assert problems_of(schema, invalid)


def test_a_base_schema_of_swagger_stands_for_those_that_extend_it():
    definitions = {
        "Pet": {"discriminator": "kind", **required("kind", kind=TEXT)},
        "Cat": {"allOf": [{"$ref": "#/definitions/Pet"}, properties(lives={"type": "integer"})]},
    }
    parameter = {
        "name": "pet",
        "in": "body",
        "required": True,
        "schema": {"$ref": "#/definitions/Pet"},
    }
    operation = {
        "operationId": "up",
        "parameters": [parameter],
        "responses": {"200": {"description": ""}},
    }
    document = {"swagger": "2.0", "paths": {"/up": {"post": operation}}, "definitions": definitions}

    parameters = spec_of(document, "up")["definition"]["parameters"]

    assert parameters["type"] == "object"
    assert problems_of(parameters, {"kind": "Cat", "lives": 9}) == []
    assert problems_of(parameters, {"kind": "Cat", "lives": "many"})


def test_constants_that_the_branches_have_are_left_alone():
    schemas = {
        "Cat": required("kind", kind={"const": "cat"}),
        "One": required("kind", kind={"type": "integer", "enum": [1]}),
        "Other": required("kind", kind={"const": "else"}),
    }
    union = {"oneOf": [reference(name) for name in schemas]} | by_kind(cat="Cat", other="Other")

    schema = taking(union, schemas, "3.1.0")

    assert schema["oneOf"] == [{"$ref": f"#/$defs/{name}"} for name in schemas]


# -- readOnly and writeOnly -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "path"),
    [("readonly-through-reference", "parameters"), ("readonly-through-allof", "parameters")],
)
def test_a_property_that_is_only_read_is_not_required_in_a_request(subject, path):
    case = field_input(subject)

    schema = spec_of(case["document"], "create")["definition"][path]

    assert problems_of(schema, case["value"]) == []
    assert problems_of(schema, {"id": "1"})


def test_a_property_that_is_only_written_is_not_required_in_a_response():
    case = field_input("writeonly-in-response")

    schema = spec_of(case["document"], "me")["definition"]["returnType"]

    assert problems_of(schema, case["value"]) == []
    assert problems_of(schema, {"password": "p"})


@pytest.mark.parametrize(
    "thing",
    [
        required("id", "name", id=reference("Id"), name=TEXT),
        required("id", "name", id={"allOf": [reference("Id")]}, name=TEXT),
        required("id", "name", id={"anyOf": [reference("Id"), {"type": "integer"}]}, name=TEXT),
        {"allOf": [reference("Base"), {"required": ["id", "name"]}]},
        {
            "allOf": [{"allOf": [{"required": ["id", "name"]}]}],
            **properties(id=READ_ONLY, name=TEXT),
        },
        {**properties(id=READ_ONLY, name=TEXT), "anyOf": [{"required": ["id", "name"]}]},
        {"required": ["id", "name"], "oneOf": [properties(id=READ_ONLY, name=TEXT)]},
    ],
)
@pytest.mark.parametrize("around", ["itself", "member", "items", "additional", "definition"])
def test_only_read_wherever_it_is_declared(thing, around):
    schemas = {"Id": READ_ONLY, "Base": properties(id=READ_ONLY, name=TEXT), "Thing": thing}
    schema, value = {
        "itself": (thing, lambda one: one),
        "member": (properties(thing=thing), lambda one: {"thing": one}),
        "items": ({"type": "array", "items": thing}, lambda one: [one]),
        "additional": ({"type": "object", "additionalProperties": thing}, lambda one: {"x": one}),
        "definition": (reference("Thing"), lambda one: one),
    }[around]

    sent, returned = taking(schema, schemas), returning(schema, schemas)

    assert problems_of(sent, value({"name": "n"})) == []
    assert problems_of(sent, value({"id": "1"}))
    assert problems_of(returned, value({"name": "n"}))


def test_only_written_is_the_same_the_other_way_round():
    schema = {
        "allOf": [
            properties(name=TEXT, secret={"allOf": [WRITE_ONLY]}),
            {"required": ["name", "secret"]},
        ]
    }

    assert problems_of(returning(schema), {"name": "n"}) == []
    assert problems_of(taking(schema), {"name": "n"})


def test_swagger_has_read_only_properties_too():
    definitions = {
        "Id": READ_ONLY,
        "Car": required("id", "name", id={"$ref": "#/definitions/Id"}, name=TEXT),
    }
    parameter = {
        "name": "car",
        "in": "body",
        "required": True,
        "schema": {"$ref": "#/definitions/Car"},
    }
    operation = {
        "operationId": "up",
        "parameters": [parameter],
        "responses": {"200": {"description": ""}},
    }
    document = {"swagger": "2.0", "paths": {"/up": {"post": operation}}, "definitions": definitions}

    assert problems_of(spec_of(document, "up")["definition"]["parameters"], {"name": "n"}) == []


# -- examples of parameters -------------------------------------------------------------------------------------------


def test_the_examples_of_a_parameter_are_those_of_its_member():
    document = field_input("parameter-examples")["document"]

    [member] = spec_of(document, "b")["definition"]["parameters"]["properties"].values()

    assert member["examples"] == ["B1", "B2"]
    assert losses_of(document) == {}


@pytest.mark.parametrize(
    ("parameter", "examples"),
    [
        ({"schema": TEXT, "example": "a"}, ["a"]),
        ({"schema": {**TEXT, "examples": ["a", "b"]}}, ["a", "b"]),
        (
            {
                "schema": {**TEXT, "examples": ["a"]},
                "examples": {"x": {"value": "b"}, "y": {"value": "a"}},
            },
            ["b", "a"],
        ),
        ({"schema": TEXT, "examples": {"x": {"$ref": "#/components/examples/X"}}}, ["shared"]),
        (
            {"content": {"application/json": {"schema": TEXT, "examples": {"x": {"value": "c"}}}}},
            ["c"],
        ),
        ({"schema": TEXT, "examples": {"x": {"externalValue": "https://e.example"}}}, None),
        ({"schema": TEXT, "examples": {"x": {"$ref": "#/components/examples/Nowhere"}}}, None),
    ],
)
def test_examples_of_parameters_wherever_they_are(parameter, examples):
    components = {"examples": {"X": {"summary": "One.", "value": "shared"}}}
    document = openapi(
        "3.1.0", parameters=[{"name": "q", "in": "query", **parameter}], components=components
    )

    member = spec_of(document, "up")["definition"]["parameters"]["properties"]["q"]

    assert member.get("examples") == examples
    assert bool(losses_of(document)) == (examples is None)


def test_examples_of_bodies_and_responses_may_be_references_too():
    components = {"examples": {"X": {"value": {"a": 1}}}}
    media = {"schema": properties(a={}), "examples": {"x": {"$ref": "#/components/examples/X"}}}
    response = {"description": "", "content": {"application/json": media}}
    body = {"content": {"application/json": media}}
    document = openapi(requestBody=body, responses={"200": response}, components=components)

    examples = spec_of(document, "up")["definition"]["examples"]

    assert examples == [{"parameters": {"a": 1}, "returnValue": {"a": 1}}]


# -- OpenAPI 3.1 ------------------------------------------------------------------------------------------------------


def test_keywords_of_openapi_3_0_are_read_in_3_1():
    document = field_input("oas31-leftovers")["document"]

    members = spec_of(document, "a")["definition"]["parameters"]["properties"]

    assert members["pair"] == {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
    }
    assert members["nick"] == {"type": ["string", "null"]}
    assert {pointer.rpartition("/")[2] for pointer in losses_of(document)} == {"items", "nullable"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        (
            {"type": "number", "maximum": 1, "exclusiveMaximum": False},
            {"type": "number", "maximum": 1},
        ),
        (
            {"type": ["string", "integer"], "nullable": True},
            {"type": ["string", "integer", "null"]},
        ),
        ({"type": "string", "nullable": False}, TEXT),
        ({"enum": ["a"], "nullable": True}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
        (
            {"type": "array", "items": [reference("T")], "additionalItems": reference("T")},
            {
                "type": "array",
                "prefixItems": [{"$ref": "#/$defs/T"}],
                "items": {"$ref": "#/$defs/T"},
            },
        ),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        (properties(nullable={"type": "boolean"}), properties(nullable={"type": "boolean"})),
    ],
)
def test_leftovers_of_openapi_3_0(schema, expected):
    found = taking(schema, {"T": TEXT}, "3.1.0")

    assert {name: value for name, value in found.items() if name != "$defs"} == expected


def test_anchors_and_ids_are_found_in_the_document():
    document = field_input("oas31-anchor-and-id")["document"]

    users = spec_of(document, "users")["definition"]["returnType"]
    pages = spec_of(document, "pages")["definition"]["returnType"]

    assert problems_of(users, [{"name": "n"}]) == []
    assert problems_of(users, [{}])
    assert problems_of(pages, {"n": 1}) == []
    assert problems_of(pages, {"n": "1"})
    assert losses_of(document) == {}


IDENTIFIED = {
    "Page": {
        "$id": "https://schemas.example/page",
        "$defs": {"Item": {"$anchor": "item", **required("n", n={"type": "integer"})}},
        **properties(items={"type": "array", "items": {"$ref": "#/$defs/Item"}}),
        "required": ["items"],
    },
    "Relative": {"$id": "https://schemas.example/folder/relative", "$ref": "../page"},
    "Here": {"$id": "here", **required("n", n={"type": "integer"})},
    "Anchored": {"$anchor": "anchored", **required("n", n={"type": "integer"})},
}


@pytest.mark.parametrize(
    ("target", "valid", "invalid"),
    [
        ("https://schemas.example/page", {"items": [{"n": 1}]}, {"items": [{}]}),
        ("https://schemas.example/page#/$defs/Item", {"n": 1}, {}),
        ("https://schemas.example/page#item", {"n": 1}, {}),
        ("https://schemas.example/folder/relative", {"items": [{"n": 1}]}, {"items": [{}]}),
        ("#/components/schemas/Relative", {"items": [{"n": 1}]}, {"items": [{}]}),
        ("here", {"n": 1}, {}),
        ("./here", {"n": 1}, {}),
        ("#anchored", {"n": 1}, {}),
    ],
)
def test_references_by_uri_and_by_anchor(target, valid, invalid):
    schema = returning({"$ref": target}, IDENTIFIED, "3.1.0")

    assert problems_of(schema, valid) == []
    assert problems_of(schema, invalid)


@pytest.mark.parametrize(
    "target", ["#nowhere", "https://schemas.example/other", "here#/$defs/X", "http://[", "#"]
)
def test_references_to_nothing_are_reported(target):
    response = {"description": "", "content": {"application/json": {"schema": {"$ref": target}}}}
    document = openapi("3.1.0", responses={"200": response}, components={"schemas": IDENTIFIED})

    [(pointer, reason)] = losses_of(document).items()

    assert pointer.endswith("/schema/$ref")
    assert reason.endswith("Any value is allowed.")


def test_a_dynamic_reference_to_the_only_anchor_of_its_name_is_followed():
    tree = {
        "$id": "https://schemas.example/tree",
        "$dynamicAnchor": "node",
        **required(
            "value", value={}, children={"type": "array", "items": {"$dynamicRef": "#node"}}
        ),
    }

    schema = returning(reference("Tree"), {"Tree": tree}, "3.1.0")

    assert problems_of(schema, {"value": 1, "children": [{"value": 2, "children": []}]}) == []
    assert problems_of(schema, {"value": 1, "children": [{}]})


# -- names and addresses ----------------------------------------------------------------------------------------------


def test_names_keep_the_words_of_paths_in_other_scripts():
    document = field_input("names-from-cyrillic-paths")["document"]

    names = [spec.document["definition"]["name"] for spec in import_document(document).specs]

    assert names == ["get_пользователи", "get_пользователи_id"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/users/{user-id}.json", "get_users_user_id_json"),
        ("/用户/{id}", "get_用户_id"),
        ("/उपयोगकर्ता", "get_उपयोगकर्ता"),
        ("/%D0%B8%D0%BC%D1%8F", "get_имя"),
        ("/a%20b", "get_a_20b"),
        ("/straße_1", "get_straße_1"),
        ("/", "get"),
    ],
)
def test_the_name_of_an_operation_without_an_id(path, name):
    [spec] = import_document({"openapi": "3.0.3", "paths": {path: {"get": {}}}}).specs

    assert spec.document["definition"]["name"] == name


@pytest.mark.parametrize(
    ("title", "prefix"),
    [("Справочник API", "api"), ("Справочник", "справочник"), ("Pet Store", "pet-store")],
)
def test_ids_start_with_the_title_in_any_script(title, prefix):
    assert prefix_for({"openapi": "3.0.3", "info": {"title": title}}) == prefix


@pytest.mark.parametrize(
    ("members", "default"),
    [
        (
            {"servers": [{"url": "http://a.example"}, {"url": "https://b.example"}]},
            "https://b.example",
        ),
        (
            {"servers": [{"url": "https://a.example"}, {"url": "http://b.example"}]},
            "https://a.example",
        ),
        ({"servers": [{"url": "/v1"}, {"url": "https://b.example"}]}, "/v1"),
        ({"servers": [{"url": "http://a.example"}, {"url": "/v1"}]}, "http://a.example"),
        (
            {"swagger": "2.0", "host": "a.example", "schemes": ["http", "https"]},
            "https://a.example",
        ),
        (
            {"swagger": "2.0", "host": "a.example", "schemes": ["ws", "http"], "basePath": "/v1"},
            "http://a.example/v1",
        ),
    ],
)
def test_https_comes_before_http(members, default):
    document = openapi() | members
    if "swagger" in document:
        del document["openapi"]

    assert spec_of(document, "up")["configuration"]["properties"]["baseUrl"]["default"] == default
