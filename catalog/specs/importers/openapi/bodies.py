"""Bodies of requests and responses, and the schemas of parameters, with their pointers and media types.

Sources: OpenAPI 3.1.1, "Request Body Object" and "Media Type Object"; Swagger 2.0, "Parameter Object".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from catalog.jsontext.containers import items_of, members_of
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.parts import Context, Part
from catalog.specs.importers.results import Object

_BODY: Final = frozenset({"description", "required", "content"})
_ENCODING: Final = ("contentType", "style", "explode", "allowReserved")
FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})

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


def media_of(holder: Part) -> Media | None:
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
        _examples(media),
        "schema" in media,
        _encoding(media, media_type),
    )


def _encoding(media: Object, media_type: str) -> Object:
    """How the members of a form are sent, as far as requests depend on it."""
    declared = media.get("encoding")
    if not isinstance(declared, dict) or _essence(media_type) not in FORMS:
        return {}
    read: Object = {}
    for name, one in declared.items():
        members: Object = {key: one[key] for key in _ENCODING if key in one} if isinstance(one, dict) else {}
        read |= {name: members} if members else {}
    return read


def _examples(media: Object) -> Object:
    """The examples by name; the single `example` has the name of its keyword."""
    examples = media.get("examples")
    if isinstance(examples, dict):
        return examples
    return {"example": {"value": media["example"]}} if "example" in media else {}


def with_examples(schema: JSON, examples: Object) -> JSON:
    """`schema` with the values of `examples` added to its own."""
    values = [example["value"] for example in examples.values() if isinstance(example, dict) and "value" in example]
    if not values or not isinstance(schema, dict):
        return schema
    return {**schema, "examples": [*items_of(schema.get("examples")), *values]}


def schema_of(parameter: Part) -> tuple[JSON, str, str]:
    """The schema of a parameter, its pointer, and its media type ("" if it has none)."""
    if "schema" in parameter.value:
        return parameter.value["schema"], pointer_join(parameter.pointer, "schema"), ""
    media = media_of(parameter)
    if media is not None:
        return media.schema, media.pointer, media.media_type
    schema: Object = {keyword: parameter.value[keyword] for keyword in SWAGGER_SCHEMA if keyword in parameter.value}
    return schema, parameter.pointer, ""


def with_annotations(schema: JSON, holder: Object) -> JSON:
    """`schema` with the description, deprecation and example of the parameter or body that has it."""
    if schema is True:
        schema = {}
    if not isinstance(schema, dict):
        return schema
    annotations: Object = {}
    if isinstance(description := holder.get("description"), str) and description.strip():
        annotations["description"] = description
    if holder.get("deprecated") is True:
        annotations["deprecated"] = True
    if "example" in holder and "schema" in holder and "examples" not in schema:
        annotations["examples"] = [holder["example"]]
    return {**schema, **annotations}


def request_body(operation: Part, context: Context) -> Body | None:
    """The body of a request in OpenAPI 3."""
    pointer = pointer_join(operation.pointer, "requestBody")
    body = context.resolved(operation.value["requestBody"], pointer, "The body was removed.")
    if body is None:
        return None
    media = media_of(body)
    if media is None:
        context.report.dropped(pointer, "The body has no content.")
        return None
    context.report_unused(body, _BODY)
    context.report_unused_content(body, media.media_type, f"The body is sent as {media.media_type}.")
    schema, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    required = body.value.get("required") is True
    whole = with_annotations(schema, body.value)
    return Body(whole, needs, media.media_type, required, media.examples, media.encoding)


def form_body(form: list[Part], operation: Part, context: Context) -> Body:
    """The body that consists of the `formData` parameters of Swagger 2.0."""
    properties: Object = {}
    required: list[JSON] = []
    needs: dict[str, None] = {}
    encoding: Object = {}
    for parameter in form:
        schema, pointer, _ = schema_of(parameter)
        read, more = context.schemas.read(schema, pointer, "in", context.report)
        needs |= dict.fromkeys(more)
        name = str(parameter.value["name"])
        properties[name] = with_annotations(read, parameter.value)
        if parameter.value.get("required") is True:
            required.append(name)
        encoding |= {name: collection} if (collection := collection_format(parameter)) else {}
    whole: Object = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    has_file = any(parameter.value.get("type") == "file" for parameter in form)
    consumes = operation.value.get("consumes", context.document.get("consumes"))
    media_types = [str(one) for one in items_of(consumes) if str(one) in FORMS]
    default = "multipart/form-data" if has_file else "application/x-www-form-urlencoded"
    media_type = media_types[0] if media_types else default
    return Body(whole, tuple(needs), media_type, bool(required), encoding=encoding)


def collection_format(parameter: Part) -> Object:
    """The `collectionFormat` of an array in Swagger 2.0, which is "csv" by default; {} for other parameters."""
    is_array = parameter.value.get("type") == "array" and not {"schema", "content"} & parameter.value.keys()
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
    return (2 if essence in FORMS else 3), media_type


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
