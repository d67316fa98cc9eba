"""Describe an imported factory, and write its spec."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from playground.worker.tracebacks import describe
from toolshelf_tools.factories import LoadedFactory, NotAFactoryError
from toolshelf_tools.spec import NoSpecError, spec_of

MAX_SPEC_CHARACTERS: Final = 1024 * 1024
_MAX_ERROR: Final = 4000


@dataclass(frozen=True)
class Description:
    """The properties of a factory that are known once it is imported."""

    tool_id: str
    configurable: bool
    forks_safely: bool

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class MadeSpec:
    """The spec of a factory as JSON text, or why there is none."""

    spec: str | None = None
    spec_error: str | None = None

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def make_spec(loaded: LoadedFactory) -> MadeSpec:
    """The spec of an imported factory, from its definition, else from its types (`toolshelf_tools.spec`).

    This may create the tool, so it takes as long as that takes.
    """
    try:
        text = json.dumps(spec_of(loaded.factory), ensure_ascii=False, allow_nan=False, default=_plain)
    except NoSpecError as error:
        return MadeSpec(spec_error=str(error)[:_MAX_ERROR])
    except BaseException as error:  # noqa: BLE001  whatever the tool's own code raises, even SystemExit
        return MadeSpec(spec_error=describe(error, max_characters=_MAX_ERROR))
    if len(text) > MAX_SPEC_CHARACTERS:
        return MadeSpec(spec_error=f"Its spec has more than {MAX_SPEC_CHARACTERS:,} characters.")
    return MadeSpec(spec=text)


def _plain(value: object) -> Any:
    """A definition may hold other mappings and sequences than JSON has."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"Its definition contains a value of type {type(value).__name__}, which JSON does not have.")


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
