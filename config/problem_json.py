"""The format of the API's errors: RFC 9457, `application/problem+json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from django.http import HttpResponse

from catalog.jsontext.reader import JSON, dumps

CONTENT_TYPE = "application/problem+json"


def problem_response(
    status: int,
    detail: str,
    *,
    errors: Sequence[Mapping[str, str | int]] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """{"type", "title", "status", "detail", "errors"?: [{"pointer", "message", "rule"?, "line"?, "column"?, …}]}.

    `type` is "about:blank": the status is the type of the error, and each error's `rule` names the broken rule.
    """
    title = HTTPStatus(status).phrase
    body: dict[str, JSON] = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = [dict(error) for error in errors]
    return HttpResponse(dumps(body), status=status, content_type=CONTENT_TYPE, headers=headers)
