"""References inside one OpenAPI or Swagger document. References to other documents are never fetched."""

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
class Unresolved:
    """A reference that cannot be resolved, and the reason as a sentence; `is_outside` if it names another document."""

    reason: str
    is_outside: bool = False


class References:
    def __init__(self, document: Object) -> None:
        self._document = document

    def at(self, pointer: str) -> JSON:
        """The value at `pointer`, which `target` returned."""
        return resolve_pointer(self._document, pointer)  # type: ignore[return-value]

    def target(self, reference: JSON) -> str | Unresolved:
        """The pointer that `reference` refers to in the document."""
        if not isinstance(reference, str):
            return Unresolved("This reference is not a string.")
        if len(reference) > MAX_REFERENCE_CHARS:
            return Unresolved("This reference is too long.")
        if not reference.startswith("#"):
            return Unresolved("This reference points to another document, which is not fetched.", is_outside=True)
        pointer = unquote(reference[1:])
        if not pointer.startswith("/"):
            return Unresolved("This reference is not a JSON Pointer.")
        try:
            resolve_pointer(self._document, pointer)
        except LookupError:
            return Unresolved("This reference points to something that does not exist in the document.")
        return pointer

    def resolved(self, value: JSON, pointer: str) -> tuple[JSON, str] | Unresolved:
        """`value` and `pointer`, or the value that it refers to and its pointer."""
        for _ in range(MAX_HOPS):
            if not isinstance(value, dict) or "$ref" not in value:
                return value, pointer
            target = self.target(value["$ref"])
            if isinstance(target, Unresolved):
                return target
            value, pointer = self.at(target), target
        return Unresolved("This reference is circular.")
