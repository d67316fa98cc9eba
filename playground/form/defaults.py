"""The value that a new field begins with. Only here do defaults become values.

Required members are created with their default or their only possible value; optional members are
left out. All other values stay empty, to be filled in. That includes strings, lists and maps: an
empty one is a value, and is sent only if the user chose it. An object with declared members is
created, so that their fields show.

Inside itself, a schema is not filled again, and one page makes at most `MAX_NEW_DRAFTS` values (see
lookups.py). The rest stays empty; a button adds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from playground.form import children
from playground.form.applicable import Applicable
from playground.form.draft import (
    NOTHING,
    PLAIN,
    Array,
    Constant,
    Draft,
    Item,
    Missing,
    Object,
    State,
    draft_of,
    with_state,
)
from playground.form.lookups import SchemaLookups
from playground.form.node_context import choose_kind
from playground.form.values import ABSENT, Kind, Maybe, kind_of
from toolspec.schema.validation import Subschema

MAX_DEPTH: Final = 5
MAX_ITEMS: Final = 10
MAX_MEMBERS: Final = 100

_DECLARING: Final = frozenset({"properties", "required", "dependentRequired", "dependencies"})

Above: TypeAlias = "tuple[frozenset[object], ...]"
"""The identities of the schemas of each container around a value, outermost first."""


def make_draft(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    kind: Kind | None = None,
    state: State = PLAIN,
) -> Draft:
    """A new value, with `state`, to which all of `subschemas` apply.

    `kind` is its type if one is selected. The branches in `state` decide about its members.
    """
    if state.branches:
        applicable = lookups.find_applicable(subschemas, NOTHING)
        likely = kind or choose_kind(lookups.kinds.of_all(subschemas), applicable)
        if likely == "object":
            return _make_object(lookups, subschemas, (), state)
    return with_state(_make(lookups, subschemas, kind, ()), state)


def _make(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    kind: Kind | None,
    above: Above,
) -> Draft:
    applicable = lookups.find_applicable(subschemas, Missing(kind))
    kinds = lookups.kinds.of_all(subschemas)
    value = _find_given(lookups, subschemas, kinds if kind is None else frozenset({kind}))
    if value is not ABSENT:
        return draft_of(value)
    if kind is None:
        kind = choose_kind(kinds, applicable)
        # The choices may depend on the type.
        applicable = lookups.find_applicable(subschemas, Missing(kind))
    choices = applicable.choices or ()
    if any(kind_of(choice.value) in kinds for choice in choices):
        return Missing(kind)
    return _make_of_kind(lookups, subschemas, kind, above)


def _make_of_kind(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    kind: Kind | None,
    above: Above,
) -> Draft:
    if kind == "null":
        return Constant(None)
    if kind == "object":
        applicable = lookups.find_applicable(subschemas, Object())
        if not above or children.list_declared(applicable):
            return _make_object(lookups, subschemas, above)
    if kind == "array" and (not above or _count_least_items(lookups, subschemas)):
        return _make_array(lookups, subschemas, above)
    return Missing(kind)


def _find_given(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    kinds: frozenset[Kind],
) -> Maybe:
    """The default, or the only possible value."""
    applicable = lookups.find_applicable(subschemas, NOTHING)
    choices = [choice.value for choice in applicable.choices or ()]
    choices = [value for value in choices if kind_of(value) in kinds]
    if len(choices) == 1:
        return choices[0]
    for default in applicable.keywords.all("default"):
        if kind_of(default) in kinds:
            return default
    return ABSENT


def _make_object(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    above: Above,
    state: State = PLAIN,
) -> Draft:
    draft = Object(state=state)
    schemas = _find_declaring(lookups.find_applicable(subschemas, draft))
    if _is_repeated(schemas, above):
        return draft
    for _round in range(2):  # present members may require more: `then`, `dependentRequired`
        applicable = lookups.find_applicable(subschemas, draft)
        missing = _list_missing(applicable, set(draft.members))
        members = _make_members(lookups, applicable, missing[:MAX_MEMBERS], (*above, schemas))
        if not members:
            break
        draft = Object({**draft.members, **members}, (), state)
    return draft


def _list_missing(applicable: Applicable, present: set[str]) -> list[str]:
    """The names of the required members that are not in `present`."""
    required = children.list_required(applicable, present)
    declared = children.list_declared(applicable)
    return [name for name in declared if name in required and name not in present]


def _make_members(
    lookups: SchemaLookups,
    applicable: Applicable,
    names: Sequence[str],
    above: Above,
) -> dict[str, Draft]:
    """New values for the members called `names`, or for the first ones if the page is full."""
    members = {}
    for name in names[: lookups.take_new_drafts(len(names))]:
        below = children.find_member(applicable, name).subschemas
        members[name] = _make(lookups, below, None, above)
    return members


def _make_array(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    above: Above,
) -> Draft:
    schemas = frozenset(subschema.identity for subschema in subschemas)
    if _is_repeated(schemas, above):
        return Array()
    applicable = lookups.find_applicable(subschemas, Array())
    least = _count_least_items(lookups, subschemas)
    items = []
    for index in range(lookups.take_new_drafts(min(least, MAX_ITEMS))):
        below = children.find_item(applicable, index).subschemas
        items.append(Item(str(index), _make(lookups, below, None, (*above, schemas))))
    return Array(tuple(items))


def _is_repeated(schemas: frozenset[object], above: Above) -> bool:
    """Whether a value inside a container of the same `schemas` would be filled, or one too deep."""
    return len(above) >= MAX_DEPTH or any(schemas <= others for others in above)


def _find_declaring(applicable: Applicable) -> frozenset[object]:
    """The schemas that declare members, behind all references to them."""
    return frozenset(
        subschema.identity
        for subschema in applicable.subschemas
        if not _DECLARING.isdisjoint(subschema.all_keywords)
    )


def _count_least_items(lookups: SchemaLookups, subschemas: Sequence[Subschema]) -> int:
    lengths = lookups.find_applicable(subschemas, Array()).keywords.numbers("minItems")
    return int(max(lengths, default=0))


def add_required(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    draft: Object,
) -> Object:
    """`draft`, with new values for the required members that it lacks."""
    applicable = lookups.find_applicable(subschemas, draft)
    present = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
    missing = _list_missing(applicable, present)
    new = _make_members(lookups, applicable, missing, (_find_declaring(applicable),))
    return Object({**draft.members, **new}, draft.entries, draft.state)
