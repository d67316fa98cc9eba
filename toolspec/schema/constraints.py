"""The constraints of all schemas of one value together: its types, bounds and lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import filterfalse

from toolspec.schema.summary import Bound, Summary
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

    def list_subschemas_with(self, keyword: str) -> list[Subschema]:
        """The schemas that have `keyword`."""
        return [each for each in self.subschemas if keyword in each.all_keywords]

    def list_schemas_under(self, keyword: str) -> list[Subschema]:
        """The schemas under `keyword`."""
        return [each.sub(keyword) for each in self.list_subschemas_with(keyword)]

    def numbers(self, keyword: str) -> list[Decimal]:
        return list(map(Decimal, self.keywords.numbers(keyword)))

    def least(self, keyword: str) -> int:
        return int(max(self.numbers(keyword), default=0))

    def most(self, keyword: str) -> int | None:
        numbers = self.numbers(keyword)
        if numbers:
            return int(min(numbers))
        return None

    def accepts(self, value: JSON) -> bool:
        """Whether no schema refuses `value`; one that cannot be checked does not."""
        checks = (subschema.is_valid(value, self.budget) for subschema in self.subschemas)
        return False not in checks

    def list_choices(self) -> list[JSON]:
        """The values of `const` and `enum`, of the shortest list if there are several."""
        constants = self.keywords.all("const")
        if constants:
            return constants
        lists = [values for values in self.keywords.all("enum") if isinstance(values, list)]
        return min(lists, key=len, default=[])

    def list_examples(self) -> Iterator[JSON]:
        """The examples and defaults of the schemas, without empty ones."""
        for examples in self.keywords.all("examples"):
            yield from filterfalse(_is_empty, items_of(examples))
        yield from self.keywords.all("example")
        yield from filterfalse(_is_empty, self.keywords.all("default"))

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
        keywords = ("additionalProperties", "patternProperties")
        return any(map(self.keywords.names, keywords))

    def bounds(self) -> tuple[Decimal | None, Decimal | None]:
        """The least and the greatest number allowed.

        An exclusive bound is moved inwards a little.
        """
        low = self.keywords.bound(lowest=True)
        high = self.keywords.bound(lowest=False)
        step = Decimal(1)
        if "integer" not in self.types:
            room = step
            if low and high:
                room = abs(Decimal(high[0]) - Decimal(low[0]))
            step = min(step, room / 4)
        return _move_bound(low, step), _move_bound(high, -step)


def _move_bound(bound: Bound | None, step: Decimal) -> Decimal | None:
    """The limit, moved by `step` if it is itself excluded."""
    if bound is None:
        return None
    limit, is_exclusive = bound
    if is_exclusive:
        return Decimal(limit) + step
    return Decimal(limit)


def _is_empty(value: JSON) -> bool:
    return value in (None, "", [], {})
