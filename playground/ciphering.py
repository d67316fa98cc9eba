"""Saved configurations encrypted at rest: Fernet (AES-128-CBC with HMAC-SHA-256), under keys that can be rotated."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from catalog import strict_json
from catalog.strict_json import JSON

MAX_BYTES = 4 * 1024 * 1024


class Unreadable(Exception):
    """What was encrypted cannot be read with the keys of now: its key was taken away, or it was changed."""


def encrypt(value: JSON) -> str:
    """`value`, readable with the first of `settings.CONFIGURATION_KEYS`."""
    return _cipher(tuple(settings.CONFIGURATION_KEYS)).encrypt(strict_json.dumps(value).encode()).decode()


def decrypt(token: str) -> JSON:
    """What `encrypt` was given.

    Raises:
        Unreadable: none of the keys opens it.
    """
    try:
        text = _cipher(tuple(settings.CONFIGURATION_KEYS)).decrypt(token.encode())
    except InvalidToken as error:
        raise Unreadable from error
    return strict_json.loads(text, max_bytes=MAX_BYTES)


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
