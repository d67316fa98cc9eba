"""Who must have a second factor (`SECOND_FACTOR_ROLES`), and does not have one yet."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest

from accounts.models import User
from accounts.oidc.accounts import signs_in_with_provider_alone
from accounts.roles import role_of

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def must_have_second_factor(user: User) -> bool:
    """Whether the role of `user` requires a second factor here.

    A provider that they sign in with alone has its own.
    """
    roles = settings.SECOND_FACTOR_ROLES
    if not roles or ("all" not in roles and role_of(user) not in roles):
        return False
    return not signs_in_with_provider_alone(user)


def needs_second_factor(request: HttpRequest) -> bool:
    """Whether the person who is signed in has to set up a second factor before anything else."""
    if not settings.SECOND_FACTOR_ROLES:
        return False
    user = request.user
    if not isinstance(user, User) or not must_have_second_factor(user):
        return False
    return not Authenticator.objects.filter(user=user, type__in=FACTORS).exists()
