"""Error responses: a page for browsers, problem+json under /api/, JSON-RPC errors under /mcp; no secrets in reports."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.debug import SafeExceptionReporterFilter

from catalog import log_context
from config.problem_json import problem_response
from playground.mcp.protocol import error_of_status, is_mcp

TITLES = {
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


def failure(request: HttpRequest, status: int, detail: str) -> HttpResponse:
    """The response to a request that was refused or failed: a page, problem+json, or a JSON-RPC error."""
    if request.path_info.startswith("/api/"):
        return problem_response(status, detail)
    if is_mcp(request.path_info):
        return HttpResponse(
            error_of_status(status, detail), status=status, content_type="application/json"
        )
    template = {403: "403.html", 404: "404.html", 500: "500.html"}.get(status, "400.html")
    context = {
        "status": status,
        "title": TITLES.get(status, "This request failed"),
        "detail": detail,
    }
    if status == 500:
        context["request_id"] = log_context.facts().get(
            "request_id", ""
        )  # the error in the log names it too
    return render(request, template, context, status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    del reason  # Django's reason is for developers; it is in the log
    return failure(
        request,
        403,
        "This form is too old or comes from another site. Go back, reload the page, and send it again.",
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    return failure(request, 400, "This request could not be read.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failure(
        request, 403, str(exception) or "You do not have permission to see or change this."
    )


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    del exception
    user = getattr(request, "user", None)  # no middleware may have found out who it is
    remedy = "Check the URL." if user and user.is_authenticated else "Check the URL, or sign in."
    return failure(request, 404, f"Not found, or no access. {remedy}")


def server_error(request: HttpRequest) -> HttpResponse:
    return failure(request, 500, "Something went wrong. The error has been logged.")


class AlwaysHiding(SafeExceptionReporterFilter):
    """Hides sensitive values under DEBUG too, so that a developer's error page never shows users' secrets."""

    def is_active(self, request: HttpRequest | None) -> bool:  # noqa: ARG002
        return True
