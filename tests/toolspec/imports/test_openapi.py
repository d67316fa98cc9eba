"""OpenAPI and Swagger documents as specs: one tool per operation."""

import copy
import json
import random
from urllib.parse import quote

import pytest

from tests.corpora import DATA, lines
from tests.factories import properties
from tests.work import LINES_PER_SECOND, at_most
from toolspec.imports import MAX_DOCUMENT_BYTES, Deadline, import_document, prefix_for
from toolspec.imports.openapi.document import METHODS
from toolspec.imports.openapi.schemas import MAX_SCHEMAS
from toolspec.spec import read_spec
from toolspec.text.reader import loads

DOCUMENTS = sorted((DATA / "openapi").glob("*.json"))
INDEX = {row["file"]: row for row in map(loads, lines("openapi.index"))}


def read(path):
    return loads(path.read_bytes(), max_bytes=MAX_DOCUMENT_BYTES)


def api(operation, *, version="3.0.3", path="/things", method="get", **members):
    return {
        "openapi": version,
        "info": {"title": "Things", "version": "1"},
        "paths": {path: {method: operation}},
        **members,
    }


def swagger(operation, **members):
    document = api(operation, **members)
    del document["openapi"]
    return {"swagger": "2.0", **document}


def imported(operation, **members):
    [spec] = import_document(api(operation, **members)).specs
    assert spec.problems == ()
    return spec


def parameters_of(spec):
    return spec.document["definition"].get("parameters")


def returns_of(spec):
    return spec.document["definition"].get("returnType")


def body(schema, **members):
    return {"content": {"application/json": {"schema": schema}}, **members}


def answering(schema, code="200"):
    return {"responses": {code: {"description": "", **body(schema)}}}


def losses_of(spec):
    return {loss.pointer: loss.what for loss in spec.losses}


# -- real documents ---------------------------------------------------------------------------------------------------


@pytest.mark.corpora
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_operation_of_real_documents_is_a_tool(path):
    document = read(path)

    specs = import_document(document, prefix=prefix_for(document)).specs

    assert len(specs) == INDEX[path.name]["operations"]
    for spec in specs:
        assert spec.problems == ()
        assert read_spec(spec.text).tool_id == spec.tool_id
        assert "writeOnly" not in str(parameters_of(spec))


@pytest.mark.corpora
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_parameter_of_real_documents_is_a_member(path):
    document = read(path)

    specs = import_document(document).specs

    members = sum(len(spec.document["x-openapi"].get("parameters", {})) for spec in specs)
    dropped = sum("HTTP clients set" in loss.reason for spec in specs for loss in spec.losses)
    assert members + dropped == _parameters_in(document)


def _parameters_in(document):
    """Counted independently: those of operations, and those of paths that the operation does not override."""
    total = 0
    for item in document["paths"].values():
        for method in METHODS:
            if method not in item:
                continue
            found = {}
            for listed in [*item.get("parameters", []), *item[method].get("parameters", [])]:
                parameter = listed
                while "$ref" in parameter:
                    *_, section, name = parameter["$ref"].split("/")
                    parameter = document.get("components", document)[section][name]
                found[parameter["name"], parameter["in"]] = parameter
            total += sum(location not in {"body", "formData"} for _, location in found)
    return total


@pytest.mark.corpora
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_secrets_of_real_documents_are_write_only(path):
    for spec in import_document(read(path)).specs:
        secrets = {
            name
            for requirement in spec.document["x-openapi"].get("security", [])
            for names in requirement.values()
            for name in names
        }
        for name in secrets:
            assert spec.document["configuration"]["properties"][name]["writeOnly"] is True


def test_references_to_other_documents_are_reported_and_not_fetched():
    path = DATA / "openapi" / "fabric-warehouse.swagger.json"

    specs = import_document(read(path)).specs

    reasons = {loss.reason for spec in specs for loss in spec.losses if "reference" in loss.reason}
    assert reasons == {
        "This reference points to another document, which is not fetched. Any value is allowed.",
    }


# -- names ------------------------------------------------------------------------------------------------------------


def test_the_name_of_a_tool_is_the_operation_id():
    [spec] = import_document(api({"operationId": "getThing"}), prefix="things").specs

    assert spec.tool_id == "things.getThing"
    assert spec.document["definition"]["name"] == "getThing"


def test_the_name_of_an_operation_without_id_is_its_method_and_path():
    assert imported({}, path="/things/{n}").tool_id == "get_things_n"


def test_operations_of_the_same_name_are_numbered():
    document = {"openapi": "3.0.0", "paths": {"/a-b": {"get": {}}, "/a/b": {"get": {}}}}

    assert [spec.tool_id for spec in import_document(document).specs] == ["get_a_b", "get_a_b_2"]


def test_ids_start_with_the_title_of_the_api():
    assert (
        prefix_for({"openapi": "3.0.0", "info": {"title": "Swagger Petstore (v2)!"}})
        == "swagger-petstore-v2"
    )


@pytest.mark.parametrize(
    ("summary", "description", "expected_description"),
    [
        ("Get it", "Gets one thing.", "Get it\n\nGets one thing."),
        ("Get it", "Get it from there.", "Get it from there."),
        ("Get it", None, "Get it"),
        (None, None, ""),
    ],
)
def test_summary_and_description_are_joined_without_repetition(
    summary, description, expected_description
):
    operation = {
        name: text for name, text in (("summary", summary), ("description", description)) if text
    }

    assert imported(operation).document["definition"]["description"] == expected_description


