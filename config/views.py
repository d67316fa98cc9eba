"""Views of the site as a whole: health checks, favicon, robots.txt, and a person's account."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required, login_required
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.api_auth import actor
from accounts.models import ApiToken
from accounts.session_store import usable_sessions
from catalog.exports.sdk_wheel import sdk_wheel
from catalog.tools.models import Tool
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import delete_configuration
from playground.runs.celery.heartbeats import connected_workers
from playground.runs.supervisor import wait_for_runner

MAX_CONFIGURATIONS: Final = 100


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Responds while the process is alive."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Responds while the database does, too. With Celery, shows the number of connected workers.

    After the start, it also waits for the process that starts runs, so that the first run does not.
    That wait is bounded, because pages work without it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    text = "ready\n"
    if settings.RUNNER == "celery":
        text += f"workers: {connected_workers()}\n"
    else:
        wait_for_runner()
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    return redirect(static("img/favicon.svg"), permanent=True)


@login_not_required
@require_safe
def robots(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    return HttpResponse(
        "User-agent: *\nDisallow: /api/\n", content_type="text/plain; charset=utf-8"
    )


@login_not_required
@require_safe
def package(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """The wheel of the package for authors of tools; installers cannot sign in."""
    wheel = sdk_wheel()
    if name != wheel.name:
        raise Http404
    return HttpResponse(wheel.content, content_type="application/zip")


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Data of the current user, each with a link to the page that changes it."""
    person = actor(request)
    tools = Tool.objects.visible_to(person)
    configurations = SavedConfiguration.objects.filter(owner=person, tool__in=tools)
    configurations = configurations.select_related("tool").defer("encrypted", "tool__description")
    context = {
        "tokens": sum(token.state == "usable" for token in ApiToken.objects.filter(user=person)),
        "sessions": usable_sessions(timezone.now()).filter(user=person).count(),
        "has_password": person.has_usable_password(),
        "configurations": configurations[:MAX_CONFIGURATIONS],
    }
    return render(request, "account/index.html", context)


@require_POST
@login_required
def remove_configuration(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove one of the user's own saved configurations."""
    person = actor(request)
    configurations = SavedConfiguration.objects.select_related("tool")
    configuration = get_object_or_404(configurations, pk=pk, owner=person)
    tool, name = configuration.tool, configuration.name
    delete_configuration(person, tool, name)
    messages.success(request, f"Configuration “{name}” of {tool.name} removed.")
    return redirect("account")
