"""The log of a run."""

from __future__ import annotations


def log(line: str) -> None:
    """Write a line to the run's log, which is the tool's standard output."""
    print(line, flush=True)  # noqa: T201
