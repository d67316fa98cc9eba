"""The targets of `$ref`, `$dynamicRef` and `$recursiveRef`.

References are resolved from the index of the document and the bundled drafts; nothing is ever
fetched.

Sources: JSON Schema 2020-12 Core, sections 7.1 (dynamic scope), 8.2 (identifiers and references)
and 9.2; draft 2019-09 Core, section 8.2.4.2 (`$recursiveRef`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin

from referencing.exceptions import Unresolvable

from toolspec.schema.validation.budget import Unchecked
from toolspec.text.pointers import split_pointer

if TYPE_CHECKING:
    from toolspec.schema.validation.subschema import Subschema


def resolve(subschema: Subschema, reference: str) -> Subschema | None:
    """The target of `reference` in `subschema`; None if it is not in the document."""
    try:
        return _find_target(subschema, reference).enter()
    except (Unresolvable, LookupError, ValueError, Unchecked):
        return None


def resolve_dynamically(subschema: Subschema, reference: str) -> Subschema | None:
    """Like `resolve`, but the target of a dynamic anchor is the outermost in the dynamic scope."""
    target = resolve(subschema, reference)
    if target is None or not isinstance(target.schema, dict):
        return target
    fragment = urldefrag(reference).fragment
    try:
        if fragment and target.schema.get("$dynamicAnchor") == fragment:
            return next(_find_dynamic_anchors(subschema, fragment), target).enter()
        if not fragment and target.schema.get("$recursiveAnchor") is True:
            return next(_find_recursive_anchors(subschema), target).enter()
    except Unchecked:
        return None
    return target


def _find_target(subschema: Subschema, reference: str) -> Subschema:
    """The target of `reference`, without entering its resource in the dynamic scope.

    Raises:
        Unresolvable, LookupError, ValueError: there is no such target.
    """
    uri = subschema.base
    fragment = reference[1:]
    if not reference.startswith("#"):
        uri, fragment = urldefrag(urljoin(subschema.base, reference))
    home = subschema.of_resource(*subschema.document.resource(uri), uri)
    fragment = unquote(fragment)
    if not fragment:
        return home
    if fragment.startswith("/"):
        return home.sub(*split_pointer(fragment))
    return subschema.of_resource(*subschema.document.anchor(uri, fragment), uri)


def _find_dynamic_anchors(subschema: Subschema, name: str) -> Iterator[Subschema]:
    for uri in subschema.scope:
        try:
            contents, dialect = subschema.document.anchor(uri, name)
        except (Unresolvable, LookupError):
            continue
        if isinstance(contents, dict) and contents.get("$dynamicAnchor") == name:
            yield subschema.of_resource(contents, dialect, uri)


def _find_recursive_anchors(subschema: Subschema) -> Iterator[Subschema]:
    for uri in subschema.scope:
        contents, dialect = subschema.document.resource(uri)
        if isinstance(contents, dict) and contents.get("$recursiveAnchor") is True:
            yield subschema.of_resource(contents, dialect, uri)
