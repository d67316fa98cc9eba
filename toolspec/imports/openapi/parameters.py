"""The parameters of an operation, as one object for a model to fill in, and its result.

Each parameter is a member, in whichever part of the request it is sent. The body is the member
`body`, or the whole object if there are no other parameters. The extension `x-openapi` describes
how to build the request from them.

Sources: OpenAPI 3.1.1, "Parameter Object" and "Responses Object"; Swagger 2.0, "Parameter Object",
"Response Object".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from toolspec.imports.openapi.bodies import (
    SWAGGER_SCHEMA,
    Body,
    Media,
    collection_format,
    form_body,
    is_json,
    media_of,
    media_of_parameter,
    request_body,
    swagger_body,
    with_annotations,
    with_examples,
)
from toolspec.imports.openapi.parts import Context, Part
from toolspec.imports.results import Object
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

BODY: Final = "body"

_LOCATIONS: Final = frozenset({"path", "query", "header", "cookie", "querystring"})
_NOT_PARAMETERS: Final = frozenset({"accept", "content-type"})  # OpenAPI ignores these headers
_RESPONSE: Final = frozenset({"description", "summary", "schema", "content"})
_PARAMETER: Final = frozenset({
    "name", "in", "required", "description", "deprecated", "schema", "content", "example",
    "examples", *SWAGGER_SCHEMA,
})  # fmt: skip
_UNDEFINED: Final = "The response is not defined."
_WITHOUT_CONTENT: Final = frozenset({"204", "205"})  # statuses that have none (RFC 9110)
_TEMPLATE: Final = re.compile(r"\{([^{}]+)\}")
# Media types that requests accept by default.
_ACCEPTED: Final = frozenset({"application/json", "*/*"})
_WIRE: Final = ("style", "explode", "allowReserved", "collectionFormat")


@dataclass(slots=True)
class Inputs:
    """The parameters of an operation.

    Attributes:
        schema: of the parameters; None if there are none.
        wire: how they are sent: members of `x-openapi`.
        examples: of the whole object, by name.
        authorization: the parameter that is the header `Authorization`, a secret of the
            configuration.
    """

    schema: JSON = None
    wire: Object = field(default_factory=dict)
    examples: Object = field(default_factory=dict)
    authorization: Part | None = None


@dataclass(slots=True)
class Output:
    """The result of an operation.

    Attributes:
        schema: None if it is unknown.
        examples: by name.
        wire: members of `x-openapi`.
    """

    schema: JSON = None
    examples: Object = field(default_factory=dict)
    wire: Object = field(default_factory=dict)


class _Members:
    """Collects the members of the parameters."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.properties: Object = {}
        self.required: list[JSON] = []
        self.needs: dict[str, None] = {}
        self.wire: Object = {}
        self.authorization: Part | None = None

    def add(self, name: str, schema: JSON, needs: tuple[str, ...], *, required: bool) -> None:
        self.properties[name] = schema
        self.needs |= dict.fromkeys(needs)
        if required:
            self.required.append(name)

    def free_name(self, name: str, location: str, pointer: str) -> str:
        """`name`, or a different name if a parameter in another location already has it."""
        free_name = name
        while free_name in self.properties:
            free_name = f"{free_name}_{location}"
        if free_name != name:
            reason = f"Another parameter has the name `{name}`; this one became `{free_name}`."
            self.context.report.rewritten(pointer, reason)
        return free_name

    def schema(self) -> JSON:
        if not self.properties:
            return None
        schema: Object = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = self.required
        return self.context.close(schema, tuple(self.needs), "in")


def inputs_of(path: str, item: Part, operation: Part, context: Context) -> Inputs:
    """The parameters of `operation` in the path item `item`."""
    members = _Members(context)
    form: list[Part] = []
    body: Body | None = None
    parameters = _read_parameters(item, operation, context)
    parameters += _find_undeclared(path, parameters, operation, context)
    for parameter in parameters:
        where = parameter.value.get("in")
        if where == "formData":
            form.append(parameter)
        elif where == "body":
            body = swagger_body(parameter, operation, context)
        else:
            _add_parameter(parameter, str(where), members)
    if form:
        body = form_body(form, operation, context)
    if "requestBody" in operation.value:
        body = request_body(operation, context) or body
    inputs = _build_inputs(members, body, operation.pointer)
    inputs.authorization = members.authorization
    return inputs


