"""Check the documented size limits of OpenAI's strict mode.

Source: "Supported schemas", see `format_rules.OPENAI_STRICT`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from toolspec.schema.normalize import Schema
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.reader import JSON

_PROPERTIES: Final = "properties"
_LEVELS: Final = "levels of objects"
_VALUES: Final = "`enum` values"
_CHARACTERS: Final = "characters of names and values"
_LIMITS: Final[Mapping[str, int]] = {
    _PROPERTIES: 5_000,
    _LEVELS: 10,
    _VALUES: 1_000,
    _CHARACTERS: 120_000,
}
MAX_LONG_CHOICE: Final = 250  # strings of one `enum`; with more than that,
MAX_LONG_CHOICE_CHARS: Final = 15_000  # their characters are limited


def strict_obstacles(schema: Schema) -> list[str]:
    """Why OpenAI would reject `schema`; [] if it is within the limits."""
    counts = Counter[str]()
    is_long = False
    waiting: list[tuple[JSON, int]] = [(schema, 1)]
    while waiting:
        current, level = waiting.pop()
        if not isinstance(current, dict):
            continue
        properties = members_of(current.get("properties"))
        definitions = members_of(current.get("$defs"))
        texts = strings_of(current.get("enum"))
        chars = sum(map(len, texts))
        is_long = is_long or (len(texts) > MAX_LONG_CHOICE and chars > MAX_LONG_CHOICE_CHARS)
        names = [*properties, *definitions, *strings_of([current.get("const")])]
        counts[_PROPERTIES] += len(properties)
        counts[_VALUES] += len(items_of(current.get("enum")))
        counts[_CHARACTERS] += chars + sum(map(len, names))
        if "properties" in current:
            counts[_LEVELS] = max(counts[_LEVELS], level)
        waiting += [(member, level + 1) for member in properties.values()]
        inside = [*definitions.values(), current.get("items"), *items_of(current.get("anyOf"))]
        waiting += [(inner, level) for inner in inside]
    obstacles = []
    for noun, limit in _LIMITS.items():
        if counts[noun] > limit:
            message = f"There are {counts[noun]:,} {noun}; at most {limit:,} are allowed."
            obstacles.append(message)
    if is_long:
        obstacles.append(
            f"An `enum` has more than {MAX_LONG_CHOICE} strings, and together they have more than "
            f"{MAX_LONG_CHOICE_CHARS:,} characters."
        )
    return obstacles
