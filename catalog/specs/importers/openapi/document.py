"""OpenAPI 3.x and Swagger 2.0 documents: one tool per operation.

The parsers that are around were looked at and left. `openapi-spec-validator` and `prance` fetch what a document refers
to, which lets whoever uploads one reach into the network of the site. `openapi-pydantic` knows no Swagger 2.0, refuses
a document as a whole for one mistake, and turns numbers into floats. None of them brings schemas to 2020-12, and to
read the rest, with our own reader of JSON, is little.

    openapi_parts           what these readers hand to each other
    openapi_references      references inside the document
    openapi_schemas         its schemas as JSON Schema 2020-12
    openapi_parameters      what an operation takes and returns
    openapi_configuration   servers and secrets

Sources: OpenAPI 3.1.1 and 3.0.4, "Paths Object" to "Responses Object"; Swagger 2.0, the like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.bodies import with_examples
from catalog.specs.importers.openapi.configuration import configuration_of
from catalog.specs.importers.openapi.parameters import examples_of, inputs_of, output_of
from catalog.specs.importers.openapi.parts import Context, Part
from catalog.specs.importers.openapi.references import Lost, References
from catalog.specs.importers.openapi.schemas import SchemaReader
from catalog.specs.importers.results import Draft, Object

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
BESIDE: Final = "x-openapi"
_OPERATION: Final = frozenset({
    "operationId", "summary", "description", "parameters", "requestBody", "responses", "security", "servers", "tags",
    "deprecated", "callbacks", "consumes", "produces", "schemes",
})  # fmt: skip
OWN: Final = "x-llm-tool"


def title_of(document: Object) -> str:
    """The title of the API; "" where it has none."""
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return title if isinstance(title, str) else ""


def slug_of(text: str) -> str:
    """`text` as the start of an id: lower case words with hyphens between."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:60].strip("-")


class Operations:
    """The operations of one document."""

    def __init__(self, document: Object, *, prefix: str) -> None:
        self._document = document
        self._prefix = prefix
        self._references = References(document)
        version = str(document.get("openapi", ""))
        self._schemas = SchemaReader(self._references, early=not version.startswith(("3.1", "3.2")))
        self._names: set[str] = set()
        self.notes: list[str] = []

    def drafts(self) -> Iterator[Draft]:
        """One draft per operation, in the order of the document.

        Raises:
            TooManySchemas: there is more than is read; what was given until then stands.
        """
        paths = self._document.get("paths")
        for path, item in paths.items() if isinstance(paths, dict) else ():
            pointer = pointer_join("/paths", path)
            found = self._references.followed(item, pointer)
            if isinstance(found, Lost):
                self.notes.append(f"{path}: {found.reason}")
                continue
            value, place = found
            if isinstance(value, dict):
                yield from self._drafts_of(path, Part(value, place))
        if self._document.get("webhooks"):
            self.notes.append("Webhooks are called by the API, not by a model; they were left out.")

    def _drafts_of(self, path: str, item: Part) -> Iterator[Draft]:
        for method in METHODS:
            operation = item.value.get(method)
            if isinstance(operation, dict):
                yield self._draft(path, item, method, Part(operation, pointer_join(item.pointer, method)))

    def _draft(self, path: str, item: Part, method: str, operation: Part) -> Draft:
        context = Context(self._document, self._references, self._schemas)
        inputs = inputs_of(item, operation, context)
        output = output_of(operation, context)
        name = self._name(operation.value.get("operationId"), method, path)
        draft = Draft(operation.pointer, name, f"{self._prefix}{name}", {"description": _description(operation, item)})
        draft.members |= {"parameters": inputs.schema} if inputs.schema is not None else {}
        if output.schema is not None:
            alone = {name: value for name, value in output.examples.items() if name not in inputs.examples}
            draft.members["returnType"] = with_examples(output.schema, alone)
        draft.members |= {"examples": examples} if (examples := examples_of(inputs, output)) else {}
        own = self._document.get(OWN)
        if isinstance(own, dict):
            _restore(draft, own, operation)
        else:
            configuration, security = configuration_of(item, operation, context)
            draft.around |= {"configuration": configuration} if configuration is not None else {}
            marks = {**dict(_marks(operation)), **({"security": security} if security else {})}
            draft.around[BESIDE] = {"method": method.upper(), "path": path, **inputs.wire, **marks}
        if "callbacks" in operation.value:
            place = pointer_join(operation.pointer, "callbacks")
            context.report.dropped(place, "Callbacks are called by the API, not by a model.")
        context.left(operation, _OPERATION)
        wanted = operation.value.get("operationId")
        if isinstance(wanted, str) and wanted.strip() and wanted.strip() != name:
            place = pointer_join(operation.pointer, "operationId")
            context.report.rewritten(place, f"Another operation has this name; it became `{name}`.")
        draft.losses = list(context.report)
        return draft

    def _name(self, operation_id: JSON, method: str, path: str) -> str:
        wanted = operation_id.strip() if isinstance(operation_id, str) else ""
        wanted = wanted or "_".join([method, *re.findall(r"[A-Za-z0-9]+", path)])
        name, number = wanted, 2
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name


def _restore(draft: Draft, own: Object, operation: Part) -> None:
    """Put back what an export of Toolshelf's own keeps in its extension."""
    tool_id, name, description = own.get("id"), own.get("name"), operation.value.get("description")
    if isinstance(name, str):
        draft.name = name
    draft.tool_id = tool_id if isinstance(tool_id, str) else draft.name
    draft.members["description"] = description if isinstance(description, str) else ""
    if "configuration" in own:
        draft.around["configuration"] = own["configuration"]


def _marks(operation: Part) -> Iterator[tuple[str, JSON]]:
    for member in ("tags", "deprecated"):
        if operation.value.get(member):
            yield member, operation.value[member]


def _description(operation: Part, item: Part) -> str:
    """The summary and the description; the same text once."""
    texts = [
        text.strip()
        for member in ("summary", "description")
        if isinstance(text := operation.value.get(member, item.value.get(member)), str) and text.strip()
    ]
    if len(texts) == 2 and texts[1].startswith(texts[0].rstrip(".")):
        return texts[1]
    return "\n\n".join(texts)
