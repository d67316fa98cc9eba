"""What `$ref`, `$dynamicRef` and `$recursiveRef` lead to.

References are resolved by `referencing`, from the document itself and the bundled drafts; nothing is ever fetched.

Sources: JSON Schema 2020-12 Core, sections 7.1 (dynamic scope), 8.2 (identifiers and references) and 9.2; draft 2019-09
Core, section 8.2.4.2 (`$recursiveRef`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin

from referencing.exceptions import Unresolvable
from referencing.jsonschema import DynamicAnchor

from catalog.json_schema.validation.budget import Unchecked
from catalog.jsontext.pointers import split_pointer

if TYPE_CHECKING:
    from catalog.json_schema.validation.subschema import Subschema


def resolve(place: Subschema, reference: str) -> Subschema | None:
    """What `reference` leads to from `place`; None where it leads nowhere, or out of the document."""
    try:
        return _resolved(place, reference).entered()
    except (Unresolvable, LookupError, ValueError, Unchecked):
        return None


def resolve_dynamically(place: Subschema, reference: str) -> Subschema | None:
    """The same, but of an anchor that is dynamic the one in the outermost resource of the dynamic scope that has it."""
    found = resolve(place, reference)
    if found is None or not isinstance(found.schema, dict):
        return found
    fragment = urldefrag(reference).fragment
    try:
        if fragment and found.schema.get("$dynamicAnchor") == fragment:
            return next(_dynamic_anchors(place, fragment), found).entered()
        if not fragment and found.schema.get("$recursiveAnchor") is True:
            return next(_recursive_anchors(place), found).entered()
    except Unchecked:
        return None
    return found


def _resolved(place: Subschema, reference: str) -> Subschema:
    """What `reference` leads to; the resources on the way do not count as entered.

    Raises:
        Unresolvable, LookupError, ValueError: it leads nowhere.
    """
    uri, fragment = place.base, reference[1:]
    if not reference.startswith("#"):
        uri, fragment = urldefrag(urljoin(place.base, reference))
    registry = place.document.registry
    home = place.of_resource(registry.get_or_retrieve(uri).value.contents, uri)
    fragment = unquote(fragment)
    if not fragment:
        return home
    if fragment.startswith("/"):
        return home.sub(*split_pointer(fragment))
    return home.of_resource(registry.anchor(uri, fragment).value.resource.contents, uri)


def _dynamic_anchors(place: Subschema, name: str) -> Iterator[Subschema]:
    registry = place.document.registry
    for uri in place.scope:
        try:
            anchor = registry.anchor(uri, name).value
        except (Unresolvable, LookupError):
            continue
        if isinstance(anchor, DynamicAnchor):
            yield place.of_resource(anchor.resource.contents, uri)


def _recursive_anchors(place: Subschema) -> Iterator[Subschema]:
    for uri in place.scope:
        contents = place.document.registry.get_or_retrieve(uri).value.contents
        if isinstance(contents, dict) and contents.get("$recursiveAnchor") is True:
            yield place.of_resource(contents, uri)
