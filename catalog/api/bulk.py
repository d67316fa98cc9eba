"""The API's operations for uploading many specs, and checking a spec without storing it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from ninja import Query

from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.accounts.rate_limits import UPLOAD_THROTTLES
from catalog.api import openapi_bodies
from catalog.api.request_body import spec_text, uploaded_pieces
from catalog.api.router import router
from catalog.api.schemas.lint import AdviceOut, CheckOut, advice_members
from catalog.api.schemas.problems import REFUSED, SpecProblemOut, errors
from catalog.api.schemas.uploads import ReportOut, UploadQuery
from catalog.errors import SpecError
from catalog.rights import require
from catalog.specs.lint import advise, score
from catalog.specs.spec import read_spec
from catalog.uploads.choices import ImportOptions
from catalog.uploads.store import SHORT_BATCH, upload


@router.post(
    "/uploads",
    response={200: ReportOut, **REFUSED},
    auth=token_or_session("publish"),
    throttle=UPLOAD_THROTTLES,
    summary="Upload many specs",
    openapi_extra=openapi_bodies.UPLOAD_BODY,
)
def upload_specs(request: HttpRequest, query: Query[UploadQuery]) -> ReportOut:
    """Each spec has its own outcome; a rejected spec does not stop the others.

    Documents of other formats are imported: tool lists of MCP, OpenAI, Anthropic, Gemini or LangChain, and OpenAPI or
    Swagger documents, each operation of which becomes a tool. Specs and documents may also be YAML, read with the core
    schema of YAML 1.2; they are stored as JSON. The report lists what the conversion changed or dropped. With
    `dry_run=1` nothing is stored, and the report contains the specs that imported tools would become.
    """
    require(request.user, "upload")
    pieces = uploaded_pieces(request)
    entries = upload(
        pieces,
        by=actor(request),
        dry_run=query.dry_run,
        options=ImportOptions(query.prefix, query.replace),
        batch=SHORT_BATCH,
    )
    return ReportOut.of_entries(list(entries), dry_run=query.dry_run)


@router.post(
    "/specs/check",
    response={200: CheckOut, **errors(413)},
    auth=open_to_all(),
    throttle=UPLOAD_THROTTLES,
    summary="Check a spec without storing it",
    openapi_extra=openapi_bodies.CHECKED_BODY,
)
def check_spec(request: HttpRequest) -> CheckOut:
    """All problems that publishing the spec would report, with lines and columns.

    For a valid spec, also its lint findings, each with its severity and, if there is an automatic fix, a JSON Patch.
    """
    text = spec_text(request)
    try:
        spec = read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except SpecError as error:
        problems = [SpecProblemOut.of(problem) for problem in error.problems]
        return CheckOut(valid=False, problems=problems, advice=[], score=None)
    advice = advise(spec)
    found = [AdviceOut.model_validate(advice_members(one)) for one in advice]
    return CheckOut(valid=True, problems=[], advice=found, score=score(advice))
