"""The formats of errors for programs: `application/problem+json` (RFC 9457), JSON-RPC for MCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpResponse

from playground.mcp.protocol import error_of_status, is_mcp
from toolspec.text.reader import JSON, dumps

CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True)
class ErrorForPrograms:
    """The body of an error response."""

    content_type: str
    text: str


def error_for_programs(path: str, status: int, detail: str) -> ErrorForPrograms | None:
    """The body of an error at a URL of the API or of MCP; None at that of a page."""
    if path.startswith("/api/"):
        return ErrorForPrograms(CONTENT_TYPE, problem_text(status, detail))
    if is_mcp(path):
        return ErrorForPrograms("application/json", error_of_status(status, detail))
    return None


def problem_text(status: int, detail: str, errors: Sequence[Mapping[str, str | int]] = ()) -> str:
    """The JSON text of an error.

    {"type", "title", "status", "detail",
     "errors"?: [{"pointer", "message", "rule"?, "line"?, "column"?, …}]}

    `type` is "about:blank": the status is the type of the error, and each error's `rule` names the
    broken rule.
    """
    body: dict[str, JSON] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = [dict(error) for error in errors]
    return dumps(body)


def problem_response(
    status: int,
    detail: str,
    *,
    errors: Sequence[Mapping[str, str | int]] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """An error response of the API."""
    text = problem_text(status, detail, errors)
    return HttpResponse(text, status=status, content_type=CONTENT_TYPE, headers=headers)