# -- parameters -------------------------------------------------------------------------------------------------------


def test_parameters_of_all_locations_are_members():
    operation = {
        "parameters": [
            {
                "name": "id",
                "in": "path",
                "required": True,
                "schema": {"type": "integer"},
                "description": "Which one.",
            },
            {
                "name": "q",
                "in": "query",
                "schema": {"type": "string"},
                "style": "form",
                "explode": False,
            },
            {"name": "X-Trace", "in": "header", "schema": {"type": "string"}, "deprecated": True},
            {"name": "session", "in": "cookie", "schema": {"type": "string"}},
        ],
        "requestBody": body({"type": "string"}, required=True, description="The text."),
    }

    spec = imported(operation, method="put", path="/things/{id}")

    assert parameters_of(spec) == {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "description": "Which one."},
            "q": {"type": "string"},
            "X-Trace": {"type": "string", "deprecated": True},
            "session": {"type": "string"},
            "body": {"type": "string", "description": "The text."},
        },
        "required": ["id", "body"],
    }
    assert spec.document["x-openapi"] == {
        "method": "PUT",
        "path": "/things/{id}",
        "parameters": {
            "id": {"in": "path"},
            "q": {"in": "query", "style": "form", "explode": False},
            "X-Trace": {"in": "header"},
            "session": {"in": "cookie"},
        },
        "body": {"contentType": "application/json", "member": "body"},
    }


def test_an_object_body_without_other_parameters_is_the_whole_object():
    spec = imported({"requestBody": body(properties(a={"type": "string"}))}, method="post")

    assert parameters_of(spec) == properties(a={"type": "string"})
    assert spec.document["x-openapi"]["body"] == {"contentType": "application/json", "whole": True}


def test_a_body_that_is_not_an_object_is_a_member():
    spec = imported({"requestBody": body({"type": "array", "items": {}})}, method="post")

    assert parameters_of(spec) == properties(body={"type": "array", "items": {}})


def test_parameters_of_a_path_apply_to_its_operations():
    document = api({"parameters": [{"name": "a", "in": "query", "schema": {"type": "integer"}}]})
    document["paths"]["/things"]["parameters"] = [
        {"name": "a", "in": "query", "schema": {"type": "string"}},
        {"name": "b", "in": "query", "schema": {"type": "string"}},
    ]

    [spec] = import_document(document).specs

    assert parameters_of(spec) == properties(a={"type": "integer"}, b={"type": "string"})


def test_parameters_of_the_same_name_get_different_names():
    operation = {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "id", "in": "query", "schema": {"type": "string"}},
        ]
    }

    spec = imported(operation, path="/things/{id}")

    assert list(parameters_of(spec)["properties"]) == ["id", "id_query"]
    assert spec.document["x-openapi"]["parameters"]["id_query"] == {"in": "query", "name": "id"}
    assert losses_of(spec) == {"/paths/~1things~1{id}/get/parameters/1": "rewritten"}


@pytest.mark.parametrize("name", ["Accept", "Content-Type"])
def test_headers_that_http_clients_set_are_not_parameters(name):
    spec = imported({"parameters": [{"name": name, "in": "header", "schema": {"type": "string"}}]})

    assert parameters_of(spec) is None
    assert list(losses_of(spec).values()) == ["dropped"]


def test_a_parameter_may_have_json_content():
    spec = imported({"parameters": [{"name": "filter", "in": "query", **body(properties(a={}))}]})

    assert parameters_of(spec) == properties(filter=properties(a={}))
    assert spec.document["x-openapi"]["parameters"]["filter"] == {
        "in": "query",
        "contentType": "application/json",
    }


def test_json_is_preferred_to_a_form():
    content = {
        "application/x-www-form-urlencoded": {"schema": {}},
        "application/vnd.x+json": {"schema": properties()},
    }

    spec = imported({"requestBody": {"content": content}}, method="post")

    assert spec.document["x-openapi"]["body"]["contentType"] == "application/vnd.x+json"
    assert list(losses_of(spec).values()) == ["dropped"]


def test_swagger_parameters_without_schema_are_converted():
    operation = {
        "parameters": [
            {
                "name": "n",
                "in": "query",
                "type": "integer",
                "minimum": 0,
                "exclusiveMinimum": True,
                "required": True,
            },
            {
                "name": "tags",
                "in": "query",
                "type": "array",
                "items": {"type": "string"},
                "collectionFormat": "csv",
            },
        ]
    }

    [spec] = import_document(swagger(operation)).specs

    assert parameters_of(spec) == {
        **properties(
            n={"type": "integer", "exclusiveMinimum": 0},
            tags={"type": "array", "items": {"type": "string"}},
        ),
        "required": ["n"],
    }
    assert spec.document["x-openapi"]["parameters"]["tags"] == {
        "in": "query",
        "collectionFormat": "csv",
    }


def test_form_and_body_parameters_of_swagger_become_bodies():
    form = {
        "parameters": [
            {"name": "file", "in": "formData", "type": "file", "required": True},
            {"name": "note", "in": "formData", "type": "string"},
        ]
    }
    whole = {
        "parameters": [
            {"name": "thing", "in": "body", "required": True, "schema": properties(a={})}
        ]
    }

    [formed] = import_document(swagger(form, method="post")).specs
    [bodied] = import_document(swagger(whole, method="post")).specs

    assert parameters_of(formed) == {
        **properties(file={"type": "string", "format": "binary"}, note={"type": "string"}),
        "required": ["file"],
    }
    assert formed.document["x-openapi"]["body"]["contentType"] == "multipart/form-data"
    assert parameters_of(bodied) == properties(a={})


