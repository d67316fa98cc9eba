"""What the readers of an OpenAPI document hand to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from catalog.conversion_report import Report
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.references import Lost, References
from catalog.specs.importers.openapi.schemas import SchemaReader
from catalog.specs.importers.results import Object

_MEDIA: Final = frozenset({"schema", "example", "examples"})


@dataclass(frozen=True, slots=True)
class Part:
    """An object of the document, and where it stands."""

    value: Object
    pointer: str


@dataclass(slots=True)
class Context:
    """What is needed to read one operation: the document, its references and schemas, and where losses go."""

    document: Object
    references: References
    schemas: SchemaReader
    report: Report = field(default_factory=Report)

    def followed(self, value: JSON, pointer: str, otherwise: str) -> Part | None:
        """The object that `value` is or refers to; else None, and the report says `otherwise`."""
        found = self.references.followed(value, pointer)
        if isinstance(found, Lost):
            self.report.dropped(pointer, f"{found.reason} {otherwise}")
            return None
        target, place = found
        if not isinstance(target, dict):
            self.report.dropped(pointer, f"An object is expected here. {otherwise}")
            return None
        return Part(target, place)

    def left(self, part: Part, known: frozenset[str]) -> None:
        """Report what `part` says besides the members that are `known`."""
        for member in part.value:
            if member not in known:
                self.report.dropped(pointer_join(part.pointer, member), f"`{member}` has no place in a spec.")

    def left_types(self, holder: Part, media_type: str, reason: str) -> None:
        """Report the content of other media types than the one that is taken, and what that says besides its schema."""
        content = holder.value.get("content")
        for other, media in content.items() if isinstance(content, dict) else ():
            place = pointer_join(holder.pointer, "content", other)
            if other != media_type:
                self.report.dropped(place, reason)
            elif isinstance(media, dict):
                self.left(Part(media, place), _MEDIA)
