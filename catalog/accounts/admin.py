"""Accounts and API tokens in the admin. Sign-in links and failed sign-ins are not there: nobody should edit them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from catalog.accounts.models import ApiToken, User
from catalog.accounts.tokens import revoke_token
from catalog.read_only_admin import ReadOnlyAdmin

if TYPE_CHECKING:
    BaseUserAdmin = UserAdmin[User]
else:
    BaseUserAdmin = UserAdmin

PRIVILEGES = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(User)
class AccountAdmin(BaseUserAdmin):
    """Accounts are deactivated, never deleted: uploads and revisions refer to them.

    The name cannot be changed, because the search index and filters of lists contain it. Only superusers grant
    privileges and edit superusers; other staff could make themselves superusers otherwise.
    """

    list_display = ("username", "email", "is_active", "is_staff", "is_superuser", "last_login")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fixed = ("last_login", "date_joined", *(("username",) if obj else ()))
        return fixed if request.user.is_superuser else (*fixed, *PRIVILEGES)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens can be revoked. Their secrets are not stored, and their digests are not shown."""

    list_display = ("__str__", "user", "scopes", "state", "created_at", "expires_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "name", "hint")
    fields = ("user", "name", "hint", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Asked by Django for the action below."""
        return bool(request.user.has_perm("accounts.change_apitoken"))

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken, Any]) -> None:
        revoked = [token for token in tokens if revoke_token(token)]
        for token in revoked:
            self.log_change(request, token, "Revoked.")
        messages.success(request, f"{len(revoked)} token{'' if len(revoked) == 1 else 's'} revoked.")