def test_the_encoding_of_a_form_is_stored_beside_the_spec():
    encoding = {
        "tags": {"style": "spaceDelimited", "headers": {}},
        "file": {"contentType": "image/png"},
        "x": {},
    }
    content = {
        "multipart/form-data": {"schema": properties(tags={}, file={}), "encoding": encoding}
    }

    spec = imported({"requestBody": {"content": content}}, method="post")

    assert spec.document["x-openapi"]["body"] == {
        "contentType": "multipart/form-data",
        "whole": True,
        "encoding": {"tags": {"style": "spaceDelimited"}, "file": {"contentType": "image/png"}},
    }


def test_arrays_of_swagger_are_separated_by_commas_by_default():
    array = {"type": "array", "items": {"type": "string"}}
    query = {"parameters": [{"name": "q", "in": "query", **array}]}
    form = {"parameters": [{"name": "q", "in": "formData", **array}]}

    [queried] = import_document(swagger(query)).specs
    [formed] = import_document(swagger(form, method="post")).specs

    assert queried.document["x-openapi"]["parameters"]["q"] == {
        "collectionFormat": "csv",
        "in": "query",
    }
    assert formed.document["x-openapi"]["body"]["encoding"] == {"q": {"collectionFormat": "csv"}}


def test_the_media_type_of_the_response_is_stored_if_it_is_a_special_one():
    content = {"application/vnd.x+json": {"schema": {"type": "string"}}}

    special = imported({"responses": {"200": {"description": "", "content": content}}})

    assert special.document["x-openapi"]["accept"] == "application/vnd.x+json"
    assert "accept" not in imported(answering({"type": "string"})).document["x-openapi"]


# -- responses --------------------------------------------------------------------------------------------------------


def test_the_return_type_is_the_schema_of_the_first_success():
    responses = (
        answering({"type": "integer"}, "201")["responses"]
        | answering({"type": "string"}, "404")["responses"]
    )

    assert returns_of(imported({"responses": responses})) == {"type": "integer"}


@pytest.mark.parametrize(
    "responses",
    [
        {},
        {"204": {"description": ""}},
        {"204": {"description": ""}, "default": {"description": "", **body({"type": "string"})}},
        {"200": {"description": "", "content": {"text/csv": {"schema": {"type": "string"}}}}},
        {"200": {"$ref": "#/components/responses/none"}},
    ],
)
def test_there_is_no_return_type_if_success_is_not_described(responses):
    assert returns_of(imported({"responses": responses})) is None


def test_a_member_is_required_only_in_the_direction_in_which_it_is_sent():
    thing = {
        **properties(
            id={"type": "string", "readOnly": True}, secret={"type": "string", "writeOnly": True}
        ),
        "required": ["id", "secret"],
    }

    spec = imported({"requestBody": body(thing), **answering(thing)}, method="post")

    assert parameters_of(spec)["required"] == ["secret"]
    assert returns_of(spec)["required"] == ["id"]


# -- schemas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("early", "modern"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "nullable": True, "enum": ["a"]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"allOf": [{"type": "string"}], "nullable": True, "description": "D"},
            {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}], "description": "D"},
        ),
        ({"nullable": True, "description": "D"}, {"description": "D"}),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        (
            {"type": "number", "maximum": 1, "exclusiveMaximum": False},
            {"type": "number", "maximum": 1},
        ),
        ({"type": "string", "example": "x"}, {"type": "string", "examples": ["x"]}),
        (properties(example={"type": "string"}), properties(example={"type": "string"})),
        (
            properties(nullable={"nullable": False, "type": "string"}),
            properties(nullable={"type": "string"}),
        ),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "object", "discriminator": {"propertyName": "t"}, "xml": {"name": "x"}},
            {"type": "object"},
        ),
        (
            {"type": "object", "default": {"nullable": True}},
            {"type": "object", "default": {"nullable": True}},
        ),
    ],
)
def test_schemas_of_openapi_3_0_become_2020_12(early, modern):
    assert returns_of(imported(answering(early))) == modern


def test_schemas_of_openapi_3_1_are_unchanged():
    schema = {
        "type": ["string", "null"],
        "exclusiveMinimum": 3,
        "const": "x",
        "prefixItems": [True],
    }

    assert returns_of(imported(answering(schema), version="3.1.0")) == schema


