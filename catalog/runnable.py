"""Which tools can be run: asked of whoever runs tools, without knowing them.

The catalog stands below the playground and never imports it. The playground provides the answer when it starts
(`playground/apps.py`); alone, the catalog runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable


def _nothing() -> frozenset[str]:
    return frozenset()


_provider: Callable[[], frozenset[str]] = _nothing


def provide(provider: Callable[[], frozenset[str]]) -> None:
    """From now on, `provider()` says which tool ids can be run. It is asked often, so it should answer from memory."""
    global _provider  # noqa: PLW0603 - set once, when the site starts
    _provider = provider


def tool_ids() -> frozenset[str]:
    """The tool ids that a registered factory serves. They need not be in the catalog."""
    return _provider()
