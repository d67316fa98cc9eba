"""Discover the registered factories from package metadata and a setting.

None of them is imported.
"""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final, Literal

GROUP: Final = "toolshelf.factories"
_ROOT: Final = Path(__file__).resolve().parents[2]
_OURS: Final = "playground"  # the package of our factories

Origin = Literal["entry point", "setting", "source"]


@dataclass(frozen=True)
class Registration:
    """One registered factory.

    Attributes:
        key: the entry point's name, or the path in the setting.
        reference: "module:attribute".
        distribution, version: of the package that provides it; "" if unknown. state_of_code:
        changes when the factory's code may have changed: the file, its time and size; "" if
        unknown.
    """

    key: str
    reference: str
    origin: Origin
    distribution: str
    version: str
    state_of_code: str

    @property
    def file(self) -> str:
        return self.state_of_code.rsplit(" ", 2)[0]


def read_registrations(paths: Sequence[str], search_path: Sequence[str] = ()) -> list[Registration]:
    """Every registered factory.

    First those of `paths` in their order, then entry points in the order of their names.

    Args:
        paths: "module:attribute", or "module.attribute".
        search_path: directories to search for packages, in addition to Python's own.
    """
    found: dict[str, Registration] = {}
    for registration in (*_from_paths(paths, search_path), *_from_entry_points(search_path)):
        found.setdefault(registration.reference, registration)
    return list(found.values())


def forget_packages() -> None:
    """From now on, look at the installed packages again."""
    _distribution_of.cache_clear()
    importlib.invalidate_caches()


def is_own(registration: Registration) -> bool:
    """Whether the factory is a part of Toolshelf, which changes only with a new start."""
    return registration.reference.partition(":")[0].partition(".")[0] == _OURS


def _from_paths(paths: Sequence[str], search_path: Sequence[str]) -> Iterator[Registration]:
    for path in paths:
        module, _, attribute = path.partition(":") if ":" in path else path.rpartition(".")
        distribution, version = _distribution_of(module.partition(".")[0])
        state = _state_of(module, search_path)
        yield Registration(path, f"{module}:{attribute}", "setting", distribution, version, state)


def _from_entry_points(search_path: Sequence[str]) -> Iterator[Registration]:
    entries: dict[tuple[str, str, str], Registration] = {}
    for distribution in metadata.distributions(path=[*search_path, *sys.path]):
        for point in distribution.entry_points.select(group=GROUP):
            name, version = distribution.metadata["Name"] or "", distribution.version or ""
            reference = f"{point.module}:{point.attr}"
            state = _state_of(point.module, search_path)
            entry = Registration(point.name, reference, "entry point", name, version, state)
            # The first one on the path is the one imported.
            entries.setdefault((name, point.name, reference), entry)
    return iter(entry for _, entry in sorted(entries.items()))


@cache
def _distribution_of(package: str) -> tuple[str, str]:
    """The distribution of a top-level package, and its version.

    Toolshelf itself need not be installed.
    """
    if package == _OURS:
        project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
        return project["name"], project["version"]
    names = metadata.packages_distributions().get(package)
    return (names[0], metadata.version(names[0])) if names else ("", "")


def _state_of(module: str, search_path: Sequence[str]) -> str:
    """The file of `module`, its time and size, found without importing anything.

    "" if there is none.
    """
    path: Sequence[str] | None = [*search_path, *sys.path]
    name, file = "", None
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        try:
            spec = PathFinder.find_spec(name, path)
        except (
            ImportError,
            ValueError,
            KeyError,
        ):  # KeyError: it is below a package without __init__.py
            return ""
        if spec is None:
            return ""
        path, file = spec.submodule_search_locations, spec.origin
    if not file or not Path(file).is_file():
        return ""
    stat = Path(file).stat()
    return f"{file} {stat.st_mtime_ns} {stat.st_size}"
