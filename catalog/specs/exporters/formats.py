"""A tool in each format, put together: its name, its parameters, and what else of its spec has a place there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from catalog.conversion_report import is_within
from catalog.json_schema.normalize import Schema
from catalog.json_schema.validation import Budget, compile_schema
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.exporters import providers as rules
from catalog.specs.exporters.conversion import (
    CONFIGURATION,
    DESCRIPTION,
    EXAMPLES,
    NAME,
    PARAMETERS,
    RETURN_TYPE,
    Export,
    Job,
)
from catalog.specs.exporters.full_schema import whole_object
from catalog.specs.exporters.merge_all_of import TooLarge
from catalog.specs.exporters.object_root import NotAnObject
from catalog.specs.exporters.openapi import openapi_document
from catalog.specs.exporters.providers import Rules
from catalog.specs.exporters.size_limits import strict_obstacles
from catalog.specs.spec import ToolSpec


def build(spec: ToolSpec, target: Format) -> Export:
    """`spec` in the format `target`."""
    job = Job(spec, target.rules)
    document = target.build(job)
    _account_for_the_rest(job)
    return Export(target.key, document, tuple(job.report), job.renamed, tuple(job.obstacles))


def _account_for_the_rest(job: Job) -> None:
    """Say of each part of the spec that nothing was said of whether it is in the document."""
    spec, report, label = job.spec, job.report, job.rules.label
    if spec.tool_id != spec.name and not report.mentions("/definition/id"):
        report.dropped("/definition/id", f"{label} knows a tool by its name alone.")
    for pointer in (NAME, DESCRIPTION):
        if not report.mentions(pointer):
            report.preserved(pointer, "It is the same there.")
    if spec.parameters is not None and not job.obstacles:
        changed = report.changes(PARAMETERS)
        report.preserved(
            PARAMETERS, "All but what is said below it is the same." if changed else "They are the same there."
        )
    parts = (
        (RETURN_TYPE, spec.return_type is not None, f"{label} has no place for what a tool returns."),
        (EXAMPLES, bool(spec.examples), f"{label} has no place for examples."),
        (CONFIGURATION, spec.configuration is not None, "A tool is configured where it runs, not where it is offered."),
    )
    for pointer, present, reason in parts:
        if present and not any(is_within(loss.pointer, pointer) for loss in report):
            report.dropped(pointer, reason)
    for pointer in _beside(spec):
        if not any(is_within(loss.pointer, pointer) for loss in report):
            report.dropped(pointer, f"{label} has no place for it.")


def _beside(spec: ToolSpec) -> Iterator[str]:
    """What the spec says besides what the format of specs knows."""
    document = spec.document
    if isinstance(document, dict):
        yield from (pointer_join("", name) for name in document if name not in _KNOWN)
        definition = document.get("definition")
        names = definition if isinstance(definition, dict) else {}
        yield from (pointer_join("/definition", name) for name in names if name not in _KNOWN_OF_DEFINITION)


# The formats

_KNOWN: Final = frozenset({"$schema", "definition", "configuration"})
_KNOWN_OF_DEFINITION: Final = frozenset(
    {"id", "name", "description", "parameters", "returnType", "examples"},
)
# What a tool has besides what a spec says itself, and what each of it is.
_OF_MCP: Final[Mapping[str, type]] = {
    "title": str,
    "icons": list,
    "execution": dict,
    "annotations": dict,
    "_meta": dict,
}


def _mcp(job: Job) -> Schema:
    spec, name = job.spec, job.name()
    tool: Schema = {"name": name}
    if name != spec.name:
        tool["title"] = spec.name
    tool |= {"description": spec.description, "inputSchema": job.parameters()}
    _restore_mcp(tool, job)
    returns = spec.return_type
    if returns is not None:
        try:
            tool["outputSchema"], _ = whole_object(returns, RETURN_TYPE, job.rules, job.report)
        except (NotAnObject, TooLarge):
            job.report.dropped(RETURN_TYPE, "MCP describes a result only where it is an object.")
        else:
            job.report.preserved(RETURN_TYPE, "It is the schema of the structured result.")
    return tool


def _restore_mcp(tool: Schema, job: Job) -> None:
    """Give `tool` what an import of an MCP server's tool kept beside the definition."""
    beside = job.spec.document.get("x-mcp") if isinstance(job.spec.document, dict) else None
    for keyword, value in beside.items() if isinstance(beside, dict) else ():
        place = pointer_join("/x-mcp", keyword)
        if keyword not in tool and isinstance(value, _OF_MCP.get(keyword, ())):
            tool[keyword] = value
            job.report.preserved(place, "It is a member of the tool.")
        else:
            job.report.dropped(place, "MCP has no place for it.")


