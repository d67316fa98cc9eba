"""The catalog's part of the JSON API: tools, their specs and revisions, uploads, exports."""
# ruff: noqa: ARG001 - an operation has its request, whether it looks at it or not

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import parse_etags
from ninja import Query, Router, Status
from ninja.errors import HttpError, ValidationError

from catalog import archiving, exports
from catalog.accounts.auth import actor, open_to_all, token_or_session
from catalog.addresses import file_stem, revision_at, revision_of, tool_at
from catalog.api import shapes
from catalog.api.deprecation import say_deprecated
from catalog.api.text import text_of
from catalog.browsing import BadCursor, CatalogSearch, Cursor, Page, Result
from catalog.catalog_file import MEDIA_TYPE
from catalog.deprecating import deprecate, undo_deprecation
from catalog.diff import Change
from catalog.errors import RevisionConflict, SpecError
from catalog.exporting import whole_catalog
from catalog.indexing import distinct_tags
from catalog.lint import Advice, advise, score
from catalog.losses import Loss
from catalog.meaning import meaning_of
from catalog.models import Revision, Tool
from catalog.organising import KEPT, Organisation, organise
from catalog.problems import Problem
from catalog.publishing import Publication, publish
from catalog.reading import spec_text, uploaded_pieces
from catalog.remembering import MAX_CHARACTERS, Remembered
from catalog.search import groups
from catalog.search.documents import group_key
from catalog.search.groups import Kind
from catalog.search.reasons import Marked
from catalog.spec import read_spec
from catalog.strict_json import loads
from catalog.text_diff import compare, unified
from catalog.uploads.candidates import Origin
from catalog.uploads.outcomes import SHORT_BATCH, Entry, counts_of, upload

router = Router(tags=["tools"])

_answers: Remembered[str] = Remembered(most=MAX_CHARACTERS, weigh=len)

REFUSED = {400: shapes.ErrorOut, 401: shapes.ErrorOut, 403: shapes.ErrorOut, 413: shapes.ErrorOut, 422: shapes.ErrorOut}


# -- tools ------------------------------------------------------------------------------------------------------------


@router.get("/tools", response={200: shapes.ToolsOut, 422: shapes.ErrorOut}, auth=open_to_all(), summary="Search tools")
def search_tools(request: HttpRequest, query: Query[shapes.ToolsQuery]) -> HttpResponse:
    """The best first where words are given, else by name. The catalog's page gives the same tools in the same order."""
    if query.id is not None:
        return _as_json(_only(query.id))
    if nameless := [tag for tag in query.tag if not group_key(tag)]:
        raise HttpError(422, f"{nameless[0]!r} can be no tag: a tag has a letter or a digit.")
    search = CatalogSearch(
        words=query.q.replace("\x00", " "),
        runnable=query.runnable,
        configurable=query.configurable,
        examples=query.examples,
        returns=query.returns,
        deprecated=query.deprecated,
        examples_hold=query.examples_hold,
        usable=tuple(key for key in exports.FORMATS if key in query.usable),
        score=query.score,
        grade=None if query.grade is None else int(query.grade),
        toolkit=query.toolkit,
        tags=distinct_tags(query.tag),
        owner=query.owner,
        archived=query.include == "archived",
        cursor=_cursor(query.cursor),
        limit=query.limit,
    )
    key = (search.depends_on, search.cursor, search.limit)
    return _as_json(_answers.ask(key, lambda: text_of(_page_json(search.page()))))


def _as_json(text: str) -> HttpResponse:
    """An answer that is text already: ninja neither makes it of members nor checks its shape, which takes long."""
    return HttpResponse(text, content_type="application/json; charset=utf-8")


def _only(tool_id: str) -> str:
    tool = Tool.objects.for_rows().filter(tool_id=tool_id).first() if "\x00" not in tool_id else None
    found = [tool_json(tool) | {"matched": []}] if tool else []
    return text_of({"items": found, "next": None, "count": len(found), "count_is_exact": True, "match": "all"})


def _page_json(page: Page) -> dict[str, Any]:
    return {
        "items": [tool_json(result.tool) | {"matched": list(_matches(result))} for result in page.results],
        "next": page.next,
        "count": page.count,
        "count_is_exact": page.counted,
        "match": "any" if page.loosely else "all",
    }


