"""The findings in the examples of the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolspec.lint.findings import Finding
from toolspec.lint.linter import lint
from toolspec.lint.registry import Rule
from toolspec.spec import read_spec
from toolspec.text.patch import Operation, apply_patch
from toolspec.text.reader import dumps, loads

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


def findings_in(rule: Rule, text: str) -> list[Finding]:
    """The findings of `rule`, with pointers into `text`, which is one of the texts of its example.

    `text` is checked as part of a spec that has no other findings.
    """
    pointer = rule.example.pointer
    document = apply_patch(loads(_SPEC), [Operation("add", pointer, loads(text))])
    findings = []
    for finding in lint(read_spec(dumps(document))):
        if finding.rule == rule.id:
            inner = finding.pointer.removeprefix(pointer)
            findings.append(replace(finding, pointer=inner))
    return findings
