"""Accounts and API tokens in the admin. Sign-in links and failed sign-ins are left out: nobody should edit them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from catalog import audit
from catalog.accounts.deletion import consequences, delete_person
from catalog.accounts.models import ApiToken, User
from catalog.accounts.tokens import end_tokens, revoke_token
from catalog.errors import AccountError
from catalog.read_only_admin import ReadOnlyAdmin

if TYPE_CHECKING:
    BaseUserAdmin = UserAdmin[User]
else:
    BaseUserAdmin = UserAdmin

PRIVILEGES = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(User)
class AccountAdmin(BaseUserAdmin):
    """Accounts are deactivated, or deleted by a superuser, after a page that lists the consequences (deletion.py).

    The name cannot be changed, because the search index and filters of lists contain it. Only superusers grant
    privileges and edit superusers; other staff could make themselves superusers otherwise.
    """

    list_display = ("username", "email", "is_active", "is_staff", "is_superuser", "last_login")
    actions = ("delete_people",)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fixed = ("last_login", "date_joined", *(("username",) if obj else ()))
        return fixed if request.user.is_superuser else (*fixed, *PRIVILEGES)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002
        return False  # Django's page would list every row; see `delete_people`

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save, and record; the caller is in a transaction. Groups follow in `save_related`."""
        before = _facts_of(User.objects.get(pk=obj.pk)) if change else None
        super().save_model(request, obj, form, change)
        if before is None:
            audit.record(
                "person.create", "person", obj.username, after={"id": obj.pk, **_facts_of(obj)}
            )
        else:
            audit.record_change("person.change", "person", obj.username, before, _facts_of(obj))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        before = _privileges_of(form.instance)
        super().save_related(request, form, formsets, change)
        audit.record_change(
            "person.change", "person", form.instance.username, before, _privileges_of(form.instance)
        )

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002
        form_url: str = "",
    ) -> HttpResponse:
        """Record that an administrator set a person's password."""
        with transaction.atomic():
            before = User.objects.filter(pk=id).values_list("password", flat=True).first()
            response = super().user_change_password(request, id, form_url)
            person = User.objects.filter(pk=id).first()
            if person is not None and person.password != before:
                audit.record("password.change", "person", person.username)
                end_tokens(person)
        return response

    def has_delete_people_permission(self, request: HttpRequest) -> bool:
        """Asked by Django for the action below."""
        return bool(request.user.is_superuser)

    @admin.action(description="Delete the selected people", permissions=["delete_people"])
    def delete_people(
        self, request: HttpRequest, users: QuerySet[User, Any]
    ) -> HttpResponse | None:
        """Show what deleting the people does; delete them once that is confirmed."""
        if "confirmed" not in request.POST:
            people = [(user, consequences(user)) for user in users]
            context = {
                **self.admin_site.each_context(request),
                "title": "Delete people",
                "people": people,
            }
            return render(request, "admin/delete_people.html", context)
        for user in users:
            name = user.username
            try:
                delete_person(user)
            except AccountError as error:
                messages.error(request, str(error))
                continue
            messages.success(request, f"{name} is deleted.")
        return None


def _facts_of(user: User) -> dict[str, object]:
    """For the audit log."""
    names = (
        "username",
        "email",
        "first_name",
        "last_name",
        "is_active",
        "is_staff",
        "is_superuser",
    )
    return {name: getattr(user, name) for name in names}


def _privileges_of(user: User) -> dict[str, object]:
    permissions = user.user_permissions.order_by("pk").values_list("codename", flat=True)
    return {
        "groups": sorted(user.groups.values_list("name", flat=True)),
        "permissions": list(permissions),
    }


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens can be revoked. Their secrets are not stored, and their digests are not shown."""

    list_display = (
        "__str__",
        "user",
        "scopes",
        "state",
        "created_at",
        "expires_at",
        "last_used_at",
    )
    list_select_related = ("user",)
    search_fields = ("user__username", "name", "hint")
    fields = (
        "user",
        "name",
        "hint",
        "scopes",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Called by Django for the action below."""
        return bool(request.user.has_perm("accounts.change_apitoken"))

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken, Any]) -> None:
        revoked = [token for token in tokens if revoke_token(token)]
        for token in revoked:
            self.log_change(request, token, "Revoked.")
        messages.success(
            request, f"{len(revoked)} token{'' if len(revoked) == 1 else 's'} revoked."
        )
