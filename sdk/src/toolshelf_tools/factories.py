"""Import a factory by its reference."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from toolshelf_tools.type_conversion import wants_argument


class NotAFactoryError(TypeError):
    """The imported object is not a factory."""


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
            raise NotAFactoryError(
                f"{reference} is {type(found).__name__}, which has no {member}()"
            )
    return LoadedFactory(found, wants_argument(found.create))
