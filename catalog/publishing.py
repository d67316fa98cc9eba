"""Publishing specs: a tool's next revision, or the finding that it is stored already.

What is acknowledged is stored: tools, revisions and the search index change in one transaction. When two publish the
same id at once, the database decides who is first and the other becomes the revision after it.

An archived tool takes new revisions and stays archived: only `lifecycle.restore` brings it back, so that a script that
uploads a folder every night does not undo what a person decided.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from catalog.accounts.models import User
from catalog.assessments import (
    JUDGED_COLUMNS,
    EarlierAssessments,
    copy_to_tools,
    earlier_assessments,
    store_assessments,
)
from catalog.db.bulk_insert import insert, new_row, reserved_keys
from catalog.errors import Problem, RevisionConflict, SpecError
from catalog.indexing import MIRRORED, index, mirror
from catalog.models import Revision, Tool
from catalog.search import search_index
from catalog.search.document import SpecTerms, spec_terms_of
from catalog.specs.spec import ToolSpec

BATCH = (
    500  # specs per transaction that callers should hand over: long enough to be quick, short enough to let others in
)
TRIES = 3

_log = logging.getLogger(__name__)

Outcome = Literal["created", "revised", "unchanged"]
Wordings = Mapping[str, SpecTerms]  # what tools are to be found by, by the hashes of their specs
Beginnings = Mapping[str, Mapping[str, Any]]  # columns that a tool begins with if it is new, by its id


@dataclass(frozen=True, slots=True)
class _Known:
    """What there is of some specs before the transaction that publishes them."""

    judged: EarlierAssessments
    wordings: Wordings
    beginnings: Beginnings


@dataclass(frozen=True, slots=True)
class Publication:
    """What became of one spec: the tool, its current revision, and what happened."""

    tool: Tool
    revision: Revision
    outcome: Outcome


def publish(spec: ToolSpec, *, by: User | None, expected: int | None = None, dry_run: bool = False) -> Publication:
    """Store `spec` as a tool's next revision, or find that it is stored already (the same text, byte for byte).

    Args:
        spec: as `read_spec` gives it.
        by: who publishes; None for the site's own samples.
        expected: the number of the revision that the caller has seen; 0 where there was none.
        dry_run: as of `publish_many`.

    Raises:
        RevisionConflict: the tool's current revision is not the expected one.
        SpecError: another tool has the address that this id would get.
    """
    judged = EarlierAssessments() if dry_run else earlier_assessments([spec])
    known = _Known(judged, spec_terms_of_tools([spec]), {})
    [outcome] = _publish_safely([spec], by=by, expected=expected, dry_run=dry_run, known=known)
    if isinstance(outcome, SpecError):
        raise outcome
    return outcome


def publish_many(
    specs: Sequence[ToolSpec],
    *,
    by: User | None,
    dry_run: bool = False,
    judge: bool = False,
    beginnings: Beginnings | None = None,
    wordings: Wordings | None = None,
) -> list[Publication | SpecError]:
    """Publish `specs` in one transaction; hand over about `BATCH` at a time.

    An id that comes twice becomes two revisions, in order. With `dry_run` everything is done and then undone: the
    outcomes are those that a real one would have at this moment, and what they speak of is not stored. With `judge`
    they are judged as well (see judging.py), which takes as long again; else that is done later. A tool that is new
    begins with its `beginnings`; what they do not name is as the spec has it, and its owner is who publishes. Who
    is in a transaction already brings the `wordings` along: they are made before it, while others may write.

    Returns:
        For each spec, in order, what became of it; or why it could not be stored, which does not stop the rest.
    """
    judged = earlier_assessments(specs) if judge and not dry_run else EarlierAssessments()
    known = _Known(judged, spec_terms_of_tools(specs) if wordings is None else wordings, beginnings or {})
    return _publish_apart(specs, by=by, dry_run=dry_run, known=known)


def spec_terms_of_tools(specs: Sequence[ToolSpec]) -> Wordings:
    """What those of `specs` are to be found by that would be published at this moment, by their hashes."""
    tools = Tool.objects.filter(tool_id__in=[spec.tool_id for spec in specs])
    stored = dict(tools.values_list("tool_id", "current__sha256"))
    return {spec.sha256: spec_terms_of(spec) for spec in specs if stored.get(spec.tool_id) != spec.sha256}


def _publish_apart(
    specs: Sequence[ToolSpec], *, by: User | None, dry_run: bool, known: _Known
) -> list[Publication | SpecError]:
    """As `_publish_safely`, without those specs that the database does not take whenever it is asked."""
    try:
        return _publish_safely(specs, by=by, dry_run=dry_run, known=known)
    except (DataError, RevisionConflict) as error:
        if len(specs) == 1:
            _log.exception("The spec of %r cannot be stored.", specs[0].tool_id, exc_info=error.__cause__ or error)
            return [SpecError([_not_stored(specs[0])])]
    half = len(specs) // 2
    return [
        outcome
        for some in (specs[:half], specs[half:])
        for outcome in _publish_apart(some, by=by, dry_run=dry_run, known=known)
    ]


def _not_stored(spec: ToolSpec) -> Problem:
    message = (
        f"The database does not take this spec, however often it is tried: what is stored of {spec.tool_id!r} may be "
        "damaged. The log of the server says more."
    )
    return Problem("", message, "publish.not-stored")


def _publish_safely(
    specs: Sequence[ToolSpec], *, by: User | None, expected: int | None = None, dry_run: bool = False, known: _Known
) -> list[Publication | SpecError]:
    refused: IntegrityError | None = None
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                search_index().hold()
                outcomes = _publish(specs, by=by, expected=expected, known=known)
                transaction.set_rollback(dry_run)
                return outcomes
        except IntegrityError as error:  # somebody's revision landed between our look and our write: look again
            refused = error
    message = "Others are publishing the same tools at this moment; nothing was stored. Try again."
    raise RevisionConflict(message) from refused


def _publish(
    specs: Sequence[ToolSpec], *, by: User | None, expected: int | None, known: _Known
) -> list[Publication | SpecError]:
    outcomes: dict[int, Publication | SpecError] = {}
    waiting = list(range(len(specs)))
    while waiting:
        first_of_id = {specs[index].tool_id: index for index in reversed(waiting)}
        these = sorted(first_of_id.values())
        published = _publish_distinct([specs[i] for i in these], by, expected, known)
        outcomes |= zip(these, published, strict=True)
        waiting = [index for index in waiting if index not in outcomes]
    return [outcomes[index] for index in range(len(specs))]


def _publish_distinct(
    specs: Sequence[ToolSpec], by: User | None, expected: int | None, known: _Known
) -> list[Publication | SpecError]:
    """As `publish_many`, for specs of which no two have the same id."""
    tools = _tools_with_ids([spec.tool_id for spec in specs])
    refusals = _slug_refusals([spec for spec in specs if spec.tool_id not in tools])
    now = timezone.now()
    new: list[tuple[ToolSpec, Tool]] = []
    changed: list[tuple[ToolSpec, Tool]] = []
    for spec in specs:
        tool = tools.get(spec.tool_id)
        if expected is not None:
            _check_expected(spec, tool, expected)
        if spec.tool_id in refusals:
            continue
        if tool is None:
            tools[spec.tool_id] = tool = new_row(Tool, tool_id=spec.tool_id, slug=spec.slug, created_at=now)
            for name, value in {"owner": by, **known.beginnings.get(spec.tool_id, {})}.items():
                setattr(tool, name, value)
            new.append((spec, tool))
        elif tool.current is None or tool.current.sha256 != spec.sha256:
            changed.append((spec, tool))
    outcomes: dict[str, Outcome] = {spec.tool_id: "created" for spec, _ in new}
    outcomes |= {spec.tool_id: "revised" for spec, _ in changed}
    _store(new, changed, by, known)
    return [
        refusals.get(spec.tool_id) or _publication(tools[spec.tool_id], outcomes.get(spec.tool_id, "unchanged"))
        for spec in specs
    ]


def _publication(tool: Tool, outcome: Outcome) -> Publication:
    assert tool.current is not None  # noqa: S101 - for mypy: a stored tool has a current revision
    return Publication(tool, tool.current, outcome)


def _tools_with_ids(tool_ids: Iterable[str]) -> dict[str, Tool]:
    """The stored tools. They stay as they are until the transaction ends: who changes tools holds the index."""
    tools = Tool.objects.filter(tool_id__in=list(tool_ids)).select_related("current").defer("current__source")
    return {tool.tool_id: tool for tool in tools}


def _slug_refusals(new: Sequence[ToolSpec]) -> dict[str, SpecError]:
    """Why some of these new tools cannot have an address of their own, by tool id."""
    taken = dict(Tool.objects.filter(slug__in=[spec.slug for spec in new]).values_list("slug", "tool_id"))
    refusals = {}
    for spec in new:
        holder = taken.setdefault(spec.slug, spec.tool_id)
        if holder != spec.tool_id:
            refusals[spec.tool_id] = SpecError([_slug_taken(spec, holder)])
    return refusals


def _slug_taken(spec: ToolSpec, holder: str) -> Problem:
    definition = spec.document["definition"]
    pointer = "/definition/id" if isinstance(definition, dict) and "id" in definition else "/definition/name"
    message = (
        f"The address /tools/{spec.slug}/ that this id leads to is taken by the tool {holder!r}; choose another id."
    )
    return Problem(pointer, message, "publish.address-taken")


def _check_expected(spec: ToolSpec, tool: Tool | None, expected: int) -> None:
    number = tool.current.number if tool and tool.current else 0
    if number != expected:
        seen = f"revision {expected}" if expected else "no such tool"
        there = f"revision {number}" if number else "no such tool"
        raise RevisionConflict(f"You saw {seen} of {spec.tool_id!r}; there is {there} now.")


def _store(
    new: Sequence[tuple[ToolSpec, Tool]],
    changed: Sequence[tuple[ToolSpec, Tool]],
    by: User | None,
    known: _Known,
) -> None:
    """Write new tools, the next revision of each tool, and the index."""
    now = timezone.now()
    both = [*new, *changed]
    judged = known.judged.still([spec for spec, _ in both])
    for spec, tool in both:
        mirror(spec, tool)
        if judged or tool.score is not None:
            copy_to_tools(tool, judged.get(spec.sha256))
        tool.updated_at = now
    for (_, tool), key in zip(new, reserved_keys(Tool, len(new)), strict=True):
        tool.pk = key
    revisions = [
        new_row(
            Revision,
            id=key,
            tool_id=tool.pk,
            number=tool.current.number + 1 if tool.current else 1,
            source=spec.source,
            sha256=spec.sha256,
            created_at=now,
            created_by_id=by and by.pk,
        )
        for (spec, tool), key in zip(both, reserved_keys(Revision, len(both)), strict=True)
    ]
    for (_, tool), revision in zip(both, revisions, strict=True):
        tool.current = revision
    insert([tool for _, tool in new])  # first they point at revisions that are not there yet; a commit looks again
    insert(revisions)
    for _, tool in changed:
        tool.save(update_fields=[*MIRRORED, *JUDGED_COLUMNS, "current", "updated_at"])
    insert([store_assessments(one.pk, judged[one.sha256]) for one in revisions if one.sha256 in judged])
    index([(known.wordings.get(spec.sha256) or spec_terms_of(spec), tool) for spec, tool in both])
