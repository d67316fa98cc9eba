"""The API's OpenAPI document, completed with what holds for every operation.

django-ninja documents each operation by itself. Three things it cannot know: that every error is one shape under one
media type (RFC 9457), that an operation which anybody may call needs no token, and what a spec is.
"""

from __future__ import annotations

from typing import Any, Final

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from catalog.api.shapes import ErrorOut
from config.problem_json import CONTENT_TYPE

PROBLEM: Final = {"$ref": "#/components/schemas/ErrorOut"}
ANYBODY: Final = "Anybody"  # the class of catalog.accounts.auth that lets everybody in


class DocumentedAPI(NinjaAPI):
    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        complete(schema)
        return schema


def complete(schema: dict[str, Any]) -> None:
    """Say in an OpenAPI document of ours what every operation has in common."""
    components = schema["components"]
    error = ErrorOut.model_json_schema(ref_template="#/components/schemas/{model}")
    components["schemas"] |= {**error.pop("$defs", {}), "ErrorOut": error}
    components.get("securitySchemes", {}).pop(ANYBODY, None)
    for operations in schema["paths"].values():
        for operation in operations.values():
            _document_errors(operation["responses"])
            if "security" in operation:
                operation["security"] = [{} if ANYBODY in way else way for way in operation["security"]]


def _document_errors(responses: dict[Any, Any]) -> None:
    """Errors that are named have the one shape; any other one too."""
    for status, answer in responses.items():
        if int(status) >= 400:
            answer["content"] = {CONTENT_TYPE: {"schema": PROBLEM, **_examples(answer)}}
    responses["default"] = {
        "description": "Any other error: a request that cannot be read, is not allowed, or comes too often.",
        "content": {CONTENT_TYPE: {"schema": PROBLEM}},
    }


def _examples(answer: dict[str, Any]) -> dict[str, Any]:
    return {
        key: content[key]
        for content in answer.get("content", {}).values()
        for key in ("example", "examples")
        if key in content
    }
