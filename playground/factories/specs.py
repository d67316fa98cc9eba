"""The spec of a factory, compared with the catalog's: what publishing it would change.

Parts that the code does not define are taken from the catalog: members that no definition has,
examples, a schema where the type is only `dict`. So a factory whose code matches its spec shows no
difference, and publishing loses nothing.

    compare_factory(factory, tool)     for one factory
    compare_factories(factories)        for lists: two queries, the rest from memory
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from django.conf import settings

from accounts.models import Person
from catalog.revisions.differences import difference_from
from catalog.tools.lookup import revision_of
from catalog.tools.models import Revision, Tool
from playground.factories.info import FactoryInfo
from playground.factories.registry import MAX_SPEC_BYTES
from toolshelf_core.caching import LRUCache
from toolspec.diff import Difference
from toolspec.errors import JSONTextError, Problem, SpecError
from toolspec.spec import ToolSpec, read_spec
from toolspec.text.reader import JSON, dumps, loads

State = Literal["new", "same", "differs", "invalid", "none"]
ANNOTATIONS_DIFFER: Final = "They differ only in parts that callers do not see."
CHANGES_SHOWN: Final = 3  # as in _factory_difference.html
_STATED: Final = ("name", "description", "parameters", "returnType", "examples")
# Schemas that say nothing beyond what every request is: they come from `dict`, or from no
# annotation.
_UNSPECIFIC: Final[tuple[JSON, ...]] = (
    {},
    {"type": "object"},
    {"type": "object", "additionalProperties": True},
    True,
)


@dataclass(frozen=True)
class FactoryComparison:
    """The result of publishing a factory's own spec.

    Attributes:
        state: "new": the catalog has no such tool; "same": it would change nothing; "differs";
            "invalid": it is not a spec, see `problems`; "none": the factory has no spec, see
            `reason`.
        text: the spec, laid out; "" without one.
        difference: the changes of meaning from the catalog's current revision, if it "differs".
    """

    factory: FactoryInfo
    tool: Tool | None
    state: State
    text: str = field(default="", repr=False)
    spec: ToolSpec | None = field(default=None, repr=False)
    difference: Difference | None = None
    problems: tuple[Problem, ...] = ()
    reason: str = ""

    @property
    def can_be_published(self) -> bool:
        return self.state in {"new", "differs"}

    @property
    def more_changes(self) -> int:
        """How many changes a list of the first `CHANGES_SHOWN` leaves out."""
        return max(0, len(self.difference.changes) - CHANGES_SHOWN) if self.difference else 0

    @property
    def annotations_differ(self) -> str:
        """The difference if no change matters to callers."""
        return ANNOTATIONS_DIFFER

    @property
    def verdict(self) -> str | None:
        """The worst verdict of its changes; None unless it "differs"."""
        return self.difference.verdict if self.difference else None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The part of a comparison that depends only on two texts, so that it is computed once."""

    state: State
    text: str = ""
    spec: ToolSpec | None = None
    difference: Difference | None = None
    problems: tuple[Problem, ...] = ()


_comparisons: Final[LRUCache[_Comparison]] = LRUCache(max_weight=500)


def compare_factory(factory: FactoryInfo, tool: Tool | None) -> FactoryComparison:
    """The result of publishing the spec of `factory`.

    `tool` is its tool, with the current revision.
    """
    if factory.spec is None or factory.state != "ok":
        return FactoryComparison(factory, tool, "none", reason=factory.spec_error or "")
    current = tool.current if tool else None
    own = hashlib.sha256(factory.spec.encode("utf-8", "surrogatepass")).hexdigest()
    key = (own, current.sha256 if current else "")
    text = factory.spec
    found = _comparisons.get_or_compute(
        key, lambda: _compare(text, revision_of(tool) if tool and current else None)
    )
    return FactoryComparison(
        factory, tool, found.state, found.text, found.spec, found.difference, found.problems
    )


def compare_factories(
    factories: Iterable[FactoryInfo], person: Person | None
) -> list[FactoryComparison]:
    """The result of publishing the spec of each of `factories`.

    Factories of tools that are hidden from `person` are left out.
    """
    factories = list(factories)
    ids = {info.tool_id for info in factories if info.tool_id}
    served = Tool.objects.filter(tool_id__in=ids)
    visible = set(served.visible_to(person).values_list("pk", flat=True))
    tools = {
        tool.tool_id: tool for tool in served.select_related("current").defer("current__source")
    }
    found = [(info, tools.get(info.tool_id or "")) for info in factories]
    return [
        compare_factory(info, tool) for info, tool in found if tool is None or tool.pk in visible
    ]


def _compare(own_text: str, current: Revision | None) -> _Comparison:
    try:
        own = loads(own_text, max_bytes=MAX_SPEC_BYTES)
        document = merged(own, current.spec.document) if current else own
        if current and document == current.spec.document:
            return _Comparison("same", current.source, current.spec)
        text = dumps(document, indent=2) + "\n"
        spec = read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except SpecError as error:
        return _Comparison("invalid", text, problems=tuple(error.problems))
    except (JSONTextError, ValueError) as error:
        problem = Problem("", f"The factory's spec is not JSON. {error}", "spec.factory")
        return _Comparison("invalid", own_text, problems=(problem,))
    return (
        _Comparison("differs", text, spec, difference_from(current, spec))
        if current
        else _Comparison("new", text, spec)
    )


def merged(own: JSON, stored: dict[str, JSON]) -> JSON:
    """The `stored` document of a tool with the members of the factory's own spec."""
    definition, before = (
        (own.get("definition") if isinstance(own, dict) else None),
        stored.get("definition"),
    )
    if (
        not isinstance(own, dict)
        or not isinstance(definition, dict)
        or not isinstance(before, dict)
    ):
        return own
    stated = {
        name: definition[name]
        for name in _STATED
        if name in definition and not (name in before and definition[name] in _UNSPECIFIC)
    }
    if definition.get("id") is None and definition.get("name") == before.get("id"):
        # The factory has no name of its own, so its spec has the id instead.
        stated.pop("name", None)
    document = stored | {"definition": before | stated}
    if "configuration" in own and not (
        "configuration" in stored and own["configuration"] in _UNSPECIFIC
    ):
        document["configuration"] = own["configuration"]
    return document
