"""Views of the site as a whole: API documentation, health checks, favicon, robots.txt."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from config.api_docs_page import documented_operations
from playground.celery.heartbeats import connected_workers


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """The API's documentation, rendered from the same OpenAPI document that programs read."""
    from config.api import api  # noqa: PLC0415 - built by config.urls; importing it earlier would be a cycle

    schema = api.get_openapi_schema(path_prefix="/api/v1/")
    site = request.build_absolute_uri("/")
    context = {"info": schema["info"], "groups": documented_operations(schema, site=site), "site": site}
    return render(request, "api_docs.html", context)


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The process answers."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The database answers too. With Celery, shows the number of connected workers; pages work without workers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    text = f"ready\nworkers: {connected_workers()}\n" if settings.RUNNER == "celery" else "ready\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    return redirect(static("img/favicon.svg"), permanent=True)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    return HttpResponse("User-agent: *\nDisallow: /api/\n", content_type="text/plain; charset=utf-8")
