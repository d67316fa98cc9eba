"""Bodies of requests and responses, and the schemas of parameters, with their pointers and media types.

Sources: OpenAPI 3.1.1, "Request Body Object" and "Media Type Object"; Swagger 2.0, "Parameter Object".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from toolspec.imports.openapi.parts import Context, Part
from toolspec.imports.results import Object
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps

_BODY: Final = frozenset({"description", "required", "content"})
_ENCODING: Final = ("contentType", "style", "explode", "allowReserved")
FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_STRUCTURED: Final = frozenset({"object", "array"})

SWAGGER_SCHEMA: Final = (
    "type", "format", "items", "default", "enum", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "example", "x-nullable",
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
        encoding: Object = {"encoding": self.encoding} if self.encoding else {}
        return {"body": {"contentType": self.media_type, **where, **encoding}}


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
    media = members_of(content[media_type])
    unknown: JSON = {} if is_json(media_type) else {"type": "string"}
    return Media(
        media_type,
        media.get("schema", unknown),
        pointer_join(holder.pointer, "content", media_type, "schema"),
        examples_in(media, pointer_join(holder.pointer, "content", media_type), context),
        "schema" in media,
        _encoding(
            media,
            media_type,
            pointer_join(holder.pointer, "content", media_type, "encoding"),
            context,
        ),
    )


def _encoding(media: Object, media_type: str, pointer: str, context: Context) -> Object:
    """How the members of a form are sent, as far as requests depend on it."""
    declared = media.get("encoding")
    if not isinstance(declared, dict) or not _is_form(media_type):
        return {}
    read: Object = {}
    for name, one in declared.items():
        members: Object = (
            {key: one[key] for key in _ENCODING if key in one} if isinstance(one, dict) else {}
        )
        headers = _headers(members_of(one), pointer_join(pointer, name), context)
        members |= {"headers": headers} if headers else {}
        read |= {name: members} if members else {}
    return read


def _headers(encoding: Object, pointer: str, context: Context) -> Object:
    """The headers of a part of a form that always have the same value; the others are reported."""
    found: Object = {}
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
            found[name] = value if isinstance(value, str) else dumps(value)
        else:
            context.report.dropped(
                place, "A call has no value for a header of a part, so the header is not sent."
            )
    return found


def examples_in(holder: Object, pointer: str, context: Context) -> Object:
    """The examples of a parameter or of content, by name; the single `example` has the name of its keyword."""
    listed = holder.get("examples")
    if not isinstance(listed, dict):
        return {"example": {"value": holder["example"]}} if "example" in holder else {}
    examples: Object = {}
    for name, one in listed.items():
        place = pointer_join(pointer, "examples", name)
        if (found := context.resolve(one, place, "The example was removed.")) is None:
            continue
        if "externalValue" in found.value:
            context.report.dropped(
                place, "The example is in another document, which is not fetched."
            )
            continue
        value = {"value": found.value["dataValue"]} if "dataValue" in found.value else {}
        examples[name] = {**found.value, **value}
    return examples


def with_examples(schema: JSON, examples: Object) -> JSON:
    """`schema` with the values of `examples` added to its own."""
    values = [
        example["value"]
        for example in examples.values()
        if isinstance(example, dict) and "value" in example
    ]
    if not values or not isinstance(schema, dict):
        return schema
    own = [one for one in items_of(schema.get("examples")) if one not in values]
    return {**schema, "examples": [*own, *values]}


def sendable(media: Media, context: Context) -> Media:
    """`media` as requests can send it: what is neither JSON nor a form is sent as the text or the bytes of a string."""
    if is_json(media.media_type) or _is_form(media.media_type):
        return media
    kinds: set[JSON] = set()
    for one, _ in context.references.in_place(media.schema, media.pointer):
        kinds |= {
            kind for kind in (one.get("type"), *items_of(one.get("type"))) if isinstance(kind, str)
        }
        kinds |= {"object"} if "properties" in one or "additionalProperties" in one else set()
    if not kinds & _STRUCTURED:
        return media
    reason = f"Values are not written as {media.media_type}, so this is a string, which is sent as it is."
    context.report.rewritten(media.pointer, reason)
    text: Object = {"type": "string", "description": f"Text in the format {media.media_type}."}
    examples: Object = {
        name: example
        for name, example in media.examples.items()
        if isinstance(example, dict) and isinstance(example.get("value"), str)
    }
    return replace(media, schema=text, examples=examples)


def media_of_parameter(parameter: Part, context: Context) -> Media:
    """The schema of a parameter with its examples; its media type is "" if it has none."""
    examples = examples_in(parameter.value, parameter.pointer, context)
    if "schema" in parameter.value:
        return Media(
            "", parameter.value["schema"], pointer_join(parameter.pointer, "schema"), examples
        )
    media = media_of(parameter, context)
    if media is not None:
        return sendable(media, context)
    schema: Object = {
        keyword: parameter.value[keyword]
        for keyword in SWAGGER_SCHEMA
        if keyword in parameter.value
    }
    return Media("", schema, parameter.pointer)


def with_annotations(schema: JSON, holder: Object) -> JSON:
    """`schema` with the description and deprecation of the parameter or body that has it."""
    if schema is True:
        schema = {}
    if not isinstance(schema, dict):
        return schema
    annotations: Object = {}
    if isinstance(description := holder.get("description"), str) and description.strip():
        annotations["description"] = description
    if holder.get("deprecated") is True:
        annotations["deprecated"] = True
    return {**schema, **annotations}


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
    required = body.value.get("required") is True
    whole = with_annotations(schema, body.value)
    return Body(whole, needs, media.media_type, required, media.examples, media.encoding)


def swagger_body(parameter: Part, operation: Part, context: Context) -> Body:
    """The body that a parameter of Swagger 2.0 is, in the media type that the operation consumes: JSON if it can be."""
    consumed = [
        media_type
        for media_type in _find_request_types(operation, context)
        if not _is_form(media_type)
    ]
    media_type = min(consumed, key=_rank, default="application/json")
    media_type = media_type if "*" not in media_type else "application/json"
    pointer = pointer_join(parameter.pointer, "schema")
    media = sendable(Media(media_type, parameter.value.get("schema", {}), pointer), context)
    schema, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    is_required = parameter.value.get("required") is True
    return Body(with_annotations(schema, parameter.value), needs, media_type, is_required)


def _find_request_types(operation: Part, context: Context) -> list[str]:
    """The media types of requests in Swagger 2.0."""
    consumes = operation.value.get("consumes", context.document.get("consumes"))
    return [one for one in items_of(consumes) if isinstance(one, str)]


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
        encoding |= {name: collection} if (collection := collection_format(parameter)) else {}
    whole: Object = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    has_file = any(_is_file(parameter.value) for parameter in form)
    media_types = [
        media_type for media_type in _find_request_types(operation, context) if media_type in FORMS
    ]
    media_type = media_types[0] if media_types else "application/x-www-form-urlencoded"
    media_type = "multipart/form-data" if has_file else media_type
    return Body(whole, tuple(needs), media_type, bool(required), encoding=encoding)


def _is_file(parameter: Object) -> bool:
    return "file" in {parameter.get("type"), members_of(parameter.get("items")).get("type")}


def collection_format(parameter: Part) -> Object:
    """The `collectionFormat` of an array in Swagger 2.0, which is "csv" by default; {} for other parameters."""
    is_array = (
        parameter.value.get("type") == "array"
        and not {"schema", "content"} & parameter.value.keys()
    )
    return {"collectionFormat": parameter.value.get("collectionFormat", "csv")} if is_array else {}


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
