"""Every rule of lint with its documentation, which `rules.toml` contains."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from toolspec.exports.format_rules import ANTHROPIC, GEMINI, MCP, OPENAI
from toolspec.lint.findings import Finding, Fix, Severity

# Raise it when a change of rules changes assessments: all tools are then reassessed.
RULES_VERSION: Final = 5

_FILE: Final = Path(__file__).with_name("rules.toml")
_PROVIDERS: Final = {rules.key: rules for rules in (MCP, OPENAI, ANTHROPIC, GEMINI)}


@dataclass(frozen=True, slots=True)
class Source:
    """A document or a section of one; `as_of`: when a document that changes was looked up."""

    label: str
    url: str
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class RuleExample:
    """Two JSON texts of the value at `pointer` in a spec: `found` has a finding; `corrected`."""

    pointer: str
    found: str
    corrected: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `rules.toml` describes its texts.

    Attributes:
        id: a stable code, also the last part of its documentation's URL.
        sources: the documents that the rule comes from.
    """

    id: str
    severity: Severity
    title: str
    why: str
    how: str
    sources: tuple[Source, ...]
    example: RuleExample


def _read_source(source: dict[str, Any]) -> Source:
    if "provider" not in source:
        return Source(**source)
    rules = _PROVIDERS[source["provider"]]
    return Source(source["label"], rules.source, rules.as_of)


def _read_rules() -> Mapping[str, Rule]:
    document: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    sources = {name: _read_source(source) for name, source in document["sources"].items()}
    rules = {}
    for name, rule in document["rules"].items():
        cited = tuple(sources[source] for source in rule["sources"])
        example = RuleExample(**rule["example"])
        rules[name] = Rule(**{**rule, "id": name, "sources": cited, "example": example})
    return rules


RULES: Final = _read_rules()


def make_finding(
    rule: str,
    pointer: str,
    message: str,
    fix: Fix | None = None,
    *,
    severity: Severity | None = None,
) -> Finding:
    """A finding of the rule with the id `rule`. `severity` replaces the rule's severity."""
    return Finding(rule, severity or RULES[rule].severity, pointer, message, fix)
