"""Changes that wait for approval: hold them, approve them, reject them.

They are changes of sources, and specs that people propose for tools of others (`publish_or_hold`):
both are a spec, the revision that it would follow, and a decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person, User
from catalog.access.models import Toolkit
from catalog.access.rights import Answer, limit_of_toolkits, may, require
from catalog.index import vocabulary
from catalog.proposals.models import Proposal
from catalog.revisions.differences import difference_from, verdicts_on
from catalog.tools.models import Revision, Tool
from catalog.tools.origins import PUBLISHED, RevisionOrigin
from catalog.tools.publishing import OriginsByHash, Publication, publish, publish_many
from catalog.webhooks.queue import WebhookEvent, queue_events
from toolshelf_core import audit
from toolshelf_core.errors import NotAllowed, RevisionConflict
from toolspec.catalog_names import group_key, toolkit_of
from toolspec.diff import Difference
from toolspec.errors import Problem, SpecError
from toolspec.spec import ToolSpec

if TYPE_CHECKING:
    from catalog.sources.models import Source

MAX_TO_REVIEW: Final = 100  # changes that a page counts
MAX_VERDICTS: Final = 200  # of one upload: a semantic diff takes 1 to 50 ms
REASON_LENGTH: Final = 200
TEXT_DAYS: Final = 30  # after the decision
WHO_DECIDES: Final = (
    "The owner, a maintainer or an administrator decides."  # for the person who proposes
)


class AlreadyDecided(RevisionConflict):
    """The change was approved, rejected or replaced before."""


def hold(
    spec: ToolSpec,
    *,
    origin: RevisionOrigin,
    base: Revision | None,
    verdict: str,
    reason: str,
    source: Source | None = None,
    proposed_by: User | None = None,
    definition_sha256: str = "",
    note: str = "",
) -> Proposal:
    """Hold `spec` until a person approves or rejects it.

    It replaces an earlier change of the same tool and source.

    Args:
        spec: the candidate.
        origin: what its revision will record.
        base: the tool's current revision; None for a new tool.
        verdict: of the semantic diff with `base`; "" for a new tool.
        reason: why it is held, in a sentence.
        source: the source that it comes from.
        proposed_by: the user who proposes it.
        definition_sha256: the hash of its definition at the source.
        note: what its author wrote about the change.
    """
    with transaction.atomic():
        close_held(spec.tool_id, source, proposed_by)
        change = Proposal.objects.create(
            tool_id=spec.tool_id,
            toolkit_key=group_key(toolkit_of(spec.tool_id)),
            source=source,
            proposed_by=proposed_by,
            base=base,
            text=spec.source,
            sha256=spec.sha256,
            definition_sha256=definition_sha256,
            origin_kind=origin.kind,
            origin_name=origin.name,
            verdict=verdict,
            reason=reason,
            note=note,
        )
        audit.record(
            "change.hold", "tool", spec.tool_id, before=_base_of(change), after=_facts_of(change)
        )
        queue_events([_webhook_event(change)])
        return change


def _webhook_event(change: Proposal) -> WebhookEvent:
    """A tool that does not exist yet has no slug; its toolkit is that of its id."""
    tool = change.base.tool if change.base else None
    toolkit = tool.toolkit if tool else toolkit_of(change.tool_id)
    slug = tool.slug if tool else None
    source = change.source.name if change.source else None
    about_tool = {"id": change.tool_id, "slug": slug, "toolkit": toolkit or None}
    about_change = {
        "id": change.pk,
        "reason": change.reason,
        "verdict": change.verdict or None,
        "source": source,
        "path": change.get_absolute_url(),
    }
    return WebhookEvent("change.held", toolkit, {"tool": about_tool, "change": about_change})


def _facts_of(change: Proposal) -> dict[str, object]:
    """For the audit log."""
    source = change.source.name if change.source else None
    return {
        "change": change.pk,
        "source": source,
        "sha256": change.sha256,
        "verdict": change.verdict,
    }


def _base_of(change: Proposal) -> dict[str, object] | None:
    return {"revision": change.base.number} if change.base else None


def close_held(tool_id: str, source: Source | None, proposed_by: User | None = None) -> None:
    """Close the held change of this tool from the same source or person: a later one has come."""
    held = Proposal.objects.filter(
        tool_id=tool_id, source=source, proposed_by=proposed_by, state=Proposal.HELD
    )
    held.update(state=Proposal.REPLACED, decided_at=timezone.now())


def prune_texts() -> None:
    """Delete the texts of changes that were decided more than `TEXT_DAYS` days ago.

    What was decided stays.
    """
    limit = timezone.now() - timedelta(days=TEXT_DAYS)
    Proposal.objects.exclude(state=Proposal.HELD).filter(decided_at__lt=limit).update(text="")


@dataclass(frozen=True, slots=True)
class PendingSpec:
    """A spec that waits for approval instead of being published.

    `change`: None in a dry run, which stores nothing.
    """

    spec: ToolSpec
    reason: str
    change: Proposal | None

    def get_absolute_url(self) -> str:
        return self.change.get_absolute_url() if self.change else reverse("catalog:review_list")


def publish_or_hold(
    spec: ToolSpec,
    *,
    by: User,
    expected: int | None = None,
    dry_run: bool = False,
    note: str = "",
) -> Publication | PendingSpec:
    """Publish `spec` if `by` may, else hold it for those who may; as `publish`.

    Raises:
        NotAllowed: `by` may not even propose it.
        RevisionConflict, SpecError: as `publish`.
    """
    decisions = Decisions.about([spec], by)
    tool = decisions.tools.get(spec.tool_id)
    if tool is None or not may(by, "revise", tool):
        require(by, "upload")
    if refusal := decisions.refusal(spec):
        raise NotAllowed(refusal)
    reason = decisions.reason_to_hold(spec)
    if reason is None:
        return publish(spec, by=by, expected=expected, dry_run=dry_run, note=note)
    current = tool.current.number if tool and tool.current else 0
    if expected is not None and expected != current:
        raise RevisionConflict(
            f"You saw revision {expected}, but revision {current} is current now."
        )
    verdicts = verdicts_on([spec])
    return decisions.proposal(spec, reason, PUBLISHED, verdicts, dry_run=dry_run, note=note)


def own_proposal(tool: Tool, by: Person) -> Proposal | None:
    """The change of `tool` that `by` has proposed and nobody has decided.

    Another proposal would replace it.
    """
    if not isinstance(by, User):
        return None
    held = Proposal.objects.filter(
        tool_id=tool.tool_id, source=None, proposed_by=by, state=Proposal.HELD
    )
    return held.defer("text").first()


def publish_or_hold_many(
    specs: Sequence[ToolSpec],
    *,
    by: User | None,
    dry_run: bool,
    origins: OriginsByHash,
    **options: Any,
) -> list[Publication | PendingSpec | SpecError]:
    """As `publish_many`, with the same arguments; specs that `by` may not publish are held."""
    if by is None:
        return [*publish_many(specs, by=by, dry_run=dry_run, origins=origins, **options)]
    decisions = Decisions.about(specs, by)
    reasons = {
        spec.sha256: decisions.refusal(spec) or decisions.reason_to_hold(spec) for spec in specs
    }
    held = [spec for spec in specs if reasons[spec.sha256]]
    verdicts = verdicts_on(held[:MAX_VERDICTS]) if held else {}
    allowed = [spec for spec in specs if not reasons[spec.sha256]]
    published = iter(publish_many(allowed, by=by, dry_run=dry_run, origins=origins, **options))
    outcomes: list[Publication | PendingSpec | SpecError] = []
    for spec in specs:
        reason = reasons[spec.sha256]
        if reason is None:
            outcomes.append(next(published))
        elif refusal := decisions.refusal(spec):
            outcomes.append(SpecError([Problem("/definition/id", refusal, "publish.not-allowed")]))
        else:
            origin = origins.get(spec.sha256, PUBLISHED)
            outcomes.append(decisions.proposal(spec, reason, origin, verdicts, dry_run=dry_run))
    return outcomes


@dataclass(frozen=True, slots=True)
class Decisions:
    """Which of some specs a person may publish; a few queries for all of them together."""

    by: User
    tools: dict[str, Tool]  # those that exist, by id
    maintained: frozenset[int]
    new: dict[str, Answer]  # about each toolkit of new tools, by key

    @classmethod
    def about(cls, specs: Sequence[ToolSpec], by: User) -> Decisions:
        found = Tool.objects.filter(tool_id__in=[spec.tool_id for spec in specs])
        tools = {
            tool.tool_id: tool
            for tool in found.select_related("owner", "current").defer("current__source")
        }
        maintained = Tool.objects.filter(pk__in=[tool.pk for tool in tools.values()]).maintained_by(
            by
        )
        first_of_toolkit = {
            group_key(toolkit_of(spec.tool_id)): spec.tool_id
            for spec in specs
            if spec.tool_id not in tools
        }
        owned = (
            Toolkit.objects.filter(key__in=first_of_toolkit)
            .with_owner()
            .values_list("key", flat=True)
        )
        new = dict.fromkeys(first_of_toolkit, may(by, "upload"))
        new |= {key: may(by, "upload", first_of_toolkit[key]) for key in owned}
        return cls(by, tools, frozenset(maintained.values_list("pk", flat=True)), new)

    def refusal(self, spec: ToolSpec) -> str:
        """Why the spec cannot even be proposed; "" if it can.

        The token may be limited to other toolkits.
        """
        tool = self.tools.get(spec.tool_id)
        limit = limit_of_toolkits(
            self.by, tool.toolkit_key if tool else group_key(toolkit_of(spec.tool_id))
        )
        return limit.reason if limit is not None else ""

    def reason_to_hold(self, spec: ToolSpec) -> str | None:
        """Why the spec is not published; None if it is, or changes nothing."""
        tool = self.tools.get(spec.tool_id)
        if tool is None:
            return self.new[group_key(toolkit_of(spec.tool_id))].reason or None
        if tool.current and tool.current.sha256 == spec.sha256 and tool.audience_id is None:
            return None
        if tool.pk in self.maintained:
            return None
        return may(self.by, "revise", tool).reason or None

    def proposal(
        self,
        spec: ToolSpec,
        reason: str,
        origin: RevisionOrigin,
        verdicts: Mapping[str, str],
        *,
        dry_run: bool,
        note: str = "",
    ) -> PendingSpec:
        if dry_run:
            return PendingSpec(spec, reason, None)
        tool = self.tools.get(spec.tool_id)
        change = hold(
            spec,
            origin=origin,
            base=tool.current if tool else None,
            verdict=verdicts.get(spec.sha256, "unknown")
            if tool and may(self.by, "see", tool)
            else "",
            reason=reason[:REASON_LENGTH],
            proposed_by=self.by,
            note=note,
        )
        return PendingSpec(spec, reason, change)


def approve(change: Proposal, *, by: User, seen: int | None = None) -> Publication:
    """Publish the spec of a held change as the tool's next revision.

    Args:
        change: as the caller read it.
        by: who approves it; the revision names this user.
        seen: the number of the tool's current revision that the caller has seen; 0 if there was
            none; None skips the check.

    Raises:
        NotAllowed: `by` may not decide.
        AlreadyDecided: it is not held any more.
        RevisionConflict: the tool has another current revision now.
        SpecError: the spec cannot be published.
    """
    require(by, "approve", change)
    with transaction.atomic():
        stored = _held_again(change)
        current = current_revision(stored.tool_id)
        number = current.number if current else 0
        if seen not in {None, number}:
            message = (
                f"{stored.tool_id!r} has a newer revision than the one you saw. "
                "Check the difference again."
            )
            raise RevisionConflict(message)
        spec = stored.spec
        # mypy reads the stored kind as any string
        origin = RevisionOrigin(stored.origin_kind, stored.origin_name)  # type: ignore[arg-type]
        owner = stored.source.owner if stored.source else stored.proposed_by
        [outcome] = publish_many(
            [spec],
            by=by,
            assess=True,
            origins={spec.sha256: origin},
            initial={spec.tool_id: {"owner": owner}},
            note=stored.note or "",
        )
        if isinstance(outcome, SpecError):
            raise outcome
        _decide(stored, Proposal.APPROVED, by)
        after = {**_facts_of(stored), "revision": outcome.revision.number}
        audit.record(
            "change.approve", "tool", stored.tool_id, before=_base_of(stored), after=after, by=by
        )
        if stored.source:
            is_theirs = stored.source.takes(outcome.tool, published=True)
            stored.source.tools.filter(tool_id=stored.tool_id).update(
                catalog_tool=outcome.tool if is_theirs else None,
                published_sha256=stored.definition_sha256,
            )
            vocabulary.change_state()  # the tool may run now
        return outcome


def reject(change: Proposal, *, by: User) -> Proposal:
    """Reject a held change: the tool stays as it is, and the same definition is not held again.

    Raises:
        NotAllowed: `by` may not decide.
        AlreadyDecided: it is not held any more.
    """
    require(by, "approve", change)
    with transaction.atomic():
        stored = _held_again(change)
        _decide(stored, Proposal.REJECTED, by)
        audit.record("change.reject", "tool", stored.tool_id, after=_facts_of(stored), by=by)
        return stored


def changes_to_review(person: Person | None) -> list[Proposal]:
    """The changes that wait until `person` approves or rejects them, the latest first.

    At most `MAX_TO_REVIEW`.
    """
    waiting = Proposal.objects.filter(state=Proposal.HELD)
    if not waiting.exists():  # most often; the query below takes much longer
        return []
    theirs = waiting.decidable_by(person)
    return list(theirs.select_related("source").defer("text", "source__document")[:MAX_TO_REVIEW])


def current_revision(tool_id: str, person: Person | None = None) -> Revision | None:
    """The tool's current revision; None if there is no such tool, or `person` may not see it."""
    tool = Tool.objects.visible_to(person).filter(tool_id=tool_id).select_related("current").first()
    return tool.current if tool else None


def difference_of_change(change: Proposal, current: Revision | None) -> Difference | None:
    """The semantic diff between the tool's current revision and the change; None for a new tool."""
    return difference_from(current, change.spec) if current else None


def _held_again(change: Proposal) -> Proposal:
    """The change as it is stored now, locked where the database can lock a row."""
    stored = (
        Proposal.objects.select_related("source", "source__owner", "proposed_by")
        .defer("source__document")
        .select_for_update(of=("self",))
        .get(pk=change.pk)
    )
    if not stored.is_held:
        raise AlreadyDecided(
            f"This change is no longer in review: {Proposal.STATES[stored.state].lower()}."
        )
    return stored


def _decide(change: Proposal, state: str, by: User) -> None:
    change.state, change.decided_by, change.decided_at = state, by, timezone.now()
    change.save(update_fields=["state", "decided_by", "decided_at"])
