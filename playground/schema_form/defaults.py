"""New values: what a person gets who adds something. Only here do defaults become values.

What the schema requires is there at once, with its default or the one value that it may have; what is optional is left
out. A value that nobody can guess stays empty, to be filled in. That includes texts, lists and maps: an empty one is a
value, and is sent only where a person chose it. An object with declared members is created, so that their fields show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog.json_schema.validation import Subschema
from playground.schema_form import children
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

MAX_DEPTH: Final = 5
MAX_ITEMS: Final = 10
MAX_MEMBERS: Final = 100


def fresh(guide: SchemaLookups, places: Sequence[Subschema], kind: Kind | None = None, state: State = PLAIN) -> Draft:
    """A new value where all of `places` apply, of `kind` if that was picked, under the branches that `state` names."""
    if state.branches and (kind or default_kind(guide.kinds.of_all(places), guide.at(places, NOTHING))) == "object":
        return _object(guide, places, (), state)
    return with_state(_new(guide, places, kind, ()), state)


def _new(guide: SchemaLookups, places: Sequence[Subschema], kind: Kind | None, above: tuple[object, ...]) -> Draft:
    found = guide.at(places, Missing(kind))
    kinds = guide.kinds.of_all(places)
    value = _given(guide, places, kinds if kind is None else frozenset({kind}))
    if value is not ABSENT:
        return draft_of(value)
    if kind is None:
        kind = default_kind(kinds, found)
        found = guide.at(places, Missing(kind))  # what is offered may depend on the kind
    if found.choices and any(kind_of(choice.value) in kinds for choice in found.choices):
        return Missing(kind)
    return _of_kind(guide, places, kind, above)


def _of_kind(guide: SchemaLookups, places: Sequence[Subschema], kind: Kind | None, above: tuple[object, ...]) -> Draft:
    match kind:
        case "null":
            return Constant(None)
        case "object" if not above or children.declared_names(guide.at(places, Object())):
            return _object(guide, places, above)
        case "array" if not above or _least_items(guide, places):
            return _array(guide, places, above)
    return Missing(kind)


def _given(guide: SchemaLookups, places: Sequence[Subschema], kinds: frozenset[Kind]) -> Maybe:
    """The default, or the only value possible."""
    found = guide.at(places, NOTHING)
    choices = [choice.value for choice in found.choices or () if kind_of(choice.value) in kinds]
    if len(choices) == 1:
        return choices[0]
    for place in found.places:
        keywords = place.all_keywords
        if "default" in keywords and kind_of(keywords["default"]) in kinds:
            return keywords["default"]
    return ABSENT


def _object(
    guide: SchemaLookups, places: Sequence[Subschema], above: tuple[object, ...], state: State = PLAIN
) -> Draft:
    identity = tuple(place.identity for place in places)
    draft = Object(state=state)
    if identity in above or len(above) >= MAX_DEPTH:
        return draft
    for _round in range(2):  # what is there may ask for more: `then`, `dependentRequired`
        found = guide.at(places, draft)
        required = children.required_names(found, set(draft.members))
        missing = [name for name in children.declared_names(found) if name not in draft.members and name in required]
        if not missing:
            break
        below = (*above, identity)
        new = {
            name: _new(guide, children.member(found, name).subschemas, None, below) for name in missing[:MAX_MEMBERS]
        }
        draft = Object({**draft.members, **new}, (), state)
    return draft


def _array(guide: SchemaLookups, places: Sequence[Subschema], above: tuple[object, ...]) -> Draft:
    identity = tuple(place.identity for place in places)
    if identity in above or len(above) >= MAX_DEPTH:
        return Array()
    found = guide.at(places, Array())
    below = (*above, identity)
    length = min(_least_items(guide, places), MAX_ITEMS)
    items = [_new(guide, children.item(found, index).subschemas, None, below) for index in range(length)]
    return Array(tuple(Item(str(row), draft) for row, draft in enumerate(items)))


def _least_items(guide: SchemaLookups, places: Sequence[Subschema]) -> int:
    lengths = [place.all_keywords.get("minItems") for place in guide.at(places, Array()).places]
    return max((length for length in lengths if isinstance(length, int)), default=0)


def with_required(guide: SchemaLookups, places: Sequence[Subschema], draft: Object) -> Object:
    """`draft`, with new values for the required members that it lacks."""
    found = guide.at(places, draft)
    present = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
    above = (tuple(place.identity for place in places),)
    required = children.required_names(found, present)
    new = {
        name: _new(guide, children.member(found, name).subschemas, None, above)
        for name in children.declared_names(found)
        if name in required and name not in present
    }
    return Object({**draft.members, **new}, draft.entries, draft.state)