def test_references_become_definitions():
    components = {
        "schemas": {
            "Tree": properties(
                children={"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}
            ),
            "Leaf": {"type": "string"},
            "Unused": {},
        }
    }
    schema = properties(
        tree={"$ref": "#/components/schemas/Tree"}, leaf={"$ref": "#/components/schemas/Leaf"}
    )

    assert returns_of(imported(answering(schema), components=components)) == {
        **properties(tree={"$ref": "#/$defs/Tree"}, leaf={"$ref": "#/$defs/Leaf"}),
        "$defs": {
            "Leaf": {"type": "string"},
            "Tree": properties(children={"type": "array", "items": {"$ref": "#/$defs/Tree"}}),
        },
    }


def test_an_outermost_reference_is_written_out():
    components = {
        "schemas": {
            "List": properties(next={"$ref": "#/components/schemas/List"}),
            "Box": properties(inner={"$ref": "#/components/schemas/Item"}),
            "Item": {"type": "string"},
        }
    }

    flat = imported(answering({"$ref": "#/components/schemas/Box"}), components=components)
    round_ = imported(answering({"$ref": "#/components/schemas/List"}), components=components)

    assert returns_of(flat) == {
        **properties(inner={"$ref": "#/$defs/Item"}),
        "$defs": {"Item": {"type": "string"}},
    }
    assert returns_of(round_) == {
        **properties(next={"$ref": "#/$defs/List"}),
        "$defs": {"List": properties(next={"$ref": "#/$defs/List"})},
    }


def test_definitions_of_the_same_name_get_different_names():
    components = {"schemas": {"A": {"type": "string"}}, "x-more": {"A": {"type": "integer"}}}
    schema = properties(a={"$ref": "#/components/schemas/A"}, b={"$ref": "#/components/x-more/A"})

    assert returns_of(imported(answering(schema), components=components))["$defs"] == {
        "A": {"type": "string"},
        "A_2": {"type": "integer"},
    }


@pytest.mark.parametrize(
    "reference",
    [
        "https://example.com/a.json",
        "file:///etc/passwd",
        "other.json#/a",
        "#/components/schemas/missing",
        "#nowhere",
        "#",
        7,
        "#/" + "x" * 3_000,
    ],
)
def test_references_that_cannot_be_resolved_are_reported(reference):
    spec = imported(answering(properties(a={"$ref": reference})))

    assert returns_of(spec) == properties(a={})
    assert list(losses_of(spec).values()) == ["dropped"]


@pytest.mark.parametrize(
    "reference", ["resources/a.yml", "https://example.com/a.json#/get", "other.json#/paths/~1a"]
)
def test_an_operation_that_leads_out_of_the_document_is_refused(reference):
    paths = {"/a": {"get": {"$ref": reference}}, "/b": {"get": answering({"type": "string"})}}

    refused, accepted = import_document({"openapi": "3.0.3", "paths": paths}).specs

    assert refused.pointer == "/paths/~1a/get"
    [problem] = refused.problems
    assert problem.rule == "import.reference"
    assert problem.message.startswith(
        "/paths/~1a/get/$ref: This reference points to another document"
    )
    assert accepted.problems == ()


def test_a_path_that_leads_out_of_the_document_is_refused():
    paths = {"/a": {"$ref": "resources/a.yml"}, "/b": {"get": answering({"type": "string"})}}

    refused, accepted = import_document({"openapi": "3.0.3", "paths": paths}).specs

    assert refused.pointer == "/paths/~1a"
    assert [problem.rule for problem in refused.problems] == ["import.reference"]
    assert accepted.problems == ()


def test_a_path_that_refers_to_another_of_the_same_document_is_read():
    paths = {"/a": {"$ref": "#/components/pathItems/a"}}
    components = {"pathItems": {"a": {"get": {"operationId": "get_a"}}}}

    [spec] = import_document({"openapi": "3.1.0", "paths": paths, "components": components}).specs

    assert spec.tool_id == "get_a"


def test_circular_references_are_reported():
    components = {
        "parameters": {
            "a": {"$ref": "#/components/parameters/b"},
            "b": {"$ref": "#/components/parameters/a"},
        },
        "schemas": {
            "A": {"$ref": "#/components/schemas/B"},
            "B": {"$ref": "#/components/schemas/A"},
        },
    }
    operation = {
        "parameters": [{"$ref": "#/components/parameters/a"}],
        **answering({"$ref": "#/components/schemas/A"}),
    }

    spec = imported(operation, components=components)

    assert parameters_of(spec) is None
    assert returns_of(spec) is None
    assert set(losses_of(spec).values()) == {"dropped"}


# -- configuration ----------------------------------------------------------------------------------------------------


def test_servers_and_their_variables_become_configuration():
    servers = [
        {
            "url": "https://{region}.example.com",
            "variables": {
                "region": {"default": "eu", "enum": ["eu", "us"], "description": "Where."}
            },
        },
        {"url": "http://localhost"},
    ]

    assert imported({}, servers=servers).document["configuration"] == properties(
        baseUrl={
            "type": "string",
            "description": "The base URL of the API.",
            "default": "https://{region}.example.com",
            "examples": ["https://{region}.example.com", "http://localhost"],
        },
        region={"type": "string", "description": "Where.", "enum": ["eu", "us"], "default": "eu"},
    )


def test_the_url_of_a_swagger_document_is_built_from_its_parts():
    [spec] = import_document(
        swagger({}, host="example.com", basePath="/v1", schemes=["https"])
    ).specs

    assert (
        spec.document["configuration"]["properties"]["baseUrl"]["default"]
        == "https://example.com/v1"
    )


@pytest.mark.parametrize(
    ("scheme", "names"),
    [
        ({"type": "apiKey", "name": "X-Key", "in": "header"}, ["auth"]),
        ({"type": "http", "scheme": "bearer"}, ["auth"]),
        ({"type": "http", "scheme": "Basic"}, ["authUsername", "authPassword"]),
        ({"type": "basic"}, ["authUsername", "authPassword"]),
        ({"type": "oauth2", "flows": {}}, ["auth"]),
        ({"type": "openIdConnect", "openIdConnectUrl": "https://example.com"}, ["auth"]),
        ({"type": "mutualTLS"}, []),
    ],
)
def test_secrets_are_write_only_and_required(scheme, names):
    components = {"securitySchemes": {"auth": scheme}}

    spec = imported({"security": [{"auth": []}]}, components=components)
    configuration = spec.document.get("configuration", {"properties": {}})

    assert list(configuration["properties"]) == names
    assert configuration.get("required", []) == names
    assert all(secret["writeOnly"] is True for secret in configuration["properties"].values())


def test_no_secret_is_required_if_there_are_several_ways_to_sign_in():
    components = {"securitySchemes": {"a": {"type": "apiKey"}, "b": {"type": "apiKey"}}}

    spec = imported({"security": [{"a": []}, {"b": []}]}, components=components)

    assert "required" not in spec.document["configuration"]
    assert losses_of(spec) == {"/paths/~1things/get/security": "rewritten"}


def test_an_operation_may_override_the_security_of_the_api():
    components = {"securitySchemes": {"a": {"type": "apiKey"}}}

    assert (
        "configuration"
        not in imported({"security": []}, security=[{"a": []}], components=components).document
    )


# -- hostile documents ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        {"openapi": "3.0.0"},
        {"openapi": "3.0.0", "paths": []},
        {
            "openapi": "3.0.0",
            "paths": {"/a": None, "/b": 7, "/c": {"get": None}, "/d": {"$ref": "#/paths/~1d"}},
        },
        {
            "openapi": "3.0.0",
            "info": 7,
            "servers": {},
            "security": 3,
            "paths": {"/a": {"get": {"operationId": 7}}},
        },
        {
            "openapi": "3.0.0",
            "paths": {"/a": {"get": {"parameters": [None, 7, {}, {"name": 1}], "responses": []}}},
        },
        {
            "openapi": "3.0.0",
            "paths": {"/a": {"get": {"parameters": [{"name": "a", "in": []}], "requestBody": 7}}},
        },
        {
            "openapi": "3.0.0",
            "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": None}}}}},
        },
        {
            "openapi": "3.0.0",
            "paths": {"/a": {"get": {"responses": {"200": None, "201": {"content": []}}}}},
        },
        {
            "openapi": "3.0.0",
            "servers": [{"url": 1, "variables": 2}, 3],
            "paths": {"/a": {"get": {"security": [1]}}},
        },
        {"openapi": "3.0.0", "components": 3, "paths": {"/a": {"get": {"security": [{"x": []}]}}}},
        {
            "openapi": "3.0.0",
            "x-llm-tool": {"id": 7, "configuration": 3},
            "paths": {"/a": {"get": {}}},
        },
        {
            "swagger": "2.0",
            "host": 7,
            "paths": {"/a": {"get": {"parameters": [{"name": "a", "in": "body"}]}}},
        },
        {
            "swagger": "2.0",
            "host": "h",
            "schemes": [{}],
            "paths": {"/a": {"get": {"consumes": [[]]}}},
        },
    ],
)
def test_malformed_documents_raise_no_error(document):
    for spec in import_document(document).specs:
        if not spec.problems:
            read_spec(spec.text)


