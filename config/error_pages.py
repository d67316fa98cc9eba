"""Error responses: pages for browsers, problem+json under /api/, JSON-RPC errors under /mcp."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.debug import SafeExceptionReporterFilter

from catalog.sources.registration import SourceExists
from catalog.sources.sync import AlreadySyncing
from config.problem_json import error_for_programs
from toolshelf_core import log_context
from toolshelf_core.errors import Busy, HeldBySpec, NotAllowed, Unreachable
from toolspec.errors import GenerationError

TITLES: Final = {
    400: "This request cannot be read",
    405: "Method not allowed",
    409: "This was changed by someone else",
    412: "This has changed in the meantime",
    413: "This request is too large",
    415: "This format is not supported",
    422: "The request is not valid",
    429: "Too many requests",
    503: "Temporarily unavailable",
}
DETAILS: Final = {
    400: "This request could not be read.",
    401: "Sign in, or send 'Authorization: Bearer' with a token of this site.",
    403: "You do not have permission to see or change this.",
    405: "This URL does not support that method.",
    500: "Something went wrong. The error has been logged.",
}
TEMPLATES: Final = {403: "403.html", 404: "404.html", 500: "500.html"}
STATUSES: Final[Mapping[type[Exception], int]] = {
    Unreachable: 503,
    Busy: 429,
    NotAllowed: 403,
    AlreadySyncing: 409,
    SourceExists: 409,
    HeldBySpec: 409,
    GenerationError: 422,
}
NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)


def failure(request: HttpRequest, status: int, detail: str = "") -> HttpResponse:
    """The response to a request that was refused or failed, in the format of its URL."""
    detail = detail or _default_detail(request, status)
    error = error_for_programs(request.path_info, status, detail)
    if error is not None:
        return HttpResponse(error.text, status=status, content_type=error.content_type)
    context = {
        "status": status,
        "title": TITLES.get(status, "This request failed"),
        "detail": detail,
        "changes_to_review": [],  # an error page asks the database nothing: it may be what failed
    }
    if status == 500:
        # The log names it, too.
        context["request_id"] = log_context.collect_facts().get("request_id", "")
    return render(request, TEMPLATES.get(status, "400.html"), context, status=status)


def refusal_from(request: HttpRequest, error: Exception) -> HttpResponse:
    """The response to a request that was refused with an error of `STATUSES`."""
    status = next(status for kind, status in STATUSES.items() if isinstance(error, kind))
    response = failure(request, status, str(error))
    if isinstance(error, Busy):
        response["Retry-After"] = str(error.retry_after_s)
    return response


def failure_from(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """The response to a request that raised `error`; None if the error is unexpected."""
    if isinstance(error, tuple(STATUSES)):
        return refusal_from(request, error)
    if isinstance(error, RequestDataTooBig):
        size = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return failure(request, 413, f"A request can have at most {size:,} bytes.")
    if isinstance(error, TooManyFieldsSent | TooManyFilesSent):
        fields = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
        files = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        detail = f"A request can have at most {fields:,} fields and {files:,} files."
        return failure(request, 413, detail)
    is_disk_full = isinstance(error, OSError) and error.errno in NO_ROOM
    if is_disk_full or isinstance(error, OperationalError):
        # The disk is full or the database cannot be reached: nothing was stored, and reading may
        # still work.
        action = "read" if request.method in ("GET", "HEAD") else "stored"
        detail = f"This cannot be {action} at the moment. Nothing was changed; try again."
        return failure(request, 503, detail)
    return None


def _default_detail(request: HttpRequest, status: int) -> str:
    if status == 404:
        user = getattr(request, "user", None)  # absent if a middleware refused the request first
        if user and user.is_authenticated:
            return "Not found, or no access. Check the URL."
        return "Not found, or no access. Check the URL, or sign in."
    return DETAILS.get(status) or HTTPStatus(status).phrase


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    del reason  # Django's reason is for developers; it is in the log
    return failure(
        request,
        403,
        "This form is too old or comes from another site. Go back, reload the page, and send it "
        "again.",
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    return failure(request, 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failure(request, 403, str(exception))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    return failure(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return failure(request, 500)


class AlwaysHiding(SafeExceptionReporterFilter):
    """Hides sensitive values under DEBUG too: a developer's error page shows no user's secrets."""

    def is_active(self, request: HttpRequest | None) -> bool:  # noqa: ARG002
        return True
