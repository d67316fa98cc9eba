"""Which account of the provider belongs to which person: by issuer and subject, not by e-mail."""

from __future__ import annotations

from typing import Final

from allauth.socialaccount.models import SocialAccount, SocialApp
from django.conf import settings
from django.db.models import QuerySet

from accounts.models import User, digest

PROVIDER_TYPE: Final = "openid_connect"
MAX_SUBJECT_CHARACTERS: Final = 191  # of the column; the protocol allows 255


def provider_id() -> str:
    """Identifies the provider in stored links.

    It depends on the issuer, because another issuer's subjects are different people.
    """
    return f"oidc-{digest(settings.OIDC_ISSUER)[:16]}"


def site_app() -> SocialApp:
    """The site as a client of the provider, from the settings."""
    return SocialApp(
        provider=PROVIDER_TYPE,
        provider_id=provider_id(),
        name=settings.OIDC_NAME,
        client_id=settings.OIDC_CLIENT_ID,
        secret=settings.OIDC_CLIENT_SECRET,
        settings={
            "server_url": settings.OIDC_ISSUER,
            "scope": settings.OIDC_SCOPES,
            "oauth_pkce_enabled": True,
        },
    )


def stored_subject(subject: str) -> str:
    return subject if len(subject) <= MAX_SUBJECT_CHARACTERS else f"sha256:{digest(subject)}"


def linked_accounts(user: User) -> QuerySet[SocialAccount]:
    """The accounts of `user` at the provider."""
    return SocialAccount.objects.filter(user=user, provider=provider_id())


def provider_name() -> str:
    """The name of the site's provider; "" if it has none."""
    return settings.OIDC_NAME if settings.OIDC_ISSUER else ""


def signs_in_with_provider_alone(user: User) -> bool:
    """Whether `user` has no password because the provider vouches for them."""
    return (
        bool(settings.OIDC_ISSUER)
        and not user.has_usable_password()
        and linked_accounts(user).exists()
    )
