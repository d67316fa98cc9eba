"""The origins of revisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from toolspec.imports.results import LABELS, ImportFormat

Kind = Literal["spec", "catalog", "source"] | ImportFormat

MAX_NAME_CHARS: Final = 200
_APIS: Final = frozenset({"openapi-3", "swagger-2"})  # one API may be described in both
_LABELS: Final[Mapping[str, str]] = {
    "spec": "a spec",
    "catalog": "an exported catalog",
    "source": "the source",
} | dict(LABELS.items())


@dataclass(frozen=True, slots=True)
class RevisionOrigin:
    """The origin of a revision.

    Attributes:
        kind: "spec" (published as it is), "catalog" (an exported catalog), "source" (a sync of a
            source), or the format that it was imported from.
        name: of the source, the file, the title of the API or the name of the server; "" if it is
            not known.
    """

    kind: Kind
    name: str = ""

    def __str__(self) -> str:
        return origin_text(self.kind, self.name)

    def is_same(self, kind: str, name: str) -> bool:
        """Whether it is certain that both are one document or server; without a name it is not."""
        if not name or name != self.name:
            return False
        return kind == self.kind or {kind, self.kind} <= _APIS


PUBLISHED: Final = RevisionOrigin("spec")


def origin_text(kind: str, name: str) -> str:
    """The origin for people: `OpenAPI 3 “Things”`."""
    label = _LABELS.get(kind, kind)
    return f"{label} “{name}”" if name else label
