"""Edits of JSON values at JSON Pointers.

Each returns a new value that shares unchanged parts with the old one.

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
        items = value.copy()
        items[index] = _set(value[index], rest, new)
        return items
    raise LookupError(token)


def remove_at(value: JSON, pointer: str) -> JSON:
    """`value` without the member or item at `pointer`; the items after it move up.

    Raises:
        LookupError: there is no such member or item.
    """
    parent, token = split_last(pointer)
    container = resolve_pointer(value, parent)
    resolve_pointer(container, pointer_join("", token))
    if isinstance(container, list):
        index = list_index(token)
        return set_at(value, parent, container[:index] + container[index + 1 :])
    members: dict[str, JSON] = dict(container)  # type: ignore[call-overload]
    del members[token]
    return set_at(value, parent, members)


def change_all(value: JSON, pointers: Collection[str], change: Change) -> JSON:
    """`value` with the value at each of `pointers` replaced by `change(pointer, is_item)`.

    If that is REMOVED, the value is removed; of the whole value, None remains. `change` gets the
    pointer into the result, where removed items have moved others up, and whether it names an item
    of an array. Pointers that name nothing, or lie inside a replaced value, are ignored.
    """
    if not pointers:
        return value
    changed = _change_below(value, pointer_tree(pointers), "", change, is_item=False)
    if changed is REMOVED:
        return None
    return changed


def _change_below(
    value: JSON, tree: PointerTree, pointer: str, change: Change, *, is_item: bool
) -> Replacement:
    if not tree:
        return change(pointer, is_item)
    if isinstance(value, dict):
        members: dict[str, JSON] = {}
        for name, member in value.items():
            new: Replacement = member
            if name in tree:
                path = pointer_join(pointer, name)
                new = _change_below(member, tree[name], path, change, is_item=False)
            if new is not REMOVED:
                members[name] = new
        return members
    if isinstance(value, list):
        items: list[JSON] = []
        for index, item in enumerate(value):
            new = item
            below = tree.get(str(index))
            if below is not None:
                path = pointer_join(pointer, len(items))
                new = _change_below(item, below, path, change, is_item=True)
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
            pointer = operation.source or operation.path
            raise PatchError(f"There is no longer a value at {pointer}.") from error
    return value


def _apply(value: JSON, operation: Operation) -> JSON:
    if operation.op == "add":
        return _add(value, operation.path, operation.value)
    if operation.op == "remove":
        return remove_at(value, operation.path)
    if operation.op == "replace":
        resolve_pointer(value, operation.path)
        return set_at(value, operation.path, operation.value)
    moving: JSON = resolve_pointer(value, operation.source)  # type: ignore[assignment]
    return _add(remove_at(value, operation.source), operation.path, moving)


def _add(value: JSON, pointer: str, new: JSON) -> JSON:
    """`value` with a member set to `new`, or `new` inserted before an item; "-" is the end."""
    if not pointer:
        return new
    parent, token = split_last(pointer)
    container = resolve_pointer(value, parent)
    if not isinstance(container, list):
        return set_at(value, pointer, new)
    index = len(container) if token == "-" else list_index(token)  # noqa: S105 - not a password
    if index > len(container):
        raise LookupError(pointer)
    items = container.copy()
    items.insert(index, new)
    return set_at(value, parent, items)
