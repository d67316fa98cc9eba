"""The API's operations for the revisions of a tool: texts, differences and exports."""
# ruff: noqa: ARG001 - every operation has a request parameter, even if it does not use it

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Status

from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.api import openapi_bodies, schemas
from catalog.api.deprecation import add_deprecation_headers
from catalog.api.etags import is_known, not_modified, seen_tool_at
from catalog.api.router import router
from catalog.api.serializers import losses_json, publication_json
from catalog.models import Revision
from catalog.publishing import publish
from catalog.revision_diff import meaning_of
from catalog.shortcuts import file_stem, revision_at, revision_of, tool_at
from catalog.specs import exporters
from catalog.specs.diff import Change
from catalog.text_diff import compare, unified


@router.get(
    "/tools/{slug}/spec", auth=open_to_all(), summary="Get the text of a spec", openapi_extra=openapi_bodies.SPEC_TEXT
)
def get_spec(request: HttpRequest, slug: str, download: bool = False) -> HttpResponse:
    """The current spec as it was uploaded, byte for byte. `download=1`: as a file."""
    tool = tool_at(slug)
    text = _text_of(request, revision_of(tool), f"{file_stem(slug)}.json" if download else None)
    return add_deprecation_headers(text, tool)


@router.get(
    "/tools/{slug}/revisions",
    response={200: schemas.RevisionsOut, 404: schemas.ErrorOut},
    auth=open_to_all(),
    summary="List the revisions of a tool",
)
def list_revisions(request: HttpRequest, slug: str, query: Query[schemas.RevisionsQuery]) -> dict[str, Any]:
    """The newest first."""
    revisions = tool_at(slug).revisions.defer("source").select_related("created_by", "assessment")
    if query.cursor is not None:
        revisions = revisions.filter(number__lt=query.cursor)
    page = list(revisions[: query.limit + 1])
    shown = page[: query.limit]
    return {
        "items": [
            {
                "number": revision.number,
                "sha256": revision.sha256,
                "created_at": revision.created_at,
                "by": revision.created_by.username if revision.created_by else None,
                "score": revision.score,
            }
            for revision in shown
        ],
        "next": str(shown[-1].number) if len(page) > query.limit else None,
    }


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
    """As it was uploaded, byte for byte; it never changes. `download=1`: as a file."""
    return _text_of(request, revision_at(slug, number), f"{file_stem(slug)}-r{number}.json" if download else None)


@router.post(
    "/tools/{slug}/revisions/{int:number}/restore",
    response={
        200: schemas.PublicationOut,
        201: schemas.PublicationOut,
        401: schemas.ErrorOut,
        403: schemas.ErrorOut,
        404: schemas.ErrorOut,
        412: schemas.ErrorOut,
        428: schemas.ErrorOut,
    },
    auth=token_or_session("publish"),
    summary="Restore a revision",
    openapi_extra=openapi_bodies.IF_MATCH,
)
def restore_revision(request: HttpRequest, response: HttpResponse, slug: str, number: int) -> Status[dict[str, Any]]:
    """Publishes its text as the next revision: 201. The revision that is current already: 200."""
    tool = seen_tool_at(request, slug)
    spec = revision_at(slug, number).spec
    publication = publish(spec, by=actor(request), expected=revision_of(tool).number)
    response["ETag"] = publication.tool.etag
    return Status(200 if publication.outcome == "unchanged" else 201, publication_json(publication, dry_run=False))


@router.get(
    "/tools/{slug}/diff",
    response={200: schemas.DiffOut, 404: schemas.ErrorOut, 422: schemas.ErrorOut},
    auth=open_to_all(),
    summary="Compare two revisions",
    by_alias=True,
)
def diff(request: HttpRequest, slug: str, query: Query[schemas.DiffQuery]) -> dict[str, Any]:
    """What changed in meaning, the worst first, and in the text. Specs on a single line are laid out first."""
    old, new = revision_at(slug, query.from_), revision_at(slug, query.to)
    difference, meaning = compare(old.source, new.source), meaning_of(old, new)
    names = {"old_name": f"revision {old.number}", "new_name": f"revision {new.number}"}
    return {
        "from": old.number,
        "to": new.number,
        "text": unified(old.source, new.source, **names),
        "added": difference.added,
        "removed": difference.removed,
        "laid_out": difference.laid_out,
        "verdict": meaning.verdict,
        "changes": [_change_json(change) for change in meaning.changes],
    }


def _change_json(change: Change) -> dict[str, Any]:
    proof = change.proof
    return {
        "part": change.part,
        "place": change.place,
        "kind": change.kind,
        "message": change.message,
        "verdict": change.verdict,
        "before": change.before,
        "after": change.after,
        "proof": proof
        and {
            "kind": proof.kind,
            "value": proof.value,
            "source": proof.source,
            "message": proof.message,
            "pointer": proof.pointer,
        },
    }


@router.get(
    "/tools/{slug}/export/{format}",
    response={200: schemas.ExportOut, 404: schemas.ErrorOut},
    auth=open_to_all(),
    summary="Export a tool",
)
def export_tool(
    request: HttpRequest,
    response: HttpResponse,
    slug: str,
    format: str,  # noqa: A002 - the name in the path
) -> dict[str, Any]:
    """For `mcp`, `openai`, `openai-strict`, `anthropic`, `gemini`, `langchain` or `openapi`, with what was lost."""
    if format not in exporters.FORMATS:
        raise Http404
    tool = tool_at(slug)
    add_deprecation_headers(response, tool)
    exported = exporters.export(revision_of(tool).spec, format)
    rules = exporters.FORMATS[format].rules
    return {
        "format": format,
        "document": exported.document,
        "verdict": exported.verdict,
        "losses": losses_json(exported.losses),
        "renamed": exported.renamed,
        "obstacles": exported.obstacles,
        "as_of": rules.as_of.isoformat(),
        "source": rules.source,
    }


def _text_of(request: HttpRequest, revision: Revision, file_name: str | None) -> HttpResponse:
    """A spec's text; as a download if a file name is given."""
    etag = f'"{revision.sha256}"'
    if is_known(request, etag):
        return not_modified(etag)
    response = HttpResponse(revision.source.encode(), content_type="application/json", headers={"ETag": etag})
    if file_name is not None:
        response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
