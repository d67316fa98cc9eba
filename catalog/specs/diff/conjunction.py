"""Schemas that all apply to the same value, as one.

A value must be valid for a subschema, for the targets of its `$ref` and `allOf`, and for any other schema that applies
to it, wherever they are defined. `Conjunction` is the list of them, with additional assumptions about the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final, TypeVar

from catalog.json_schema.applicable import always, gather_all
from catalog.json_schema.children import needed_names, required_names
from catalog.json_schema.describe import strings_in
from catalog.json_schema.validation import Budget, Subschema
from catalog.json_schema.validation.budget import Run, Unchecked
from catalog.jsontext.reader import JSON
from catalog.specs.diff import keywords as own_keywords
from catalog.specs.diff.keywords import TYPES, Edge

Built = TypeVar("Built")
MAX_CONDITIONS: Final = 6  # each is split into two cases
MAX_SUBSCHEMAS: Final = 400  # of one conjunction
_LISTING: Final = frozenset({"const", "enum", "type"})
_PLAIN: Final = frozenset({"$dynamicRef", "$recursiveRef", "$ref", "allOf", "false", "type"})


class TooMuch(Exception):
    """The schemas are too large or too complex to compare."""


@dataclass(frozen=True, slots=True)
class Union:
    """One `anyOf` or `oneOf`; or one `if`, whose alternatives are its two outcomes."""

    subschema: Subschema
    keyword: str

    @property
    def key(self) -> Hashable:
        return (self.subschema.identity, self.keyword)

    @property
    def schemas(self) -> list[Subschema]:
        return self.subschema.listed(self.keyword)

    @property
    def branches(self) -> list[Conjunction]:
        return [conjoin(schema) for schema in self.schemas]

    @property
    def constants(self) -> list[JSON] | None:
        """Exactly the values that it accepts, if each branch only lists strings, integers, booleans and null.

        None if a branch does more. Lists of fractions, arrays and objects are compared as branches.
        """
        return None if self.marks is None else [value for _, value in self.marks]

    @property
    def marks(self) -> Mapping[tuple[str, JSON], None] | None:
        """The types and values of its `constants`, in order."""
        return self.subschema.built(f"{self.keyword} constants", lambda: (self._marks(),))[0]

    def _marks(self) -> Mapping[tuple[str, JSON], None] | None:
        if self.keyword == "if" or not all(
            own_keywords.assertions_of(s) <= _LISTING for s in self.schemas
        ):
            return None
        found: Counter[tuple[str, JSON]] = Counter()
        for schema in self.schemas:
            lists = list(own_keywords.choices_of(schema))
            if len(lists) != 1 or any(
                isinstance(value, list | dict | Decimal) for value in lists[0]
            ):
                return None
            allowed = [
                value
                for value in lists[0]
                if own_keywords.type_of(value) in own_keywords.types_of(schema)
            ]
            found.update({(own_keywords.type_of(value), value): 1 for value in allowed}.keys())
        return dict.fromkeys(
            mark for mark, times in found.items() if self.keyword == "anyOf" or times == 1
        )

    @property
    def cases(self) -> list[tuple[Subschema, ...]]:
        """The schemas that apply in each case; every value is in one of the cases."""
        if self.keyword != "if":
            return [(schema,) for schema in self.schemas]
        keywords = self.subschema.keywords
        fulfilled, not_fulfilled = (
            tuple(self.subschema.sub(branch) for branch in (branch,) if branch in keywords)
            for branch in ("then", "else")
        )
        return [
            (self.subschema.sub("if"), *fulfilled),
            (*own_keywords.negated_of(self.subschema.sub("if")), *not_fulfilled),
        ]


@dataclass(frozen=True, eq=False)
class Conjunction:
    """The schemas that apply to one value.

    Attributes:
        subschemas: the schemas, references and `allOf` followed.
        accepts_nothing: one of them is `false`.
        has_unknown_parts: a reference is dangling or loops, so its constraints are not known.
        decided: the unions that have a branch among `subschemas`.
        considered_types: the types to consider.
        assumed_members: members that are assumed to be present.
    """

    subschemas: tuple[Subschema, ...]
    accepts_nothing: bool = False
    has_unknown_parts: bool = False
    decided: frozenset[Hashable] = frozenset()
    considered_types: frozenset[str] = TYPES
    assumed_members: frozenset[str] = frozenset()

    @cached_property
    def key(self) -> Hashable:
        """Equal for the same schemas under the same assumptions."""
        identities = frozenset(subschema.identity for subschema in self.subschemas)
        return (
            identities,
            self.accepts_nothing,
            self.has_unknown_parts,
            self.decided,
            self.considered_types,
            self.assumed_members,
        )

    def built(self, name: Hashable, build: Callable[[], Built]) -> Built:
        """The result of `build`, which is called once for each `name`."""
        results: dict[Hashable, Built] = self.__dict__.setdefault("_built", {})
        if name not in results:
            results[name] = build()
        return results[name]

    # Additions.

    def also(self, *subschemas: Subschema) -> Conjunction:
        """These schemas and `subschemas`."""
        found, accepts_nothing, has_unknown_parts = flattened((*self.subschemas, *subschemas))
        return replace(
            self,
            subschemas=found,
            accepts_nothing=accepts_nothing or self.accepts_nothing,
            has_unknown_parts=has_unknown_parts or self.has_unknown_parts,
        )

    def with_branch(self, union: Union, *branch: Subschema) -> Conjunction:
        """These schemas and `branch` of `union`."""
        return replace(self.also(*branch), decided=self.decided | {union.key})

    def restricted_to(self, types: frozenset[str]) -> Conjunction:
        """These schemas for values of certain types."""
        return (
            self
            if self.considered_types <= types
            else replace(self, considered_types=self.considered_types & types)
        )

    def with_member(self, name: str) -> Conjunction:
        """These schemas for objects that have the member `name`."""
        return replace(
            self.restricted_to(frozenset({"object"})), assumed_members=self.assumed_members | {name}
        )

    # Its constraints.

    @cached_property
    def is_anything(self) -> bool:
        """Whether it certainly accepts every value."""
        if (
            self.accepts_nothing
            or self.has_unknown_parts
            or self.considered_types != TYPES
            or self.assumed_members
        ):
            return False
        return all(map(own_keywords.accepts_anything, self.subschemas))

    @cached_property
    def types(self) -> frozenset[str]:
        """The types of values that it may accept; it accepts no others."""
        if self.accepts_nothing:
            return frozenset()
        self.__dict__["types"] = self.considered_types  # for a union that leads back here
        return self.considered_types.intersection(*self._types_by_keyword())

    def _types_by_keyword(self) -> Iterator[frozenset[str]]:
        """The types that each keyword allows."""
        for subschema in self.subschemas:
            yield own_keywords.types_of(subschema)
            yield TYPES - (types_ruled_out(subschema) or frozenset())
            if own_keywords.is_whole(subschema):
                yield TYPES - {"fraction"}
        for choices in self.choices:
            yield frozenset(map(own_keywords.type_of, choices))
        for union in self.unions:
            if union.constants is not None:
                continue
            yield frozenset().union(*(branch.types for branch in union.branches))

    @cached_property
    def unions(self) -> list[Union]:
        """Every `anyOf` and `oneOf`."""
        return [
            Union(subschema, keyword)
            for subschema in self.subschemas
            for keyword in ("anyOf", "oneOf")
            if keyword in subschema.keywords
        ]

    @property
    def undecided(self) -> Iterator[Union]:
        """The unions that leave several cases; a list of constants is among `choices`."""
        return (
            union
            for union in self.unions
            if union.key not in self.decided and union.constants is None
        )

    @cached_property
    def conditions(self) -> list[Union]:
        """Every undecided `if` with an outcome; [] if there are too many."""
        found = [
            Union(subschema, "if")
            for subschema in self.subschemas
            if "if" in own_keywords.assertions_of(subschema)
        ]
        return (
            [one for one in found if one.key not in self.decided]
            if len(found) <= MAX_CONDITIONS
            else []
        )

    @cached_property
    def choices(self) -> list[list[JSON]]:
        """The lists of `enum` and `const`, also of a union of constants; a valid value is in all of them."""
        listed = [
            choices
            for subschema in self.subschemas
            for choices in own_keywords.choices_of(subschema)
        ]
        return [*listed, *(union.constants for union in self.unions if union.constants is not None)]

    @property
    def valid_choices(self) -> list[JSON]:
        """The values of an allowed type in the shortest of these lists, of which there must be one."""
        return [
            choice
            for choice in min(self.choices, key=len)
            if own_keywords.type_of(choice) in self.types
        ]

    @cached_property
    def required(self) -> frozenset[str]:
        """The required members, with those that these require in turn."""
        return frozenset(
            required_names(
                (subschema.keywords for subschema in self.subschemas), self.assumed_members
            )
        )

    @cached_property
    def mentioned(self) -> tuple[frozenset[str], frozenset[str]]:
        """(names, patterns of names) of the members that any schema of the object names, be it under a condition.

        Raises:
            TooMuch: too many schemas may apply.
        """
        names, patterns = set(self.required), set[str]()
        try:
            with Run(Budget()) as run:
                mentioning = gather_all(self.subschemas, run)
        except Unchecked:
            raise TooMuch from None
        for subschema in mentioning:
            names |= {
                *own_keywords.members(subschema, "properties"),
                *strings_in(subschema.keywords.get("required")),
            }
            names |= {name for pair in needed_names(subschema.keywords) for name in pair}
            patterns |= {*own_keywords.members(subschema, "patternProperties")}
        lists = [
            choices
            for allowed in self.subs("propertyNames")
            for choices in own_keywords.choices_of(allowed)
        ]
        names |= {name for choices in lists for name in choices if isinstance(name, str)}
        return frozenset(names), frozenset(patterns)

    def edge(self, *, lowest: bool) -> Edge | None:
        """The tightest lower or upper bound of numbers."""
        edges = (own_keywords.edge_of(subschema, lowest=lowest) for subschema in self.subschemas)
        return own_keywords.tightest([edge for edge in edges if edge is not None], lowest=lowest)

    def counts(self, keyword: str) -> list[int]:
        """The values of a keyword like `maxItems` in all subschemas."""
        counts = (own_keywords.count_of(subschema, keyword) for subschema in self.subschemas)
        return [count for count in counts if count is not None]

    def values(self, keyword: str) -> list[JSON]:
        """The values of `keyword` in all subschemas."""
        return [
            subschema.keywords[keyword]
            for subschema in self.subschemas
            if keyword in subschema.keywords
        ]

    def subs(self, keyword: str) -> list[Subschema]:
        """The subschemas under `keyword` in all subschemas."""
        return [
            subschema.sub(keyword) for subschema in self.subschemas if keyword in subschema.keywords
        ]

    def annotations(self, keyword: str) -> list[JSON]:
        """The values of the annotation `keyword`, the outermost first."""
        found = (own_keywords.annotations_of(subschema) for subschema in self.subschemas)
        return [keywords[keyword] for keywords in found if keyword in keywords]

    # Position.

    def pointer(self, *keywords: str) -> str | None:
        """The pointer to the first of `keywords` that is present, else to the first schema, if any."""
        for keyword in keywords:
            for subschema in self.subschemas:
                if keyword in subschema.keywords:
                    return subschema.pointer_to(keyword)
        return self.subschemas[0].pointer if self.subschemas else None


def conjoin(*subschemas: Subschema) -> Conjunction:
    """The conjunction of `subschemas`."""
    if len(subschemas) == 1:
        subschema = subschemas[0]
        return subschema.built("conjunction", lambda: Conjunction(*flattened([subschema])))
    return Conjunction(*flattened(subschemas))


def flattened(subschemas: Iterable[Subschema]) -> tuple[tuple[Subschema, ...], bool, bool]:
    """(all schemas that apply where `subschemas` do, whether they accept nothing, whether some are not known).

    Raises:
        TooMuch: there are more than `MAX_SUBSCHEMAS`.
    """
    found: dict[Hashable, Subschema] = {}
    accepts_nothing = has_unknown_parts = False
    open_now: set[Hashable] = set()
    waiting: list[tuple[Subschema, bool]] = [
        (subschema, False) for subschema in reversed(list(subschemas))
    ]
    while waiting:
        subschema, leaving = waiting.pop()
        if leaving:
            open_now.discard(subschema.identity)
        elif subschema.identity in open_now:
            has_unknown_parts = True
        elif subschema.schema is False:
            found[subschema.identity], accepts_nothing = subschema, True
        elif subschema.identity not in found:
            found[subschema.identity] = subschema
            open_now.add(subschema.identity)
            has_unknown_parts = has_unknown_parts or subschema.has_dangling_reference
            waiting.append((subschema, True))
            inside = [*always(subschema), *double_negations(subschema)]
            waiting += [(inner, False) for inner in reversed(inside)]
            if len(found) > MAX_SUBSCHEMAS:
                raise TooMuch
    return tuple(found.values()), accepts_nothing, has_unknown_parts


def types_ruled_out(subschema: Subschema) -> frozenset[str] | None:
    """The types that the `not` of `subschema` excludes; None if it depends on more than the type."""
    if "not" not in subschema.keywords:
        return frozenset()
    inner = conjoin(subschema.sub("not"))
    return inner.types if restricts_types_only(inner) else None


def restricts_types_only(whole: Conjunction) -> bool:
    """Whether `whole` constrains nothing except the type."""
    if whole.has_unknown_parts or not all(
        own_keywords.assertions_of(subschema) <= _PLAIN | {"anyOf"}
        for subschema in whole.subschemas
    ):
        return False
    return all(restricts_types_only(branch) for union in whole.unions for branch in union.branches)


def double_negations(subschema: Subschema) -> list[Subschema]:
    """The schemas under two nested `not`, which apply as they are."""
    return own_keywords.negated_of(subschema.sub("not")) if "not" in subschema.keywords else []
