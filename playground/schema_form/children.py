"""The members of an object and the items of a list, as a form draws them.

`toolspec.schema.children` finds the subschemas for a member or item.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from playground.schema_form.branches import Applicable
from toolspec.schema import children
from toolspec.schema.children import Child
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Subschema


def declared_names(found: Applicable) -> list[str]:
    """The names of members that the schemas declare or merely require, in their order."""
    return list(dict.fromkeys([*found.keywords.names("properties"), *required_names(found)]))


def required_names(found: Applicable, present: Iterable[str] = ()) -> list[str]:
    """The names of the required members when those in `present` are there, in the schemas' order.

    Keywords of other drafts do not count: the check ignores them.
    """
    return Summary([subschema.keywords for subschema in found.subschemas]).required(present)


def member(found: Applicable, name: str) -> Child:
    """The subschemas for the member called `name`."""
    return _without_refusal(children.member(found.subschemas, name))


def item(found: Applicable, index: int) -> Child:
    """The subschemas for the item at `index`."""
    return _without_refusal(children.item(found.subschemas, index))


def _without_refusal(child: Child) -> Child:
    """`child`, allowed if only `unevaluated*` forbids it: a branch that is not chosen yet may allow it."""
    if not child.is_unevaluated or child.is_allowed:
        return child
    return replace(
        child,
        subschemas=tuple(
            subschema for subschema in child.subschemas if subschema.schema is not False
        ),
    )


def takes_more_members(found: Applicable) -> bool:
    """Whether undeclared members are allowed."""
    return not any(
        keywords.get("additionalProperties") is False and not keywords.get("patternProperties")
        for keywords in (subschema.all_keywords for subschema in found.subschemas)
    )


def name_subschemas(found: Applicable) -> list[Subschema]:
    """The subschemas of `propertyNames`."""
    return [
        subschema.sub("propertyNames")
        for subschema in found.subschemas
        if isinstance(subschema.all_keywords.get("propertyNames"), dict)
    ]


def expects_other_members(found: Applicable) -> bool:
    """Whether a schema describes members besides those that it declares, or declares none."""
    if not declared_names(found):
        return True
    others = found.keywords.all("additionalProperties")
    has_schema = any(isinstance(schema, dict) for schema in others)
    return has_schema or found.keywords.has("patternProperties")


def prefix_length(found: Applicable) -> int:
    """How many items have schemas of their own, by position."""
    return children.prefix_length(found.subschemas)
