"""Pages of a list: cursors, and the window of a list that a cursor opens."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, replace
from typing import Literal

MAX_OFFSET = 10**12


class BadCursor(ValueError):
    """A cursor that this site did not make."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list: the tools after it, or before it.

    `mode` says what is listed. In a "list" by name, `key` is the name of the tool that stands at the place, and `pk`
    its primary key. Where something was looked for ("found"), `key` is how many results stand before the place, and
    `pk` the tool at the place where results follow in the order of age, else 0.
    """

    mode: Literal["list", "found"]
    key: int | str
    pk: int
    backwards: bool = False

    def encode(self) -> str:
        text = json.dumps(
            [self.mode, self.key, self.pk, int(self.backwards)], separators=(",", ":"), ensure_ascii=False
        )
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Cursor:
        """Read what `encode` wrote.

        Raises:
            BadCursor: it is something else.
        """
        try:
            decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
            mode, key, pk, backwards = json.loads(decoded)
            str(key).encode()  # a lone surrogate can be said in JSON, and in no database
        except (ValueError, binascii.Error, TypeError, RecursionError) as error:
            raise BadCursor("This is no cursor of this site; take it from `next`.") from error
        by_name = mode == "list" and isinstance(key, str) and "\x00" not in key
        by_place = mode == "found" and type(key) is int and 0 <= key < MAX_OFFSET
        if not (by_name or by_place) or type(pk) is not int or not 0 <= pk < 2**63 or backwards not in (0, 1):
            raise BadCursor("This is no cursor of this site; take it from `next`.")
        return cls(mode, key, pk, bool(backwards))


def window(places: list[Cursor], cursor: Cursor | None, limit: int) -> tuple[list[Cursor], str | None, str | None]:
    """Of `limit` + 1 places in the order they were read: those of the page, and the cursors before and after it."""
    more = len(places) > limit
    places = places[:limit]
    backwards = cursor is not None and cursor.backwards
    if backwards:
        places.reverse()
    if not places:
        return [], None, None
    has_before = more if backwards else cursor is not None
    has_after = True if backwards else more
    before = replace(places[0], backwards=True).encode() if has_before else None
    return places, before, places[-1].encode() if has_after else None
