"""Cursors, with which programs read a list page by page."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Literal

MAX_OFFSET = 10**12
BAD_CURSOR = "This is not a cursor of this site; use the value of `next`."


class BadCursor(ValueError):
    """A cursor that this site did not create."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position in a list, after which a program reads on.

    In the mode "list", which is ordered by name, `key` is the name of the tool at the position, and `pk` its primary
    key. In the mode "found", the results of a search, `key` is the number of results before the position; among the
    results that are ordered by age, `pk` is the tool at the position, else 0.
    """

    mode: Literal["list", "found"]
    key: int | str
    pk: int

    def encode(self) -> str:
        position = [self.mode, self.key, self.pk]
        text = json.dumps(position, separators=(",", ":"), ensure_ascii=False)
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
            mode, key, pk, *_ = json.loads(decoded)  # earlier versions added two members
            str(key).encode()  # JSON allows lone surrogates, databases do not
        except (ValueError, binascii.Error, TypeError, RecursionError) as error:
            raise BadCursor(BAD_CURSOR) from error
        by_name = mode == "list" and isinstance(key, str)
        by_offset = mode == "found" and type(key) is int and 0 <= key < MAX_OFFSET
        if not (by_name or by_offset) or type(pk) is not int or not 0 <= pk < 2**63:
            raise BadCursor(BAD_CURSOR)
        return cls(mode, key, pk)
