"""The parameters of an operation, as one object for a model to fill in, and its result.

Each parameter is a member, in whichever part of the request it is sent. The body is the member `body`, or the whole
object if there are no other parameters. The extension `x-openapi` describes how to build the request from them.

Sources: OpenAPI 3.1.1, "Parameter Object" and "Responses Object"; Swagger 2.0, "Parameter Object", "Response Object".
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
_PARAMETER: Final = frozenset(
    {
        "name",
        "in",
        "required",
        "description",
        "deprecated",
        "schema",
        "content",
        "example",
        "examples",
        *SWAGGER_SCHEMA,
    }
)
_UNDEFINED: Final = "The response is not defined."
_WITHOUT_CONTENT: Final = frozenset({"204", "205"})  # statuses that have none (RFC 9110)
_TEMPLATE: Final = re.compile(r"\{([^{}]+)\}")
_ACCEPTED: Final = frozenset(
    {"application/json", "*/*"}
)  # media types that requests accept by default
_WIRE: Final = ("style", "explode", "allowReserved", "collectionFormat")


@dataclass(slots=True)
class Inputs:
    """The parameters of an operation.

    Attributes:
        schema: of the parameters; None if there are none.
        wire: how they are sent: members of `x-openapi`.
        examples: of the whole object, by name.
        authorization: the parameter that is the header `Authorization`, a secret of the configuration.
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
    parameters = [*_parameters(item, operation, context)]
    for parameter in [*parameters, *_forgotten(path, parameters, operation, context)]:
        where = parameter.value.get("in")
        if where == "formData":
            form.append(parameter)
        elif where == "body":
            body = swagger_body(parameter, operation, context)
        else:
            _add(parameter, str(where), members)
    if form:
        body = form_body(form, operation, context)
    if "requestBody" in operation.value:
        body = request_body(operation, context) or body
    inputs = _with_body(members, body, operation.pointer)
    inputs.authorization = members.authorization
    return inputs


def _forgotten(
    path: str, parameters: list[Part], operation: Part, context: Context
) -> Iterator[Part]:
    """The parameters that the path contains and the document does not declare: each is a string."""
    declared = {
        str(parameter.value["name"])
        for parameter in parameters
        if parameter.value.get("in") == "path"
    }
    in_path, _, query = path.partition("#")[0].partition("?")
    in_query = {
        str(parameter.value["name"])
        for parameter in parameters
        if parameter.value.get("in") == "query"
    }
    names = dict.fromkeys(_TEMPLATE.findall(in_path), declared)
    names |= dict.fromkeys(_TEMPLATE.findall(query), declared | in_query)
    for name, known in names.items():
        plain = name.strip("+*")
        if name in known or plain in known:
            continue
        reason = f"The path contains `{{{name}}}`, which the document does not declare; it became a string."
        context.report.rewritten(operation.pointer, reason)
        yield Part(
            {"name": plain, "in": "path", "required": True, "schema": {"type": "string"}},
            operation.pointer,
        )


def _with_body(members: _Members, body: Body | None, pointer: str) -> Inputs:
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


def _parameters(item: Part, operation: Part, context: Context) -> list[Part]:
    """The parameters of the operation, and those of the path that it does not override."""
    found: dict[tuple[str, str], Part] = {}
    for holder in (item, operation):
        for index, value in enumerate(items_of(holder.value.get("parameters"))):
            pointer = pointer_join(holder.pointer, "parameters", index)
            parameter = context.resolve(value, pointer, "The parameter was removed.")
            if parameter is None:
                continue
            if not isinstance(parameter.value.get("name"), str):
                context.report.dropped(pointer, "The parameter has no name.")
                continue
            found[str(parameter.value["name"]), str(parameter.value.get("in"))] = parameter
    return list(found.values())


def _add(parameter: Part, where: str, members: _Members) -> None:
    context, name = members.context, str(parameter.value["name"])
    if where not in _LOCATIONS:
        context.report.dropped(parameter.pointer, f"`{where}` is not a location for parameters.")
        return
    if where == "header" and name.lower() == "authorization":
        reason = f"HTTP clients set the header `{name}` themselves, so it became part of the configuration."
        context.report.rewritten(parameter.pointer, reason)
        members.authorization = parameter
        return
    if where == "header" and name.lower() in _NOT_PARAMETERS:
        context.report.dropped(
            parameter.pointer, f"HTTP clients set the header `{name}` themselves."
        )
        return
    media = media_of_parameter(parameter, context)
    context.report_unused(parameter, _PARAMETER.union(_WIRE))
    read, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    member = members.free_name(name, where, parameter.pointer)
    required = _is_required(parameter) or where == "path"
    schema = with_annotations(with_examples(read, media.examples), parameter.value)
    members.add(member, schema, needs, required=required)
    wire: Object = {"in": where}
    wire |= {"name": name} if member != name else {}
    wire |= {"contentType": media.media_type} if media.media_type else {}
    wire |= {key: parameter.value[key] for key in _WIRE if key in parameter.value}
    members.wire[member] = collection_format(parameter) | wire


