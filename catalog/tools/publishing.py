"""Publish a spec as a tool's next revision, or find that it is stored already.

Tools, revisions and the search index change in one transaction, so an acknowledged revision is
stored. Every publisher locks the index first: of two who publish the same id concurrently, the
second becomes the revision after the first.

An archived tool accepts new revisions and stays archived: only `lifecycle.restore` restores it, so
that a script that uploads a folder every night does not undo a user's decision.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import DataError, IntegrityError, transaction
from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from accounts.models import User
from catalog.index import search_index
from catalog.index.document import SearchDocument, document_of
from catalog.tools.assessments import (
    ASSESSMENT_COLUMNS,
    EarlierAssessments,
    assess_early,
    copy_to_tool,
    make_assessment_row,
)
from catalog.tools.audiences import set_audience, toolkits_of
from catalog.tools.events import about_tool
from catalog.tools.indexing import MIRRORED, index, mirror
from catalog.tools.lint_models import Assessment
from catalog.tools.models import Revision, Tool
from catalog.tools.origins import PUBLISHED, RevisionOrigin
from catalog.webhooks.queue import WebhookEvent, active_webhooks, queue_events
from toolshelf_core import audit
from toolshelf_core.errors import RevisionConflict
from toolspec.errors import Problem, SpecError
from toolspec.spec import ToolSpec, stored_spec
from toolspec.text.containers import members_of
from toolspec.text.reader import dumps, parse

# Specs that a caller should publish per transaction: fast, and short enough for other writers.
BATCH = 500

_log = logging.getLogger(__name__)

Outcome = Literal["created", "revised", "unchanged"]
# Where specs come from, by their hashes; `PUBLISHED` if absent.
OriginsByHash = Mapping[str, RevisionOrigin]
InitialColumns = Mapping[str, Mapping[str, Any]]  # column values of new tools, by the tools' ids


@dataclass(frozen=True, slots=True)
class _Options:
    """How some specs are published.

    The members are those of `publish_many`, and the assessments that it has computed.
    """

    by: User | None
    expected: int | None
    dry_run: bool
    initial: InitialColumns
    documents: Mapping[str, SearchDocument]
    origins: OriginsByHash
    note: str
    assessments: EarlierAssessments

    def origin_of(self, spec: ToolSpec) -> RevisionOrigin:
        return self.origins.get(spec.sha256, PUBLISHED)


@dataclass(frozen=True, slots=True)
class Publication:
    """The result for one spec: the tool, its current revision, and the outcome."""

    tool: Tool
    revision: Revision
    outcome: Outcome


def publish(
    spec: ToolSpec,
    *,
    by: User | None,
    expected: int | None = None,
    dry_run: bool = False,
    note: str = "",
) -> Publication:
    """Store `spec` as a tool's next revision, or find that the same text is stored already.

    Args:
        spec: as returned by `read_spec`.
        by: the publisher; None for the site's own samples.
        expected: the number of the revision that the caller has seen; 0 if there was none.
        dry_run: as for `publish_many`.
        note: what changed and why, at most `NOTE_LENGTH` characters.

    Raises:
        RevisionConflict: the tool's current revision is not the expected one.
        SpecError: another tool has the address that this id would get, or the database rejects the
            spec.
    """
    [outcome] = publish_many(
        [spec], by=by, expected=expected, dry_run=dry_run, assess=True, note=note
    )
    if isinstance(outcome, SpecError):
        raise outcome
    return outcome


def publish_many(
    specs: Sequence[ToolSpec],
    *,
    by: User | None,
    expected: int | None = None,
    dry_run: bool = False,
    assess: bool = False,
    initial: InitialColumns | None = None,
    documents: Mapping[str, SearchDocument] | None = None,
    origins: OriginsByHash | None = None,
    note: str = "",
) -> list[Publication | SpecError]:
    """Publish `specs` in one transaction; pass about `BATCH` at a time.

    An id that occurs twice becomes two revisions, in order.

    Args:
        specs: as returned by `read_spec`.
        by: the publisher, who becomes the owner of new tools.
        expected: as for `publish`.
        dry_run: do everything and roll it back: the outcomes are those of a real upload at this
            moment.
        assess: also assess the specs, which doubles the time; otherwise the background does it (see
            assessments.py).
        initial: column values of new tools; the spec and `by` decide the others.
        documents: for the search, by hashes of specs, as far as the caller computed them before its
            transaction: that takes most of the time, and others can write meanwhile.
        origins: where the specs come from, which is stored with the revisions.
        note: as for `publish`, of each new revision.

    Returns:
        For each spec, in order, the publication, or why it could not be stored; an error does not
        stop the others.

    Raises:
        RevisionConflict: the current revision of a tool is not the expected one.
    """
    if not specs:
        return []
    options = _Options(
        by=by,
        expected=expected,
        dry_run=dry_run,
        initial=initial or {},
        documents=documents or {},
        origins=origins or {},
        note=note,
        assessments=assess_early(specs) if assess and not dry_run else EarlierAssessments(),
    )
    try:
        return _publish(specs, options)
    except (DataError, IntegrityError):
        return [_publish_alone(spec, options) for spec in specs]


def with_stored_layout(specs: Sequence[ToolSpec]) -> list[ToolSpec]:
    """`specs` of imports, each with its tool's current text if the two differ only in blanks.

    Imported specs were once stored on several lines; they are no changes now that they are compact.
    """
    last_of_id = {spec.tool_id: spec for spec in specs}
    current = Revision.objects.filter(tool__current_id=F("id"), tool__tool_id__in=last_of_id)
    stored = {}
    for tool_id, sha256, source in current.values_list("tool__tool_id", "sha256", "source"):
        spec = last_of_id[tool_id]
        if sha256 != spec.sha256 and dumps(parse(source), blanks=False) == spec.source:
            stored[spec.sha256] = stored_spec(source)
    return [stored.get(spec.sha256, spec) for spec in specs]


def _publish_alone(spec: ToolSpec, options: _Options) -> Publication | SpecError:
    """Publish one spec; what the database rejects becomes a `SpecError`."""
    try:
        [outcome] = _publish([spec], options)
    except (DataError, IntegrityError):
        _log.exception("The spec of %r cannot be stored.", spec.tool_id)
        message = (
            f"The database rejects this spec: the stored data of {spec.tool_id!r} may be damaged. "
            "See the server's log for details."
        )
        return SpecError([Problem("", message, "publish.not-stored")])
    return outcome


def _publish(specs: Sequence[ToolSpec], options: _Options) -> list[Publication | SpecError]:
    """Publish `specs` in one transaction; an id that occurs again in a further round."""
    outcomes: dict[int, Publication | SpecError] = {}
    waiting = list(range(len(specs)))
    with transaction.atomic():
        search_index().hold()
        while waiting:
            first_of_id = {specs[index].tool_id: index for index in reversed(waiting)}
            indexes = sorted(first_of_id.values())
            round_outcomes = _publish_distinct([specs[index] for index in indexes], options)
            outcomes |= zip(indexes, round_outcomes, strict=True)
            waiting = [index for index in waiting if index not in outcomes]
        transaction.set_rollback(options.dry_run)
    return [outcomes[index] for index in range(len(specs))]


def _publish_distinct(
    specs: Sequence[ToolSpec], options: _Options
) -> list[Publication | SpecError]:
    """As `publish_many`, for specs with distinct ids."""
    tools = _read_tools([spec.tool_id for spec in specs])
    refusals = _refuse_slugs([spec for spec in specs if spec.tool_id not in tools])
    now = timezone.now()
    new: list[tuple[ToolSpec, Tool]] = []
    revised: list[tuple[ToolSpec, Tool]] = []
    outcomes: dict[str, Outcome] = {}
    for spec in specs:
        tool = tools.get(spec.tool_id)
        if options.expected is not None:
            _check_expected(spec, tool, options.expected)
        if spec.tool_id in refusals:
            continue
        if tool is None:
            columns = {"owner": options.by, **options.initial.get(spec.tool_id, {})}
            tool = Tool(tool_id=spec.tool_id, slug=spec.slug, created_at=now, **columns)
            tools[spec.tool_id] = tool
            new.append((spec, tool))
            outcomes[spec.tool_id] = "created"
        elif _is_changed(tool, spec, options.origin_of(spec)):
            revised.append((spec, tool))
            outcomes[spec.tool_id] = "revised"
    _store(new, revised, options)
    results: list[Publication | SpecError] = []
    for spec in specs:
        if spec.tool_id in refusals:
            results.append(refusals[spec.tool_id])
            continue
        tool = tools[spec.tool_id]
        assert tool.current is not None  # noqa: S101 - for mypy: a stored tool has a revision
        outcome = outcomes.get(spec.tool_id, "unchanged")
        results.append(Publication(tool, tool.current, outcome))
    return results


def _is_changed(tool: Tool, spec: ToolSpec, origin: RevisionOrigin) -> bool:
    """Whether a spec is a new revision of a tool.

    If a source declares the text that the tool has from elsewhere, a revision records that.
    """
    current = tool.current
    if current is None or current.sha256 != spec.sha256:
        return True
    is_same_origin = (current.origin_kind, current.origin_name) == (origin.kind, origin.name)
    return origin.kind == "source" and not is_same_origin


def _read_tools(tool_ids: Sequence[str]) -> dict[str, Tool]:
    """The stored tools with these ids.

    They cannot change until the transaction ends, because every writer locks the index first.
    """
    tools = Tool.objects.filter(tool_id__in=tool_ids).select_related("current")
    return {tool.tool_id: tool for tool in tools.defer("current__source")}


def _refuse_slugs(new: Sequence[ToolSpec]) -> dict[str, SpecError]:
    """The errors of new tools whose address belongs to another tool, by tool id."""
    tools = Tool.objects.filter(slug__in=[spec.slug for spec in new])
    tool_ids = dict(tools.values_list("slug", "tool_id"))
    refusals = {}
    for spec in new:
        holder = tool_ids.setdefault(spec.slug, spec.tool_id)
        if holder != spec.tool_id:
            refusals[spec.tool_id] = SpecError([_explain_slug_conflict(spec, holder)])
    return refusals


def _explain_slug_conflict(spec: ToolSpec, holder: str) -> Problem:
    member = "id" if "id" in members_of(spec.document["definition"]) else "name"
    message = (
        f"The tool {holder!r} already has the URL /tools/{spec.slug}/ that this id would get; "
        "choose another id."
    )
    return Problem(f"/definition/{member}", message, "publish.address-taken")


def _check_expected(spec: ToolSpec, tool: Tool | None, expected: int) -> None:
    number = tool.current.number if tool and tool.current else 0
    if number != expected:
        seen = f"revision {expected}" if expected else "no such tool"
        there = f"revision {number}" if number else "no such tool"
        raise RevisionConflict(
            f"{spec.tool_id!r} has changed: you saw {seen}, but there is {there} now."
        )


def _store(
    new: Sequence[tuple[ToolSpec, Tool]],
    revised: Sequence[tuple[ToolSpec, Tool]],
    options: _Options,
) -> None:
    """Write new tools, the next revision of each tool, and the index."""
    now = timezone.now()
    new_tools = [tool for _, tool in new]
    pairs = [*new, *revised]
    assessments = options.assessments.take_valid([spec for spec, _ in pairs])
    for spec, tool in pairs:
        mirror(spec, tool)
        if assessments or tool.score is not None:
            copy_to_tool(tool, assessments.get(spec.sha256))
        tool.updated_at = now
    toolkits = toolkits_of(new_tools)
    for tool in new_tools:
        if toolkits or tool.visibility:
            set_audience(tool, toolkits)
    Tool.objects.bulk_create(new_tools)
    revisions = [_make_revision(spec, tool, options) for spec, tool in pairs]
    Revision.objects.bulk_create(revisions)
    for revision in revisions:
        revision.tool.current = revision
    first = Revision.objects.filter(tool=OuterRef("pk"), number=1).values("pk")
    new_pks = [tool.pk for tool in new_tools]
    Tool.objects.filter(pk__in=new_pks).update(current=Subquery(first))
    for _, tool in revised:
        tool.save(update_fields=[*MIRRORED, *ASSESSMENT_COLUMNS, "current", "updated_at"])
    rows = []
    for revision in revisions:
        if revision.sha256 in assessments:
            rows.append(make_assessment_row(revision.pk, assessments[revision.sha256]))
    Assessment.objects.bulk_create(rows)
    documents = []
    for spec, tool in pairs:
        documents.append((options.documents.get(spec.sha256) or document_of(spec), tool))
    index(documents)
    audit.record_many(list(map(_make_audit_event, revisions)), by=options.by)
    if revisions and (webhooks := active_webhooks()):
        queue_events(list(map(_make_webhook_event, revisions)), webhooks)


def _make_revision(spec: ToolSpec, tool: Tool, options: _Options) -> Revision:
    """The unsaved revision that follows the tool's current one."""
    origin = options.origin_of(spec)
    return Revision(
        tool=tool,
        number=tool.current.number + 1 if tool.current else 1,
        source=spec.source,
        sha256=spec.sha256,
        created_by=options.by,
        origin_kind=origin.kind,
        origin_name=origin.name,
        note=options.note,
    )


def _make_webhook_event(revision: Revision) -> WebhookEvent:
    tool, number = revision.tool, revision.number
    origin = {"kind": revision.origin_kind, "name": revision.origin_name or None}
    if number == 1:
        return about_tool("tool.created", tool, revision=1, origin=origin)
    return about_tool("tool.revised", tool, revision=number, previous=number - 1, origin=origin)


def _make_audit_event(revision: Revision) -> audit.Event:
    tool_id = revision.tool.tool_id
    after = {"revision": revision.number, "sha256": revision.sha256, "origin": revision.origin_kind}
    if revision.number == 1:
        return "tool.create", "tool", tool_id, None, after
    return "tool.revise", "tool", tool_id, {"revision": revision.number - 1}, after
