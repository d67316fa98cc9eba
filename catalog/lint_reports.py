"""The lint report of a revision, for its page and the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from catalog.caching import LRUCache
from catalog.jsontext.positions import locate
from catalog.jsontext.pretty import is_one_line, pretty_print
from catalog.models import Revision, Waiver
from catalog.specs.exporters import usable_as_it_is
from catalog.specs.lint import RULES, SEVERITIES, Advice, Fix, Severity, advise, apply_fix, apply_safe_fixes, score
from catalog.text_diff import Difference, compare

MAX_SHOWN = 200  # findings of one page
PREVIEW_CHARACTERS = 100_000  # a change of a longer text is not shown before it is made
PREVIEWS_CHARACTERS = 600_000  # that are gone through for all the changes of one page

_advice: Final[LRUCache[tuple[Advice, ...]]] = LRUCache(max_weight=100)


def advice_of(revision: Revision) -> tuple[Advice, ...]:
    """The findings in a revision, from the cache if it was checked recently: revisions never change."""
    return _advice.get_or_compute(revision.sha256, lambda: tuple(advise(revision.spec)))


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding of a revision; `waiver`: who lives with it, and why.

    `line`: in the text that the page shows. `change`: what its fix changes in the text.
    """

    advice: Advice
    line: int
    waiver: Waiver | None = None
    change: Difference | None = None

    @property
    def title(self) -> str:
        return RULES[self.advice.rule].title


@dataclass(frozen=True)
class LintReport:
    """All findings of a revision, the gravest first."""

    revision: Revision
    waivers: Sequence[Waiver] = ()

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        return advice_of(self.revision)

    @cached_property
    def waived(self) -> Mapping[int, Waiver]:
        """The waivers of findings, by their place in `advice`. That of one place goes before that of all."""
        closest = sorted(self.waivers, key=lambda waiver: not waiver.pointer)
        found = {}
        for place, one in enumerate(self.advice):
            for waiver in closest:
                if waiver.waived.covers(one.rule, one.problem.pointer):
                    found[place] = waiver
                    break
        return found

    @cached_property
    def standing(self) -> list[Advice]:
        """What is not waived."""
        return [one for place, one in enumerate(self.advice) if place not in self.waived]

    @cached_property
    def score(self) -> int:
        return score(self.standing)

    @cached_property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity, without those that are waived."""
        return {severity: sum(one.severity == severity for one in self.standing) for severity in SEVERITIES}

    @property
    def idle_waivers(self) -> list[Waiver]:
        """Those that waive nothing of this revision."""
        used = {waiver.pk for waiver in self.waived.values()}
        return [waiver for waiver in self.waivers if waiver.pk not in used]

    @property
    def usable(self) -> tuple[str, ...]:
        """The keys of the formats that take it as it is."""
        return usable_as_it_is(self.revision.spec)

    # -- fixes --------------------------------------------------------------------------------------------------------

    @cached_property
    def fixes(self) -> dict[str, Fix]:
        """What can be applied, by key."""
        return {one.fix.key: one.fix for one in self.standing if one.fix is not None}

    @property
    def safe_fixes(self) -> list[Fix]:
        return [fix for fix in self.fixes.values() if fix.safe]

    @cached_property
    def safe_change(self) -> Difference | None:
        """What all safe fixes together change in the text."""
        if not self.safe_fixes or len(self.revision.source) > PREVIEW_CHARACTERS:
            return None
        return compare(self.revision.source, apply_safe_fixes(self.revision.source, self.safe_fixes).text)

    # -- for a page ---------------------------------------------------------------------------------------------------

    @property
    def laid_out(self) -> bool:
        return is_one_line(self.revision.source)

    @cached_property
    def text(self) -> str:
        """The spec as the page shows it: as uploaded, or laid out where that is a single line."""
        return pretty_print(self.revision.source) if self.laid_out else self.revision.source

    @cached_property
    def remarks(self) -> list[LocatedFinding]:
        """The first findings, with the lines of `text`, and what their fixes change as far as that is quick."""
        shown = self.advice[:MAX_SHOWN]
        places = locate(self.text, [one.problem.pointer for one in shown])
        left = PREVIEWS_CHARACTERS
        remarks = []
        for number, one in enumerate(shown):
            waiver = self.waived.get(number)
            change = None
            if one.fix and not waiver and len(self.text) <= PREVIEW_CHARACTERS and left > 0:
                left -= len(self.text) * len(one.fix.operations)
                change = compare(self.text, apply_fix(self.text, one.fix))
            remarks.append(LocatedFinding(one, places[one.problem.pointer][0], waiver, change))
        return remarks

    @property
    def more(self) -> int:
        """How many findings the page does not show."""
        return max(0, len(self.advice) - MAX_SHOWN)

    @property
    def groups(self) -> list[tuple[Severity, list[LocatedFinding]]]:
        """What is not waived, by severity."""
        found = [
            (severity, [one for one in self.remarks if one.advice.severity == severity and not one.waiver])
            for severity in SEVERITIES
        ]
        return [(severity, remarks) for severity, remarks in found if remarks]

    @property
    def notes(self) -> list[dict[str, object]]:
        """What is not waived, and more than a hint, for the lines of `text`."""
        shown = (one for one in self.remarks if not one.waiver and one.advice.severity != "info")
        return [{"line": one.line, "message": one.advice.problem.message.replace("`", "")} for one in shown]

    @property
    def waived_remarks(self) -> list[LocatedFinding]:
        return [one for one in self.remarks if one.waiver]
