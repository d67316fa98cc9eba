"""Which saved configuration MCP calls use: an MCP client names a tool and its arguments, never a configuration.

A user chooses a saved configuration by its reference (the name of an own one, "OWNER/NAME" of a shared one), for one
tool, or for all tools of a toolkit: then each of its tools uses the configuration with that reference, if there is one.
The choice for a tool takes precedence. Without a choice, a call uses no configuration.
"""

from __future__ import annotations

from django.db import transaction

from catalog import audit
from catalog.accounts.models import User
from catalog.errors import DocumentError, Problem
from catalog.models import Tool
from catalog.search.document import group_key
from playground.configurations.saved import Choice, choices_for, find_configuration
from playground.models import MCPConfiguration, SavedConfiguration, SavedConfigurationQuerySet


class ChosenConfigurationGone(Exception):
    """The configuration that is chosen for a tool no longer exists."""


def choose_for_tool(owner: User, tool: Tool, name: str) -> None:
    """Use the saved configuration `name` for MCP calls of `tool`; "" for none.

    Raises:
        DocumentError: the user has no such configuration for this tool.
    """
    _choose(owner, name, SavedConfiguration.objects.filter(tool=tool), tool=tool, toolkit_key="")


def choose_for_toolkit(owner: User, toolkit: str, name: str) -> None:
    """Use the saved configurations called `name` for MCP calls of the tools of `toolkit`; "" for none.

    Raises:
        DocumentError: the user has no such configuration for any of its tools.
    """
    key = group_key(toolkit)
    saved = SavedConfiguration.objects.filter(tool__toolkit_key=key)
    _choose(owner, name, saved, tool=None, toolkit_key=key)


def _choose(
    owner: User,
    name: str,
    saved: SavedConfigurationQuerySet,
    *,
    tool: Tool | None,
    toolkit_key: str,
) -> None:
    if name and saved.named(name, owner) is None:
        place = "for this tool" if tool else "for a tool of this toolkit"
        message = f"You have no saved configuration {name!r} {place}."
        raise DocumentError([Problem("/saved_configuration", message, "configuration.unknown")])
    with transaction.atomic():
        earlier = MCPConfiguration.objects.filter(
            owner=owner, tool=tool, toolkit_key=toolkit_key
        ).first()
        if name:
            MCPConfiguration.objects.update_or_create(
                owner=owner, tool=tool, toolkit_key=toolkit_key, defaults={"name": name}
            )
        elif earlier:
            MCPConfiguration.objects.filter(pk=earlier.pk).delete()
        object_type, object_id = ("tool", tool.tool_id) if tool else ("toolkit", toolkit_key)
        before = {"configuration": earlier.name if earlier else None}
        audit.record_change(
            "configuration.choose", object_type, object_id, before, {"configuration": name or None}
        )


def chosen_for_tool(owner: User, tool: Tool) -> str:
    """The name that is chosen for the tool itself; "" for none."""
    return (
        MCPConfiguration.objects.filter(owner=owner, tool=tool)
        .values_list("name", flat=True)
        .first()
        or ""
    )


def chosen_for_toolkit(owner: User, toolkit: str) -> str:
    """The name that is chosen for the toolkit; "" for none."""
    chosen = MCPConfiguration.objects.filter(owner=owner, tool=None, toolkit_key=group_key(toolkit))
    return chosen.values_list("name", flat=True).first() or ""


def choices_in_toolkit(owner: User, toolkit: str) -> list[Choice]:
    """The configurations of the toolkit's tools that the user may choose."""
    return choices_for(
        owner, SavedConfiguration.objects.filter(tool__toolkit_key=group_key(toolkit))
    )


def configuration_for_call(owner: User, tool: Tool) -> SavedConfiguration | None:
    """The saved configuration that an MCP call of `tool` uses; None if none is chosen.

    Raises:
        ChosenConfigurationGone: the one that is chosen for the tool was deleted.
    """
    if name := chosen_for_tool(owner, tool):
        found = find_configuration(owner, tool, name)
        if found is None:
            raise ChosenConfigurationGone(
                f"The saved configuration {name!r}, which its user chose for MCP calls of this tool, no longer "
                "exists or is no longer shared. The user can choose another one on the tool's page 'Connect'."
            )
        return found
    name = chosen_for_toolkit(owner, tool.toolkit) if tool.toolkit_key else ""
    return find_configuration(owner, tool, name) if name else None
