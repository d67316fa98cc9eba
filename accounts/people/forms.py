"""The forms with which administrators add people, and put them into groups."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.roles import READY_GROUPS, record_group_changes, role_of, set_role
from accounts.sign_in_links import invite
from accounts.users import create_account
from toolshelf_core import audit
from toolshelf_core.errors import AccountError
from toolshelf_core.stored_form import StoredForm

MAX_GROUP_CHARACTERS: Final = 150
SUPERUSER: Final = (
    "A superuser is always an administrator. Change that in the admin, or with a command."
)
ROLES: Final = {
    "reader": "sees the tools that signed-in people see",
    "runner": "also runs tools and saves configurations",
    "publisher": "also uploads tools, and proposes revisions of the tools of others",
    "administrator": "does everything, for all tools and people",
}


def own_groups() -> QuerySet[Group]:
    """The groups besides the built-in ones, by name."""
    return Group.objects.exclude(name__in=READY_GROUPS).order_by("name")


class RoleField(forms.ChoiceField):
    def __init__(self) -> None:
        refusal = f"Choose one of the roles {', '.join(ROLES)}."
        super().__init__(
            choices=list(ROLES.items()),
            error_messages={"required": refusal, "invalid_choice": refusal},
        )


class NewPersonForm(StoredForm):
    """The name and the role of a new account."""

    name = forms.CharField(required=False)
    role = RoleField()

    @sensitive_variables()
    def save(self) -> str | None:
        """Create the account.

        Returns the secret of a link that signs it in, or None if it was refused.
        """
        if not self.is_valid():
            return None
        try:
            return self._create()
        except AccountError as error:
            self.add_error("name", str(error))
            return None

    @transaction.atomic
    @sensitive_variables()
    def _create(self) -> str:
        user = create_account(self.cleaned_data["name"])
        with record_group_changes(user):
            set_role(user, self.cleaned_data["role"])
        return invite(user)


class PersonForm(StoredForm):
    """The role of `user` and their groups, which the person `by` changes."""

    role = RoleField()
    groups = forms.MultipleChoiceField(
        required=False,
        error_messages={"invalid_choice": "There is no group %(value)s. It may have been deleted."},
    )

    def __init__(self, user: User, by: User, data: Any = None) -> None:
        self.user, self.by = user, by
        initial = {
            "role": role_of(user),
            "groups": [group.name for group in own_groups().filter(user=user)],
        }
        super().__init__(data, initial=initial, auto_id=False)
        names = own_groups().values_list("name", flat=True)
        field: Any = self.fields["groups"]
        field.choices = [(name, name) for name in names]

    def clean_role(self) -> str:
        role: str = self.cleaned_data["role"]
        if role != "administrator" and self.user == self.by:
            raise ValidationError(
                "You cannot remove your own administrator role; another administrator can."
            )
        if role != "administrator" and self.user.is_superuser:
            raise ValidationError(SUPERUSER)
        return role

    def save(self) -> bool:
        """Store role and groups; False if they were refused."""
        if not self.is_valid():
            return False
        chosen = own_groups().filter(name__in=self.cleaned_data["groups"])
        with record_group_changes(self.user):
            self.user.groups.remove(*own_groups().exclude(pk__in=chosen))
            self.user.groups.add(*chosen)
            set_role(self.user, self.cleaned_data["role"])
        return True


class GroupForm(StoredForm):
    """The name of a group to create or delete. The built-in groups stay."""

    name = forms.CharField(required=False)

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        if (
            not name
            or len(name) > MAX_GROUP_CHARACTERS
            or not name.isprintable()
            or name in READY_GROUPS
        ):
            raise ValidationError(
                f"Enter a name of 1 to {MAX_GROUP_CHARACTERS} characters "
                "that is not the name of a built-in group."
            )
        return name

    @transaction.atomic
    def create(self) -> str | None:
        """The name of the group that was created; None if it was refused."""
        if not self.is_valid():
            return None
        group, is_new = Group.objects.get_or_create(name=self.cleaned_data["name"])
        if not is_new:
            self.add_error("name", f"The group {group.name} already exists.")
            return None
        audit.record("group.create", "group", group.name)
        return group.name

    @transaction.atomic
    def delete(self) -> str | None:
        """The name of the group that was deleted; None if there is no such group."""
        group = (
            own_groups().filter(name=self.cleaned_data["name"]).first() if self.is_valid() else None
        )
        if group is None:
            return None
        people = list(
            User.objects.filter(groups=group)
            .order_by("username")
            .values_list("username", flat=True)
        )
        group.delete()
        audit.record("group.delete", "group", group.name, before={"people": people})
        return group.name
