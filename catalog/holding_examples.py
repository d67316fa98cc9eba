"""Of which tools the examples hold: asked of whoever runs tools, without knowing them.

As with `catalog/runnable.py`, the playground provides the answer when it starts (`playground/apps.py`); alone, the
catalog knows of none.
"""

from __future__ import annotations

from collections.abc import Callable


def _none() -> frozenset[int]:
    return frozenset()


_provider: Callable[[], frozenset[int]] = _none


def provide(provider: Callable[[], frozenset[int]]) -> None:
    """From now on, `provider()` gives the primary keys of tools whose examples hold."""
    global _provider  # noqa: PLW0603 - set once, when the site starts
    _provider = provider


def tool_keys() -> frozenset[int]:
    """The primary keys of the tools of whose current revision all examples passed when they were tried last."""
    return _provider()
