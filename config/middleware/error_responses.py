"""One format for every error: a page for browsers, `application/problem+json` under /api/."""

from __future__ import annotations

import errno

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from catalog.errors import Busy, NotAllowed, Unreachable
from config.error_pages import failure
from config.middleware.base import SAFE_METHODS, Middleware, is_api
from config.problem_json import CONTENT_TYPE

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
PLAIN_DETAILS = {
    401: "Sign in, or send 'Authorization: Bearer' with a token of this site.",
    403: "You do not have permission to do this.",
    404: "Not found, or no access. Check the URL, or sign in.",
    405: "This URL does not support that method.",
    500: "Something went wrong. The error has been logged.",
}


class ErrorResponsesMiddleware(Middleware):
    """Gives every error one format: a page for browsers, `application/problem+json` under /api/."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code < 400 or not self._is_bare(request, response):
            return response
        answer = failure(
            request,
            response.status_code,
            PLAIN_DETAILS.get(response.status_code, response.reason_phrase),
        )
        for name in ("Allow", "Retry-After", "WWW-Authenticate"):
            if name in response:
                answer[name] = response[name]
        return answer

    @staticmethod
    def _is_bare(request: HttpRequest, response: HttpResponseBase) -> bool:
        """Whether the response does not explain the error yet, in the format of pages or of the API."""
        if is_api(request):
            return not response.headers.get("Content-Type", "").startswith(CONTENT_TYPE)
        return isinstance(response, HttpResponse) and not response.content

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, RequestDataTooBig):
            return failure(
                request,
                413,
                f"A request can have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes.",
            )
        if isinstance(exception, TooManyFieldsSent | TooManyFilesSent):
            fields, files = (
                settings.DATA_UPLOAD_MAX_NUMBER_FIELDS,
                settings.DATA_UPLOAD_MAX_NUMBER_FILES,
            )
            return failure(
                request, 413, f"A request can have at most {fields:,} fields and {files:,} files."
            )
        if isinstance(exception, NotAllowed):
            return failure(request, 403, str(exception))
        if isinstance(exception, Busy):
            response = failure(
                request, 503 if isinstance(exception, Unreachable) else 429, str(exception)
            )
            response["Retry-After"] = str(exception.retry_after_s)
            return response
        if isinstance(exception, OperationalError) or (
            isinstance(exception, OSError) and exception.errno in NO_ROOM
        ):
            # The disk is full or the database cannot be reached: nothing was stored, and reading may still work.
            done = "read" if request.method in SAFE_METHODS else "stored"
            return failure(
                request,
                503,
                f"This cannot be {done} at the moment. Nothing was changed; try again.",
            )
        return None
