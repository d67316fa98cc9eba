"""Bodies of requests and responses, and the schemas of parameters: where they stand, in which media type.

Sources: OpenAPI 3.1.1, "Request Body Object" and "Media Type Object"; Swagger 2.0, "Parameter Object".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.parts import Context, Part
from catalog.specs.importers.results import Object

_BODY: Final = frozenset({"description", "required", "content"})
FORMS: Final = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})

SWAGGER_SCHEMA: Final = (
    "type", "format", "items", "default", "enum", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "example", "x-nullable",
)  # fmt: skip


@dataclass(slots=True)
class Body:
    """The body of a request, its schema read; `needs` are the definitions that it refers to."""

    schema: JSON
    needs: tuple[str, ...]
    media_type: str
    required: bool
    examples: Object = field(default_factory=dict)


@dataclass(slots=True)
class Media:
    """Content in one media type; `schema` stands at `pointer`."""

    media_type: str
    schema: JSON
    pointer: str
    examples: Object = field(default_factory=dict)
    is_described: bool = True

    @property
    def is_json(self) -> bool:
        return is_json(self.media_type)


def media_of(holder: Part) -> Media | None:
    """The content of a body or parameter: JSON rather than a form, a form rather than anything else."""
    content = holder.value.get("content")
    if not isinstance(content, dict) or not content:
        return None
    media_type = min(content, key=_rank)
    found = content[media_type]
    media = found if isinstance(found, dict) else {}
    unknown: JSON = {} if is_json(media_type) else {"type": "string"}
    return Media(
        media_type,
        media.get("schema", unknown),
        pointer_join(holder.pointer, "content", media_type, "schema"),
        _examples(media),
        "schema" in media,
    )


def _examples(media: Object) -> Object:
    """The examples by name; the single `example` has the name of its keyword."""
    examples = media.get("examples")
    if isinstance(examples, dict):
        return examples
    return {"example": {"value": media["example"]}} if "example" in media else {}


def with_examples(schema: JSON, examples: Object) -> JSON:
    """`schema` with the values of `examples` among its own."""
    values = [example["value"] for example in examples.values() if isinstance(example, dict) and "value" in example]
    if not values or not isinstance(schema, dict):
        return schema
    own = schema.get("examples")
    return {**schema, "examples": [*(own if isinstance(own, list) else []), *values]}


def schema_of(parameter: Part) -> tuple[JSON, str, str]:
    """The schema of a parameter, where it stands, and its media type where it has one."""
    if "schema" in parameter.value:
        return parameter.value["schema"], pointer_join(parameter.pointer, "schema"), ""
    media = media_of(parameter)
    if media is not None:
        return media.schema, media.pointer, media.media_type
    return (
        {keyword: parameter.value[keyword] for keyword in SWAGGER_SCHEMA if keyword in parameter.value},
        (parameter.pointer),
        "",
    )


def with_described(schema: JSON, holder: Object) -> JSON:
    """`schema` with what the parameter or body around it says."""
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
    place = pointer_join(operation.pointer, "requestBody")
    body = context.followed(operation.value["requestBody"], place, "The body was left out.")
    if body is None:
        return None
    media = media_of(body)
    if media is None:
        context.report.dropped(place, "The body has no content.")
        return None
    context.left(body, _BODY)
    context.left_types(body, media.media_type, f"The body is sent as {media.media_type}.")
    schema, needs = context.schemas.read(media.schema, media.pointer, "in", context.report)
    required = body.value.get("required") is True
    return Body(with_described(schema, body.value), needs, media.media_type, required, media.examples)


def form_body(form: list[Part], operation: Part, context: Context) -> Body:
    """The body that the `formData` parameters of Swagger 2.0 make up."""
    properties: Object = {}
    required: list[JSON] = []
    needs: dict[str, None] = {}
    for parameter in form:
        schema, place, _ = schema_of(parameter)
        read, more = context.schemas.read(schema, place, "in", context.report)
        needs |= dict.fromkeys(more)
        name = str(parameter.value["name"])
        properties[name] = with_described(read, parameter.value)
        if parameter.value.get("required") is True:
            required.append(name)
    whole: Object = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    has_file = any(parameter.value.get("type") == "file" for parameter in form)
    consumes = operation.value.get("consumes", context.document.get("consumes"))
    media_types = [str(one) for one in consumes if str(one) in FORMS] if isinstance(consumes, list) else []
    default = "multipart/form-data" if has_file else "application/x-www-form-urlencoded"
    return Body(whole, tuple(needs), media_types[0] if media_types else default, bool(required))


def is_json(media_type: str) -> bool:
    essence = _essence(media_type)
    return essence.endswith(("/json", "+json")) or essence == "*/*"


def _rank(media_type: str) -> tuple[int, str]:
    """Which of several media types is taken: JSON, then forms, then whatever comes first by name."""
    essence = _essence(media_type)
    if essence == "application/json":
        return 0, media_type
    if is_json(media_type):
        return 1, media_type
    return (2 if essence in FORMS else 3), media_type


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()
