"""Apply the safe lint fixes of many tools: plan them for a preview, then apply exactly these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from catalog.accounts.models import User
from catalog.errors import DocumentError, NotAllowed, RevisionConflict
from catalog.held_changes import Proposal
from catalog.linting.apply_fixes import FixedSpec, fixed_spec, publish_fixed
from catalog.linting.reports import LintReport
from catalog.models import Tool
from catalog.publishing import Publication
from catalog.rights import may, require
from catalog.shortcuts import revision_of

MAX_FIXED: Final = 100  # tools per request: to publish a revision takes about 35 ms of CPU time


class Shown(NamedTuple):
    """The state of a tool in a preview: the number of its revision, and the hash of the fixed spec."""

    revision: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PlannedFix:
    """A fixed spec to publish, or to propose to the tool's owner."""

    tool: Tool
    fixed: FixedSpec
    is_proposal: bool

    @property
    def shown(self) -> Shown:
        return Shown(revision_of(self.tool).number, self.fixed.spec.sha256)


Skipped = tuple[Tool, str]  # with the reason


@dataclass(frozen=True, slots=True)
class FixPlan:
    """The tools that can be fixed, and those that cannot."""

    planned: tuple[PlannedFix, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class FixReport:
    """The publications and proposals, and the tools that were skipped."""

    published: tuple[Publication, ...]
    proposed: tuple[tuple[Tool, Proposal], ...]
    skipped: tuple[Skipped, ...]


def plan_fixes(tools: Iterable[Tool], *, rule: str | None, by: User) -> FixPlan:
    """Plan the safe fixes of the first `MAX_FIXED` tools that have any, or only those of `rule`. Nothing is stored.

    Args:
        tools: with their current revisions loaded.
        rule: the id of a lint rule, or None.
        by: who would publish or propose the result.
    """
    planned: list[PlannedFix] = []
    skipped = []
    for tool in tools:
        if len(planned) == MAX_FIXED:
            skipped.append((tool, f"At most {MAX_FIXED} tools are fixed at a time."))
            continue
        try:
            planned.append(_plan(tool, rule, by))
        except (DocumentError, NotAllowed) as error:
            skipped.append((tool, str(error)))
    return FixPlan(tuple(planned), tuple(skipped))


def fix_many(
    tools: Iterable[Tool], shown: Mapping[str, Shown], *, rule: str | None, by: User
) -> FixReport:
    """Publish or propose the fixes of `tools`, each in a transaction; one that fails does not stop the others.

    Args:
        tools: with their current revisions loaded.
        shown: what the preview showed, by slug. A tool is skipped if its result is now different.
        rule: as for `plan_fixes`.
        by: as for `plan_fixes`.
    """
    published: list[Publication] = []
    proposed, skipped = [], []
    for tool in tools:
        try:
            outcome = _fix_as_shown(tool, shown[tool.slug], rule, by)
        except (DocumentError, NotAllowed, RevisionConflict) as error:
            skipped.append((tool, str(error)))
            continue
        if isinstance(outcome, Proposal):
            proposed.append((tool, outcome))
        else:
            published.append(outcome)
    return FixReport(tuple(published), tuple(proposed), tuple(skipped))


def _fix_as_shown(tool: Tool, shown: Shown, rule: str | None, by: User) -> Publication | Proposal:
    changed = RevisionConflict("It has changed since the preview.")
    if revision_of(tool).number != shown.revision:
        raise changed
    plan = _plan(tool, rule, by)
    if plan.shown != shown:
        raise changed
    return publish_fixed(tool, plan.fixed, by=by, seen=shown.revision)


def _plan(tool: Tool, rule: str | None, by: User) -> PlannedFix:
    fixes = LintReport(revision_of(tool), list(tool.waivers.all())).safe_fixes_of(rule)
    fixed = fixed_spec(tool, fixes)
    require(by, "propose", tool)
    return PlannedFix(tool, fixed, is_proposal=not may(by, "revise", tool))