@router.get(
    "/toolkits",
    response={200: shapes.GroupsOut, 422: shapes.ErrorOut},
    auth=open_to_all(),
    summary="List the toolkits",
)
def list_toolkits(request: HttpRequest, query: Query[shapes.GroupsQuery]) -> dict[str, Any]:
    """With how many tools each has, archived ones apart. `toolkit=` of `GET /tools` gives the tools of one."""
    return _groups_json("toolkit", query)


@router.get(
    "/tags",
    response={200: shapes.GroupsOut, 422: shapes.ErrorOut},
    auth=open_to_all(),
    summary="List the tags",
)
def list_tags(request: HttpRequest, query: Query[shapes.GroupsQuery]) -> dict[str, Any]:
    """With how many tools each has, archived ones apart. `tag=` of `GET /tools` gives the tools of one."""
    return _groups_json("tag", query)


def _groups_json(kind: Kind, query: shapes.GroupsQuery) -> dict[str, Any]:
    found, after = groups.page_of(
        kind, beginning=query.q, by_name=query.order == "name", after=query.cursor or "", limit=query.limit
    )
    return {"items": [{"name": group.name, "tools": group.tools} for group in found], "next": after}


@router.post(
    "/tools",
    response={200: shapes.PublicationOut, 201: shapes.PublicationOut, 409: shapes.ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Publish a spec",
    openapi_extra=shapes.SPEC_BODY,
)
def publish_tool(request: HttpRequest, response: HttpResponse, dry_run: bool = False) -> Status[dict[str, Any]]:
    """A new tool or its next revision: 201. The text that is stored already: 200.

    With `dry_run=1` nothing is stored, and the answer is what a real one would be.
    An archived tool gets its revision and stays archived.
    """
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    publication = publish(spec, by=actor(request), dry_run=dry_run)
    status = 200 if dry_run or publication.outcome == "unchanged" else 201
    if status == 201:
        response["Location"] = _url("get_tool", publication.tool.slug)
    response["ETag"] = publication.tool.etag
    return Status(status, _publication_json(publication, dry_run=dry_run))


@router.get(
    "/tools/{slug}",
    response={200: shapes.ToolWithSpecOut, 404: shapes.ErrorOut},
    auth=open_to_all(),
    summary="Get a tool with its spec",
)
def get_tool(request: HttpRequest, response: HttpResponse, slug: str) -> dict[str, Any] | HttpResponse:
    """`ETag` is what a later `PUT` sends as `If-Match`."""
    tool = tool_at(slug)
    if _is_known(request, tool.etag):
        return say_deprecated(_not_modified(tool.etag), tool)
    response["ETag"] = tool.etag
    say_deprecated(response, tool)
    return _tool_with_spec(tool)


@router.put(
    "/tools/{slug}",
    response={
        200: shapes.ToolWithSpecOut,
        404: shapes.ErrorOut,
        412: shapes.ErrorOut,
        428: shapes.ErrorOut,
        **REFUSED,
    },
    auth=token_or_session("publish"),
    summary="Publish the next revision of a tool",
    openapi_extra=shapes.SPEC_BODY | shapes.IF_MATCH,
)
def put_tool(request: HttpRequest, response: HttpResponse, slug: str) -> dict[str, Any]:
    """Only on top of the revision that you have seen: 412 if another one landed since."""
    tool = _seen_tool_at(request, slug)
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    if spec.tool_id != tool.tool_id:
        message = f"This is a spec of {spec.tool_id!r}, and the address is that of {tool.tool_id!r}."
        raise SpecError([Problem("/definition", message, "publish.other-tool")])
    publish(spec, by=actor(request), expected=revision_of(tool).number)
    tool = tool_at(slug)
    response["ETag"] = tool.etag
    return _tool_with_spec(tool)


@router.patch(
    "/tools/{slug}",
    response={200: shapes.ToolOut, 404: shapes.ErrorOut, 409: shapes.ErrorOut, 412: shapes.ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Organise a tool",
    openapi_extra=shapes.IF_MATCH_OR_NOT,
)
def organise_tool(
    request: HttpRequest, response: HttpResponse, slug: str, body: shapes.OrganisationIn
) -> dict[str, Any]:
    """Its toolkit, tags and owner; they stay so whatever is published. All of it is done, or nothing."""
    said = body.model_fields_set
    wanted = Organisation(
        toolkit=body.toolkit if "toolkit" in said else KEPT,
        add_tags=body.add_tags,
        remove_tags=body.remove_tags,
        owner=(body.owner or "") if "owner" in said else KEPT,
    )
    tool = organise(tool_at(slug), wanted, by=actor(request), seen=_seen(request))
    response["ETag"] = tool.etag
    return tool_json(tool)


@router.put(
    "/tools/{slug}/deprecation",
    response={200: shapes.ToolOut, 404: shapes.ErrorOut, 412: shapes.ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Deprecate a tool",
    openapi_extra=shapes.IF_MATCH_OR_NOT,
)
def deprecate_tool(
    request: HttpRequest, response: HttpResponse, slug: str, body: shapes.DeprecationIn
) -> dict[str, Any]:
    """It works as before, and is found after others. Answers about it have the header `Deprecation` from then on.

    If there is a successor, `Link` names it with `rel="successor-version"`. Sent again, the note and the successor are
    said anew.
    """
    tool = deprecate(tool_at(slug), note=body.note, superseded_by=body.superseded_by or "", seen=_seen(request))
    response["ETag"] = tool.etag
    say_deprecated(response, tool)
    return tool_json(tool)


@router.delete(
    "/tools/{slug}/deprecation",
    response={
        204: None,
        401: shapes.ErrorOut,
        403: shapes.ErrorOut,
        404: shapes.ErrorOut,
        409: shapes.ErrorOut,
        412: shapes.ErrorOut,
    },
    auth=token_or_session("publish"),
    summary="Take back that a tool is deprecated",
    openapi_extra=shapes.IF_MATCH_OR_NOT,
)
def undo_tool_deprecation(request: HttpRequest, slug: str) -> Status[None]:
    """Only what people said: 409 where it is the spec that says so."""
    undo_deprecation(tool_at(slug), seen=_seen(request))
    return Status(204, None)


@router.delete(
    "/tools/{slug}",
    response={204: None, 401: shapes.ErrorOut, 403: shapes.ErrorOut, 404: shapes.ErrorOut},
    auth=token_or_session("publish"),
    summary="Archive a tool",
)
def archive_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It leaves the lists and searches. Nothing is destroyed: its address, revisions and runs stay."""
    archiving.archive(tool_at(slug))
    return Status(204, None)


@router.post(
    "/tools/{slug}/restore",
    response={204: None, 401: shapes.ErrorOut, 403: shapes.ErrorOut, 404: shapes.ErrorOut},
    auth=token_or_session("publish"),
    summary="Restore an archived tool",
)
def restore_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It is in the lists and searches again."""
    archiving.restore(tool_at(slug))
    return Status(204, None)


# -- specs and revisions ----------------------------------------------------------------------------------------------


@router.get("/tools/{slug}/spec", auth=open_to_all(), summary="Get the text of a spec", openapi_extra=shapes.SPEC_TEXT)
def get_spec(request: HttpRequest, slug: str, download: bool = False) -> HttpResponse:
    """The current spec as it was uploaded, byte for byte. `download=1`: as a file."""
    tool = tool_at(slug)
    text = _text_of(request, revision_of(tool), f"{file_stem(slug)}.json" if download else None)
    return say_deprecated(text, tool)


@router.get(
    "/tools/{slug}/revisions",
    response={200: shapes.RevisionsOut, 404: shapes.ErrorOut},
    auth=open_to_all(),
    summary="List the revisions of a tool",
)
def list_revisions(request: HttpRequest, slug: str, query: Query[shapes.RevisionsQuery]) -> dict[str, Any]:
    """The newest first."""
    revisions = tool_at(slug).revisions.defer("source").select_related("created_by", "judgement")
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
    openapi_extra=shapes.SPEC_TEXT,
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
        200: shapes.PublicationOut,
        201: shapes.PublicationOut,
        401: shapes.ErrorOut,
        403: shapes.ErrorOut,
        404: shapes.ErrorOut,
        412: shapes.ErrorOut,
        428: shapes.ErrorOut,
    },
    auth=token_or_session("publish"),
    summary="Restore a revision",
    openapi_extra=shapes.IF_MATCH,
)
def restore_revision(request: HttpRequest, response: HttpResponse, slug: str, number: int) -> Status[dict[str, Any]]:
    """Publishes its text as the next revision: 201. The revision that is current already: 200."""
    tool = _seen_tool_at(request, slug)
    spec = revision_at(slug, number).spec
    publication = publish(spec, by=actor(request), expected=revision_of(tool).number)
    response["ETag"] = publication.tool.etag
    return Status(200 if publication.outcome == "unchanged" else 201, _publication_json(publication, dry_run=False))


@router.get(
    "/tools/{slug}/diff",
    response={200: shapes.DiffOut, 404: shapes.ErrorOut, 422: shapes.ErrorOut},
    auth=open_to_all(),
    summary="Compare two revisions",
    by_alias=True,
)
def diff(request: HttpRequest, slug: str, query: Query[shapes.DiffQuery]) -> dict[str, Any]:
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
    response={200: shapes.ExportOut, 404: shapes.ErrorOut},
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
    if format not in exports.FORMATS:
        raise Http404
    tool = tool_at(slug)
    say_deprecated(response, tool)
    exported = exports.export(revision_of(tool).spec, format)
    rules = exports.FORMATS[format].rules
    return {
        "format": format,
        "document": exported.document,
        "verdict": exported.verdict,
        "losses": _losses(exported.losses),
        "renamed": exported.renamed,
        "obstacles": exported.obstacles,
        "as_of": rules.as_of.isoformat(),
        "source": rules.source,
    }


# -- many specs, and none ---------------------------------------------------------------------------------------------


@router.post(
    "/uploads",
    response={200: shapes.ReportOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Upload many specs",
    openapi_extra=shapes.UPLOAD_BODY,
)
def upload_specs(request: HttpRequest, query: Query[shapes.UploadQuery]) -> dict[str, Any]:
    """Each spec has its own outcome, and one that is rejected does not stop the rest.

    Documents of other formats are imported: lists of tools of MCP, OpenAI, Anthropic, Gemini or LangChain, and OpenAPI
    or Swagger documents, of which each operation becomes a tool. What was lost is in the report. With `dry_run=1`
    nothing is stored, and the report has the specs that would be.
    """
    pieces = uploaded_pieces(request)
    entries = upload(pieces, by=actor(request), dry_run=query.dry_run, prefix=query.prefix, batch=SHORT_BATCH)
    return report_json(list(entries), dry_run=query.dry_run)


@router.get(
    "/catalog",
    auth=open_to_all(),
    summary="Export the whole catalog",
    openapi_extra=shapes.CATALOG_FILE,
)
def export_catalog(request: HttpRequest) -> StreamingHttpResponse:
    """Every revision of every tool, archived ones too, as NDJSON with hashes; an upload reads it again.

    What people say of tools is in it as well: toolkit, tags, owner, deprecation and waivers. The same catalog gives the
    same bytes. Of people there are only the names of owners, and no secret is in it.
    """
    headers = {"Content-Disposition": 'attachment; filename="catalog.ndjson"'}
    return StreamingHttpResponse(whole_catalog(), content_type=MEDIA_TYPE, headers=headers)


@router.post(
    "/specs/check",
    response={200: shapes.CheckOut, 413: shapes.ErrorOut},
    auth=open_to_all(),
    summary="Check a spec without storing it",
    openapi_extra=shapes.CHECKED_BODY,
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


# -- as JSON ----------------------------------------------------------------------------------------------------------


def tool_json(tool: Tool) -> dict[str, Any]:
    """A tool as the API gives it. Its current revision should be at hand."""
    return {
        "id": tool.tool_id,
        "slug": tool.slug,
        "name": tool.name,
        "description": tool.description,
        "revision": tool.current.number if tool.current else 0,
        "runnable": tool.runnable,
        "configurable": tool.configurable,
        "examples": tool.has_examples,
        "returns": tool.has_return_type,
        "archived": tool.archived,
        "score": tool.score,
        "usable": list(tool.usable),
        "owner": tool.owner.username if tool.owner else None,
        "toolkit": tool.toolkit,
        "tags": tool.tags,
        "deprecation": _deprecation_json(tool) if tool.deprecated else None,
        "created_at": tool.created_at,
        "updated_at": tool.updated_at,
    }


def _deprecation_json(tool: Tool) -> dict[str, Any]:
    successor = tool.superseded_by
    return {
        "since": tool.deprecated_at,
        "note": tool.deprecation_note,
        "superseded_by": {"id": successor.tool_id, "slug": successor.slug} if successor else None,
        "by_spec": not tool.deprecation_chosen,
    }


def advice_json(advice: Advice) -> dict[str, Any]:
    """What could be better, as the API gives it."""
    return advice.as_json() | {"help": reverse("catalog:lint_rule", args=[advice.rule])}


def report_json(entries: list[Entry], *, dry_run: bool) -> dict[str, Any]:
    """What became of an upload, as the API and the commands give it."""
    return {
        "dry_run": dry_run,
        "counts": counts_of(entries),
        "specs": [
            {
                "source": entry.source,
                "line": entry.line,
                "outcome": entry.outcome,
                "tool": _uploaded_tool(entry),
                "imported": _imported(entry.origin, with_spec=dry_run) if entry.origin else None,
                "problems": [fault.problem.as_json() for fault in entry.faults],
            }
            for entry in entries
        ],
    }


def _uploaded_tool(entry: Entry) -> dict[str, Any] | None:
    if entry.outcome == "rejected":
        return None
    return {
        "id": entry.tool_id,
        "name": entry.name,
        "slug": entry.slug,
        "revision": entry.revision,
        "archived": entry.archived,
    }


def _imported(origin: Origin, *, with_spec: bool) -> dict[str, Any]:
    return {
        "format": origin.format,
        "pointer": origin.pointer,
        "notes": origin.notes,
        "losses": _losses(origin.losses),
        "spec": loads(origin.text) if with_spec and origin.text else None,
    }


def _losses(losses: Iterable[Loss]) -> list[dict[str, str]]:
    return [{"pointer": loss.pointer, "what": loss.what, "reason": loss.reason} for loss in losses]


def _tool_with_spec(tool: Tool) -> dict[str, Any]:
    revision = revision_of(tool)
    return tool_json(tool) | {"sha256": revision.sha256, "spec": revision.spec.document}


def _publication_json(publication: Publication, *, dry_run: bool) -> dict[str, Any]:
    return {"outcome": publication.outcome, "dry_run": dry_run, "tool": tool_json(publication.tool)}


def _matches(result: Result) -> Iterator[dict[str, Any]]:
    shown = result.shown
    for field, marked in (("name", shown.name), ("id", shown.tool_id), ("description", shown.excerpt)):
        if marked.marks:
            yield _match(field, marked)
    for reason in shown.reasons:
        if reason.text is None:
            yield _match(reason.place, reason.parameter, reason.parameter.text)
        else:
            yield _match(f"{reason.place}_description", reason.text, reason.parameter.text)


def _match(field: str, marked: Marked, parameter: str | None = None) -> dict[str, Any]:
    marks = [(mark.start, mark.end) for mark in marked.marks]
    return {"field": field, "parameter": parameter, "text": marked.text, "marks": marks}


# -- HTTP -------------------------------------------------------------------------------------------------------------


def _cursor(text: str | None) -> Cursor | None:
    if text is None:
        return None
    try:
        return Cursor.decode(text)
    except BadCursor as error:
        raise ValidationError([{"loc": ("query", "cursor"), "msg": str(error), "type": "cursor"}]) from error


def _url(operation: str, slug: str) -> str:
    return reverse(f"api:{operation}", args=[slug])


def _text_of(request: HttpRequest, revision: Revision, file_name: str | None) -> HttpResponse:
    """A spec's text; as a file of that name if one is given."""
    etag = f'"{revision.sha256}"'
    if _is_known(request, etag):
        return _not_modified(etag)
    response = HttpResponse(revision.source.encode(), content_type="application/json", headers={"ETag": etag})
    if file_name is not None:
        response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


def _seen(request: HttpRequest) -> list[str] | None:
    """The entity tags in `If-Match`; None where it was not sent."""
    return parse_etags(request.headers["If-Match"]) if "If-Match" in request.headers else None


def _seen_tool_at(request: HttpRequest, slug: str) -> Tool:
    """The tool, if it is as the caller says to have seen it.

    Raises:
        HttpError: 428: `If-Match` is missing.
        RevisionConflict: it is another by now.
    """
    seen = _seen(request)
    if not seen:
        raise HttpError(428, "Send `If-Match` with the `ETag` of the tool as you saw it.")
    tool = tool_at(slug)
    if not tool.is_as_seen(seen):
        raise RevisionConflict(f"The tool is at {tool.etag} now. Get it again and look at what changed.")
    return tool


def _is_known(request: HttpRequest, etag: str) -> bool:
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in (one.removeprefix("W/") for one in known)


def _not_modified(etag: str) -> HttpResponse:
    return HttpResponseNotModified(headers={"ETag": etag})
