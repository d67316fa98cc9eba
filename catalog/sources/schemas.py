"""Schemas of sources, their syncs and their held changes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from ninja import Schema
from pydantic import BeforeValidator, Field

from catalog.sources.models import Kind, Policy
from catalog.sources.registration import MAX_EVERY_MINUTES, MIN_EVERY_MINUTES
from catalog.tools.models import Tool
from toolshelf_core.api.schemas import (
    In,
    OptionalText,
    Out,
    Page,
    PageQuery,
    UserName,
)


def _slug(tool: Tool | None) -> str | None:
    return tool.slug if tool else None


_HEADERS = "Credentials: HTTP headers such as `Authorization`. They are stored encrypted and never sent back."

_DOCUMENT = "An OpenAPI or Swagger document in JSON or YAML, instead of a URL; of `document`, also a list of tools."

_CONNECT = "Connects a source of the kind `document`, so that its tools run; another source keeps its kind."

_EVERY = (
    f"The time between two syncs, {MIN_EVERY_MINUTES} to {MAX_EVERY_MINUTES:,} minutes; null: it syncs only on "
    "request."
)

_POLICY = (
    "Which changes need no review: `compatible` ones (the default; changed words are reviewed), all "
    "(`automatic`), or none (`review`)."
)


class SourceIn(In):
    """`address`, or `document` for `openapi` and `document`.

    A command (`mcp-stdio`) can be set only on the server's command line.
    """

    name: str = Field(description="The ids of its tools begin with this name and a dot.")
    kind: Kind
    address: str = ""
    document: str = Field("", description=_DOCUMENT)
    headers: dict[str, str] = Field({}, description=_HEADERS)
    policy: Policy = Field("compatible", description=_POLICY)
    every_minutes: int | None = Field(None, description=_EVERY)


class SourceChangesIn(In):
    """Members that are absent stay as they are; only an `address` replaces a document.

    `headers` replaces all credentials; {} removes them.
    """

    kind: Kind | None = Field(None, description=_CONNECT)
    address: str | None = None
    document: str | None = None
    headers: dict[str, str] | None = Field(None, description=_HEADERS)
    policy: Policy | None = None
    every_minutes: int | None = Field(None, description=_EVERY)


class ToolChangeOut(Out):
    """What a sync did with one tool."""

    tool_id: str
    outcome: Literal["created", "revised", "held", "refused", "gone", "returned"]
    slug: str | None = None
    revision: int | None = None
    verdict: str | None = Field(
        None,
        description="Of a tool that is `revised` or `held`: what the change means for callers.",
    )
    change: int | None = Field(None, description="The id of the change that waits for review.")
    message: str | None = Field(None, description="Why it waits for review, or was refused.")


class SyncOut(Out):
    id: int = Field(validation_alias="pk")
    state: Literal["running", "succeeded", "failed"]
    error: OptionalText = Field(
        validation_alias="message", description="Why it failed; nothing changed then."
    )
    started_at: datetime
    ended_at: datetime | None
    by: UserName = Field(
        description="Who requested it; null for the schedule and the command line."
    )
    listed: int = Field(description="How many tools the source lists.")
    created: int
    revised: int
    unchanged: int
    held: int
    refused: int
    gone: int = Field(
        description="Tools that the source no longer lists; they stay in the catalog, marked."
    )
    returned: int


class SyncReportOut(SyncOut):
    changes: list[ToolChangeOut] = Field(
        description="The tools that changed; at most 1,000 are listed."
    )


class SourceOut(Out):
    name: str
    kind: Kind
    address: OptionalText = Field(
        description="Null if its document was uploaded. Only administrators see its query, and the arguments of a "
        "command."
    )
    title: OptionalText = Field(description="The name and version that the server reports.")
    policy: Policy
    every_minutes: int | None
    headers: list[str] | None = Field(
        validation_alias="header_names",
        description="The names of the headers with its credentials; null if these can no longer be decrypted.",
    )
    next_sync_at: datetime | None
    created_at: datetime
    owner: UserName
    tools: int = Field(description="How many tools it lists.")
    held: int = Field(description="How many changes wait for review.")
    last_sync: SyncOut | None


class ToolsQuery(PageQuery):
    gone: bool | None = Field(
        None,
        description="`true`: only tools that the source no longer lists; `false`: only the others.",
    )


MAX_SYNC_WAIT_S: Final = 60


class SyncIn(In):
    wait_s: float = Field(
        0, ge=0, le=MAX_SYNC_WAIT_S, description="How long the request waits for the sync to end."
    )


class SyncQuery(Schema):
    """Where `wait_s` was until the body took it; it can be removed after the next version."""

    wait_s: float = Field(
        0,
        ge=0,
        le=MAX_SYNC_WAIT_S,
        description="Send it in the body instead.",
        json_schema_extra={"deprecated": True},
    )


class SourcesOut(Page[SourceOut]):
    pass


class SyncsOut(Out):
    items: list[SyncOut] = Field(description="The newest first; the last hundred are stored.")


class SourceToolOut(Out):
    tool_id: str
    slug: Annotated[str | None, BeforeValidator(_slug)] = Field(
        validation_alias="catalog_tool", description="Null until its first revision is approved."
    )
    remote_name: str = Field(description="Its name at the source.")
    gone_at: datetime | None = Field(description="Since when the source no longer lists it.")
    differs: bool = Field(
        description="Whether the source has a different definition than the one published here."
    )


class SourceToolsOut(Page[SourceToolOut]):
    pass
