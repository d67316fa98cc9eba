"""The documentation of the API: the OpenAPI document for programs, and the page for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import conditional_page, require_safe
from ninja.responses import Response

from catalog.api.headers import is_known, not_modified
from catalog.caching import LRUCache
from config.api import api
from config.api_docs.operations import Operation, documented_operations, first_commands
from playground.snippets.curl import TOKEN_VARIABLE

ANY_SITE: Final = (
    "https://site.invalid/"  # a placeholder for the site's URL in the rendered documentation
)


@require_safe
def openapi_document(request: HttpRequest) -> HttpResponse:
    """The OpenAPI document of the API, with an `ETag`."""
    document = api_document()
    if is_known(request, document.etag):
        return not_modified(document.etag)
    return HttpResponse(
        document.text,
        content_type="application/json; charset=utf-8",
        headers={"ETag": document.etag},
    )


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
    schema = api.get_openapi_schema(path_prefix="/api/v1/")
    text = Response(schema).content.decode()
    etag = f'"{sha256(text.encode()).hexdigest()[:32]}"'
    return APIDocument(text, etag, schema["info"], documented_operations(schema, site=ANY_SITE))
