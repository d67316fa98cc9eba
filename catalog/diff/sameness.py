"""When two subschemas certainly mean the same, by their text."""

from __future__ import annotations

from typing import Final

from catalog.diff.together import Together
from catalog.strict_json import dumps
from catalog.validation import Place

_REFERRING: Final = ('"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"$id"', '"id"', '"$schema"')


def are_same(one: Place, other: Place) -> bool:
    """Whether both say the same in the same draft; never where they refer elsewhere, which may differ."""
    if one.dialect is not other.dialect:
        return False
    text = text_of(one)
    return text is not None and text == text_of(other)


def are_same_lists(some: list[Place], others: list[Place]) -> bool:
    return len(some) == len(others) and all(are_same(one, other) for one, other in zip(some, others, strict=True))


def text_of(place: Place) -> str | None:
    """The text of what `place` says; None where it refers elsewhere."""
    text: str = place.built("text", lambda: _text_of(place))
    return text or None


def _text_of(place: Place) -> str:
    text = dumps(place.schema, sort_keys=True)
    return "" if any(word in text for word in _REFERRING) else text


def is_said_by(giver: Together, taker: Together) -> bool:
    """Whether all that `taker` asks for is asked for by `giver`, word for word."""
    if taker.unclear or taker.nothing or not taker.places:
        return False
    texts = {(place.dialect.uri, text_of(place)) for place in giver.places}
    return all(text_of(place) is not None and (place.dialect.uri, text_of(place)) in texts for place in taker.places)