def _is_required(parameter: Part) -> bool:
    return parameter.value.get("required") is True


# Responses


def output_of(operation: Part, context: Context) -> Output:
    """The JSON result of `operation` when it succeeds.

    Several kinds of success become alternatives. `responses` of the extension then gives, for each status, the pointer
    of its alternative in the return type; false if it is declared without content, and null if with other than JSON.
    """
    responses = operation.value.get("responses")
    if not isinstance(responses, dict):
        return Output()
    codes = sorted(filter(_is_success, responses), key=_code_rank) or [
        code for code in responses if code == "default"
    ]
    results = _results(codes, operation, context)
    for code in responses:
        if code not in codes and not code.startswith("x-"):
            pointer = pointer_join(operation.pointer, "responses", code)
            context.report.dropped(pointer, "Error responses are not part of a spec.")
    found = [result.media for result in results.values() if result.media]
    if not found:
        return Output()
    alternatives: list[JSON] = []
    for result in results.values():
        if result.is_json and result.schema not in alternatives:
            alternatives.append(result.schema)
    whole: JSON = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    needs = dict.fromkeys(need for result in results.values() for need in result.needs)
    output = Output(context.close(whole, tuple(needs), "out"), found[0].examples)
    types = dict.fromkeys(media.media_type for media in found)
    if not _ACCEPTED.issuperset(types):
        output.wire["accept"] = ", ".join(types)
    places: Object = {}
    for code, result in results.items():
        place = (
            f"/anyOf/{alternatives.index(result.schema)}"
            if len(alternatives) > 1 and result.is_json
            else ""
        )
        places[code if code == "default" else code.upper()] = (
            place if result.is_json else False if result.is_empty else None
        )
    if "default" in responses and "default" not in codes:
        places["default"] = None
    if any(place != "" or not code.isdecimal() for code, place in places.items()):
        output.wire["responses"] = places
    return output


@dataclass(frozen=True, slots=True)
class _Result:
    """What one response declares: JSON of a `schema`, which has `media` unless it is that of an empty body."""

    schema: JSON = None
    needs: tuple[str, ...] = ()
    media: Media | None = None
    is_json: bool = False
    is_empty: bool = False


def _results(codes: list[str], operation: Part, context: Context) -> dict[str, _Result]:
    results: dict[str, _Result] = {}
    for code in codes:
        pointer = pointer_join(operation.pointer, "responses", code)
        response = context.resolve(
            members_of(operation.value["responses"])[code], pointer, _UNDEFINED
        )
        media = _content(response, context) if response else None
        if media is not None:
            schema, needs = context.schemas.read(media.schema, media.pointer, "out", context.report)
            results[code] = _Result(schema, needs, media, is_json=True)
        elif code in _WITHOUT_CONTENT:
            results[code] = _Result({"type": "null"}, is_json=True)
        else:
            is_empty = response is not None and not {"content", "schema"} & response.value.keys()
            results[code] = _Result(is_empty=is_empty)
    return results


def _content(response: Part, context: Context) -> Media | None:
    """The content of a response; None if it is not JSON or not described."""
    context.report_unused(response, _RESPONSE)
    if "schema" in response.value:  # Swagger 2.0
        schema, pointer = response.value["schema"], pointer_join(response.pointer, "schema")
        if isinstance(schema, dict) and schema.get("type") == "file":
            context.report.dropped(pointer, "The response is a file.")
            return None
        return Media("application/json", schema, pointer)
    media = media_of(response, context)
    if media is not None:
        reason = "Another media type of the response became the return type."
        context.report_unused_content(response, media.media_type, reason)
    if media is not None and not is_json(media.media_type):
        pointer = media.pointer.rpartition("/")[0]
        context.report.dropped(pointer, f"The response is not JSON but {media.media_type}.")
        return None
    return media if media is not None and media.is_described else None


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
            found = examples.get(name)
            if not isinstance(found, dict) or "value" not in found:
                continue
            if member == "returnValue" or isinstance(found["value"], dict):
                if isinstance(summary := found.get("summary"), str):
                    example.setdefault("description", summary)
                example[member] = found["value"]
        if "parameters" in example:
            yield example