def _find_undeclared(
    path: str, parameters: list[Part], operation: Part, context: Context
) -> list[Part]:
    """The parameters that the path contains and the document does not declare: each is a string."""
    in_path = _names_in(parameters, "path")
    in_path_or_query = in_path | _names_in(parameters, "query")
    start, _, query = path.partition("#")[0].partition("?")
    names = dict.fromkeys(_TEMPLATE.findall(start), in_path)
    names |= dict.fromkeys(_TEMPLATE.findall(query), in_path_or_query)
    undeclared = []
    for name, declared in names.items():
        plain = name.strip("+*")
        if name in declared or plain in declared:
            continue
        reason = f"The path contains `{{{name}}}`, which the document does not declare;"
        context.report.rewritten(operation.pointer, f"{reason} it became a string.")
        schema: Object = {"type": "string"}
        parameter: Object = {"name": plain, "in": "path", "required": True, "schema": schema}
        undeclared.append(Part(parameter, operation.pointer))
    return undeclared


def _names_in(parameters: list[Part], location: str) -> set[str]:
    names = set()
    for parameter in parameters:
        if parameter.value.get("in") == location:
            names.add(str(parameter.value["name"]))
    return names


def _build_inputs(members: _Members, body: Body | None, pointer: str) -> Inputs:
    wire: Object = {"parameters": members.wire} if members.wire else {}
    if body is None:
        return Inputs(members.schema(), wire)
    context = members.context
    if not members.properties:
        schema = context.close(body.schema, body.needs, "in")
        if isinstance(schema, dict) and schema.get("type") == "object":
            return Inputs(schema, wire | body.wire(whole=True), body.examples)
    name = members.free_name(BODY, "content", pointer)
    members.add(name, with_examples(body.schema, body.examples), body.needs, required=body.required)
    return Inputs(members.schema(), wire | body.wire(member=name))


def _read_parameters(item: Part, operation: Part, context: Context) -> list[Part]:
    """The parameters of the operation, and those of the path that it does not override."""
    parameters: dict[tuple[str, str], Part] = {}
    for holder in (item, operation):
        for index, value in enumerate(items_of(holder.value.get("parameters"))):
            pointer = pointer_join(holder.pointer, "parameters", index)
            parameter = context.resolve(value, pointer, "The parameter was removed.")
            if parameter is None:
                continue
            name = parameter.value.get("name")
            if not isinstance(name, str):
                context.report.dropped(pointer, "The parameter has no name.")
                continue
            parameters[name, str(parameter.value.get("in"))] = parameter
    return list(parameters.values())


def _add_parameter(parameter: Part, where: str, members: _Members) -> None:
    context, name = members.context, str(parameter.value["name"])
    if where not in _LOCATIONS:
        context.report.dropped(parameter.pointer, f"`{where}` is not a location for parameters.")
        return
    if where == "header" and name.lower() == "authorization":
        reason = f"HTTP clients set the header `{name}` themselves,"
        reason += " so it became part of the configuration."
        context.report.rewritten(parameter.pointer, reason)
        members.authorization = parameter
        return
    if where == "header" and name.lower() in _NOT_PARAMETERS:
        reason = f"HTTP clients set the header `{name}` themselves."
        context.report.dropped(parameter.pointer, reason)
        return
    media = media_of_parameter(parameter, context)
    context.report_unused(parameter, _PARAMETER.union(_WIRE))
    schema, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    schema = with_annotations(with_examples(schema, media.examples), parameter.value)
    member = members.free_name(name, where, parameter.pointer)
    is_required = parameter.value.get("required") is True or where == "path"
    members.add(member, schema, needs, required=is_required)
    wire = collection_format(parameter)
    wire["in"] = where
    if member != name:
        wire["name"] = name
    if media.media_type:
        wire["contentType"] = media.media_type
    for key in _WIRE:
        if key in parameter.value:
            wire[key] = parameter.value[key]
    members.wire[member] = wire


# Responses


