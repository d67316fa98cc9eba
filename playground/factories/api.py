"""The schemas of factories."""

from __future__ import annotations

from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import HttpError
from pydantic import Field

from accounts.api_auth import open_to_all, token_or_session
from catalog.revisions.schemas import ChangeOut
from playground.factories.connections import connections
from playground.factories.registry import registry
from playground.factories.rescans import check, check_may_rescan, request_rescan
from playground.factories.specs import FactoryComparison, compare_factories
from playground.router import router
from toolshelf_core.api.problems import errors
from toolshelf_core.api.schemas import Out
from toolspec.errors import SpecError


class ToolOfFactory(Out):
    id: str
    slug: str | None = Field(description="null if the catalog has no spec for this id.")


class FactorySpecState(Out):
    """A factory's own spec, from its definition or its types, compared with the catalog's."""

    state: Literal["new", "same", "differs", "invalid", "none"] = Field(
        description=(
            "`new`: the catalog does not have the tool yet. `same`: they are equal. `invalid`: "
            "it is not a valid spec. `none`: it cannot be generated from the code."
        )
    )
    verdict: str | None = Field(
        description=(
            "If it differs: what publishing it would mean for callers of the tool: `breaking`, "
            "`unknown`, `wording`, `compatible` or `identical`."
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
        description=(
            "What its runs can reach: nothing, public addresses by HTTP and HTTPS, "
            "or whatever the site can."
        )
    )
    spec: FactorySpecState


class ConnectionOut(Out):
    key: str = Field(
        description=(
            "The end of the names of its settings: "
            "`CONNECTION_MCP` in `TOOL_NETWORK_CONNECTION_MCP`."
        )
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


@router.get(
    "/factories",
    response=FactoriesOut,
    auth=open_to_all(),
    summary="List factories",
    tags=["factories"],
)
def list_factories(request: HttpRequest) -> FactoriesOut:
    """The registered factories with the tool that each serves.

    Broken ones are included, with their errors.
    """
    check()
    items = []
    for comparison in compare_factories(registry().all(), request.user):
        factory, slug = comparison.factory, comparison.tool.slug if comparison.tool else None
        tool = ToolOfFactory(id=factory.tool_id, slug=slug) if factory.tool_id else None
        items.append(FactoryOut.of(factory, tool=tool, spec=spec_state(comparison)))
    connected = [
        ConnectionOut(
            key=each.factory.key,
            reference=each.factory.reference,
            sources=[source.name for source in each.sources],
            tools=each.tools,
            network=each.network,
        )
        for each in connections()
    ]
    return FactoriesOut(items=items, connections=connected)


def spec_state(comparison: FactoryComparison) -> FactorySpecState:
    changes = comparison.difference.changes if comparison.difference else ()
    error = comparison.problems[0].message if comparison.problems else comparison.reason or None
    return FactorySpecState(
        state=comparison.state,
        verdict=comparison.verdict,
        changes=[ChangeOut.of(change) for change in changes],
        error=error,
    )


@router.get(
    "/factories/{path:key}/spec",
    response={
        200: Any,
        **errors(404, 409, 422),
    },  # a spec, whose schema is that of LLM Tool Spec and not of this API
    auth=open_to_all(),
    summary="Get the spec of a factory",
    tags=["factories"],
)
def get_factory_spec(request: HttpRequest, key: str) -> HttpResponse:
    """The spec from the factory's definition, or otherwise from its types.

    It is a text to publish with `POST /tools`.

    `key` is the factory's key, or its reference. If the catalog has the tool, parts that the code
    does not define are taken from its current revision. 409 if several factories have the key; 422
    if the factory has no valid spec, with the reasons.
    """
    check()
    found = registry().named(key)
    if not found:
        raise Http404
    if len(found) > 1:
        references = ", ".join(each.reference for each in found)
        raise HttpError(
            409,
            f"Several factories have the key {key!r}. Send one of their references: {references}.",
        )
    comparison = next(iter(compare_factories(found, request.user)), None)
    if comparison is None:
        raise Http404
    if comparison.problems:
        raise SpecError(comparison.problems)
    if comparison.state == "none":
        reason = (
            comparison.reason or comparison.factory.error or "Its spec is still being generated."
        )
        raise HttpError(422, f"The factory has no spec. {reason}")
    # The text itself, not its value: it is laid out to be published as it is, and its numbers keep
    # their digits.
    return HttpResponse(comparison.text, content_type="application/json; charset=utf-8")


@router.post(
    "/factories/rescan",
    response={200: RescanOut, **errors(401, 403)},
    auth=token_or_session("admin"),
    summary="Reload installed packages",
    tags=["factories"],
)
def rescan_factories(request: HttpRequest) -> RescanOut:
    """For administrators, after packages were installed, changed or removed, instead of a restart.

    All processes of the server's machine do the same within a few seconds; workers on other
    machines have to be restarted. Later runs import everything again; active runs are not affected.
    """
    check_may_rescan(request.user)
    found = request_rescan()
    return RescanOut(new=[each.reference for each in found], importing=registry().importing())
