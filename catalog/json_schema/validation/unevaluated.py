"""Which members and items other keywords have evaluated, for `unevaluatedProperties` and `unevaluatedItems`.

Each subschema is evaluated once per value and run, so the cost grows with the size of the schema and not with its
nesting. Subschemas in `allOf` and targets of references count as valid: if one is not, the whole value is invalid.

This module has its own loop over the subschemas that apply to the same value (other code uses `applicable.py`): each
step depends on whether the value matches a branch, is counted in the run's budget, and ends the loop if it covers all.

Source: JSON Schema 2020-12 Core, section 11; draft 2019-09 Core, section 9.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias, TypeVar

from catalog.json_schema.dialects import item_keywords
from catalog.json_schema.validation.budget import Run
from catalog.json_schema.validation.pattern_search import found_in
from catalog.json_schema.validation.subschema import Subschema
from catalog.jsontext.reader import JSON

_LEVELS: Final = 2  # of depth for one subschema

Key = TypeVar("Key", str, int)
Evaluated: TypeAlias = frozenset[Key] | None  # None: all of them


def unevaluated_properties(subschema: Subschema, run: Run, instance: dict[str, JSON]) -> list[str]:
    """The members of `instance` that no other keyword has evaluated, here or in a subschema for the same value."""
    run.descend(_LEVELS)
    found = _union(_evaluated_names(subschema, run, instance, is_outermost=True))
    run.levels += _LEVELS
    return [] if found is None else [name for name in instance if name not in found]


def unevaluated_items(subschema: Subschema, run: Run, instance: list[JSON]) -> list[int]:
    """The indexes of `instance` that no other keyword has evaluated, here or in a subschema for the same value."""
    run.descend(_LEVELS)
    found = _union(_evaluated_indexes(subschema, run, instance, is_outermost=True))
    run.levels += _LEVELS
    return [] if found is None else [index for index in range(len(instance)) if index not in found]


def _union(parts: Iterator[Evaluated[Key]]) -> Evaluated[Key]:
    found: set[Key] = set()
    for part in parts:
        if part is None:
            return None
        found |= part
    return frozenset(found)


def _names(subschema: Subschema, run: Run, instance: JSON) -> Evaluated[str]:
    if not isinstance(instance, dict):
        return frozenset()
    return _cached(subschema, run, instance, _evaluated_names)


def _indexes(subschema: Subschema, run: Run, instance: JSON) -> Evaluated[int]:
    if not isinstance(instance, list):
        return frozenset()
    return _cached(subschema, run, instance, _evaluated_indexes)


def _cached(
    subschema: Subschema, run: Run, instance: Any, find: Callable[..., Iterator[Evaluated[Key]]]
) -> Evaluated[Key]:
    key = (subschema, id(instance))
    if key not in run.evaluated:
        run.descend(_LEVELS)
        run.spend()
        run.evaluated[key] = _union(find(subschema, run, instance, is_outermost=False))
        run.levels += _LEVELS
    return run.evaluated[key]  # type: ignore[return-value]


def _evaluated_names(
    subschema: Subschema, run: Run, instance: dict[str, JSON], *, is_outermost: bool
) -> Iterator[Evaluated[str]]:
    schema: dict[str, Any] = subschema.keywords
    if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not is_outermost):
        yield None
        return
    run.spend((len(instance) + len(schema.get("dependentSchemas", ()))) // 16)
    properties = schema.get("properties", {})
    yield frozenset(name for name in instance if name in properties)
    for pattern in schema.get("patternProperties", ()):
        yield frozenset(name for name in instance if found_in(pattern, name, run))
    for name in schema.get("dependentSchemas", ()):
        if name in instance:
            yield _names(subschema.sub("dependentSchemas", name), run, instance)
    yield from _in_place(subschema, schema, run, instance, _names)


def _evaluated_indexes(
    subschema: Subschema, run: Run, instance: list[JSON], *, is_outermost: bool
) -> Iterator[Evaluated[int]]:
    schema: dict[str, Any] = subschema.keywords
    _, prefix_length, others = item_keywords(schema)
    if others in schema or ("unevaluatedItems" in schema and not is_outermost):
        yield None
        return
    yield frozenset(range(min(prefix_length, len(instance))))
    if "contains" in schema and subschema.dialect.name != "2019-09":
        fits = subschema.sub("contains").fits
        yield frozenset(index for index, item in enumerate(instance) if fits(item))
    yield from _in_place(subschema, schema, run, instance, _indexes)


def _in_place(
    subschema: Subschema,
    schema: dict[str, Any],
    run: Run,
    instance: JSON,
    ask: Callable[[Subschema, Run, JSON], Evaluated[Key]],
) -> Iterator[Evaluated[Key]]:
    """The parts evaluated by the subschemas that apply to `instance` itself."""
    for target in subschema.references():
        yield ask(target, run, instance)
    run.spend(len(schema.get("allOf", ())) // 8)
    for index in range(len(schema.get("allOf", ()))):
        yield ask(subschema.sub("allOf", index), run, instance)
    for keyword in ("anyOf", "oneOf"):
        for index in range(len(schema.get(keyword, ()))):
            option = subschema.sub(keyword, index)
            if option.fits(instance):
                yield ask(option, run, instance)
    if "if" in schema:
        condition = subschema.sub("if")
        fits = condition.fits(instance)
        if fits:
            yield ask(condition, run, instance)
        branch = "then" if fits else "else"
        if branch in schema:
            yield ask(subschema.sub(branch), run, instance)
