"""References inside one OpenAPI or Swagger document.

References to other documents are never fetched.

Sources: OpenAPI 3.1.1, "Base URI", "Reference Object"; JSON Schema 2020-12 Core, sections 8.2.1 to
8.2.3 and 9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin

from toolspec.imports.results import Object
from toolspec.text.containers import children_of, items_of, members_of, strings_of
from toolspec.text.pointers import exists_at, pointer_join, resolve_pointer
from toolspec.text.reader import JSON

MAX_HOPS: Final = 32
MAX_REFERENCE_CHARS: Final = 2_000
MAX_IN_PLACE: Final = 200  # schemas that are looked at because they apply to the same value
MAX_STEPS_IN_PLACE: Final = 200_000  # of all such looks at one document
MAX_IDENTIFIED: Final = 10_000  # schemas with an `$id` or an anchor; further ones have none
MAX_BASE_CHARS: Final = 500  # of the URI of a schema; a longer one is ignored
_DOCUMENT: Final = "https://document.invalid/"  # the base of relative URIs, whatever the document's
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
# Keywords whose values hold no schemas.
_VALUES: Final = frozenset({"default", "const", "enum", "example", "examples"})


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A reference that cannot be resolved, and the reason as a sentence.

    `is_outside`: it names another document.
    """

    reason: str
    is_outside: bool = False


class TooManySchemas(ValueError):
    """The document has more schemas than are read, or they apply to each other too often."""


