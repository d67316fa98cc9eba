"""The results of checking specs, as text, JSON and SARIF."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolspec.errors import Problem
from toolspec.lint import RULES, SEVERITIES, Advice
from toolspec.text.reader import JSON, dumps

PLACES_SHOWN: Final = 10  # of a rule
LEVELS: Final = {
    "error": "error",
    "warning": "warning",
    "info": "note",
}  # SARIF's level for each severity


@dataclass(frozen=True, slots=True)
class Checked:
    """One spec with its problems and findings; lines and columns as in its file.

    Attributes:
        score: 0 to 100; None for a spec with problems.
        failing_calls: on recent calls that the spec would refuse, and responses that would not match it.
    """

    source: str
    line: int
    problems: tuple[Problem, ...] = ()
    advice: tuple[Advice, ...] = ()
    score: int | None = None
    failing_calls: tuple[Advice, ...] = ()


def as_text(checked: Sequence[Checked]) -> str:
    """One line each, as compilers do: "file:line:column: message (rule at pointer)".

    For advice, the severity precedes the message.
    """
    lines = []
    for one in checked:
        lines += [_line(one, problem) for problem in one.problems]
        lines += [_line(one, advice.problem, f"{advice.severity}: ") for advice in one.advice]
    return "\n".join(lines)


def _line(one: Checked, problem: Problem, severity: str = "", *, with_rule: bool = True) -> str:
    position = f"{one.source}:{problem.line or one.line}:{problem.column or 1}"
    rule = f"{problem.rule} " if with_rule else ""
    return f"{position}: {severity}{problem.message} ({rule}at {problem.pointer or 'the top'})"


def as_groups(checked: Sequence[Checked]) -> str:
    """Problems and findings by rule, the gravest and then the most frequent first: for people, who fix them by rule.

    Of each rule the first `PLACES_SHOWN` places are listed; `as_text` has all.
    """
    groups: dict[tuple[int, str], list[str]] = {}
    for one in checked:
        for problem in one.problems:
            groups.setdefault((0, problem.rule), []).append(_line(one, problem, with_rule=False))
        for advice in one.advice:
            rank = 1 + SEVERITIES.index(advice.severity)
            groups.setdefault((rank, advice.rule), []).append(
                _line(one, advice.problem, with_rule=False)
            )
    ordered = sorted(groups, key=lambda group: (group[0], -len(groups[group]), group[1]))
    return "\n\n".join(_group(rank, rule, groups[rank, rule]) for rank, rule in ordered)


def _group(rank: int, rule: str, lines: list[str]) -> str:
    kind = LEVELS[SEVERITIES[rank - 1]] if rank else "problem"
    head = [f"{rule} ({len(lines):,} {kind}{'s' * (len(lines) != 1)})"]
    if rule in RULES:
        head = [f"{RULES[rule].title}: {head[0]}", f"  {RULES[rule].how}"]
    rest = (
        [f"  and {len(lines) - PLACES_SHOWN:,} more: --format text lists all"]
        if len(lines) > PLACES_SHOWN
        else []
    )
    return "\n".join([*head, *(f"  {line}" for line in lines[:PLACES_SHOWN]), *rest])


def as_json(checked: Sequence[Checked]) -> str:
    """[{"source", "line", "valid", "problems", "advice", "score"}], one for each spec."""
    report: JSON = [
        {
            "source": one.source,
            "line": one.line,
            "valid": not one.problems,
            "problems": [dict(problem.as_json()) for problem in one.problems],
            "advice": [dict(advice.as_json()) for advice in one.advice],
            "score": one.score,
        }
        for one in checked
    ]
    return dumps(report, indent=2)


def as_sarif(checked: Sequence[Checked], *, site: str = "", home: str = "") -> str:
    """A SARIF 2.1.0 log, for code hosts that show problems beside the lines.

    Args:
        checked: the results.
        site: the URL of a Toolshelf whose pages about the rules are linked; "" for no links.
        home: the URL of the Toolshelf that makes the log, if `site` is ""; "" if it is not known.

    Source: OASIS, "Static Analysis Results Interchange Format 2.1.0", sections 3.13 to 3.49.
    """
    results = [_result(one, problem, "error") for one in checked for problem in one.problems]
    results += [
        _result(one, advice.problem, LEVELS[advice.severity])
        for one in checked
        for advice in one.advice
    ]
    used = {problem.rule for one in checked for problem in one.problems}
    used |= {advice.problem.rule for one in checked for advice in one.advice}
    driver: dict[str, JSON] = {
        "name": "Toolshelf",
        "rules": [_rule(rule, site) for rule in sorted(used)],
    }
    if site or home:
        driver["informationUri"] = f"{(site or home).rstrip('/')}/"
    log: JSON = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
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


def _result(one: Checked, problem: Problem, level: str) -> JSON:
    location: dict[str, JSON] = {
        "physicalLocation": {
            "artifactLocation": {"uri": Path(one.source).as_posix()},
            "region": {"startLine": problem.line or one.line, "startColumn": problem.column or 1},
        }
    }
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
