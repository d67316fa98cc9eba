"""The API's OpenAPI document as values for the documentation page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from catalog.jsontext.reader import loads
from config.openapi import scopes_needed
from playground.snippets.curl import curl_command

JSON_TYPES = ("application/json", "application/problem+json")
METHODS = ("get", "post", "put", "patch", "delete")
SAMPLE_VALUES = {
    "slug": "convert_units",
    "from": "1",
    "to": "2",
}  # of parameters in commands that only read

FIRST_RUN = """{"parameters": {"value": 42.195, "from_unit": "km", "to_unit": "mile"}, "mode": "mock", "wait_s": 10}"""


@dataclass(frozen=True)
class Parameter:
    name: str
    location: str  # "path", "query" or "header"
    type_name: str
    required: bool
    description: str


@dataclass(frozen=True)
class DocumentedResponse:
    status: str
    description: str
    example: str | None


@dataclass(frozen=True)
class Operation:
    """One operation as the page shows it. `curl` can be pasted into a shell that has the variable of the token."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    needs_token: bool
    scopes: list[str]  # a token needs one of these
    parameters: list[Parameter]
    body_types: list[str]
    body_example: str | None
    responses: list[DocumentedResponse]
    curl: str


def documented_operations(
    schema: Mapping[str, Any], *, site: str
) -> list[tuple[str, list[Operation]]]:
    """The operations by tag, in the order of the document: [(tag, operations)]; `site` is the URL of this site."""
    groups: dict[str, list[Operation]] = {}
    for path, operations in schema["paths"].items():
        for method in METHODS:
            if method in operations:
                group = groups.setdefault((operations[method].get("tags") or ["API"])[0], [])
                group.append(operation(schema, site, path, method, operations[method]))
    return list(groups.items())


def first_commands(site: str) -> dict[str, str]:
    """The curl commands of the first steps: "find" a tool, "run" it."""
    return {
        "find": curl_command(f"{site}api/v1/tools?q=units", needs_token=False),
        "run": curl_command(
            f"{site}api/v1/tools/convert_units/runs", method="POST", body=loads(FIRST_RUN)
        ),
    }


def operation(
    schema: Mapping[str, Any], site: str, path: str, method: str, details: Mapping[str, Any]
) -> Operation:
    body = details.get("requestBody", {}).get("content", {})
    body_example = next(
        (example for content in body.values() if (example := example_of(schema, content))), None
    )
    needs_token = all(details.get("security", [{}]))
    scopes = scopes_needed(details.get("security"))
    parameters = [
        Parameter(
            name=parameter["name"],
            location=parameter["in"],
            type_name=type_name(parameter.get("schema", {})),
            required=parameter.get("required", False),
            description=parameter.get("description")
            or parameter.get("schema", {}).get("description", ""),
        )
        for parameter in details.get("parameters", [])
    ]
    return Operation(
        id=details["operationId"],
        method=method.upper(),
        path=path,
        summary=details.get("summary", ""),
        description=details.get("description", ""),
        needs_token=needs_token,
        scopes=scopes,
        parameters=parameters,
        body_types=list(body),
        body_example=body_example,
        responses=list(documented_responses(schema, details)),
        curl=curl_command(
            site.rstrip("/") + sample_address(method, path, parameters),
            method=method.upper(),
            needs_token=needs_token,
            headers={
                each.name: f"{{{each.name}}}"
                for each in parameters
                if each.required and each.location == "header"
            },
            body=loads(body_example) if body_example else None,
            files="tools.ndjson" if "multipart/form-data" in body and not body_example else "",
        ),
    )


def sample_address(method: str, path: str, parameters: list[Parameter]) -> str:
    """The path with what the operation requires. Only commands that read name a sample tool."""
    required = [each.name for each in parameters if each.required and each.location == "query"]
    query = urlencode(
        {name: SAMPLE_VALUES.get(name, f"{{{name}}}") for name in required}, safe="{}"
    )
    if method == "get":
        path = path.replace("{slug}", SAMPLE_VALUES["slug"])
    return f"{path}?{query}" if query else path


def documented_responses(
    schema: Mapping[str, Any], details: Mapping[str, Any]
) -> Iterator[DocumentedResponse]:
    for status, response in details.get("responses", {}).items():
        if (
            status == "default"
        ):  # the same for all operations: the page describes it once, at the top
            continue
        content = response.get("content", {})
        examples = (example_of(schema, content.get(media_type, {})) for media_type in JSON_TYPES)
        yield DocumentedResponse(
            str(status), response.get("description", ""), next(filter(None, examples), None)
        )


def example_of(schema: Mapping[str, Any], content: Mapping[str, Any]) -> str | None:
    """The documented example of a body, as indented JSON."""
    if "example" in content:
        return as_text(content["example"])
    for example in content.get("examples", {}).values():
        return as_text(example.get("value"))
    body_schema = content.get("schema", {})
    if "$ref" in body_schema:
        body_schema = schema["components"]["schemas"].get(
            body_schema["$ref"].rsplit("/", 1)[-1], {}
        )
    example = body_schema.get("example", (body_schema.get("examples") or [None])[0])
    return as_text(example) if example is not None else None


def as_text(example: object) -> str:
    return (
        example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    )


def type_name(schema: Mapping[str, Any]) -> str:
    """A schema's type in a few words: "string", "integer or null", "one of live, mock"."""
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_name(branch) for branch in schema["anyOf"]))
    return str(schema.get("type", "any"))
