"""Functions that the playground provides to the catalog.

The catalog never imports the playground. When the site starts, `playground/apps.py` installs its functions here;
without a playground, no tool can be run and no examples pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from catalog.specs.diff.schema_diff import Sampler


@dataclass
class Hooks:
    """The installed functions.

    Attributes:
        runnable_tool_ids: the ids of tools that an installed factory serves, in the catalog or not. Called with every
            list, so it should answer from memory.
        tools_with_passing_examples: the primary keys of tools whose current revision passed all its examples when they
            were last checked. Called with every list.
        sample_values: (schema, seed) -> values that the schema accepts, the same for the same arguments; None if
            no sampler is installed.
    """

    runnable_tool_ids: Callable[[], frozenset[str]] = frozenset
    tools_with_passing_examples: Callable[[], frozenset[int]] = frozenset
    sample_values: Sampler | None = None


hooks = Hooks()
