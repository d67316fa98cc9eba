"""A tool as an OpenAPI document with one operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from toolspec.exports.conversion import (
    CONFIGURATION,
    DEFINITION,
    DESCRIPTION,
    EXAMPLES,
    NAME,
    PARAMETERS,
    RETURN_TYPE,
    Job,
)
from toolspec.schema.index import SchemaMap
from toolspec.schema.normalize import (
    MAX_NODES,
    Normalized,
    Schema,
    account_for_draft,
    definition_of,
    normalize,
)
from toolspec.schema.validation import Budget, compile_schema
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

_IN_EXTENSION: Final = "Exported in the extension `x-llm-tool`, which other programs ignore."

_INVALID_DEFAULT: Final = (
    "The default is not valid for its own schema, which OpenAPI validators reject."
)


def openapi_document(job: Job) -> Schema:
    """A whole document, since GitHub, gateways and assistants do not read single operations."""
    spec, name = job.spec, job.name()
    schemas: Schema = {}
    place = pointer_join("/paths", f"/tools/{spec.slug}", "post")
    job.parts |= {
        DEFINITION: place,
        NAME: f"{place}/operationId",
        DESCRIPTION: f"{place}/description",
    }
    operation: Schema = {"operationId": name, "summary": spec.name, "description": spec.description}
    if spec.parameters is not None:
        reference = _add_component("Parameters", spec.parameters, PARAMETERS, schemas, job)
        content: Schema = {"schema": reference}
        _add_examples(content, "parameters", job)
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    result: Schema = {}
    if spec.return_type is not None:
        result["schema"] = _add_component("Returns", spec.return_type, RETURN_TYPE, schemas, job)
        job.report.preserved(RETURN_TYPE, "Exported as the schema of the response.")
    _add_examples(result, "returnValue", job)
    content = {"application/json": result}
    operation["responses"] = {
        "200": {"description": "The response of the tool.", "content": content}
    }
    document: Schema = {
        "openapi": "3.1.1",
        "info": {"title": spec.name, "version": spec.sha256[:12]},
        "paths": {f"/tools/{spec.slug}": {"post": operation}},
    }
    if schemas:
        document["components"] = {"schemas": schemas}
    own: Schema = {"name": spec.name}
    if spec.tool_id != spec.name:
        own["id"] = spec.tool_id
        job.report.preserved("/definition/id", _IN_EXTENSION)
    if spec.configuration is not None:
        own["configuration"] = spec.configuration
        job.report.preserved(CONFIGURATION, _IN_EXTENSION)
    return {**document, "x-llm-tool": own}


def _add_component(name: str, schema: JSON, pointer: str, schemas: Schema, job: Job) -> Schema:
    """Add `schema` and its definitions to the components, and return a reference to it."""
    modern = normalize(schema, pointer=pointer, report=job.report)
    _drop_invalid_defaults(modern, job)
    names = {"": name}
    for definition in sorted(modern.used_from(modern.root)):
        names[definition] = f"{name}.{definition}"
    schemas[name] = _move_references(modern.root, names)
    for definition, component in list(names.items())[1:]:
        schemas[component] = _move_references(modern.definitions[definition], names)
    account_for_draft(schema, pointer, job.report)
    job.parts[pointer] = f"/components/schemas/{name}"
    return {"$ref": f"#/components/schemas/{name}"}


def _drop_invalid_defaults(modern: Normalized, job: Job) -> None:
    """Remove each `default` that its own schema refuses: validators of OpenAPI report it."""
    whole = modern.together()
    root = compile_schema(whole).root
    budget = Budget()  # shared: anyone may ask for an export
    for node in SchemaMap(whole, max_nodes=MAX_NODES).nodes:
        schema = modern.root if node.parent is None else node.schema
        if not isinstance(schema, dict) or "default" not in schema:
            continue
        if root.sub(*node.tokens).is_valid(schema["default"], budget) is False:
            del schema["default"]
            origin = modern.origins.of(schema)
            job.report.dropped(pointer_join(origin, "default"), _INVALID_DEFAULT)


def _move_references(value: JSON, names: Mapping[str, str]) -> JSON:
    """`value` with references to the components instead of `$defs`."""
    if isinstance(value, list):
        return [_move_references(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    out: Schema = {name: _move_references(member, names) for name, member in value.items()}
    definition = definition_of(value.get("$ref"))
    if definition is not None and definition in names:
        out["$ref"] = f"#/components/schemas/{names[definition]}"
    return out


def _add_examples(content: Schema, member: Literal["parameters", "returnValue"], job: Job) -> None:
    examples: Schema = {}
    for index, example in enumerate(job.spec.examples):
        if member == "parameters":
            is_present, value = example.has_parameters, example.parameters
        else:
            is_present, value = example.has_return_value, example.return_value
        if is_present:
            summary = example.description or f"Example {index + 1}"
            examples[f"example-{index + 1}"] = {"summary": summary, "value": value}
            pointer = pointer_join(EXAMPLES, index, member)
            job.report.preserved(pointer, "Exported as an example of the operation.")
    if examples:
        content["examples"] = examples
