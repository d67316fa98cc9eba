"""Problems: what is wrong with a document, as values.

Nothing here knows Django. A problem points into a document by JSON Pointer (RFC 6901).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, TypeAlias

MAX_PROBLEMS: Final = 50  # of one document: nobody reads more

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")  # RFC 6901, section 4; no longer than an index can be


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a document.

    `pointer` is a JSON Pointer into the document, `rule` a stable code ("json.syntax", "gate.ref-remote",
    "schema.enum"), `message` one plain sentence. `line` and `column` count from 1 in the text as uploaded.
    """

    pointer: str
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = None
    line: int | None = None
    column: int | None = None

    def as_json(self) -> dict[str, str | int]:
        """The problem as JSON, without the members that are not known."""
        return {name: value for name, value in asdict(self).items() if value is not None}


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
