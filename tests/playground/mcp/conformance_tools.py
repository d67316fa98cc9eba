"""The tools that the official conformance suite calls, as factories of a site: the toolkit `conformance`."""

import time
from typing import Any

from toolshelf_tools import progress


class TestTool:
    """A tool and its factory: `call` returns the values that the suite expects."""

    name = ""
    request_type = dict

    def tool_id(self) -> str:
        return f"conformance.{self.name}"

    def create(self) -> "TestTool":
        return self

    def call(self, request: Any) -> Any:
        return "ok"


class SimpleText(TestTool):
    name = "test_simple_text"

    def call(self, request: Any) -> Any:
        return "This is a simple text response for testing."


class ErrorHandling(TestTool):
    name = "test_error_handling"

    def call(self, request: Any) -> Any:
        raise RuntimeError("This tool intentionally returns an error for testing")


class WithProgress(TestTool):
    name = "test_tool_with_progress"

    def call(self, request: Any) -> Any:
        for done in (0, 50, 100):
            progress(done, 100)
            time.sleep(0.3)  # reports in quick succession are joined
        return "done"


class JsonSchema(TestTool):
    name = "json_schema_2020_12_tool"


class CustomHeader(TestTool):
    name = "test_custom_header"


class LoggingTool(TestTool):
    name = "test_logging_tool"


class StreamingElicitation(TestTool):
    name = "test_streaming_elicitation"


DRAFT = "https://json-schema.org/draft/2020-12/schema"
# The schema that the suite looks for: see its scenario `json-schema-2020-12`.
SCHEMA_2020_12: dict[str, Any] = {
    "$schema": DRAFT,
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}
FACTORIES = (
    SimpleText,
    ErrorHandling,
    WithProgress,
    JsonSchema,
    CustomHeader,
    LoggingTool,
    StreamingElicitation,
)
PARAMETERS = {JsonSchema: SCHEMA_2020_12, CustomHeader: HEADER_SCHEMA}


def specs() -> list[dict[str, Any]]:
    """The specs of the tools, to be uploaded."""
    return [
        {
            "definition": {
                "id": f"conformance.{factory.name}",
                "name": factory.name,
                "description": "A tool of the conformance suite.",
                "parameters": PARAMETERS.get(factory, {"type": "object"}),
            }
        }
        for factory in FACTORIES
    ]
