"""Error responses: a page for browsers, problem+json under /api/."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.problem_json import problem_response

TITLES = {
    400: "This request cannot be read",
    405: "That cannot be done here",
    409: "This was changed by someone else",
    412: "This has changed in the meantime",
    413: "This request is too large",
    415: "This format is not supported",
    422: "This cannot be stored as it is",
    429: "Too many requests",
    503: "Temporarily unavailable",
}


def failure(request: HttpRequest, status: int, detail: str) -> HttpResponse:
    """The response to a request that was refused or failed, as a page or as problem+json."""
    if request.path_info.startswith("/api/"):
        return problem_response(status, detail)
    template = {403: "403.html", 404: "404.html", 500: "500.html"}.get(status, "400.html")
    context = {"status": status, "title": TITLES.get(status, "This request cannot be answered"), "detail": detail}
    return render(request, template, context, status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    del reason  # Django's reason is for developers; it is in the log
    return failure(
        request, 403, "This form is too old or came from elsewhere. Go back, reload the page, and send it again."
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    return failure(request, 400, "This request could not be read.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failure(request, 403, str(exception) or "This is not yours to see or change.")


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    return failure(request, 404, "There is nothing at this address.")


def server_error(request: HttpRequest) -> HttpResponse:
    return failure(request, 500, "Something went wrong here. It has been logged.")
