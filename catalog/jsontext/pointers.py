"""JSON Pointers (RFC 6901): made, split, followed, and grouped as a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")  # RFC 6901, section 4; no longer than an index can be


def pointer_join(pointer: str, *tokens: str | int) -> str:
    """`pointer` extended by `tokens`, each escaped (RFC 6901, section 3)."""
    return pointer + "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


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


def resolve_pointer(value: object, pointer: str) -> object:
    """What stands at `pointer` in `value`.

    Raises:
        LookupError: nothing stands there.
    """
    for token in split_pointer(pointer):
        if isinstance(value, Mapping):
            value = value[token]
        elif isinstance(value, Sequence) and not isinstance(value, str) and _INDEX.fullmatch(token):
            value = value[int(token)]
        else:
            raise LookupError(pointer)
    return value


PointerTree: TypeAlias = "dict[str, PointerTree]"


def pointer_tree(pointers: Iterable[str]) -> PointerTree:
    """`pointers` as a tree of their tokens, to visit all of them in one walk; {} marks the end of a pointer.

    If one pointer leads inside the value of another, only the outer one is in the tree.
    """
    root: PointerTree = {}
    for pointer in sorted(pointers, key=len, reverse=True):
        below = root
        for token in split_pointer(pointer):
            below = below.setdefault(token, {})
        below.clear()
    return root
