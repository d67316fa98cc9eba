"""What all the schemas that apply to one value say, keyword by keyword.

Nothing is merged: a keyword has one value for each schema that has it, and these may contradict
each other. The caller decides whose keywords count: those of any draft, or only those that a draft
defines.

    summary = Summary([{"minLength": 1, "title": "Name"}, {"minLength": 3}])
    summary.all("minLength")    [1, 3]
    summary.text("title")       "Name"

Source: JSON Schema 2020-12 Validation, section 6; draft-04 for flags beside bounds, earlier drafts
for `dependencies`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from toolspec.text.containers import members_of, strings_of
from toolspec.text.numbers import Number, is_number
from toolspec.text.reader import JSON

Schema = Mapping[str, JSON]
Bound: TypeAlias = tuple[int | Number, bool]
"""A limit of numbers, and whether it is itself excluded."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The keywords of all schemas that apply to one value, the outermost schema first."""

    schemas: Sequence[Schema]

    def all(self, keyword: str) -> list[JSON]:
        return [schema[keyword] for schema in self.schemas if keyword in schema]

    def first(self, keyword: str) -> JSON:
        """The outermost value; None if no schema has the keyword, or if it is null."""
        return next(iter(self.all(keyword)), None)

    def has(self, keyword: str) -> bool:
        return any(keyword in schema for schema in self.schemas)

    def flag(self, keyword: str) -> bool:
        """Whether any schema sets the keyword to true."""
        return any(value is True for value in self.all(keyword))

    def texts(self, keyword: str) -> list[str]:
        """The strings that are not blank, each once."""
        texts = (text for text in self.all(keyword) if isinstance(text, str) and text.strip())
        return list(dict.fromkeys(texts))

    def text(self, keyword: str) -> str:
        """The outermost string that is not blank, or ""."""
        return next(iter(self.texts(keyword)), "")

    def numbers(self, keyword: str) -> list[int | Number]:
        return [value for value in self.all(keyword) if is_number(value)]

    def bound(self, *, lowest: bool) -> Bound | None:
        """The tightest lower or upper bound of numbers."""
        name = "minimum" if lowest else "maximum"
        exclusive_name = f"exclusive{name.capitalize()}"
        bounds: list[Bound] = []
        for schema in self.schemas:
            limit = schema.get(name)
            exclusive = schema.get(exclusive_name)
            if is_number(limit):
                bounds.append((limit, exclusive is True))  # draft-04 has a flag beside the limit
            if is_number(exclusive):
                bounds.append((exclusive, True))
        if lowest:
            return max(bounds, default=None)
        return min(bounds, key=lambda bound: (bound[0], not bound[1]), default=None)

    def names(self, keyword: str) -> list[str]:
        """The names in the objects under `keyword`, each once."""
        names = chain.from_iterable(map(members_of, self.all(keyword)))
        return list(dict.fromkeys(names))

    @property
    def needed(self) -> list[tuple[str, str]]:
        """(member, another that must be there if the first is)."""
        pairs = []
        for members in [*self.all("dependentRequired"), *self.all("dependencies")]:
            for name, others in members_of(members).items():
                pairs += [(name, other) for other in strings_of(others)]
        return pairs

    def required(self, given: Iterable[str] = ()) -> list[str]:
        """The members that must be there if those `given` are, with those they require in turn."""
        needs: dict[str, list[str]] = {}
        for name, other in self.needed:
            needs.setdefault(name, []).append(other)
        waiting = deque(chain.from_iterable(map(strings_of, self.all("required"))))
        for name in given:
            waiting += needs.get(name, ())
        required: dict[str, None] = {}
        while waiting:
            name = waiting.popleft()
            if name not in required:
                required[name] = None
                waiting += needs.get(name, ())
        return list(required)
