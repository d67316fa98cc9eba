"""The schemas of factories."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from catalog.api.schemas.base import Out
from catalog.api.schemas.revisions import ChangeOut


class ToolOfFactory(Out):
    id: str
    slug: str | None = Field(description="null if the catalog has no spec for this id.")


class FactorySpecState(Out):
    """A factory's own spec, from its definition or its types, compared with the catalog's."""

    state: Literal["new", "same", "differs", "invalid", "none"] = Field(
        description=(
            "`new`: the catalog does not have the tool yet. `same`: they are equal. `invalid`: it is not a valid spec. "
            "`none`: it cannot be generated from the code."
        )
    )
    verdict: str | None = Field(
        description=(
            "If it differs: what publishing it would mean for callers of the tool: `breaking`, `unknown`, `wording`, "
            "`compatible` or `identical`."
        )
    )
    changes: list[ChangeOut] = Field(description="If it differs: where, the worst first.")
    error: str | None = Field(description="Why it is `invalid` or `none`.")


class FactoryOut(Out):
    key: str
    reference: str
    origin: str
    distribution: str | None
    version: str | None
    state: Literal["ok", "broken"]
    error: str | None
    tool: ToolOfFactory | None
    configurable: bool | None
    network: Literal["none", "outward", "all"] = Field(
        description="What its runs can reach: nothing, public addresses by HTTP and HTTPS, or whatever the site can."
    )
    spec: FactorySpecState


class ConnectionOut(Out):
    key: str = Field(
        description="The end of the names of its settings: `CONNECTION_MCP` in `TOOL_NETWORK_CONNECTION_MCP`."
    )
    reference: str
    sources: list[str] = Field(description="The names of the sources whose tools it runs.")
    tools: int = Field(description="How many tools run through it.")
    network: str


class FactoriesOut(Out):
    items: list[FactoryOut]
    connections: list[ConnectionOut] = Field(
        description="The built-in factories that run tools through their sources."
    )


class RescanOut(Out):
    new: list[str] = Field(description="References of factories that were not registered before.")
    importing: list[str] = Field(
        description="References of factories that are still being imported."
    )
