"""The sessions of legacy clients.

Each is a signed token that its client repeats; the server stores nothing.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

from django.core import signing

from accounts.models import User

HEADER: Final = "Mcp-Session-Id"
MAX_AGE_S: Final = 30 * 24 * 3600
_SALT: Final = "playground.mcp.session"


@dataclass(frozen=True, slots=True)
class Session:
    """`version`: the negotiated protocol version; `key`: differs between sessions."""

    version: str
    key: str


def new_session(user: User, version: str) -> str:
    """A token for a new session of `user`. It contains only visible ASCII characters."""
    content = {"user": user.pk, "version": version, "key": secrets.token_urlsafe(12)}
    return signing.dumps(content, salt=_SALT)


def session_of(token: str, user: User) -> Session | None:
    """The session of a token.

    None if it is not valid, older than `MAX_AGE_S`, or of another user.
    """
    try:
        content = signing.loads(token, salt=_SALT, max_age=MAX_AGE_S)
    except signing.BadSignature:
        return None
    return Session(content["version"], content["key"]) if content["user"] == user.pk else None
