"""The specs of the built-in tools: each tool takes its definition from one, so that spec and code cannot disagree."""

from __future__ import annotations

from pathlib import Path

from toolshelf_tools import Definition

SPECS = Path(__file__).parent / "specs"


def shipped(name: str) -> Definition:
    """The definition in `specs/<name>.json`."""
    return Definition.from_spec((SPECS / f"{name}.json").read_bytes())
