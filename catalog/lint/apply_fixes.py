"""Apply fixes of lint findings to a tool, and publish or propose its next revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from accounts.models import User
from catalog.lint.reports import LintReport
from catalog.proposals.actions import PendingSpec, publish_or_hold
from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from catalog.tools.publishing import Publication
from toolshelf_core import audit
from toolshelf_core.errors import RevisionConflict
from toolspec.errors import DocumentError, Problem
from toolspec.lint import Fix, apply_safe_fixes
from toolspec.spec import ToolSpec, read_spec
from toolspec.text.pointers import pointer_join


@dataclass(frozen=True, slots=True)
class FixedSpec:
    """The spec of a tool with fixes applied.

    Attributes:
        left: fixes that no longer applied after the others, or exceeded the limit for one request.
    """

    spec: ToolSpec
    applied: tuple[Fix, ...]
    left: tuple[Fix, ...]


def apply_fixes_to_tool(
    tool: Tool, keys: Sequence[str] | None, *, by: User, seen: int, dry_run: bool = False
) -> tuple[FixedSpec, Publication | PendingSpec]:
    """Apply fixes to the current spec of `tool`, and publish the result or hold it for approval.

    Args:
        tool: with its current revision loaded.
        keys: of the fixes; None applies all safe ones.
        by: the user who publishes or proposes it.
        seen: the number of the revision that the fixes were computed for.
        dry_run: store nothing; the outcome is the same as that of a real run.

    Raises:
        NotAllowed: `by` may not even propose it.
        RevisionConflict: `seen` is not the current revision.
        DocumentError: a fix does not exist, or there is no safe fix.
    """
    revision = revision_of(tool)
    if revision.number != seen:
        raise RevisionConflict(
            f"You saw revision {seen}, but revision {revision.number} is current now."
        )
    report = LintReport(revision, list(tool.waivers.all()))
    result = fix_spec(tool, report.safe_fixes if keys is None else _choose_fixes(report, keys))
    return result, publish_fixed(tool, result, by=by, seen=seen, dry_run=dry_run)


def fix_spec(tool: Tool, fixes: Sequence[Fix]) -> FixedSpec:
    """The current spec of `tool` with `fixes`.

    Raises:
        DocumentError: there are none, or their result is not a valid spec of this tool.
    """
    if not fixes:
        raise DocumentError([Problem("", "There is nothing to fix.", "lint.no-fix")])
    result = apply_safe_fixes(revision_of(tool).source, fixes)
    spec = read_spec(result.text, max_bytes=settings.MAX_SPEC_BYTES)
    if spec.tool_id != tool.tool_id:
        message = (
            f"This fix would change the tool's id to {spec.tool_id!r}; set `definition.id` first."
        )
        raise DocumentError([Problem("", message, "publish.other-tool")])
    return FixedSpec(spec, result.applied, result.left)


def publish_fixed(
    tool: Tool, result: FixedSpec, *, by: User, seen: int, dry_run: bool = False
) -> Publication | PendingSpec:
    """Publish the fixed spec of `tool`, or hold it for approval.

    For the errors see `publish_or_hold`.
    """
    with transaction.atomic():
        outcome = publish_or_hold(result.spec, by=by, expected=seen, dry_run=dry_run)
        if isinstance(outcome, Publication) and not dry_run:
            titles = []
            for title, count in Counter(fix.title for fix in result.applied).items():
                titles.append(f"{title} ({count} times)" if count > 1 else title)
            before = {"revision": seen}
            after = {"revision": outcome.revision.number, "fixes": titles}
            audit.record("tool.fix", "tool", tool.tool_id, before=before, after=after, by=by)
    return outcome


def _choose_fixes(report: LintReport, keys: Sequence[str]) -> list[Fix]:
    problems = []
    for index, key in enumerate(keys):
        if key not in report.fixes:
            message = f"This revision has no fix {key[:40]!r}."
            problems.append(Problem(pointer_join("/fixes", index), message, "lint.no-such-fix"))
    if problems:
        raise DocumentError(problems)
    return [report.fixes[key] for key in keys]
