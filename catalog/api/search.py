"""The API's operations for finding tools: search, toolkits and tags."""
# ruff: noqa: ARG001 - every operation has a request parameter, even if it does not use it

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query
from ninja.errors import HttpError, ValidationError

from catalog.accounts.api_auth import open_to_all
from catalog.api import schemas
from catalog.api.renderer import text_of
from catalog.api.router import router
from catalog.api.serializers import tool_json
from catalog.caching import MAX_CHARACTERS, LRUCache
from catalog.indexing import distinct_tags
from catalog.listing.pagination import BadCursor, Cursor
from catalog.listing.results import CatalogSearch, Page, Result
from catalog.models import Tool
from catalog.search import tag_counts
from catalog.search.document import group_key
from catalog.search.explain import Marked
from catalog.search.tag_counts import Kind
from catalog.specs import exporters

_answers: LRUCache[str] = LRUCache(max_weight=MAX_CHARACTERS, weigh=len)


# Generated clients use operation ids, so these keep the ids under which they were published.
@router.get(
    "/tools",
    response={200: schemas.ToolsOut, 422: schemas.ErrorOut},
    auth=open_to_all(),
    summary="Search tools",
    operation_id="catalog_api_finding_search_tools",
)
def search_tools(request: HttpRequest, query: Query[schemas.ToolsQuery]) -> HttpResponse:
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
        usable=tuple(key for key in exporters.FORMATS if key in query.usable),
        score=query.score,
        grade=None if query.grade is None else int(query.grade),
        toolkit=query.toolkit,
        tags=distinct_tags(query.tag),
        owner=query.owner,
        archived=query.include == "archived",
        cursor=cursor_from(query.cursor),
        limit=query.limit,
    )
    key = (search.depends_on, search.cursor, search.limit)
    return _as_json(_answers.get_or_compute(key, lambda: text_of(_page_json(search.page()))))


def _as_json(text: str) -> HttpResponse:
    """A response from JSON text: skips ninja's serialization and validation, which are slow."""
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


def cursor_from(text: str | None) -> Cursor | None:
    if text is None:
        return None
    try:
        return Cursor.decode(text)
    except BadCursor as error:
        raise ValidationError([{"loc": ("query", "cursor"), "msg": str(error), "type": "cursor"}]) from error


@router.get(
    "/toolkits",
    response={200: schemas.GroupsOut, 422: schemas.ErrorOut},
    auth=open_to_all(),
    summary="List the toolkits",
    operation_id="catalog_api_finding_list_toolkits",
)
def list_toolkits(request: HttpRequest, query: Query[schemas.GroupsQuery]) -> dict[str, Any]:
    """With how many tools each has, archived ones apart. `toolkit=` of `GET /tools` gives the tools of one."""
    return _groups_json("toolkit", query)


@router.get(
    "/tags",
    response={200: schemas.GroupsOut, 422: schemas.ErrorOut},
    auth=open_to_all(),
    summary="List the tags",
    operation_id="catalog_api_finding_list_tags",
)
def list_tags(request: HttpRequest, query: Query[schemas.GroupsQuery]) -> dict[str, Any]:
    """With how many tools each has, archived ones apart. `tag=` of `GET /tools` gives the tools of one."""
    return _groups_json("tag", query)


def _groups_json(kind: Kind, query: schemas.GroupsQuery) -> dict[str, Any]:
    found, after = tag_counts.page_of(
        kind, beginning=query.q, by_name=query.order == "name", after=query.cursor or "", limit=query.limit
    )
    return {"items": [{"name": group.name, "tools": group.tools} for group in found], "next": after}
