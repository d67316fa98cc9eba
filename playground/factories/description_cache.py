"""A file with the descriptions of factories.

With it, a restart imports only factories that have changed.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from playground.factories.discover import Registration
from playground.factories.inspect import Description

logger = logging.getLogger(__name__)

_FORMAT: Final = 2
# Of the built-in tools, beside their code.
SPECS: Final = Path(__file__).parents[1] / "builtin" / "specs"


class DescriptionCache:
    """Reads and writes the file; without one, nothing is cached."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def read(self, registrations: Sequence[Registration]) -> dict[str, Description]:
        """The cached descriptions of factories whose code has not changed, by reference."""
        try:
            cached = json.loads(self._file.read_text()) if self._file else {}
            if cached.get("for") != _environment_key():
                return {}
            known = {
                reference: (each["state_of_code"], Description(**each["description"]))
                for reference, each in cached["factories"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}
        states = {
            each.reference: each.state_of_code for each in registrations if each.state_of_code
        }
        return {
            reference: description
            for reference, (state, description) in known.items()
            if states.get(reference) == state
        }

    def write(
        self, registrations: Sequence[Registration], descriptions: Mapping[str, Description]
    ) -> None:
        """Cache the descriptions.

        Broken factories are not cached, so the next start inspects them again.
        """
        if self._file is None:
            return
        factories = {
            each.reference: {"state_of_code": each.state_of_code, "description": asdict(found)}
            for each in registrations
            if (found := descriptions.get(each.reference)) and not found.error
        }
        try:
            with tempfile.NamedTemporaryFile(
                "w", dir=self._file.parent, prefix=self._file.name, delete=False
            ) as file:
                json.dump({"for": _environment_key(), "factories": factories}, file)
            Path(file.name).replace(self._file)
        except OSError as error:
            logger.warning("The descriptions of the factories could not be cached: %s", error)


def _environment_key() -> list[object]:
    """What cached descriptions depend on: format, Python, specs of the built-in tools."""
    specs = [
        [file.name, file.stat().st_mtime_ns, file.stat().st_size]
        for file in sorted(SPECS.glob("*.json"))
    ]
    return [_FORMAT, sys.version, sys.prefix, specs]
