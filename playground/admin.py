"""The playground in the admin, read-only: runs and example checks are history, saved configurations are secret.

Parameters, responses and logs are on the run's page, which staff may open. The contents of saved configurations are
not shown anywhere.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from catalog.read_only_admin import ReadOnlyAdmin
from playground.models import ExampleCheck, Run, SavedConfiguration, SavedInput


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "tool", "by", "mode", "outcome", "verdict", "created_at", "finished_at")
    list_filter = ("outcome", "mode")
    search_fields = ("=id", "tool__tool_id", "by__username")
    ordering = ("-id",)
    fields = (
        "id", "tool", "revision", "by", "mode", "outcome", "verdict", "factory", "timeout_s", "configuration_name",
        "created_at", "started_at", "finished_at", "queue_ms", "start_ms", "call_ms", "check_ms", "host", "seen_at",
        "cancel_requested_at",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run, Any]:  # noqa: ARG002
        return Run.objects.without_texts().with_names()


@admin.register(ExampleCheck)
class ExampleCheckAdmin(ReadOnlyAdmin):
    list_display = ("id", "tool", "revision", "by", "passed", "failed", "created_at", "finished_at")
    list_select_related = ("tool", "revision", "by")
    search_fields = ("tool__tool_id",)
    fields = (
        "tool",
        "revision",
        "by",
        "exactly",
        "factory",
        "passed",
        "failed",
        "created_at",
        "finished_at",
    )


@admin.register(SavedConfiguration)
class SavedConfigurationAdmin(ReadOnlyAdmin):
    list_display = fields = ("name", "owner", "tool", "created_at", "updated_at")
    list_select_related = ("owner", "tool")
    search_fields = ("name", "owner__username", "tool__tool_id")


@admin.register(SavedInput)
class SavedInputAdmin(ReadOnlyAdmin):
    list_display = fields = ("name", "owner", "tool", "revision_number", "created_at", "updated_at")
    list_select_related = ("owner", "tool")
    search_fields = ("name", "owner__username", "tool__tool_id")
