"""The accounts that the options of commands name."""

from __future__ import annotations

from django.core.management.base import CommandError

from accounts.models import User


def find_user(name: str | None) -> User | None:
    """The account that `--user` names; None without the option.

    Raises:
        CommandError: there is no such account.
    """
    if name is None:
        return None
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user {name!r}.", returncode=2)
    return user
