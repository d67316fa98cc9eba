"""The changes from one JSON value to another, and one text for all spellings of a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring
from typing import Any, Final, Literal, TypeAlias

from toolspec.schema.validation.equality import equal
from toolspec.text.pointers import PointerTree, pointer_join, pointer_tree
from toolspec.text.reader import JSON, Number, dumps

MAX_CHANGES: Final = 20
MAX_FORMER_VALUE: Final = 40  # characters

ChangeKind: TypeAlias = Literal["changed", "added", "missing"]
Found: TypeAlias = tuple[tuple[str | int, ...], ChangeKind, JSON]  # path, kind, former value
CONTAINERS: Final = (dict, list)
END: Final[PointerTree] = {}  # of an ignored pointer


@dataclass(frozen=True)
class Change:
    """One value that differs: `was` is its former text, "" if it was added, has parts or is long."""

    pointer: str
    kind: ChangeKind
    was: str = ""

    def __str__(self) -> str:
        """The change from what an example expects."""
        position = self.pointer or "the whole value"
        return {
            "changed": f"{position} differs",
            "added": f"{position} is not in the example",
            "missing": f"{position} is missing",
        }[self.kind]


def compare(
    old: JSON, new: JSON, *, most: int = MAX_CHANGES, ignored: Iterable[str] = ()
) -> list[Change]:
    """The first `most` changes from `old` to `new`, leaf by leaf, in the order of `old`.

    1 and 1.0 are equal. A part that only one of them has is one change. Values at or below the
    `ignored` pointers may differ.
    """
    ignored = list(ignored)
    if "" in ignored:
        return []
    return list(map(_change, islice(_find(old, new, pointer_tree(ignored)), most)))


def compare_all(old: JSON, new: JSON) -> tuple[list[Change], int]:
    """The first `MAX_CHANGES` changes from `old` to `new`, and how many there are."""
    found = _find(old, new)
    first = list(map(_change, islice(found, MAX_CHANGES)))
    return first, len(first) + sum(1 for _ in found)


def _find(
    old: JSON, new: JSON, ignored: PointerTree | None = None, path: tuple[str | int, ...] = ()
) -> Iterator[Found]:
    if not _are_comparable_by_part(old, new):
        if not equal(old, new):
            yield path, "changed", old
        return
    old_parts, new_parts = _parts(old), _parts(new)
    for name, value in old_parts.items():
        below = ignored.get(str(name)) if ignored else None
        if below == END:
            continue
        if name not in new_parts:
            yield (*path, name), "missing", value
            continue
        new_value = new_parts[name]
        if isinstance(value, CONTAINERS) and isinstance(new_value, CONTAINERS):
            yield from _find(value, new_value, below, (*path, name))
        elif value is not new_value and not equal(value, new_value):
            yield (*path, name), "changed", value
    for name in new_parts:
        if name not in old_parts and not (ignored and ignored.get(str(name)) == END):
            yield (*path, name), "added", None


def _are_comparable_by_part(old: JSON, new: JSON) -> bool:
    return isinstance(old, CONTAINERS) and type(old) is type(new)


def _parts(value: Any) -> dict[Any, JSON]:
    """The members of an object by name, the items of an array by index."""
    return value if isinstance(value, dict) else dict(enumerate(value))


def _change(found: Found) -> Change:
    path, kind, former = found
    was = ""
    if kind != "added" and not isinstance(former, dict | list):
        was = dumps(former)
    if len(was) > MAX_FORMER_VALUE:
        was = ""
    return Change(pointer_join("", *path), kind, was)


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
