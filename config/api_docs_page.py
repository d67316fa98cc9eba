"""The API's OpenAPI document as values for the documentation page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.openapi import scopes_needed

JSON_TYPES = ("application/json", "application/problem+json")
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Parameter:
    name: str
    place: str  # "path", "query" or "header"
    kind: str
    required: bool
    description: str


@dataclass(frozen=True)
class Answer:
    status: str
    description: str
    example: str | None


@dataclass(frozen=True)
class Operation:
    """One operation as the page shows it; `curl` can be pasted into a shell after setting $TOKEN."""

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
    answers: list[Answer]
    curl: str = field(default="")


def documented_operations(schema: Mapping[str, Any], *, site: str) -> list[tuple[str, list[Operation]]]:
    """The operations by tag, in the order of the document: [(tag, operations)]; `site` is this site's address."""
    groups: dict[str, list[Operation]] = {}
    for path, operations in schema["paths"].items():
        for method in METHODS:
            if method in operations:
                found = operation(schema, site, path, method, operations[method])
                groups.setdefault((operations[method].get("tags") or ["API"])[0], []).append(found)
    return list(groups.items())


def operation(schema: Mapping[str, Any], site: str, path: str, method: str, details: Mapping[str, Any]) -> Operation:
    body = details.get("requestBody", {}).get("content", {})
    body_example = next((example for content in body.values() if (example := example_of(schema, content))), None)
    needs_token = not any(not way for way in details.get("security", [{}]))
    scopes = scopes_needed(details.get("security"))
    parameters = [
        Parameter(
            name=parameter["name"],
            place=parameter["in"],
            kind=kind_of(parameter.get("schema", {})),
            required=parameter.get("required", False),
            description=parameter.get("description") or parameter.get("schema", {}).get("description", ""),
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
        answers=list(answers(schema, details)),
        curl=curl(method, site.rstrip("/") + path, needs_token=needs_token, body_types=list(body), body=body_example),
    )


def answers(schema: Mapping[str, Any], details: Mapping[str, Any]) -> Iterator[Answer]:
    for status, answer in details.get("responses", {}).items():
        if status == "default":  # the same for every operation: the top of the page shows it once
            continue
        content = answer.get("content", {})
        example = next((found for kind in JSON_TYPES if (found := example_of(schema, content.get(kind, {})))), None)
        yield Answer(str(status), answer.get("description", ""), example)


def example_of(schema: Mapping[str, Any], content: Mapping[str, Any]) -> str | None:
    """The example given for a body, as indented JSON."""
    if "example" in content:
        return as_text(content["example"])
    for example in content.get("examples", {}).values():
        return as_text(example.get("value"))
    body_schema = content.get("schema", {})
    if "$ref" in body_schema:
        body_schema = schema["components"]["schemas"].get(body_schema["$ref"].rsplit("/", 1)[-1], {})
    example = body_schema.get("example", (body_schema.get("examples") or [None])[0])
    return as_text(example) if example is not None else None


def as_text(example: object) -> str:
    return example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)


def kind_of(schema: Mapping[str, Any]) -> str:
    """A schema's type in a word or two: "string", "integer or null", "one of live, mock"."""
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind_of(branch) for branch in schema["anyOf"]))
    return str(schema.get("type", "any"))


def curl(method: str, url: str, *, needs_token: bool, body_types: list[str], body: str | None) -> str:
    words = ["curl"]
    if method != "get":
        words.append(f"-X {method.upper()}")
    if needs_token:
        words.append('-H "Authorization: Bearer $TOKEN"')
    if "multipart/form-data" in body_types and not body:
        words.append("-F files=@tools.ndjson")
    elif body:
        compact = json.dumps(json.loads(body), ensure_ascii=False).replace("'", "'\\''")
        words.append(f"-H 'Content-Type: application/json' --data '{compact}'")
    return f"{' '.join(words)} {url}"
