"""Lookups in the schema while one page is built: cached, and within one budget of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from playground.form.applicable import Applicable, Search
from playground.form.choices import Choices
from playground.form.draft import Array, Draft, Missing, Numeral, Object, Text
from playground.form.kinds import Kinds
from playground.form.page_tokens import NoPageTokens, PageTokenMaker
from playground.form.to_value import FoldedValues, Reading, read
from playground.form.unions import Branches
from playground.form.values import ABSENT, Absent, Kind, Maybe, kind_of, print_literal
from toolspec.schema.validation import Budget, Subschema
from toolspec.text.pretty import MAX_PRINTED
from toolspec.text.reader import JSON

MAX_NEW_DRAFTS: Final = 400  # as many as the controls of an opened form

_KINDS: Final[Mapping[type, Kind]] = {
    Text: "text",
    Numeral: "number",
    Object: "object",
    Array: "array",
}


@dataclass(slots=True)
class SchemaLookups:
    """The schema lookups for the fields of one form.

    Attributes:
        find_secret: finds a secret by its token.
        seal: encrypts text that must not be readable in the page.
        has_conditions: whether a subschema found so far applies because of the value.
        budget: the validator's work for this page; once it is used up, branches and conditions are
            no longer looked up.
        printed: characters of JSON text on several lines that values may still become.
    """

    find_secret: Callable[[str], Maybe] = lambda _token: ABSENT
    seal: PageTokenMaker = field(default_factory=NoPageTokens)
    budget: Budget = field(default_factory=Budget)
    kinds: Kinds = field(default_factory=Kinds)
    choices: Choices = field(default_factory=Choices)
    branches: Branches = field(init=False)
    has_conditions: bool = False
    _new_drafts_left: int = MAX_NEW_DRAFTS
    printed: int = MAX_PRINTED
    _readings: dict[int, tuple[Draft, Reading]] = field(default_factory=dict)
    _folded: FoldedValues = field(default_factory=dict)
    _applicable: dict[tuple[int, tuple[object, ...]], tuple[Draft, Applicable]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.branches = Branches(self.kinds, self.choices, self.is_valid)

    def is_valid(self, subschema: Subschema, value: JSON) -> bool | None:
        """Whether `value` is valid; None if the budget is used up."""
        return subschema.is_valid(value, self.budget)

    def take_new_drafts(self, wanted: int) -> int:
        """How many of `wanted` new values this page still makes; they are counted as made."""
        allowed = min(wanted, self._new_drafts_left)
        self._new_drafts_left -= allowed
        return allowed

    def read(self, draft: Draft) -> Reading:
        """The value of `draft`, cached."""
        known = self._readings.get(id(draft))
        if known is None:
            known = self._readings[id(draft)] = (draft, read(draft, self.find_secret, self._folded))
        return known[1]

    def print(self, value: JSON) -> str:
        """`value` as JSON text to edit.

        On several lines, or on one if the page has too much text on several lines.
        """
        text = print_literal(value, most=self.printed)
        self.printed -= len(text)
        return text

    def find_applicable(self, subschemas: Sequence[Subschema], draft: Draft) -> Applicable:
        """The subschemas that apply to the value of `draft` if all of `subschemas` do, cached."""
        key = (id(draft), tuple(subschema.identity for subschema in subschemas))
        known = self._applicable.get(key)
        if known is None:
            value = ABSENT if isinstance(draft, Missing) else self.read(draft).value
            branches = dict(draft.state.branches)
            applicable = self._search(subschemas, value, self.kind(draft), branches)
            known = self._applicable[key] = (draft, applicable)
        return known[1]

    def find_applicable_to_value(self, subschemas: Sequence[Subschema], value: Maybe) -> Applicable:
        """The subschemas that apply to a complete value if all of `subschemas` do."""
        return self._search(subschemas, value, _find_kind(value), {})

    def _search(
        self,
        subschemas: Sequence[Subschema],
        value: Maybe,
        kind: Kind | None,
        branches: dict[str, int],
    ) -> Applicable:
        search = Search(
            value,
            kind,
            branches,
            self.kinds,
            self.choices,
            self.branches.choose,
            self.branches.tag_names,
            self.is_valid,
        )
        applicable = search.run(subschemas)
        if applicable.has_conditions:
            self.has_conditions = True
        return applicable

    def kind(self, draft: Draft) -> Kind | None:
        """The type of the value, or the type selected for it; None if neither is known."""
        if isinstance(draft, Missing):
            return draft.kind
        if type(draft) in _KINDS:
            return _KINDS[type(draft)]
        return _find_kind(self.read(draft).value)


def _find_kind(value: Maybe) -> Kind | None:
    if isinstance(value, Absent):
        return None
    return kind_of(value)
