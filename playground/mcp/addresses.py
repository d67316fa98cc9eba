"""The address of the MCP server for a tool, a toolkit or the whole catalog, for clients."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin

from django.urls import reverse

from catalog.tools.models import Tool
from playground.mcp.clients import PLACEHOLDER, Server
from toolspec.catalog_names import group_key
from toolspec.exports.mcp_server import served_name


@dataclass(frozen=True, slots=True)
class Address:
    """`path` on this site; `name`: for clients; `mock`: whether calls return mocks."""

    path: str
    name: str
    mock: bool = False

    def server(self, site: str, token: str = PLACEHOLDER) -> Server:
        """The address at `site`, the URL of this site."""
        return Server(self.name, urljoin(site, self.path), token)


def address_of_catalog(*, mock: bool = False) -> Address:
    return Address(reverse("playground:mcp") + _query(mock), "toolshelf", mock)


def address_of_toolkit(toolkit: str, *, mock: bool = False) -> Address:
    key = group_key(toolkit)
    path = reverse("playground:mcp_toolkit", args=[key]) + _query(mock)
    return Address(path, f"toolshelf-{served_name(key)}".replace(".", "-").replace("_", "-"), mock)


def address_of_tool(tool: Tool) -> Address:
    """The address of its toolkit, else of the whole catalog.

    It is that of mocks if the tool cannot be run.
    """
    mock = not tool.runnable
    return (
        address_of_toolkit(tool.toolkit, mock=mock)
        if tool.toolkit_key
        else address_of_catalog(mock=mock)
    )


def _query(mock: bool) -> str:
    return "?mock=1" if mock else ""
