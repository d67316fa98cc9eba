"""Which subschemas apply to a member of an object, and to an item of an array.

A schema names members in `properties` and `patternProperties`; `additionalProperties` is for the
others. It lists the first items in `prefixItems` (up to 2019-09, in an array under `items`);
`items` (then `additionalItems`) is for the others. `unevaluatedProperties` and `unevaluatedItems`
are for what none of the schemas that apply has covered.

`member` and `item` combine all subschemas that apply to the object or array (see `applicable.py`).
`unevaluated*` counts in every draft, even if the draft does not define it: schemas mix drafts, and
may mark a secret there.

The validator has its own loops (`validation/keywords.py`): it goes from keyword to keyword through
a whole object or array, and not from member to member.

Source: JSON Schema 2020-12 Core, sections 10.3 and 11; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from toolspec.schema.applicable import Impossible, gather
from toolspec.schema.dialects import item_keywords
from toolspec.schema.patterns import matches
from toolspec.schema.validation import Subschema
from toolspec.text.containers import members_of
from toolspec.text.pointers import list_index, split_pointer
from toolspec.text.reader import JSON

Matches = Callable[[str, str], bool]
"""Whether a pattern is found in a name: (pattern, name)."""


@dataclass(frozen=True, slots=True)
class Child:
    """The subschemas for one member or item.

    Attributes:
        is_declared: a schema names it, and not only all others.
        is_unevaluated: they are those of `unevaluatedProperties` or `unevaluatedItems`, since no
            other applies. Whether these see the member or item depends on the value.
    """

    subschemas: tuple[Subschema, ...]
    is_declared: bool = False
    is_unevaluated: bool = False

    @property
    def is_allowed(self) -> bool:
        """Whether none of them is `false`."""
        return all(subschema.schema is not False for subschema in self.subschemas)


# Of all schemas that apply.


def member(subschemas: Iterable[Subschema], name: str, is_match: Matches = matches) -> Child:
    """The schemas for the member `name` of an object to which `subschemas` apply."""
    applicable: list[Subschema] = []
    is_declared = False
    for subschema in subschemas:
        keywords = subschema.all_keywords
        declared = list(declared_member(subschema, keywords, name, is_match))
        if declared:
            is_declared = True
            applicable += declared
        elif "additionalProperties" in keywords:
            applicable.append(subschema.sub("additionalProperties"))
    if not applicable:
        return _make_unevaluated(subschemas, "unevaluatedProperties")
    return Child(tuple(applicable), is_declared)


def item(subschemas: Iterable[Subschema], index: int, *, any_draft: bool = False) -> Child:
    """The schemas for the item at `index` of an array to which `subschemas` apply.

    `any_draft`: `prefixItems` and an array under `items` count in every draft, so that no secret is
    missed.
    """
    applicable: list[Subschema] = []
    is_declared = False
    for subschema in subschemas:
        tokens = tokens_to_item(subschema, index, any_draft=any_draft)
        if tokens:
            is_declared = is_declared or len(tokens) > 1
            applicable.append(subschema.sub(*tokens))
    if not applicable:
        return _make_unevaluated(subschemas, "unevaluatedItems")
    return Child(tuple(applicable), is_declared)


def declared_at(root: Subschema, pointer: str) -> list[Subschema]:
    """The subschemas that always apply at `pointer` in a value, and the options of unions there."""
    subschemas = _gather_options([root])
    for token in split_pointer(pointer):
        below = [*member(subschemas, token).subschemas]
        if token.isdecimal():
            below += item(subschemas, list_index(token)).subschemas
        subschemas = _gather_options(below)
    return subschemas


def _gather_options(subschemas: list[Subschema]) -> list[Subschema]:
    applicable: list[Subschema] = []
    waiting = subschemas
    while waiting:
        try:
            new, unions = gather(waiting, applicable)
        except Impossible:
            return applicable
        applicable += new
        options = chain.from_iterable(unions)
        waiting = [option for option in options if option.schema is not False]
    return applicable


def prefix_length(subschemas: Iterable[Subschema], *, any_draft: bool = False) -> int:
    """How many items have their own schemas, by position; those after them share schemas."""
    longest = 0
    for subschema in subschemas:
        _, length, _ = _find_item_keywords(subschema, any_draft=any_draft)
        longest = max(longest, length)
    return longest


def _make_unevaluated(subschemas: Iterable[Subschema], keyword: str) -> Child:
    applicable = [each.sub(keyword) for each in subschemas if keyword in each.all_keywords]
    return Child(tuple(applicable), is_unevaluated=True)


# Of one schema.


def declared_member(
    subschema: Subschema, keywords: Mapping[str, JSON], name: str | None, is_match: Matches
) -> Iterator[Subschema]:
    """The subschemas of `properties` and `patternProperties` for the member `name`.

    None is a name of no property.
    """
    if name is not None and name in members_of(keywords.get("properties")):
        yield subschema.sub("properties", name)
    if "patternProperties" not in keywords:
        return
    for pattern in members_of(keywords["patternProperties"]):
        if is_match(pattern, name or ""):
            yield subschema.sub("patternProperties", pattern)


def tokens_to_item(
    subschema: Subschema, index: int, *, any_draft: bool = False
) -> tuple[str | int, ...]:
    """The path from `subschema` to its subschema for the item at `index`; () if it has none."""
    first, length, others = _find_item_keywords(subschema, any_draft=any_draft)
    if index < length:
        return (first, index)
    if others in subschema.all_keywords:
        return (others,)
    return ()


def _find_item_keywords(subschema: Subschema, *, any_draft: bool) -> tuple[str, int, str]:
    if any_draft:
        return item_keywords(subschema.all_keywords)
    return item_keywords(subschema.keywords, subschema.dialect)