@pytest.mark.deep
@pytest.mark.corpora
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_documents_with_exchanged_parts_raise_no_error(path):
    document = read(path)
    for seed in range(12):
        for spec in import_document(_scrambled(document, random.Random(seed))).specs:
            if not spec.problems:
                read_spec(spec.text)


def _scrambled(document, chance):
    """`document` with a few of its values replaced by others."""
    document = copy.deepcopy(document)
    positions = []

    def walk(value):
        entries = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else ()
        )
        for key, inner in list(entries):
            positions.append((value, key))
            walk(inner)

    walk(document["paths"])
    others = [
        None,
        7,
        "text",
        [],
        {},
        True,
        {"$ref": "#/paths"},
        {"$ref": "#/info/title"},
        [{"$ref": "#/x"}],
        "#/paths",
    ]
    for _ in range(20):
        holder, key = chance.choice(positions)
        holder[key] = chance.choice(others)
    return document


def test_definitions_beyond_the_limit_of_one_spec_are_replaced():
    schemas = {
        f"S{number}": properties(**{f"p{i}": {} for i in range(20)}) for number in range(200)
    }
    everything = properties(**{name: {"$ref": f"#/components/schemas/{name}"} for name in schemas})

    spec = imported(answering(everything), version="3.1.0", components={"schemas": schemas})

    definitions = returns_of(spec)["$defs"]
    assert definitions["S0"] == schemas["S0"]
    assert definitions["S199"] is True
    assert losses_of(spec)["/components/schemas/S199"] == "dropped"


def entangled(operations, definitions):
    """A document whose operations each return a definition that reaches all the others."""
    schemas = {
        f"D{number}": {
            "type": "object",
            "description": f"Definition {number}. " + "Some words. " * 20,
            "properties": {
                "text": {"type": "string"},
                "next": {"$ref": f"#/components/schemas/D{(number + 1) % definitions}"},
                "other": {"$ref": f"#/components/schemas/D{(number * 7 + 3) % definitions}"},
            },
        }
        for number in range(definitions)
    }
    paths = {
        f"/things/{number}": {
            "get": {"operationId": f"get_{number}"}
            | answering({"$ref": f"#/components/schemas/D{number % definitions}"})
        }
        for number in range(operations)
    }
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}


@pytest.mark.slow
@pytest.mark.deep
def test_every_operation_of_a_large_document_over_shared_definitions_becomes_a_tool():
    specs = import_document(entangled(operations=845, definitions=600)).specs

    assert [spec.problems for spec in specs if spec.problems] == []
    assert len(specs) == 845


def test_definitions_that_operations_share_are_checked_once():
    few, many = entangled(operations=10, definitions=100), entangled(operations=40, definitions=100)

    with at_most(2_000_000) as for_few:
        import_document(few)
    with at_most(2_000_000) as for_many:
        import_document(many)

    assert for_many.lines < 2 * for_few.lines


