"""Find accounts by name, and create them on the command line."""

from __future__ import annotations

import shlex
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from toolshelf_core import audit
from toolshelf_core.errors import AccountError

LOCAL_OWNER: Final = "owner"
NAMES_LISTED: Final = 10


def find_administrator() -> User | None:
    """The account that a link signs in by default: the owner, else the first administrator."""
    active = User.objects.filter(is_active=True)
    owner = active.filter(username=LOCAL_OWNER).first()
    if owner is not None and owner.is_superuser:
        return owner
    return active.filter(is_superuser=True).order_by("pk").first() or owner


def is_set_up() -> bool:
    """Whether the site has an administrator, or an owner, who could sign in."""
    return find_administrator() is not None


def create_account(username: str, *, is_superuser: bool = False) -> User:
    """Create an account without a password.

    Raises:
        AccountError: the name is already in use, or is not valid.
    """
    user = User(username=username, is_staff=is_superuser, is_superuser=is_superuser)
    user.set_unusable_password()
    try:
        user.full_clean()
    except ValidationError as error:
        reasons = " ".join(error.messages)
        raise AccountError(f"Cannot create the account {username!r}: {reasons}") from None
    with transaction.atomic():
        user.save()
        after = {"id": user.pk, "is_superuser": is_superuser}
        audit.record("person.create", "person", username, after=after)
    return user


def get_account(username: str) -> User:
    """The account, if a link can be created for it.

    Raises:
        AccountError: it does not exist, or it is disabled.
    """
    user = User.objects.filter(username=username).first()
    if user is None:
        raise AccountError(
            f"There is no account named {username!r}. {list_accounts()} "
            f"To create it: manage.py sign_in_link {shlex.quote(username)} --create "
            "(add --superuser for an administrator)"
        )
    if not user.is_active:
        raise AccountError(f"The account {username!r} is disabled, so it cannot sign in.")
    return user


def list_accounts() -> str:
    """The names of the accounts that can sign in, as a sentence.

    Only the first ones if there are many.
    """
    active = User.objects.filter(is_active=True).order_by("username")
    names = list(active.values_list("username", flat=True)[:NAMES_LISTED])
    if not names:
        return "There are no accounts yet."
    text = f"Accounts: {', '.join(names)}"
    more = active.count() - len(names)
    return f"{text} and {more} more." if more else f"{text}."
