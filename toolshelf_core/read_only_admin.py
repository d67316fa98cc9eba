"""Admin pages of tables whose rows are looked up: they show chosen columns, and change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ModelAdmin):
    """Shows rows to staff who may view them. Subclasses allow single changes explicitly."""

    show_full_result_count = False  # tables can have millions of rows

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(
        self,
        request: HttpRequest,  # noqa: ARG002
        obj: Model | None = None,  # noqa: ARG002
    ) -> bool:
        return False

    has_delete_permission = has_change_permission

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).only("pk", *self.fields)  # type: ignore[misc]


def show_table(model: type[Model], *columns: str, search: Sequence[str] = ()) -> None:
    """Show these columns of a table in the admin, and no others; newest rows first.

    So secrets in other columns stay hidden.
    """
    relations = [name for name in columns if model._meta.get_field(name).is_relation]
    options = {
        "list_display": columns,
        "fields": columns,
        "list_select_related": relations,
        "search_fields": search,
        "ordering": ("-pk",),
    }
    admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), options))
