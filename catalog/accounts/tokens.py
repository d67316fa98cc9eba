"""API tokens: create them, and find the one that a secret belongs to."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import timedelta

from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.accounts.models import SCOPES, ApiToken, User, digest
from catalog.db.compiled_query import Prepared

TOKEN_PREFIX = "tsk_"  # noqa: S105 - lets people and secret scanners recognise a token


@sensitive_variables()
def create_token(
    user: User, *, scopes: Collection[str], days: int | None = None, name: str = ""
) -> tuple[ApiToken, str]:
    """Make a token for `user`.

    Returns:
        The stored token and its secret, which cannot be had again.

    Raises:
        ValueError: no scope, or one that is not of `SCOPES`.
    """
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise ValueError(f"A token needs scopes out of {', '.join(SCOPES)}; {', '.join(unknown) or 'none'} given.")
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=digest(secret),
        hint=secret[:8],
        scopes=[scope for scope in SCOPES if scope in scopes],
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    return token, secret


@sensitive_variables()
def token_for(secret: str) -> ApiToken | None:
    """The usable token whose secret this is. Notes its use, at most once a minute."""
    token = _token_of_digest.find(digest(secret))
    if token is None or token.state != "usable" or not token.user.is_active:
        return None
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > timedelta(minutes=1):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(token: ApiToken) -> bool:
    """End `token` immediately; False if it was revoked before."""
    return bool(ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()))


_token_of_digest = Prepared(lambda text: ApiToken.objects.select_related("user").filter(digest=text))
