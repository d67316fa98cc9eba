"""Schemas of a tool, its metadata and its deprecation."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AliasPath, BeforeValidator, Field

from catalog.tools.models import Revision
from toolshelf_core.api.schemas import Format, In, Out, UserName, with_example

TOOL: dict[str, Any] = {
    "id": "Get weather",
    "slug": "get-weather-3f1c6a20",
    "name": "Get weather",
    "description": "Get weather by location",
    "revision": 1,
    "runnable": True,
    "configurable": True,
    "examples": True,
    "returns": True,
    "archived": False,
    "score": 95,
    "usable": ["openapi"],
    "owner": "ada",
    "toolkit": "",
    "tags": ["weather"],
    "deprecation": None,
    "created_at": "2026-01-15T09:30:00Z",
    "updated_at": "2026-01-15T09:30:00Z",
}


def _number(revision: Revision | None) -> int:
    return revision.number if revision else 0


class SuccessorOut(Out):
    id: str = Field(validation_alias="tool_id")
    slug: str


class DeprecationOut(Out):
    since: datetime
    note: str
    superseded_by: SuccessorOut | None
    by_spec: bool = Field(
        description="Whether the spec itself declares the deprecation, rather than a user."
    )


# Load the tool's current revision, owner and successor beforehand (`for_rows`, `with_current`).
class ToolOut(Out):
    model_config = with_example(TOOL)

    id: str = Field(validation_alias="tool_id")
    slug: str
    name: str
    description: str
    revision: Annotated[int, BeforeValidator(_number)] = Field(validation_alias="current")
    runnable: bool
    configurable: bool
    examples: bool = Field(validation_alias="has_examples")
    returns: bool = Field(validation_alias="has_return_type")
    archived: bool
    score: int | None = Field(
        description="Its lint score, from 0 to 100; null if it has not been assessed yet."
    )
    usable: list[Format] = Field(
        description=(
            "The formats in which it works unchanged; empty if it has not been assessed yet."
        )
    )
    owner: UserName = Field(
        description="The user who published it first, unless another owner was set."
    )
    toolkit: str = Field(
        description=(
            "The toolkit that it belongs to: set by a user, or the start of its id; may be empty."
        )
    )
    tags: list[str] = Field(description="The tags of its spec, and those that users added.")
    deprecation: DeprecationOut | None
    created_at: datetime
    updated_at: datetime


class ToolWithSpecOut(ToolOut):
    sha256: str = Field(
        validation_alias=AliasPath("current", "sha256"),
        description="SHA-256 of the spec's text, in hexadecimal.",
    )
    spec: Any = Field(
        validation_alias=AliasPath("current", "spec", "document"),
        description="The current spec. `/spec` returns its text as uploaded, byte for byte.",
    )


class OrganisationIn(In):
    """Fields that are left out stay unchanged."""

    toolkit: str | None = Field(
        None, description="Its name; empty for no toolkit, null to take it from the id."
    )
    add_tags: list[str] = Field([], max_length=50)
    remove_tags: list[str] = Field(
        [], max_length=50, description="Only tags that users added can be removed."
    )
    owner: str | None = Field(
        None,
        description=(
            "A user name; null for no owner. Only the owner and administrators may change it."
        ),
    )


class DeprecationIn(In):
    note: str = Field("", description="The reason, or what to do instead: at most 500 characters.")
    superseded_by: str | None = Field(None, description="The id of the tool to use instead.")


class PublicationOut(Out):
    outcome: Literal["created", "revised", "unchanged"]
    dry_run: bool
    tool: ToolOut
