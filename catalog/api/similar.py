"""The API's operation for tools that are similar to another one."""
# ruff: noqa: ARG001 - every operation has a request parameter, even if it does not use it

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Field, Query, Schema
from pydantic import ConfigDict

from catalog.accounts.api_auth import open_to_all
from catalog.api.openapi_examples import TOOL
from catalog.api.router import router
from catalog.api.schemas import ErrorOut, ToolOut
from catalog.api.serializers import tool_json
from catalog.listing.similar import MAX_SHOWN, similar_tools
from catalog.shortcuts import tool_at

EXAMPLE: dict[str, Any] = {
    "example": {"items": [TOOL | {"parameters": ["location"], "words": ["weather", "forecast"]}]}
}


class SimilarOut(ToolOut):
    parameters: list[str] = Field(description="Names of parameters that both have.")
    words: list[str] = Field(description="Words that both have, the most telling first.")


class SimilarToolsOut(Schema):
    model_config = ConfigDict(json_schema_extra=EXAMPLE)

    items: list[SimilarOut] = Field(description="The closest first.")


class SimilarQuery(Schema):
    limit: int = Field(MAX_SHOWN, ge=1, le=20)


@router.get(
    "/tools/{slug}/similar",
    response={200: SimilarToolsOut, 404: ErrorOut, 422: ErrorOut},
    auth=open_to_all(),
    summary="List similar tools",
)
def get_similar(request: HttpRequest, slug: str, query: Query[SimilarQuery]) -> dict[str, Any]:
    """The tools that are most like one, by what is telling in its name and description; archived ones are left out."""
    return {
        "items": [
            tool_json(one.tool) | {"parameters": list(one.parameters), "words": list(one.words)}
            for one in similar_tools(tool_at(slug), limit=query.limit)
        ]
    }
