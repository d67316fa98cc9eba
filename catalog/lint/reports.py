"""The lint report of a revision, for its page and the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from catalog.tools.lint_models import Waiver
from catalog.tools.models import Revision
from toolshelf_core.caching import LRUCache
from toolspec.exports import usable_as_it_is
from toolspec.lint import SEVERITIES, Fix, LocatedFinding, Severity, lint_with_positions, score

_advice: Final[LRUCache[tuple[LocatedFinding, ...]]] = LRUCache(max_weight=100)


def advice_of(revision: Revision) -> tuple[LocatedFinding, ...]:
    """The findings in a revision, from the cache if it was checked recently: revisions never change."""
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
        """The waivers of findings, by index into `advice`; a waiver of one pointer precedes that of a whole rule."""
        closest = sorted(self.waivers, key=lambda waiver: not waiver.pointer)
        found = {}
        for index, one in enumerate(self.advice):
            for waiver in closest:
                if waiver.waived.covers(one.rule, one.problem.pointer):
                    found[index] = waiver
                    break
        return found

    @cached_property
    def unwaived(self) -> list[LocatedFinding]:
        """The findings that are not waived."""
        return [one for index, one in enumerate(self.advice) if index not in self.waived]

    @cached_property
    def score(self) -> int:
        return score(self.unwaived)

    @cached_property
    def counts(self) -> dict[Severity, int]:
        """The number of findings of each severity, without waived ones."""
        return {
            severity: sum(one.severity == severity for one in self.unwaived)
            for severity in SEVERITIES
        }

    @property
    def unused_waivers(self) -> list[Waiver]:
        """The waivers without a finding in this revision."""
        used = {waiver.pk for waiver in self.waived.values()}
        return [waiver for waiver in self.waivers if waiver.pk not in used]

    @property
    def usable(self) -> tuple[str, ...]:
        """The keys of the formats that accept the spec without changes."""
        return usable_as_it_is(self.revision.spec)

    # -- fixes --------------------------------------------------------------------------------------------------------

    @cached_property
    def fixes(self) -> dict[str, Fix]:
        """The applicable fixes, by key."""
        return {one.fix.key: one.fix for one in self.unwaived if one.fix is not None}

    @property
    def safe_fixes(self) -> list[Fix]:
        return [fix for fix in self.fixes.values() if fix.safe]

    def fixes_of(self, rule: str) -> list[Fix]:
        """The fixes of the findings of one rule."""
        return list(
            {one.fix.key: one.fix for one in self.unwaived if one.fix and one.rule == rule}.values()
        )
