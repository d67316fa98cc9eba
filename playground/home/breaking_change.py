"""The breaking change on a visitor's first page: two revisions of a spec, compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from toolshelf_core.rendering.text_diff import Difference as TextDifference
from toolshelf_core.rendering.text_diff import compare as compare_texts
from toolspec.diff import compare
from toolspec.diff.changes import Change
from toolspec.spec import ToolSpec, read_spec
from toolspec.text.reader import JSON, dumps

REQUIRED: Final = (["number"], ["number", "year"])


@dataclass(frozen=True, slots=True)
class BreakingChange:
    """A change with its proof, and its lines in the spec."""

    change: Change
    lines: TextDifference


@cache
def find_breaking_change() -> BreakingChange:
    old, new = map(_read_revision, REQUIRED)
    lines = [f'"required": {dumps(list(names))}' for names in REQUIRED]
    return BreakingChange(compare(old, new).changes[0], compare_texts(*lines))


def _read_revision(required: list[str]) -> ToolSpec:
    properties: JSON = {"number": {"type": "string"}, "year": {"type": "integer"}}
    parameters: JSON = {"type": "object", "properties": properties, "required": [*required]}
    definition: JSON = {
        "id": "find_invoice",
        "name": "find_invoice",
        "description": "Find an invoice by its number.",
        "parameters": parameters,
        "examples": [{"description": "By number", "parameters": {"number": "5"}}],
    }
    return read_spec(dumps({"definition": definition}))
