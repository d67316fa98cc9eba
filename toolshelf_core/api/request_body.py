"""Read the JSON object in the body of a request."""

from __future__ import annotations

from typing import Any, cast

from toolspec.errors import DocumentError, Problem
from toolspec.text.reader import loads

MAX_BODY_BYTES = 4 * 1024 * 1024  # of an operation without a limit of its own


def read_object(text: bytes, *, max_bytes: int = MAX_BODY_BYTES) -> dict[str, Any]:
    """The JSON object in the body of a request.

    Raises:
        DocumentError: it is not JSON, not an object, or too long.
    """
    body = loads(text, max_bytes=max_bytes)
    if not isinstance(body, dict):  # ninja would treat it as an empty object
        raise DocumentError([Problem("", "The body must be an object.", "request.type")])
    return cast("dict[str, Any]", body)
