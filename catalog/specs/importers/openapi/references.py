"""References inside one OpenAPI or Swagger document. Nothing is fetched, whatever a document asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from catalog.jsontext.pointers import resolve_pointer
from catalog.jsontext.reader import JSON
from catalog.specs.importers.results import Object

MAX_HOPS: Final = 32
MAX_REFERENCE_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Lost:
    """A reference that leads nowhere here, and why, as a sentence."""

    reason: str


class References:
    def __init__(self, document: Object) -> None:
        self._document = document

    def at(self, pointer: str) -> JSON:
        """What stands at `pointer`, which a reference led to."""
        return resolve_pointer(self._document, pointer)  # type: ignore[return-value]

    def target(self, reference: JSON) -> str | Lost:
        """The pointer that `reference` names in the document."""
        if not isinstance(reference, str):
            return Lost("This reference is no text.")
        if len(reference) > MAX_REFERENCE_CHARS:
            return Lost("This reference is too long.")
        if not reference.startswith("#"):
            return Lost("This reference leads out of the document, and nothing is fetched.")
        pointer = unquote(reference[1:])
        if not pointer.startswith("/"):
            return Lost("This reference names no place in the document.")
        try:
            resolve_pointer(self._document, pointer)
        except LookupError:
            return Lost("This reference names a place that is not in the document.")
        return pointer

    def followed(self, value: JSON, pointer: str) -> tuple[JSON, str] | Lost:
        """`value`, or what it refers to, and where that stands."""
        for _ in range(MAX_HOPS):
            if not isinstance(value, dict) or "$ref" not in value:
                return value, pointer
            target = self.target(value["$ref"])
            if isinstance(target, Lost):
                return target
            value, pointer = self.at(target), target
        return Lost("These references go round in a circle.")
