"""The declarations in the Java source of a schema: records, enums, and the types of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

IMPORTS: Final[Mapping[str, str]] = {
    "List": "java.util.List",
    "Map": "java.util.Map",
    "BigDecimal": "java.math.BigDecimal",
    "BigInteger": "java.math.BigInteger",
    "JsonNode": "com.fasterxml.jackson.databind.JsonNode",
    **{
        name: f"com.fasterxml.jackson.annotation.{name}"
        for name in (
            "JsonAnyGetter", "JsonAnySetter", "JsonCreator", "JsonIgnoreProperties", "JsonInclude", "JsonProperty",
            "JsonValue",
        )
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """A type where it is used.

    Attributes:
        base: the innermost type: "String", or the name of a record or enum.
        declared: whether `base` is a record or enum of this schema.
        around: "List" and "Map", from the outermost one: ("List", "Map") is List<Map<String, base>>.
        note: why `base` is JsonNode; "" for other types.
        facts: constraints that the type does not express, as sentences.
        nullable: whether the value may be null.
    """

    base: str
    declared: bool = False
    around: tuple[str, ...] = ()
    note: str = ""
    facts: tuple[str, ...] = ()
    nullable: bool = False

    def written(self, holder: str = "") -> str:
        """The type in Java, with `holder` as the class that the declared types are in."""
        text = (
            f"{holder}.{self.base}"
            if holder and self.declared and self.base != holder
            else self.base
        )
        for name in reversed(self.around):
            text = f"Map<String, {text}>" if name == "Map" else f"{name}<{text}>"
        return text

    def names(self) -> set[str]:
        """The simple names of its types that must be imported."""
        return {*self.around, *(() if self.declared else (self.base,))} & IMPORTS.keys()


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a record.

    Attributes:
        member: its name in JSON; "" for the component that holds the other members.
        description: the schema's own text.
    """

    member: str
    name: str
    use: Use
    description: str
    facts: tuple[str, ...]
    required: bool


@dataclass(slots=True)
class Record:
    """A record: its components, and the component for members that have none, if the schema mentions such members."""

    name: str
    description: str
    closed: bool
    components: list[Component] = field(default_factory=list)
    others: Component | None = None


@dataclass(frozen=True, slots=True)
class StringEnum:
    """An enum of strings: (name of the constant, value)."""

    name: str
    description: str
    constants: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Fallback:
    """A schema, at `pointer` in the spec, whose values only JsonNode has."""

    pointer: str
    reason: str


@dataclass(frozen=True, slots=True)
class JavaTypes:
    """The types of one schema.

    Attributes:
        holder: the class that contains `declared`; it is the first of them if `use` is that record.
        use: the type of the values of the schema.
        description: of the schema.
        declared: in the order in which they were found.
        fallbacks: in the same order.
    """

    holder: str
    use: Use
    description: str
    declared: tuple[Record | StringEnum, ...]
    fallbacks: tuple[Fallback, ...]
