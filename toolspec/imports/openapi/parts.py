"""Values that the readers of an OpenAPI document share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from toolspec.conversion_report import Report
from toolspec.imports.openapi.references import References, Unresolved
from toolspec.imports.openapi.schemas import Direction, SchemaReader
from toolspec.imports.results import Object
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

_MEDIA: Final = frozenset({"schema", "example", "examples", "encoding"})


def explain_unresolved(lost: Unresolved, pointer: str) -> str:
    """Why the reference at `pointer` cannot be read, and what to do."""
    advice = " Bundle the documents into one, and import that." if lost.is_outside else ""
    return f"{pointer_join(pointer, '$ref')}: {lost.reason}{advice}"


@dataclass(frozen=True, slots=True)
class Part:
    """An object of the document, and its pointer."""

    value: Object
    pointer: str


@dataclass(slots=True)
class Context:
    """For reading one operation: the document, its references and schemas, and the report.

    Attributes:
        max_definition_bytes: of the definitions that the tool's schemas may carry together, as
            JSON.
        definition_bytes: of those that they carry, by direction.
    """

    document: Object
    references: References
    schemas: SchemaReader
    max_definition_bytes: int
    report: Report = field(default_factory=Report)
    definition_bytes: dict[Direction, int] = field(default_factory=dict)

    def close(self, schema: JSON, needs: tuple[str, ...], direction: Direction) -> JSON:
        """`schema` with the definitions that it reaches.

        Parameters come first; the return type has the rest.
        """
        self.definition_bytes.pop(direction, None)
        room = self.max_definition_bytes - sum(self.definition_bytes.values())
        schema, size = self.schemas.with_definitions(
            schema, needs, direction, self.report, max_bytes=room
        )
        self.definition_bytes[direction] = size
        return schema

    def resolve(self, value: JSON, pointer: str, consequence: str) -> Part | None:
        """The object that `value` is or refers to.

        If there is none, the reason and `consequence` are reported.
        """
        result = self.references.resolve(value, pointer)
        if isinstance(result, Unresolved):
            self.report.dropped(pointer, f"{result.reason} {consequence}")
            return None
        target, target_pointer = result
        if not isinstance(target, dict):
            self.report.dropped(pointer, f"An object is expected here. {consequence}")
            return None
        return Part(target, target_pointer)

    def report_unused(self, part: Part, used: frozenset[str]) -> None:
        """Report the members of `part` that are not `used`."""
        for member in part.value:
            if member not in used:
                reason = f"`{member}` is not part of a spec."
                self.report.dropped(pointer_join(part.pointer, member), reason)

    def report_unused_content(self, holder: Part, media_type: str, reason: str) -> None:
        """Report content in other media types than `media_type`, and unused members of that one."""
        for other, media in members_of(holder.value.get("content")).items():
            pointer = pointer_join(holder.pointer, "content", other)
            if other != media_type:
                self.report.dropped(pointer, reason)
            elif isinstance(media, dict):
                self.report_unused(Part(media, pointer), _MEDIA)
