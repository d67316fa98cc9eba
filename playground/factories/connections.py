"""Connections: the built-in factories that serve the tools of sources, by calling the source.

An installed factory for a tool comes first. A tool that its source no longer lists has no
connection.

    factory_of(tool)                 the factory that serves a tool: installed, connected, or None
    connected_ids()                  the ids of all tools that run through their sources
    connections()                    for pages: each connection with its sources
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from django.conf import settings
from django.db import connection as database
from django.db.models import Count, Q

from catalog.index import vocabulary
from catalog.sources.declared import NOT_APPROVED, declared_document, revisions_from
from catalog.sources.models import Source, SourceTool
from catalog.sources.redacting import secrets_in_headers
from catalog.tools.models import Revision, Tool
from playground.connections.connection import Connection
from playground.factories.info import FactoryInfo
from playground.factories.registry import registry
from toolshelf_core.encryption import Unreadable
from toolshelf_core.site_addresses import read_address_policy
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

GONE: Final = "The source {name} no longer lists this tool, so it cannot be called."
UNREADABLE: Final = (
    "The credentials of the source {name} cannot be decrypted: the key is no longer in the "
    "settings. Enter the credentials again on the page of the source."
)
GRACE_S: Final = 0.25  # for informing the source that its call was cancelled
# Node.js reserves more address space than runs may use memory, and aborts if it does not get it.
# The memory that the processes of a run use is limited as for every run.
COMMAND_ADDRESS_SPACE_BYTES: Final = 64 * 2**30
COMMAND_OPEN_FILES: Final = 1_024  # Node.js opens the files of many modules at the same time


@dataclass(frozen=True, slots=True)
class ConnectionFactory:
    """A built-in factory for the tools of the sources of one kind.

    Attributes:
        key: identifies it; its settings are TOOL_NETWORK_CONNECTION_… and
            TOOL_ENVIRONMENT_CONNECTION_….
        configurable: whether its tools may take a configuration.
    """

    key: str
    label: str
    reference: str
    configurable: bool


FACTORIES: Final[Mapping[str, ConnectionFactory]] = {  # by kind of source
    "mcp-http": ConnectionFactory(
        "connection-mcp",
        "MCP servers",
        "playground.connections.mcp_tool:MCPToolFactory",
        configurable=False,
    ),
    "mcp-stdio": ConnectionFactory(
        "connection-command",
        "MCP servers that are commands",
        "playground.connections.mcp_tool:MCPCommandFactory",
        configurable=False,
    ),
    "openapi": ConnectionFactory(
        "connection-openapi",
        "OpenAPI documents",
        "playground.connections.http_tool:HTTPToolFactory",
        configurable=True,
    ),
}


def factory_of(tool: Tool, *, timeout_s: float = 0.0) -> FactoryInfo | None:
    """The factory that serves `tool`; a broken one if there is no other.

    `timeout_s`: how long to wait for factories that are still being imported, if none is known yet.
    """
    installed = registry().for_tool(tool.tool_id)
    if installed is not None and installed.state == "ok":
        return installed
    found = SourceTool.objects.filter(catalog_tool=tool).select_related("source")
    listed = found.defer("source__document").first()
    if listed is not None and listed.source.is_connected:
        return _connected(listed)
    return installed or registry().for_tool(tool.tool_id, timeout_s=timeout_s)


def _connected(listed: SourceTool) -> FactoryInfo:
    """The connection to the source of a tool. The source's credentials are secrets of each run."""
    factory = FACTORIES[listed.source.kind]
    options = registry().connection_options(factory.key)
    info = FactoryInfo(
        key=factory.key,
        reference=factory.reference,
        origin="source",
        distribution=None,
        version=None,
        state="ok",
        tool_id=listed.tool_id,
        configurable=factory.configurable,
        options=options,
        listed=listed,
    )
    if listed.gone_at is not None:
        return replace(info, state="broken", error=GONE.format(name=listed.source.name))
    if (
        listed.catalog_tool_id is None
        or not revisions_from(listed.source, listed.catalog_tool_id).exists()
    ):
        return replace(info, state="broken", error=NOT_APPROVED)
    try:
        headers = listed.source.headers
    except Unreadable:
        return replace(info, state="broken", error=UNREADABLE.format(name=listed.source.name))
    secrets = (*options.secrets, *secrets_in_headers(headers))
    return replace(info, options=replace(options, secrets=secrets))


