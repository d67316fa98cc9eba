"""The constraints on one value that all its schemas make together: its types, bounds and lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from toolspec.schema.summary import Summary
from toolspec.schema.types import KEYWORDS_OF_TYPES, type_names
from toolspec.schema.validation import Budget, Subschema
from toolspec.text.containers import items_of
from toolspec.text.reader import JSON


@dataclass
class Constraints:
    """The constraints of all schemas that apply to one value.

    Attributes:
        budget: limits the work of checking values.
        types: the types that the value may have, once they are known.
        keywords: what the schemas say, with the keywords of any draft.
    """

    subschemas: list[Subschema]
    budget: Budget
    types: list[str] = field(default_factory=list)
    keywords: Summary = field(init=False)

    def __post_init__(self) -> None:
        self.keywords = Summary([subschema.all_keywords for subschema in self.subschemas])

    def having(self, keyword: str) -> list[Subschema]:
        """The schemas that have `keyword`."""
        return [each for each in self.subschemas if keyword in each.all_keywords]

    def subs(self, keyword: str) -> list[Subschema]:
        """The schemas under `keyword`."""
        return [each.sub(keyword) for each in self.having(keyword)]

    def numbers(self, keyword: str) -> list[Decimal]:
        return [Decimal(value) for value in self.keywords.numbers(keyword)]

    def least(self, keyword: str) -> int:
        return int(max(self.numbers(keyword), default=0))

    def most(self, keyword: str) -> int | None:
        numbers = self.numbers(keyword)
        return int(min(numbers)) if numbers else None

    def accepts(self, value: JSON) -> bool:
        return all(
            subschema.is_valid(value, self.budget) is not False for subschema in self.subschemas
        )

    def fixed(self) -> list[JSON]:
        """The values of `const` and `enum`, of the shortest list if there are several."""
        lists = [values for values in self.keywords.all("enum") if isinstance(values, list)]
        return self.keywords.all("const") or min(lists, key=len, default=[])

    def hints(self) -> Iterator[JSON]:
        """The examples and defaults of the schemas, without empty ones."""
        for examples in self.keywords.all("examples"):
            yield from (example for example in items_of(examples) if not _is_empty(example))
        yield from self.keywords.all("example")
        yield from (value for value in self.keywords.all("default") if not _is_empty(value))

    def allowed_types(self) -> list[str]:
        """The types that all schemas allow, "null" last; [] if there is none."""
        allowed: list[str] | None = None
        for types in self.keywords.all("type"):
            names = type_names(types)
            if "number" in names:
                names = [*names, "integer"]
            allowed = names if allowed is None else [name for name in allowed if name in names]
        if allowed is not None:
            if "number" in allowed:
                allowed = [name for name in allowed if name != "integer"]
            return sorted(dict.fromkeys(allowed), key=lambda name: name == "null")
        for name, keywords in KEYWORDS_OF_TYPES.items():
            if any(map(self.keywords.has, keywords)):
                return [name]
        return ["string", "number", "boolean", "object", "array", "null"]

    def is_map(self) -> bool:
        """Whether a schema describes members that it does not name."""
        return bool(
            self.keywords.names("additionalProperties") or self.keywords.names("patternProperties")
        )

    def bounds(self) -> tuple[Decimal | None, Decimal | None]:
        """The least and the greatest number allowed. An exclusive bound is moved inwards a little."""
        low, high = self.keywords.bound(lowest=True), self.keywords.bound(lowest=False)
        least = None if low is None else Decimal(low[0])
        greatest = None if high is None else Decimal(high[0])
        room = Decimal(1) if least is None or greatest is None else abs(greatest - least)
        little = Decimal(1) if "integer" in self.types else min(Decimal(1), room / 4)
        if least is not None and low and low[1]:
            least += little
        if greatest is not None and high and high[1]:
            greatest -= little
        return least, greatest


def _is_empty(value: JSON) -> bool:
    return value in (None, "", [], {})
