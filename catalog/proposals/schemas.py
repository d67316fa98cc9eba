"""The schemas of proposals."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field

from catalog.proposals.actions import PendingSpec
from catalog.revisions.schemas import ChangeOut
from toolshelf_core.api.schemas import (
    CursorQuery,
    DifferenceText,
    In,
    OptionalText,
    Out,
    Page,
    UserName,
)

if TYPE_CHECKING:
    from catalog.sources.models import Source


def _source_name(source: Source | None) -> str | None:
    return source.name if source else None


class HeldChangesQuery(CursorQuery):
    state: Literal["held", "approved", "rejected", "replaced"] | None = None


class HeldChangeOut(Out):
    id: int = Field(validation_alias="pk")
    tool_id: str
    source: Annotated[str | None, BeforeValidator(_source_name)] = Field(
        description="The source that it comes from; null if a person proposes it."
    )
    proposed_by: UserName
    state: Literal["held", "approved", "rejected", "replaced"]
    verdict: OptionalText = Field(description="What it means for callers; null for a new tool.")
    reason: str = Field(description="Why it waits for review.")
    created_at: datetime
    decided_at: datetime | None
    decided_by: UserName


class HeldChangesOut(Page[HeldChangeOut]):
    """The newest first."""


class HeldChangeDetailsOut(HeldChangeOut):
    current: int = Field(description="The number of the tool's current revision; 0 for a new tool.")
    spec: str = Field(
        description="The text that approval publishes; empty 30 days after the decision."
    )
    changes: list[ChangeOut] = Field(
        description="Changes of meaning since the current revision, the worst first."
    )
    diff: DifferenceText = Field(description="The changes of the text, as a unified diff.")


class DecisionIn(In):
    seen: int | None = Field(
        None,
        ge=0,
        description=(
            "The current revision as you have seen it: 409 if another one was published since."
        ),
    )


class ProposalOut(Out):
    outcome: Literal["held"]
    tool_id: str
    change: int | None = Field(
        description="The id of the change that waits for review; null with `dry_run=1`."
    )
    reason: str = Field(description="Why it waits for review, and who may approve it.")

    @classmethod
    def of_proposal(cls, proposal: PendingSpec) -> ProposalOut:
        change = proposal.change.pk if proposal.change else None
        return cls(
            outcome="held", tool_id=proposal.spec.tool_id, change=change, reason=proposal.reason
        )
