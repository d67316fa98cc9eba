"""One-time sign-in links.

The secret of a link is in its path (`secret_paths.py`) and must not appear in any log:
`config.middleware.hidden_secrets.HideSecretsMiddleware` removes it from a request before the site
sees it, and `config.log_filters.WithoutSecrets` removes it from every log line.

A link without an account is a set-up link, for the first start of a site that other machines can
reach: with it, the site's administrator is created. It is printed on the server's machine, so
nobody else can become administrator by being the first visitor. It works once, for a short time,
and only while the site has no administrator.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.auth.forms import BaseUserCreationForm
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from accounts.deletion import owns_private_data
from accounts.models import SignInLink, User, digest
from accounts.users import LOCAL_OWNER, get_account, is_set_up
from toolshelf_core import audit

if TYPE_CHECKING:
    UserCreationForm = BaseUserCreationForm[User]
else:
    UserCreationForm = BaseUserCreationForm


def create_sign_in_link(username: str) -> str:
    """The secret of a new link that signs `username` in once, within `SignInLink.LIFETIME`.

    Raises:
        AccountError: there is no such account, or it is disabled.
    """
    return new_link(get_account(username))


def invite(user: User) -> str:
    """The secret of a link for a sign-in of `user` within `SignInLink.INVITATION_LIFETIME`.

    Earlier links of the person end: one may have been sent to the wrong address.
    """
    SignInLink.objects.filter(user=user).delete()
    return new_link(user, is_invitation=True)


def new_link(user: User | None, *, is_invitation: bool = False) -> str:
    """The secret of a new link: for `user`, or, with None, to set up the site."""
    secret = secrets.token_urlsafe(32)
    SignInLink.objects.exclude(validity_at(timezone.now())).delete()
    with transaction.atomic():
        SignInLink.objects.create(user=user, digest=digest(secret), is_invitation=is_invitation)
        audit.record("link.create", "person", user.username if user else "")
    return secret


def validity_at(now: datetime) -> Q:
    """The condition of links that have not expired."""
    short = Q(is_invitation=False, created_at__gt=now - SignInLink.LIFETIME)
    return short | Q(is_invitation=True, created_at__gt=now - SignInLink.INVITATION_LIFETIME)


@sensitive_variables()
def find_usable_link(secret: str) -> SignInLink | None:
    """The link with this secret; None if it is unknown, used, expired, or not needed any more."""
    links = SignInLink.objects.filter(validity_at(timezone.now()), used_at=None)
    link = links.filter(digest=digest(secret)).select_related("user").first()
    if link is None:
        return None
    if link.user is None:
        return None if is_set_up() else link
    if not link.user.is_active:
        return None
    if link.is_invitation and (_is_used_since(link, link.user) or not may_be_invited(link.user)):
        return None
    return link


def _is_used_since(link: SignInLink, user: User) -> bool:
    return user.last_login is not None and user.last_login > link.created_at


@transaction.atomic
@sensitive_variables()
def use_sign_in_link(secret: str) -> User | None:
    """The user whom the link signs in, or None if it is unknown, used or expired. It works once."""
    link = find_usable_link(secret)
    if link is None or not use_link(link):
        return None
    return link.user


def may_be_invited(user: User) -> bool:
    """Whether an administrator may hand over a link.

    With a link to a used account they could act in its name.

    An account that has been signed in to needs another link if its person set no password. An
    account with tokens is used by programs, and one with private data, such as saved
    configurations, is used by somebody already.
    """
    if user.is_superuser or not user.is_active:
        return False
    return not user.has_usable_password() and not owns_private_data(user)


def use_link(link: SignInLink) -> bool:
    """Use `link` up; False if someone else did."""
    return SignInLink.objects.filter(pk=link.pk, used_at=None).update(used_at=timezone.now()) == 1


# -- set-up links -------------------------------------------------------------------------------


class SetUpForm(UserCreationForm):
    """The name and the password of the first administrator."""

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].initial = LOCAL_OWNER


@sensitive_variables()
def use_set_up_link(secret: str, form: SetUpForm) -> User | None:
    """The administrator that the valid `form` describes; None if the link is of no use any more."""
    with transaction.atomic():
        link = find_usable_link(secret)
        if link is None or link.user is not None or not use_link(link):
            return None
        SignInLink.objects.filter(user=None).delete()
        user: User = form.save(commit=False)
        user.is_staff = user.is_superuser = True
        user.save()
    return user
