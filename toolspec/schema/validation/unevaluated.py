"""Which members and items other keywords have evaluated, for `unevaluatedProperties` and `unevaluatedItems`.

Each subschema is evaluated once per value and run, so the cost grows with the size of the schema and not with its
nesting. Subschemas in `allOf` and targets of references count as valid: if one is not, the whole value is invalid.

Source: JSON Schema 2020-12 Core, section 11; draft 2019-09 Core, section 9.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolspec.schema.dialects import item_keywords
from toolspec.schema.validation.budget import current_run
from toolspec.schema.validation.pattern_search import found_in
from toolspec.schema.validation.walk import fits
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from toolspec.schema.validation.subschema import Subschema

_LEVELS: Final = 2  # of depth for one subschema

Tokens: TypeAlias = frozenset[str] | frozenset[int]
Container: TypeAlias = dict[str, JSON] | list[JSON]


def unevaluated(subschema: Subschema, instance: Container) -> list[Any]:
    """The members or items of `instance` that no other keyword has evaluated, here or in a subschema for it."""
    evaluated = _union(_parts(subschema, instance, is_outermost=True))
    tokens: Any = instance if isinstance(instance, dict) else range(len(instance))
    return [] if evaluated is None else [token for token in tokens if token not in evaluated]


def _union(parts: Iterator[Tokens | None]) -> Tokens | None:
    """All of `parts`; None if one of them is None, which stands for every member or item."""
    run = current_run()
    run.descend(_LEVELS)
    try:
        found: set[Any] = set()
        for part in parts:
            if part is None:
                return None
            found |= part
        return frozenset(found)
    finally:
        run.levels += _LEVELS


def _evaluated(subschema: Subschema, instance: Container) -> Tokens | None:
    run = current_run()
    key = (subschema, id(instance))
    if key not in run.evaluated:
        run.spend()
        run.evaluated[key] = _union(_parts(subschema, instance, is_outermost=False))
    return run.evaluated[key]


def _parts(
    subschema: Subschema, instance: Container, *, is_outermost: bool
) -> Iterator[Tokens | None]:
    schema: dict[str, Any] = subschema.keywords
    if isinstance(instance, dict):
        yield from _own_names(schema, instance, is_outermost=is_outermost)
        for name in schema.get("dependentSchemas", ()):
            if name in instance:
                yield _evaluated(subschema.sub("dependentSchemas", name), instance)
    else:
        yield from _own_indexes(subschema, schema, instance, is_outermost=is_outermost)
    for target in subschema.references():
        yield _evaluated(target, instance)
    for keyword in ("allOf", "anyOf", "oneOf"):
        current_run().spend(len(schema.get(keyword, ())) // 8)
        for index in range(len(schema.get(keyword, ()))):
            option = subschema.sub(keyword, index)
            if keyword == "allOf" or fits(option, instance):
                yield _evaluated(option, instance)
    if "if" not in schema:
        return
    condition = subschema.sub("if")
    branch = "then" if fits(condition, instance) else "else"
    if branch == "then":
        yield _evaluated(condition, instance)
    if branch in schema:
        yield _evaluated(subschema.sub(branch), instance)


def _own_names(
    schema: dict[str, Any], instance: dict[str, JSON], *, is_outermost: bool
) -> Iterator[Tokens | None]:
    if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not is_outermost):
        yield None
        return
    run = current_run()
    run.spend((len(instance) + len(schema.get("dependentSchemas", ()))) // 16)
    properties = schema.get("properties", {})
    yield frozenset(name for name in instance if name in properties)
    for pattern in schema.get("patternProperties", ()):
        yield frozenset(name for name in instance if found_in(pattern, name, run))


def _own_indexes(
    subschema: Subschema, schema: dict[str, Any], instance: list[JSON], *, is_outermost: bool
) -> Iterator[Tokens | None]:
    _, prefix_length, others = item_keywords(schema)
    if others in schema or ("unevaluatedItems" in schema and not is_outermost):
        yield None
        return
    yield frozenset(range(min(prefix_length, len(instance))))
    if "contains" in schema and subschema.dialect.name != "2019-09":
        contained = subschema.sub("contains")
        yield frozenset(index for index, item in enumerate(instance) if fits(contained, item))
