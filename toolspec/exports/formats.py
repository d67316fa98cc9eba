"""Build a tool in each format, with all parts that the format has a field for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from toolspec.conversion_report import is_within
from toolspec.exports import format_rules as rules
from toolspec.exports.conversion import (
    CONFIGURATION,
    DEFINITION,
    DESCRIPTION,
    EXAMPLES,
    NAME,
    PARAMETERS,
    RETURN_TYPE,
    Export,
    Job,
)
from toolspec.exports.format_rules import Rules
from toolspec.exports.full_schema import whole_object
from toolspec.exports.merge_all_of import TooLarge
from toolspec.exports.object_root import NotAnObject
from toolspec.exports.openapi import openapi_document
from toolspec.exports.size_limits import strict_obstacles
from toolspec.schema.normalize import Schema
from toolspec.schema.validation import Budget, compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON


def export(spec: ToolSpec, key: str) -> Export:
    """`spec` in the format `key`. 0.1 to 0.5 ms for a typical spec.

    Raises:
        KeyError: there is no such format.
    """
    job = Job(spec, FORMATS[key])
    document = _BUILDER_OF[key](job)
    _report_the_rest(job)
    losses, obstacles = tuple(job.report), tuple(job.obstacles)
    return Export(job.rules, document, losses, job.renamed, obstacles, job.parts)


def matrix(spec: ToolSpec) -> tuple[Export, ...]:
    """`spec` in every format, in their order: how well it fits each."""
    return tuple(export(spec, key) for key in FORMATS)


def usable_as_it_is(spec: ToolSpec) -> tuple[str, ...]:
    """The keys of the formats in which a model sees exactly what `spec` declares.

    1 ms for a typical spec.

    It builds every export, which adds 11 % to the CPU time of publishing one spec. The specs of a
    bulk upload are assessed in the background.
    """
    return tuple(fit.rules.key for fit in matrix(spec) if fit.verdict == "as it is")


def _report_the_rest(job: Job) -> None:
    """Add an entry for each part of the spec that the report does not mention yet."""
    spec, report, label = job.spec, job.report, job.rules.label
    if spec.tool_id != spec.name and not report.mentions("/definition/id"):
        report.dropped("/definition/id", f"{label} has no tool ids; the name is used.")
    for pointer in (NAME, DESCRIPTION):
        if not report.mentions(pointer):
            report.preserved(pointer, "Unchanged.")
    if spec.parameters is not None and not job.obstacles:
        reason = "Unchanged."
        if report.changes(PARAMETERS):
            reason = "Unchanged, except for the parts listed here."
        report.preserved(PARAMETERS, reason)
    reasons: dict[str, str] = {}
    if spec.return_type is not None:
        reasons[RETURN_TYPE] = f"{label} has no field for the return type."
    if spec.examples:
        reasons[EXAMPLES] = f"{label} has no field for examples."
    if spec.configuration is not None:
        reasons[CONFIGURATION] = "The configuration stays with the program that runs the tool."
    for pointer in _list_additional_members(spec):
        reasons[pointer] = f"{label} has no field for it."
    for pointer, reason in reasons.items():
        if not any(is_within(loss.pointer, pointer) for loss in report):
            report.dropped(pointer, reason)


def _list_additional_members(spec: ToolSpec) -> Iterator[str]:
    """Pointers to the members of the spec that LLM Tool Spec does not define."""
    for name in spec.document:
        if name not in _KNOWN:
            yield pointer_join("", name)
    for name in members_of(spec.document.get("definition")):
        if name not in _KNOWN_OF_DEFINITION:
            yield pointer_join("/definition", name)


# The formats

_KNOWN: Final = frozenset({"$schema", "definition", "configuration"})
_KNOWN_OF_DEFINITION: Final = frozenset(
    {"id", "name", "description", "parameters", "returnType", "examples"},
)
# Fields of an MCP tool that a spec has no member for, with their types.
_OF_MCP: Final[Mapping[str, type]] = {
    "title": str,
    "icons": list,
    "execution": dict,
    "annotations": dict,
    "_meta": dict,
}


def _build_mcp(job: Job) -> Schema:
    """A tool of the revisions up to 2025-11-25."""
    tool = mcp_without_output(job)
    if job.spec.return_type is not None:
        try:
            output, _ = whole_object(job.spec.return_type, RETURN_TYPE, job.rules, job.report)
        except (NotAnObject, TooLarge):
            reason = "In this version of MCP, only an object can have an output schema;"
            reason += " since 2026-07-28, any result can."
            job.report.dropped(RETURN_TYPE, reason)
        else:
            tool["outputSchema"] = output
            job.parts[RETURN_TYPE] = "/outputSchema"
            job.report.preserved(RETURN_TYPE, "Exported as `outputSchema`.")
    return tool


def _build_mcp_2026(job: Job) -> Schema:
    """A tool of the revision of 2026-07-28."""
    tool = mcp_without_output(job)
    returns = job.spec.return_type
    if returns is not None:
        tool["outputSchema"] = as_object(returns)
        job.parts[RETURN_TYPE] = "/outputSchema"
        job.report.preserved(RETURN_TYPE, "Exported as `outputSchema`.")
    return tool


def as_object(schema: JSON) -> Schema:
    """`schema` as an object, not true or false."""
    if isinstance(schema, dict):
        return schema
    return {} if schema else {"not": {}}


def mcp_without_output(job: Job) -> Schema:
    """A tool of MCP, without `outputSchema`."""
    spec, name = job.spec, job.name()
    tool: Schema = {"name": name}
    if name != spec.name:
        tool["title"] = spec.name
    tool |= {"description": spec.description, "inputSchema": job.parameters()}
    job.parts |= {
        DEFINITION: "",
        NAME: "/name",
        DESCRIPTION: "/description",
        PARAMETERS: "/inputSchema",
    }
    _restore_mcp(tool, job)
    return tool


def _restore_mcp(tool: Schema, job: Job) -> None:
    """Give `tool` the fields that an import from an MCP server stored in `x-mcp`."""
    for field, value in members_of(job.spec.document.get("x-mcp")).items():
        pointer = pointer_join("/x-mcp", field)
        if field not in tool and isinstance(value, _OF_MCP.get(field, ())):
            tool[field] = value
            job.report.preserved(pointer, "Exported as a field of the tool.")
        else:
            job.report.dropped(pointer, "MCP has no field for it.")


def _build_openai(job: Job) -> Schema:
    function: Schema = {
        "name": job.name(),
        "description": job.spec.description,
        "parameters": job.parameters(),
    }
    job.parts |= _PARTS_OF_FUNCTION
    return {"type": "function", "function": function}


def _build_openai_strict(job: Job) -> Schema:
    schema = job.spec.parameters
    if schema is None:
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
    parameters = job.subset(schema, PARAMETERS, obstacles=job.obstacles)
    job.obstacles += strict_obstacles(parameters)
    function: Schema = {
        "name": job.name(),
        "description": job.spec.description,
        "parameters": parameters,
        "strict": True,
    }
    job.parts |= _PARTS_OF_FUNCTION
    return {"type": "function", "function": function}


_PARTS_OF_FUNCTION: Final[Mapping[str, str]] = {
    DEFINITION: "/function",
    NAME: "/function/name",
    DESCRIPTION: "/function/description",
    PARAMETERS: "/function/parameters",
}


def _build_anthropic(job: Job) -> Schema:
    parameters = job.parameters()
    tool: Schema = {
        "name": job.name(),
        "description": job.spec.description,
        "input_schema": parameters,
    }
    job.parts |= {
        DEFINITION: "",
        NAME: "/name",
        DESCRIPTION: "/description",
        PARAMETERS: "/input_schema",
    }
    examples = _list_input_examples(job, parameters)
    if examples:
        tool["input_examples"] = examples
    return tool


def _list_input_examples(job: Job, parameters: Schema) -> list[JSON]:
    """The parameters of the examples that match the schema: Anthropic rejects all others."""
    compiled = compile_schema(parameters)
    budget = Budget()  # shared: there may be 200 examples, and anyone may ask for an export
    matching: list[JSON] = []
    for index, example in enumerate(job.spec.examples):
        pointer = pointer_join(EXAMPLES, index)
        value = _rename_members(example.parameters, job)
        if value is None or compiled.check(value, budget=budget).verdict != "conforms":
            reason = "Anthropic accepts only examples whose parameters match the schema."
            job.report.dropped(pointer, reason)
            continue
        job.parts[EXAMPLES] = "/input_examples"
        job.parts[pointer] = pointer_join("/input_examples", len(matching))
        matching.append(value)
        job.report.preserved(pointer_join(pointer, "parameters"), "Exported to `input_examples`.")
        if example.has_return_value:
            reason = "Anthropic's examples have no return values."
            job.report.dropped(pointer_join(pointer, "returnValue"), reason)
    return matching


def _rename_members(parameters: JSON, job: Job) -> Schema | None:
    """`parameters` with the new names of renamed members; None if they are no object."""
    if not isinstance(parameters, dict):
        return None
    renamed: Schema = {}
    for name, member in parameters.items():
        new = job.renamed.get(pointer_join(PARAMETERS, "properties", name), name)
        renamed[new] = member
    return renamed


def _build_gemini(job: Job) -> Schema:
    spec = job.spec
    function: Schema = {"name": job.name(), "description": spec.description}
    job.parts |= {DEFINITION: "", NAME: "/name", DESCRIPTION: "/description"}
    if spec.parameters is not None:
        parameters = job.subset(spec.parameters, PARAMETERS, obstacles=job.obstacles)
        if parameters.get("properties"):  # Gemini rejects an object without members
            function["parameters"] = parameters
            job.parts[PARAMETERS] = "/parameters"
    if spec.return_type is not None:
        obstacles: list[str] = []
        response = job.subset(spec.return_type, RETURN_TYPE, obstacles=obstacles)
        if obstacles:
            job.report.dropped(RETURN_TYPE, "In Gemini, only an object can have a response schema.")
        else:
            function["response"] = response
            job.parts[RETURN_TYPE] = "/response"
            reason = "Exported as `response`, except for the parts listed here."
            job.report.preserved(RETURN_TYPE, reason)
    return function


def _build_langchain(job: Job) -> Schema:
    schema: Schema = {"title": job.name(), "description": job.spec.description}
    parameters = job.parameters()
    job.parts |= {DEFINITION: "", NAME: "/title", DESCRIPTION: "/description", PARAMETERS: ""}
    for annotation in schema:
        if annotation in parameters:
            reason = f"The tool's own `{annotation}` replaces it."
            job.report.dropped(pointer_join(PARAMETERS, annotation), reason)
    schema |= {keyword: value for keyword, value in parameters.items() if keyword not in schema}
    examples = [example.parameters for example in job.spec.examples if example.has_parameters]
    if examples:
        schema["examples"] = [*examples]
        job.parts[EXAMPLES] = "/examples"
        reason = "Only their parameters are exported, as `examples` of the schema."
        job.report.rewritten(EXAMPLES, reason)
    for name in members_of(parameters.get("properties")):
        if not name.isidentifier() or name.startswith("_"):
            reason = "A pydantic model needs an alias for this name."
            job.report.preserved(pointer_join(PARAMETERS, "properties", name), reason)
    return schema


_BUILDERS: Final[tuple[tuple[Rules, Callable[[Job], Schema]], ...]] = (
    (rules.MCP, _build_mcp),
    (rules.MCP_2026, _build_mcp_2026),
    (rules.OPENAI, _build_openai),
    (rules.OPENAI_STRICT, _build_openai_strict),
    (rules.ANTHROPIC, _build_anthropic),
    (rules.GEMINI, _build_gemini),
    (rules.LANGCHAIN, _build_langchain),
    (rules.OPENAPI, openapi_document),
)
FORMATS: Final[Mapping[str, Rules]] = {target.key: target for target, _ in _BUILDERS}
_BUILDER_OF: Final = {target.key: builder for target, builder in _BUILDERS}
