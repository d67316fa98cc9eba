"""What an operation takes, as one object for a model to fill in; and what it returns.

Each parameter is a member, whichever part of a request it goes to; the body is the member `body`, or the whole where
there is nothing else. How the request is then put together stands beside the definition.

Sources: OpenAPI 3.1.1, "Parameter Object" and "Responses Object"; Swagger 2.0, "Parameter Object", "Response Object".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.bodies import (
    SWAGGER_SCHEMA,
    Body,
    Media,
    form_body,
    media_of,
    request_body,
    schema_of,
    with_described,
    with_examples,
)
from catalog.specs.importers.openapi.parts import Context, Part
from catalog.specs.importers.results import Object

BODY: Final = "body"

_PLACES: Final = frozenset({"path", "query", "header", "cookie", "querystring"})
_NOT_PARAMETERS: Final = frozenset({"accept", "content-type", "authorization"})  # headers of HTTP's own
_ANSWER: Final = frozenset({"description", "summary", "schema", "content"})
_PARAMETER: Final = frozenset(
    {"name", "in", "required", "description", "deprecated", "schema", "content", "example", *SWAGGER_SCHEMA}
)
_WIRE: Final = ("style", "explode", "allowReserved", "collectionFormat")


@dataclass(slots=True)
class Inputs:
    """What an operation takes.

    Attributes:
        schema: of the parameters; None where it takes none.
        wire: how they go into a request: members of `x-openapi`.
        examples: by name, of the whole parameters.
    """

    schema: JSON = None
    wire: Object = field(default_factory=dict)
    examples: Object = field(default_factory=dict)


@dataclass(slots=True)
class Output:
    """What an operation returns: the schema, None where it is not known; and examples, by name."""

    schema: JSON = None
    examples: Object = field(default_factory=dict)


class _Members:
    """The members of the parameters, while they are found."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.properties: Object = {}
        self.required: list[JSON] = []
        self.needs: dict[str, None] = {}
        self.wire: Object = {}

    def add(self, name: str, schema: JSON, needs: tuple[str, ...], *, required: bool) -> None:
        self.properties[name] = schema
        self.needs |= dict.fromkeys(needs)
        if required:
            self.required.append(name)

    def free_name(self, name: str, place: str, pointer: str) -> str:
        """`name`, or another where a parameter of another place has it already."""
        free_name = name
        while free_name in self.properties:
            free_name = f"{free_name}_{place}"
        if free_name != name:
            reason = f"Another parameter is called `{name}`; this one became `{free_name}`."
            self.context.report.rewritten(pointer, reason)
        return free_name

    def schema(self) -> JSON:
        if not self.properties:
            return None
        schema: Object = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = self.required
        return self.context.schemas.closed(schema, tuple(self.needs), "in", self.context.report)


def inputs_of(item: Part, operation: Part, context: Context) -> Inputs:
    """What `operation`, which stands in the path item `item`, takes."""
    members = _Members(context)
    form: list[Part] = []
    body: Body | None = None
    for parameter in _parameters(item, operation, context):
        where = parameter.value.get("in")
        if where == "formData":
            form.append(parameter)
        elif where == "body":
            place = pointer_join(parameter.pointer, "schema")
            schema, needs = context.schemas.read(parameter.value.get("schema", {}), place, "in", context.report)
            body = Body(with_described(schema, parameter.value), needs, "application/json", _is_required(parameter))
        else:
            _add(parameter, str(where), members)
    if form:
        body = form_body(form, operation, context)
    if "requestBody" in operation.value:
        body = request_body(operation, context) or body
    return _together(members, body, operation.pointer)


def _together(members: _Members, body: Body | None, pointer: str) -> Inputs:
    wire: Object = {"parameters": members.wire} if members.wire else {}
    if body is None:
        return Inputs(members.schema(), wire)
    context = members.context
    if not members.properties:
        schema = context.schemas.closed(body.schema, body.needs, "in", context.report)
        if isinstance(schema, dict) and schema.get("type") == "object":
            return Inputs(schema, wire | {"body": {"contentType": body.media_type, "whole": True}}, body.examples)
    name = members.free_name(BODY, "content", pointer)
    members.add(name, with_examples(body.schema, body.examples), body.needs, required=body.required)
    return Inputs(members.schema(), wire | {"body": {"contentType": body.media_type, "member": name}})


