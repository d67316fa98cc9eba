"""The part of a source that a run needs.

It travels to the run's process as the configuration of the factory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Self

from toolshelf_core.outgoing.addresses import AddressPolicy
from toolspec.spec import MAX_SPEC_BYTES

# An MCP session also lists its tools; JSON with whitespace is longer than its value.
HEADROOM_BYTES: Final = 10_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Connection:
    """A source, the approved revision of one of its tools, and the limits of the run.

    Attributes:
        source: the source's name, for messages.
        remote_name: of the tool at the source.
        address: of the MCP server, or of the OpenAPI document ("" if that was uploaded).
        headers: the source's credentials; sent to the origin of `address` only.
        command: of an MCP server that runs on this machine, with its arguments; () for one
            with an address.
        environment: of this command.
        spec: the document of the approved revision.
        approved: the document of the newest revision that the source declared; {} if that
            is `spec`.
        update_policy: of the source: which changes need no approval.
        configuration: of the tool, as the person who runs it configured it.
        allowed_networks, proxy: the site's address policy.
        network: of the run: "none", "outward" or "all".
        timeout_s, response_bytes: the run's limits; the response with its files.
        max_spec_bytes: the longest spec that the site accepts.
    """

    source: str
    remote_name: str
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    spec: Mapping[str, Any] = field(repr=False)
    approved: Mapping[str, Any] = field(default_factory=dict, repr=False)
    update_policy: str = "compatible"
    configuration: Mapping[str, Any] = field(default_factory=dict, repr=False)
    allowed_networks: tuple[str, ...] = ()
    proxy: str = ""
    network: str = "all"
    timeout_s: float = 30.0
    response_bytes: int = 2**20
    max_spec_bytes: int = MAX_SPEC_BYTES

    def as_json(self) -> dict[str, Any]:
        """As the configuration of a factory."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["command"] = list(self.command)
        values["allowed_networks"] = list(self.allowed_networks)
        return values

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        lists = {name: tuple(value[name]) for name in ("command", "allowed_networks")}
        return cls(**{**value, **lists})

    @property
    def policy(self) -> AddressPolicy:
        """The address policy.

        Where the run's network has a proxy as its only way out, connections go through it.
        """
        proxy = os.environ.get("http_proxy", "") if self.network == "outward" else ""
        return AddressPolicy(self.allowed_networks, proxy or self.proxy)

    @property
    def max_bytes(self) -> int:
        """The bytes that one run may receive."""
        return 4 * self.response_bytes + HEADROOM_BYTES
