"""The constraints on one value that all its schemas make together: its types, bounds and lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from catalog.json_schema.types import KEYWORDS_OF_TYPES, type_names
from catalog.json_schema.validation import Budget, Subschema
from catalog.json_schema.validation.equality import is_numeric
from catalog.jsontext.reader import JSON


@dataclass
class Constraints:
    """The constraints of all schemas that apply to one value.

    Attributes:
        budget: limits the work of checking values.
        types: the types that the value may have, once they are known.
    """

    subschemas: list[Subschema]
    budget: Budget
    types: list[str] = field(default_factory=list)

    def each(self, keyword: str) -> Iterator[tuple[Subschema, JSON]]:
        for subschema in self.subschemas:
            if keyword in subschema.all_keywords:
                yield subschema, subschema.all_keywords[keyword]

    def values(self, keyword: str) -> list[JSON]:
        return [value for _, value in self.each(keyword)]

    def numbers(self, keyword: str) -> list[Decimal]:
        return [Decimal(str(value)) for value in self.values(keyword) if is_numeric(value)]

    def least(self, keyword: str) -> int:
        return int(max(self.numbers(keyword), default=Decimal(0)))

    def most(self, keyword: str) -> int | None:
        return (
            int(min(self.numbers(keyword), default=Decimal(-1))) if self.numbers(keyword) else None
        )

    def accepts(self, value: JSON) -> bool:
        return all(
            subschema.is_valid(value, self.budget) is not False for subschema in self.subschemas
        )

    def fixed(self) -> Iterator[JSON]:
        """The values of `const` and `enum`, of the shortest list if there are several."""
        yield from self.values("const")
        lists = [values for values in self.values("enum") if isinstance(values, list)]
        if lists and not self.values("const"):
            yield from min(lists, key=len)

    def hints(self) -> Iterator[JSON]:
        """The examples and defaults of the schemas, without empty ones."""
        for examples in self.values("examples"):
            if isinstance(examples, list):
                yield from (example for example in examples if example not in (None, "", [], {}))
        yield from self.values("example")
        yield from (
            default for default in self.values("default") if default not in (None, "", [], {})
        )

    def allowed_types(self) -> list[str]:
        """The types that all schemas allow, "null" last; [] if there is none."""
        allowed: list[str] | None = None
        for types in self.values("type"):
            names = type_names(types)
            if "number" in names:
                names = [*names, "integer"]
            allowed = names if allowed is None else [name for name in allowed if name in names]
        if allowed is not None:
            if "number" in allowed:
                allowed = [name for name in allowed if name != "integer"]
            return sorted(dict.fromkeys(allowed), key=lambda name: name == "null")
        for name, keywords in KEYWORDS_OF_TYPES.items():
            if any(keywords & subschema.all_keywords.keys() for subschema in self.subschemas):
                return [name]
        return ["string", "number", "boolean", "object", "array", "null"]

    def is_map(self) -> bool:
        """Whether a schema describes members that it does not name."""
        return any(
            isinstance(members, dict) and members
            for keyword in ("additionalProperties", "patternProperties")
            for members in self.values(keyword)
        )

    def bounds(self) -> tuple[Decimal | None, Decimal | None]:
        """The least and the greatest number allowed. An exclusive bound is moved inwards a little."""
        lows = self.numbers("minimum")
        highs = self.numbers("maximum")
        above, below = self.numbers("exclusiveMinimum"), self.numbers("exclusiveMaximum")
        for subschema, excluded in self.each(
            "exclusiveMinimum"
        ):  # draft 4: a boolean beside `minimum`
            if excluded is True and is_numeric(subschema.all_keywords.get("minimum")):
                above.append(Decimal(str(subschema.all_keywords["minimum"])))
        for subschema, excluded in self.each("exclusiveMaximum"):
            if excluded is True and is_numeric(subschema.all_keywords.get("maximum")):
                below.append(Decimal(str(subschema.all_keywords["maximum"])))
        room = Decimal(1)
        if (above or lows) and (below or highs):
            room = min([*below, *highs]) - max([*above, *lows])
        little = min(Decimal(1), abs(room) / 4) if room else Decimal(0)
        if "integer" in self.types:
            little = Decimal(1)
        lows += [bound + little for bound in above]
        highs += [bound - little for bound in below]
        return max(lows, default=None), min(highs, default=None)
