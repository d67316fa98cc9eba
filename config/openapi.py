"""Complete the API's OpenAPI document with the facts that apply to every operation.

django-ninja documents each operation separately. It does not know that all errors have one format
and media type (RFC 9457), which scopes a token needs, or that public operations need no token.
"""

from __future__ import annotations

from typing import Any, Final

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from accounts.api_auth import Anybody, Token
from config.problem_json import CONTENT_TYPE
from toolshelf_core.api.problems import ErrorOut

PROBLEM: Final = {"$ref": "#/components/schemas/ErrorOut"}


class SecuredSchema(OpenAPISchema):
    def operation_security(self, operation: Operation) -> list[dict[str, Any]] | None:
        """The alternatives, one for each sufficient scope; `{}` if no token is needed.

        Source: OpenAPI 3.1.0, "Security Requirement Object": for `http`, the array may list the
        roles that are needed.
        """
        requirements = super().operation_security(operation)
        if requirements is None:
            return None
        alternatives: list[dict[str, Any]] = []
        for callback, requirement in zip(operation.auth_callbacks, requirements, strict=True):
            if isinstance(callback, Anybody):
                alternatives.append({})
            elif isinstance(callback, Token) and callback.scopes:
                alternatives += [{"Token": [scope]} for scope in callback.scopes]
            else:
                alternatives.append(requirement)
        return alternatives

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        details: dict[str, Any] = super().operation_details(operation)
        if sentence := describe_scopes(details.get("security")):
            paragraphs = filter(None, [details.get("description"), sentence])
            details["description"] = "\n\n".join(paragraphs)
        return details


def describe_scopes(security: list[dict[str, Any]] | None) -> str:
    """Name the sufficient scopes, of which a token needs one; "" if no token is needed."""
    if not security or {} in security:
        return ""
    names: list[str] = []
    for requirement in security:
        names += [f"`{scope}`" for scope in requirement.get("Token", ())]
    return f"A token needs the scope {' or '.join(names)}." if names else ""


class DocumentedAPI(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Its function's name, which is unique (`list_sources`): generated clients use it."""
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        schema = SecuredSchema(self, prefix)
        complete(schema)
        return schema


def complete(schema: dict[str, Any]) -> None:
    """Add the common parts of all operations to the OpenAPI document."""
    components = schema["components"]
    error = ErrorOut.model_json_schema(ref_template="#/components/schemas/{model}")
    components["schemas"] |= {**error.pop("$defs", {}), "ErrorOut": error}
    components.get("securitySchemes", {}).pop(Anybody.__name__, None)
    for operations in schema["paths"].values():
        for operation in operations.values():
            _document_errors(operation["responses"])


def _document_errors(responses: dict[Any, Any]) -> None:
    """Document that all errors, listed or not, have the same format."""
    for status, response in responses.items():
        if int(status) >= 400:
            response["content"] = {CONTENT_TYPE: {"schema": PROBLEM, **_select_examples(response)}}
    responses["default"] = {
        "description": "Any other error: the request cannot be read, is not allowed, or exceeds a "
        "limit (429, with `Retry-After`, if too many requests were sent).",
        "content": {CONTENT_TYPE: {"schema": PROBLEM}},
    }


def _select_examples(response: dict[str, Any]) -> dict[str, Any]:
    examples = {}
    for content in response.get("content", {}).values():
        for key in ("example", "examples"):
            if key in content:
                examples[key] = content[key]
    return examples
