"""The values that the schemas of one value list or accept."""

from __future__ import annotations

from decimal import Decimal

from toolspec.diff.conjunction import LISTING, Conjunction
from toolspec.diff.keywords import type_of
from toolspec.diff.subschemas import flatten
from toolspec.schema.validation import Budget, Subschema
from toolspec.text.reader import JSON, dumps


def listed_values(conjunction: Conjunction) -> list[JSON] | None:
    """A list with all values that `conjunction` may accept, and perhaps others.

    None if there is none.
    """
    return conjunction.built("listed_values", lambda: _list_values(conjunction))


def _list_values(conjunction: Conjunction) -> list[JSON] | None:
    if conjunction.choices:
        values = min(conjunction.choices, key=len)
    elif conjunction.types <= {"boolean", "null"}:
        values = [False, True, None]
    else:
        return None
    return [value for value in values if type_of(value) in conjunction.types]


def accepted_values(conjunction: Conjunction, budget: Budget) -> list[JSON] | None:
    """All values that `conjunction` may accept; None if they cannot be listed."""

    def find_values() -> list[JSON] | None:
        values = listed_values(conjunction)
        if values is None:
            return None
        return [value for value in values if accepts(conjunction, value, budget) is not False]

    return conjunction.built("accepted_values", find_values)


def accepts(conjunction: Conjunction, value: JSON, budget: Budget) -> bool | None:
    """Whether `value` is valid; None if that is not known."""
    if conjunction.accepts_nothing:
        return False
    texts = conjunction.built("allowed_texts", lambda: _allowed_texts(conjunction))
    if texts is not None and not isinstance(value, list | dict | Decimal):
        return dumps(value) in texts
    answers = [subschema.is_valid(value, budget) for subschema in conjunction.subschemas]
    if False in answers:
        return False
    if None in answers or conjunction.has_unknown_parts:
        return None
    return True


def _allowed_texts(conjunction: Conjunction) -> frozenset[str] | None:
    """The texts of the listed values if one list is all that the schemas demand; else None."""
    choices = conjunction.choices
    if len(choices) != 1 or not conjunction.assertions <= {*LISTING, "anyOf", "oneOf"}:
        return None
    if any(union.constants is None for union in conjunction.all_unions):
        return None
    texts: dict[str, str] = {}  # with the types of the values
    for value in choices[0]:
        if isinstance(value, list | dict | Decimal):
            return None  # equal ones may have different texts
        text = dumps(value)
        if text in texts:
            return None  # `oneOf` refuses a value that is listed twice
        texts[text] = type_of(value)
    return frozenset(text for text, kind in texts.items() if kind in conjunction.types)


def refuses_in_branch(conjunction: Conjunction, value: JSON, budget: Budget) -> bool:
    """Whether `value` is certainly invalid, even without the unions that are decided.

    A decided `oneOf` itself refuses a value that two of its branches accept.
    """
    if conjunction.accepts_nothing:
        return True
    subschemas = conjunction.built(
        "beside_decided", lambda: _list_undecided_subschemas(conjunction)
    )
    return any(subschema.is_valid(value, budget) is False for subschema in subschemas)


def _list_undecided_subschemas(conjunction: Conjunction) -> list[Subschema]:
    """The subschemas that neither have a decided union nor lead to one."""
    if not conjunction.decided:
        return list(conjunction.subschemas)
    subschemas = []
    for subschema in conjunction.subschemas:
        reachable = flatten([subschema])[0]
        keys = {(each.identity, keyword) for each in reachable for keyword in ("anyOf", "oneOf")}
        if keys.isdisjoint(conjunction.decided):
            subschemas.append(subschema)
    return subschemas
