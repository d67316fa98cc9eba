"""The members of an object and the items of a list, as a form draws them.

`toolspec.schema.children` finds the subschemas for a member or item.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from playground.form.applicable import Applicable
from toolspec.schema import children
from toolspec.schema.children import Child
from toolspec.schema.summary import Summary
from toolspec.schema.validation import Subschema


def list_declared(applicable: Applicable) -> list[str]:
    """The names of members that the schemas declare or merely require, in their order."""
    names = [*applicable.keywords.names("properties"), *list_required(applicable)]
    return list(dict.fromkeys(names))


def list_required(applicable: Applicable, present: Iterable[str] = ()) -> list[str]:
    """The names of the required members when those in `present` are there, in the schemas' order.

    Keywords of other drafts do not count: the check ignores them.
    """
    keywords = Summary([subschema.keywords for subschema in applicable.subschemas])
    return keywords.required(present)


def find_member(applicable: Applicable, name: str) -> Child:
    """The subschemas for the member called `name`."""
    return _ignore_unevaluated(children.member(applicable.subschemas, name))


def find_item(applicable: Applicable, index: int) -> Child:
    """The subschemas for the item at `index`."""
    return _ignore_unevaluated(children.item(applicable.subschemas, index))


def _ignore_unevaluated(child: Child) -> Child:
    """`child`, allowed if only `unevaluated*` forbids it.

    A branch that is not chosen yet may allow it.
    """
    if not child.is_unevaluated or child.is_allowed:
        return child
    subschemas = [subschema for subschema in child.subschemas if subschema.schema is not False]
    return replace(child, subschemas=tuple(subschemas))


def allows_more_members(applicable: Applicable) -> bool:
    """Whether undeclared members are allowed."""
    for subschema in applicable.subschemas:
        keywords = subschema.all_keywords
        if keywords.get("additionalProperties") is False and not keywords.get("patternProperties"):
            return False
    return True


def list_name_subschemas(applicable: Applicable) -> list[Subschema]:
    """The subschemas of `propertyNames`."""
    return [
        subschema.sub("propertyNames")
        for subschema in applicable.subschemas
        if isinstance(subschema.all_keywords.get("propertyNames"), dict)
    ]


def expects_other_members(applicable: Applicable) -> bool:
    """Whether a schema describes members besides those that it declares, or declares none."""
    if not list_declared(applicable):
        return True
    others = applicable.keywords.all("additionalProperties")
    has_schema = any(isinstance(schema, dict) for schema in others)
    return has_schema or applicable.keywords.has("patternProperties")


def count_prefix_items(applicable: Applicable) -> int:
    """How many items have schemas of their own, by position."""
    return children.prefix_length(applicable.subschemas)
