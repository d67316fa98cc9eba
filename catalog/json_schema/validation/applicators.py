"""The keywords that apply subschemas, and those that name members. Each yields its failures.

Each keyword has its own loop over members or items (other code uses `catalog.json_schema.children`), because it
is called once for the whole value, and each part of the value is counted in the run's budget.

Source: JSON Schema 2020-12 Core, sections 8.2.3, 10 and 11; 2020-12 Validation, section 6.5; the earlier drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from catalog.json_schema.validation.budget import Run, Unchecked
from catalog.json_schema.validation.errors import Failure
from catalog.json_schema.validation.messages import count, limit, show, show_source, show_text
from catalog.json_schema.validation.pattern_search import found_in
from catalog.json_schema.validation.subschema import Keyword, Subschema
from catalog.json_schema.validation.unevaluated import unevaluated_items, unevaluated_properties
from catalog.jsontext.reader import JSON

MAX_BRANCH_DETAILS: Final = 20  # violations reported for one alternative


# References.


def _reference(keyword: str, follow: Callable[[Subschema, str], Subschema | None]) -> Keyword:
    """A reference. Results are cached, so shared definitions are checked once per value."""

    def check(subschema: Subschema, run: Run, reference: Any, instance: JSON) -> Iterator[Failure]:
        target = follow(subschema, reference)
        if target is None:
            raise Unchecked(f"The reference {show(reference)} cannot be resolved.")
        key = (target, id(instance))
        known = run.fits.get(key)
        if known is True:
            return
        if known is False and run.reported is None:
            yield Failure(subschema, run.path, keyword, f"must match {show_source(reference)}")
            return
        if (
            known is False
            and run.reported is not None
            and (target, tuple(run.path)) in run.reported
        ):
            run.suppressed += 1
            return
        if key in run.open:
            raise Unchecked("The schema refers to itself without going deeper into the value.")
        run.open.add(key)
        fits, suppressed = True, run.suppressed
        try:
            for failure in target.failures(instance):
                if fits:
                    fits = run.fits[key] = False
                yield failure
        finally:
            run.open.discard(key)
        if fits:
            if run.suppressed == suppressed:
                run.fits[key] = True
        elif run.reported is not None:
            run.reported.add((target, tuple(run.path)))

    return check


# Subschemas in place.


def _all_of(subschema: Subschema, _run: Run, branches: Any, instance: JSON) -> Iterator[Failure]:
    for index in range(len(branches)):
        yield from subschema.sub("allOf", index).failures(instance)


def _any_of(subschema: Subschema, run: Run, branches: Any, instance: JSON) -> Iterator[Failure]:
    options = _options(subschema, "anyOf", branches, run)
    for option in options:
        if option.fits(instance):
            return
    message = f"must match at least one of {count(len(options), 'alternative')}"
    yield Failure(subschema, run.path, "anyOf", message, branches=_details(options, run, instance))


def _one_of(subschema: Subschema, run: Run, branches: Any, instance: JSON) -> Iterator[Failure]:
    options = _options(subschema, "oneOf", branches, run)
    fitting: list[int] = []
    for index, option in enumerate(options):
        if option.fits(instance):
            fitting.append(index)
            if len(fitting) > 1:
                break
    if len(fitting) == 1:
        return
    if fitting:
        alternatives = count(len(options), "alternative")
        message = f"must match exactly one of {alternatives}, not both {fitting[0]} and {fitting[1]} (counted from 0)"
        yield Failure(subschema, run.path, "oneOf", message)
        return
    message = f"must match exactly one of {count(len(options), 'alternative')}"
    yield Failure(subschema, run.path, "oneOf", message, branches=_details(options, run, instance))


def _options(subschema: Subschema, keyword: str, branches: list[JSON], run: Run) -> list[Subschema]:
    run.spend(len(branches) // 8)
    return [subschema.sub(keyword, index) for index in range(len(branches))]


def _details(options: list[Subschema], run: Run, instance: JSON) -> tuple[tuple[Failure, ...], ...]:
    """The failures of each alternative; () if only validity is asked, or if there are too many."""
    if run.reported is None:
        return ()
    outer, found = run.reported, []
    try:
        for option in options:
            run.reported = set()
            found.append(tuple(islice(option.failures(instance), MAX_BRANCH_DETAILS)))
            run.details -= len(found[-1])
            if run.details < 0:
                return ()
    except Unchecked:
        return ()  # none matches, which is already known
    finally:
        run.reported = outer
    return tuple(found)


def _not(subschema: Subschema, run: Run, _schema: Any, instance: JSON) -> Iterator[Failure]:
    if subschema.sub("not").fits(instance):
        yield Failure(subschema, run.path, "not", "must not match the schema of `not`")


def _if(subschema: Subschema, _run: Run, _schema: Any, instance: JSON) -> Iterator[Failure]:
    schema = subschema.schema
    if not isinstance(schema, dict) or not ("then" in schema or "else" in schema):
        return
    branch = "then" if subschema.sub("if").fits(instance) else "else"
    if branch in schema:
        yield from subschema.sub(branch).failures(instance)


# Members of objects.


def _properties(
    subschema: Subschema, run: Run, properties: Any, instance: JSON
) -> Iterator[Failure]:
    if not isinstance(instance, dict):
        return
    run.spend(len(instance) // 16)
    for name, value in instance.items():
        if name in properties:
            yield from subschema.sub("properties", name).failures_at(name, value)


def _pattern_properties(
    subschema: Subschema, run: Run, patterns: Any, instance: JSON
) -> Iterator[Failure]:
    if not isinstance(instance, dict):
        return
    for pattern in patterns:
        for name, value in instance.items():
            if found_in(pattern, name, run):
                yield from subschema.sub("patternProperties", pattern).failures_at(name, value)


def _additional_properties(
    subschema: Subschema, run: Run, _schema: Any, instance: JSON
) -> Iterator[Failure]:
    if not isinstance(instance, dict) or not isinstance(subschema.schema, dict):
        return
    properties: Any = subschema.schema.get("properties", {})
    patterns: Any = subschema.schema.get("patternProperties", {})
    rest = subschema.sub("additionalProperties")
    if rest.schema is True:
        return
    run.spend(len(instance) // 16)
    for name, value in instance.items():
        if name not in properties and not any(found_in(pattern, name, run) for pattern in patterns):
            yield from rest.failures_at(name, value)


def _property_names(
    subschema: Subschema, run: Run, _schema: Any, instance: JSON
) -> Iterator[Failure]:
    if not isinstance(instance, dict):
        return
    names = subschema.sub("propertyNames")
    for name in instance:
        if names.fits(name):
            continue
        why = next(names.failures(name), None)
        message = f"{show_text(name)} is not allowed as a property name" + (
            f": {why.message}" if why else ""
        )
        yield Failure(subschema, [*run.path, name], "propertyNames", message, names=(name,))


def _required(subschema: Subschema, run: Run, names: Any, instance: JSON) -> Iterator[Failure]:
    if not isinstance(instance, dict):
        return
    run.spend(len(names) // 16)
    for name in names:
        if name not in instance:
            yield Failure(
                subschema, run.path, "required", f"{show_text(name)} is missing", names=(name,)
            )


def _dependents(keyword: str) -> Keyword:
    """The schemas and the lists of names that apply to objects with a certain member."""

    def check(subschema: Subschema, run: Run, needs: Any, instance: JSON) -> Iterator[Failure]:
        if not isinstance(instance, dict):
            return
        run.spend(len(needs) // 16)
        for name, needed in needs.items():
            if name not in instance:
                continue
            if not isinstance(needed, list):
                yield from subschema.sub(keyword, name).failures(instance)
                continue
            run.spend(len(needed) // 16)
            for other in needed:
                if other not in instance:
                    message = f"{show_text(other)} is missing; it is required if {show_text(name)} is given"
                    yield Failure(
                        subschema,
                        run.path,
                        keyword,
                        message,
                        tokens=(keyword, name),
                        names=(other,),
                    )

    return check


# Items of arrays.


def _prefix_items(
    subschema: Subschema, _run: Run, schemas: Any, instance: JSON
) -> Iterator[Failure]:
    if isinstance(instance, list):
        for index in range(min(len(schemas), len(instance))):
            yield from subschema.sub("prefixItems", index).failures_at(index, instance[index])


def _items(subschema: Subschema, run: Run, _schema: Any, instance: JSON) -> Iterator[Failure]:
    if isinstance(instance, list) and isinstance(subschema.schema, dict):
        prefix: Any = subschema.schema.get("prefixItems", ())
        yield from _items_from(len(prefix), subschema.sub("items"), run, instance)


def _items_2019(subschema: Subschema, run: Run, schemas: Any, instance: JSON) -> Iterator[Failure]:
    if not isinstance(instance, list):
        return
    if not isinstance(schemas, list):
        yield from _items_from(0, subschema.sub("items"), run, instance)
        return
    for index in range(min(len(schemas), len(instance))):
        yield from subschema.sub("items", index).failures_at(index, instance[index])


def _additional_items(
    subschema: Subschema, run: Run, _schema: Any, instance: JSON
) -> Iterator[Failure]:
    if not isinstance(instance, list) or not isinstance(subschema.schema, dict):
        return
    items = subschema.schema.get("items")
    if isinstance(items, list):
        yield from _items_from(len(items), subschema.sub("additionalItems"), run, instance)


def _items_from(start: int, rest: Subschema, run: Run, instance: list[JSON]) -> Iterator[Failure]:
    if rest.schema is True:
        return
    run.spend(len(instance) // 16)
    for index in range(start, len(instance)):
        yield from rest.failures_at(index, instance[index])


def _contains_07(subschema: Subschema, run: Run, _schema: Any, instance: JSON) -> Iterator[Failure]:
    if isinstance(instance, list) and not any(map(subschema.sub("contains").fits, instance)):
        yield Failure(
            subschema, run.path, "contains", "must have at least 1 item matching `contains`"
        )


def _contains(subschema: Subschema, run: Run, _schema: Any, instance: JSON) -> Iterator[Failure]:
    if not isinstance(instance, list) or not isinstance(subschema.schema, dict):
        return
    least: Any = subschema.schema.get("minContains", 1)
    most: Any = subschema.schema.get("maxContains")
    option, found = subschema.sub("contains"), 0
    for item in instance:
        if most is None and found >= least:
            return
        found += option.fits(item)
        if most is not None and found > most:
            message = f"must have {limit('maxContains', most)} matching `contains`"
            yield Failure(subschema, run.path, "maxContains", message)
            return
    if found >= least:
        return
    if "minContains" not in subschema.schema:
        yield Failure(
            subschema, run.path, "contains", "must have at least 1 item matching `contains`"
        )
        return
    message = f"must have {limit('minContains', least)} matching `contains`"
    yield Failure(subschema, run.path, "minContains", message)


# Unevaluated members and items.


def _unevaluated_properties(
    subschema: Subschema, run: Run, _schema: Any, instance: JSON
) -> Iterator[Failure]:
    if isinstance(instance, dict):
        rest = subschema.sub("unevaluatedProperties")
        for name in unevaluated_properties(subschema, run, instance):
            yield from rest.failures_at(name, instance[name])


def _unevaluated_items(
    subschema: Subschema, run: Run, _schema: Any, instance: JSON
) -> Iterator[Failure]:
    if isinstance(instance, list):
        rest = subschema.sub("unevaluatedItems")
        for index in unevaluated_items(subschema, run, instance):
            yield from rest.failures_at(index, instance[index])


APPLICATORS_04: Mapping[str, Keyword] = {
    "$ref": _reference("$ref", Subschema.follow),
    "additionalItems": _additional_items,
    "additionalProperties": _additional_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "dependencies": _dependents("dependencies"),
    "items": _items_2019,
    "not": _not,
    "oneOf": _one_of,
    "patternProperties": _pattern_properties,
    "properties": _properties,
    "required": _required,
}
APPLICATORS_06: Mapping[str, Keyword] = {
    **APPLICATORS_04,
    "contains": _contains_07,
    "propertyNames": _property_names,
}
APPLICATORS_07: Mapping[str, Keyword] = {**APPLICATORS_06, "if": _if}
APPLICATORS_2019: Mapping[str, Keyword] = {
    **{keyword: apply for keyword, apply in APPLICATORS_07.items() if keyword != "dependencies"},
    "$recursiveRef": _reference("$recursiveRef", Subschema.follow_dynamic),
    "contains": _contains,
    "dependentRequired": _dependents("dependentRequired"),
    "dependentSchemas": _dependents("dependentSchemas"),
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
APPLICATORS_2020: Mapping[str, Keyword] = {
    **{
        keyword: apply
        for keyword, apply in APPLICATORS_2019.items()
        if keyword not in {"$recursiveRef", "additionalItems"}
    },
    "$dynamicRef": _reference("$dynamicRef", Subschema.follow_dynamic),
    "items": _items,
    "prefixItems": _prefix_items,
}