def output_of(operation: Part, context: Context) -> Output:
    """The JSON result of `operation` when it succeeds.

    Several kinds of success become alternatives. `responses` of the extension then gives, for each
    status, the pointer of its alternative in the return type; false if it is declared without
    content, and null if with other than JSON.
    """
    responses = operation.value.get("responses")
    if not isinstance(responses, dict):
        return Output()
    codes = sorted(filter(_is_success, responses), key=_code_rank)
    if not codes and "default" in responses:
        codes = ["default"]
    results = _read_results(codes, operation, context)
    for code in responses:
        if code not in codes and not code.startswith("x-"):
            pointer = pointer_join(operation.pointer, "responses", code)
            context.report.dropped(pointer, "Error responses are not part of a spec.")
    contents = [result.media for result in results.values() if result.media]
    if not contents:
        return Output()
    alternatives: list[JSON] = []
    needs: dict[str, None] = {}
    for result in results.values():
        needs |= dict.fromkeys(result.needs)
        if result.is_json and result.schema not in alternatives:
            alternatives.append(result.schema)
    schema: JSON = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    output = Output(context.close(schema, tuple(needs), "out"), contents[0].examples)
    types = dict.fromkeys(media.media_type for media in contents)
    if not _ACCEPTED.issuperset(types):
        output.wire["accept"] = ", ".join(types)
    places: Object = {}
    for code, result in results.items():
        status = code if code == "default" else code.upper()
        places[status] = _place_of(result, alternatives)
    if "default" in responses and "default" not in codes:
        places["default"] = None
    if any(place != "" or not code.isdecimal() for code, place in places.items()):
        output.wire["responses"] = places
    return output


def _place_of(result: _Result, alternatives: list[JSON]) -> JSON:
    """The value of `result` in `responses` of the extension: see `output_of`."""
    if not result.is_json:
        return False if result.is_empty else None
    if len(alternatives) == 1:
        return ""
    return f"/anyOf/{alternatives.index(result.schema)}"


@dataclass(frozen=True, slots=True)
class _Result:
    """What one response declares: JSON of a `schema`, with its `media` unless the body is empty."""

    schema: JSON = None
    needs: tuple[str, ...] = ()
    media: Media | None = None
    is_json: bool = False
    is_empty: bool = False


def _read_results(codes: list[str], operation: Part, context: Context) -> dict[str, _Result]:
    results: dict[str, _Result] = {}
    for code in codes:
        pointer = pointer_join(operation.pointer, "responses", code)
        declared = members_of(operation.value["responses"])[code]
        response = context.resolve(declared, pointer, _UNDEFINED)
        media = _read_content(response, context) if response else None
        if media is not None:
            schema, needs = context.schemas.read(media.schema, media.pointer, "out", context.report)
            results[code] = _Result(schema, needs, media, is_json=True)
        elif code in _WITHOUT_CONTENT:
            results[code] = _Result({"type": "null"}, is_json=True)
        else:
            is_empty = response is not None and not {"content", "schema"} & response.value.keys()
            results[code] = _Result(is_empty=is_empty)
    return results


def _read_content(response: Part, context: Context) -> Media | None:
    """The content of a response; None if it is not JSON or not described."""
    context.report_unused(response, _RESPONSE)
    if "schema" in response.value:  # Swagger 2.0
        schema, pointer = response.value["schema"], pointer_join(response.pointer, "schema")
        if isinstance(schema, dict) and schema.get("type") == "file":
            context.report.dropped(pointer, "The response is a file.")
            return None
        return Media("application/json", schema, pointer)
    media = media_of(response, context)
    if media is None:
        return None
    reason = "Another media type of the response became the return type."
    context.report_unused_content(response, media.media_type, reason)
    if not is_json(media.media_type):
        pointer = media.pointer.rpartition("/")[0]
        context.report.dropped(pointer, f"The response is not JSON but {media.media_type}.")
        return None
    return media if media.is_described else None


def _is_success(code: str) -> bool:
    return len(code) == 3 and code[0] == "2"


def _code_rank(code: str) -> tuple[bool, str]:
    """In the order of numbers; ranges such as 2XX last."""
    return (not code.isdecimal(), code)


def examples_of(inputs: Inputs, output: Output) -> Iterator[JSON]:
    """Examples of calls: each example of the parameters, with the result of the same name."""
    for name in dict.fromkeys((*inputs.examples, *output.examples)):
        example: Object = {}
        for member, examples in (("parameters", inputs.examples), ("returnValue", output.examples)):
            declared = members_of(examples.get(name))
            value = declared.get("value")
            if "value" in declared and (member == "returnValue" or isinstance(value, dict)):
                summary = declared.get("summary")
                if isinstance(summary, str):
                    example.setdefault("description", summary)
                example[member] = value
        if "parameters" in example:
            yield example
