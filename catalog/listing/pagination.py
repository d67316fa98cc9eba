"""Pages of a list: cursors, and the part of a list at a cursor."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, replace
from typing import Literal

MAX_OFFSET = 10**12
BAD_CURSOR = "This is not a cursor of this site; use the value of `next`."


class BadCursor(ValueError):
    """A cursor that this site did not create."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position in a list: the tools after it, or before it with `backwards`.

    In the mode "list", which is ordered by name, `key` is the name of the tool at the position, and `pk` its primary
    key. In the mode "found", the results of a search, `key` is the number of results before the position; among the
    results that are ordered by age, `pk` is the tool at the position, else 0. In the mode "sorted", `key` is the number
    of tools before the position.

    `before` is the number of rows before the position, for display only: others may publish tools meanwhile.
    """

    mode: Literal["list", "found", "sorted"]
    key: int | str
    pk: int
    backwards: bool = False
    before: int = 0

    def encode(self) -> str:
        text = json.dumps(
            [self.mode, self.key, self.pk, int(self.backwards), self.before],
            separators=(",", ":"),
            ensure_ascii=False,
        )
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Cursor:
        """Read what `encode` wrote.

        Raises:
            BadCursor: it is something else.
        """
        try:
            decoded = base64.b64decode(
                text + "=" * (-len(text) % 4), altchars=b"-_", validate=True
            ).decode()
            mode, key, pk, backwards, before = json.loads(decoded)
            str(key).encode()  # JSON allows lone surrogates, databases do not
        except (ValueError, binascii.Error, TypeError, RecursionError) as error:
            raise BadCursor(BAD_CURSOR) from error
        by_name = mode == "list" and isinstance(key, str)
        by_offset = mode in ("found", "sorted") and type(key) is int and 0 <= key < MAX_OFFSET
        if (
            not (by_name or by_offset)
            or type(pk) is not int
            or not 0 <= pk < 2**63
            or backwards not in (0, 1)
        ):
            raise BadCursor(BAD_CURSOR)
        if type(before) is not int or not 0 <= before < MAX_OFFSET:
            raise BadCursor(BAD_CURSOR)
        return cls(mode, key, pk, bool(backwards), before)


def first_row(cursor: Cursor | None, rows: int) -> int:
    """The number of rows before a page with `rows` of them that was read at `cursor`."""
    if cursor is None:
        return 0
    return max(0, cursor.before - rows) if cursor.backwards else cursor.before


def window(
    positions: list[Cursor], cursor: Cursor | None, limit: int
) -> tuple[list[Cursor], str | None, str | None]:
    """The positions on a page, and the cursors before and after it.

    Args:
        positions: up to `limit` + 1, in the order in which they were read.
        cursor: at which they were read.
        limit: positions per page.
    """
    more = len(positions) > limit
    positions = positions[:limit]
    backwards = cursor is not None and cursor.backwards
    if backwards:
        positions.reverse()
    if not positions:
        return [], None, None
    has_before = more if backwards else cursor is not None
    has_after = True if backwards else more
    start = first_row(cursor, len(positions))
    before = replace(positions[0], backwards=True, before=start).encode() if has_before else None
    after = replace(positions[-1], before=start + len(positions)).encode() if has_after else None
    return positions, before, after
