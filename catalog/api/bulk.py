"""The API's operations for uploading many specs, exporting the catalog, and checking a spec without storing it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from ninja import Query

from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.api import openapi_bodies, schemas
from catalog.api.etags import REFUSED, is_known, not_modified
from catalog.api.router import router
from catalog.api.serializers import advice_json, report_json
from catalog.catalog_dump.format import MEDIA_TYPE
from catalog.catalog_dump.writer import catalog_files
from catalog.errors import SpecError
from catalog.request_body import spec_text, uploaded_pieces
from catalog.specs.lint import advise, score
from catalog.specs.spec import read_spec
from catalog.uploads.store import SHORT_BATCH, upload


@router.post(
    "/uploads",
    response={200: schemas.ReportOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Upload many specs",
    openapi_extra=openapi_bodies.UPLOAD_BODY,
)
def upload_specs(request: HttpRequest, query: Query[schemas.UploadQuery]) -> dict[str, Any]:
    """Each spec has its own outcome, and one that is rejected does not stop the rest.

    Documents of other formats are imported: lists of tools of MCP, OpenAI, Anthropic, Gemini or LangChain, and OpenAPI
    or Swagger documents, of which each operation becomes a tool. They, and specs, may be
    YAML, by the core schema of YAML 1.2; what is stored is JSON. What was lost is in the report. With `dry_run=1`
    nothing is stored, and the report has the specs that would be.
    """
    pieces = uploaded_pieces(request)
    entries = upload(pieces, by=actor(request), dry_run=query.dry_run, prefix=query.prefix, batch=SHORT_BATCH)
    return report_json(list(entries), dry_run=query.dry_run)


@router.get(
    "/catalog",
    auth=open_to_all(),
    summary="Export the whole catalog",
    openapi_extra=openapi_bodies.CATALOG_FILE,
)
def export_catalog(request: HttpRequest) -> HttpResponseBase:
    """Every revision of every tool, archived ones too, as NDJSON with hashes; an upload reads it again.

    What people say of tools is in it as well: toolkit, tags, owner, deprecation and waivers. The same catalog gives the
    same bytes. The only people in it are owners, by name, and it contains no secrets. With `If-None-Match` the response
    is 304 if the catalog has not changed. It is 429 or 503 with `Retry-After` if too many other requests are waiting
    for an export.
    """
    export = catalog_files.now()
    if is_known(request, export.etag):
        return not_modified(export.etag)
    headers = {
        "Content-Disposition": 'attachment; filename="catalog.ndjson"',
        "Content-Length": str(export.length),
        "ETag": export.etag,
    }
    return StreamingHttpResponse(export, content_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/specs/check",
    response={200: schemas.CheckOut, 413: schemas.ErrorOut},
    auth=open_to_all(),
    summary="Check a spec without storing it",
    openapi_extra=openapi_bodies.CHECKED_BODY,
)
def check_spec(request: HttpRequest) -> dict[str, Any]:
    """Everything that is wrong with it, with lines and columns; it is what publishing would say.

    Of a valid spec, what could be better: each advice with its severity and, where it can be mended, a JSON Patch.
    """
    text = spec_text(request)
    try:
        spec = read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except SpecError as error:
        problems = [problem.as_json() for problem in error.problems]
        return {"valid": False, "problems": problems, "advice": [], "score": None}
    advice = advise(spec)
    return {"valid": True, "problems": [], "advice": [advice_json(one) for one in advice], "score": score(advice)}
