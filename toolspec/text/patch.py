"""Edits of JSON values at JSON Pointers. Each returns a new value that shares unchanged parts with the old one.

    set_at(value, pointer, new)            -> one member or item replaced, or one member added
    remove_at(value, pointer)              -> one member or item removed
    change_all(value, pointers, change)    -> many members and items replaced or removed in one pass
    apply_patch(value, operations)         -> a JSON Patch applied

`text_patch` applies a JSON Patch to JSON text.

Source: RFC 6902, without the operations "test" and "copy".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from toolspec.text.pointers import (
    PointerTree,
    list_index,
    pointer_join,
    pointer_tree,
    resolve_pointer,
    split_last,
    split_pointer,
)
from toolspec.text.reader import JSON


class PatchError(ValueError):
    """The patch does not fit the value: it was made for another document."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a JSON Patch (RFC 6902, section 4)."""

    op: Literal["add", "remove", "replace", "move"]
    path: str
    value: JSON = None
    source: str = ""  # of "move", whose member in JSON is `from`

    def as_json(self) -> dict[str, JSON]:
        """The operation as RFC 6902 writes it."""
        if self.op == "move":
            return {"op": self.op, "from": self.source, "path": self.path}
        if self.op == "remove":
            return {"op": self.op, "path": self.path}
        return {"op": self.op, "path": self.path, "value": self.value}


class _Removed(Enum):
    REMOVED = "removed"


REMOVED: Final = _Removed.REMOVED
Replacement: TypeAlias = "JSON | Literal[_Removed.REMOVED]"
Change: TypeAlias = Callable[[str, bool], Replacement]


def set_at(value: JSON, pointer: str, new: JSON) -> JSON:
    """`value` with `new` at `pointer`. Missing objects on the way are created.

    Raises:
        LookupError: the pointer leads into a scalar, or to an item that the array does not have.
    """
    return _set(value, split_pointer(pointer), new)


def _set(value: JSON, tokens: list[str], new: JSON) -> JSON:
    if not tokens:
        return new
    token, *rest = tokens
    if isinstance(value, dict):
        return {**value, token: _set(value.get(token, {}), rest, new)}
    if isinstance(value, list):
        index = list_index(token)
        return [*value[:index], _set(value[index], rest, new), *value[index + 1 :]]
    raise LookupError(token)


def remove_at(value: JSON, pointer: str) -> JSON:
    """`value` without the member or item at `pointer`; the items after it move up.

    Raises:
        LookupError: there is no such member or item.
    """
    around, token = split_last(pointer)
    container = resolve_pointer(value, around)
    resolve_pointer(container, pointer_join("", token))
    if isinstance(container, list):
        index = list_index(token)
        return set_at(value, around, [*container[:index], *container[index + 1 :]])
    members: dict[str, JSON] = dict(container)  # type: ignore[call-overload]
    del members[token]
    return set_at(value, around, members)


def change_all(value: JSON, pointers: Collection[str], change: Change) -> JSON:
    """`value` with the value at each of `pointers` replaced by `change(pointer, is_item)`, or removed if it is REMOVED.

    `change` gets the pointer into the result, where removed items have moved others up, and whether it names an item
    of an array. Pointers that name nothing, or lie inside a replaced value, are ignored. If the whole value is
    removed, the result is None.
    """
    changed = _change_all(value, pointer_tree(pointers), "", change) if pointers else value
    return None if changed is REMOVED else changed


def _change_all(
    value: JSON, changed: PointerTree, pointer: str, change: Change, *, is_item: bool = False
) -> Replacement:
    if not changed:
        return change(pointer, is_item)
    if isinstance(value, dict):
        members: dict[str, JSON] = {}
        for name, member in value.items():
            new: Replacement = member
            if name in changed:
                new = _change_all(member, changed[name], pointer_join(pointer, name), change)
            if new is not REMOVED:
                members[name] = new
        return members
    if isinstance(value, list):
        items: list[JSON] = []
        for index, item in enumerate(value):
            new = item
            if (below := changed.get(str(index))) is not None:
                new = _change_all(
                    item, below, pointer_join(pointer, len(items)), change, is_item=True
                )
            if new is not REMOVED:
                items.append(new)
        return items
    return value


def apply_patch(value: JSON, operations: Iterable[Operation]) -> JSON:
    """`value` with `operations` applied one after the other.

    Raises:
        PatchError: a value that an operation refers to does not exist.
    """
    for operation in operations:
        try:
            value = _apply(value, operation)
        except (LookupError, ValueError) as error:
            raise PatchError(
                f"There is no longer a value at {operation.source or operation.path}."
            ) from error
    return value


def _apply(value: JSON, operation: Operation) -> JSON:
    if operation.op == "add":
        return _add(value, operation.path, operation.value)
    if operation.op == "remove":
        return remove_at(value, operation.path)
    if operation.op == "replace":
        resolve_pointer(value, operation.path)
        return set_at(value, operation.path, operation.value)
    moved: JSON = resolve_pointer(value, operation.source)  # type: ignore[assignment]
    return _add(remove_at(value, operation.source), operation.path, moved)


def _add(value: JSON, pointer: str, new: JSON) -> JSON:
    """`value` with a member set to `new`, or `new` inserted before an item; "-" is the end of an array."""
    if not pointer:
        return new
    around, token = split_last(pointer)
    container = resolve_pointer(value, around)
    if not isinstance(container, list):
        return set_at(value, pointer, new)
    index = len(container) if token == "-" else list_index(token)  # noqa: S105 - not a password
    if index > len(container):
        raise LookupError(pointer)
    return set_at(value, around, [*container[:index], new, *container[index:]])
