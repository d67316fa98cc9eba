"""The demonstration on a visitor's first page.

It is a built-in tool whose responses leave its spec, stop by stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from catalog.index import vocabulary
from catalog.index.visibility import Visibility
from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of
from playground.factories.connections import factory_of
from playground.history.presenters import join_missing
from playground.history.run_sentence import Sentence, sentence
from playground.runs import visitors
from playground.runs.models import Run
from toolshelf_core.caching import LRUCache
from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON, dumps

TOOL: Final = "drifting_thermometer"
PARAMETER: Final = "hours_since_calibration"
STOPS: Final = (0, 25, 49, 73)
FIRST_STOP: Final = 25  # where the first press shows a violation

_tools: Final[LRUCache[Tool | None]] = LRUCache(max_weight=100)


@dataclass(frozen=True)
class Demonstration:
    """The tool, and the visitor's run of it; without one, the response in its first example."""

    tool: Tool
    run: Run | None = None
    refusal: str = ""

    stops = STOPS

    @property
    def stop(self) -> int:
        """The stop that is selected."""
        if self.run is None:
            return FIRST_STOP
        given = members_of(self.run.parameters).get(PARAMETER)
        return given if isinstance(given, int) else FIRST_STOP

    @property
    def sentence(self) -> Sentence | None:
        return sentence(self.run) if self.run else None

    @property
    def _spec(self) -> CompiledSpec:
        return compiled_spec_of(revision_of(self.tool))

    @cached_property
    def response_text(self) -> str:
        """JSON text: a line for each member, and for each item of an array."""
        if self.run is not None:
            return print_rows(self.run.response) if self.run.has_response else ""
        return print_rows(self._spec.spec.examples[0].return_value)

    @property
    def notes(self) -> list[Mapping[str, object]]:
        """The violations for `{% json_block %}`; a missing member is noted at the end."""
        notes: list[Mapping[str, object]] = []
        problems = join_missing(self.run.problems) if self.run else []
        for problem in problems:
            note: dict[str, object] = {"pointer": problem.pointer, "message": problem.message}
            if problem.keyword == "required":
                note["line"] = self.response_text.count("\n") + 1
            notes.append(note)
        return notes

    @property
    def broken(self) -> set[str | None]:
        """The keywords of the spec that the response violates."""
        return {problem.keyword for problem in self.run.problems} if self.run else set()


def find_demonstration(visibility: Visibility) -> Demonstration | None:
    """The demonstration; None for people who do not see its tool or may not run it."""
    state, _ = vocabulary.state_and_size()
    tool = _tools.get_or_compute((state, visibility), lambda: _find_tool(visibility))
    if tool is None or not visitors.may_run(factory_of(tool)):
        return None
    return Demonstration(tool)


def _find_tool(visibility: Visibility) -> Tool | None:
    tools = Tool.objects.with_visibility(visibility).available().with_current()
    return tools.filter(tool_id=TOOL, current__isnull=False).first()


def print_rows(value: JSON) -> str:
    """`value`, an object, as JSON with a line for each member, and for each item of an array."""
    rows = []
    for name, member in members_of(value).items():
        text = dumps(member)
        if isinstance(member, list) and member:
            items = ",\n".join(f"    {dumps(item)}" for item in items_of(member))
            text = f"[\n{items}\n  ]"
        rows.append(f"  {dumps(name)}: {text}")
    return "{\n" + ",\n".join(rows) + "\n}"
