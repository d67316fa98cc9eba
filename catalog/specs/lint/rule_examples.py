"""For each rule, what it finds and what it passes over: JSON that stands at one place of a spec.

They stand in `illustrations.txt`: "# rule place", "- found" and a text, "- right" and a text. A test checks that the
first is found by the rule, and the second is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from catalog.jsontext.patch import Operation, apply_patch
from catalog.jsontext.reader import JSON, dumps, loads
from catalog.specs.lint.findings import Finding
from catalog.specs.lint.linter import lint
from catalog.specs.spec import read_spec

_FILE: Final = Path(__file__).with_name("rule_examples.txt")
_ENTRY: Final = re.compile(r"^# (\S+) (\S+)\n- found\n(.+?)\n- right\n(.+?)\n(?=\n#|\Z)", re.DOTALL | re.MULTILINE)
_AROUND: Final = """{
  "definition": {
    "name": "get_weather",
    "description": "Tell the present weather of a city.",
    "parameters": {
      "type": "object",
      "properties": {"city": {"type": "string", "description": "Name of the city, in English."}}
    },
    "returnType": {"type": "object", "properties": {"temperature": {"type": "number"}}},
    "examples": [{}]
  }
}"""


@dataclass(frozen=True, slots=True)
class Illustration:
    """What stands at `place` (a pointer into a spec), as JSON text: as it is found, and put right."""

    place: str
    found: str
    right: str

    def findings(self, rule: str, text: str) -> list[Finding]:
        """What `rule` finds where `text`, one of the two, stands in a spec that is fine otherwise."""
        document: JSON = apply_patch(loads(_AROUND), [Operation("add", self.place, loads(text))])
        return [finding for finding in lint(read_spec(dumps(document))) if finding.rule == rule]

    def notes(self, rule: str) -> list[dict[str, str]]:
        """What is found in the first text: {"pointer" (into that text), "message"}."""
        return [
            {"pointer": finding.pointer.removeprefix(self.place), "message": finding.message}
            for finding in self.findings(rule, self.found)
        ]

    def is_fixed(self, rule: str) -> bool:
        """Whether there is a fix for what is found in the first text."""
        return any(finding.fix for finding in self.findings(rule, self.found))


@cache
def illustrations() -> Mapping[str, Illustration]:
    """The illustration of every rule, by the rule's id."""
    return {rule: Illustration(*rest) for rule, *rest in _ENTRY.findall(_FILE.read_text(encoding="utf-8"))}
