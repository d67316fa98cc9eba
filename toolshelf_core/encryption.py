"""Secrets encrypted at rest: Fernet (AES-128-CBC with HMAC-SHA-256), with keys that rotate.

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
    return _get_cipher().encrypt(reader.dumps(value).encode()).decode()


def decrypt(token: str) -> JSON:
    """The value that was encrypted.

    Raises:
        Unreadable: none of the keys decrypts it.
    """
    try:
        text = _get_cipher().decrypt(token.encode())
    except InvalidToken as error:
        raise Unreadable from error
    return reader.loads(text, max_bytes=MAX_BYTES)


def reencrypt(token: str) -> str:
    """Re-encrypt `token` with the first key.

    Raises:
        Unreadable: none of the keys decrypts it.
    """
    try:
        return _get_cipher().rotate(token).decode()
    except InvalidToken as error:
        raise Unreadable from error


def rotate(rows: QuerySet[Any], *fields: str, object_type: str) -> tuple[int, int]:
    """Re-encrypt the tokens in `fields` of all `rows` with the first key.

    It is recorded for `object_type`.

    Returns:
        How many rows were re-encrypted, and how many cannot be decrypted.
    """
    done = lost = 0
    for row in rows.iterator():
        tokens = {field: getattr(row, field) for field in fields}
        try:
            new_tokens = {field: reencrypt(token) for field, token in tokens.items() if token}
        except Unreadable:
            lost += 1
            continue
        same_row = rows.filter(pk=row.pk, **tokens)  # not if it was changed meanwhile
        done += same_row.update(**(tokens | new_tokens))
    counts = {"re-encrypted": done, "unreadable": lost}
    audit.record("secrets.rotate", object_type, "", after=counts)
    return done, lost


def _get_cipher() -> MultiFernet:
    return _make_cipher(tuple(settings.CONFIGURATION_KEYS))


@lru_cache(maxsize=4)
def _make_cipher(keys: Sequence[str]) -> MultiFernet:
    return MultiFernet([Fernet(_derive_key(key)) for key in keys])


def _derive_key(text: str) -> bytes:
    """Derive a key of the required length from any text; only a long random text is secure."""
    digest = hashlib.sha256(f"toolshelf configuration {text}".encode()).digest()
    return base64.urlsafe_b64encode(digest)


PAGE_LIFETIME_S = 24 * 60 * 60


class PageTokens:
    """Encrypts text, such as a secret just typed, that passes through a page unreadably.

    A token can be decrypted only for the same user and tool, within a day.
    """

    def __init__(self, owner: str, scope: str) -> None:
        self._prefix = f"{owner}\n{scope}\n"

    def seal(self, text: str) -> str:
        return _get_cipher().encrypt(f"{self._prefix}{text}".encode()).decode()

    def unseal(self, token: str) -> str | None:
        try:
            text = _get_cipher().decrypt(token, ttl=PAGE_LIFETIME_S).decode()
        except (InvalidToken, ValueError):
            return None
        if not text.startswith(self._prefix):
            return None
        return text.removeprefix(self._prefix)
