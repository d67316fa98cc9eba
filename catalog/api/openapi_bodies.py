"""OpenAPI documentation of bodies and headers that django-ninja's schemas cannot describe."""

from __future__ import annotations

from typing import Any

from catalog.api.openapi_examples import GET_WEATHER

IF_MATCH: dict[str, Any] = {
    "parameters": [
        {
            "name": "If-Match",
            "in": "header",
            "required": True,
            "schema": {"type": "string"},
            "description": "The `ETag` of the tool as you saw it.",
        }
    ]
}
IF_MATCH_OR_NOT: dict[str, Any] = {"parameters": [IF_MATCH["parameters"][0] | {"required": False}]}
JSON_SCHEMA: dict[str, Any] = {"type": ["object", "boolean"], "description": "Any JSON Schema 2020-12."}
SPEC_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One LLM Tool Spec.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["definition"],
                    "properties": {
                        "definition": {
                            "type": "object",
                            "required": ["name", "description"],
                            "properties": {
                                "id": {"type": "string"},
                                "name": {"type": "string"},
                                "description": {"type": "string"},
                                "parameters": JSON_SCHEMA,
                                "returnType": JSON_SCHEMA,
                                "examples": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "description": {"type": "string"},
                                            "parameters": {"type": "object"},
                                            "returnValue": {"type": "object"},
                                        },
                                    },
                                },
                            },
                        },
                        "configuration": JSON_SCHEMA,
                    },
                },
                "example": GET_WEATHER,
            }
        },
    }
}
CHECKED_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "What may be an LLM Tool Spec: any text is answered with what is wrong in it.",
        "content": {"application/json": {"schema": {}, "example": GET_WEATHER}},
    }
}
UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": (
            "Files, or a body: a spec, a JSON array of specs, NDJSON, a document of another format, these as YAML, an "
            "exported catalog, or a ZIP of such files."
        ),
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}}
                    },
                }
            },
            "application/json": {"schema": {}},
            "application/x-ndjson": {"schema": {"type": "string"}},
            "application/yaml": {"schema": {}},
            "application/zip": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
CATALOG_FILE: dict[str, Any] = {
    "responses": {
        200: {
            "description": "A line that says what it is; of each tool a line with what people say of it, if they say "
            "anything, and one per revision; and a line with the hash of them all.",
            "content": {
                "application/x-ndjson": {
                    "schema": {"type": "string"},
                    "example": (
                        '{"toolshelf":"catalog","version":2}\n'
                        '{"tool":"now","owner":"ada","tags":["time"],'
                        '"deprecation":{"note":"Too coarse.","superseded_by":"time.now"}}\n'
                        '{"id":"now","revision":1,"current":true,"archived":false,"sha256":"…","source":"…"}\n'
                        '{"tools":1,"revisions":1,"sha256":"…"}\n'
                    ),
                }
            },
        }
    }
}
SPEC_TEXT: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The text, byte for byte; `ETag` is its SHA-256.",
            "content": {"application/json": {"schema": {"type": "object"}, "example": GET_WEATHER}},
        }
    }
}
