"""Star a tool, remove the star, and list a person's starred tools."""

from __future__ import annotations

from django.db import connection

from catalog.accounts.models import Person, User
from catalog.models import Star, Tool, ToolQuerySet


def star(tool: Tool, person: User) -> None:
    """Mark a tool; without effect if the person has marked it already."""
    Star.objects.get_or_create(user=person, tool=tool)


def unstar(tool: Tool, person: User) -> None:
    """Remove the mark, if there is one."""
    Star.objects.filter(user=person, tool=tool).delete()


def starred_ids(person: Person) -> frozenset[int]:
    """The primary keys of all tools that the person has starred, by one query; none for a visitor.

    Some of them may be hidden from the person by now: use it to mark tools that are shown anyway.
    """
    if not isinstance(person, User):
        return frozenset()
    with (
        connection.cursor() as cursor
    ):  # by hand, because every list asks: a queryset takes four times as long
        cursor.execute("SELECT tool_id FROM catalog_star WHERE user_id = %s", [person.pk])
        return frozenset(pk for (pk,) in cursor.fetchall())


def starred_tools(person: User) -> ToolQuerySet:
    """The starred tools that the person may see, without archived ones, last starred first; with a row's columns."""
    tools = Tool.objects.visible_to(person).available().for_rows()
    return tools.filter(star__user=person).order_by("-star__created_at", "-star__pk")
