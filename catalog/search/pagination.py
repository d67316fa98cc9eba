"""Cursors, with which programs read a list page by page."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Final, Literal

from django.core.signing import BadSignature, Signer

BAD_CURSOR = "This is not a cursor of this site; use the value of `next`."
_SALT: Final = "catalog.search.pagination"


class BadCursor(ValueError):
    """A cursor that this site did not create."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A position in a list, after which a program reads on.

    It is signed, so that nobody can make one up.

    In the mode "list", which is ordered by name, `key` is the name of the tool at the position, and
    `pk` its primary key. In the mode "found", the results of a search, `key` is the number of
    results before the position; among the results that are ordered by age, `pk` is the tool at the
    position, else 0.
    """

    mode: Literal["list", "found"]
    key: int | str
    pk: int

    def encode(self) -> str:
        return Signer(salt=_SALT).sign_object(astuple(self))

    @classmethod
    def decode(cls, text: str) -> Cursor:
        """Read what `encode` wrote.

        Raises:
            BadCursor: it is something else.
        """
        try:
            return cls(*Signer(salt=_SALT).unsign_object(text))
        except (BadSignature, UnicodeEncodeError) as error:
            raise BadCursor(BAD_CURSOR) from error
