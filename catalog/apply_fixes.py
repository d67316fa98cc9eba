"""Mending a tool: fixes of what lint found, published as its next revision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from catalog.accounts.models import User
from catalog.errors import DocumentError, Problem, RevisionConflict
from catalog.jsontext.pointers import pointer_join
from catalog.lint_reports import LintReport
from catalog.models import Tool
from catalog.publishing import Publication, publish
from catalog.shortcuts import revision_of
from catalog.specs.lint import Fix, apply_safe_fixes
from catalog.specs.spec import read_spec


@dataclass(frozen=True, slots=True)
class AppliedFixes:
    """What became of it. `left`: fixes that did not fit any more after the others, or were too many for once."""

    publication: Publication
    text: str
    applied: tuple[Fix, ...]
    left: tuple[Fix, ...]


def apply_fixes_to_tool(
    tool: Tool, keys: Sequence[str] | None, *, by: User | None, seen: int, dry_run: bool = False
) -> AppliedFixes:
    """Apply fixes to the current spec of `tool` and publish what comes of it.

    Args:
        tool: with its current revision at hand.
        keys: of the fixes; None: all that are safe.
        by: who does it.
        seen: the number of the revision that the fixes were made for.
        dry_run: store nothing; the publication says what would have been.

    Raises:
        RevisionConflict: that is not the current revision.
        DocumentError: there is no such fix, or none at all that is safe.
    """
    revision = revision_of(tool)
    if revision.number != seen:
        raise RevisionConflict(f"You saw revision {seen}; there is revision {revision.number} now.")
    report = LintReport(revision, list(tool.waivers.all()))
    chosen = report.safe_fixes if keys is None else _chosen(report, keys)
    if not chosen:
        raise DocumentError([Problem("", "There is nothing to fix.", "lint.no-fix")])
    mending = apply_safe_fixes(revision.source, chosen)
    spec = read_spec(mending.text, max_bytes=settings.MAX_SPEC_BYTES)
    if spec.tool_id != tool.tool_id:
        message = f"This would make the spec one of {spec.tool_id!r}; say an `id` first."
        raise DocumentError([Problem("", message, "publish.other-tool")])
    publication = publish(spec, by=by, expected=seen, dry_run=dry_run)
    return AppliedFixes(publication, mending.text, mending.applied, mending.left)


def _chosen(report: LintReport, keys: Sequence[str]) -> list[Fix]:
    unknown = [
        Problem(pointer_join("/fixes", place), f"This revision has no fix {key[:40]!r}.", "lint.no-such-fix")
        for place, key in enumerate(keys)
        if key not in report.fixes
    ]
    if unknown:
        raise DocumentError(unknown)
    return [report.fixes[key] for key in keys]
