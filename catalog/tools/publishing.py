"""Publish a spec as a tool's next revision, or find that it is stored already.

Tools, revisions and the search index change in one transaction, so an acknowledged revision is
stored. Every publisher locks the index first: of two who publish the same id concurrently, the
second becomes the revision after the first.

An archived tool accepts new revisions and stays archived: only `lifecycle.restore` restores it, so
that a script that uploads a folder every night does not undo a user's decision.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
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
    assessment_row,
    copy_to_tool,
    earlier_assessments,
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
from toolspec.text.reader import dumps, parse

BATCH = 500  # specs that a caller should publish per transaction: fast, and short enough for other writers to get in

_log = logging.getLogger(__name__)

Outcome = Literal["created", "revised", "unchanged"]
OriginsByHash = Mapping[
    str, RevisionOrigin
]  # where specs come from, by their hashes; `PUBLISHED` if absent
InitialColumns = Mapping[str, Mapping[str, Any]]  # column values of new tools, by the tools' ids


@dataclass(frozen=True, slots=True)
class _Options:
    """How some specs are published; the members are those of `publish_many`, and the assessments it has computed."""

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
    """Store `spec` as a tool's next revision, or find that it is stored already (the same text, byte for byte).

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
        assessments=earlier_assessments(specs) if assess and not dry_run else EarlierAssessments(),
    )
    try:
        return _publish(specs, options)
    except (DataError, IntegrityError):
        return [_publish_alone(spec, options) for spec in specs]


def with_stored_layout(specs: Sequence[ToolSpec]) -> list[ToolSpec]:
    """`specs` of imports, each with the text of its tool's current revision if the two differ only in blanks.

    Imported specs were once stored on several lines; they are no changes now that they are compact.
    """
    compact = {spec.tool_id: spec for spec in specs}
    current = Revision.objects.filter(tool__current_id=F("id"), tool__tool_id__in=compact)
    stored = dict(compact)
    for tool_id, sha256, source in current.values_list("tool__tool_id", "sha256", "source"):
        if (
            sha256 != compact[tool_id].sha256
            and dumps(parse(source), blanks=False) == compact[tool_id].source
        ):
            stored[tool_id] = stored_spec(source)
    return [stored[spec.tool_id] if spec is compact[spec.tool_id] else spec for spec in specs]


def _publish_alone(spec: ToolSpec, options: _Options) -> Publication | SpecError:
    """Publish one spec; what the database rejects becomes a `SpecError`."""
    try:
        [outcome] = _publish([spec], options)
    except (DataError, IntegrityError):
        _log.exception("The spec of %r cannot be stored.", spec.tool_id)
        message = (
            f"The database rejects this spec: the stored data of {spec.tool_id!r} may be damaged. See the server's "
            "log for details."
        )
        return SpecError([Problem("", message, "publish.not-stored")])
    return outcome


def _publish(specs: Sequence[ToolSpec], options: _Options) -> list[Publication | SpecError]:
    """Publish `specs` in one transaction. An id that occurs again is published in a further round."""
    outcomes: dict[int, Publication | SpecError] = {}
    waiting = list(range(len(specs)))
    with transaction.atomic():
        search_index().hold()
        while waiting:
            first_of_id = {specs[index].tool_id: index for index in reversed(waiting)}
            these = sorted(first_of_id.values())
            published = _publish_distinct([specs[index] for index in these], options)
            outcomes |= zip(these, published, strict=True)
            waiting = [index for index in waiting if index not in outcomes]
        transaction.set_rollback(options.dry_run)
    return [outcomes[index] for index in range(len(specs))]


def _publish_distinct(
    specs: Sequence[ToolSpec], options: _Options
) -> list[Publication | SpecError]:
    """As `publish_many`, for specs with distinct ids."""
    tools = _tools_with_ids([spec.tool_id for spec in specs])
    refusals = _slug_refusals([spec for spec in specs if spec.tool_id not in tools])
    now = timezone.now()
    new: list[tuple[ToolSpec, Tool]] = []
    changed: list[tuple[ToolSpec, Tool]] = []
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
        elif (
            tool.current is None
            or tool.current.sha256 != spec.sha256
            or _changes_origin(tool.current, options.origin_of(spec))
        ):
            changed.append((spec, tool))
    outcomes: dict[str, Outcome] = {spec.tool_id: "created" for spec, _ in new}
    outcomes |= {spec.tool_id: "revised" for spec, _ in changed}
    _store(new, changed, options)
    return [
        refusals.get(spec.tool_id)
        or _publication(tools[spec.tool_id], outcomes.get(spec.tool_id, "unchanged"))
        for spec in specs
    ]