def test_tools_that_are_not_finished_in_time_are_named_with_the_way_to_import_them():
    document = entangled(operations=40, definitions=100)
    with at_most(2_000_000) as whole:
        import_document(document)

    with at_most(2_000_000) as work:
        most_s = whole.lines / LINES_PER_SECOND
        specs = import_document(document, deadline=Deadline(seconds=most_s / 2)).specs

    assert work.lines < whole.lines

    assert len(specs) == 40
    late = [spec for spec in specs if spec.spec is None]
    assert 0 < len(late) < 40
    assert {problem.rule for spec in late for problem in spec.problems} == {"import.too-long"}
    assert "source" in late[0].problems[0].message


def test_a_wrong_definition_is_repaired_in_the_tools_that_reach_it_alone():
    schemas = {
        "Wrong": {"type": "string", "pattern": "("},
        "Around": properties(wrong={"$ref": "#/components/schemas/Wrong"}),
        "Right": properties(name={"type": "string", "pattern": "^a"}),
    }
    document = api(answering({"$ref": "#/components/schemas/Around"}))
    document["paths"]["/right"] = {"get": answering({"$ref": "#/components/schemas/Right"})}
    document["components"] = {"schemas": schemas}

    wrong, right = import_document(document).specs

    assert (wrong.problems, right.problems) == ((), ())
    assert returns_of(wrong)["$defs"]["Wrong"] == {"type": "string"}
    assert [loss.what for loss in wrong.losses if "Invalid regular expression" in loss.reason] == [
        "dropped"
    ]
    assert returns_of(right) == schemas["Right"]
    assert right.losses == ()


def test_a_loop_through_shared_definitions_is_found_in_each_tool_that_reaches_it():
    schemas = {
        "A": {"allOf": [{"$ref": "#/components/schemas/B"}]},
        "B": {"allOf": [{"$ref": "#/components/schemas/A"}]},
    }
    document = api(answering({"$ref": "#/components/schemas/A"}))
    document["paths"]["/others"] = {"get": answering({"$ref": "#/components/schemas/B"})}
    document["components"] = {"schemas": schemas}

    specs = import_document(document).specs

    assert [spec.problems for spec in specs] == [(), ()]
    for spec in specs:
        assert returns_of(spec) is None
        assert any("would never end" in loss.reason for loss in spec.losses)


def test_tools_that_would_be_too_large_together_carry_the_nearest_definitions(monkeypatch):
    monkeypatch.setattr("toolspec.imports.openapi.document.MAX_BYTES_TOGETHER", 200_000)
    document = entangled(operations=40, definitions=60)
    document["paths"]["/small"] = {
        "get": {"operationId": "small"} | answering(properties(a={"type": "string"}))
    }

    specs = import_document(document).specs

    assert [spec.problems for spec in specs if spec.problems] == []
    assert sum(len(json.dumps(spec.document)) for spec in specs) <= 200_000
    first = returns_of(specs[0])["$defs"]
    assert first["D1"] is not True
    left_out = [name for name, definition in first.items() if definition is True]
    assert left_out
    assert {losses_of(specs[0])[f"/components/schemas/{name}"] for name in left_out} == {"dropped"}
    assert returns_of(specs[-1]) == properties(a={"type": "string"})


def test_a_tool_carries_only_the_definitions_that_it_reaches():
    schemas = {
        "A": properties(b={"$ref": "#/components/schemas/B"}),
        "B": {"type": "string"},
        "C": {"type": "null"},
    }
    operation = answering(properties(a={"$ref": "#/components/schemas/A"}))

    spec = imported(operation, version="3.1.0", components={"schemas": schemas})

    assert list(returns_of(spec)["$defs"]) == ["A", "B"]


def test_definitions_that_one_spec_cannot_hold_are_left_out_and_named_with_their_size():
    large = properties(a={"type": "string", "description": "x" * 600_000})
    schemas = {"Large": large, "Larger": large, "Small": {"type": "string"}}
    everything = properties(**{name: {"$ref": f"#/components/schemas/{name}"} for name in schemas})

    spec = imported(answering(everything), version="3.1.0", components={"schemas": schemas})

    assert spec.problems == ()
    assert returns_of(spec)["$defs"] == {
        "Large": large,
        "Larger": True,
        "Small": {"type": "string"},
    }
    [loss] = [loss for loss in spec.losses if loss.pointer == "/components/schemas/Larger"]
    assert loss.reason.startswith("With this definition (600,0")


def test_a_spec_that_is_too_large_by_itself_is_refused_with_the_part_that_makes_it_large():
    schema = properties(a={"type": "string"}, b={"type": "string", "description": "x" * 1_200_000})

    [spec] = import_document(
        api({"requestBody": body(schema)}, version="3.1.0", path="/things")
    ).specs

    [problem] = spec.problems
    assert problem.rule == "json.too-large"
    assert problem.pointer == "/definition/parameters/properties/b/description"
    assert "(1,200,002 bytes)" in problem.message


def test_an_imported_spec_is_stored_without_blanks():
    operation = {"operationId": "a"} | answering(properties(a={"type": "integer"}))

    [spec] = import_document({"openapi": "3.1.0", "paths": {"/a": {"get": operation}}}).specs

    assert spec.text == json.dumps(spec.document, separators=(",", ":"))


def pointer_to(name):
    token = name.replace("~", "~0").replace("/", "~1")
    return f"#/components/schemas/{quote(token, safe='~')}"


