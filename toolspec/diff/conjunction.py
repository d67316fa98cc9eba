"""The schemas that apply to one value, as one, and those that apply to its members and items.

A value must be valid for a subschema, for the targets of its `$ref` and `allOf`, and for any other
schema that applies to it, wherever they are defined. `Conjunction` is the list of them; nothing is
merged.

Sources: JSON Schema 2020-12 Core, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, TypeVar

from toolspec.diff.keywords import (
    TYPES,
    assertions_of,
    choices_of,
    excludes_fractions,
    type_of,
    types_of,
)
from toolspec.diff.subschemas import (
    flatten,
    is_match,
    is_undecidable,
    schemas_for_item,
    schemas_for_member,
    text_of,
)
from toolspec.schema.applicable import gather_all
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Budget, Subschema
from toolspec.schema.validation.budget import Run
from toolspec.text.containers import strings_of
from toolspec.text.reader import JSON

LISTING: Final = frozenset({"const", "enum", "type"})

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class Union:
    """One `anyOf` or `oneOf`."""

    subschema: Subschema
    keyword: str

    @property
    def key(self) -> Hashable:
        return (self.subschema.identity, self.keyword)

    @property
    def branches(self) -> list[Subschema]:
        return self.subschema.list_schemas(self.keyword)

    @property
    def constants(self) -> list[JSON] | None:
        """The values that it lists, if each branch does nothing else.

        None if a branch does more.
        """
        constants: list[JSON] = []
        for branch in self.branches:
            lists = list(choices_of(branch))
            if len(lists) != 1 or not assertions_of(branch) <= LISTING:
                return None
            types = types_of(branch)
            constants += [value for value in lists[0] if type_of(value) in types]
        return constants


@dataclass(frozen=True, eq=False)
class Conjunction:
    """The schemas that apply to one value. `limits` and `listed_values` say more about it.

    Attributes:
        subschemas: the schemas, references and `allOf` followed.
        accepts_nothing: one of them is `false`.
        has_unknown_parts: a reference is dangling or loops, so its constraints are not known.
        decided: the unions that are left out, because a branch of theirs is among `subschemas` or
            because they are the same on both sides.
        considered_types: the types to consider.
        around: schemas of the same value that are not compared here, but may name members.
    """

    subschemas: tuple[Subschema, ...]
    accepts_nothing: bool = False
    has_unknown_parts: bool = False
    decided: frozenset[Hashable] = frozenset()
    considered_types: frozenset[str] = TYPES
    around: tuple[Subschema, ...] = ()
    _built: dict[str, Any] = field(init=False, repr=False, default_factory=dict)

    @cached_property
    def key(self) -> Hashable:
        """Equal for the same schemas under the same assumptions."""
        return (
            frozenset(subschema.identity for subschema in self.subschemas),
            self.accepts_nothing,
            self.has_unknown_parts,
            self.decided,
            self.considered_types,
            frozenset(subschema.identity for subschema in self.around),
        )

    def built(self, name: str, build: Callable[[], Built]) -> Built:
        """The result of `build`, which is called once for each `name`."""
        if name not in self._built:
            self._built[name] = build()
        result: Built = self._built[name]
        return result

    # Additions.

    def also(self, *subschemas: Subschema) -> Conjunction:
        """These schemas and `subschemas`."""
        return self._with(*self.subschemas, *subschemas)

    def put_first(self, *subschemas: Subschema) -> Conjunction:
        """These schemas and `subschemas`, which come first: pointers lead into them."""
        return self._with(*subschemas, *self.subschemas)

    def _with(self, *subschemas: Subschema) -> Conjunction:
        flat, accepts_nothing, has_unknown_parts = flatten(subschemas)
        return replace(
            self,
            subschemas=flat,
            accepts_nothing=accepts_nothing or self.accepts_nothing,
            has_unknown_parts=has_unknown_parts or self.has_unknown_parts,
        )

    def with_branch(self, union: Union, branch: Subschema) -> Conjunction:
        """These schemas and `branch` of `union`."""
        return self.also(branch).without(union)

    def without(self, union: Union) -> Conjunction:
        return replace(self, decided=self.decided | {union.key})

    def restricted_to(self, types: frozenset[str]) -> Conjunction:
        """These schemas for values of certain types."""
        if self.considered_types <= types:
            return self
        return replace(self, considered_types=self.considered_types & types)

    def possible_branches(self, union: Union) -> list[Subschema]:
        """The branches of `union` that accept a value of the types that these schemas accept."""
        return [branch for branch in union.branches if conjoin(branch).types & self.types]

    def alone(self, branch: Subschema) -> Conjunction:
        """`branch` of a union of these schemas without them, for the types that they accept."""
        around = (*self.subschemas, *self.around)
        return replace(conjoin(branch), around=around).restricted_to(self.types)

    # Its constraints.

    @cached_property
    def keywords(self) -> Summary:
        """The keywords of the schemas."""
        return Summary([subschema.keywords for subschema in self.subschemas])

    @cached_property
    def assertions(self) -> frozenset[str]:
        """The keywords that can refuse a value."""
        return frozenset[str]().union(*map(assertions_of, self.subschemas))

    @property
    def is_anything(self) -> bool:
        """Whether it certainly accepts every value."""
        if self.accepts_nothing or self.has_unknown_parts or self.considered_types != TYPES:
            return False
        return not self.assertions

    @cached_property
    def types(self) -> frozenset[str]:
        """The types of values that it may accept; it accepts no others."""
        if self.accepts_nothing:
            return frozenset()
        self.__dict__["types"] = self.considered_types  # for a union that leads back here
        return self.considered_types.intersection(*_types_by_keyword(self))

    @cached_property
    def all_unions(self) -> list[Union]:
        unions = []
        for subschema in self.subschemas:
            for keyword in ("anyOf", "oneOf"):
                if keyword in subschema.keywords:
                    unions.append(Union(subschema, keyword))
        return unions

    @cached_property
    def unions(self) -> list[Union]:
        """The undecided unions; one that only lists values is among `choices` instead."""
        undecided = [union for union in self.all_unions if union.key not in self.decided]
        return [union for union in undecided if union.constants is None]

    @cached_property
    def choices(self) -> list[list[JSON]]:
        """The lists of `enum` and `const`, and of unions of these.

        A valid value is in all of them.
        """
        choices: list[list[JSON]] = []
        for subschema in self.subschemas:
            choices += choices_of(subschema)
        for union in self.all_unions:
            constants = union.constants
            if constants is not None:
                choices.append(constants)
        return choices

    def subs(self, keyword: str) -> list[Subschema]:
        """The subschemas under `keyword` in all subschemas."""
        return [each.sub(keyword) for each in self.subschemas if keyword in each.keywords]

    # Its members and items.

    @cached_property
    def members(self) -> Members:
        return Members(self)

    def item(self, index: int) -> Conjunction:
        """The schemas for the item at `index`.

        The index `prefix_length(subschemas)` stands for all later items too.
        """
        schemas: list[Subschema] = []
        for subschema in self.subschemas:
            schemas += schemas_for_item(subschema, index)
        return conjoin(*schemas)


@dataclass(frozen=True, eq=False)
class Members:
    """The members of the objects that a conjunction describes."""

    conjunction: Conjunction
    _known: dict[str, Conjunction] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[str]:
        """The members declared by name."""
        return self.conjunction.keywords.names("properties")

    @cached_property
    def patterns(self) -> frozenset[str]:
        """The patterns of `patternProperties`."""
        return frozenset(self.conjunction.keywords.names("patternProperties"))

    @cached_property
    def required(self) -> frozenset[str]:
        """The required members, with those that these require in turn."""
        return frozenset(self.conjunction.keywords.required())

    @cached_property
    def needed(self) -> frozenset[tuple[str, str]]:
        """(name, a member that is required beside it)."""
        return frozenset(self.conjunction.keywords.needed)

    def member(self, name: str) -> Conjunction:
        """The schemas for the member `name`; they accept nothing if the member is not allowed."""
        if name not in self._known:
            matching = [pattern for pattern in self.patterns if is_match(pattern, name)]
            self._known[name] = self._conjoin_member(name, matching)
        return self._known[name]

    def undeclared(self, matching: Iterable[str]) -> Conjunction:
        """The schemas for an undeclared member whose name matches just the patterns `matching`."""
        return self._conjoin_member(None, matching)

    def _conjoin_member(self, name: str | None, matching: Iterable[str]) -> Conjunction:
        patterns = frozenset(matching)
        schemas: list[Subschema] = []
        for subschema in self.conjunction.subschemas:
            schemas += schemas_for_member(subschema, name, patterns)
        return conjoin(*schemas)

    def mentions(self, name: str) -> bool:
        """Whether any schema that may apply to the object names the member, maybe conditionally."""
        names, patterns = self._mentioned
        return name in names or any(is_match(pattern, name) for pattern in patterns)

    @cached_property
    def _mentioned(self) -> tuple[set[str], list[str]]:
        """(names, patterns of names)."""
        with Run(Budget()) as run:
            around = self.conjunction.around
            subschemas = gather_all((*self.conjunction.subschemas, *around), run)
        keywords = Summary([subschema.keywords for subschema in subschemas])
        names = {*self.required, *keywords.names("properties"), *keywords.required()}
        names.update(*keywords.needed)
        for allowed in self.conjunction.subs("propertyNames"):
            for choices in choices_of(allowed):
                names.update(strings_of(choices))
        return names, keywords.names("patternProperties")


def conjoin(*subschemas: Subschema) -> Conjunction:
    """The conjunction of `subschemas`."""
    if len(subschemas) != 1:
        return Conjunction(*flatten(subschemas))
    return subschemas[0].build_once("conjunction", lambda: Conjunction(*flatten(subschemas)))


def _types_by_keyword(conjunction: Conjunction) -> Iterator[frozenset[str]]:
    """The types that each keyword allows."""
    for subschema in conjunction.subschemas:
        yield types_of(subschema)
        if excludes_fractions(subschema):
            yield TYPES - {"fraction"}
    for excluded in conjunction.subs("not"):
        if assertions_of(excluded) == {"type"}:
            yield TYPES - types_of(excluded)
    for choices in conjunction.choices:
        yield frozenset(map(type_of, choices))
    for union in conjunction.unions:
        yield frozenset().union(*(conjoin(branch).types for branch in union.branches))


def find_undecidable_keywords(conjunction: Conjunction) -> Iterator[tuple[Subschema, str]]:
    """(subschema, keyword) of each `unevaluated…` that depends on the branches a value matches."""
    for subschema in conjunction.subschemas:
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            if keyword in subschema.keywords and is_undecidable(subschema, keyword):
                yield subschema, keyword


def is_implied_by(producer: Conjunction, consumer: Conjunction) -> bool:
    """Whether each schema of `consumer` is, with the same text, a schema of `producer`."""
    if consumer.has_unknown_parts or consumer.accepts_nothing or not consumer.subschemas:
        return False
    texts = {(each.dialect.uri, text_of(each)) for each in producer.subschemas}
    for subschema in consumer.subschemas:
        text = text_of(subschema)
        if not text or (subschema.dialect.uri, text) not in texts:
            return False
    return True
