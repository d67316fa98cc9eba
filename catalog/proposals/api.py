"""The API's operations for proposals: changes that wait for a decision."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest
from ninja import Query, Status

from accounts.api_auth import actor, token_or_session
from catalog.proposals.actions import approve, current_revision, difference_of_change, reject
from catalog.proposals.lookup import proposal_at
from catalog.proposals.models import Proposal, ProposalQuerySet
from catalog.proposals.schemas import (
    DecisionIn,
    HeldChangeDetailsOut,
    HeldChangeOut,
    HeldChangesOut,
    HeldChangesQuery,
)
from catalog.revisions.schemas import ChangeOut
from catalog.router import sources_router as router
from catalog.tools.schemas import PublicationOut
from toolshelf_core.api.problems import REFUSED, errors
from toolshelf_core.rendering.text_diff import write_unified


def page_of_changes(changes: ProposalQuerySet, query: HeldChangesQuery) -> HeldChangesOut:
    """A page of these changes, of those in one state if the query says so."""
    changes = changes.select_related("decided_by", "proposed_by", "source")
    changes = changes.defer("text", "source__document")
    if query.state is not None:
        changes = changes.filter(state=query.state)
    return HeldChangesOut.read(changes, query)


@router.get(
    "/sources/{name}/changes/{int:change}",
    response={200: HeldChangeDetailsOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "publish", "admin"),
    summary="Get a change of a source",
)
def get_change(request: HttpRequest, name: str, change: int) -> HeldChangeDetailsOut:
    """With its spec, and what it would change in the tool: the impact on callers with proofs, and the text diff."""
    return _details(request, proposal_at(change, request.user, source__name=name))


def _details(request: HttpRequest, found: Proposal) -> HeldChangeDetailsOut:
    current = current_revision(found.tool_id, request.user)
    number = current.number if current else 0
    if not found.text:
        return HeldChangeDetailsOut.of(found, current=number, spec="", changes=[], diff="")
    meaning = difference_of_change(found, current)
    return HeldChangeDetailsOut.of(
        found,
        current=number,
        spec=found.text,
        changes=[ChangeOut.of(one) for one in meaning.changes] if meaning else [],
        diff=write_unified(
            current.source if current else "",
            found.text,
            old_name=f"revision {current.number}" if current else "nothing",
            new_name=f"change {found.pk}",
        ),
    )


@router.post(
    "/sources/{name}/changes/{int:change}/approve",
    response={200: PublicationOut, 201: PublicationOut, **errors(404, 409), **REFUSED},
    auth=token_or_session("publish"),
    summary="Approve a change of a source",
)
def approve_change(
    request: HttpRequest, name: str, change: int, body: DecisionIn
) -> Status[PublicationOut]:
    """Publishes the change as the tool's next revision, for its owner, its maintainers and administrators.

    409 if it was already decided, or if `seen` is not the tool's current revision.
    """
    return _approve(request, proposal_at(change, request.user, source__name=name), body)


def _approve(request: HttpRequest, proposal: Proposal, body: DecisionIn) -> Status[PublicationOut]:
    publication = approve(proposal, by=actor(request), seen=body.seen)
    status = 200 if publication.outcome == "unchanged" else 201
    return Status(status, PublicationOut.of(publication, dry_run=False))


@router.post(
    "/sources/{name}/changes/{int:change}/reject",
    response={200: HeldChangeOut, **errors(401, 403, 404, 409)},
    auth=token_or_session("publish"),
    summary="Reject a change of a source",
)
def reject_change(request: HttpRequest, name: str, change: int) -> HeldChangeOut:
    """The tool does not change, and the same definition is not put up for review again.

    For its owner, its maintainers and administrators.
    """
    return HeldChangeOut.of(
        reject(proposal_at(change, request.user, source__name=name), by=actor(request))
    )


CHANGE: Final[dict[str, Any]] = {"tags": ["changes"]}


@router.get(
    "/changes",
    response={200: HeldChangesOut, **errors(401, 403, 422)},
    auth=token_or_session("read", "publish", "admin"),
    summary="List the changes that wait for review",
    **CHANGE,
)
def list_all_changes(request: HttpRequest, query: Query[HeldChangesQuery]) -> HeldChangesOut:
    """Your own proposals, the changes that you may approve or reject, and changes of sources."""
    return page_of_changes(Proposal.objects.visible_to(request.user), query)


@router.get(
    "/changes/{int:change}",
    response={200: HeldChangeDetailsOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "publish", "admin"),
    summary="Get a change in review",
    **CHANGE,
)
def get_proposal(request: HttpRequest, change: int) -> HeldChangeDetailsOut:
    """A spec that was proposed for another person's tool, with its differences from the tool's current revision."""
    return _details(request, proposal_at(change, request.user, source=None))


@router.post(
    "/changes/{int:change}/approve",
    response={200: PublicationOut, 201: PublicationOut, **errors(404, 409), **REFUSED},
    auth=token_or_session("publish"),
    summary="Approve a change",
    **CHANGE,
)
def approve_proposal(request: HttpRequest, change: int, body: DecisionIn) -> Status[PublicationOut]:
    """Publishes the change as the tool's next revision, for its owner, its maintainers and administrators."""
    return _approve(request, proposal_at(change, request.user, source=None), body)


@router.post(
    "/changes/{int:change}/reject",
    response={200: HeldChangeOut, **errors(401, 403, 404, 409)},
    auth=token_or_session("publish"),
    summary="Reject a change",
    **CHANGE,
)
def reject_proposal(request: HttpRequest, change: int) -> HeldChangeOut:
    """The tool does not change. Only for its owner, its maintainers and administrators."""
    return HeldChangeOut.of(
        reject(proposal_at(change, request.user, source=None), by=actor(request))
    )
