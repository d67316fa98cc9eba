"""References inside one OpenAPI or Swagger document. References to other documents are never fetched.

Sources: OpenAPI 3.1.1, "Base URI", "Reference Object"; JSON Schema 2020-12 Core, sections 8.2.1 to 8.2.3 and 9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin

from toolspec.imports.results import Object
from toolspec.text.containers import children_of, items_of, members_of
from toolspec.text.pointers import exists_at, pointer_join, resolve_pointer
from toolspec.text.reader import JSON

MAX_HOPS: Final = 32
MAX_REFERENCE_CHARS: Final = 2_000
MAX_IN_PLACE: Final = 200  # schemas that are looked at because they apply to the same value
MAX_STEPS_IN_PLACE: Final = 200_000  # of all such looks at one document
MAX_IDENTIFIED: Final = 10_000  # schemas with an `$id` or an anchor; further ones have none
MAX_BASE_CHARS: Final = 500  # of the URI of a schema; a longer one is ignored
_DOCUMENT: Final = "https://document.invalid/"  # the base of relative URIs; the document's own address does not matter
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
_VALUES: Final = frozenset(
    {"default", "const", "enum", "example", "examples"}
)  # that hold no schemas


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A reference that cannot be resolved, and the reason as a sentence; `is_outside` if it names another document."""

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
        """The pointer that `reference`, which is in the object at `pointer`, refers to in the document."""
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
            named = self._named.get(absolute)
            if named is None:
                return Unresolved(
                    "This reference points to another document, which is not fetched.",
                    is_outside=True,
                )
            starts = [named]
        path = unquote(fragment)
        if path and not path.startswith("/"):
            anchored = self._named.get(f"{absolute}#{path}")
            return anchored or Unresolved(
                "This reference names an anchor that does not exist in the document."
            )
        for start in starts:
            if (start or path) and exists_at(self._document, start + path):
                return start + path
        return Unresolved("This reference points to something that does not exist in the document.")

    def dynamic_target(self, reference: JSON, pointer: str) -> str | Unresolved:
        """As `target`, for `$dynamicRef`: unresolved if it depends on the schemas that led there."""
        target = self.target(reference, pointer)
        name = str(reference).rpartition("#")[2]
        if isinstance(target, str) and self._dynamic[name] > 1:
            return Unresolved("This dynamic reference has several targets.")
        return target

    def _base_at(self, pointer: str) -> tuple[str, str]:
        """The base URI of the object at `pointer`, and the pointer of the schema whose `$id` gives it."""
        start = pointer if self._resources else ""
        while start and start not in self._resources:
            start = start.rpartition("/")[0]
        return self._resources.get(start, _DOCUMENT), start

    @cached_property
    def _identified(self) -> list[tuple[Object, str, str]]:
        """The schemas that have an `$id` or an anchor, each with its pointer and the base URI around it."""
        found: list[tuple[Object, str, str]] = []
        waiting: list[tuple[JSON, str, str]] = (
            [(self._document, "", _DOCUMENT)] if self.uses("$id", *_ANCHORS) else []
        )
        while waiting and len(found) < MAX_IDENTIFIED:
            value, pointer, base = waiting.pop()
            if isinstance(value, dict):
                if any(isinstance(value.get(keyword), str) for keyword in ("$id", *_ANCHORS)):
                    found.append((value, pointer, base))
                base = _base_within(base, value)
            for key, inner in _children(value):
                waiting.append((inner, pointer_join(pointer, key), base))
        return found

    def uses(self, *keywords: str) -> bool:
        """Whether a schema of the document may have one of these keywords."""
        waiting: list[JSON] = [self._document]
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict) and any(name in value for name in keywords):
                return True
            waiting += (inner for _, inner in _children(value))
        return False

    @cached_property
    def _resources(self) -> dict[str, str]:
        """The URI of each schema with an `$id`, by its pointer."""
        return {
            pointer: _base_within(base, value)
            for value, pointer, base in self._identified
            if "$id" in value
        }

    @cached_property
    def _named(self) -> dict[str, str]:
        """Pointers by URI; that of an anchor ends with "#" and its name."""
        named = {uri: pointer for pointer, uri in self._resources.items()}
        for value, pointer, base in self._identified:
            names = [value[keyword] for keyword in _ANCHORS if isinstance(value.get(keyword), str)]
            named |= {f"{_base_within(base, value)}#{name}": pointer for name in names}
        return named

    @cached_property
    def _dynamic(self) -> Counter[str]:
        """How many dynamic anchors have each name."""
        names = (value.get("$dynamicAnchor") for value, *_ in self._identified)
        return Counter(name for name in names if isinstance(name, str))

    def components(self) -> Iterator[tuple[str, JSON]]:
        """The pointer and the value of each schema that has a name."""
        shared = members_of(members_of(self._document.get("components")).get("schemas"))
        for parent, schemas in (
            ("/components/schemas", shared),
            ("/definitions", self._document.get("definitions")),
        ):
            for name, schema in members_of(schemas).items():
                yield pointer_join(parent, name), schema

    def in_place(
        self, schema: JSON, pointer: str, through: tuple[str, ...] = ("allOf", "anyOf", "oneOf")
    ) -> Iterator[tuple[Object, str]]:
        """`schema`, and those that it applies to its own value through `$ref` and the keywords `through`.

        Raises:
            TooManySchemas: all calls together have looked at more than `MAX_STEPS_IN_PLACE`.
        """
        seen: set[str] = set()
        waiting = [(schema, pointer)]
        while waiting and len(seen) < MAX_IN_PLACE:
            one, place = waiting.pop()
            if place in seen or not isinstance(one, dict):
                continue
            seen.add(place)
            self._steps_in_place += 1
            if self._steps_in_place > MAX_STEPS_IN_PLACE:
                raise TooManySchemas(
                    "The schemas of the document extend too many others; the rest was not imported."
                )
            yield one, place
            for keyword in through:
                listed = enumerate(items_of(one.get(keyword)))
                waiting += ((part, pointer_join(place, keyword, index)) for index, part in listed)
            target = self.target(one["$ref"], place) if "$ref" in one else None
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
    try:
        return (
            urldefrag(urljoin(base, reference)).url
            if isinstance(reference, str) and reference
            else base
        )
    except ValueError:
        return base


def _children(value: JSON) -> Iterator[tuple[str | int, JSON]]:
    return ((key, inner) for key, inner in children_of(value) if key not in _VALUES)
