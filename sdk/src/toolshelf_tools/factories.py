"""Import a factory by its reference."""

from __future__ import annotations

import importlib
from typing import Any


class NotAFactoryError(TypeError):
    """The imported object is not a factory."""


def load_factory(reference: str) -> Any:
    """Import the factory at "module:attribute"; a class there makes it.

    Raises:
        NotAFactoryError: the object is not a factory.
        Exception: anything that the import raises.
    """
    module_name, _, path = reference.partition(":")
    factory: Any = importlib.import_module(module_name)
    for name in path.split("."):
        factory = getattr(factory, name)
    if isinstance(factory, type):
        factory = factory()
    for member in ("tool_id", "create"):
        if not callable(getattr(factory, member, None)):
            kind = type(factory).__name__
            raise NotAFactoryError(f"{reference} is {kind}, which has no {member}()")
    return factory