class References:
    def __init__(self, document: Object) -> None:
        self._document = document
        self._steps_in_place = 0

    def at(self, pointer: str) -> JSON:
        """The value at `pointer`, which `target` returned."""
        return resolve_pointer(self._document, pointer)  # type: ignore[return-value]

    def target(self, reference: JSON, pointer: str = "") -> str | Unresolved:
        """The pointer that `reference` refers to, which is in the object at `pointer`."""
        if not isinstance(reference, str):
            return Unresolved("This reference is not a string.")
        if len(reference) > MAX_REFERENCE_CHARS:
            return Unresolved("This reference is too long.")
        try:
            uri, fragment = urldefrag(reference)
        except ValueError:
            return Unresolved("This reference is not a valid URI.")
        base, resource = self._base_at(pointer)
        absolute = _join_reference(base, uri)
        starts = [resource, ""]
        if uri:
            start = self._pointer_by_uri.get(absolute)
            if start is None:
                reason = "This reference points to another document, which is not fetched."
                return Unresolved(reason, is_outside=True)
            starts = [start]
        path = unquote(fragment)
        if path and not path.startswith("/"):
            reason = "This reference names an anchor that does not exist in the document."
            return self._pointer_by_uri.get(f"{absolute}#{path}") or Unresolved(reason)
        for start in starts:
            if (start or path) and exists_at(self._document, start + path):
                return start + path
        return Unresolved("This reference points to something that does not exist in the document.")

    def dynamic_target(self, reference: JSON, pointer: str) -> str | Unresolved:
        """As `target`, for `$dynamicRef`: unresolved if it depends on the dynamic scope."""
        target = self.target(reference, pointer)
        name = str(reference).rpartition("#")[2]
        if isinstance(target, str) and self._dynamic[name] > 1:
            return Unresolved("This dynamic reference has several targets.")
        return target

    def _base_at(self, pointer: str) -> tuple[str, str]:
        """The base URI of the object at `pointer`, and the pointer of the schema that gives it."""
        start = pointer if self._uri_by_pointer else ""
        while start and start not in self._uri_by_pointer:
            start = start.rpartition("/")[0]
        return self._uri_by_pointer.get(start, _DOCUMENT), start

    @cached_property
    def _identified(self) -> list[tuple[Object, str, str]]:
        """(schema, pointer, base URI around it) of each schema that has an `$id` or an anchor."""
        identified: list[tuple[Object, str, str]] = []
        if not self.uses("$id", *_ANCHORS):
            return identified
        waiting: list[tuple[JSON, str, str]] = [(self._document, "", _DOCUMENT)]
        while waiting and len(identified) < MAX_IDENTIFIED:
            value, pointer, base = waiting.pop()
            if isinstance(value, dict):
                if any(isinstance(value.get(keyword), str) for keyword in ("$id", *_ANCHORS)):
                    identified.append((value, pointer, base))
                base = _base_within(base, value)
            for key, inner in _children(value):
                waiting.append((inner, pointer_join(pointer, key), base))
        return identified

    def uses(self, *keywords: str) -> bool:
        """Whether a schema of the document may have one of these keywords."""
        waiting: list[JSON] = [self._document]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict) and not value.keys().isdisjoint(keywords):
                return True
            waiting += (inner for _, inner in _children(value))
        return False

    @cached_property
    def _uri_by_pointer(self) -> dict[str, str]:
        """The URI of each schema with an `$id`, by its pointer."""
        resources: dict[str, str] = {}
        for value, pointer, base in self._identified:
            if "$id" in value:
                resources[pointer] = _base_within(base, value)
        return resources

    @cached_property
    def _pointer_by_uri(self) -> dict[str, str]:
        """The pointer of each schema with an `$id` or an anchor, by its URI (base#name)."""
        named = {uri: pointer for pointer, uri in self._uri_by_pointer.items()}
        for value, pointer, base in self._identified:
            for name in strings_of([value.get(keyword) for keyword in _ANCHORS]):
                named[f"{_base_within(base, value)}#{name}"] = pointer
        return named

    @cached_property
    def _dynamic(self) -> Counter[str]:
        """How many dynamic anchors have each name."""
        names = (value.get("$dynamicAnchor") for value, *_ in self._identified)
        return Counter(name for name in names if isinstance(name, str))

    def components(self) -> Iterator[tuple[str, JSON]]:
        """The pointer and the value of each schema that has a name."""
        components = members_of(self._document.get("components"))
        for name, schema in members_of(components.get("schemas")).items():
            yield pointer_join("/components/schemas", name), schema
        for name, schema in members_of(self._document.get("definitions")).items():
            yield pointer_join("/definitions", name), schema

    def in_place(
        self, schema: JSON, pointer: str, through: tuple[str, ...] = ("allOf", "anyOf", "oneOf")
    ) -> Iterator[tuple[Object, str]]:
        """`schema`, and those that it applies to its own value through `$ref` and `through`.

        Raises:
            TooManySchemas: all calls together have looked at more than `MAX_STEPS_IN_PLACE`.
        """
        seen: set[str] = set()
        waiting = [(schema, pointer)]
        while waiting and len(seen) < MAX_IN_PLACE:
            current, place = waiting.pop()
            if place in seen or not isinstance(current, dict):
                continue
            seen.add(place)
            self._steps_in_place += 1
            if self._steps_in_place > MAX_STEPS_IN_PLACE:
                message = "The schemas of the document extend too many others;"
                raise TooManySchemas(f"{message} the rest was not imported.")
            yield current, place
            for keyword in through:
                for index, part in enumerate(items_of(current.get(keyword))):
                    waiting.append((part, pointer_join(place, keyword, index)))
            if "$ref" in current:
                target = self.target(current["$ref"], place)
                if isinstance(target, str):
                    waiting.append((self.at(target), target))

    def resolve(self, value: JSON, pointer: str) -> tuple[JSON, str] | Unresolved:
        """`value` and `pointer`, or the value that it refers to and its pointer."""
        for _ in range(MAX_HOPS):
            if not isinstance(value, dict) or "$ref" not in value:
                return value, pointer
            target = self.target(value["$ref"], pointer)
            if isinstance(target, Unresolved):
                return target
            value, pointer = self.at(target), target
        return Unresolved("This reference is circular.")


def _base_within(base: str, schema: Object) -> str:
    """The base URI in `schema`, whose own base URI is `base`."""
    uri = schema.get("$id")
    if not isinstance(uri, str) or len(base) + len(uri) > MAX_BASE_CHARS:
        return base
    return _join_reference(base, uri)


def _join_reference(base: str, reference: JSON) -> str:
    """The absolute URI without its fragment; `base` if `reference` is empty or no URI."""
    if not isinstance(reference, str) or not reference:
        return base
    try:
        return urldefrag(urljoin(base, reference)).url
    except ValueError:
        return base


def _children(value: JSON) -> Iterator[tuple[str | int, JSON]]:
    return ((key, inner) for key, inner in children_of(value) if key not in _VALUES)
