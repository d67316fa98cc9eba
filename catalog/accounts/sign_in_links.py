"""One-time sign-in links.

The secret of a link is in its path (`secret_paths.py`) and must not appear in any log:
`config.middleware.HideSecretsMiddleware` removes it from a request before the site sees it, and
`config.log_filters.WithoutSecrets` removes it from every log line.
"""

from __future__ import annotations

import secrets

from django.db import transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.accounts.models import SignInLink, User, digest
from catalog.accounts.users import LOCAL_OWNER, account_named, administrator, create_account


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
    """The user whom the link signs in, or None if it is unknown, used or expired. It works once."""
    link = usable_link(secret)
    if link is None or SignInLink.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now()) != 1:
        return None
    return link.user
