"""Bodies of requests and responses, and the schemas of parameters, with their media types.

Sources: OpenAPI 3.1.1, "Request Body Object" and "Media Type Object"; Swagger 2.0, "Parameter
Object".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from toolspec.imports.openapi.parts import Context, Part
from toolspec.imports.results import Object
from toolspec.schema.types import type_names
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps

_BODY: Final = frozenset({"description", "required", "content"})
_ENCODING: Final = ("contentType", "style", "explode", "allowReserved")
FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_STRUCTURED: Final = frozenset({"object", "array"})

SWAGGER_SCHEMA: Final = (
    "type", "format", "items", "default", "enum", "maximum", "exclusiveMaximum", "minimum",
    "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems",
    "multipleOf", "example", "x-nullable",
)  # fmt: skip


@dataclass(slots=True)
class Body:
    """The body of a request with its converted schema.

    Attributes:
        needs: the definitions that the schema refers to.
        encoding: how the members of a form are sent: members of an Encoding Object by name.
    """

    schema: JSON
    needs: tuple[str, ...]
    media_type: str
    required: bool
    examples: Object = field(default_factory=dict)
    encoding: Object = field(default_factory=dict)

    def wire(self, **where: JSON) -> Object:
        """The member `body` of `x-openapi`."""
        body: Object = {"contentType": self.media_type, **where}
        if self.encoding:
            body["encoding"] = self.encoding
        return {"body": body}


@dataclass(slots=True)
class Media:
    """Content in one media type; `schema` is at `pointer`."""

    media_type: str
    schema: JSON
    pointer: str
    examples: Object = field(default_factory=dict)
    is_described: bool = True
    encoding: Object = field(default_factory=dict)


def media_of(holder: Part, context: Context) -> Media | None:
    """The content of a body or parameter: preferably JSON, else a form, else any other."""
    content = holder.value.get("content")
    if not isinstance(content, dict) or not content:
        return None
    media_type = min(content, key=_rank)
    pointer = pointer_join(holder.pointer, "content", media_type)
    media = members_of(content[media_type])
    unknown: JSON = {} if is_json(media_type) else {"type": "string"}
    return Media(
        media_type,
        media.get("schema", unknown),
        pointer_join(pointer, "schema"),
        examples_in(media, pointer, context),
        "schema" in media,
        _read_encoding(media, media_type, pointer_join(pointer, "encoding"), context),
    )


def _read_encoding(media: Object, media_type: str, pointer: str, context: Context) -> Object:
    """How the members of a form are sent, as far as requests depend on it."""
    read: Object = {}
    if not _is_form(media_type):
        return read
    for name, declared in members_of(media.get("encoding")).items():
        encoding = members_of(declared)
        members: Object = {key: encoding[key] for key in _ENCODING if key in encoding}
        headers = _read_headers(encoding, pointer_join(pointer, name), context)
        if headers:
            members["headers"] = headers
        if members:
            read[name] = members
    return read


def _read_headers(encoding: Object, pointer: str, context: Context) -> Object:
    """The headers of a part of a form that always have the same value; the others are reported."""
    headers: Object = {}
    for name, declared in members_of(encoding.get("headers")).items():
        place = pointer_join(pointer, "headers", name)
        header = context.resolve(declared, place, "The header is not sent.")
        if header is None or name.lower() == "content-type":
            continue
        schema = members_of(header.value.get("schema"))
        choices = items_of(schema.get("enum"))
        only = choices[0] if len(choices) == 1 else None
        value = schema.get("const", schema.get("default", only))
        if isinstance(value, str | int | float):
            headers[name] = value if isinstance(value, str) else dumps(value)
        else:
            reason = "A call has no value for a header of a part, so the header is not sent."
            context.report.dropped(place, reason)
    return headers


def examples_in(holder: Object, pointer: str, context: Context) -> Object:
    """The examples of a parameter or of content, by name.

    The single `example` has the name of its keyword.
    """
    declared = holder.get("examples")
    if not isinstance(declared, dict):
        return {"example": {"value": holder["example"]}} if "example" in holder else {}
    examples: Object = {}
    for name, value in declared.items():
        place = pointer_join(pointer, "examples", name)
        example = context.resolve(value, place, "The example was removed.")
        if example is None:
            continue
        if "externalValue" in example.value:
            reason = "The example is in another document, which is not fetched."
            context.report.dropped(place, reason)
            continue
        members = dict(example.value)
        if "dataValue" in members:
            members["value"] = members["dataValue"]
        examples[name] = members
    return examples


def with_examples(schema: JSON, examples: Object) -> JSON:
    """`schema` with the values of `examples` added to its own."""
    values = []
    for example in map(members_of, examples.values()):
        if "value" in example:
            values.append(example["value"])
    if not values or not isinstance(schema, dict):
        return schema
    own = [value for value in items_of(schema.get("examples")) if value not in values]
    return {**schema, "examples": [*own, *values]}


def sendable(media: Media, context: Context) -> Media:
    """`media` as requests can send it: other content than JSON and forms becomes a string."""
    if is_json(media.media_type) or _is_form(media.media_type):
        return media
    if not _is_structured(media, context):
        return media
    reason = f"Values are not written as {media.media_type}, so this is a string,"
    context.report.rewritten(media.pointer, f"{reason} which is sent as it is.")
    text: Object = {"type": "string", "description": f"Text in the format {media.media_type}."}
    examples: Object = {}
    for name, example in media.examples.items():
        if isinstance(members_of(example).get("value"), str):
            examples[name] = example
    return replace(media, schema=text, examples=examples)


def _is_structured(media: Media, context: Context) -> bool:
    """Whether the schema of `media` describes objects or arrays."""
    types: set[str] = set()
    for schema, _ in context.references.in_place(media.schema, media.pointer):
        types.update(type_names(schema.get("type")))
        if "properties" in schema or "additionalProperties" in schema:
            types.add("object")
    return not types.isdisjoint(_STRUCTURED)


def media_of_parameter(parameter: Part, context: Context) -> Media:
    """The schema of a parameter with its examples; its media type is "" if it has none."""
    examples = examples_in(parameter.value, parameter.pointer, context)
    value = parameter.value
    if "schema" in value:
        return Media("", value["schema"], pointer_join(parameter.pointer, "schema"), examples)
    media = media_of(parameter, context)
    if media is not None:
        return sendable(media, context)
    schema: Object = {keyword: value[keyword] for keyword in SWAGGER_SCHEMA if keyword in value}
    return Media("", schema, parameter.pointer)


def with_annotations(schema: JSON, holder: Object) -> JSON:
    """`schema` with the description and deprecation of the parameter or body that has it."""
    if schema is True:
        schema = {}
    if not isinstance(schema, dict):
        return schema
    annotated = dict(schema)
    description = holder.get("description")
    if isinstance(description, str) and description.strip():
        annotated["description"] = description
    if holder.get("deprecated") is True:
        annotated["deprecated"] = True
    return annotated


def request_body(operation: Part, context: Context) -> Body | None:
    """The body of a request in OpenAPI 3."""
    pointer = pointer_join(operation.pointer, "requestBody")
    body = context.resolve(operation.value["requestBody"], pointer, "The body was removed.")
    if body is None:
        return None
    media = media_of(body, context)
    if media is None:
        context.report.dropped(pointer, "The body has no content.")
        return None
    media = sendable(media, context)
    context.report_unused(body, _BODY)
    context.report_unused_content(
        body, media.media_type, f"The body is sent as {media.media_type}."
    )
    schema, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    schema = with_annotations(schema, body.value)
    is_required = body.value.get("required") is True
    return Body(schema, needs, media.media_type, is_required, media.examples, media.encoding)


def swagger_body(parameter: Part, operation: Part, context: Context) -> Body:
    """The body that a parameter of Swagger 2.0 is, in a media type that the operation consumes.

    That is JSON if it can be.
    """
    media_types = _find_request_types(operation, context)
    others = [media_type for media_type in media_types if not _is_form(media_type)]
    media_type = min(others, key=_rank, default="application/json")
    if "*" in media_type:
        media_type = "application/json"
    pointer = pointer_join(parameter.pointer, "schema")
    media = sendable(Media(media_type, parameter.value.get("schema", {}), pointer), context)
    schema, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    is_required = parameter.value.get("required") is True
    return Body(with_annotations(schema, parameter.value), needs, media_type, is_required)


def _find_request_types(operation: Part, context: Context) -> list[str]:
    """The media types of requests in Swagger 2.0."""
    consumes = operation.value.get("consumes", context.document.get("consumes"))
    return strings_of(consumes)


def form_body(form: list[Part], operation: Part, context: Context) -> Body:
    """The body that consists of the `formData` parameters of Swagger 2.0."""
    properties: Object = {}
    required: list[JSON] = []
    needs: dict[str, None] = {}
    encoding: Object = {}
    for parameter in form:
        media = media_of_parameter(parameter, context)
        read, more = context.schemas.read(media.schema, media.pointer, "in", context.report)
        needs |= dict.fromkeys(more)
        name = str(parameter.value["name"])
        properties[name] = with_annotations(read, parameter.value)
        if parameter.value.get("required") is True:
            required.append(name)
        collection = collection_format(parameter)
        if collection:
            encoding[name] = collection
    schema: Object = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    media_type = "application/x-www-form-urlencoded"
    for consumed in _find_request_types(operation, context):
        if consumed in FORMS:
            media_type = consumed
            break
    if any(_is_file(parameter.value) for parameter in form):
        media_type = "multipart/form-data"
    return Body(schema, tuple(needs), media_type, bool(required), encoding=encoding)


def _is_file(parameter: Object) -> bool:
    return "file" in {parameter.get("type"), members_of(parameter.get("items")).get("type")}


def collection_format(parameter: Part) -> Object:
    """The `collectionFormat` of an array in Swagger 2.0, by default "csv"; {} for other types."""
    value = parameter.value
    if value.get("type") != "array" or "schema" in value or "content" in value:
        return {}
    return {"collectionFormat": value.get("collectionFormat", "csv")}


def is_json(media_type: str) -> bool:
    essence = _essence(media_type)
    return essence.endswith(("/json", "+json")) or essence == "*/*"


def _rank(media_type: str) -> tuple[int, str]:
    """The order of preference: JSON, then forms, then any other, by name."""
    essence = _essence(media_type)
    if essence == "application/json":
        return 0, media_type
    if is_json(media_type):
        return 1, media_type
    return (2 if _is_form(media_type) else 3), media_type


def _is_form(media_type: str) -> bool:
    essence = _essence(media_type)
    return essence in FORMS or essence.startswith("multipart/")


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
