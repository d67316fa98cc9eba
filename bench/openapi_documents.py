"""OpenAPI documents of a given size whose definitions refer to each other, the same for the same seed.

    .venv/bin/python -m bench.openapi_documents [--operations 500] [--definitions 1000]

Prints the CPU seconds that importing such a document takes, without publishing its tools.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from typing import Any

from toolspec.imports import MAX_DOCUMENT_BYTES, import_document
from toolspec.text.reader import loads

METHODS = ("get", "put", "post", "delete", "patch")
SCALARS = (
    {"type": "string"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "enum": ["active", "paused", "archived"]},
    {"type": "integer", "format": "int64", "minimum": 0},
    {"type": "number"},
    {"type": "boolean", "default": False},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object", "additionalProperties": {"type": "string"}},
)
REFERENCES_PER_DEFINITION = 2


def make_document(
    operations: int = 500, definitions: int = 1_000, *, seed: int = 1
) -> dict[str, Any]:
    """An OpenAPI 3.0 document; most definitions are reached from each operation, as in the largest real documents."""
    chance = random.Random(seed)
    names = [f"Resource{number}Definition" for number in range(definitions)]
    paths: dict[str, Any] = {}
    for number in range(operations):
        method = METHODS[number % len(METHODS)]
        path = f"/resources{number // len(METHODS)}/{{id}}"
        paths.setdefault(path, {})[method] = _operation(number, method, names, chance)
    schemas = {name: _definition(name, names, chance) for name in names}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Resources", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(number: int, method: str, names: list[str], chance: random.Random) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{method}_resource_{number}",
        "summary": f"{method.title()} the resource of kind {number}",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "responses": {
            "200": {"description": "The resource.", "content": _json_of(chance.choice(names))}
        },
    }
    if method in {"put", "post", "patch"}:
        operation["requestBody"] = {"required": True, "content": _json_of(chance.choice(names))}
    return operation


def _json_of(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": _reference(name)}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _definition(name: str, names: list[str], chance: random.Random) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for number, scalar in enumerate(chance.sample(SCALARS, 5)):
        described = f"The field {number} of {name}, as the service stores it."
        properties[f"field_{number}"] = {**scalar, "description": described}
    for number in range(REFERENCES_PER_DEFINITION):
        reference = _reference(chance.choice(names))
        properties[f"related_{number}"] = (
            {"type": "array", "items": reference} if number else reference
        )
    return {"type": "object", "required": ["field_0"], "properties": properties}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=500)
    parser.add_argument("--definitions", type=int, default=1_000)
    given = parser.parse_args()
    text = json.dumps(make_document(given.operations, given.definitions))
    started = time.process_time()
    specs = import_document(loads(text, max_bytes=MAX_DOCUMENT_BYTES)).specs
    took_s = time.process_time() - started
    tools = sum(spec.spec is not None for spec in specs)
    print(f"{tools:,} tools of a document of {len(text):,} bytes: {took_s:.1f} CPU s")


if __name__ == "__main__":
    main()
