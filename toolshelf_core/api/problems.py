"""Schemas of errors: problems of a spec, and the error response (RFC 9457)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toolshelf_core.api.schemas import Out, with_example

PROBLEM: dict[str, Any] = {
    "pointer": "/definition/description",
    "message": "`description` must be a string.",
    "rule": "spec.type",
    "keyword": "type",
    "line": 4,
    "column": 20,
}


class SpecProblemOut(Out):
    pointer: str = Field(description="JSON Pointer into the spec.")
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = None
    line: int | None = None
    column: int | None = None


class ErrorOut(Out):
    """An error as defined by RFC 9457, `application/problem+json`."""

    model_config = with_example(
        {
            "type": "about:blank",
            "title": "Unprocessable Content",
            "status": 422,
            "detail": "`description` must be a string.",
            "errors": [PROBLEM],
        }
    )

    type: str
    title: str
    status: int
    detail: str
    errors: list[SpecProblemOut] = []


def errors(*statuses: int) -> dict[int, type[ErrorOut]]:
    """The error responses of an operation, for its documentation."""
    return dict.fromkeys(statuses, ErrorOut)


REFUSED = errors(400, 401, 403, 413, 422)  # of an operation with a body that needs a token
