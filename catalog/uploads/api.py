"""The API's operations for uploading many specs, and checking a spec without storing it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Query, Status

from accounts.api_auth import actor, open_to_all, token_or_session
from accounts.rate_limits import UPLOAD_THROTTLES
from catalog.access.rights import require
from catalog.lint.schemas import AdviceOut, CheckOut, advice_members
from catalog.proposals.actions import PendingSpec, publish_or_hold
from catalog.proposals.schemas import ProposalOut
from catalog.router import router
from catalog.tools.headers import seen_tool_at
from catalog.tools.lookup import revision_of, tool_at
from catalog.tools.schemas import (
    PublicationOut,
    ToolWithSpecOut,
)
from catalog.uploads.choices import REQUEST_S, ImportOptions
from catalog.uploads.documents import require_free_names
from catalog.uploads.limits import read_all
from catalog.uploads.models import Upload
from catalog.uploads.reports import store_report
from catalog.uploads.request_body import spec_text, uploaded_pieces
from catalog.uploads.results import entry_of
from catalog.uploads.schemas import ReportOut, ReportQuery, UploadQuery, entries_that_fit
from catalog.uploads.store import store_batches
from catalog.uploads.summary import summary_of, summary_of_counts
from toolshelf_core.api import bodies as openapi_bodies
from toolshelf_core.api.problems import REFUSED, SpecProblemOut, errors
from toolspec.errors import Problem, SpecError
from toolspec.lint import lint_with_positions, score
from toolspec.spec import read_spec


@router.post(
    "/uploads",
    response={200: ReportOut, **errors(409), **REFUSED},
    auth=token_or_session("publish"),
    throttle=UPLOAD_THROTTLES,
    summary="Upload many specs",
    openapi_extra=openapi_bodies.UPLOAD_BODY,
)
def upload_specs(request: HttpRequest, query: Query[UploadQuery]) -> ReportOut:
    """Each spec has its own outcome; a rejected spec does not stop the others.

    An upload can have 8 MiB and 2,000 specs. A larger one is refused with 413 as a whole: load it
    with `manage.py load_specs`, or add the document as a source.

    A document in another format becomes a source without a connection, which belongs to you: a tool list of MCP,
    OpenAI, Anthropic, Gemini or LangChain, or an OpenAPI or Swagger document, each operation of which becomes a tool.
    The prefix names the source; 409 if there is one with this name (see `replace`).

    Specs and documents may also be YAML, read with the core schema of YAML 1.2; specs are stored as JSON. The report
    lists what the conversion changed or dropped. With `dry_run=1` nothing is stored, and the report contains the specs
    that imported tools would become.

    A response has at most 2 MB; `next` is the path of the other entries, which are stored for 30
    days, without those specs.
    """
    require(request.user, "upload")
    by = actor(request)
    options = ImportOptions(query.prefix, query.replace, seconds=REQUEST_S)
    candidates = read_all(uploaded_pieces(request), options)
    require_free_names(candidates, options, by=by)
    batches = store_batches(candidates, by=by, dry_run=query.dry_run, options=options)
    entries = [entry for batch in batches for entry in batch]
    specs = entries_that_fit(entries, dry_run=query.dry_run)
    following = None
    if len(specs) < len(entries):
        report = store_report(entries, by=by, dry_run=query.dry_run)
        following = _path_of(report, after=len(specs))
    counts = summary_of(entries).counts
    return ReportOut(dry_run=query.dry_run, counts=counts, specs=specs, next=following)


@router.get(
    "/uploads/{upload}",
    response={200: ReportOut, **errors(401, 403, 404)},
    auth=token_or_session("publish"),
    summary="Get more of the report of an upload",
)
def get_report(request: HttpRequest, upload: str, query: Query[ReportQuery]) -> ReportOut:
    """The entries that did not fit into the previous response, of your own uploads."""
    report = get_object_or_404(Upload, pk=upload, by=actor(request))
    rows = report.specs.filter(position__gt=query.after).order_by("position")
    specs = entries_that_fit(map(entry_of, rows.iterator()), dry_run=report.dry_run)
    last = query.after + len(specs)
    following = _path_of(report, after=last) if rows.filter(position__gt=last).exists() else None
    counts = summary_of_counts(report).counts
    return ReportOut(dry_run=report.dry_run, counts=counts, specs=specs, next=following)


def _path_of(report: Upload, *, after: int) -> str:
    return f"/api/v1/uploads/{report.pk}?after={after}"


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

    For a valid spec, also its lint findings, each with its severity and, if there is an automatic
    fix, a JSON Patch.
    """
    text = spec_text(request)
    try:
        spec = read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except SpecError as error:
        problems = [SpecProblemOut.of(problem) for problem in error.problems]
        return CheckOut(valid=False, problems=problems, advice=[], score=None)
    advice = lint_with_positions(spec)
    found = [AdviceOut.model_validate(advice_members(one)) for one in advice]
    return CheckOut(valid=True, problems=[], advice=found, score=score(advice))


@router.post(
    "/tools",
    response={200: PublicationOut, 201: PublicationOut, 202: ProposalOut, **errors(409), **REFUSED},
    auth=token_or_session("publish"),
    throttle=UPLOAD_THROTTLES,
    summary="Publish a spec",
    openapi_extra=openapi_bodies.SPEC_BODY,
)
def publish_tool(
    request: HttpRequest, response: HttpResponse, dry_run: bool = False
) -> Status[PublicationOut] | Status[ProposalOut]:
    """201 for a new tool or the next revision of a tool; 200 if the same text is already stored.

    202 if the tool belongs to someone else: then the spec waits for their approval.

    With `dry_run=1` nothing is stored: the status is 200, and the response is the one that
    publishing would give. An archived tool gets the revision and stays archived.
    """
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    publication = publish_or_hold(spec, by=actor(request), dry_run=dry_run)
    if isinstance(publication, PendingSpec):
        return Status(202, ProposalOut.of_proposal(publication))
    status = 200 if dry_run or publication.outcome == "unchanged" else 201
    if status == 201:
        response["Location"] = reverse("api:get_tool", args=[publication.tool.slug])
    response["ETag"] = publication.tool.etag
    return Status(status, PublicationOut.of(publication, dry_run=dry_run))


@router.put(
    "/tools/{slug}",
    response={200: ToolWithSpecOut, 202: ProposalOut, **errors(404, 412, 428), **REFUSED},
    auth=token_or_session("publish"),
    throttle=UPLOAD_THROTTLES,
    summary="Publish the next revision of a tool",
    openapi_extra=openapi_bodies.SPEC_BODY | openapi_bodies.IF_MATCH,
)
def put_tool(
    request: HttpRequest, response: HttpResponse, slug: str
) -> Status[ToolWithSpecOut] | Status[ProposalOut]:
    """Only if the tool has not changed since you read it (`If-Match`); otherwise 412.

    202 if the tool belongs to someone else: then the spec waits for their approval.
    """
    tool = seen_tool_at(request, slug)
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    if spec.tool_id != tool.tool_id:
        message = (
            f"The spec is for the tool {spec.tool_id!r}, but the URL is that of {tool.tool_id!r}."
        )
        raise SpecError([Problem("/definition", message, "publish.other-tool")])
    publication = publish_or_hold(spec, by=actor(request), expected=revision_of(tool).number)
    if isinstance(publication, PendingSpec):
        return Status(202, ProposalOut.of_proposal(publication))
    tool = tool_at(slug, request.user)
    response["ETag"] = tool.etag
    return Status(200, ToolWithSpecOut.of(tool))
