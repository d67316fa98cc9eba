"""The differences between two JSON values, and one text for all spellings of a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring
from typing import Final

from catalog.json_schema.validation.equality import equal
from catalog.jsontext.pointers import PointerTree, pointer_join, pointer_tree
from catalog.jsontext.reader import JSON, Number

MAX_DIFFERENCES = 20


@dataclass(frozen=True)
class Difference:
    """One position where a value differs from the expected one, which is that of an example."""

    pointer: str
    kind: str  # "changed", "added" (only sent), "missing" (only in the example)

    def __str__(self) -> str:
        position = self.pointer or "the whole value"
        return {
            "changed": f"{position} differs",
            "added": f"{position} is not in the example",
            "missing": f"{position} is missing",
        }[self.kind]


def compare(
    expected: JSON, given: JSON, *, most: int = MAX_DIFFERENCES, ignored: Iterable[str] = ()
) -> list[Difference]:
    """The first `most` differences between `given` and `expected`, leaf by leaf, in the order of `expected`.

    1 and 1.0 are equal. Values at or below the `ignored` pointers may differ.
    """
    ignored = list(ignored)
    found = Differences(most)
    if "" not in ignored:
        found.compare(expected, given, pointer_tree(ignored))
    return found.first


class Differences:
    """The first differences, and how many there are. A part that only one side has counts as one difference."""

    def __init__(self, most: int) -> None:
        self.first: list[Difference] = []
        self.count = 0
        self._most = most
        self._way: list[str | int] = []

    def compare(self, expected: JSON, given: JSON, ignored: PointerTree | None = None) -> None:
        """Add the differences between two values; `ignored` is relative to them."""
        if isinstance(expected, dict) and isinstance(given, dict):
            self._compare_objects(expected, given, ignored or {})
        elif isinstance(expected, list) and isinstance(given, list):
            self._compare_arrays(expected, given, ignored or {})
        elif not equal(expected, given):
            self._add("changed")

    def _compare_objects(
        self, expected: dict[str, JSON], given: dict[str, JSON], ignored: PointerTree
    ) -> None:
        in_both = 0
        for name, value in expected.items():
            in_both += name in given
            if _is_end(ignored.get(name)):
                continue
            if name not in given:
                self._add("missing", name)
            else:
                self._compare_parts(name, value, given[name], ignored.get(name))
        added = (name for name in given if name not in expected and not _is_end(ignored.get(name)))
        unlisted = sum(
            _is_end(way) and name in given and name not in expected for name, way in ignored.items()
        )
        self._add_all("added", added, len(given) - in_both - unlisted)

    def _compare_arrays(
        self, expected: list[JSON], given: list[JSON], ignored: PointerTree
    ) -> None:
        ends = {int(token) for token, way in ignored.items() if _is_end(way) and token.isdecimal()}
        for index, (one, other) in enumerate(zip(expected, given, strict=False)):
            if one is not other and index not in ends:
                self._compare_parts(index, one, other, ignored.get(str(index)) if ignored else None)
        shorter, longer = sorted((len(expected), len(given)))
        rest = (index for index in range(shorter, longer) if index not in ends)
        count = longer - shorter - sum(shorter <= index < longer for index in ends)
        self._add_all("missing" if len(expected) == longer else "added", rest, count)

    def _compare_parts(
        self, token: str | int, expected: JSON, given: JSON, ignored: PointerTree | None
    ) -> None:
        if isinstance(expected, _CONTAINERS) and isinstance(given, _CONTAINERS):
            self._way.append(token)
            self.compare(expected, given, ignored)
            self._way.pop()
        elif not equal(expected, given):
            self._add("changed", token)

    def _add_all(self, kind: str, tokens: Iterable[str | int], count: int) -> None:
        room = min(count, self._most - len(self.first))
        for token in islice(tokens, max(0, room)):
            self._add(kind, token)
        self.count += count - max(0, room)

    def _add(self, kind: str, *tokens: str | int) -> None:
        self.count += 1
        if len(self.first) < self._most:
            self.first.append(Difference(pointer_join("", *self._way, *tokens), kind))


_CONTAINERS: Final = (dict, list)


def _is_end(way: PointerTree | None) -> bool:
    return way is not None and not way


def canonical(value: JSON) -> str:
    """One text for all spellings of the same value: members sorted, numbers without their spelling."""
    if isinstance(value, dict):
        inside = ",".join(
            f"{encode_basestring(name)}:{canonical(value[name])}" for name in sorted(value)
        )
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return _canonical_number(value)


@lru_cache(maxsize=4096)
def _canonical_number(number: int | Number) -> str:
    return format(Decimal(number).normalize(), "E") if number else "0"
