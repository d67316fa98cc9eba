"""The registry of factories: which are installed, which tool each serves, and which are broken.

A factory is registered by an entry point in the group `toolshelf.factories`, or by
"module:attribute" in the setting `TOOL_FACTORIES`. This process never imports factories: a worker
does, each in a process of its own. The descriptions are cached in a file, so that a restart imports
only factories that have changed.

    registry().all()                     every factory, the broken ones with their error
    registry().for_tool("Get weather")   the factory that serves a tool, or None
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from playground.factories.description_cache import DescriptionCache
from playground.factories.discover import Registration, forget_packages, is_own, read_registrations
from playground.factories.factory_settings import (
    FactoryOptions,
    FactorySettings,
    factory_id,
)
from playground.factories.info import (
    FactoryInfo,
    broken,
    ids_of,
    info_of,
    known_ids,
    registered_ids,
    settle_claims,
)
from playground.factories.inspect import Description, describe
from playground.runner.engine.isolation_report import Feature, features_of
from playground.runner.engine.worker_process import ALL_MODES, WorkerProcess
from playground.runner.worker.describe_factory import MAX_SPEC_CHARACTERS
from playground.runner.worker.network import Network
from toolshelf_core.redaction import shared_redactor
from toolspec.errors import JSONTextError
from toolspec.text.reader import dumps, loads

logger = logging.getLogger(__name__)

IMPORT_LIMIT_S: Final = 20.0
FIRST_CALL_TIMEOUT_S: Final = 5.0
MAX_ERROR_CHARACTERS: Final = 4000  # of an error, which is cut there
MAX_SPEC_BYTES: Final = 4 * MAX_SPEC_CHARACTERS
# without the shared limits, which apply only to runs
_IMPORT_MODES: Final = [mode for mode in ALL_MODES if mode != "control groups"]


class FactoryRegistry:
    """The factories of one machine.

    May be used from any thread; the first call discovers and inspects them.
    """

    def __init__(
        self,
        paths: Sequence[str] = (),
        *,
        search_path: Sequence[str] = (),
        cache_file: Path | None = None,
        hidden: Sequence[str] = (),
        factory_settings: FactorySettings | None = None,
        import_limit_s: float = IMPORT_LIMIT_S,
        timeout_s: float = FIRST_CALL_TIMEOUT_S,
    ) -> None:
        """Create a registry, without discovering factories yet.

        Args:
            paths: the setting `TOOL_FACTORIES`.
            search_path: directories to search for packages, in addition to Python's own.
            cache_file: stores the descriptions for the next start.
            hidden: directories that a factory must not see during its import, as far as the machine
                allows it.
            factory_settings: the environment variables and networks of factories; None means the
                defaults.
            import_limit_s: for importing one factory.
            timeout_s: how long the first call waits for factories that are still being imported.
        """
        self._paths = tuple(paths)
        self._search_path = tuple(search_path)
        self._cache = DescriptionCache(cache_file)
        self._hidden = tuple(hidden)
        self.factory_settings = factory_settings or FactorySettings(os.environ)
        self._import_limit_s = import_limit_s
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._registrations: list[Registration] | None = None
        self._descriptions: dict[str, Description] = {}
        self._inspections = 0  # each has a number; only the latest may change the descriptions
        self._isolation: dict[str, Any] | None = None
        self._complete = threading.Event()
        self._infos: tuple[FactoryInfo, ...] | None = None

    def all(self) -> tuple[FactoryInfo, ...]:
        """Every factory, in order of precedence.

        Of several for one tool id, the first serves it.
        """
        self._discover()
        if self.factory_settings.networks != {"all"}:
            self._find_isolation()
        with self._lock:
            if self._infos is not None:
                return self._infos
            infos = self._with_options(
                settle_claims(
                    [info_of(each, self._descriptions) for each in self._registrations or ()]
                )
            )
            if self._complete.is_set():
                self._infos = infos
            return infos

    def named(self, name: str) -> list[FactoryInfo]:
        """The factories with this reference, else those with this key.

        Several packages may use the same key.
        """
        infos = self.all()
        return [each for each in infos if each.reference == name] or [
            each for each in infos if each.key == name
        ]

    def for_tool(self, tool_id: str, *, timeout_s: float = 0.0) -> FactoryInfo | None:
        """The factory that serves this tool, else a broken one that would serve it.

        `timeout_s`: how long to wait for factories that are still being imported, if none is known
        yet.
        """
        mine = [info for info in self.all() if info.tool_id == tool_id]
        if not mine and timeout_s and not self._complete.is_set():
            self._complete.wait(timeout_s)
            mine = [info for info in self.all() if info.tool_id == tool_id]
        return next((info for info in mine if info.state == "ok"), mine[0] if mine else None)

    def wait(self, timeout_s: float) -> bool:
        """Wait for factories that are still being imported.

        Return whether all have been inspected.
        """
        return self._complete.wait(timeout_s)

    def importing(self) -> list[str]:
        """The references of factories that are being imported for the first time."""
        with self._lock:
            return [
                each.reference
                for each in self._registrations or ()
                if each.reference not in self._descriptions
            ]

    def runnable_ids(self) -> frozenset[str]:
        """The ids of the tools that can be run."""
        return frozenset(info.tool_id for info in self.all() if info.state == "ok" and info.tool_id)

    def isolation(self) -> tuple[Feature, ...]:
        """The isolation of runs on this machine. The first call probes it, which takes a moment."""
        self._discover()
        return features_of(self._find_isolation())

    def setting_faults(self) -> list[str]:
        """The faults in the settings of factories, as sentences.

        They are those that are known without imports.
        """
        registrations = read_registrations(self._paths, self._search_path)
        cached = self._cache.read(registrations)
        infos = settle_claims([info_of(each, cached) for each in registrations])
        return [sentence for _, sentence in self.factory_settings.faults(ids_of(infos))]

    def unenforceable_networks(self) -> dict[Network, str]:
        """The networks of the settings that this machine cannot enforce, each with the reason."""
        if self.factory_settings.networks == {"all"}:
            return {}
        refused = self._find_isolation()["networks"]
        return {
            network: refused[network]
            for network in self.factory_settings.networks
            if refused.get(network)
        }

    def can_enforce(self, network: Network) -> bool:
        """Whether this machine can give a run this network.

        The first call probes it, which takes a moment.
        """
        return not self._find_isolation()["networks"].get(network)

    def connection_options(self, key: str) -> FactoryOptions:
        """The settings of a connection factory.

        Its network is "all" unless a setting names the factory: the address policy limits the
        addresses that a connection reaches.
        """
        found = self.factory_settings.options([factory_id(key)])
        return (
            found
            if self.factory_settings.names_network(factory_id(key))
            else replace(found, network="all")
        )

    def unclaimed_settings(self) -> list[str]:
        """The settings for single factories that fit none.

        [] while factories are still being imported.
        """
        infos = self.all()
        if not self._complete.is_set():
            return []
        return self.factory_settings.unclaimed(known_ids(ids_of(infos)))

    def refresh(self) -> None:
        """Discover the factories again, and begin to import them again.

        Packages may have been installed or changed.

        Until a factory has been imported, its earlier description remains. Those of Toolshelf
        itself are imported only if their own files have changed. `wait` tells when all are done.
        """
        forget_packages()
        with self._lock:
            registrations = read_registrations(self._paths, self._search_path)
            cached = self._cache.read([each for each in registrations if is_own(each)])
            registered = {each.reference for each in registrations}
            earlier = {
                name: found for name, found in self._descriptions.items() if name in registered
            }
            self._begin(registrations, cached, earlier)

    def _find_isolation(self) -> dict[str, Any]:
        if self._isolation is None:
            worker = self._start_worker(ALL_MODES)
            try:
                self._isolation = worker.read_isolation()
            finally:
                worker.close()
        return self._isolation

    def _with_options(self, infos: Sequence[FactoryInfo]) -> tuple[FactoryInfo, ...]:
        """`infos` with their settings.

        Factories whose settings are wrong or cannot be enforced are broken.
        """
        ids = ids_of(infos)
        faults = {
            reference: text
            for meant, text in self.factory_settings.faults(ids)
            for reference in meant
        }
        unenforceable = self.unenforceable_networks()
        found = []
        for each in infos:
            info = replace(each, options=self.factory_settings.options(ids[each.reference]))
            if info.error:
                info = replace(info, error=_without(info.options.secrets, info.error))
            elif reason := unenforceable.get(info.network):
                info = broken(info, _cannot_enforce(info.network, reason))
            found.append(broken(info, faults[info.reference]) if info.reference in faults else info)
        return tuple(found)

    def _import_options(self, registrations: Sequence[Registration]) -> dict[str, FactoryOptions]:
        """The settings with which each of `registrations` is imported.

        The ids of their tools are not yet known.
        """
        unenforceable = self.unenforceable_networks()
        return {
            each.reference: self.factory_settings.import_options(
                registered_ids(each), unenforceable
            )
            for each in registrations
        }

    def _discover(self) -> None:
        """Discover the factories and start to inspect those that are not cached.

        Wait for that at most `timeout_s`.
        """
        with self._lock:
            if self._registrations is None:
                registrations = read_registrations(self._paths, self._search_path)
                self._begin(registrations, self._cache.read(registrations), {})
            elif self._infos is not None:
                return
        if not self._complete.wait(self._timeout_s):
            self._timeout_s = 0.0  # later calls need not wait again

    def _begin(
        self,
        registrations: list[Registration],
        known: dict[str, Description],
        earlier: dict[str, Description],
    ) -> None:
        """Begin with these registrations, and inspect those that are not `known`.

        Call it with the lock held.

        Until then, the `earlier` descriptions remain.
        """
        self._registrations, self._descriptions, self._infos = registrations, earlier | known, None
        self._inspections += 1
        unknown = [each for each in registrations if each.reference not in known]
        if not unknown:
            self._complete.set()
            return
        self._complete.clear()
        arguments = (unknown, self._inspections)
        threading.Thread(
            target=self._describe, args=arguments, name="toolshelf-factories", daemon=True
        ).start()

    def _describe(self, registrations: list[Registration], inspection: int) -> None:
        """In a thread: fill in the descriptions of `registrations`, as they come."""
        try:
            worker = self._start_worker(_IMPORT_MODES)
            try:
                options = self._import_options(registrations)
                for reference, description in describe(
                    worker, options, timeout_s=self._import_limit_s
                ):
                    self._note(inspection, {reference: description})
            finally:
                worker.close()
        except OSError as error:
            logger.warning("The factories could not be described: %s", error)
            failed = Description(error=f"No process could be started to import it: {error}")
            self._note(inspection, {each.reference: failed for each in registrations})
        finally:
            if inspection == self._inspections:
                self._cache.write(self._registrations or (), self._descriptions)
            with self._lock:
                if inspection == self._inspections:
                    self._complete.set()

    def _note(self, inspection: int, found: dict[str, Description]) -> None:
        with self._lock:
            if inspection == self._inspections:
                ids = {each.reference: registered_ids(each) for each in self._registrations or ()}
                self._descriptions |= {
                    name: self._without_secrets(one, ids[name]) for name, one in found.items()
                }

    def _without_secrets(self, found: Description, ids: frozenset[str]) -> Description:
        """`found` with a spec that contains no values of environment variables.

        Its author's code has read them.
        """
        ids = ids | {factory_id(found.tool_id)} if found.tool_id else ids
        redactor = shared_redactor(self.factory_settings.options(ids).secrets)
        if not redactor:
            return found
        error = redactor.cut_text(found.spec_error) if found.spec_error else None
        try:
            spec = (
                dumps(redactor.value(loads(found.spec, max_bytes=MAX_SPEC_BYTES)))
                if found.spec
                else None
            )
        except JSONTextError as problem:
            return replace(found, spec=None, spec_error=f"Its spec is not valid JSON. {problem}")
        return replace(found, spec=spec, spec_error=error)

    def inspect(self, reference: str, *, search_path: Sequence[str] = ()) -> Description:
        """Describe a factory that need not be registered: import it, isolated, and make its spec.

        Args:
            reference: "module:attribute", or "module.attribute".
            search_path: directories to import it from, before Python's own.

        Raises:
            OSError: no process can be started.
        """
        (registration,) = read_registrations([reference], search_path)[:1]
        ids = registered_ids(registration)
        options = self.factory_settings.import_options(ids, self.unenforceable_networks())
        worker = self._start_worker(_IMPORT_MODES, search_path)
        try:
            *_, (_, found) = describe(
                worker, {registration.reference: options}, timeout_s=self._import_limit_s
            )
        finally:
            worker.close()
        found = self._without_secrets(found, ids)
        return (
            replace(found, error=_without(options.secrets, found.error)) if found.error else found
        )

    def _start_worker(self, modes: Sequence[str], search_path: Sequence[str] = ()) -> WorkerProcess:
        return WorkerProcess(
            environment=self.factory_settings.common_environment,
            search_path=[*search_path, *self._search_path],
            hidden=self._hidden,
            modes=modes,
        )


def _without(secrets: tuple[str, ...], error: str) -> str:
    redactor = shared_redactor(secrets)
    return redactor.text(error) if len(error) < MAX_ERROR_CHARACTERS else redactor.cut_text(error)


def _cannot_enforce(network: Network, reason: str) -> str:
    return (
        f'Its network is set to "{network}", which cannot be enforced on this machine: {reason}. '
        'Allow network namespaces here, or set its network to "all".'
    )


@cache
def registry() -> FactoryRegistry:
    """The registry of this site, configured by its settings."""
    return FactoryRegistry(
        settings.TOOL_FACTORIES,
        cache_file=settings.DATA_DIR / "factories.json",
        hidden=[str(settings.DATA_DIR)],
        factory_settings=FactorySettings(
            os.environ,
            variables=settings.TOOL_ENVIRONMENT,
            variables_by_id=settings.TOOL_ENVIRONMENT_BY_FACTORY,
            public=settings.TOOL_PUBLIC_ENVIRONMENT,
            network=settings.TOOL_NETWORK,
            network_by_id=settings.TOOL_NETWORK_BY_FACTORY,
        ),
    )
