"""API tokens: create them, and find the one that a secret belongs to."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from typing import Final

from django.db import OperationalError, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from accounts.models import SCOPES, ApiToken, User, digest
from toolshelf_core import audit
from toolshelf_core.db.compiled_query import Prepared

DEFAULT_DAYS: Final = 90
MAX_DAYS: Final = 3650
TOKEN_PREFIX = "tsk_"  # noqa: S105 - lets people and secret scanners recognise a token


@transaction.atomic
@sensitive_variables()
def create_token(
    user: User,
    *,
    scopes: Collection[str],
    days: int = DEFAULT_DAYS,
    name: str = "",
    toolkits: Collection[str] = (),
) -> tuple[ApiToken, str]:
    """Create a token for `user`, limited to the tools of `toolkits` if there are any.

    It ends after `days`; 0: never.

    Returns:
        The stored token and its secret, which cannot be retrieved later.

    Raises:
        ValueError: there is no scope, or one that is not in `SCOPES`.
    """
    unknown_scopes = sorted(set(scopes) - set(SCOPES))
    if unknown_scopes or not scopes:
        raise ValueError(
            f"Choose one or more of these scopes: {', '.join(SCOPES)}. "
            f"Given: {', '.join(unknown_scopes) or 'none'}."
        )
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=digest(secret),
        hint=secret[:8],
        scopes=[scope for scope in SCOPES if scope in scopes],
        toolkits=list(toolkits),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    audit.record("token.create", "token", token, after=_list_facts(token))
    return token, secret


@sensitive_variables()
def find_token(secret: str) -> ApiToken | None:
    """The usable token whose secret this is. Notes its use, at most once a minute.

    The token's user knows it as `User.token`, so that it limits their rights (see
    `catalog.access.rights`).
    """
    token = _token_of_digest.find(digest(secret))
    if token is None or token.state != "usable" or not token.user.is_active:
        return None
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > timedelta(minutes=1):
        with suppress(OperationalError):  # a full disk refuses no reads
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    token.user.token = token
    return token


def revoke_token(token: ApiToken) -> bool:
    """End `token` immediately; False if it was revoked before."""
    with transaction.atomic():
        usable = ApiToken.objects.filter(pk=token.pk, revoked_at=None)
        is_changed = bool(usable.update(revoked_at=timezone.now()))
        if is_changed:
            audit.record("token.revoke", "token", token, before=_list_facts(token))
    return is_changed


def end_tokens(user: User) -> int:
    """Revoke all tokens of `user`; returns how many were not revoked before."""
    tokens = ApiToken.objects.filter(user=user, revoked_at=None).select_related("user")
    return sum(revoke_token(token) for token in tokens)


class EndsTokens:
    """Ends a person's tokens when their password changes, on any page or by a command.

    One of the `AUTH_PASSWORD_VALIDATORS`.

    Somebody who knew the password may have created one.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        return "Changing the password ends the account's API tokens."

    def password_changed(self, password: str, user: User) -> None:  # noqa: ARG002
        end_tokens(user)


def _list_facts(token: ApiToken) -> dict[str, object]:
    """For the audit log."""
    return {"person": token.user.username, "scopes": token.scopes, "expires_at": token.expires_at}


_token_of_digest = Prepared(
    lambda text: ApiToken.objects.select_related("user").filter(digest=text)
)
