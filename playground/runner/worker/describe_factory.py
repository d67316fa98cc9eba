"""Describe an imported factory, and write its spec."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

from playground.runner.worker.tracebacks import describe
from toolshelf_tools.factories import NotAFactoryError
from toolshelf_tools.spec import NoSpecError, make_spec
from toolshelf_tools.type_conversion import wants_argument

MAX_SPEC_CHARACTERS: Final = 1024 * 1024
_MAX_ERROR: Final = 4000


def write_spec(factory: Any) -> dict[str, str | None]:
    """Write the spec of an imported factory (`toolshelf_tools.spec`).

    This may create the tool, so it takes as long as that takes.

    Returns:
        {"spec", "spec_error"}: the spec as JSON text, or why there is none; the other one is None.
    """
    try:
        spec = make_spec(factory)
        text = json.dumps(spec, ensure_ascii=False, allow_nan=False, default=_plain)
    except NoSpecError as error:
        return {"spec": None, "spec_error": str(error)[:_MAX_ERROR]}
    except BaseException as error:  # noqa: BLE001
        # Whatever the tool's own code raises, even SystemExit.
        return {"spec": None, "spec_error": describe(error, max_characters=_MAX_ERROR)}
    if len(text) > MAX_SPEC_CHARACTERS:
        return {
            "spec": None,
            "spec_error": f"Its spec has more than {MAX_SPEC_CHARACTERS:,} characters.",
        }
    return {"spec": text, "spec_error": None}


def _plain(value: object) -> Any:
    """A definition may hold other mappings and sequences than JSON has."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(
        f"Its definition contains a value of type {type(value).__name__}, which JSON does not have."
    )


def describe_factory(factory: Any, reference: str) -> dict[str, object]:
    """The properties of an imported factory: {"tool_id", "configurable", "forks_safely"}.

    Raises:
        NotAFactoryError: its tool id is not a string.
        Exception: anything that `tool_id` raises.
    """
    tool_id = factory.tool_id()
    if not isinstance(tool_id, str) or not tool_id:
        raise NotAFactoryError(
            f"{reference}: tool_id() returns {type(tool_id).__name__}, not the id as a string"
        )
    return {
        "tool_id": str.__str__(tool_id),
        "configurable": wants_argument(factory.create),
        "forks_safely": threads() == 1,
    }


def threads() -> int:
    """How many threads this process has."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208  this runs before every first fork
