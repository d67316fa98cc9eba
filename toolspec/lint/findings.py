"""Findings and their fixes, as values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Literal

from toolspec.text.patch import Operation
from toolspec.text.reader import JSON, dumps

Severity = Literal["error", "warning", "info"]

KEY_CHARACTERS: Final = 12
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")  # the most severe first


@dataclass(frozen=True, slots=True)
class Fix:
    """A JSON Patch of the spec that removes a finding.

    Attributes:
        title: its effect, in a few words.
        safe: the tool keeps its name and members, and accepts and returns exactly the same values
            as before.
    """

    title: str
    operations: tuple[Operation, ...]
    safe: bool = False

    @property
    def key(self) -> str:
        """Identifies it among the fixes of a spec; findings with the same patch share the key."""
        return hashlib.sha256(dumps(self._patch()).encode()).hexdigest()[:KEY_CHARACTERS]

    def as_json(self) -> dict[str, JSON]:
        """{"key", "title", "safe", "patch"}; the patch in the notation of RFC 6902."""
        return {"key": self.key, "title": self.title, "safe": self.safe, "patch": self._patch()}

    def _patch(self) -> list[JSON]:
        return [operation.as_json() for operation in self.operations]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a valid spec that could be better.

    Attributes:
        rule: its id in `RULES`.
        pointer: into the spec.
        message: one or two sentences.
        fix: None if the right change is not certain.
    """

    rule: str
    severity: Severity
    pointer: str
    message: str
    fix: Fix | None = None
