"""The version of Toolshelf."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def read_version() -> str:
    """The version of the installed package; "development" if Toolshelf runs from its sources."""
    try:
        return version("toolshelf")
    except PackageNotFoundError:
        return "development"
