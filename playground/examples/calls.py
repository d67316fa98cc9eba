"""The sample call on a tool's page: it works unchanged, once a token is in the environment.

A tool that can be run here is called live, with a configuration if it needs one. Every other tool
is called as a mock, which needs no configuration. The parameters come from an example or are
generated; either way they fit the schema. Generated ones are the required ones, unless all are
optional.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from catalog.tools.models import Tool
from catalog.tools.page import Usage
from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of, value_problems
from playground.factories.connections import factory_of
from playground.runs.api_calls import Call, as_curl, as_python
from toolshelf_core.caching import LRUCache
from toolspec.schema.sampling import NoValue, brief_sample
from toolspec.schema.validation import Budget
from toolspec.text.reader import JSON, dumps

# Of JSON: more is neither readable on a page nor practical in a shell.
MAX_CHARACTERS: Final = 8_000


@dataclass(frozen=True, slots=True)
class SampleValue:
    """A value to call a tool with.

    `source` is "example", "schema" (made from it), "none" (no value was found that the schema
    accepts), or "" if {} is enough.
    """

    value: JSON
    source: str


# Every tool page shows a call, so its values are determined once per revision.
_parameters: Final[LRUCache[SampleValue]] = LRUCache(max_weight=1_000)
_configurations: Final[LRUCache[SampleValue]] = LRUCache(max_weight=1_000)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The sample call of one tool, with the facts needed to use it.

    Attributes:
        factory_state: "ok", "broken", or "" if no factory is installed.
        source: the name of the source that it runs through; "" if it does not.
        why_not_live: why this source cannot be called; "" if it can.
        parameters: their source, as in `SampleValue.source`.
        configuration: its source, as in `SampleValue.source`; "" if none is sent.
    """

    usages: tuple[Usage, ...]
    factory_state: str
    parameters: str
    configuration: str
    source: str = ""
    why_not_live: str = ""

    @property
    def is_live(self) -> bool:
        """Whether the tool itself is called, rather than a mock."""
        return self.factory_state == "ok"


def call_of(tool: Tool, site: str) -> ToolCall:
    """The sample call of the current revision of `tool`.

    `site`: the URL of this site, with a trailing slash.
    """
    assert tool.current is not None  # noqa: S101 - a tool that has a page has a revision
    compiled_spec = compiled_spec_of(tool.current)
    factory = factory_of(tool)
    state = factory.state if factory else ""
    revision = tool.current.sha256
    parameters = _parameters.get_or_compute(revision, lambda: choose_parameters(compiled_spec))
    configuration = None
    body: dict[str, JSON] = {"parameters": parameters.value}
    if state != "ok":
        body["mode"] = "mock"
    elif factory and factory.configurable:
        configuration = _configurations.get_or_compute(
            revision, lambda: choose_configuration(compiled_spec)
        )
        if configuration.source:
            body["configuration"] = configuration.value
    call = Call(f"{site}api/v1/tools/{tool.slug}/runs", body)
    usages = (Usage("curl", "curl", as_curl(call)), Usage("python", "Python", as_python(call)))
    configuration_source = configuration.source if configuration else ""
    tool_call = ToolCall(usages, state, parameters.source, configuration_source)
    if factory is None or factory.listed is None:
        return tool_call
    source = factory.listed.source.name
    return replace(tool_call, source=source, why_not_live=factory.error or "")


def choose_parameters(compiled_spec: CompiledSpec) -> SampleValue:
    """Parameters that the tool accepts: of the first example that fits, else generated ones."""
    budget = Budget()
    for example in compiled_spec.spec.examples:
        if not example.has_parameters:
            continue
        if _is_usable(compiled_spec, "parameters", example.parameters, budget):
            return SampleValue(example.parameters, "example")
    return _sample(compiled_spec, "parameters")


def choose_configuration(compiled_spec: CompiledSpec) -> SampleValue:
    """A configuration that the spec accepts; {} with the source "" if none has to be sent."""
    if _is_usable(compiled_spec, "configuration", {}):
        return SampleValue({}, "")
    return _sample(compiled_spec, "configuration")


def _sample(compiled_spec: CompiledSpec, part: str) -> SampleValue:
    schema = getattr(compiled_spec, part)
    if schema is None:
        return SampleValue({}, "")
    try:
        value = brief_sample(schema, compiled_spec.spec.tool_id)
    except NoValue:
        return SampleValue({}, "none")
    if not _is_usable(compiled_spec, part, value):
        return SampleValue({}, "none")
    return SampleValue(value, "" if value == {} else "schema")


def _is_usable(
    compiled_spec: CompiledSpec, part: str, value: JSON, budget: Budget | None = None
) -> bool:
    if len(dumps(value)) > MAX_CHARACTERS:
        return False
    return not value_problems(getattr(compiled_spec, part), value, part, budget=budget)
