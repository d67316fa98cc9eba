"""Importing a factory, and what can be said of it then."""

from __future__ import annotations

import importlib
import os
from dataclasses import asdict, dataclass
from typing import Any

from playground.worker.converting import wants_argument


class NotAFactoryError(TypeError):
    """What was imported does not make tools."""


@dataclass(frozen=True)
class Description:
    """What importing a factory showed."""

    tool_id: str
    configurable: bool
    forks_safely: bool

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def load_factory(reference: str) -> Any:
    """The factory at "module:attribute".

    Raises:
        NotAFactoryError: there is something else. Besides, whatever the import raises.
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
    return found


def describe_factory(factory: Any, reference: str) -> Description:
    """What `factory` serves.

    Raises:
        NotAFactoryError: its id is no text. Besides, whatever `tool_id` raises.
    """
    tool_id = factory.tool_id()
    if not isinstance(tool_id, str) or not tool_id:
        raise NotAFactoryError(f"{reference}: tool_id() gives {type(tool_id).__name__}, not the id as text")
    return Description(str.__str__(tool_id), wants_argument(factory.create), threads() == 1)


def threads() -> int:
    """How many threads this process has."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208  this runs before every first fork
