"""JSON Pointers (RFC 6901): joined, split, resolved, and grouped as a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

# RFC 6901, section 4; no longer than an index can be
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")


def pointer_join(pointer: str, *tokens: str | int) -> str:
    """`pointer` extended by `tokens`, each escaped (RFC 6901, section 3)."""
    for token in tokens:
        escaped = str(token).replace("~", "~0").replace("/", "~1")
        pointer += f"/{escaped}"
    return pointer


def split_pointer(pointer: str) -> list[str]:
    """The reference tokens of `pointer`, unescaped; [] for the whole document.

    Raises:
        ValueError: `pointer` is neither empty nor starts with "/".
    """
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError(f"A JSON Pointer starts with '/': {pointer!r}")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


def split_last(pointer: str) -> tuple[str, str]:
    """The pointer to the container of the value at `pointer`, and the value's name or index in it.

    Raises:
        LookupError: `pointer` names the whole document.
    """
    if not pointer:
        raise LookupError(pointer)
    parent, _, token = pointer.rpartition("/")
    return parent, split_pointer(f"/{token}")[0]


def list_index(token: str) -> int:
    """The index of an array's item that `token` names.

    Raises:
        LookupError: it names no item.
    """
    if not _INDEX.fullmatch(token):
        raise LookupError(token)
    return int(token)


def resolve_pointer(value: object, pointer: str) -> object:
    """The value at `pointer` in `value`.

    Raises:
        LookupError: there is none.
    """
    for token in split_pointer(pointer):
        if isinstance(value, Mapping):
            value = value[token]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            value = value[list_index(token)]
        else:
            raise LookupError(pointer)  # noqa: TRY004 - a missing value, not a wrong argument
    return value


def exists_at(value: object, pointer: str) -> bool:
    """Whether `pointer` is a JSON Pointer, and there is a value at it in `value`."""
    try:
        resolve_pointer(value, pointer)
    except (LookupError, ValueError):
        return False
    return True


PointerTree: TypeAlias = "dict[str, PointerTree]"


def pointer_tree(pointers: Iterable[str]) -> PointerTree:
    """`pointers` as a tree of their tokens, to visit all of them in one walk.

    {} marks the end of a pointer. Of two pointers where one leads inside the value of the other,
    only the outer one is in the tree.
    """
    root: PointerTree = {}
    for pointer in sorted(pointers, key=len, reverse=True):
        below = root
        for token in split_pointer(pointer):
            below = below.setdefault(token, {})
        below.clear()
    return root
