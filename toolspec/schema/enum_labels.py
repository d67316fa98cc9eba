"""Labels and descriptions of the values of an `enum`, from the keywords that are in use for them.

Sources: NSwag (`x-enumNames`), OpenAPI Generator (`x-enum-varnames`, `x-enum-descriptions`), Redoc
(`x-enumDescriptions`, by value), react-jsonschema-form (`enumNames`), Visual Studio Code
(`enumDescriptions`, `markdownEnumDescriptions`), AutoRest (`x-ms-enum`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON, dumps

NAMES: Final = (
    "x-enumNames",
    "x-enum-varnames",
    "x-enum-names",
    "x-enum-labels",
    "x-enumLabels",
    "enumNames",
)
DESCRIPTIONS: Final = (
    "x-enum-descriptions",
    "x-enumDescriptions",
    "enumDescriptions",
    "markdownEnumDescriptions",
)
MICROSOFT: Final = "x-ms-enum"
KEYWORDS: Final = frozenset({*NAMES, *DESCRIPTIONS, MICROSOFT})


@dataclass(frozen=True, slots=True)
class EnumLabel:
    """One value of an `enum`. `name` and `description` are "" if the schema has none."""

    value: JSON
    name: str = ""
    description: str = ""

    @property
    def text(self) -> str:
        """The value with its name: "Female (0)"."""
        value = _spell(self.value)
        if not self.name or self.name == value:
            return value
        return f"{self.name} ({value})"


def enum_labels(schema: Mapping[str, JSON]) -> list[EnumLabel]:
    """The values of the `enum` of `schema` with their labels; [] if there are no labels."""
    values = items_of(schema.get("enum"))
    if KEYWORDS.isdisjoint(schema) or not values:
        return []
    names = _find_texts(schema, NAMES, values, "name")
    descriptions = _find_texts(schema, DESCRIPTIONS, values, "description")
    if not any(names) and not any(descriptions):
        return []
    return list(map(EnumLabel, values, names, descriptions))


def _find_texts(
    schema: Mapping[str, JSON], keywords: Sequence[str], values: Sequence[JSON], member: str
) -> list[str]:
    """The texts of the first of `keywords` that labels these values, in their order.

    If there is none, they are those of the `member` in Microsoft's keyword.
    """
    for keyword in keywords:
        texts = _read_texts(schema.get(keyword), values)
        if any(texts):
            return texts
    return _read_microsoft(schema, values, member)


def _read_texts(labels: JSON, values: Sequence[JSON]) -> list[str]:
    """A list has a text for each value; an object has texts by the values' spelling."""
    if isinstance(labels, list) and len(labels) == len(values):
        return [_read_text(label) for label in labels]
    if isinstance(labels, dict):
        return [_read_text(labels.get(_spell(value))) for value in values]
    return []


def _read_microsoft(schema: Mapping[str, JSON], values: Sequence[JSON], member: str) -> list[str]:
    texts: dict[str, str] = {}
    for row in items_of(members_of(schema.get(MICROSOFT)).get("values")):
        if isinstance(row, dict) and "value" in row:
            texts[_spell(row["value"])] = _read_text(row.get(member))
    return [texts.get(_spell(value), "") for value in values]


def _read_text(label: JSON) -> str:
    if isinstance(label, str):
        return " ".join(label.split())
    return ""


def _spell(value: JSON) -> str:
    if isinstance(value, str):
        return value
    return dumps(value)
