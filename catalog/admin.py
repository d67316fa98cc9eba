"""The catalog in the admin. Columns that mirror a spec are read-only, as is all history: specs are published instead.

A tool's owner can be changed, a tool archived or restored, and a waiver withdrawn. Each action uses the function that
the pages and the API use, so that the search index and the assessments stay correct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import ForeignKey, Model, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest

from catalog import lifecycle
from catalog.accounts.models import User
from catalog.linting.waivers import withdraw
from catalog.metadata import Organisation, organise
from catalog.models import HeldChange, Revision, Source, SourceSync, Tool, Waiver
from catalog.models.uploads import Upload
from catalog.read_only_admin import ReadOnlyAdmin


@admin.register(Tool)
class ToolAdmin(ReadOnlyAdmin):
    list_display = (
        "tool_id",
        "name",
        "toolkit",
        "owner",
        "score",
        "archived_at",
        "deprecated_at",
        "updated_at",
    )
    list_select_related = ("owner",)
    list_filter = (
        ("archived_at", admin.EmptyFieldListFilter),
        ("deprecated_at", admin.EmptyFieldListFilter),
    )
    search_fields = ("tool_id", "name", "slug")
    ordering = ("sort_name", "pk")
    raw_id_fields = ("owner",)
    fields = (
        "tool_id", "slug", "name", "description", "current", "owner", "toolkit", "spec_tags", "added_tags",
        "archived_at", "deprecated_at", "deprecation_note", "superseded_by", "score", "created_at", "updated_at",
    )  # fmt: skip
    readonly_fields = tuple(name for name in fields if name != "owner")
    actions = ("archive", "restore")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return bool(request.user.has_perm("catalog.change_tool"))

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        """Only active users can own a tool."""
        return super().formfield_for_foreignkey(
            db_field, request, **{**kwargs, "queryset": User.objects.filter(is_active=True)}
        )

    def save_model(self, request: HttpRequest, obj: Tool, form: Any, change: bool) -> None:  # noqa: ARG002
        organise(
            Tool.objects.get(pk=obj.pk),
            Organisation(owner=obj.owner.username if obj.owner else ""),
            by=None,
        )

    @admin.action(description="Archive the selected tools", permissions=["change"])
    def archive(self, request: HttpRequest, tools: QuerySet[Tool, Any]) -> None:
        self._change_each(request, tools, lifecycle.archive, "Archived.")
        messages.success(request, "Tools archived.")

    @admin.action(description="Restore the selected tools", permissions=["change"])
    def restore(self, request: HttpRequest, tools: QuerySet[Tool, Any]) -> None:
        self._change_each(request, tools, lifecycle.restore, "Restored.")
        messages.success(request, "Tools restored.")

    def _change_each(
        self,
        request: HttpRequest,
        tools: Iterable[Tool],
        change: Callable[[Tool], object],
        log_message: str,
    ) -> None:
        for tool in tools:
            change(tool)
            self.log_change(request, tool, log_message)


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    list_display = ("tool", "number", "sha256", "created_by", "created_at")
    list_select_related = ("tool", "created_by")
    search_fields = ("tool__tool_id", "sha256")
    ordering = ("-pk",)
    fields = ("tool", "number", "sha256", "created_by", "created_at", "source")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision, Any]:
        return super().get_queryset(request).defer("source", "tool__description")


@admin.register(Waiver)
class WaiverAdmin(ReadOnlyAdmin):
    list_display = ("tool", "rule", "pointer", "reason", "created_by", "created_at")
    list_select_related = ("tool", "created_by")
    search_fields = ("tool__tool_id", "rule")

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return bool(request.user.has_perm("catalog.delete_waiver"))

    def delete_model(self, request: HttpRequest, obj: Waiver) -> None:  # noqa: ARG002
        withdraw(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Waiver, Any]) -> None:  # noqa: ARG002
        for waiver in queryset:
            withdraw(waiver)


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = (
        "__str__",
        "by",
        "created_at",
        "ended_at",
        "failed",
        "created",
        "revised",
        "unchanged",
        "rejected",
    )
    list_select_related = ("by",)
    search_fields = ("by__username", "names")
    ordering = ("-created_at",)
    exclude = ("lease_id",)  # its holder can run the upload


@admin.register(Source)
class SourceAdmin(ReadOnlyAdmin):
    """Sources are changed on their own pages, which check addresses and encrypt credentials."""

    list_display = ("name", "kind", "address", "policy", "every_minutes", "next_sync_at", "owner")
    list_select_related = ("owner",)
    search_fields = ("name", "address")
    exclude = ("credentials", "document")


@admin.register(SourceSync)
class SourceSyncAdmin(ReadOnlyAdmin):
    list_display = (
        "source",
        "started_at",
        "ended_at",
        "by",
        "listed",
        "created",
        "revised",
        "held",
        "error",
    )
    list_select_related = ("source", "by")
    search_fields = ("source__name",)


@admin.register(HeldChange)
class HeldChangeAdmin(ReadOnlyAdmin):
    """Changes are approved and rejected on their own pages, with their difference."""

    list_display = (
        "tool_id",
        "source",
        "state",
        "verdict",
        "created_at",
        "decided_by",
        "decided_at",
    )
    list_select_related = ("source", "decided_by")
    list_filter = ("state",)
    search_fields = ("tool_id",)