def _parameters(item: Part, operation: Part, context: Context) -> list[Part]:
    """The parameters of the operation and, where it does not say its own, of the path."""
    found: dict[tuple[str, str], Part] = {}
    for holder in (item, operation):
        listed = holder.value.get("parameters")
        for index, value in enumerate(listed if isinstance(listed, list) else ()):
            place = pointer_join(holder.pointer, "parameters", index)
            parameter = context.followed(value, place, "The parameter was left out.")
            if parameter is None:
                continue
            if not isinstance(parameter.value.get("name"), str):
                context.report.dropped(place, "This is no parameter: it has no name.")
                continue
            found[str(parameter.value["name"]), str(parameter.value.get("in"))] = parameter
    return list(found.values())


def _add(parameter: Part, where: str, members: _Members) -> None:
    context, name = members.context, str(parameter.value["name"])
    if where not in _PLACES:
        context.report.dropped(parameter.pointer, f"`{where}` is no place of a parameter.")
        return
    if where == "header" and name.lower() in _NOT_PARAMETERS:
        context.report.dropped(parameter.pointer, f"The header `{name}` is a matter of HTTP, not of the parameters.")
        return
    schema, place, media_type = schema_of(parameter)
    context.left(parameter, _PARAMETER.union(_WIRE))
    read, needs = context.schemas.read(schema, place, "in", context.report)
    member = members.free_name(name, where, parameter.pointer)
    required = _is_required(parameter) or where == "path"
    members.add(member, with_described(read, parameter.value), needs, required=required)
    wire: Object = {"in": where}
    wire |= {"name": name} if member != name else {}
    wire |= {"contentType": media_type} if media_type else {}
    members.wire[member] = wire | {key: parameter.value[key] for key in _WIRE if key in parameter.value}


def _is_required(parameter: Part) -> bool:
    return parameter.value.get("required") is True


# Answers


def output_of(operation: Part, context: Context) -> Output:
    """What `operation` answers with, in JSON, when it succeeds."""
    responses = operation.value.get("responses")
    if not isinstance(responses, dict):
        return Output()
    codes = sorted(filter(_is_success, responses), key=_code_rank) or [code for code in responses if code == "default"]
    output = Output()
    for code in codes:
        place = pointer_join(operation.pointer, "responses", code)
        if output.schema is not None:
            context.report.dropped(place, "Another answer is what the tool returns.")
            continue
        response = context.followed(responses[code], place, "The answer is not described.")
        media = _answer(response, context) if response else None
        if media is not None:
            schema, needs = context.schemas.read(media.schema, media.pointer, "out", context.report)
            output = Output(context.schemas.closed(schema, needs, "out", context.report), media.examples)
    for code in responses:
        if code not in codes and not code.startswith("x-"):
            place = pointer_join(operation.pointer, "responses", code)
            context.report.dropped(place, "Answers to what fails have no place in a spec.")
    return output


def _answer(response: Part, context: Context) -> Media | None:
    """What is known of the body of a response; None where that is no JSON, or nothing."""
    context.left(response, _ANSWER)
    if "schema" in response.value:  # Swagger 2.0
        schema, place = response.value["schema"], pointer_join(response.pointer, "schema")
        if isinstance(schema, dict) and schema.get("type") == "file":
            context.report.dropped(place, "The answer is a file.")
            return None
        return Media("application/json", schema, place)
    media = media_of(response)
    if media is not None:
        context.left_types(response, media.media_type, "Another form of the answer is what the tool returns.")
    if media is not None and not media.is_json:
        place = media.pointer.rpartition("/")[0]
        context.report.dropped(place, f"The answer is no JSON but {media.media_type}.")
        return None
    return media if media is not None and media.is_described else None


def _is_success(code: str) -> bool:
    return len(code) == 3 and code[0] == "2"


def _code_rank(code: str) -> tuple[bool, str]:
    """200 first, then as numbers; ranges last."""
    return (not code.isdecimal(), code)


def examples_of(inputs: Inputs, output: Output) -> list[JSON]:
    """Examples of calls: those of the parameters, each with the result of the same name."""
    return [*_examples_of(inputs, output)]


def _examples_of(inputs: Inputs, output: Output) -> Iterator[JSON]:
    for name in dict.fromkeys((*inputs.examples, *output.examples)):
        example: Object = {}
        for member, examples in (("parameters", inputs.examples), ("returnValue", output.examples)):
            found = examples.get(name)
            if isinstance(found, dict) and isinstance(found.get("value"), dict):
                if isinstance(summary := found.get("summary"), str):
                    example.setdefault("description", summary)
                example[member] = found["value"]
        if "parameters" in example:
            yield example
