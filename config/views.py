"""Views of the site as a whole: API documentation, help, a person's account, health checks, favicon, robots.txt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required, login_required
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone
from django.views.decorators.http import conditional_page, require_POST, require_safe
from ninja.responses import Response

from catalog.accounts.api_auth import actor
from catalog.accounts.models import ApiToken
from catalog.accounts.session_store import usable_sessions
from catalog.api.headers import is_known, not_modified
from catalog.caching import LRUCache
from catalog.models import Tool
from config.api_docs_page import Operation, documented_operations, first_commands
from config.help_pages import help_groups, help_page
from playground.celery.heartbeats import connected_workers
from playground.configurations.saved import delete_configuration
from playground.models import SavedConfiguration
from playground.snippets.curl import TOKEN_VARIABLE
from playground.supervisor import wait_for_runner

CONFIGURATIONS_SHOWN: Final = 100
ANY_SITE: Final = "https://site.invalid/"  # a placeholder for the site's URL in the rendered documentation


@conditional_page
@require_safe
def help_index(request: HttpRequest) -> HttpResponse:
    """List the documents by subject."""
    return render(request, "help/index.html", {"groups": help_groups()})


@conditional_page
@require_safe
def help_document(request: HttpRequest, slug: str) -> HttpResponse:
    """One document of `docs/`."""
    page = help_page(slug)
    if page is None:
        raise Http404(f"There is no help page “{slug}”.")
    group, pages = next((title, pages) for title, pages in help_groups() if page in pages)
    return render(request, "help/page.html", {"page": page, "group": group, "pages": pages})


@require_safe
def openapi_document(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document of the API, with an `ETag`."""
    document = api_document()
    if is_known(request, document.etag):
        return not_modified(document.etag)
    return HttpResponse(document.text, content_type="application/json; charset=utf-8", headers={"ETag": document.etag})


@conditional_page
@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """The API's documentation, rendered from the same OpenAPI document that programs read.

    Its content is rendered once in each process, without the site's URL: requests may name the site with any port.
    """
    document = api_document()
    context = {
        "info": document.info,
        "groups": document.groups,
        "commands": first_commands(ANY_SITE),
        "token_variable": TOKEN_VARIABLE,
    }
    page = render_to_string("api_docs.html", context, request)
    return HttpResponse(page.replace(ANY_SITE, request.build_absolute_uri("/")))


@dataclass(frozen=True, slots=True)
class APIDocument:
    """The OpenAPI document as JSON text, and its parts that the documentation page shows."""

    text: str
    etag: str
    info: Mapping[str, Any]
    groups: list[tuple[str, list[Operation]]]


_documents: Final[LRUCache[APIDocument]] = LRUCache()


def api_document() -> APIDocument:
    """The document, built once in each process: it takes 0.3 s of CPU time."""
    return _documents.get_or_compute("", build_api_document)


def build_api_document() -> APIDocument:
    from config.api import api  # noqa: PLC0415 - built by config.urls; importing it earlier would be a cycle

    schema = api.get_openapi_schema(path_prefix="/api/v1/")
    text = Response(schema).content.decode()
    etag = f'"{sha256(text.encode()).hexdigest()[:32]}"'
    return APIDocument(text, etag, schema["info"], documented_operations(schema, site=ANY_SITE))


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Responds while the process is alive."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Responds while the database does, too. With Celery, shows the number of connected workers.

    After the start, it also waits for the process that starts runs, so that the first run does not. That wait is
    bounded, because pages work without it.
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
    return HttpResponse("User-agent: *\nDisallow: /api/\n", content_type="text/plain; charset=utf-8")


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Data of the current user, each with a link to the page that changes it."""
    person = actor(request)
    saved = SavedConfiguration.objects.filter(owner=person, tool__in=Tool.objects.visible_to(person))
    context = {
        "tokens": sum(token.state == "usable" for token in ApiToken.objects.filter(user=person)),
        "sessions": usable_sessions(timezone.now()).filter(user=person).count(),
        "has_password": person.has_usable_password(),
        "configurations": saved.select_related("tool").defer("encrypted", "tool__description")[:CONFIGURATIONS_SHOWN],
    }
    return render(request, "account/index.html", context)


@require_POST
@login_required
def remove_configuration(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove one of the user's own saved configurations."""
    person = actor(request)
    saved = get_object_or_404(SavedConfiguration.objects.select_related("tool"), pk=pk, owner=person)
    delete_configuration(person, saved.tool, saved.name)
    messages.success(request, f"Configuration “{saved.name}” of {saved.tool.name} removed.")
    return redirect("account")
