"""The lint report of a revision, for its page and the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from catalog.tools.lint_models import Waiver
from catalog.tools.models import Revision
from toolshelf_core.caching import LRUCache
from toolspec.exports import usable_as_it_is
from toolspec.lint import SEVERITIES, Fix, LocatedFinding, Severity, lint_with_positions, score

_advice: Final[LRUCache[tuple[LocatedFinding, ...]]] = LRUCache(max_weight=100)


def fixes_by_key(findings: Iterable[LocatedFinding]) -> dict[str, Fix]:
    """The fixes of these findings, without duplicates."""
    return {finding.fix.key: finding.fix for finding in findings if finding.fix is not None}


def advice_of(revision: Revision) -> tuple[LocatedFinding, ...]:
    """The findings in a revision, cached if it was checked recently: revisions never change."""
    return _advice.get_or_compute(
        revision.sha256, lambda: tuple(lint_with_positions(revision.spec))
    )


@dataclass(frozen=True)
class LintReport:
    """All findings of a revision, the most severe first."""

    revision: Revision
    waivers: Sequence[Waiver] = ()

    @cached_property
    def advice(self) -> tuple[LocatedFinding, ...]:
        return advice_of(self.revision)

    @cached_property
    def waived(self) -> Mapping[int, Waiver]:
        """The waivers of findings, by index into `advice`.

        A waiver of one pointer precedes that of an entire rule.
        """
        closest = sorted(self.waivers, key=lambda waiver: not waiver.pointer)
        waivers = {}
        for index, finding in enumerate(self.advice):
            for waiver in closest:
                if waiver.waived.covers(finding.rule, finding.problem.pointer):
                    waivers[index] = waiver
                    break
        return waivers

    @cached_property
    def unwaived(self) -> list[LocatedFinding]:
        """The findings that are not waived."""
        return [finding for index, finding in enumerate(self.advice) if index not in self.waived]

    @cached_property
    def score(self) -> int:
        return score(self.unwaived)

    @cached_property
    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity, without waived ones."""
        counts: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        for finding in self.unwaived:
            counts[finding.severity] += 1
        return counts

    @property
    def unused_waivers(self) -> list[Waiver]:
        """The waivers without a finding in this revision."""
        effective = {waiver.pk for waiver in self.waived.values()}
        return [waiver for waiver in self.waivers if waiver.pk not in effective]

    @property
    def usable(self) -> tuple[str, ...]:
        """The keys of the formats that accept the spec without changes."""
        return usable_as_it_is(self.revision.spec)

    # -- fixes -------------------------------------------------------------------------------------

    @cached_property
    def fixes(self) -> dict[str, Fix]:
        """The applicable fixes, by key."""
        return fixes_by_key(self.unwaived)

    @property
    def safe_fixes(self) -> list[Fix]:
        return [fix for fix in self.fixes.values() if fix.safe]

    def list_fixes(self, rule: str) -> list[Fix]:
        """The fixes of the findings of one rule."""
        findings = [finding for finding in self.unwaived if finding.rule == rule]
        return list(fixes_by_key(findings).values())