LONG_NAME = "com.example.resources.v1beta1.ConfigurationOfSomethingWithALongName"


@pytest.mark.parametrize("max_spec_bytes", [6_000, 20_000, 60_000])
@pytest.mark.parametrize("name", ["D", LONG_NAME, "Größe", "a/b~c"])
@pytest.mark.parametrize("has_body", [False, True])
def test_a_spec_fits_with_what_its_dropped_definitions_leave(max_spec_bytes, name, has_body):
    names = [f"{name}{number}" for number in range(400)]
    references = [{"$ref": pointer_to(one)} for one in names]
    schemas = {}
    for number, one in enumerate(names):
        others = [references[(number * 9 + step) % 400] for step in range(9)]
        schemas[one] = properties(**{f"p{step}": other for step, other in enumerate(others)})
    operation = answering(references[0]) | (
        {"requestBody": body(references[7])} if has_body else {}
    )
    document = {
        "openapi": "3.1.0",
        "paths": {"/a": {"post": operation}},
        "components": {"schemas": schemas},
    }

    [spec] = import_document(document, max_spec_bytes=max_spec_bytes).specs

    assert spec.problems == ()
    assert len(spec.text.encode()) <= max_spec_bytes
    assert "any value is allowed here" in " ".join(loss.reason for loss in spec.losses)
    assert True in returns_of(spec)["$defs"].values()


def test_the_total_size_of_the_specs_of_one_document_is_limited(monkeypatch):
    monkeypatch.setattr("toolspec.imports.openapi.document.MAX_BYTES_TOGETHER", 2_000)
    operations = {f"/p{number}": {"get": {"description": "x" * 300}} for number in range(10)}

    specs = import_document({"openapi": "3.1.0", "paths": operations}).specs

    assert {problem.rule for spec in specs for problem in spec.problems} == {"import.too-large"}
    assert sum(len(spec.text) for spec in specs) <= 2_000


