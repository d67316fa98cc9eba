"""For each rule, an example: a part of a spec with a finding of the rule, and the same part corrected.

`rule_examples.txt` contains them: "# rule pointer", "- found" and a JSON text, "- corrected" and a JSON text.
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
_ENTRY: Final = re.compile(
    r"^# (\S+) (\S+)\n- found\n(.+?)\n- corrected\n(.+?)\n(?=\n#|\Z)", re.DOTALL | re.MULTILINE
)
_SPEC: Final = """{
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
class RuleExample:
    """Two JSON texts of the value at `pointer` in a spec: `found`, which has a finding, and `corrected`."""

    rule: str
    pointer: str
    found: str
    corrected: str

    def findings(self, text: str) -> list[Finding]:
        """The rule's findings when `text`, one of the two, is part of a spec without other findings."""
        document: JSON = apply_patch(loads(_SPEC), [Operation("add", self.pointer, loads(text))])
        return [
            finding for finding in lint(read_spec(dumps(document))) if finding.rule == self.rule
        ]

    def notes(self) -> list[dict[str, str]]:
        """The findings of `found`: {"pointer" (into that text), "message"}."""
        return [
            {"pointer": finding.pointer.removeprefix(self.pointer), "message": finding.message}
            for finding in self.findings(self.found)
        ]

    def has_fix(self) -> bool:
        """Whether a finding of `found` has a fix."""
        return any(finding.fix for finding in self.findings(self.found))


@cache
def rule_examples() -> Mapping[str, RuleExample]:
    """The example of every rule, by the rule's id."""
    return {
        entry[0]: RuleExample(*entry) for entry in _ENTRY.findall(_FILE.read_text(encoding="utf-8"))
    }
