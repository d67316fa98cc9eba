"""What lint finds, as values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Literal

from catalog.jsontext.reader import JSON, dumps

Severity = Literal["error", "warning", "info"]

KEY_CHARACTERS: Final = 12
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")  # the gravest first


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a JSON Patch (RFC 6902, section 4)."""

    op: Literal["add", "remove", "replace", "move"]
    path: str
    value: JSON = None
    source: str = ""  # of "move", whose member in JSON is `from`

    def as_json(self) -> dict[str, JSON]:
        """The operation as RFC 6902 writes it."""
        if self.op == "move":
            return {"op": self.op, "from": self.source, "path": self.path}
        if self.op == "remove":
            return {"op": self.op, "path": self.path}
        return {"op": self.op, "path": self.path, "value": self.value}


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
