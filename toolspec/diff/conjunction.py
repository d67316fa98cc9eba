"""The schemas that apply to one value, as one, and those that apply to its members and items.

A value must be valid for a subschema, for the targets of its `$ref` and `allOf`, and for any other schema that applies
to it, wherever they are defined. `Conjunction` is the list of them; nothing is merged.

`json_schema.children` answers for one value which schemas apply to its members and items. A diff compares all values at
once, so it leaves out `unevaluated…` where its effect depends on the value, and a member may have no particular name.

Sources: JSON Schema 2020-12 Core, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final

from toolspec.diff import keywords as own_keywords
from toolspec.diff.keywords import NUMBERS, TYPES, Edge
from toolspec.schema.applicable import always, gather_all
from toolspec.schema.children import declared_member, prefix_length, tokens_to_item
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Budget, Subschema
from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.schema.validation.pattern_search import found_in
from toolspec.text.containers import strings_of
from toolspec.text.reader import JSON, dumps

MAX_SUBSCHEMAS: Final = 400  # of one conjunction
LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
MOST: Final = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}
_LISTING: Final = frozenset({"const", "enum", "type"})
_IN_PLACE: Final = frozenset({"anyOf", "oneOf", "if", "dependentSchemas"})
_REFERRING: Final = ('"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"$id"', '"id"', '"$schema"')


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
        return self.subschema.listed(self.keyword)

    @property
    def constants(self) -> list[JSON] | None:
        """The values that it lists, if each branch does nothing else; None if a branch does more."""
        found: list[JSON] = []
        for branch in self.branches:
            lists = list(own_keywords.choices_of(branch))
            if len(lists) != 1 or not own_keywords.assertions_of(branch) <= _LISTING:
                return None
            types = own_keywords.types_of(branch)
            found += [value for value in lists[0] if own_keywords.type_of(value) in types]
        return found


@dataclass(frozen=True, eq=False)
class Conjunction:
    """The schemas that apply to one value.

    Attributes:
        subschemas: the schemas, references and `allOf` followed.
        accepts_nothing: one of them is `false`.
        has_unknown_parts: a reference is dangling or loops, so its constraints are not known.
        decided: the unions that are left out, because a branch of theirs is among `subschemas` or because they are the
            same on both sides.
        considered_types: the types to consider.
        around: schemas of the same value that are not compared here, but may name members.
    """

    subschemas: tuple[Subschema, ...]
    accepts_nothing: bool = False
    has_unknown_parts: bool = False
    decided: frozenset[Hashable] = frozenset()
    considered_types: frozenset[str] = TYPES
    around: tuple[Subschema, ...] = ()

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

    # Additions.

    def also(self, *subschemas: Subschema) -> Conjunction:
        """These schemas and `subschemas`."""
        return self._with(*self.subschemas, *subschemas)

    def put_first(self, *subschemas: Subschema) -> Conjunction:
        """These schemas and `subschemas`, which come first: pointers lead into them."""
        return self._with(*subschemas, *self.subschemas)

    def _with(self, *subschemas: Subschema) -> Conjunction:
        found, accepts_nothing, has_unknown_parts = flatten(subschemas)
        return replace(
            self,
            subschemas=found,
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

    def resolved(self) -> Conjunction:
        """These schemas, with the branch of each union of which only one branch accepts the considered types."""
        for union in self.unions:
            possible = self.possible_branches(union)
            if len(possible) == 1:
                return self.with_branch(union, possible[0]).resolved()
        return self

    def possible_branches(self, union: Union) -> list[Subschema]:
        """The branches of `union` that accept a value of the types that these schemas accept."""
        return [branch for branch in union.branches if conjoin(branch).types & self.types]

    def alone(self, branch: Subschema) -> Conjunction:
        """`branch` of a union of these schemas without them, for the types that they accept."""
        whole = replace(conjoin(branch), around=(*self.subschemas, *self.around))
        return whole.restricted_to(self.types)

    # Its constraints.

    @cached_property
    def keywords(self) -> Summary:
        """What the schemas say."""
        return Summary([subschema.keywords for subschema in self.subschemas])

    @cached_property
    def is_anything(self) -> bool:
        """Whether it certainly accepts every value."""
        if self.accepts_nothing or self.has_unknown_parts or self.considered_types != TYPES:
            return False
        return not any(map(own_keywords.assertions_of, self.subschemas))

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
            if own_keywords.is_whole(subschema):
                yield TYPES - {"fraction"}
        for excluded in self.subs("not"):
            if own_keywords.assertions_of(excluded) == {"type"}:
                yield TYPES - own_keywords.types_of(excluded)
        for choices in self.choices:
            yield frozenset(map(own_keywords.type_of, choices))
        for union in self.unions:
            yield frozenset().union(*(conjoin(branch).types for branch in union.branches))

    @cached_property
    def _all_unions(self) -> list[Union]:
        return [
            Union(subschema, keyword)
            for subschema in self.subschemas
            for keyword in ("anyOf", "oneOf")
            if keyword in subschema.keywords
        ]

    @cached_property
    def unions(self) -> list[Union]:
        """The undecided unions; one that only lists values is among `choices` instead."""
        undecided = [union for union in self._all_unions if union.key not in self.decided]
        return [union for union in undecided if union.constants is None]

    @cached_property
    def choices(self) -> list[list[JSON]]:
        """The lists of `enum` and `const`, and of unions of these; a valid value is in all of them."""
        found = [values for each in self.subschemas for values in own_keywords.choices_of(each)]
        listed = (union.constants for union in self._all_unions)
        return [*found, *(values for values in listed if values is not None)]

    @cached_property
    def allowed_texts(self) -> frozenset[str] | None:
        """The texts of the listed values if one list is all that it demands; else None."""
        asked = frozenset[str]().union(*map(own_keywords.assertions_of, self.subschemas))
        if len(self.choices) != 1 or not asked <= {*_LISTING, "anyOf", "oneOf"}:
            return None
        if any(union.constants is None for union in self._all_unions):
            return None
        values = self.choices[0]
        if any(isinstance(value, list | dict | Decimal) for value in values):
            return None  # equal ones may have different texts
        texts = [dumps(value) for value in values]
        if len(set(texts)) < len(texts):
            return None  # `oneOf` refuses a value that is listed twice
        kinds = zip(texts, map(own_keywords.type_of, values), strict=True)
        return frozenset(text for text, kind in kinds if kind in self.types)

    def accepts(self, value: JSON, budget: Budget) -> bool | None:
        """Whether `value` is valid; None if that is not known."""
        if self.accepts_nothing:
            return False
        if self.allowed_texts is not None and not isinstance(value, list | dict | Decimal):
            return dumps(value) in self.allowed_texts
        answers = [subschema.is_valid(value, budget) for subschema in self.subschemas]
        if False in answers:
            return False
        return None if None in answers or self.has_unknown_parts else True

    def values_of(self, budget: Budget) -> list[JSON] | None:
        """All values that it may accept; None if they cannot be listed."""
        if "_values" not in self.__dict__:
            self.__dict__["_values"] = self._values_of(budget)
        values: list[JSON] | None = self.__dict__["_values"]
        return values

    def _values_of(self, budget: Budget) -> list[JSON] | None:
        listed = self.listed_values
        if listed is None:
            return None
        return [value for value in listed if self.accepts(value, budget) is not False]

    @cached_property
    def listed_values(self) -> list[JSON] | None:
        """A list with all values that it may accept, and perhaps others; None if there is none."""
        if self.choices:
            listed = min(self.choices, key=len)
        elif self.types <= {"boolean", "null"}:
            listed = [False, True, None]
        else:
            return None
        return [value for value in listed if own_keywords.type_of(value) in self.types]

    def refuses_in_branch(self, value: JSON, budget: Budget) -> bool:
        """Whether `value` is certainly invalid, even without the unions that are decided.

        A decided `oneOf` itself refuses a value that two of its branches accept.
        """
        if self.accepts_nothing:
            return True
        return any(each.is_valid(value, budget) is False for each in self._beside_decided)

    @cached_property
    def _beside_decided(self) -> list[Subschema]:
        """The subschemas that neither have a decided union nor lead to one."""
        if not self.decided:
            return list(self.subschemas)
        return [each for each in self.subschemas if not self._leads_to_decided(each)]

    def _leads_to_decided(self, subschema: Subschema) -> bool:
        reached = flatten([subschema])[0]
        keys = {(each.identity, keyword) for each in reached for keyword in ("anyOf", "oneOf")}
        return not keys.isdisjoint(self.decided)

    @cached_property
    def required(self) -> frozenset[str]:
        """The required members, with those that these require in turn."""
        return frozenset(self.keywords.required())

    @cached_property
    def needed(self) -> frozenset[tuple[str, str]]:
        """(name, a member that is required beside it)."""
        return frozenset(self.keywords.needed)

    def edge(self, *, lowest: bool) -> Edge | None:
        """The tightest bound of numbers; if fractions are not accepted, the nearest integer within."""
        bound = self.keywords.bound(lowest=lowest)
        if bound is None:
            return None
        edge = (Decimal(bound[0]), bound[1])
        if self.types & NUMBERS != {"integer"}:
            return edge
        return own_keywords.integer_edge(edge, lowest=lowest)

    def counts(self, keyword: str) -> list[int]:
        """The values of a keyword like `maxItems` in all subschemas."""
        return list(map(int, self.keywords.numbers(keyword)))

    def least(self, kind: str) -> int:
        """The least number of characters, items or members."""
        needed = [len(self.required)] if kind == "object" else []
        return max([0, *needed, *self.counts(LEAST[kind])])

    def most(self, kind: str) -> int | None:
        """The greatest number of characters, items or members; None if it is unlimited."""
        limits = self.counts(MOST[kind])
        if kind == "array" and self.item(self.prefix_length).accepts_nothing:
            limits.append(self.prefix_length)
        if kind == "object" and not self.patterns and self.undeclared(()).accepts_nothing:
            limits.append(len(self.names))
        return min(limits, default=None)

    def subs(self, keyword: str) -> list[Subschema]:
        """The subschemas under `keyword` in all subschemas."""
        return [each.sub(keyword) for each in self.subschemas if keyword in each.keywords]

    def annotations(self, keyword: str) -> list[JSON]:
        """The values of the annotation `keyword`, the outermost first."""
        return Summary(list(map(own_keywords.annotations_of, self.subschemas))).all(keyword)

    def pointer(self, *keywords: str) -> str | None:
        """The pointer to the first of `keywords` that is present, else to the first schema, if any."""
        subschema, keyword = self.position(*keywords)
        if subschema is None:
            return None
        return subschema.pointer_to(keyword) if keyword else subschema.pointer

    def position(self, *keywords: str) -> tuple[Subschema | None, str]:
        """(subschema, keyword) of the first of `keywords` that is present, else the first schema, if any, and ""."""
        for keyword in keywords:
            for subschema in self.subschemas:
                if keyword in subschema.keywords:
                    return subschema, keyword
        return self.subschemas[0] if self.subschemas else None, ""

    # Its members.

    @cached_property
    def names(self) -> list[str]:
        """The members declared by name."""
        return self.keywords.names("properties")

    @cached_property
    def patterns(self) -> frozenset[str]:
        """The patterns of `patternProperties`."""
        return frozenset(self.keywords.names("patternProperties"))

    def member(self, name: str) -> Conjunction:
        """The schemas for the member `name`; they accept nothing if the member is not allowed."""
        known: dict[str, Conjunction] = self.__dict__.setdefault("_members", {})
        if name not in known:
            matched = [pattern for pattern in self.patterns if is_match(pattern, name)]
            known[name] = self._member(name, matched)
        return known[name]

    def undeclared(self, matched: Iterable[str]) -> Conjunction:
        """The schemas for an undeclared member whose name matches exactly the patterns `matched`."""
        return self._member(None, matched)

    def _member(self, name: str | None, matched: Iterable[str]) -> Conjunction:
        found: list[Subschema] = []
        for subschema in self.subschemas:
            found += _schemas_for_member(subschema, name, frozenset(matched))
        return conjoin(*found)

    def mentions(self, name: str) -> bool:
        """Whether any schema that may apply to the object names the member, even under a condition."""
        names, patterns = self._mentioned
        return name in names or any(is_match(pattern, name) for pattern in patterns)

    @cached_property
    def _mentioned(self) -> tuple[frozenset[str], frozenset[str]]:
        with Run(Budget()) as run:
            mentioning = gather_all((*self.subschemas, *self.around), run)
        keywords = Summary([subschema.keywords for subschema in mentioning])
        names = {*self.required, *keywords.names("properties"), *keywords.required()}
        names.update(*keywords.needed)
        for allowed in self.subs("propertyNames"):
            for choices in own_keywords.choices_of(allowed):
                names.update(strings_of(choices))
        return frozenset(names), frozenset(keywords.names("patternProperties"))

    # Its items.

    @property
    def prefix_length(self) -> int:
        """How many items at the start have their own schema."""
        return prefix_length(self.subschemas)

    def item(self, index: int) -> Conjunction:
        """The schemas for the item at `index`; the index `prefix_length` stands for all later items too."""
        found: list[Subschema] = []
        for subschema in self.subschemas:
            found += _schemas_for_item(subschema, index)
        return conjoin(*found)

    def undecidable(self) -> Iterator[tuple[Subschema, str]]:
        """(subschema, keyword) of each `unevaluated…` whose effect depends on the branches that a value matches."""
        for subschema in self.subschemas:
            for keyword in ("unevaluatedProperties", "unevaluatedItems"):
                if keyword in subschema.keywords and _is_undecidable(subschema, keyword):
                    yield subschema, keyword


def conjoin(*subschemas: Subschema) -> Conjunction:
    """The conjunction of `subschemas`."""
    if len(subschemas) != 1:
        return Conjunction(*flatten(subschemas))
    [only] = subschemas
    return only.built("conjunction", lambda: Conjunction(*flatten([only])))


def flatten(subschemas: Iterable[Subschema]) -> tuple[tuple[Subschema, ...], bool, bool]:
    """(all schemas that apply where `subschemas` do, whether they accept nothing, whether some are not known).

    Raises:
        Unchecked: there are more than `MAX_SUBSCHEMAS`.
    """
    found: dict[Hashable, Subschema] = {}
    accepts_nothing = has_unknown_parts = False
    open_now: set[Hashable] = set()
    waiting = [(subschema, False) for subschema in reversed(list(subschemas))]
    while waiting:
        subschema, leaving = waiting.pop()
        identity = subschema.identity
        if leaving:
            open_now.discard(identity)
        elif identity in open_now:
            has_unknown_parts = True
        elif subschema.schema is False:
            found[identity], accepts_nothing = subschema, True
        elif identity not in found:
            found[identity] = subschema
            open_now.add(identity)
            has_unknown_parts = has_unknown_parts or subschema.has_dangling_reference
            waiting.append((subschema, True))
            waiting += [(inner, False) for inner in reversed(list(always(subschema)))]
            if len(found) > MAX_SUBSCHEMAS:
                raise Unchecked("Too many schemas apply to the same value.")
    return tuple(found.values()), accepts_nothing, has_unknown_parts


def is_match(pattern: str, name: str) -> bool:
    """Whether `pattern` matches somewhere in `name`.

    Raises:
        Unchecked: matching takes too long, or the pattern is not usable.
    """
    with Run(Budget()) as run:
        return found_in(pattern, name, run)


# Equality, by text.


def are_same(one: Subschema, other: Subschema) -> bool:
    """Whether both have the same text in the same draft; False if they contain references, whose targets may differ."""
    text = _text_of(one)
    return one.dialect is other.dialect and text != "" and text == _text_of(other)


def _text_of(subschema: Subschema) -> str:
    """The JSON text of `subschema`; "" if it contains references."""

    def write() -> str:
        text = dumps(subschema.schema, sort_keys=True)
        return "" if any(word in text for word in _REFERRING) else text

    return subschema.built("text", write)


def is_implied_by(producer: Conjunction, consumer: Conjunction) -> bool:
    """Whether each schema of `consumer` is, with the same text, a schema of `producer`."""
    if consumer.has_unknown_parts or consumer.accepts_nothing or not consumer.subschemas:
        return False
    texts = {(each.dialect.uri, _text_of(each)) for each in producer.subschemas}
    wanted = {(each.dialect.uri, _text_of(each)) for each in consumer.subschemas}
    return wanted <= texts and all(text for _, text in wanted)


# The schemas that one subschema has for a member or an item.


def _schemas_for_member(
    subschema: Subschema, name: str | None, matched: frozenset[str]
) -> list[Subschema]:
    declared = _declared(subschema, name, matched)
    if declared:
        return declared
    if "additionalProperties" in subschema.keywords:
        return [subschema.sub("additionalProperties")]
    return _schemas_of_unevaluated(
        subschema,
        "unevaluatedProperties",
        lambda other: (
            "additionalProperties" in other.keywords or bool(_declared(other, name, matched))
        ),
    )


def _declared(subschema: Subschema, name: str | None, matched: frozenset[str]) -> list[Subschema]:
    """The schemas in `properties` and `patternProperties`."""
    found = declared_member(
        subschema, subschema.keywords, name, lambda pattern, _: pattern in matched
    )
    return list(found)


def _schemas_for_item(subschema: Subschema, index: int) -> list[Subschema]:
    tokens = tokens_to_item(subschema, index)
    if tokens:
        return [subschema.sub(*tokens)]
    return _schemas_of_unevaluated(
        subschema, "unevaluatedItems", lambda other: bool(tokens_to_item(other, index))
    )


def _schemas_of_unevaluated(
    subschema: Subschema, keyword: str, evaluates: Callable[[Subschema], bool]
) -> list[Subschema]:
    """The schema of `unevaluated…`, in a list.

    [] if a schema inside `evaluates` the part, or if the effect is not decidable.
    """
    if keyword not in subschema.keywords or _is_undecidable(subschema, keyword):
        return []
    if any(keyword in other.keywords or evaluates(other) for other in _inside(subschema)):
        return []
    return [subschema.sub(keyword)]


def _inside(subschema: Subschema) -> list[Subschema]:
    """The targets of the references and `allOf` of `subschema`."""
    return [each for each in flatten([subschema])[0] if each.identity != subschema.identity]


def _is_undecidable(subschema: Subschema, keyword: str) -> bool:
    """Whether the effect of `unevaluated…` depends on the branches that a value matches."""
    inside = [subschema, *_inside(subschema)]
    if any(each.keywords.keys() & _IN_PLACE for each in inside):
        return True
    return keyword == "unevaluatedItems" and any("contains" in each.keywords for each in inside)
