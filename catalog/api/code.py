"""The API's operation for the source code that is generated from a tool's spec."""

from __future__ import annotations

import hashlib

from django.http import Http404, HttpRequest, HttpResponse

from catalog.accounts.api_auth import open_to_all
from catalog.api import openapi_bodies
from catalog.api.headers import add_deprecation_headers, is_known, not_modified
from catalog.api.router import router
from catalog.api.schemas.problems import errors
from catalog.generated_code import archive_of
from catalog.shortcuts import tool_at
from toolspec.code import LANGUAGES


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
