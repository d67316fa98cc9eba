"""Accounts and API tokens in the admin: an account can be disabled, a token revoked.

The page **People** sets roles and groups, and `delete_person` deletes an account. Sign-in links and
failed sign-ins are left out: nobody should edit them.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from accounts.models import ApiToken, User
from accounts.tokens import revoke_token
from toolshelf_core import audit
from toolshelf_core.read_only_admin import ReadOnlyAdmin
from toolshelf_core.templatetags.text_display import count


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("username", "email", "is_active", "is_staff", "is_superuser", "last_login")
    search_fields = ("username", "email")
    fields = (*list_display, "date_joined")
    readonly_fields = tuple(name for name in fields if name != "is_active")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whether an account can be disabled; that of a superuser only by another superuser."""
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return bool(request.user.has_perm("accounts.change_user"))

    def save_model(
        self,
        request: HttpRequest,  # noqa: ARG002
        obj: User,
        form: Any,  # noqa: ARG002
        change: bool,  # noqa: ARG002
    ) -> None:
        """Save, and record; the caller is in a transaction."""
        before = User.objects.get(pk=obj.pk)
        obj.save(update_fields=["is_active"])
        facts = {"is_active": before.is_active}, {"is_active": obj.is_active}
        audit.record_change("person.change", "person", obj.username, *facts)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens can be revoked. Their secrets are not stored, and their digests are not shown."""

    list_display = ("name", "user", "hint", "scopes", "created_at", "expires_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "name", "hint")
    fields = (*list_display, "revoked_at")
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Called by Django for the action below."""
        return bool(request.user.has_perm("accounts.change_apitoken"))

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken, Any]) -> None:
        number = 0
        for token in tokens:
            if revoke_token(token):
                number += 1
                self.log_change(request, token, "Revoked.")
        messages.success(request, f"{count(number, 'token')} revoked.")
