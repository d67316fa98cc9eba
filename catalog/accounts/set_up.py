"""The first start of a site that other machines can reach: a set-up link, with which its administrator is created.

The link is printed on the server's machine, so nobody else can become administrator by being the first visitor. It is a
sign-in link without an account: it works once, for a short time, and only while the site has no administrator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.forms import BaseUserCreationForm
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from catalog.accounts.models import SignInLink, User
from catalog.accounts.sign_in_links import usable_link, use_link
from catalog.accounts.users import LOCAL_OWNER

if TYPE_CHECKING:
    UserCreationForm = BaseUserCreationForm[User]
else:
    UserCreationForm = BaseUserCreationForm


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
    """The administrator that the valid `form` describes, or None if the link cannot be used any more."""
    with transaction.atomic():
        link = usable_link(secret)
        if link is None or link.user is not None or not use_link(link):
            return None
        SignInLink.objects.filter(user=None).delete()
        user: User = form.save(commit=False)
        user.is_staff = user.is_superuser = True
        user.save()
    return user
