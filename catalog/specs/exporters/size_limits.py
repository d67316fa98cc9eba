"""Check the documented size limits of OpenAI's strict mode."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.json_schema.normalize import Schema
from catalog.jsontext.containers import items_of, members_of
from catalog.jsontext.reader import JSON
from catalog.specs.exporters import format_rules


def strict_obstacles(schema: Schema) -> list[str]:
    """Why OpenAI would reject `schema`; [] if it is within the limits."""
    found = list(_subschemas(schema, 1))
    members = sum(len(_members(one)) for one, _ in found)
    choices = sum(len(_choices(one)) for one, _ in found)
    depth = max((depth for one, depth in found if "properties" in one), default=0)
    names = sum(len(name) for one, _ in found for name in (*_members(one), *_definitions(one)))
    texts = (
        text
        for one, _ in found
        for text in (*_choices(one), one.get("const"))
        if isinstance(text, str)
    )
    chars = names + sum(map(len, texts))
    counts = (
        (members, format_rules.MAX_STRICT_MEMBERS, "properties"),
        (depth, format_rules.MAX_STRICT_DEPTH, "levels of objects"),
        (choices, format_rules.MAX_STRICT_CHOICES, "`enum` values"),
        (chars, format_rules.MAX_STRICT_CHARS, "characters of names and values"),
    )
    obstacles = [
        f"There are {count:,} {noun}; at most {limit:,} are allowed."
        for count, limit, noun in counts
        if count > limit
    ]
    if any(_is_long_choice(one) for one, _ in found):
        obstacles.append(
            f"An `enum` has more than {format_rules.MAX_STRICT_LONG_CHOICE} strings, and together they have more than "
            f"{format_rules.MAX_STRICT_LONG_CHOICE_CHARS:,} characters."
        )
    return obstacles


def _subschemas(schema: JSON, depth: int) -> Iterator[tuple[Schema, int]]:
    """Every schema in `schema`, with its depth in objects."""
    if not isinstance(schema, dict):
        return
    yield schema, depth
    for member in _members(schema).values():
        yield from _subschemas(member, depth + 1)
    for definition in _definitions(schema).values():
        yield from _subschemas(definition, depth)
    for inner in [schema.get("items"), *items_of(schema.get("anyOf"))]:
        yield from _subschemas(inner, depth)


def _members(schema: Schema) -> Schema:
    return members_of(schema.get("properties"))


def _definitions(schema: Schema) -> Schema:
    return members_of(schema.get("$defs"))


def _choices(schema: Schema) -> list[JSON]:
    return items_of(schema.get("enum"))


def _is_long_choice(schema: Schema) -> bool:
    texts = [choice for choice in _choices(schema) if isinstance(choice, str)]
    return (
        len(texts) > format_rules.MAX_STRICT_LONG_CHOICE
        and sum(map(len, texts)) > format_rules.MAX_STRICT_LONG_CHOICE_CHARS
    )
