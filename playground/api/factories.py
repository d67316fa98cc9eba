"""The API's operations for factories."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import HttpError

from catalog.accounts.api_auth import open_to_all, token_or_session
from catalog.api.schemas.problems import errors
from catalog.api.schemas.revisions import ChangeOut
from playground.api.router import router
from playground.api.schemas import factories as schemas
from playground.factories.connections import connections
from playground.factories.registry import registry
from playground.factories.specs import Proposal, proposals_for
from playground.factory_rescans import check, check_may_rescan, request_rescan
from toolspec.errors import SpecError


@router.get(
    "/factories",
    response=schemas.FactoriesOut,
    auth=open_to_all(),
    summary="List factories",
    tags=["factories"],
    operation_id="playground_api_list_factories",
)
def list_factories(request: HttpRequest) -> schemas.FactoriesOut:
    """The registered factories with the tool that each serves, including broken ones with their errors."""
    check()
    items = []
    for proposal in proposals_for(registry().all(), request.user):
        factory, slug = proposal.factory, proposal.tool.slug if proposal.tool else None
        tool = schemas.ToolOfFactory(id=factory.tool_id, slug=slug) if factory.tool_id else None
        items.append(schemas.FactoryOut.of(factory, tool=tool, spec=spec_state(proposal)))
    connected = [
        schemas.ConnectionOut(
            key=each.factory.key,
            reference=each.factory.reference,
            sources=[source.name for source in each.sources],
            tools=each.tools,
            network=each.network,
        )
        for each in connections()
    ]
    return schemas.FactoriesOut(items=items, connections=connected)


def spec_state(proposal: Proposal) -> schemas.FactorySpecState:
    changes = proposal.difference.changes if proposal.difference else ()
    error = proposal.problems[0].message if proposal.problems else proposal.reason or None
    return schemas.FactorySpecState(
        state=proposal.state,
        verdict=proposal.verdict,
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
    """The spec from the factory's definition, or otherwise from its types, as text to publish with `POST /tools`.

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
    proposal = next(iter(proposals_for(found, request.user)), None)
    if proposal is None:
        raise Http404
    if proposal.problems:
        raise SpecError(proposal.problems)
    if proposal.state == "none":
        reason = proposal.reason or proposal.factory.error or "Its spec is still being generated."
        raise HttpError(422, f"The factory has no spec. {reason}")
    # The text itself, not its value: it is laid out to be published as it is, and its numbers keep
    # their digits.
    return HttpResponse(proposal.text, content_type="application/json; charset=utf-8")


@router.post(
    "/factories/rescan",
    response={200: schemas.RescanOut, **errors(401, 403)},
    auth=token_or_session("admin"),
    summary="Reload installed packages",
    tags=["factories"],
    operation_id="playground_api_rescan_factories",
)
def rescan_factories(request: HttpRequest) -> schemas.RescanOut:
    """For administrators, after packages were installed, changed or removed, instead of a restart.

    All processes of the server's machine do the same within a few seconds; workers on other
    machines have to be restarted. Later runs import everything again; active runs are not affected.
    """
    check_may_rescan(request.user)
    found = request_rescan()
    return schemas.RescanOut(
        new=[each.reference for each in found], importing=registry().importing()
    )
