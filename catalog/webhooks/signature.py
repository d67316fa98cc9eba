"""Sign the messages of webhooks, as receivers verify them with any library for Standard Webhooks.

Source: Standard Webhooks 1.0.0, "Signature scheme" (symmetric): HMAC-SHA256 over
"id.timestamp.body".
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of one signature: "v1," and 44 characters."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b".".join([message_id.encode(), str(timestamp).encode(), body])
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def signed_headers(
    secret_list: Sequence[str], message_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """The headers of a message.

    While a secret is replaced, there are two signatures; one that fits is enough.
    """
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            signature(secret, message_id, timestamp, body) for secret in secret_list
        ),
    }
