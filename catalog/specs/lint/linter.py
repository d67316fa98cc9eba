"""Run all rules over a spec, in one pass over its schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from catalog.json_schema.index import Node
from catalog.specs.lint.context import Part, Subject
from catalog.specs.lint.findings import SEVERITIES, Finding
from catalog.specs.lint.rules import constraints, descriptions, keywords, names, providers, references, secrets, values
from catalog.specs.spec import ToolSpec

MAX_FINDINGS: Final = 500

OF_SPECS: Final[tuple[Callable[[Subject], Iterator[Finding]], ...]] = (
    names.tool_name,
    names.member_names,
    names.mixed_scripts,
    names.misspelt_members,
    descriptions.tool_description,
    descriptions.hidden_characters,
    descriptions.absent_parts,
    providers.root,
    providers.draft,
    references.definitions,
    values.spec_examples,
)
OF_SCHEMAS: Final[tuple[Callable[[Part, Node], Iterator[Finding]], ...]] = (
    descriptions.undescribed,
    descriptions.unspecified,
    secrets.secrets,
    references.required_names,
    providers.arrays,
    constraints.bounds,
    constraints.without_effect,
    keywords.outdated,
    keywords.misspelt,
    constraints.formats,
    constraints.patterns,
    values.choices,
    values.optional_null,
    values.described_values,
)


def lint(spec: ToolSpec) -> list[Finding]:
    """The findings of `spec`, the most severe first; at most `MAX_FINDINGS`. Below 1 ms for a typical spec."""
    findings = list(islice(_findings(Subject(spec)), MAX_FINDINGS))
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def _findings(subject: Subject) -> Iterator[Finding]:
    for check in OF_SPECS:
        yield from check(subject)
    for part in subject.parts:
        for node in part.map.nodes:
            for check_schema in OF_SCHEMAS:
                yield from check_schema(part, node)
