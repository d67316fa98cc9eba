"""OpenAPI of bodies and headers that ninja's schemas cannot describe; the spec of the examples."""

from __future__ import annotations

from typing import Any

GET_WEATHER: dict[str, Any] = {
    "definition": {
        "name": "Get weather",
        "description": "Get weather by location",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string", "description": "Location"}},
        },
        "returnType": {
            "type": "object",
            "properties": {
                "condition": {"type": "string", "description": "Weather condition"},
                "temperature": {"type": "number", "description": "Temperature"},
                "temperatureUnit": {
                    "type": "string",
                    "description": "Unit of temperature",
                    "enum": ["C", "F"],
                },
            },
        },
        "examples": [
            {
                "description": "Get weather of New York",
                "parameters": {"location": "New York"},
                "returnValue": {"condition": "Sunny", "temperature": 28, "temperatureUnit": "C"},
            }
        ],
    },
    "configuration": {
        "type": "object",
        "properties": {
            "temperatureUnit": {
                "type": "string",
                "description": "Unit of temperature",
                "enum": ["C", "F"],
            }
        },
    },
}


def _object_schema(*required: str, **members: Any) -> dict[str, Any]:
    """The schema of an object with these members."""
    schema: dict[str, Any] = {"type": "object", "properties": members}
    if required:
        schema["required"] = list(required)
    return schema


def _if_match_header(*, required: bool) -> dict[str, Any]:
    header = {
        "name": "If-Match",
        "in": "header",
        "required": required,
        "schema": {"type": "string"},
        "description": "The `ETag` of the tool as you last read it.",
    }
    return {"parameters": [header]}


IF_MATCH = _if_match_header(required=True)
OPTIONAL_IF_MATCH = _if_match_header(required=False)

_STRING: dict[str, Any] = {"type": "string"}
_JSON_SCHEMA: dict[str, Any] = {
    "type": ["object", "boolean"],
    "description": "Any JSON Schema 2020-12.",
}
_EXAMPLE = _object_schema(
    description=_STRING,
    parameters={"type": "object"},
    returnValue={"description": "Any JSON value."},
)
_DEFINITION = _object_schema(
    "name",
    "description",
    id=_STRING,
    name=_STRING,
    description=_STRING,
    parameters=_JSON_SCHEMA,
    returnType=_JSON_SCHEMA,
    examples={"type": "array", "items": _EXAMPLE},
)
SPEC_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One LLM Tool Spec.",
        "content": {
            "application/json": {
                "schema": _object_schema(
                    "definition", definition=_DEFINITION, configuration=_JSON_SCHEMA
                ),
                "example": GET_WEATHER,
            }
        },
    }
}
CHECKED_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": (
            "Any text. If it is not a valid LLM Tool Spec, the response lists its problems."
        ),
        "content": {"application/json": {"schema": {}, "example": GET_WEATHER}},
    }
}
_BINARY: dict[str, Any] = {"type": "string", "format": "binary"}
UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": (
            "Files, or a body: a spec, a JSON array of specs, NDJSON, a document of another "
            "format, or any of these as YAML."
        ),
        "content": {
            "multipart/form-data": {
                "schema": _object_schema(
                    "files", files={"type": "array", "minItems": 1, "items": _BINARY}
                )
            },
            "application/json": {"schema": {}},
            "application/x-ndjson": {"schema": _STRING},
            "application/yaml": {"schema": {}},
        },
    }
}

SPEC_TEXT: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The text, byte for byte. Its `ETag` is the SHA-256 of the text.",
            "content": {"application/json": {"schema": {"type": "object"}, "example": GET_WEATHER}},
        }
    }
}
CODE: dict[str, Any] = {
    "responses": {
        200: {
            "description": (
                "A ZIP of text files in one folder. Its `ETag` is the SHA-256 of the ZIP."
            ),
            "content": {"application/zip": {"schema": _BINARY}},
        }
    }
}
