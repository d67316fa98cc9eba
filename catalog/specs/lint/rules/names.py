"""Names: of the tool, and of its parameters.

Sources: the rules of the providers, in `exports.rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from catalog.jsontext.patch import Operation
from catalog.specs.exporters.aliases import NameRule
from catalog.specs.exporters.providers import ANTHROPIC, GEMINI, MCP, OPENAI
from catalog.specs.lint.context import Subject, properties_of
from catalog.specs.lint.findings import Finding, Fix
from catalog.specs.lint.registry import found

PROVIDERS: Final = (MCP, OPENAI, ANTHROPIC, GEMINI)
LEGAL: Final = NameRule("A-Za-z0-9_-", 64, "", first="A-Za-z_")  # what all of them take
_SPLIT: Final = re.compile(r"[^A-Za-z0-9]+")


def tool_name(subject: Subject) -> Iterator[Finding]:
    spec = subject.spec
    against = [rules.label for rules in PROVIDERS if not rules.name.allows(spec.name)]
    if not against:
        return
    message = f"{_listed(against)} {'takes' if len(against) == 1 else 'take'} no tool of the name “{spec.name}”."
    yield found("name-not-portable", "/definition/name", message, _renaming(subject))


def _renaming(subject: Subject) -> Fix | None:
    """A legal name out of the letters of the old one, which stays the tool's id."""
    name = _SPLIT.sub("_", subject.spec.name).strip("_")
    if not LEGAL.allows(name):
        return None
    operations = [Operation("replace", "/definition/name", name)]
    definition = subject.spec.document["definition"]
    if isinstance(definition, dict) and "id" not in definition:
        operations.insert(0, Operation("add", "/definition/id", subject.spec.name))
    return Fix(f"Call it {name}", tuple(operations))


def member_names(subject: Subject) -> Iterator[Finding]:
    part = subject.part("parameters")
    if part is None or ANTHROPIC.members is None:
        return
    for name, node in properties_of(part.map.root):
        if not ANTHROPIC.members.allows(name):
            message = f"Anthropic takes no parameter of the name “{name[:80]}”."
            yield found("member-name-not-portable", part.pointer_to(node), message)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
