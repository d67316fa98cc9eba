"""Which members and items other keywords have evaluated, for the keywords `unevaluated…`.

Each subschema is evaluated once per value and run, so the cost grows with the size of the schema
and not with its nesting. Subschemas in `allOf` and targets of references count as valid: if one is
not, the whole value is invalid.

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


def list_unevaluated(subschema: Subschema, instance: Container) -> list[Any]:
    """The members or items of `instance` that no other keyword has evaluated.

    Neither here nor in a subschema for it.
    """
    evaluated = _unite(_list_parts(subschema, instance, is_outermost=True))
    if evaluated is None:
        return []
    tokens: Any = instance if isinstance(instance, dict) else range(len(instance))
    return [token for token in tokens if token not in evaluated]


def _unite(parts: Iterator[Tokens | None]) -> Tokens | None:
    """All of `parts`; None if one of them is None, which stands for every member or item."""
    run = current_run()
    run.descend(_LEVELS)
    try:
        tokens: set[Any] = set()
        for part in parts:
            if part is None:
                return None
            tokens |= part
        return frozenset(tokens)
    finally:
        run.levels += _LEVELS


def _find_evaluated(subschema: Subschema, instance: Container) -> Tokens | None:
    run = current_run()
    key = (subschema, id(instance))
    if key not in run.evaluated:
        run.spend()
        run.evaluated[key] = _unite(_list_parts(subschema, instance, is_outermost=False))
    return run.evaluated[key]


def _list_parts(
    subschema: Subschema, instance: Container, *, is_outermost: bool
) -> Iterator[Tokens | None]:
    schema: dict[str, Any] = subschema.keywords
    if isinstance(instance, dict):
        yield from _list_own_names(schema, instance, is_outermost=is_outermost)
        for name in schema.get("dependentSchemas", ()):
            if name in instance:
                yield _find_evaluated(subschema.sub("dependentSchemas", name), instance)
    else:
        yield from _list_own_indexes(subschema, schema, instance, is_outermost=is_outermost)
    for target in subschema.references():
        yield _find_evaluated(target, instance)
    for keyword in ("allOf", "anyOf", "oneOf"):
        count = len(schema.get(keyword, ()))
        current_run().spend(count // 8)
        for index in range(count):
            option = subschema.sub(keyword, index)
            if keyword == "allOf" or fits(option, instance):
                yield _find_evaluated(option, instance)
    if "if" not in schema:
        return
    condition = subschema.sub("if")
    branch = "else"
    if fits(condition, instance):
        branch = "then"
        yield _find_evaluated(condition, instance)
    if branch in schema:
        yield _find_evaluated(subschema.sub(branch), instance)


def _list_own_names(
    schema: dict[str, Any], instance: dict[str, JSON], *, is_outermost: bool
) -> Iterator[Tokens | None]:
    has_unevaluated = "unevaluatedProperties" in schema and not is_outermost
    if has_unevaluated or "additionalProperties" in schema:
        yield None
        return
    run = current_run()
    run.spend((len(instance) + len(schema.get("dependentSchemas", ()))) // 16)
    properties = schema.get("properties", {})
    yield frozenset(name for name in instance if name in properties)
    for pattern in schema.get("patternProperties", ()):
        yield frozenset(name for name in instance if found_in(pattern, name, run))


def _list_own_indexes(
    subschema: Subschema, schema: dict[str, Any], instance: list[JSON], *, is_outermost: bool
) -> Iterator[Tokens | None]:
    _, prefix_length, others = item_keywords(schema)
    has_unevaluated = "unevaluatedItems" in schema and not is_outermost
    if has_unevaluated or others in schema:
        yield None
        return
    yield frozenset(range(min(prefix_length, len(instance))))
    if "contains" in schema and subschema.dialect.name != "2019-09":
        contained = subschema.sub("contains")
        yield frozenset(index for index, item in enumerate(instance) if fits(contained, item))
