"""Import a factory and describe it."""

from __future__ import annotations

import importlib
import os
from dataclasses import asdict, dataclass
from typing import Any

from playground.worker.type_conversion import wants_argument


class NotAFactoryError(TypeError):
    """The imported object is not a factory."""


@dataclass(frozen=True)
class Description:
    """The properties of a factory that are known once it is imported."""

    tool_id: str
    configurable: bool
    forks_safely: bool

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class LoadedFactory:
    """An imported factory.

    Attributes:
        configurable: whether `create` is given a configuration.
    """

    factory: Any
    configurable: bool


def load_factory(reference: str) -> LoadedFactory:
    """The factory at "module:attribute".

    Raises:
        NotAFactoryError: the object is not a factory.
        Exception: anything that the import raises.
    """
    module_name, _, path = reference.partition(":")
    found: Any = importlib.import_module(module_name)
    for name in path.split("."):
        found = getattr(found, name)
    if isinstance(found, type):
        found = found()
    for member in ("tool_id", "create"):
        if not callable(getattr(found, member, None)):
            raise NotAFactoryError(f"{reference} is {type(found).__name__}, which has no {member}()")
    return LoadedFactory(found, wants_argument(found.create))


def describe_factory(loaded: LoadedFactory, reference: str) -> Description:
    """Describe an imported factory.

    Raises:
        NotAFactoryError: its tool id is not a string.
        Exception: anything that `tool_id` raises.
    """
    tool_id = loaded.factory.tool_id()
    if not isinstance(tool_id, str) or not tool_id:
        raise NotAFactoryError(f"{reference}: tool_id() returns {type(tool_id).__name__}, not the id as a string")
    return Description(str.__str__(tool_id), loaded.configurable, threads() == 1)


def threads() -> int:
    """How many threads this process has."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208  this runs before every first fork
