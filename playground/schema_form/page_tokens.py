"""Text that travels through the page and is not for reading there: what other branches held, secrets just typed."""

from __future__ import annotations

from typing import Protocol


class PageTokenMaker(Protocol):
    """Closes text, so that only the same seal opens it."""

    def seal(self, text: str) -> str:
        """`text` as a token for the page."""

    def unseal(self, token: str) -> str | None:
        """The text of a token; None where the token is none of ours, or too old."""


class NoPageTokens:
    """Leaves text as it is: for forms that hold no secrets, and for tests."""

    def seal(self, text: str) -> str:
        return text

    def unseal(self, token: str) -> str | None:
        return token