def connection_for(
    listed: SourceTool, revision: Revision, configuration: JSON, *, network: str, **limits: Any
) -> dict[str, JSON]:
    """The configuration of a connection factory for one run of the approved `revision`.

    `limits`: `timeout_s` and `response_bytes` of the run.
    """
    source, policy = listed.source, read_address_policy()
    is_command = source.kind == "mcp-stdio"
    made = Connection(
        source=source.name,
        remote_name=listed.remote_name,
        address="" if is_command else source.address,
        headers={} if is_command else source.headers,
        command=tuple(shlex.split(source.address)) if is_command else (),
        environment=source.headers if is_command else {},
        spec=declared_document(revision, source),
        approved=_approved_by(revision, source),
        update_policy=source.policy,
        network=network,
        configuration=members_of(configuration),
        allowed_networks=policy.allowed_networks,
        proxy=policy.proxy,
        max_spec_bytes=settings.MAX_SPEC_BYTES,
        **limits,
    )
    return made.as_json()


def limits_of(listed: SourceTool) -> dict[str, Any]:
    """The limits of a run through a source that differ from those of other runs."""
    is_command = listed.source.kind == "mcp-stdio"
    of_command = {
        "address_space_bytes": COMMAND_ADDRESS_SPACE_BYTES,
        "open_files": COMMAND_OPEN_FILES,
    }
    return {"grace_s": GRACE_S} | (of_command if is_command else {})


def _approved_by(revision: Revision, source: Source) -> dict[str, JSON]:
    """The newest definition that the source declared and that was approved.

    {} if it is that of `revision`.
    """
    newest = revisions_from(source, revision.tool_id).order_by("-number").first()
    return {} if newest is None or newest.pk == revision.pk else newest.spec.document


# -- for lists and pages ---------------------------------------------------------------------------


def connected_ids() -> frozenset[str]:
    """The ids of the tools that run through their sources. The same object while nothing changes.

    Called for every list: the state of the index says whether the ids in memory are still the right
    ones.
    """
    state, _ = vocabulary.state_and_size()
    return _connected_ids(str(database.settings_dict["NAME"]), state)


@lru_cache(maxsize=1)
def _connected_ids(_database: str, _state: int) -> frozenset[str]:
    return frozenset(SourceTool.objects.runnable().values_list("tool_id", flat=True))


def runnable_ids() -> frozenset[str]:
    """The ids of all tools that run here.

    The same object while nothing changes: caches compare it.
    """
    return _joined(registry().runnable_ids(), connected_ids())


@lru_cache(maxsize=1)
def _joined(installed: frozenset[str], connected: frozenset[str]) -> frozenset[str]:
    return installed | connected


@dataclass(frozen=True, slots=True)
class ConnectionInfo:
    """A connection factory with its sources, each with `runnable_tools`, and its network."""

    factory: ConnectionFactory
    sources: Sequence[Any]
    network: str

    @property
    def tools(self) -> int:
        return sum(source.runnable_tools for source in self.sources)


def connections() -> list[ConnectionInfo]:
    counted = Count("tools", filter=Q(tools__gone_at=None, tools__catalog_tool__isnull=False))
    stored = Source.objects.defer("document")
    sources = list(stored.annotate(runnable_tools=counted).order_by("name"))
    found = []
    for kind, factory in FACTORIES.items():
        own = [source for source in sources if source.kind == kind]
        network = registry().connection_options(factory.key).network
        found.append(ConnectionInfo(factory, own, network))
    return found
