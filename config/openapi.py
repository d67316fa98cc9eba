"""Complete the API's OpenAPI document with the facts that apply to every operation.

django-ninja documents each operation separately. It does not know that all errors have one format
and media type (RFC 9457), which scopes a token needs, or that public operations need no token.
"""

from __future__ import annotations

from typing import Any, Final

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from catalog.accounts.api_auth import Anybody, Token
from catalog.api.schemas.problems import ErrorOut
from config.problem_json import CONTENT_TYPE

PROBLEM: Final = {"$ref": "#/components/schemas/ErrorOut"}


class SecuredSchema(OpenAPISchema):
    def operation_security(self, operation: Operation) -> list[dict[str, Any]] | None:
        """The alternatives, one for each sufficient scope; `{}` if no token is needed.

        Source: OpenAPI 3.1.0, "Security Requirement Object": for `http`, the array may list the roles that are needed.
        """
        requirements = super().operation_security(operation)
        if requirements is None:
            return None
        completed: list[dict[str, Any]] = []
        for callback, requirement in zip(operation.auth_callbacks, requirements, strict=True):
            if isinstance(callback, Token) and callback.scopes:
                completed += [{"Token": [scope]} for scope in callback.scopes]
            else:
                completed.append({} if isinstance(callback, Anybody) else requirement)
        return completed

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        details: dict[str, Any] = super().operation_details(operation)
        if sentence := scopes_sentence(details.get("security")):
            details["description"] = "\n\n".join(
                filter(None, [details.get("description"), sentence])
            )
        return details


def scopes_needed(security: list[dict[str, Any]] | None) -> list[str]:
    """The sufficient scopes, of which a token needs one; [] if no token is needed."""
    if not security or {} in security:
        return []
    return [scope for requirement in security for scope in requirement.get("Token", ())]


def scopes_sentence(security: list[dict[str, Any]] | None) -> str:
    scopes = scopes_needed(security)
    return (
        f"A token needs the scope {' or '.join(f'`{scope}`' for scope in scopes)}."
        if scopes
        else ""
    )


class DocumentedAPI(NinjaAPI):
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
            response["content"] = {CONTENT_TYPE: {"schema": PROBLEM, **_examples(response)}}
    responses["default"] = {
        "description": "Any other error: the request cannot be read, is not allowed, or exceeds a limit (429, with "
        "`Retry-After`, if too many requests were sent).",
        "content": {CONTENT_TYPE: {"schema": PROBLEM}},
    }


def _examples(response: dict[str, Any]) -> dict[str, Any]:
    return {
        key: content[key]
        for content in response.get("content", {}).values()
        for key in ("example", "examples")
        if key in content
    }
