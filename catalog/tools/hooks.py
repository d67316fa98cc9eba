"""Functions that the playground provides to the catalog.

The catalog never imports the playground. When the site starts, `playground/apps.py` installs its
functions here; without a playground, no tool can be run and no examples pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


def _do_nothing(*_given: object) -> object:
    return None


@dataclass
class Hooks:
    """The installed functions.

    Attributes:
        runnable_tool_ids: the ids of tools that can be run: an installed factory serves them (in
            the catalog or not), or their source does. Called with every list, so it should answer
            from memory.
        installed_tool_ids: those of them that an installed factory serves: few, as queries need
            them.
        tools_with_passing_examples: the primary keys of tools whose current revision passed all its
            examples when they were last checked. Called with every list.
        most_run_tools: the primary keys of the tools with the most runs, those with the most first.
        check_recent_calls: (Tool, ToolSpec, Person) -> how the tool's recent calls that the person
            may see would fare with the spec: a `RealCalls` of the playground, for its template. It
            takes at most 0.2 s of CPU time.
        configure_source: saves, for a user, members of the configuration of the tools of a new
            source; returns why some are not saved, by tool id.
    """

    runnable_tool_ids: Callable[[], frozenset[str]] = frozenset
    installed_tool_ids: Callable[[], frozenset[str]] = frozenset
    tools_with_passing_examples: Callable[[], frozenset[int]] = frozenset
    most_run_tools: Callable[[], tuple[int, ...]] = tuple
    check_recent_calls: Callable[..., object] = _do_nothing
    configure_source: Callable[[Any, Any, Mapping[str, str]], Mapping[str, str]] = lambda *_: {}


hooks = Hooks()
