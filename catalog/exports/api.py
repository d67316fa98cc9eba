"""The API's operation for the source code that is generated from a tool's spec."""

from __future__ import annotations

import hashlib
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse

from accounts.api_auth import open_to_all
from catalog.exports.generated_code import archive_of
from catalog.exports.schemas import ExportOut
from catalog.router import router
from catalog.tools.headers import add_deprecation_headers
from catalog.tools.lookup import revision_of, tool_at
from toolshelf_core.api import bodies as openapi_bodies
from toolshelf_core.api.headers import is_known, not_modified
from toolshelf_core.api.problems import errors
from toolspec import exports
from toolspec.code import LANGUAGES
from toolspec.schema.describe import join_words


@router.get(
    "/tools/{slug}/code/{language}",
    response={**errors(404, 422)},
    auth=open_to_all(),
    summary="Generate code from a spec",
    openapi_extra=openapi_bodies.CODE,
)
def get_code(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    """A ZIP with a project for the current spec: `python` or `java`.

    It implements the tool; only the body of one method is missing. Equal specs give equal bytes.
    422 if the code would exceed a limit.
    """
    if language not in LANGUAGES:
        raise Http404
    tool = tool_at(slug, request.user)
    name, data = archive_of(tool, language, site=request.build_absolute_uri("/"))
    etag = f'"{hashlib.sha256(data).hexdigest()}"'
    if is_known(request, etag):
        return add_deprecation_headers(not_modified(etag), tool)
    headers = {"ETag": etag, "Content-Disposition": f'attachment; filename="{name}"'}
    return add_deprecation_headers(
        HttpResponse(data, content_type="application/zip", headers=headers), tool
    )


_EXPORTS: Final = join_words([f"`{key}`" for key in exports.FORMATS])


@router.get(
    "/tools/{slug}/export/{format}",
    response={200: ExportOut, **errors(404)},
    auth=open_to_all(),
    summary="Export a tool",
    description=(f"As {_EXPORTS}.\n\nThe response lists what the conversion changed or dropped."),
)
def export_tool(
    request: HttpRequest,
    response: HttpResponse,
    slug: str,
    format: str,  # noqa: A002 - the name in the path
) -> ExportOut:
    if format not in exports.FORMATS:
        raise Http404
    tool = tool_at(slug, request.user)
    add_deprecation_headers(response, tool)
    exported = exports.export(revision_of(tool).spec, format)
    rules = exports.FORMATS[format]
    return ExportOut.of(exported, format=format, as_of=rules.as_of.isoformat(), source=rules.source)
