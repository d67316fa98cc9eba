"""A tool in each format, put together: its name, its parameters, and what else of its spec has a place there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from catalog.exports import rules
from catalog.exports.limits import strict_obstacles
from catalog.exports.naming import alias
from catalog.exports.rooting import NotAnObject, object_root
from catalog.exports.rules import Rules
from catalog.exports.subsets import Subset, SubsetWriter, TooLarge, renaming
from catalog.exports.whole import NOTHING, whole_object
from catalog.losses import Loss, Report, is_within
from catalog.problems import pointer_join
from catalog.schema_modernising import Schema, account_for_draft, definition_of, is_outdated, modernised
from catalog.spec import ToolSpec
from catalog.strict_json import JSON
from catalog.validation import compile_schema

Verdict = Literal["as it is", "with changes", "not usable"]

NAME: Final = "/definition/name"
DESCRIPTION: Final = "/definition/description"
PARAMETERS: Final = "/definition/parameters"
RETURN_TYPE: Final = "/definition/returnType"
EXAMPLES: Final = "/definition/examples"
CONFIGURATION: Final = "/configuration"

_FOR_MODELS: Final = (NAME, DESCRIPTION, PARAMETERS)


@dataclass(frozen=True, slots=True)
class Export:
    """A tool in another format.

    Attributes:
        losses: what became of each part of the spec: kept, rewritten or dropped, by pointer.
        renamed: the names of members that the format does not allow, by pointer into the spec: what they are called in
            the document. A caller gives them their own names back.
        obstacles: why the document would be refused even so; empty where it would not.
    """

    format: str
    document: Schema
    losses: tuple[Loss, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    obstacles: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether the tool can be used there: "as it is" means that what a model sees of it was not touched."""
        if self.obstacles:
            return "not usable"
        touched = any(
            loss.what != "kept" and any(is_within(loss.pointer, part) for part in _FOR_MODELS) for loss in self.losses
        )
        return "with changes" if touched else "as it is"

    @property
    def changes(self) -> tuple[Loss, ...]:
        """What was rewritten or dropped."""
        return tuple(loss for loss in self.losses if loss.what != "kept")


@dataclass(slots=True)
class Job:
    """One export on its way."""

    spec: ToolSpec
    rules: Rules
    report: Report = field(default_factory=Report)
    renamed: dict[str, str] = field(default_factory=dict)
    obstacles: list[str] = field(default_factory=list)

    def name(self) -> str:
        """The tool's name where it is allowed, else its alias."""
        name = alias(self.spec.name, self.rules.name)
        if name != self.spec.name:
            self.report.rewritten(NAME, renaming(self.spec.name, name, self.rules.label, self.rules.name))
        return name

    def parameters(self) -> Schema:
        """The parameters as an object, or as much of them as can be one."""
        if self.spec.parameters is None:
            return dict(NOTHING)
        try:
            schema, renamed = whole_object(self.spec.parameters, PARAMETERS, self.rules, self.report)
        except NotAnObject as error:
            self.obstacles.append(str(error))
            return dict(NOTHING)
        self.renamed |= renamed
        return schema

    def subset(self, schema: JSON, pointer: str, subset: Subset, *, obstacles: list[str]) -> Schema:
        """`schema` in what the provider understands; what stands in the way is added to `obstacles`."""
        modern = modernised(schema, pointer=pointer, report=self.report)
        try:
            root = object_root(modern, pointer=pointer, report=self.report)
            modern.root = root
            writer = SubsetWriter(modern, subset, self.report)
            document = writer.document(root)
        except (NotAnObject, TooLarge) as error:
            obstacles.append(str(error))
            return {}
        if isinstance(schema, dict) and "$schema" in schema:
            if subset.drafts and not is_outdated(schema):
                document = {"$schema": schema["$schema"], **document}
            else:
                self.report.dropped(f"{pointer}/$schema", f"{subset.label} does not know `$schema`.")
        if pointer == PARAMETERS:
            self.renamed |= writer.renamed
        return document

    def drop(self, pointer: str, reason: str, *, present: bool) -> None:
        if present:
            self.report.dropped(pointer, reason)


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
            report.kept(pointer, "It is the same there.")
    if spec.parameters is not None and not job.obstacles:
        changed = report.changes(PARAMETERS)
        report.kept(PARAMETERS, "All but what is said below it is the same." if changed else "They are the same there.")
    parts = (
        (RETURN_TYPE, spec.return_type is not None, f"{label} has no place for what a tool returns."),
        (EXAMPLES, bool(spec.examples), f"{label} has no place for examples."),
        (CONFIGURATION, spec.configuration is not None, "A tool is configured where it runs, not where it is offered."),
    )
    for pointer, present, reason in parts:
        if present and not any(is_within(loss.pointer, pointer) for loss in report):
            report.dropped(pointer, reason)


# The formats


