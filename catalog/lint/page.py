"""The view model of a tool's lint page: findings grouped by rule, with lines and waivers.

A large spec breaks one rule hundreds of times, so the page shows the first findings of each rule;
the page of one rule (`?rule=`) shows all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from typing import Final
from urllib.parse import urlencode

from catalog.lint.reports import LintReport, fixes_by_key
from catalog.tools.lint_models import Waiver
from catalog.tools.page import SpecText
from toolshelf_core.rendering.json_highlighting import Note
from toolshelf_core.rendering.text_diff import Difference, compare
from toolspec.lint import RULES, SEVERITIES, Fix, LocatedFinding, Rule, Severity, apply_safe_fixes
from toolspec.text.positions import locate

SHOWN_PER_RULE: Final = 5  # findings of each rule on the page of all rules
MAX_SHOWN: Final = 1_000  # findings on the page of one rule
MAX_NOTES: Final = 200  # in the text of the spec
PREVIEW_CHARACTERS: Final = 100_000  # for a longer spec, changes are not shown

MEANINGS: Final[Mapping[Severity, tuple[str, str]]] = {
    "error": ("Errors", "The tool does not work as described, or is not safe to use."),
    "warning": ("Warnings", "Likely to cause trouble for a model, a provider or a user."),
    "info": ("Hints", "Nice to have."),
}


@dataclass(frozen=True, slots=True)
class PageFinding:
    """A finding of a revision, its line in the text on the page, and the waiver that accepts it."""

    advice: LocatedFinding
    line: int
    waiver: Waiver | None = None

    @property
    def rule(self) -> Rule:
        return RULES[self.advice.rule]


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one rule, in the order of the report.

    Attributes:
        shown: the first of them.
        count: the number of all of them.
        fixes: of all of them.
    """

    rule: Rule
    shown: tuple[PageFinding, ...]
    count: int
    fixes: tuple[Fix, ...] = ()

    @property
    def severity_title(self) -> str:
        return MEANINGS[self.rule.severity][0]

    @property
    def severity_meaning(self) -> str:
        return MEANINGS[self.rule.severity][1]

    @property
    def more(self) -> int:
        """The number of findings that the page does not show."""
        return self.count - len(self.shown)

    @property
    def message(self) -> str:
        """The message of all shown findings if it is the same, else ""."""
        messages = {finding.advice.problem.message for finding in self.shown}
        return messages.pop() if len(messages) == 1 else ""

    @property
    def base(self) -> str:
        """The pointer of the innermost container of all shown findings."""
        pointers = [finding.advice.problem.pointer for finding in self.shown]
        beginning = commonprefix(pointers)  # noqa: RUF071 - cut at a "/"
        return beginning[: max(beginning.rfind("/"), 0)]

    @property
    def rows(self) -> list[tuple[PageFinding, str]]:
        """The shown findings, each with the rest of its pointer after `base`."""
        start = len(self.base)
        return [(finding, finding.advice.problem.pointer[start:]) for finding in self.shown]

    @property
    def fix_title(self) -> str:
        """The title of all fixes if it is the same, else ""."""
        titles = {fix.title for fix in self.fixes}
        return titles.pop() if len(titles) == 1 else ""

    @property
    def has_unsafe_fixes(self) -> bool:
        return any(not fix.safe for fix in self.fixes)


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
    def groups(self) -> list[FindingGroup]:
        """The findings that are not waived, the most severe first, grouped by rule."""
        by_rule: dict[str, list[LocatedFinding]] = {}
        for advice in self.report.unwaived:
            is_chosen = self.rule in (None, RULES[advice.rule])
            if is_chosen and self.severity in (None, advice.severity):
                by_rule.setdefault(advice.rule, []).append(advice)
        return [self._make_group(RULES[rule], findings) for rule, findings in by_rule.items()]

    def _make_group(self, rule: Rule, findings: Sequence[LocatedFinding]) -> FindingGroup:
        limit = MAX_SHOWN if self.rule else SHOWN_PER_RULE
        first = tuple(map(self._place, findings[:limit]))
        return FindingGroup(rule, first, len(findings), tuple(fixes_by_key(findings).values()))

    def _place(self, advice: LocatedFinding, waiver: Waiver | None = None) -> PageFinding:
        """The finding with its line in the text on the page."""
        line = advice.problem.line
        if self.spec.laid_out:
            line, _ = self._positions[advice.problem.pointer]
        return PageFinding(advice, line or 1, waiver)

    @cached_property
    def _positions(self) -> Mapping[str, tuple[int, int]]:
        """The positions of all findings in the text on the page, which was pretty-printed."""
        return locate(self.spec.text, {advice.problem.pointer for advice in self.report.advice})

    @cached_property
    def waived(self) -> list[PageFinding]:
        """The findings that are waived, those of each waiver together."""
        if self.rule or self.severity:
            return []
        pairs = sorted(self.report.waived.items(), key=lambda pair: pair[1].pk)
        return [self._place(self.report.advice[index], waiver) for index, waiver in pairs]

    @cached_property
    def notes(self) -> list[Note]:
        """The notes for the lines of the text: errors and warnings that are not waived."""
        notes = []
        for group in self.groups:
            if group.rule.severity == "info":
                continue
            for finding in group.shown:
                message = finding.advice.problem.message.replace("`", "")
                notes.append(Note(message, kind=group.rule.severity, line=finding.line))
        return notes[:MAX_NOTES]


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
    """The links of a severity filter: all, then each severity with its count.

    The most severe comes first. `revision` is the number of an earlier revision that they lead to.
    """
    links = [SeverityLink(None, "All", sum(counts.values()), revision)]
    for severity in SEVERITIES:
        title, _ = MEANINGS[severity]
        links.append(SeverityLink(severity, title, counts.get(severity, 0), revision))
    return links


def compare_fixed(report: LintReport, fixes: Sequence[Fix]) -> Difference | None:
    """The change that `fixes` make together; None for a spec too long to show it."""
    source = report.revision.source
    if len(source) > PREVIEW_CHARACTERS:
        return None
    return compare(source, apply_safe_fixes(source, fixes).text)