def test_a_document_with_too_many_schemas_is_imported_in_part():
    wide = properties(**{f"p{number}": {} for number in range(1_000)})
    paths = {f"/p{number}": {"get": answering(wide)} for number in range(MAX_SCHEMAS // 1_000 + 5)}

    imported = import_document({"openapi": "3.1.0", "paths": paths})

    assert len(imported.specs) < len(paths)
    assert imported.notes == (
        f"The document has more than {MAX_SCHEMAS:,} schemas; the rest was not imported.",
    )


def referring(number, **members):
    """A document whose one operation returns `number` references to the schema `Base`."""
    properties_ = {f"p{index}": {"$ref": "#/components/schemas/Base"} for index in range(number)}
    return {
        "openapi": "3.1.0",
        "paths": {"/p": {"get": answering(properties(**properties_))}},
        **members,
    }


def lines_of_import(document):
    with at_most(20_000_000) as work:
        imported = import_document(document)
    return work.lines, imported


@pytest.mark.parametrize("anchor", ["$id", "$anchor", "$dynamicAnchor"])
def test_references_cost_the_same_however_many_schemas_have_an_identifier(anchor):
    schemas = {"Base": {"type": "string"}}
    identified = [{anchor: f"s{number}"} for number in range(4_000)]
    few, _ = lines_of_import(
        referring(10, components={"schemas": schemas}, **{"x-all": identified})
    )

    many, imported = lines_of_import(
        referring(400, components={"schemas": schemas}, **{"x-all": identified})
    )

    assert many < few + 400_000
    assert returns_of(imported.specs[0])["$defs"] == schemas


def test_many_dynamic_references_cost_the_same_however_many_anchors_there_are():
    anchors = [{"$dynamicAnchor": f"s{number}"} for number in range(4_000)]
    dynamic = {f"p{number}": {"$dynamicRef": "#s1"} for number in range(400)}
    document = {
        "openapi": "3.1.0",
        "paths": {"/p": {"get": answering(properties(**dynamic))}},
        "x-all": anchors,
    }

    lines_run, imported = lines_of_import(document)

    assert lines_run < 1_000_000
    assert len(imported.specs) == 1


def test_the_base_of_a_reference_is_the_nearest_identifier_around_it():
    inner = {"$id": "inner", "$ref": "#/$defs/x", "$defs": {"x": {"type": "integer"}}}
    outer = {"$id": "https://example.com/outer", **properties(a=inner, b={"$ref": "#/$defs/x"})}
    outer["$defs"] = {"x": {"type": "boolean"}}

    spec = imported(answering(outer), version="3.1.0")

    definitions = returns_of(spec)["$defs"]
    found = {
        name: definitions[one["$ref"].rpartition("/")[2]]
        for name, one in returns_of(spec)["properties"].items()
    }
    assert found == {"a": {"type": "integer"}, "b": {"type": "boolean"}}


def test_identifiers_that_grow_from_schema_to_schema_cost_little():
    nested = [{"$id": "x/" * 10} for _ in range(3_000)]
    for level in range(50):
        nested = [{"$id": f"{'y/' * 400}{level}", "x": nested}]

    lines_run, imported = lines_of_import(
        referring(5, components={"schemas": {"Base": {}}}, **{"x-all": nested})
    )

    assert lines_run < 2_000_000
    assert len(imported.specs) == 1


def kinds(number, parts):
    """A base schema with a discriminator and `number` heirs, each of them an `allOf` of `parts` more schemas."""
    shared = {
        f"Part{index}": {"properties": {"t": {"$ref": "#/components/schemas/T0"}}}
        for index in range(parts)
    }
    shared |= {
        f"T{index}": {"allOf": [{"$ref": f"#/components/schemas/T{index + 1}"}]}
        for index in range(parts)
    }
    every_part = [{"$ref": f"#/components/schemas/Part{index}"} for index in range(parts)]
    heir = {"allOf": [*every_part, {"$ref": "#/components/schemas/Base"}]}
    base = {"type": "object", "discriminator": {"propertyName": "t"}}
    heirs = {f"Heir{index}": heir for index in range(number)}
    return {"schemas": {"Base": base, **heirs, **shared, f"T{parts}": {"type": "string"}}}


def test_the_kinds_of_a_schema_are_looked_at_once_however_many_references_it_has():
    lines_run, imported = lines_of_import(referring(100, components=kinds(10, 10)))

    assert lines_run < 2_000_000
    assert [
        one["properties"]["t"]
        for one in returns_of(imported.specs[0])["properties"]["p99"]["anyOf"][:2]
    ] == [
        {"const": "Heir0"},
        {"const": "Heir1"},
    ]


def test_a_document_whose_schemas_extend_too_many_others_is_imported_in_part():
    document = referring(1, components=kinds(50, 150))
    document["paths"] = {"/first": {"get": answering({"type": "string"})}, **document["paths"]}

    imported = import_document(document)

    assert [spec.document["definition"]["name"] for spec in imported.specs] == ["get_first"]
    assert imported.notes == (
        "The schemas of the document extend too many others; the rest was not imported.",
    )


# -- every loss is reported -------------------------------------------------------------------------------------------

GET = "/paths/~1things/get"
RESPONSE = f"{GET}/responses/200"


@pytest.mark.parametrize(
    ("operation", "pointer"),
    [
        ({"externalDocs": {"url": "https://example.com"}}, f"{GET}/externalDocs"),
        ({"x-rate": 1}, f"{GET}/x-rate"),
        (
            {"parameters": [{"name": "a", "in": "query", "allowEmptyValue": True}]},
            f"{GET}/parameters/0/allowEmptyValue",
        ),
        (
            {
                "parameters": [
                    {
                        "name": "a",
                        "in": "query",
                        "examples": {"b": {"externalValue": "https://e.example"}},
                    }
                ]
            },
            f"{GET}/parameters/0/examples/b",
        ),
        ({"requestBody": body({}, **{"x-name": 1})}, f"{GET}/requestBody/x-name"),
        (
            {"requestBody": {"content": {"multipart/form-data": {"schema": {}, "x-size": 1}}}},
            f"{GET}/requestBody/content/multipart~1form-data/x-size",
        ),
        ({"responses": {"404": {"description": "Gone."}}}, f"{GET}/responses/404"),
        (
            {"responses": {"200": {"description": ""}, "default": {"description": ""}}},
            f"{GET}/responses/default",
        ),
        ({"responses": {"200": {"description": "", "headers": {}}}}, f"{RESPONSE}/headers"),
        ({"responses": {"200": {"description": "", "links": {}}}}, f"{RESPONSE}/links"),
        (
            {
                "responses": {
                    "200": {"description": "", "content": {"application/json": {}, "text/xml": {}}}
                }
            },
            f"{RESPONSE}/content/text~1xml",
        ),
    ],
)
def test_parts_that_a_spec_has_no_member_for_are_reported(operation, pointer):
    assert losses_of(imported(operation)).get(pointer) == "dropped"


def test_a_changed_name_is_reported():
    document = api({"operationId": "same"})
    document["paths"]["/others"] = {"get": {"operationId": "same"}}

    first, second = import_document(document).specs

    assert (first.tool_id, second.tool_id) == ("same", "same_2")
    assert losses_of(second) == {"/paths/~1others/get/operationId": "rewritten"}


def test_a_name_that_is_too_long_is_cut():
    spec = imported({"operationId": "get" + "x" * 500})

    assert len(spec.document["definition"]["name"]) <= 200
    assert losses_of(spec) == {GET: "rewritten"}


def test_the_only_response_for_all_codes_is_the_return_type():
    assert returns_of(imported(answering({"type": "string"}, code="default"))) == {"type": "string"}


def test_the_example_of_a_body_is_an_example_of_the_tool():
    whole = {"content": {"application/json": {"schema": {"type": "object"}, "example": {"a": 1}}}}

    spec = imported({"requestBody": whole}, path="/things")

    assert spec.document["definition"]["examples"] == [{"parameters": {"a": 1}}]


def test_examples_of_a_body_beside_parameters_are_examples_of_its_schema():
    operation = {
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "requestBody": {
            "content": {"application/json": {"schema": {"type": "object"}, "example": {"a": 1}}}
        },
    }

    assert parameters_of(imported(operation))["properties"]["body"] == {
        "type": "object",
        "examples": [{"a": 1}],
    }


def test_examples_of_a_response_without_parameters_are_examples_of_its_schema():
    response = {
        "content": {
            "application/json": {"schema": {"type": "array"}, "examples": {"few": {"value": [1]}}}
        }
    }

    assert returns_of(imported({"responses": {"200": response}})) == {
        "type": "array",
        "examples": [[1]],
    }


def test_the_scopes_of_a_token_are_listed():
    components = {"securitySchemes": {"login": {"type": "oauth2", "flows": {}}}}

    spec = imported({"security": [{"login": ["read", "write"]}]}, components=components)

    login = spec.document["configuration"]["properties"]["login"]
    assert login["description"].endswith("Scopes: read, write.")
