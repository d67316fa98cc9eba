"""The view model of a tool's lint page: findings grouped by rule, with lines, waivers and changes.

A large spec breaks one rule hundreds of times, so the page shows the first findings of each rule; the page of one rule
(`?rule=`) shows all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from os.path import commonprefix
from typing import Final
from urllib.parse import urlencode

from catalog.jsontext.positions import locate
from catalog.linting.reports import LintReport
from catalog.models import Waiver
from catalog.rendering.json_highlighting import Note
from catalog.rendering.text_diff import Difference, compare
from catalog.specs.lint import (
    RULES,
    SEVERITIES,
    Advice,
    Fix,
    Rule,
    Severity,
    apply_fix,
    apply_safe_fixes,
)
from catalog.tool_page import SpecText

SHOWN_PER_RULE: Final = 5  # findings of each rule on the page of all rules
SHOWN_PER_WAIVER: Final = 10
MAX_SHOWN: Final = 1_000  # findings on the page of one rule
MAX_NOTES: Final = 200  # in the text of the spec
PREVIEW_CHARACTERS: Final = 100_000  # for a longer spec, changes are not shown
PREVIEWS_CHARACTERS: Final = 600_000  # compared for all changes of one page

MEANINGS: Final[Mapping[Severity, tuple[str, str]]] = {
    "error": ("Errors", "The tool does not work as described, or is not safe to use."),
    "warning": ("Warnings", "Likely to cause trouble for a model, a provider or a user."),
    "info": ("Hints", "Nice to have."),
}


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding of a revision and its line in the text on the page."""

    advice: Advice
    line: int


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one rule, or of one waiver, in the order of the report.

    Attributes:
        shown: the first of them.
        count: the number of all of them.
        fixes: of all of them.
        change: the change that its fix makes, if there is a single finding and the page shows it.
        waiver: that accepts them, or None.
    """

    rule: Rule
    shown: tuple[LocatedFinding, ...]
    count: int
    fixes: tuple[Fix, ...] = ()
    change: Difference | None = None
    waiver: Waiver | None = None

    @property
    def more(self) -> int:
        """The number of findings that the page does not show."""
        return self.count - len(self.shown)

    @property
    def message(self) -> str:
        """The message of all shown findings if it is the same, else ""."""
        messages = {one.advice.problem.message for one in self.shown}
        return messages.pop() if len(messages) == 1 else ""

    @property
    def base(self) -> str:
        """The pointer of the innermost container of all shown findings."""
        common = commonprefix([one.advice.problem.pointer for one in self.shown])  # noqa: RUF071 - cut at a "/"
        return common[: max(common.rfind("/"), 0)]

    @property
    def rows(self) -> list[tuple[LocatedFinding, str]]:
        """The shown findings, each with the rest of its pointer after `base`."""
        return [(one, one.advice.problem.pointer[len(self.base) :]) for one in self.shown]

    @property
    def fix_title(self) -> str:
        """The title of all fixes if it is the same, else ""."""
        titles = {fix.title for fix in self.fixes}
        return titles.pop() if len(titles) == 1 else ""

    @property
    def has_unsafe_fixes(self) -> bool:
        return any(not fix.safe for fix in self.fixes)


@dataclass(frozen=True, slots=True)
class SeveritySection:
    """The findings of one severity."""

    severity: Severity
    title: str
    meaning: str
    count: int
    groups: tuple[FindingGroup, ...]


@dataclass(frozen=True)
class LintPage:
    """A report as its page shows it; with `rule`, only the findings of that rule, but all of them.

    With `severity`, only findings of that severity.
    """

    report: LintReport
    rule: Rule | None = None
    severity: Severity | None = None

    @cached_property
    def spec(self) -> SpecText:
        return SpecText(self.report.revision.source)

    @cached_property
    def sections(self) -> list[SeveritySection]:
        """The findings that are not waived, the most severe first, grouped by rule."""
        by_rule = _grouped(
            one for one in self.report.standing if self.rule in (None, RULES[one.rule])
        )
        groups = self._with_changes(self._group(rule, found) for rule, found in by_rule.items())
        sections = []
        for severity in [self.severity] if self.severity else SEVERITIES:
            of_severity = tuple(group for group in groups if group.rule.severity == severity)
            if of_severity:
                count = sum(group.count for group in of_severity)
                sections.append(SeveritySection(severity, *MEANINGS[severity], count, of_severity))
        return sections

    def _group(
        self, rule: str, found: Sequence[Advice], waiver: Waiver | None = None
    ) -> FindingGroup:
        shown = found[: MAX_SHOWN if self.rule else SHOWN_PER_WAIVER if waiver else SHOWN_PER_RULE]
        fixes = {one.fix.key: one.fix for one in found if one.fix} if waiver is None else {}
        located = tuple(LocatedFinding(one, self._line(one)) for one in shown)
        return FindingGroup(RULES[rule], located, len(found), tuple(fixes.values()), waiver=waiver)

    def _line(self, advice: Advice) -> int:
        line = (
            advice.problem.line if self._lines is None else self._lines[advice.problem.pointer][0]
        )
        return line or 1

    @cached_property
    def _lines(self) -> Mapping[str, tuple[int, int]] | None:
        """The positions of all findings in the text on the page; None if they are those in the uploaded text."""
        if not self.spec.laid_out:
            return None
        return locate(self.spec.text, {one.problem.pointer for one in self.report.advice})

    @cached_property
    def waived(self) -> list[FindingGroup]:
        """The findings that are waived, grouped by waiver."""
        if self.rule or self.severity:
            return []
        report, groups = self.report, []
        waived = sorted(report.waived.items(), key=lambda pair: pair[1].pk)
        for _, pairs in groupby(waived, key=lambda pair: pair[1].pk):
            found = list(pairs)
            groups.append(
                self._group(
                    found[0][1].rule, [report.advice[index] for index, _ in found], found[0][1]
                )
            )
        return groups

    @cached_property
    def notes(self) -> list[Note]:
        """The notes for the lines of the text: errors and warnings that are not waived."""
        shown = [
            one for section in self.sections if section.severity != "info" for one in section.groups
        ]
        located = [finding for group in shown for finding in group.shown][:MAX_NOTES]
        return [
            Note(
                one.advice.problem.message.replace("`", ""),
                kind=RULES[one.advice.rule].severity,
                line=one.line,
            )
            for one in located
        ]

    # -- changes ------------------------------------------------------------------------------------------------------

    def _with_changes(self, groups: Iterable[FindingGroup]) -> tuple[FindingGroup, ...]:
        """The groups, each of a single finding with the change that its fix makes, within the limits of a page.

        The changes of larger groups have their own address: 150 fixes of a spec with 25 KB take 150 ms of CPU time.
        """
        left, text, found = PREVIEWS_CHARACTERS, self.spec.text, []
        for group in groups:
            change = None
            if group.count == 1 and group.fixes and len(text) <= PREVIEW_CHARACTERS and left > 0:
                [fix] = group.fixes
                left -= len(text) * len(fix.operations)
                change = compare(text, apply_fix(text, fix))
            found.append(replace(group, change=change))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class SeverityLink:
    """A link of a severity filter; `severity` None: to all. `query` is "" or begins with "?"."""

    severity: Severity | None
    title: str
    count: int
    revision: int | None = None

    @property
    def query(self) -> str:
        chosen = {"revision": self.revision, "severity": self.severity}
        query = urlencode({name: value for name, value in chosen.items() if value})
        return f"?{query}" if query else ""


def severity_links(
    counts: Mapping[Severity, int], revision: int | None = None
) -> list[SeverityLink]:
    """The links of a severity filter: all, then each severity with its count, the most severe first.

    `revision` is the number of an earlier revision that they lead to.
    """
    links = [
        SeverityLink(severity, MEANINGS[severity][0], counts.get(severity, 0), revision)
        for severity in SEVERITIES
    ]
    return [SeverityLink(None, "All", sum(counts.values()), revision), *links]


def change_of(report: LintReport, fixes: Sequence[Fix]) -> Difference | None:
    """The change that `fixes` make together; None for a spec too long to show it."""
    source = report.revision.source
    if len(source) > PREVIEW_CHARACTERS:
        return None
    return compare(source, apply_safe_fixes(source, fixes).text)


def _grouped(found: Iterable[Advice]) -> dict[str, list[Advice]]:
    """Findings by rule, in their order."""
    groups: dict[str, list[Advice]] = {}
    for one in found:
        groups.setdefault(one.rule, []).append(one)
    return groups
