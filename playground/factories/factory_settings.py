"""The settings of single factories: which environment variables a tool sees, and which network.

    TOOL_ENVIRONMENT, TOOL_NETWORK              for every factory
    TOOL_ENVIRONMENT_<ID>, TOOL_NETWORK_<ID>    for one factory

<ID> is the id of the factory's tool, or the name or path under which it is registered, in upper
case and with "_" for every character other than A-Z and 0-9. While a factory is imported for the
first time, the id of its tool is not yet known: variables that the import needs are given by the
other two ids, and its network is the strictest of all settings unless one of the other two ids has
its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from playground.runner.engine.worker_process import ALLOWED_ENVIRONMENT, clean_environment
from playground.runner.worker.network import NETWORKS, Network
from toolshelf_core.redaction import MAX_SECRET_BYTES, MAX_SECRETS, MIN_SECRET_CHARACTERS

ENVIRONMENT: Final = "TOOL_ENVIRONMENT"
NETWORK: Final = "TOOL_NETWORK"
_PROXIES: Final = tuple(name for name in ALLOWED_ENVIRONMENT if name.lower().endswith("_proxy"))
# Words of every text and program. Removing them would damage responses, and they protect nothing.
_NOT_SECRET: Final = frozenset({"true", "false", "none", "null"})


def factory_id(name: str) -> str:
    """`name` as the last part of a setting's name: "Get weather" is GET_WEATHER."""
    return re.sub("[^A-Z0-9]", "_", re.sub("[a-z]+", lambda match: match[0].upper(), name))


@dataclass(frozen=True)
class FactoryOptions:
    """The settings that apply to one factory.

    Attributes:
        environment: the variables of this factory alone, with their values.
        variables: the names of all listed variables that the factory sees, its own and those of
            every tool.
        unset: those of them that the site's environment does not have.
        secrets: the values to remove from everything that the factory's tool returns or prints.
    """

    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    network: Network = "all"


@dataclass(frozen=True, eq=False, repr=False)
class FactorySettings:
    """The settings of all factories.

    Attributes:
        source: the environment with the values of the variables.
        variables: for every factory, {name there: name in `source`}.
        variables_by_id: the same for single factories, by their ids.
        public: names of variables whose values are not secret.
        network: for every factory that `network_by_id` does not mention.
        network_by_id: for single factories.
    """

    source: Mapping[str, str]
    _: KW_ONLY
    variables: Mapping[str, str] = field(default_factory=dict)
    variables_by_id: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    public: Collection[str] = ()
    network: Network = "all"
    network_by_id: Mapping[str, Network] = field(default_factory=dict)

    def __repr__(self) -> str:
        return "FactorySettings()"

    @property
    def common_environment(self) -> dict[str, str]:
        """The variables that every tool sees, with their values."""
        return {**clean_environment((), self.source), **self._values(self.variables)}

    @property
    def networks(self) -> frozenset[Network]:
        """The networks that any factory may have."""
        return frozenset({self.network, *self.network_by_id.values()})

    def options(self, ids: Collection[str]) -> FactoryOptions:
        """The settings of the factory with these ids.

        Of several networks, the strictest applies.
        """
        networks = [self.network_by_id[each] for each in ids if each in self.network_by_id]
        return self._options(ids, networks or [self.network])

    def names_network(self, factory_id: str) -> bool:
        """Whether a setting gives the factory with this id a network of its own."""
        return factory_id in self.network_by_id

    def import_options(
        self, ids: Collection[str], unenforceable: Collection[Network] = ()
    ) -> FactoryOptions:
        """The settings while a factory is imported whose tool's id is not yet known.

        Without a network of its own by one of `ids`, it has the strictest network of all settings,
        because one of them may be for its tool, except those that this machine cannot enforce.
        """
        if not self.network_by_id.keys().isdisjoint(ids):
            return self.options(ids)
        others = [each for each in self.network_by_id.values() if each not in unenforceable]
        return self._options(ids, [self.network, *others])

    def unclaimed(self, known: Collection[str]) -> list[str]:
        """The names of settings whose ids are not among the `known` ones."""
        by_setting = {ENVIRONMENT: self.variables_by_id, NETWORK: self.network_by_id}
        return [
            f"{name}_{each}"
            for name, by_id in by_setting.items()
            for each in by_id
            if each not in known
        ]

    def faults(self, factories: Mapping[str, Collection[str]]) -> list[tuple[frozenset[str], str]]:
        """Why these settings are ambiguous or impossible, as sentences.

        Each has the factories that must not run.

        `factories` has the ids of each factory, by its reference.
        """
        return [*self._ambiguous(factories), *self._too_large(factories)]

    def _ambiguous(
        self, factories: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[frozenset[str], str]]:
        for setting, by_id in ((ENVIRONMENT, self.variables_by_id), (NETWORK, self.network_by_id)):
            for each in by_id:
                meant = sorted(reference for reference, ids in factories.items() if each in ids)
                if len(meant) > 1:
                    sentence = (
                        f"{setting}_{each} matches several factories: {', '.join(meant)}. Name "
                        "one of them by its path instead, or register it under another name."
                    )
                    yield frozenset(meant), sentence

    def _too_large(
        self, factories: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[frozenset[str], str]]:
        for reference, ids in factories.items():
            secrets = self.options(ids).secrets
            size = sum(len(secret.encode("utf-8", "surrogatepass")) for secret in secrets)
            if len(secrets) > MAX_SECRETS or size > MAX_SECRET_BYTES:
                sentence = (
                    f"The environment variables of {reference} have {len(secrets)} secret values "
                    f"with {size:,} bytes; at most {MAX_SECRETS} values with {MAX_SECRET_BYTES:,} "
                    "bytes can be removed from responses. List fewer variables, or list those "
                    "that are not secret in TOOL_PUBLIC_ENVIRONMENT instead."
                )
                yield frozenset({reference}), sentence

    def _options(self, ids: Collection[str], networks: Collection[Network]) -> FactoryOptions:
        own: dict[str, str] = {}
        for each in sorted(ids):
            own |= self.variables_by_id.get(each, {})
        listed = {**self.variables, **own}
        return FactoryOptions(
            environment=self._values(own),
            variables=tuple(sorted(listed)),
            unset=tuple(sorted(name for name, here in listed.items() if here not in self.source)),
            secrets=tuple(dict.fromkeys(self._secrets(listed))),
            network=next(each for each in NETWORKS if each in networks),
        )

    def _values(self, variables: Mapping[str, str]) -> dict[str, str]:
        return {name: self.source[here] for name, here in variables.items() if here in self.source}

    def _secrets(self, variables: Mapping[str, str]) -> Iterator[str]:
        for name, value in self._values(variables).items():
            if name not in self.public and value.strip().lower() not in _NOT_SECRET:
                yield from _removable(value)
        for name in _PROXIES:
            if password := _password_of(self.source.get(name, "")):
                yield from _removable(password)
                yield from _removable(unquote(password))


def _removable(value: str) -> Iterator[str]:
    if len(value) >= MIN_SECRET_CHARACTERS:
        yield value


def _password_of(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""
