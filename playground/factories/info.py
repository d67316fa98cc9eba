"""One factory: who provides it, which tool it serves, and why it is broken."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from playground.factories.discover import Origin, Registration
from playground.factories.factory_settings import FactoryOptions, factory_id
from playground.factories.inspect import Description
from playground.runner.worker.network import Network

if TYPE_CHECKING:  # the registry is imported before models can be
    from catalog.sources.models import SourceTool

CONNECTION_KEYS: Final = (
    "connection-mcp",
    "connection-command",
    "connection-openapi",
)  # `connections.py`
IMPORTING: Final = "It is still being imported."
_NO_MODULE: Final = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")

Status = Literal["ready", "broken", "missing package", "importing"]


@dataclass(frozen=True)
class FactoryInfo:
    """One factory.

    Attributes:
        key: the entry point's name, or the path in the setting.
        reference: "module:attribute".
        distribution, version: of the package that provides it; None if unknown. file: of its
        module; "" if it has not been found. error: why it is broken: a plain sentence, then
        possibly a short traceback. tool_id: the tool that it serves, or would serve if it were not
        broken; None if importing it failed. configurable: whether it creates the tool from a
        configuration. forks_safely: False if importing it starts threads: each run then imports it
        again. spec: its own spec as JSON text, without secrets; None if it cannot be made, or is
        still being made. spec_error: why there is no spec. options: its environment variables and
        its network. listed: the tool at its source, if the factory is a connection
        (`connections.py`).
    """

    key: str
    reference: str
    origin: Origin
    distribution: str | None
    version: str | None
    state: Literal["ok", "broken"]
    file: str = ""
    error: str | None = None
    tool_id: str | None = None
    configurable: bool | None = None
    forks_safely: bool = True
    spec: str | None = field(default=None, repr=False)
    spec_error: str | None = None
    options: FactoryOptions = field(default_factory=FactoryOptions)
    listed: SourceTool | None = field(default=None, repr=False)

    @property
    def error_line(self) -> str:
        """Why it is broken, in one sentence."""
        return (self.error or "").partition("\n")[0]

    @property
    def status(self) -> Status:
        """Its state, more exactly.

        One that is not "ok" may still be "importing", or need a "missing package".
        """
        if self.state == "ok":
            return "ready"
        if self.error == IMPORTING:
            return "importing"
        return "missing package" if self.missing_package else "broken"

    @property
    def missing_package(self) -> str:
        """The package that its code imports and that is not installed.

        "" if it is broken for another reason.
        """
        found = _NO_MODULE.match(self.error_line)
        own = self.reference.partition(":")[0]
        return found[1] if found and not f"{own}.".startswith(f"{found[1]}.") else ""

    @property
    def network(self) -> Network:
        return self.options.network

    @property
    def label(self) -> str:
        """The factory as stored with each run: "toolshelf-builtins 1.2.0", or "source github"."""
        if self.listed is not None:
            return f"source {self.listed.source.name}"
        return (
            f"{self.distribution} {self.version}"
            if self.distribution and self.version
            else self.reference
        )


def info_of(registration: Registration, descriptions: dict[str, Description]) -> FactoryInfo:
    """The factory, as far as it has been inspected."""
    found = descriptions.get(registration.reference) or Description(error=IMPORTING)
    return FactoryInfo(
        key=registration.key,
        reference=registration.reference,
        origin=registration.origin,
        distribution=registration.distribution or None,
        version=registration.version or None,
        file=registration.file,
        state="broken" if found.error else "ok",
        **vars(found),
    )


def settle_claims(infos: list[FactoryInfo]) -> tuple[FactoryInfo, ...]:
    """If several factories serve one tool, the first wins, and the others are marked as broken."""
    holders: dict[str, FactoryInfo] = {}
    settled = []
    for info in infos:
        holder = holders.setdefault(info.tool_id, info) if info.tool_id else info
        if holder is not info:
            error = (
                f'The tool id "{info.tool_id}" is already served by '
                f"{holder.reference} ({holder.label})."
            )
            settled.append(broken(info, error))
        else:
            settled.append(info)
    return tuple(settled)


def broken(info: FactoryInfo, error: str) -> FactoryInfo:
    """`info` as broken, for this reason."""
    return replace(info, state="broken", error=error)


def registered_ids(registered: Registration | FactoryInfo) -> frozenset[str]:
    """The ids of a factory in settings, without that of its tool."""
    return frozenset({factory_id(registered.key), factory_id(registered.reference)})


def ids_of(infos: Sequence[FactoryInfo]) -> dict[str, frozenset[str]]:
    """The ids of each factory in settings, by its reference.

    The id of a tool belongs to the first that claims it.
    """
    found = {info.reference: registered_ids(info) for info in infos}
    claimed = set()
    for info in infos:
        if info.tool_id and info.tool_id not in claimed:
            claimed.add(info.tool_id)
            found[info.reference] |= {factory_id(info.tool_id)}
    return found


def known_ids(ids: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """All ids that settings may name."""
    return frozenset(map(factory_id, CONNECTION_KEYS)).union(*ids.values())