def _mcp(job: Job) -> Schema:
    spec, name = job.spec, job.name()
    tool: Schema = {"name": name}
    if name != spec.name:
        tool["title"] = spec.name
    tool |= {"description": spec.description, "inputSchema": job.parameters()}
    returns = spec.return_type
    if returns is not None:
        try:
            tool["outputSchema"], _ = whole_object(returns, RETURN_TYPE, job.rules, job.report)
        except NotAnObject:
            job.report.dropped(RETURN_TYPE, "MCP describes a result only where it is an object.")
        else:
            job.report.kept(RETURN_TYPE, "It is the schema of the structured result.")
    return tool


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
    kept: list[JSON] = []
    for index, example in enumerate(job.spec.examples):
        place = pointer_join(EXAMPLES, index)
        value = example.parameters
        if isinstance(value, dict):
            value = {
                names.get(pointer_join(PARAMETERS, "properties", name), name): member for name, member in value.items()
            }
        if not isinstance(value, dict) or compiled.check(value).verdict != "conforms":
            job.report.dropped(place, "Anthropic takes only examples of parameters that keep to the schema.")
            continue
        kept.append(value)
        job.report.kept(pointer_join(place, "parameters"), "They are one of the `input_examples`.")
        job.drop(
            pointer_join(place, "returnValue"),
            "Anthropic's examples have no results.",
            present=example.has_return_value,
        )
    return kept


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
            job.report.kept(RETURN_TYPE, "All but what is said below it is the `response`.")
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
            job.report.kept(
                pointer_join(PARAMETERS, "properties", name), "A model class of pydantic needs an alias for this name."
            )
    return schema


def _openapi(job: Job) -> Schema:
    """A document with one operation; GitHub, gateways and assistants read whole documents, not single operations."""
    spec, name = job.spec, job.name()
    schemas: Schema = {}
    operation: Schema = {"operationId": name, "summary": spec.name, "description": spec.description}
    if spec.parameters is not None:
        content: Schema = {"schema": _component("Parameters", spec.parameters, PARAMETERS, schemas, job)}
        _add_examples(content, "parameters", job)
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    result: Schema = {}
    if spec.return_type is not None:
        result["schema"] = _component("Returns", spec.return_type, RETURN_TYPE, schemas, job)
        job.report.kept(RETURN_TYPE, "It is the schema of the answer.")
    _add_examples(result, "returnValue", job)
    operation["responses"] = {"200": {"description": "What the tool returns.", "content": {"application/json": result}}}
    document: Schema = {
        "openapi": "3.1.1",
        "info": {"title": spec.name, "version": spec.sha256[:12]},
        "paths": {f"/tools/{spec.slug}": {"post": operation}},
    }
    if schemas:
        document["components"] = {"schemas": schemas}
    own: Schema = {"name": spec.name}
    if spec.tool_id != spec.name:
        own["id"] = spec.tool_id
        job.report.kept("/definition/id", "It is in the extension `x-llm-tool`, which other programs pass over.")
    if spec.configuration is not None:
        own["configuration"] = spec.configuration
        job.report.kept(CONFIGURATION, "It is in the extension `x-llm-tool`, which other programs pass over.")
    return {**document, "x-llm-tool": own}


def _component(name: str, schema: JSON, pointer: str, schemas: Schema, job: Job) -> Schema:
    """Put `schema` and its definitions among the components; a reference to it."""
    modern = modernised(schema, pointer=pointer, report=job.report)
    names = {"": name, **{definition: f"{name}.{definition}" for definition in sorted(modern.used_from(modern.root))}}
    for definition, component in names.items():
        schemas[component] = _moved(modern.definitions[definition] if definition else modern.root, names)
    account_for_draft(schema, pointer, job.report)
    return {"$ref": f"#/components/schemas/{name}"}


def _moved(value: JSON, names: Mapping[str, str]) -> JSON:
    """`value` with its references leading to the components."""
    if isinstance(value, list):
        return [_moved(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    out: Schema = {name: _moved(member, names) for name, member in value.items()}
    definition = definition_of(value.get("$ref"))
    if definition is not None and definition in names:
        out["$ref"] = f"#/components/schemas/{names[definition]}"
    return out


def _add_examples(content: Schema, member: Literal["parameters", "returnValue"], job: Job) -> None:
    examples: Schema = {}
    for index, example in enumerate(job.spec.examples):
        has, value = (
            (example.has_parameters, example.parameters)
            if member == "parameters"
            else (example.has_return_value, example.return_value)
        )
        if has:
            examples[f"example-{index + 1}"] = {
                "summary": example.description or f"Example {index + 1}",
                "value": value,
            }
            job.report.kept(pointer_join(EXAMPLES, index, member), "It is an example of the operation.")
    if examples:
        content["examples"] = examples


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
        Format(rules.OPENAPI, _openapi),
    )
}
