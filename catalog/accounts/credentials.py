"""Create and use API tokens and one-time sign-in links, and count wrong passwords.

The secret of a link is in its path (`secret_paths.py`) and must not appear in any log:
`config.middleware.HideSecretsMiddleware` removes it from a request before the site sees it, and
`config.log_filters.WithoutSecrets` removes it from every log line.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.accounts.models import SCOPES, ApiToken, FailedSignIn, SignInLink, User, digest
from catalog.accounts.users import LOCAL_OWNER, account_named, administrator, create_account
from catalog.db.compiled_query import Prepared
from catalog.errors import Busy

TOKEN_PREFIX = "tsk_"  # noqa: S105 - lets people and secret scanners recognise a token
TRIES = 10
TRIES_WINDOW = timedelta(minutes=15)
CHECKS_AT_ONCE = 4  # passwords; each takes Argon2 100 MiB and all of a core for a while
_checks = threading.BoundedSemaphore(CHECKS_AT_ONCE)


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


_token_of_digest = Prepared(lambda text: ApiToken.objects.select_related("user").filter(digest=text))


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


def create_sign_in_link(username: str | None = None) -> str:
    """The secret of a new link that signs `username` in once, within `SignInLink.LIFETIME`.

    Without a name the link is for the administrator; a site without one gets the account "owner" first.

    Raises:
        AccountError: there is no such account, or it is disabled.
    """
    if username is None:
        user = administrator() or create_account(LOCAL_OWNER, is_superuser=True)
    else:
        user = account_named(username)
    secret = secrets.token_urlsafe(32)
    SignInLink.objects.filter(created_at__lt=timezone.now() - SignInLink.LIFETIME).delete()
    SignInLink.objects.create(user=user, digest=digest(secret))
    return secret


@sensitive_variables()
def usable_link(secret: str) -> SignInLink | None:
    """The link with this secret, or None if it is unknown, used or expired."""
    links = SignInLink.objects.filter(
        digest=digest(secret),
        used_at=None,
        created_at__gt=timezone.now() - SignInLink.LIFETIME,
        user__is_active=True,
    )
    return links.select_related("user").first()


@transaction.atomic
@sensitive_variables()
def use_sign_in_link(secret: str) -> User | None:
    """The user whom the link signs in, or None where it is unknown, used or too old. It works once."""
    link = usable_link(secret)
    if link is None or SignInLink.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now()) != 1:
        return None
    return link.user


@contextmanager
def counted_try(username: str, address: str) -> Iterator[None]:
    """One try of a password: it counts as a wrong one from its start, so that many at once do not escape the count.

    It is forgotten where nothing is raised within.

    Raises:
        Busy: as many passwords as the machine has memory for are being checked at this moment.
    """
    if not _checks.acquire(timeout=1):
        raise Busy("Many people are signing in at this moment. Try again.", retry_after_s=2)
    try:
        now = timezone.now()
        FailedSignIn.objects.filter(at__lt=now - TRIES_WINDOW).delete()
        this = FailedSignIn.objects.create(account=digest(username.casefold()), address=digest(address), at=now)
        yield
        this.delete()
    finally:
        _checks.release()


def is_locked(username: str, address: str) -> bool:
    """Whether this account, or this address, had its tries for now."""
    recent = FailedSignIn.objects.filter(at__gt=timezone.now() - TRIES_WINDOW)
    tries = recent.filter(Q(account=digest(username.casefold())) | Q(address=digest(address)))
    return tries.count() >= TRIES
