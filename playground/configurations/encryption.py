"""Saved configurations encrypted at rest: Fernet (AES-128-CBC with HMAC-SHA-256), under keys that can be rotated."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from catalog.jsontext import reader
from catalog.jsontext.reader import JSON

MAX_BYTES = 4 * 1024 * 1024


class Unreadable(Exception):
    """What was encrypted cannot be read with the keys of now: its key was taken away, or it was changed."""


def encrypt(value: JSON) -> str:
    """`value`, readable with the first of `settings.CONFIGURATION_KEYS`."""
    return _cipher(tuple(settings.CONFIGURATION_KEYS)).encrypt(reader.dumps(value).encode()).decode()


def decrypt(token: str) -> JSON:
    """What `encrypt` was given.

    Raises:
        Unreadable: none of the keys opens it.
    """
    try:
        text = _cipher(tuple(settings.CONFIGURATION_KEYS)).decrypt(token.encode())
    except InvalidToken as error:
        raise Unreadable from error
    return reader.loads(text, max_bytes=MAX_BYTES)


def rotated(token: str) -> str:
    """The same under the first key.

    Raises:
        Unreadable: none of the keys opens it.
    """
    try:
        return _cipher(tuple(settings.CONFIGURATION_KEYS)).rotate(token).decode()
    except InvalidToken as error:
        raise Unreadable from error


@lru_cache(maxsize=4)
def _cipher(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(_fernet_key(key)) for key in keys])


def _fernet_key(key: str) -> bytes:
    """Any text will do as a key; a long random one keeps its promise."""
    return base64.urlsafe_b64encode(hashlib.sha256(f"toolshelf configuration {key}".encode()).digest())


PAGE_LIFETIME_S = 24 * 60 * 60


class PageTokens:
    """Closes what travels through a person's page and is not for reading there: secrets just typed, for one tool.

    A token opens for the same person and tool alone, within a day.
    """

    def __init__(self, owner: str, place: str) -> None:
        self._whose = f"{owner}\n{place}\n"

    def seal(self, text: str) -> str:
        return _cipher(tuple(settings.CONFIGURATION_KEYS)).encrypt(f"{self._whose}{text}".encode()).decode()

    def unseal(self, token: str) -> str | None:
        try:
            text = _cipher(tuple(settings.CONFIGURATION_KEYS)).decrypt(token, ttl=PAGE_LIFETIME_S).decode()
        except (InvalidToken, ValueError):
            return None
        return text.removeprefix(self._whose) if text.startswith(self._whose) else None
