"""The API's operation for tools that are similar to another one."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from catalog.accounts.api_auth import open_to_all
from catalog.api.renderer import number_that_fits
from catalog.api.router import router
from catalog.api.schemas.base import Out
from catalog.api.schemas.problems import errors
from catalog.api.schemas.tools import ToolOut
from catalog.listing.similar import MAX_SHOWN, similar_tools
from catalog.shortcuts import tool_at


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
def get_similar(request: HttpRequest, slug: str, query: Query[SimilarQuery]) -> SimilarToolsOut:
    """The tools that share the most distinctive words of names and descriptions, without archived ones."""
    found = similar_tools(tool_at(slug, request.user), request.user, limit=query.limit)
    items = [SimilarOut.of(one.tool, parameters=one.parameters, words=one.words) for one in found]
    return SimilarToolsOut(items=items[: number_that_fits(item.model_dump() for item in items)])
