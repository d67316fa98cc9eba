"""A tool as an OpenAPI document with one operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from catalog.json_schema.normalize import Schema, account_for_draft, definition_of, normalized
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.exporters.conversion import CONFIGURATION, EXAMPLES, PARAMETERS, RETURN_TYPE, Job


def openapi_document(job: Job) -> Schema:
    """A document with one operation; GitHub, gateways and assistants read whole documents, not single operations."""
    spec, name = job.spec, job.name()
    schemas: Schema = {}
    operation: Schema = {"operationId": name, "summary": spec.name, "description": spec.description}
    if spec.parameters is not None:
        content: Schema = {"schema": _component("Parameters", spec.parameters, PARAMETERS, schemas, job)}
        _add_examples(content, "parameters", job)
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    result: Schema = {}
    if spec.return_type is not None:
        result["schema"] = _component("Returns", spec.return_type, RETURN_TYPE, schemas, job)
        job.report.preserved(RETURN_TYPE, "It is the schema of the answer.")
    _add_examples(result, "returnValue", job)
    operation["responses"] = {"200": {"description": "What the tool returns.", "content": {"application/json": result}}}
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
        job.report.preserved("/definition/id", "It is in the extension `x-llm-tool`, which other programs pass over.")
    if spec.configuration is not None:
        own["configuration"] = spec.configuration
        job.report.preserved(CONFIGURATION, "It is in the extension `x-llm-tool`, which other programs pass over.")
    return {**document, "x-llm-tool": own}


def _component(name: str, schema: JSON, pointer: str, schemas: Schema, job: Job) -> Schema:
    """Put `schema` and its definitions among the components; a reference to it."""
    modern = normalized(schema, pointer=pointer, report=job.report)
    names = {"": name, **{definition: f"{name}.{definition}" for definition in sorted(modern.used_from(modern.root))}}
    for definition, component in names.items():
        schemas[component] = _moved(modern.definitions[definition] if definition else modern.root, names)
    account_for_draft(schema, pointer, job.report)
    return {"$ref": f"#/components/schemas/{name}"}


def _moved(value: JSON, names: Mapping[str, str]) -> JSON:
    """`value` with its references leading to the components."""
    if isinstance(value, list):
        return [_moved(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    out: Schema = {name: _moved(member, names) for name, member in value.items()}
    definition = definition_of(value.get("$ref"))
    if definition is not None and definition in names:
        out["$ref"] = f"#/components/schemas/{names[definition]}"
    return out


def _add_examples(content: Schema, member: Literal["parameters", "returnValue"], job: Job) -> None:
    examples: Schema = {}
    for index, example in enumerate(job.spec.examples):
        has, value = (
            (example.has_parameters, example.parameters)
            if member == "parameters"
            else (example.has_return_value, example.return_value)
        )
        if has:
            examples[f"example-{index + 1}"] = {
                "summary": example.description or f"Example {index + 1}",
                "value": value,
            }
            job.report.preserved(pointer_join(EXAMPLES, index, member), "It is an example of the operation.")
    if examples:
        content["examples"] = examples
