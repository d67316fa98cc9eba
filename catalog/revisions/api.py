"""The API's operations for the revisions of a tool: texts, differences and exports."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Query, Status

from accounts.api_auth import actor, open_to_all, token_or_session
from catalog.access.rights import require
from catalog.revisions.differences import difference_between
from catalog.revisions.schemas import DiffOut, DiffQuery, RevisionsOut, RevisionsQuery
from catalog.router import router
from catalog.tools.headers import add_deprecation_headers, seen_tool_at
from catalog.tools.lookup import file_stem, revision_at, revision_of, tool_at
from catalog.tools.models import Revision
from catalog.tools.publishing import publish
from catalog.tools.schemas import PublicationOut
from toolshelf_core.api import bodies as openapi_bodies
from toolshelf_core.api.headers import is_known, not_modified
from toolshelf_core.api.problems import errors
from toolshelf_core.rendering.text_diff import as_unified, compare


@router.get(
    "/tools/{slug}/spec",
    auth=open_to_all(),
    summary="Get the text of a spec",
    openapi_extra=openapi_bodies.SPEC_TEXT,
)
def get_spec(request: HttpRequest, slug: str, download: bool = False) -> HttpResponse:
    """The current spec as it was uploaded, byte for byte; as a file with `download=1`."""
    tool = tool_at(slug, request.user)
    text = _text_of(request, revision_of(tool), f"{file_stem(slug)}.json" if download else None)
    return add_deprecation_headers(text, tool)


@router.get(
    "/tools/{slug}/revisions",
    response={200: RevisionsOut, **errors(404)},
    auth=open_to_all(),
    summary="List the revisions of a tool",
)
def list_revisions(request: HttpRequest, slug: str, query: Query[RevisionsQuery]) -> RevisionsOut:
    """Newest first."""
    revisions = (
        tool_at(slug, request.user)
        .revisions.defer("source")
        .select_related("created_by", "assessment")
    )
    return RevisionsOut.read(revisions, query, "-number")


@router.get(
    "/tools/{slug}/revisions/{int:number}/spec",
    auth=open_to_all(),
    summary="Get the text of a revision",
    openapi_extra=openapi_bodies.SPEC_TEXT,
)
def get_revision_spec(
    request: HttpRequest,
    slug: str,
    number: int,
    download: bool = False,
) -> HttpResponse:
    """The spec as it was uploaded, byte for byte; as a file with `download=1`. It never changes."""
    return _text_of(
        request,
        revision_at(slug, number, request.user),
        f"{file_stem(slug)}-r{number}.json" if download else None,
    )


@router.post(
    "/tools/{slug}/revisions/{int:number}/restore",
    response={200: PublicationOut, 201: PublicationOut, **errors(401, 403, 404, 412, 428)},
    auth=token_or_session("publish"),
    summary="Restore a revision",
    openapi_extra=openapi_bodies.IF_MATCH,
)
def restore_revision(
    request: HttpRequest, response: HttpResponse, slug: str, number: int
) -> Status[PublicationOut]:
    """Publishes its text as the tool's next revision (201).

    Has no effect if this is the current text (200).
    """
    tool = seen_tool_at(request, slug)
    require(request.user, "revise", tool)
    spec = revision_at(slug, number, request.user).spec
    publication = publish(spec, by=actor(request), expected=revision_of(tool).number)
    response["ETag"] = publication.tool.etag
    status = 200 if publication.outcome == "unchanged" else 201
    return Status(status, PublicationOut.of(publication, dry_run=False))


@router.get(
    "/tools/{slug}/diff",
    response={200: DiffOut, **errors(404, 422)},
    auth=open_to_all(),
    summary="Compare two revisions",
    by_alias=True,
)
def compare_revisions(request: HttpRequest, slug: str, query: Query[DiffQuery]) -> DiffOut:
    """The impact on callers, worst changes first, and the text diff.

    Specs on a single line are pretty-printed first.

    A new optional parameter of an object that allows undeclared properties is compatible by
    convention; with `strict=true` it is `unknown`, because callers may already send another value
    under its name.
    """
    old, new = (revision_at(slug, number, request.user) for number in (query.from_, query.to))
    difference = compare(old.source, new.source)
    meaning = difference_between(old, new)
    names = {"old_name": f"revision {old.number}", "new_name": f"revision {new.number}"}
    return DiffOut.of(
        meaning.strict if query.strict else meaning,
        from_=old.number,
        to=new.number,
        text=as_unified(difference, **names),
        added=difference.added,
        removed=difference.removed,
        laid_out=difference.laid_out,
    )


def _text_of(request: HttpRequest, revision: Revision, file_name: str | None) -> HttpResponse:
    """A spec's text; as a download if a file name is given."""
    etag = f'"{revision.sha256}"'
    if is_known(request, etag):
        return not_modified(etag)
    response = HttpResponse(
        revision.source.encode(), content_type="application/json", headers={"ETag": etag}
    )
    if file_name is not None:
        response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