def _changes_origin(current: Revision, origin: RevisionOrigin) -> bool:
    """Whether a source declares the text that the tool has from elsewhere: its own revision records that."""
    return origin.kind == "source" and (current.origin_kind, current.origin_name) != (
        origin.kind,
        origin.name,
    )


def _publication(tool: Tool, outcome: Outcome) -> Publication:
    assert tool.current is not None  # noqa: S101 - for mypy: a stored tool has a current revision
    return Publication(tool, tool.current, outcome)


def _tools_with_ids(tool_ids: Iterable[str]) -> dict[str, Tool]:
    """The stored tools. They cannot change until the transaction ends, because every writer locks the index first."""
    tools = (
        Tool.objects.filter(tool_id__in=list(tool_ids))
        .select_related("current")
        .defer("current__source")
    )
    return {tool.tool_id: tool for tool in tools}


def _slug_refusals(new: Sequence[ToolSpec]) -> dict[str, SpecError]:
    """The errors of new tools whose address belongs to another tool, by tool id."""
    tool_ids = dict(
        Tool.objects.filter(slug__in=[spec.slug for spec in new]).values_list("slug", "tool_id")
    )
    refusals = {}
    for spec in new:
        holder = tool_ids.setdefault(spec.slug, spec.tool_id)
        if holder != spec.tool_id:
            refusals[spec.tool_id] = SpecError([_slug_conflict(spec, holder)])
    return refusals


def _slug_conflict(spec: ToolSpec, holder: str) -> Problem:
    definition = spec.document["definition"]
    pointer = (
        "/definition/id"
        if isinstance(definition, dict) and "id" in definition
        else "/definition/name"
    )
    message = f"The tool {holder!r} already has the URL /tools/{spec.slug}/ that this id would get; choose another id."
    return Problem(pointer, message, "publish.address-taken")


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
    changed: Sequence[tuple[ToolSpec, Tool]],
    options: _Options,
) -> None:
    """Write new tools, the next revision of each tool, and the index."""
    now = timezone.now()
    both = [*new, *changed]
    assessments = options.assessments.still_valid([spec for spec, _ in both])
    for spec, tool in both:
        mirror(spec, tool)
    toolkits = toolkits_of([tool for _, tool in new])
    for _, tool in new:
        if toolkits or tool.visibility:
            set_audience(tool, toolkits)
    for spec, tool in both:
        if assessments or tool.score is not None:
            copy_to_tool(tool, assessments.get(spec.sha256))
        tool.updated_at = now
    Tool.objects.bulk_create([tool for _, tool in new])
    revisions = [_next_revision(spec, tool, options) for spec, tool in both]
    Revision.objects.bulk_create(revisions)
    for (_, tool), revision in zip(both, revisions, strict=True):
        tool.current = revision
    first = Revision.objects.filter(tool=OuterRef("pk"), number=1).values("pk")
    Tool.objects.filter(pk__in=[tool.pk for _, tool in new]).update(current=Subquery(first))
    for _, tool in changed:
        tool.save(update_fields=[*MIRRORED, *ASSESSMENT_COLUMNS, "current", "updated_at"])
    Assessment.objects.bulk_create(
        [
            assessment_row(revision.pk, assessments[revision.sha256])
            for revision in revisions
            if revision.sha256 in assessments
        ]
    )
    index([(options.documents.get(spec.sha256) or document_of(spec), tool) for spec, tool in both])
    events = [_event(tool, revision) for (_, tool), revision in zip(both, revisions, strict=True)]
    audit.record_many(events, by=options.by)
    if both and (webhooks := active_webhooks()):
        pairs = zip(both, revisions, strict=True)
        queue_events([_webhook_event(tool, revision) for (_, tool), revision in pairs], webhooks)


def _next_revision(spec: ToolSpec, tool: Tool, options: _Options) -> Revision:
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


def _webhook_event(tool: Tool, revision: Revision) -> WebhookEvent:
    origin = {"kind": revision.origin_kind, "name": revision.origin_name or None}
    if revision.number == 1:
        return about_tool("tool.created", tool, revision=1, origin=origin)
    return about_tool(
        "tool.revised", tool, revision=revision.number, previous=revision.number - 1, origin=origin
    )


def _event(tool: Tool, revision: Revision) -> audit.Event:
    """For the audit log."""
    after = {"revision": revision.number, "sha256": revision.sha256, "origin": revision.origin_kind}
    if revision.number == 1:
        return "tool.create", "tool", tool.tool_id, None, after
    return "tool.revise", "tool", tool.tool_id, {"revision": revision.number - 1}, after
