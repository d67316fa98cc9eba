"""When two subschemas certainly mean the same, by their text."""

from __future__ import annotations

from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import dumps
from catalog.specs.diff.conjunction import Together

_REFERRING: Final = ('"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"$id"', '"id"', '"$schema"')


def are_same(one: Subschema, other: Subschema) -> bool:
    """Whether both say the same in the same draft; never where they refer elsewhere, which may differ."""
    if one.dialect is not other.dialect:
        return False
    text = text_of(one)
    return text is not None and text == text_of(other)


def are_same_lists(some: list[Subschema], others: list[Subschema]) -> bool:
    return len(some) == len(others) and all(are_same(one, other) for one, other in zip(some, others, strict=True))


def text_of(place: Subschema) -> str | None:
    """The text of what `place` says; None where it refers elsewhere."""
    text: str = place.built("text", lambda: _text_of(place))
    return text or None


def _text_of(place: Subschema) -> str:
    text = dumps(place.schema, sort_keys=True)
    return "" if any(word in text for word in _REFERRING) else text


def is_implied_by(giver: Together, taker: Together) -> bool:
    """Whether all that `taker` asks for is asked for by `giver`, word for word."""
    if taker.unclear or taker.nothing or not taker.places:
        return False
    texts = {(place.dialect.uri, text_of(place)) for place in giver.places}
    return all(text_of(place) is not None and (place.dialect.uri, text_of(place)) in texts for place in taker.places)
