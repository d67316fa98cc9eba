"""The keywords that `jsonschema`'s functions do not suit, and the validator class of each draft.

These are replaced, because the value and the schema are a stranger's: what compares values, follows
references or matches patterns without a limit of work; what quotes the value or the schema in full;
and what reports several members in one error. All others are those of `jsonschema`.

Source: JSON Schema 2020-12 Core, sections 8.2.3, 10 and 11; 2020-12 Validation, sections 6 and 7;
the earlier drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jsonschema import (
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
    TypeChecker,
)
from jsonschema.validators import extend

from toolspec.schema.dialects import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12
from toolspec.schema.formats import FORMATS
from toolspec.schema.validation.budget import Unchecked, current_run
from toolspec.schema.validation.equality import canonical, is_integer, is_multiple, is_numeric
from toolspec.schema.validation.errors import Violation
from toolspec.schema.validation.messages import (
    count,
    limit,
    show,
    show_choice,
    show_format,
    show_source,
    show_text,
)
from toolspec.schema.validation.pattern_search import found_in
from toolspec.schema.validation.unevaluated import list_unevaluated
from toolspec.schema.validation.walk import Keyword, Validator, fits, violations
from toolspec.text.reader import JSON, Number

MAX_BRANCH_DETAILS: Final = 20  # violations reported for one alternative
MAX_REGEX_CHARACTERS: Final = 50_000


# References.


def _check_reference(
    validator: Validator, reference: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    """`$ref`, `$dynamicRef` and `$recursiveRef`.

    Shared definitions are checked and reported once per value.
    """
    subschema = validator.subschema
    follow = subschema.follow if validator.keyword == "$ref" else subschema.follow_dynamic
    target = follow(reference)
    if target is None:
        raise Unchecked(f"The reference {show(reference)} cannot be resolved.")
    if fits(target, instance):
        return
    run = current_run()
    if run.reported is None:
        yield validator.violation(f"must match {show_source(reference)}")
        return
    position = (target, tuple(run.path))
    if position in run.reported:
        return
    run.reported.add(position)
    key = (target, id(instance))
    run.enter(key)
    try:
        yield from violations(target, instance)
    finally:
        run.open.discard(key)


# Subschemas in place.


def _check_any_of(validator: Validator, options: Any, instance: Any, _: Any) -> Iterator[Violation]:
    for index in range(len(options)):
        if fits(validator.subschema.sub("anyOf", index), instance):
            return
    message = f"must match at least one of {count(len(options), 'alternative')}"
    yield validator.violation(message, branches=_list_details(validator, options, instance))


def _check_one_of(validator: Validator, options: Any, instance: Any, _: Any) -> Iterator[Violation]:
    matches: list[int] = []
    for index in range(len(options)):
        if fits(validator.subschema.sub("oneOf", index), instance):
            matches.append(index)
            if len(matches) > 1:
                break
    if len(matches) == 1:
        return
    message = f"must match exactly one of {count(len(options), 'alternative')}"
    if matches:
        first, second = matches
        yield validator.violation(f"{message}, not both {first} and {second} (counted from 0)")
        return
    yield validator.violation(message, branches=_list_details(validator, options, instance))


def _list_details(
    validator: Validator, options: list[JSON], instance: JSON
) -> tuple[tuple[Violation, ...], ...]:
    """The violations of each alternative; () if only validity counts, or if there are too many."""
    run = current_run()
    if run.reported is None:
        return ()
    reported = run.reported
    branches = []
    try:
        for index in range(len(options)):
            run.reported = set()
            details = violations(validator.below(index), instance)
            branch = tuple(islice(details, MAX_BRANCH_DETAILS))
            branches.append(branch)
            run.details -= len(branch)
            if run.details < 0:
                return ()
    except Unchecked:
        return ()  # none matches, which is already known
    finally:
        run.reported = reported
    return tuple(branches)


def _check_not(validator: Validator, _schema: Any, instance: Any, _: Any) -> Iterator[Violation]:
    if fits(validator.below(), instance):
        yield validator.violation("must not match the schema of `not`")


# Members of objects.


def _check_properties(
    validator: Validator, properties: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    if not isinstance(instance, dict):
        return
    for name in filter(properties.__contains__, instance):  # most often few of many
        yield from validator.descend(instance[name], properties[name], name, name)


def _check_pattern_properties(
    validator: Validator, patterns: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    if not isinstance(instance, dict):
        return
    run = current_run()
    for pattern, schema in patterns.items():
        for name, value in instance.items():
            if found_in(pattern, name, run):
                yield from validator.descend(value, schema, name, pattern)


def _check_additional_properties(
    validator: Validator, rest: Any, instance: Any, schema: Any
) -> Iterator[Violation]:
    if not isinstance(instance, dict) or rest is True:
        return
    properties = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    run = current_run()
    for name, value in instance.items():
        if name in properties:
            continue
        if not any(found_in(pattern, name, run) for pattern in patterns):
            yield from validator.descend(value, rest, name)


def _check_property_names(
    validator: Validator, names: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    if not isinstance(instance, dict):
        return
    for name in instance:
        if fits(validator.below(), name):
            continue
        message = f"{show_text(name)} is not allowed as a property name"
        reason = next(validator.descend(name, names), None)
        if reason is not None and reason.message:
            message += f": {reason.message}"
        yield validator.violation(message, member=name, names=(name,))


def _check_required(validator: Validator, names: Any, instance: Any, _: Any) -> Iterator[Violation]:
    if not isinstance(instance, dict):
        return
    for name in names:
        if name not in instance:
            yield validator.violation(f"{show_text(name)} is missing", names=(name,))


def _check_dependent_required(
    validator: Validator, needs: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    """`dependentRequired`, and `dependencies`, whose values may also be schemas."""
    if not isinstance(instance, dict):
        return
    for name, others in needs.items():
        if name not in instance:
            continue
        if not isinstance(others, list):
            yield from validator.descend(instance, others, None, name)
            continue
        current_run().spend(len(others) // 16)
        for other in others:
            if other not in instance:
                message = (
                    f"{show_text(other)} is missing; it is required if {show_text(name)} is given"
                )
                tokens = (validator.keyword, name)
                yield validator.violation(message, tokens=tokens, names=(other,))


# Items of arrays.


def _check_items(
    validator: Validator, rest: Any, instance: Any, schema: Any
) -> Iterator[Violation]:
    yield from _check_items_from(validator, len(schema.get("prefixItems", ())), rest, instance)


def _check_additional_items(
    validator: Validator, rest: Any, instance: Any, schema: Any
) -> Iterator[Violation]:
    items = schema.get("items")
    if isinstance(items, list):
        yield from _check_items_from(validator, len(items), rest, instance)


def _check_items_from(
    validator: Validator, start: int, rest: JSON, instance: JSON
) -> Iterator[Violation]:
    if not isinstance(instance, list) or rest is True:
        return
    for index in range(start, len(instance)):
        yield from validator.descend(instance[index], rest, index)


def _check_contains(
    validator: Validator, _schema: Any, instance: Any, schema: Any
) -> Iterator[Violation]:
    if not isinstance(instance, list):
        return
    has_limits = "minContains" in validator.subschema.dialect.keywords
    least = schema.get("minContains", 1) if has_limits else 1
    most = schema.get("maxContains") if has_limits else None
    contained = validator.below()
    matches = 0
    for item in instance:
        if most is None and matches >= least:
            return
        matches += fits(contained, item)
        if most is not None and matches > most:
            yield _make_contains_violation(validator, "maxContains", most)
            return
    if matches < least:
        is_limit = has_limits and "minContains" in schema
        keyword = "minContains" if is_limit else "contains"
        yield _make_contains_violation(validator, keyword, least)


def _make_contains_violation(validator: Validator, keyword: str, number: Any) -> Violation:
    words = limit("maxContains" if keyword == "maxContains" else "minContains", number)
    return validator.violation(f"must have {words} matching `contains`", keyword=keyword)


def _check_unevaluated(
    validator: Validator, rest: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    kind = dict if validator.keyword == "unevaluatedProperties" else list
    if not isinstance(instance, kind):
        return
    for token in list_unevaluated(validator.subschema, instance):
        yield from validator.descend(instance[token], rest, token)


# Single values.


def _check_enum(validator: Validator, values: Any, instance: Any, _: Any) -> Iterator[Violation]:
    if _is_one_of(validator, values, instance):
        return
    if values:
        yield validator.violation(f"must be {show_choice(values)}")
    else:
        yield validator.violation("cannot have any value: the list of allowed values is empty")


def _check_const(validator: Validator, value: Any, instance: Any, _: Any) -> Iterator[Violation]:
    if not _is_one_of(validator, [value], instance):
        yield validator.violation(f"must be {show(value)}")


def _is_one_of(validator: Validator, values: list[JSON], instance: JSON) -> bool:
    run = current_run()
    kinds, texts = validator.subschema.build_once(
        validator.keyword,
        lambda: (set(map(type, values)), {canonical(value, run) for value in values}),
    )
    if isinstance(instance, list | dict | str) and type(instance) not in kinds:
        return False  # a large value is not written out
    return canonical(instance, run) in texts


def _check_multiple_of(
    validator: Validator, divisor: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    if is_numeric(instance) and not is_multiple(instance, divisor):
        yield validator.violation(f"must be a multiple of {show(divisor)}")


def _check_pattern(validator: Validator, source: Any, instance: Any, _: Any) -> Iterator[Violation]:
    if isinstance(instance, str) and not found_in(source, instance, current_run()):
        yield validator.violation(f"must match the pattern {show_source(source)}")


def _check_format(validator: Validator, name: Any, instance: Any, _: Any) -> Iterator[Violation]:
    is_of_format = FORMATS.get(name) if isinstance(name, str) else None
    if is_of_format is None or not isinstance(instance, str):
        return
    if not validator.subschema.document.asserts_formats:
        return
    if name == "regex" and len(instance) > MAX_REGEX_CHARACTERS:
        raise Unchecked("A string is too long to check whether it is a regular expression.")
    if not is_of_format(instance):
        yield validator.violation(f"must be {show_format(name)}")


def _check_unique_items(
    validator: Validator, is_unique: Any, instance: Any, _: Any
) -> Iterator[Violation]:
    if is_unique is not True or not isinstance(instance, list):
        return
    run = current_run()
    seen: dict[str, int] = {}
    for index, item in enumerate(instance):
        first = seen.setdefault(canonical(item, run), index)
        if first != index:
            pair = f"the items {first} and {index} are equal (counted from 0)"
            yield validator.violation(f"must have no duplicates: {pair}")
            return


REPLACED: Final[Mapping[str, Keyword]] = {
    "$dynamicRef": _check_reference,
    "$recursiveRef": _check_reference,
    "$ref": _check_reference,
    "additionalItems": _check_additional_items,
    "additionalProperties": _check_additional_properties,
    "anyOf": _check_any_of,
    "const": _check_const,
    "contains": _check_contains,
    "dependencies": _check_dependent_required,
    "dependentRequired": _check_dependent_required,
    "enum": _check_enum,
    "format": _check_format,
    "multipleOf": _check_multiple_of,
    "not": _check_not,
    "oneOf": _check_one_of,
    "pattern": _check_pattern,
    "patternProperties": _check_pattern_properties,
    "properties": _check_properties,
    "propertyNames": _check_property_names,
    "required": _check_required,
    "unevaluatedItems": _check_unevaluated,
    "unevaluatedProperties": _check_unevaluated,
    "uniqueItems": _check_unique_items,
}


# The drafts.


class _Opaque:
    """An object or array that a function of `jsonschema` cannot quote; it has a type and a size."""

    def __init__(self, value: dict[str, JSON] | list[JSON]) -> None:
        self._size = len(value)
        self.kind = type(value)

    def __len__(self) -> int:
        return self._size


def _hide_parts(check: Callable[..., Any]) -> Keyword:
    """`check`, which is about type and size alone, without the cost of quoting large values."""

    def keyword(validator: Validator, value: Any, instance: Any, schema: Any) -> Any:
        if isinstance(instance, dict | list):
            instance = _Opaque(instance)
        return check(validator, value, instance, schema)

    return keyword


_TYPE_AND_SIZE: Final = ("maxItems", "maxProperties", "minItems", "minProperties", "type")


def _is_kind(kind: type) -> Callable[[TypeChecker, object], bool]:
    return lambda _, value: (
        isinstance(value, kind) or (isinstance(value, _Opaque) and value.kind is kind)
    )


def _is_integer_04(_: TypeChecker, value: object) -> bool:
    """In draft-04, an integer is written without fraction and exponent: 1.0 is none."""
    if isinstance(value, Number):
        return value.lexeme.lstrip("-").isdecimal()
    return is_integer(value)


def _extend_draft(base: Any, is_integer_there: Callable[[TypeChecker, object], bool]) -> Any:
    keywords = {name: check for name, check in REPLACED.items() if name in base.VALIDATORS}
    keywords |= {name: _hide_parts(base.VALIDATORS[name]) for name in _TYPE_AND_SIZE}
    if "prefixItems" in base.VALIDATORS:
        keywords["items"] = _check_items
    types = base.TYPE_CHECKER.redefine_many(
        {
            "array": _is_kind(list),
            "integer": is_integer_there,
            "number": lambda _, value: is_numeric(value),
            "object": _is_kind(dict),
        }
    )
    return extend(base, keywords, type_checker=types)  # type: ignore[no-untyped-call]


def _is_integer(_: TypeChecker, value: object) -> bool:
    return is_integer(value)


DRAFTS: Final[Mapping[str, Any]] = {
    DRAFT_04.uri: _extend_draft(Draft4Validator, _is_integer_04),
    DRAFT_06.uri: _extend_draft(Draft6Validator, _is_integer),
    DRAFT_07.uri: _extend_draft(Draft7Validator, _is_integer),
    DRAFT_2019_09.uri: _extend_draft(Draft201909Validator, _is_integer),
    DRAFT_2020_12.uri: _extend_draft(Draft202012Validator, _is_integer),
}
"""By the URI of each draft, a validator class of `jsonschema` with its keywords and types."""
