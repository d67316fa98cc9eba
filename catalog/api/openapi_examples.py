"""Examples of requests and responses, from a real spec."""

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
                "temperatureUnit": {"type": "string", "description": "Unit of temperature", "enum": ["C", "F"]},
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
        "properties": {"temperatureUnit": {"type": "string", "description": "Unit of temperature", "enum": ["C", "F"]}},
    },
}
SHA256 = "7f0c8b5d0c0f6f3f6b7e6b0f5b1c2a7d4e9f8a1b2c3d4e5f60718293a4b5c6d7"
TOOL = {
    "id": "Get weather",
    "slug": "get-weather-3f1c6a20",
    "name": "Get weather",
    "description": "Get weather by location",
    "revision": 1,
    "runnable": True,
    "configurable": True,
    "examples": True,
    "returns": True,
    "archived": False,
    "score": 95,
    "usable": ["openapi"],
    "owner": "ada",
    "toolkit": "",
    "tags": ["weather"],
    "deprecation": None,
    "created_at": "2026-01-15T09:30:00Z",
    "updated_at": "2026-01-15T09:30:00Z",
}
DEPRECATION = {
    "since": "2026-03-01T08:00:00Z",
    "note": "It knows no forecasts.",
    "superseded_by": {"id": "weather.forecast", "slug": "weather.forecast"},
    "by_spec": False,
}
PROBLEM = {
    "pointer": "/definition/description",
    "message": "`description` must be a text.",
    "rule": "spec.type",
    "keyword": "type",
    "line": 4,
    "column": 20,
}
ENTRY = {
    "source": "get-weather.json",
    "line": 1,
    "outcome": "created",
    "tool": {
        "id": "Get weather",
        "name": "Get weather",
        "slug": "get-weather-3f1c6a20",
        "revision": 1,
        "archived": False,
    },
    "imported": None,
    "problems": [],
}
ADVICE = {
    "pointer": "/definition/name",
    "message": "MCP, OpenAI, Anthropic and Gemini take no tool of the name “Get weather”.",
    "rule": "name-not-portable",
    "line": 3,
    "column": 13,
    "severity": "warning",
    "help": "/lint/name-not-portable/",
    "fix": {
        "key": "0c6f1a2b3d4e",
        "title": "Call it Get_weather",
        "safe": False,
        "patch": [
            {"op": "add", "path": "/definition/id", "value": "Get weather"},
            {"op": "replace", "path": "/definition/name", "value": "Get_weather"},
        ],
    },
}
REJECTED = {
    "source": "tools.ndjson",
    "line": 7,
    "outcome": "rejected",
    "tool": None,
    "imported": None,
    "problems": [PROBLEM],
}
