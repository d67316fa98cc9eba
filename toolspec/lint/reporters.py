"""The results of checking specs, as text, JSON and SARIF."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolspec.errors import Problem
from toolspec.lint import RULES, SEVERITIES, LocatedFinding
from toolspec.text.reader import JSON, dumps

MAX_LINES: Final = 10  # of a rule
# SARIF's level for each severity.
LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


@dataclass(frozen=True, slots=True)
class Checked:
    """One spec with its problems and findings; lines and columns as in its file.

    Attributes:
        score: 0 to 100; None for a spec with problems.
        failing_calls: on recent calls that the spec would refuse, and responses that would not
            match it.
    """

    source: str
    line: int
    problems: tuple[Problem, ...] = ()
    advice: tuple[LocatedFinding, ...] = ()
    score: int | None = None
    failing_calls: tuple[LocatedFinding, ...] = ()


def as_text(checked: Sequence[Checked]) -> str:
    """One line each, as compilers do: "file:line:column: message (rule at pointer)".

    For advice, the severity precedes the message.
    """
    lines = []
    for spec in checked:
        lines += [_line(spec, problem) for problem in spec.problems]
        lines += [_line(spec, each.problem, f"{each.severity}: ") for each in spec.advice]
    return "\n".join(lines)


def _line(spec: Checked, problem: Problem, severity: str = "", *, with_rule: bool = True) -> str:
    position = f"{spec.source}:{problem.line or spec.line}:{problem.column or 1}"
    rule = f"{problem.rule} " if with_rule else ""
    return f"{position}: {severity}{problem.message} ({rule}at {problem.pointer or 'the top'})"


def as_groups(checked: Sequence[Checked]) -> str:
    """Problems and findings by rule, the gravest and then the most frequent first.

    People fix them by rule. Of each rule, the first `MAX_LINES` are listed; `as_text` has all.
    """
    groups: dict[tuple[int, str], list[str]] = {}
    for spec in checked:
        ranked = [(0, problem) for problem in spec.problems]
        ranked += [(1 + SEVERITIES.index(each.severity), each.problem) for each in spec.advice]
        for rank, problem in ranked:
            lines = groups.setdefault((rank, problem.rule), [])
            lines.append(_line(spec, problem, with_rule=False))
    texts = []
    for rank, rule in sorted(groups, key=lambda key: (key[0], -len(groups[key]), key[1])):
        texts.append(_group(rank, rule, groups[rank, rule]))
    return "\n\n".join(texts)


def _group(rank: int, rule: str, lines: list[str]) -> str:
    count = len(lines)
    kind = LEVELS[SEVERITIES[rank - 1]] if rank else "problem"
    head = f"{rule} ({count:,} {kind}{'s' * (count != 1)})"
    if rule in RULES:
        head = f"{RULES[rule].title}: {head}\n  {RULES[rule].how}"
    text = [head, *(f"  {line}" for line in lines[:MAX_LINES])]
    if count > MAX_LINES:
        text.append(f"  and {count - MAX_LINES:,} more: --format text lists all")
    return "\n".join(text)


def as_json(checked: Sequence[Checked]) -> str:
    """[{"source", "line", "valid", "problems", "advice", "score"}], one for each spec."""
    report: list[JSON] = []
    for spec in checked:
        report.append(
            {
                "source": spec.source,
                "line": spec.line,
                "valid": not spec.problems,
                "problems": [dict(problem.as_json()) for problem in spec.problems],
                "advice": [dict(each.as_json()) for each in spec.advice],
                "score": spec.score,
            }
        )
    return dumps(report, indent=2)


def as_sarif(checked: Sequence[Checked], *, site: str = "", home: str = "") -> str:
    """A SARIF 2.1.0 log, for code hosts that show problems beside the lines.

    Args:
        checked: the results.
        site: the URL of a Toolshelf whose pages about the rules are linked; "" for no links.
        home: the URL of the Toolshelf that makes the log, if `site` is ""; "" if it is not known.

    Source: OASIS, "Static Analysis Results Interchange Format 2.1.0", sections 3.13 to 3.49.
    """
    results: list[JSON] = []
    for spec in checked:
        results += [_result(spec, problem, "error") for problem in spec.problems]
    for spec in checked:
        results += [_result(spec, each.problem, LEVELS[each.severity]) for each in spec.advice]
    used: set[str] = set()
    for spec in checked:
        used.update(problem.rule for problem in spec.problems)
        used.update(each.rule for each in spec.advice)
    rules = [_rule(rule, site) for rule in sorted(used)]
    driver: dict[str, JSON] = {"name": "Toolshelf", "rules": rules}
    if site or home:
        driver["informationUri"] = f"{(site or home).rstrip('/')}/"
    tool: JSON = {"driver": driver}
    log: JSON = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": tool, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return dumps(log, indent=2)


def _rule(name: str, site: str) -> JSON:
    rule = RULES.get(name)
    if rule is None:
        return {"id": name}
    report: dict[str, JSON] = {
        "id": name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.how},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }
    if site:
        report["helpUri"] = f"{site.rstrip('/')}/lint/{name}/"
    return report


def _result(spec: Checked, problem: Problem, level: str) -> JSON:
    place: JSON = {
        "artifactLocation": {"uri": Path(spec.source).as_posix()},
        "region": {"startLine": problem.line or spec.line, "startColumn": problem.column or 1},
    }
    location: dict[str, JSON] = {"physicalLocation": place}
    if problem.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": problem.pointer}]
    return {
        "ruleId": problem.rule,
        "level": level,
        "message": {"text": problem.message},
        "locations": [location],
    }


FORMATS: Final[Mapping[str, Callable[[Sequence[Checked]], str]]] = {
    "groups": as_groups,
    "json": as_json,
    "sarif": as_sarif,
    "text": as_text,
}
