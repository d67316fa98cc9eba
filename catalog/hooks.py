"""Functions that the playground provides to the catalog.

The catalog never imports the playground. When the site starts, `playground/apps.py` installs its functions here;
without a playground, no tool can be run and no examples pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the hooks are installed before models are loaded
    from catalog.accounts.models import Person


@dataclass(frozen=True, slots=True)
class WeeklyRuns:
    """The live runs of a tool on each of the last 7 days, today last; `is_cut`: there may be more."""

    days: tuple[int, ...]
    is_cut: bool = False


@dataclass
class Hooks:
    """The installed functions.

    Attributes:
        runnable_tool_ids: the ids of tools that can be run: an installed factory serves them (in the catalog or not),
            or their source does. Called with every list, so it should answer from memory.
        installed_tool_ids: those of them that an installed factory serves: few, as queries need them.
        tools_with_passing_examples: the primary keys of tools whose current revision passed all its examples when they
            were last checked. Called with every list.
        most_run_tools: the primary keys of the tools with the most runs, those with the most first.
        weekly_runs: given a person and primary keys of tools, the person's runs of the last 7 days, by tool; tools
            without runs are left out. Called with every list.
    """

    runnable_tool_ids: Callable[[], frozenset[str]] = frozenset
    installed_tool_ids: Callable[[], frozenset[str]] = frozenset
    tools_with_passing_examples: Callable[[], frozenset[int]] = frozenset
    most_run_tools: Callable[[], tuple[int, ...]] = tuple
    weekly_runs: Callable[[Person, Sequence[int]], Mapping[int, WeeklyRuns]] = (
        lambda _person, _tools: {}
    )


hooks = Hooks()
