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

from playground.schema_form import children
from playground.schema_form.branches import Applicable
from playground.schema_form.draft import (
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
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.node_context import default_kind
from playground.schema_form.values import ABSENT, Kind, Maybe, kind_of
from toolspec.schema.validation import Subschema

MAX_DEPTH: Final = 5
MAX_ITEMS: Final = 10
MAX_MEMBERS: Final = 100

_DECLARING: Final = frozenset({"properties", "required", "dependentRequired", "dependencies"})

Above: TypeAlias = "tuple[frozenset[object], ...]"
"""The identities of the schemas of each container around a value, outermost first."""


def new_draft(
    lookups: SchemaLookups,
    subschemas: Sequence[Subschema],
    kind: Kind | None = None,
    state: State = PLAIN,
) -> Draft:
    """A new value to which all of `subschemas` apply, of the selected `kind`, under the branches in `state`."""
    if (
        state.branches
        and (
            kind or default_kind(lookups.kinds.of_all(subschemas), lookups.at(subschemas, NOTHING))
        )
        == "object"
    ):
        return _object(lookups, subschemas, (), state)
    return with_state(_new(lookups, subschemas, kind, ()), state)


def _new(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], kind: Kind | None, above: Above
) -> Draft:
    found = lookups.at(subschemas, Missing(kind))
    kinds = lookups.kinds.of_all(subschemas)
    value = _given(lookups, subschemas, kinds if kind is None else frozenset({kind}))
    if value is not ABSENT:
        return draft_of(value)
    if kind is None:
        kind = default_kind(kinds, found)
        found = lookups.at(subschemas, Missing(kind))  # the choices may depend on the type
    if found.choices and any(kind_of(choice.value) in kinds for choice in found.choices):
        return Missing(kind)
    return _of_kind(lookups, subschemas, kind, above)


def _of_kind(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], kind: Kind | None, above: Above
) -> Draft:
    match kind:
        case "null":
            return Constant(None)
        case "object" if not above or children.declared_names(lookups.at(subschemas, Object())):
            return _object(lookups, subschemas, above)
        case "array" if not above or _least_items(lookups, subschemas):
            return _array(lookups, subschemas, above)
    return Missing(kind)


def _given(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], kinds: frozenset[Kind]
) -> Maybe:
    """The default, or the only possible value."""
    found = lookups.at(subschemas, NOTHING)
    choices = [choice.value for choice in found.choices or () if kind_of(choice.value) in kinds]
    if len(choices) == 1:
        return choices[0]
    defaults = (value for value in found.keywords.all("default") if kind_of(value) in kinds)
    return next(defaults, ABSENT)


def _object(
    lookups: SchemaLookups, subschemas: Sequence[Subschema], above: Above, state: State = PLAIN
) -> Draft:
    draft = Object(state=state)
    schemas = _schemas_with_members(lookups.at(subschemas, draft))
    if _is_repeated(schemas, above):
        return draft
    for _round in range(2):  # present members may require more: `then`, `dependentRequired`
        found = lookups.at(subschemas, draft)
        required = children.required_names(found, set(draft.members))
        missing = [
            name
            for name in children.declared_names(found)
            if name not in draft.members and name in required
        ]
        new = _members(lookups, found, missing[:MAX_MEMBERS], (*above, schemas))
        if not new:
            break
        draft = Object({**draft.members, **new}, (), state)
    return draft


def _members(
    lookups: SchemaLookups, found: Applicable, names: Sequence[str], above: Above
) -> dict[str, Draft]:
    """New values for the members called `names`.

    Of the first ones only, if the page has room for no more.
    """
    return {
        name: _new(lookups, children.member(found, name).subschemas, None, above)
        for name in names[: lookups.take_new_drafts(len(names))]
    }


def _array(lookups: SchemaLookups, subschemas: Sequence[Subschema], above: Above) -> Draft:
    schemas = frozenset(subschema.identity for subschema in subschemas)
    if _is_repeated(schemas, above):
        return Array()
    found = lookups.at(subschemas, Array())
    below = (*above, schemas)
    length = lookups.take_new_drafts(min(_least_items(lookups, subschemas), MAX_ITEMS))
    items = [
        _new(lookups, children.item(found, index).subschemas, None, below)
        for index in range(length)
    ]
    return Array(tuple(Item(str(row), draft) for row, draft in enumerate(items)))


def _is_repeated(schemas: frozenset[object], above: Above) -> bool:
    """Whether a value inside a container of the same `schemas` would be filled, or one too deep."""
    return len(above) >= MAX_DEPTH or any(schemas <= others for others in above)


def _schemas_with_members(found: Applicable) -> frozenset[object]:
    """The schemas that declare members, behind all references to them."""
    return frozenset(
        subschema.identity
        for subschema in found.subschemas
        if not _DECLARING.isdisjoint(subschema.all_keywords)
    )


def _least_items(lookups: SchemaLookups, subschemas: Sequence[Subschema]) -> int:
    lengths = lookups.at(subschemas, Array()).keywords.numbers("minItems")
    return int(max(lengths, default=0))


def with_required(lookups: SchemaLookups, subschemas: Sequence[Subschema], draft: Object) -> Object:
    """`draft`, with new values for the required members that it lacks."""
    found = lookups.at(subschemas, draft)
    present = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
    required = children.required_names(found, present)
    missing = [
        name for name in children.declared_names(found) if name in required and name not in present
    ]
    new = _members(lookups, found, missing, (_schemas_with_members(found),))
    return Object({**draft.members, **new}, draft.entries, draft.state)