def _openai(job: Job) -> Schema:
    function: Schema = {"name": job.name(), "description": job.spec.description, "parameters": job.parameters()}
    return {"type": "function", "function": function}


def _openai_strict(job: Job) -> Schema:
    subset = job.rules.subset
    assert subset is not None  # noqa: S101 - for mypy: the rules of this format have one
    parameters = job.subset(
        {"type": "object", "properties": {}, "additionalProperties": False}
        if job.spec.parameters is None
        else job.spec.parameters,
        PARAMETERS,
        subset,
        obstacles=job.obstacles,
    )
    job.obstacles += strict_obstacles(parameters)
    function: Schema = {
        "name": job.name(),
        "description": job.spec.description,
        "parameters": parameters,
        "strict": True,
    }
    return {"type": "function", "function": function}


def _anthropic(job: Job) -> Schema:
    parameters = job.parameters()
    tool: Schema = {"name": job.name(), "description": job.spec.description, "input_schema": parameters}
    examples = _input_examples(job, parameters)
    return {**tool, "input_examples": examples} if examples else tool


def _input_examples(job: Job, parameters: Schema) -> list[JSON]:
    """The parameters of the examples; those that break the schema would be refused, and the tool with them."""
    names = {pointer: name for pointer, name in job.renamed.items() if pointer.startswith(f"{PARAMETERS}/properties/")}
    compiled = compile_schema(parameters)
    budget = Budget()  # shared: there may be 200 examples, and anyone may ask for an export
    fitting: list[JSON] = []
    for index, example in enumerate(job.spec.examples):
        place = pointer_join(EXAMPLES, index)
        value = example.parameters
        if isinstance(value, dict):
            value = {
                names.get(pointer_join(PARAMETERS, "properties", name), name): member for name, member in value.items()
            }
        if not isinstance(value, dict) or compiled.check(value, budget=budget).verdict != "conforms":
            job.report.dropped(place, "Anthropic takes only examples of parameters that keep to the schema.")
            continue
        fitting.append(value)
        job.report.preserved(pointer_join(place, "parameters"), "They are one of the `input_examples`.")
        job.drop(
            pointer_join(place, "returnValue"),
            "Anthropic's examples have no results.",
            present=example.has_return_value,
        )
    return fitting


def _gemini(job: Job) -> Schema:
    spec, subset = job.spec, job.rules.subset
    assert subset is not None  # noqa: S101 - for mypy: the rules of this format have one
    function: Schema = {"name": job.name(), "description": spec.description}
    if spec.parameters is not None:
        parameters = job.subset(spec.parameters, PARAMETERS, subset, obstacles=job.obstacles)
        if parameters.get("properties"):  # an object without members is refused
            function["parameters"] = parameters
    if spec.return_type is not None:
        obstacles: list[str] = []
        response = job.subset(spec.return_type, RETURN_TYPE, subset, obstacles=obstacles)
        if obstacles:
            job.report.dropped(RETURN_TYPE, "Gemini describes a result only where it is an object.")
        else:
            function["response"] = response
            job.report.preserved(RETURN_TYPE, "All but what is said below it is the `response`.")
    return function


def _langchain(job: Job) -> Schema:
    schema: Schema = {"title": job.name(), "description": job.spec.description}
    parameters = job.parameters()
    for annotation in schema:
        if annotation in parameters:
            job.report.dropped(
                pointer_join(PARAMETERS, annotation), f"The tool's own takes the place of this `{annotation}`."
            )
    schema |= {keyword: value for keyword, value in parameters.items() if keyword not in schema}
    examples = [example.parameters for example in job.spec.examples if example.has_parameters]
    if examples:
        schema["examples"] = [*examples]
        job.report.rewritten(EXAMPLES, "Their parameters are the schema's `examples`; the rest of them is gone.")
    properties = parameters.get("properties")
    for name in properties if isinstance(properties, dict) else ():
        if not name.isidentifier() or name.startswith("_"):
            job.report.preserved(
                pointer_join(PARAMETERS, "properties", name), "A model class of pydantic needs an alias for this name."
            )
    return schema


@dataclass(frozen=True, slots=True)
class Format:
    """A format that a tool can be exported to."""

    rules: Rules
    build: Callable[[Job], Schema]

    @property
    def key(self) -> str:
        return self.rules.key

    @property
    def label(self) -> str:
        return self.rules.label


FORMATS: Final[Mapping[str, Format]] = {
    target.key: target
    for target in (
        Format(rules.MCP, _mcp),
        Format(rules.OPENAI, _openai),
        Format(rules.OPENAI_STRICT, _openai_strict),
        Format(rules.ANTHROPIC, _anthropic),
        Format(rules.GEMINI, _gemini),
        Format(rules.LANGCHAIN, _langchain),
        Format(rules.OPENAPI, openapi_document),
    )
}
