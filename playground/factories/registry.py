"""The registry of factories: which are installed, which tool each serves, and which are broken.

A factory is registered by an entry point in the group `toolshelf.factories`, or by "module:attribute" in the setting
`TOOL_FACTORIES`. This process never imports factories: a worker does, each in a process of its own. The descriptions
are cached in a file, so that a restart imports only factories that have changed.

    registry().all()                     every factory, the broken ones with their error
    registry().for_tool("Get weather")   the factory that serves a tool, or None
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from django.conf import settings

from playground.factories.discover import Origin, Registration, read_registrations
from playground.factories.inspect import Description, describe
from playground.runner.isolation_report import Feature, features_of
from playground.runner.worker_process import ALL_MODES, WorkerProcess, clean_environment

logger = logging.getLogger(__name__)

IMPORT_LIMIT_S: Final = 20.0
PATIENCE_S: Final = 5.0
_FORMAT: Final = 1


@dataclass(frozen=True)
class FactoryInfo:
    """One factory.

    Attributes:
        key: the entry point's name, or the path in the setting.
        reference: "module:attribute".
        distribution, version: of the package that provides it; None if unknown.
        error: why it is broken: a plain sentence, then possibly a short traceback.
        tool_id: the tool that it serves, or would serve if it were not broken; None if importing it failed.
        configurable: whether it creates the tool from a configuration.
        forks_safely: False if importing it starts threads: each run then imports it anew.
    """

    key: str
    reference: str
    origin: Origin
    distribution: str | None
    version: str | None
    state: Literal["ok", "broken"]
    error: str | None = None
    tool_id: str | None = None
    configurable: bool | None = None
    forks_safely: bool = True

    @property
    def label(self) -> str:
        """The factory as stored with each run: "toolshelf-builtins 1.2.0"."""
        return f"{self.distribution} {self.version}" if self.distribution and self.version else self.reference


class FactoryRegistry:
    """The factories of one machine. May be used from any thread; the first call discovers and inspects them."""

    def __init__(
        self,
        paths: Sequence[str] = (),
        *,
        search_path: Sequence[str] = (),
        cache_file: Path | None = None,
        hidden: Sequence[str] = (),
        environment_names: Sequence[str] = (),
        import_limit_s: float = IMPORT_LIMIT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Create a registry, without discovering factories yet.

        Args:
            paths: the setting `TOOL_FACTORIES`.
            search_path: directories to search for packages, in addition to Python's own.
            cache_file: stores the descriptions for the next start.
            hidden: directories that a factory must not see during its import, as far as the machine allows it.
            environment_names: names of variables that it sees, in addition to the harmless ones.
            import_limit_s: for importing one factory.
            patience_s: how long the first call waits for factories that are still being imported.
        """
        self._paths = tuple(paths)
        self._search_path = tuple(search_path)
        self._cache_file = cache_file
        self._hidden = tuple(hidden)
        self._environment = clean_environment(environment_names, os.environ)
        self._import_limit_s = import_limit_s
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._registrations: list[Registration] | None = None
        self._descriptions: dict[str, Description] = {}
        self._isolation: dict[str, Any] | None = None
        self._complete = threading.Event()
        self._infos: tuple[FactoryInfo, ...] | None = None

    def all(self) -> tuple[FactoryInfo, ...]:
        """Every factory, in order of precedence: of several for one tool id, the first serves it."""
        self._look()
        with self._lock:
            if self._infos is not None:
                return self._infos
            infos = _settle_claims([_info(each, self._descriptions) for each in self._registrations or ()])
            if self._complete.is_set():
                self._infos = infos
            return infos

    def for_tool(self, tool_id: str, *, patience_s: float = 0.0) -> FactoryInfo | None:
        """The factory that serves this tool, else a broken one that would serve it.

        Args:
            tool_id: the tool's id.
            patience_s: how long to wait for factories that are still being imported, if none is known yet.
        """
        mine = [info for info in self.all() if info.tool_id == tool_id]
        if not mine and patience_s and not self._complete.is_set():
            self._complete.wait(patience_s)
            mine = [info for info in self.all() if info.tool_id == tool_id]
        return next((info for info in mine if info.state == "ok"), mine[0] if mine else None)

    def runnable_ids(self) -> frozenset[str]:
        """The ids of the tools that can be run."""
        return frozenset(info.tool_id for info in self.all() if info.state == "ok" and info.tool_id)

    def isolation(self) -> tuple[Feature, ...]:
        """How runs are isolated on this machine. The first call tries it out, which takes a moment."""
        self._look()
        if self._isolation is None:
            worker = self._start_worker(ALL_MODES)
            try:
                self._isolation = worker.read_isolation()
            finally:
                worker.close()
        return features_of(self._isolation)

    def refresh(self) -> None:
        """Discover the factories anew on the next call."""
        with self._lock:
            self._registrations = None
            self._infos = None
            self._complete.clear()

    def _look(self) -> None:
        """Discover the factories and start to inspect those that are not cached; wait for that at most `patience_s`."""
        with self._lock:
            if self._registrations is None:
                self._registrations = read_registrations(self._paths, self._search_path)
                self._descriptions = self._remembered(self._registrations)
                unknown = [each for each in self._registrations if each.reference not in self._descriptions]
                if unknown:
                    target, name = self._describe, "toolshelf-factories"
                    threading.Thread(target=target, args=(unknown,), name=name, daemon=True).start()
                else:
                    self._complete.set()
            elif self._infos is not None:
                return
        if not self._complete.wait(self._patience_s):
            self._patience_s = 0.0  # whoever asks next need not wait again

    def _describe(self, registrations: list[Registration]) -> None:
        """In a thread: fill in the descriptions of `registrations`, as they come."""
        try:
            worker = self._start_worker(ALL_MODES[:2])  # nothing is bounded together but runs
            try:
                references = [each.reference for each in registrations]
                for reference, description in describe(worker, references, timeout_s=self._import_limit_s):
                    self._descriptions[reference] = description
            finally:
                worker.close()
            self._remember()
        except OSError as error:
            logger.warning("The factories could not be described: %s", error)
            failed = Description(error=f"No process could be started to import it: {error}")
            self._descriptions |= {each.reference: failed for each in registrations}
        finally:
            self._complete.set()

    def _start_worker(self, modes: Sequence[str]) -> WorkerProcess:
        return WorkerProcess(
            environment=self._environment, search_path=self._search_path, hidden=self._hidden, modes=modes
        )

    def _remembered(self, registrations: list[Registration]) -> dict[str, Description]:
        """The cached descriptions of factories whose code has not changed since."""
        try:
            cached = json.loads(self._cache_file.read_text()) if self._cache_file else {}
            if cached.get("for") != _maker():
                return {}
            known = {
                reference: (each["state_of_code"], Description(**each["description"]))
                for reference, each in cached["factories"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}
        states = {each.reference: each.state_of_code for each in registrations if each.state_of_code}
        return {
            reference: description
            for reference, (state, description) in known.items()
            if states.get(reference) == state
        }

    def _remember(self) -> None:
        """Cache the descriptions. Broken factories are not cached, so the next start inspects them again."""
        if self._cache_file is None:
            return
        factories = {
            each.reference: {"state_of_code": each.state_of_code, "description": asdict(found)}
            for each in self._registrations or ()
            if (found := self._descriptions.get(each.reference)) and not found.error
        }
        try:
            with tempfile.NamedTemporaryFile(
                "w", dir=self._cache_file.parent, prefix=self._cache_file.name, delete=False
            ) as file:
                json.dump({"for": _maker(), "factories": factories}, file)
            Path(file.name).replace(self._cache_file)
        except OSError as error:
            logger.warning("The descriptions of the factories could not be cached: %s", error)


def _maker() -> list[object]:
    """The other facts that a cached description depends on: the format and the Python installation."""
    return [_FORMAT, sys.version, sys.prefix]


def _info(registration: Registration, descriptions: dict[str, Description]) -> FactoryInfo:
    found = descriptions.get(registration.reference) or Description(error="Importing it has not ended yet.")
    return FactoryInfo(
        key=registration.key,
        reference=registration.reference,
        origin=registration.origin,
        distribution=registration.distribution or None,
        version=registration.version or None,
        state="broken" if found.error else "ok",
        error=found.error,
        tool_id=found.tool_id,
        configurable=found.configurable,
        forks_safely=found.forks_safely,
    )


def _settle_claims(infos: list[FactoryInfo]) -> tuple[FactoryInfo, ...]:
    """Of several factories for one tool, let the first serve it; mark the others as broken, with that reason."""
    holders: dict[str, FactoryInfo] = {}
    settled = []
    for info in infos:
        holder = holders.setdefault(info.tool_id, info) if info.tool_id else info
        if holder is not info:
            error = f'The tool id "{info.tool_id}" is served by {holder.reference} ({holder.label}) already.'
            settled.append(_broken(info, error))
        else:
            settled.append(info)
    return tuple(settled)


def _broken(info: FactoryInfo, error: str) -> FactoryInfo:
    return FactoryInfo(**{**asdict(info), "state": "broken", "error": error})


@cache
def registry() -> FactoryRegistry:
    """The registry of this site, configured by its settings."""
    return FactoryRegistry(
        settings.TOOL_FACTORIES,
        cache_file=settings.DATA_DIR / "factories.json",
        hidden=[str(settings.DATA_DIR)],
        environment_names=settings.TOOL_ENVIRONMENT,
    )
