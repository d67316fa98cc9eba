"""Which saved configuration MCP calls use.

An MCP client names a tool and its arguments, never a configuration.

A user chooses a saved configuration for a tool by its reference: the name of an own one,
"OWNER/NAME" of a shared one. Without a choice, a call uses no configuration.
"""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from catalog.tools.models import Tool
from playground.configurations.models import MCPConfiguration, SavedConfiguration
from playground.configurations.saved import find_configuration
from toolshelf_core import audit
from toolspec.errors import DocumentError, Problem


class ChosenConfigurationGone(Exception):
    """The configuration that is chosen for a tool no longer exists."""


def choose_configuration(owner: User, tool: Tool, name: str) -> None:
    """Use the saved configuration `name` for MCP calls of `tool`; "" for none.

    Raises:
        DocumentError: the user has no such configuration for this tool.
    """
    if name and find_configuration(owner, tool, name) is None:
        message = f"You have no saved configuration {name!r} for this tool."
        raise DocumentError([Problem("/saved_configuration", message, "configuration.unknown")])
    with transaction.atomic():
        before = {"configuration": chosen_configuration(owner, tool) or None}
        if name:
            MCPConfiguration.objects.update_or_create(
                owner=owner, tool=tool, defaults={"name": name}
            )
        else:
            MCPConfiguration.objects.filter(owner=owner, tool=tool).delete()
        after = {"configuration": name or None}
        audit.record_change("configuration.choose", "tool", tool.tool_id, before, after)


def chosen_configuration(owner: User, tool: Tool) -> str:
    """The reference that is chosen for the tool; "" for none."""
    choice = MCPConfiguration.objects.filter(owner=owner, tool=tool).first()
    return choice.name if choice else ""


def find_configuration_for_call(owner: User, tool: Tool) -> SavedConfiguration | None:
    """The saved configuration that an MCP call of `tool` uses; None if none is chosen.

    Raises:
        ChosenConfigurationGone: the one that is chosen for the tool was deleted.
    """
    name = chosen_configuration(owner, tool)
    if not name:
        return None
    configuration = find_configuration(owner, tool, name)
    if configuration is None:
        raise ChosenConfigurationGone(
            f"The saved configuration {name!r}, which its user chose for MCP calls of this tool, "
            "no longer exists or is no longer shared. The user can choose another one on the "
            "tool's page 'Connect'."
        )
    return configuration
