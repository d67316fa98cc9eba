"""OpenAPI documents of a given size whose definitions refer to each other, from a seed.

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
    """An OpenAPI 3.0 document. As in the largest real ones, operations reach most definitions."""
    chance = random.Random(seed)
    names = [f"Resource{number}Definition" for number in range(definitions)]
    paths: dict[str, Any] = {}
    for number in range(operations):
        method = METHODS[number % len(METHODS)]
        path = f"/resources{number // len(METHODS)}/{{id}}"
        paths.setdefault(path, {})[method] = _make_operation(number, method, names, chance)
    schemas = {name: _make_definition(name, names, chance) for name in names}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Resources", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _make_operation(
    number: int, method: str, names: list[str], chance: random.Random
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": f"{method}_resource_{number}",
        "summary": f"{method.title()} the resource of kind {number}",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "responses": {
            "200": {"description": "The resource.", "content": _write_content(chance.choice(names))}
        },
    }
    if method in {"put", "post", "patch"}:
        operation["requestBody"] = {
            "required": True,
            "content": _write_content(chance.choice(names)),
        }
    return operation


def _write_content(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": _refer(name)}}


def _refer(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _make_definition(name: str, names: list[str], chance: random.Random) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for number, scalar in enumerate(chance.sample(SCALARS, 5)):
        description = f"The field {number} of {name}, as the service stores it."
        properties[f"field_{number}"] = {**scalar, "description": description}
    for number in range(REFERENCES_PER_DEFINITION):
        reference = _refer(chance.choice(names))
        if number:
            reference = {"type": "array", "items": reference}
        properties[f"related_{number}"] = reference
    return {"type": "object", "required": ["field_0"], "properties": properties}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=500)
    parser.add_argument("--definitions", type=int, default=1_000)
    options = parser.parse_args()
    text = json.dumps(make_document(options.operations, options.definitions))
    began = time.process_time()
    specs = import_document(loads(text, max_bytes=MAX_DOCUMENT_BYTES)).specs
    took_s = time.process_time() - began
    tools = sum(spec.spec is not None for spec in specs)
    print(f"{tools:,} tools of a document of {len(text):,} bytes: {took_s:.1f} CPU s")


if __name__ == "__main__":
    main()
