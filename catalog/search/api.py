"""The API's operations for finding tools: search, toolkits and tags."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from ninja import Query, Schema
from ninja.errors import HttpError, ValidationError
from pydantic import Field

from accounts.api_auth import open_to_all
from accounts.models import Person
from catalog.access.models import Audience
from catalog.index.document import GroupKind
from catalog.router import router
from catalog.search import groups
from catalog.search.catalog_search import CatalogSearch
from catalog.search.matches import list_matches
from catalog.search.pagination import BadCursor, Cursor
from catalog.search.results import Page, page_of
from catalog.search.schemas import GroupOut, GroupsOut, GroupsQuery, ToolsOut, ToolsQuery
from catalog.search.similar import MAX_SHOWN, find_similar_tools
from catalog.search.url_parameters import add_filters
from catalog.tools.lookup import tool_at
from catalog.tools.models import Tool
from catalog.tools.schemas import ToolOut
from toolshelf_core.api.problems import errors
from toolshelf_core.api.renderer import MAX_PAGE_BYTES, count_that_fit, text_of
from toolshelf_core.api.schemas import Out
from toolshelf_core.caching import MAX_CHARACTERS, LRUCache
from toolspec.catalog_names import group_key

MAX_BYTES_PER_CHARACTER: Final = 4  # in UTF-8
_answers: LRUCache[str] = LRUCache(max_weight=MAX_CHARACTERS, weigh=len)


# Generated clients use operation ids, so these keep the ids under which they were published.
@router.get(
    "/tools",
    response={200: ToolsOut, **errors(422)},
    auth=open_to_all(),
    summary="Search tools",
    description=(
        "The best matches first; without words, by name. The site's own search gives the same "
        "tools in the same order."
    ),
)
def search_tools(request: HttpRequest, query: Query[ToolsQuery]) -> HttpResponse:
    """Returns JSON text, which is cached.

    `ToolOut` produces the tools. `ToolsOut` only documents the page and the matches around them:
    producing these too takes 1.0 instead of 0.6 ms for 20 tools.
    """
    if query.id is not None:
        return _make_response(_write_tool(query.id, request.user))
    for tag in query.tag:
        if not group_key(tag):
            raise HttpError(422, f"{tag!r} is not a tag: a tag contains a letter or a digit.")
    search = CatalogSearch(
        words=add_filters(query.q, query.dict()),
        archived=query.include == "archived",
        cursor=read_cursor(query.cursor),
        limit=query.limit,
        visibility=Audience.objects.visibility_for(request.user),
        person=request.user,
    )
    key = (search.depends_on, search.cursor, search.limit)
    return _make_response(_answers.get_or_compute(key, lambda: _write_page(search)))


def _make_response(text: str) -> HttpResponse:
    """A response from JSON text."""
    return HttpResponse(text, content_type="application/json; charset=utf-8")


def _write_tool(tool_id: str, person: Person) -> str:
    """A page with the one tool that has this id, or with none."""
    visibility = Audience.objects.visibility_for(person)
    tools = Tool.objects.with_visibility(visibility)
    items = []
    for tool in tools.for_rows().filter(tool_id=tool_id):
        tool.hide_successor(visibility)
        items.append(_dump_tool(tool, matches=[], exact=True))
    page = {
        "items": items,
        "next": None,
        "count": len(items),
        "count_is_exact": True,
        "match": "all",
        "problems": [],
    }
    return text_of(page)


def _write_page(search: CatalogSearch) -> str:
    """The page at the search's cursor.

    It has fewer tools than the limit if they would exceed `MAX_PAGE_BYTES`. The shorter page is the
    page of a lower limit, so its cursor leads to the tools that were left out.
    """
    page = _dump_page(page_of(search), search)
    text = text_of(page)
    if len(text) * MAX_BYTES_PER_CHARACTER <= MAX_PAGE_BYTES:
        return text
    fitting = count_that_fit(page["items"])
    if fitting >= len(page["items"]):
        return text
    return _write_page(replace(search, limit=fitting))


def _dump_page(page: Page, search: CatalogSearch) -> dict[str, Any]:
    items = []
    for result in page.results:
        matches = list(list_matches(result))
        items.append(_dump_tool(result.tool, matches=matches, exact=result.exact))
    match = "any" if page.loosely else "all"
    return {
        "items": items,
        "next": page.next,
        "count": page.count,
        "count_is_exact": page.counted,
        "match": match,
        "problems": list(map(asdict, search.query.problems)),
    }


def _dump_tool(tool: Tool, *, matches: list[dict[str, Any]], exact: bool) -> dict[str, Any]:
    return ToolOut.of(tool).model_dump() | {"matched": matches, "exact": exact}


def read_cursor(text: str | None) -> Cursor | None:
    if text is None:
        return None
    try:
        return Cursor.decode(text)
    except BadCursor as error:
        raise ValidationError(
            [{"loc": ("query", "cursor"), "msg": str(error), "type": "cursor"}]
        ) from error


GROUPS: Final[dict[str, Any]] = {"response": {200: GroupsOut, **errors(422)}, "auth": open_to_all()}


@router.get("/toolkits", summary="List toolkits", **GROUPS)
def list_toolkits(request: HttpRequest, query: Query[GroupsQuery]) -> GroupsOut:
    """Each toolkit with its number of tools, not counting archived ones.

    `GET /tools?toolkit=…` returns these tools.
    """
    return _list_groups(request, "toolkit", query)


@router.get("/tags", summary="List tags", **GROUPS)
def list_tags(request: HttpRequest, query: Query[GroupsQuery]) -> GroupsOut:
    """Each tag with its number of tools, not counting archived ones.

    `GET /tools?tag=…` returns these tools.
    """
    return _list_groups(request, "tag", query)


def _list_groups(request: HttpRequest, kind: GroupKind, query: GroupsQuery) -> GroupsOut:
    page, after = groups.page_of(
        kind,
        Audience.objects.visibility_for(request.user),
        containing=query.q,
        by_name=query.order == "name" or bool(query.q),
        after=query.cursor or "",
        limit=query.limit,
    )
    return GroupsOut(items=list(map(GroupOut.of, page)), next=after)


class SimilarOut(ToolOut):
    parameters: list[str] = Field(description="The names of parameters that both tools have.")
    words: list[str] = Field(description="Words that both tools have, the most distinctive first.")


class SimilarToolsOut(Out):
    items: list[SimilarOut] = Field(description="The most similar first.")


class SimilarQuery(Schema):
    limit: int = Field(
        MAX_SHOWN,
        ge=1,
        le=20,
        description="The list has fewer tools if they would exceed 1 MiB together.",
    )


@router.get(
    "/tools/{slug}/similar",
    response={200: SimilarToolsOut, **errors(404, 422)},
    auth=open_to_all(),
    summary="List similar tools",
)
def list_similar_tools(
    request: HttpRequest, slug: str, query: Query[SimilarQuery]
) -> SimilarToolsOut:
    """The tools that share the most distinctive words of names and descriptions.

    Archived tools are left out.
    """
    items = []
    for similar in find_similar_tools(tool_at(slug, request.user), request.user, limit=query.limit):
        item = SimilarOut.of(similar.tool, parameters=similar.parameters, words=similar.words)
        items.append(item)
    return SimilarToolsOut(items=items[: count_that_fit(item.model_dump() for item in items)])
