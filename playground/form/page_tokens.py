"""Tokens for snapshots and secrets, which pass through the page but must not be readable there."""

from __future__ import annotations

from typing import Protocol


class PageTokenMaker(Protocol):
    """Encrypts text into tokens, and decrypts its own tokens."""

    def seal(self, text: str) -> str:
        """`text` as a token for the page."""

    def unseal(self, token: str) -> str | None:
        """The text of a token; None if the token is not ours, or too old."""


class NoPageTokens:
    """Leaves text unencrypted: for forms without secrets, and for tests."""

    def seal(self, text: str) -> str:
        return text

    def unseal(self, token: str) -> str | None:
        return token
