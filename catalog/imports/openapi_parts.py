"""What the readers of an OpenAPI document hand to each other."""

from __future__ import annotations

from dataclasses import dataclass, field

from catalog.imports.openapi_references import Lost, References
from catalog.imports.openapi_schemas import SchemaReader
from catalog.imports.results import Object
from catalog.losses import Report
from catalog.strict_json import JSON


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
