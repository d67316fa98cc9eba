"""What lint finds, as values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Literal

from catalog.jsontext.patch import Operation
from catalog.jsontext.reader import JSON, dumps

Severity = Literal["error", "warning", "info"]

KEY_CHARACTERS: Final = 12
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")  # the gravest first


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a finding: a JSON Patch of the spec.

    Attributes:
        title: what it does, in a few words.
        safe: all that was taken and returned before still is, and nothing else; nothing is called otherwise.
    """

    title: str
    operations: tuple[Operation, ...]
    safe: bool = False

    @property
    def key(self) -> str:
        """Names it among the fixes of a spec; findings that the same operations mend have the same."""
        return hashlib.sha256(dumps(self._patch()).encode()).hexdigest()[:KEY_CHARACTERS]

    def as_json(self) -> dict[str, JSON]:
        """{"key", "title", "safe", "patch"}; the patch as RFC 6902 writes it."""
        return {"key": self.key, "title": self.title, "safe": self.safe, "patch": self._patch()}

    def _patch(self) -> list[JSON]:
        return [operation.as_json() for operation in self.operations]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is allowed and could be better.

    Attributes:
        rule: its id in `RULES`.
        pointer: into the spec.
        message: one sentence.
        fix: what mends it, where that can be said for sure.
    """

    rule: str
    severity: Severity
    pointer: str
    message: str
    fix: Fix | None = None
