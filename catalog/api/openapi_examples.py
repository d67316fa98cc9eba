"""The spec that the examples of requests and responses use."""

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
