"""Secrets encrypted at rest: Fernet (AES-128-CBC with HMAC-SHA-256), under keys that can be rotated.

For saved configurations, the messages of queued runs, and the credentials of sources.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db.models import QuerySet

from toolshelf_core import audit
from toolspec.text import reader
from toolspec.text.reader import JSON

MAX_BYTES = 4 * 1024 * 1024


class Unreadable(Exception):
    """A token cannot be decrypted: its key was removed from the settings, or it was modified."""


def encrypt(value: JSON) -> str:
    """Encrypt `value` with the first of `settings.CONFIGURATION_KEYS`."""
    return (
        _cipher(tuple(settings.CONFIGURATION_KEYS)).encrypt(reader.dumps(value).encode()).decode()
    )


def decrypt(token: str) -> JSON:
    """The value that was encrypted.

    Raises:
        Unreadable: none of the keys decrypts it.
    """
    try:
        text = _cipher(tuple(settings.CONFIGURATION_KEYS)).decrypt(token.encode())
    except InvalidToken as error:
        raise Unreadable from error
    return reader.loads(text, max_bytes=MAX_BYTES)


def rotated(token: str) -> str:
    """Re-encrypt `token` with the first key.

    Raises:
        Unreadable: none of the keys decrypts it.
    """
    try:
        return _cipher(tuple(settings.CONFIGURATION_KEYS)).rotate(token).decode()
    except InvalidToken as error:
        raise Unreadable from error


def rotate(rows: QuerySet[Any], *fields: str, object_type: str) -> tuple[int, int]:
    """Re-encrypt the tokens in `fields` of all `rows` with the first key, and record it for `object_type`.

    Returns:
        How many rows were re-encrypted, and how many cannot be decrypted.
    """
    done = lost = 0
    for row in rows.iterator():
        tokens = {field: getattr(row, field) for field in fields}
        try:
            new_tokens = {field: rotated(token) if token else "" for field, token in tokens.items()}
        except Unreadable:
            lost += 1
            continue
        done += rows.filter(pk=row.pk, **tokens).update(
            **new_tokens
        )  # not if it was changed meanwhile
    audit.record(
        "secrets.rotate", object_type, "", after={"re-encrypted": done, "unreadable": lost}
    )
    return done, lost


@lru_cache(maxsize=4)
def _cipher(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(_fernet_key(key)) for key in keys])


def _fernet_key(key: str) -> bytes:
    """Derive a key of the required length from any text; only a long random text is secure."""
    return base64.urlsafe_b64encode(
        hashlib.sha256(f"toolshelf configuration {key}".encode()).digest()
    )


PAGE_LIFETIME_S = 24 * 60 * 60


class PageTokens:
    """Encrypts text that passes through a user's page but must not be readable there, such as secrets just typed.

    A token can be decrypted only for the same user and tool, within a day.
    """

    def __init__(self, owner: str, scope: str) -> None:
        self._prefix = f"{owner}\n{scope}\n"

    def seal(self, text: str) -> str:
        return (
            _cipher(tuple(settings.CONFIGURATION_KEYS))
            .encrypt(f"{self._prefix}{text}".encode())
            .decode()
        )

    def unseal(self, token: str) -> str | None:
        try:
            text = (
                _cipher(tuple(settings.CONFIGURATION_KEYS))
                .decrypt(token, ttl=PAGE_LIFETIME_S)
                .decode()
            )
        except (InvalidToken, ValueError):
            return None
        return text.removeprefix(self._prefix) if text.startswith(self._prefix) else None
