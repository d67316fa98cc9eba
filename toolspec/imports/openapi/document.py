"""OpenAPI 3.x and Swagger 2.0 documents: one tool per operation.

Why no existing parser is used: `openapi-spec-validator` and `prance` fetch the URLs that a document refers to, so an
upload could reach into the network of the site. `openapi-pydantic` does not support Swagger 2.0, rejects a whole
document for one mistake, and turns numbers into floats. None of them converts schemas to 2020-12, and the rest is
little code on top of `toolspec.text.reader`.

    parts           shared by these readers
    references      references inside the document
    schemas         its schemas as JSON Schema 2020-12
    parameters      parameters and results of an operation
    bodies          bodies of requests and responses
    configuration   servers and secrets

Sources: OpenAPI 3.1.1 and 3.0.4, "Paths Object" to "Responses Object"; Swagger 2.0, the same sections.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import unquote

from toolspec.imports.openapi.bodies import with_examples
from toolspec.imports.openapi.configuration import configuration_of
from toolspec.imports.openapi.parameters import examples_of, inputs_of, output_of
from toolspec.imports.openapi.parts import Context, Part, explain_unresolved
from toolspec.imports.openapi.references import References, TooManySchemas, Unresolved
from toolspec.imports.openapi.schemas import SchemaReader
from toolspec.imports.results import (
    MAX_BYTES_TOGETHER,
    MAX_TOOLS,
    NO_DEADLINE,
    TOO_LARGE_TOGETHER,
    TOO_LONG,
    TOO_LONG_RULE,
    TOO_MANY_TOOLS,
    Deadline,
    Draft,
    Object,
)
from toolspec.spec import MAX_SPEC_BYTES
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps

MIN_SHARE_BYTES: Final = (
    4 * 1024
)  # of definitions, which every tool may carry however many tools there are
FITTINGS: Final = 4
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
EXTENSION: Final = "x-openapi"
_OPERATION: Final = frozenset({
    "operationId", "summary", "description", "parameters", "requestBody", "responses", "security", "servers", "tags",
    "deprecated", "callbacks", "consumes", "produces", "schemes",
})  # fmt: skip
OWN: Final = "x-llm-tool"


def title_of(document: Object) -> str:
    """The title of the API; "" if it has none."""
    title = members_of(document.get("info")).get("title")
    return title if isinstance(title, str) else ""


def slug_of(text: str) -> str:
    """`text` as the start of an id: words in lower case, joined by hyphens."""
    words = re.findall(r"[a-z0-9]+", text.lower()) or _words(text.lower())
    return "-".join(words)[:60].strip("-")


def _words(text: str) -> list[str]:
    """The words of `text` in any script; percent-encoded letters are decoded."""
    decoded = unicodedata.normalize(
        "NFC", unquote(text, errors="strict") if _is_encoded(text) else text
    )
    return "".join(
        char if unicodedata.category(char)[0] in "LMN" else " " for char in decoded
    ).split()


def _is_encoded(text: str) -> bool:
    """Whether `text` has percent-encoded letters of another script."""
    try:
        return not unquote(text, errors="strict").isascii() and text.isascii()
    except UnicodeDecodeError:
        return False


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation of the document, in a path item; `refusal` is why it cannot become a tool, "" if it can."""

    path: str
    item: Part
    method: str
    part: Part
    name: str
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class _SizedDraft:
    """A draft, and its bytes as JSON: of the definitions that it carries, and of the rest."""

    operation: _Operation
    draft: Draft
    own_bytes: int
    definition_bytes: int

    def bytes_within(self, share: int) -> int:
        return self.own_bytes + min(self.definition_bytes, share)


class Operations:
    """The operations of one document."""

    def __init__(
        self,
        document: Object,
        *,
        prefix: str,
        max_spec_bytes: int = MAX_SPEC_BYTES,
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        self._deadline = deadline
        self._document = document
        self._prefix = prefix
        self._max_spec_bytes = max_spec_bytes
        self._references = References(document)
        version = str(document.get("openapi", ""))
        self._schemas = SchemaReader(self._references, early=not version.startswith(("3.1", "3.2")))
        self._names: set[str] = set()
        self.notes: list[str] = []

    def drafts(self) -> Iterator[Draft]:
        """One draft per operation, in the order of the document; at most `MAX_TOOLS`.

        Every tool carries the definitions that it reaches. If those of all tools together are too large, each tool
        carries the nearest ones, up to the largest power of two in bytes with which all specs fit `MAX_BYTES_TOGETHER`:
        with a power of two, small changes of a document leave the other specs unchanged.
        """
        sized: list[_SizedDraft] = []
        share, total = 1 << (self._max_spec_bytes - 1).bit_length(), 0
        try:
            operations = self._operations()
            for operation in islice(operations, MAX_TOOLS):
                if total > MAX_BYTES_TOGETHER:
                    sized.append(_refused(operation, TOO_LARGE_TOGETHER, "import.too-large"))
                    continue
                if self._deadline.is_near:
                    sized.append(_refused(operation, TOO_LONG, TOO_LONG_RULE))
                    continue
                sized.append(self._sized(operation, share))
                total += sized[-1].bytes_within(share)
                while total > MAX_BYTES_TOGETHER and share > MIN_SHARE_BYTES:
                    share //= 2
                    total = sum(one.bytes_within(share) for one in sized)
            if next(operations, None) is not None:
                self.notes.append(TOO_MANY_TOOLS)
        except TooManySchemas as error:
            self.notes.append(str(error))
        if self._document.get("webhooks"):
            self.notes.append("Webhooks were not imported: the API calls them, not a model.")
        for one in sized:
            yield self._fitting(one, share)

    def _fitting(self, one: _SizedDraft, share: int) -> Draft:
        """The draft with definitions of at most `share` bytes, and as many as the spec may have.

        How many bytes the definitions save is known only afterwards: some are merged with the schema that refers to
        them, and what replaces dropped ones needs room.
        """
        most_bytes = min(self._max_spec_bytes, one.own_bytes + share)
        room = most_bytes - one.own_bytes
        for _ in range(FITTINGS):
            excess_bytes = one.own_bytes + one.definition_bytes - most_bytes
            if excess_bytes <= 0 or self._deadline.is_near:
                break
            try:
                one = self._sized(one.operation, room)
            except TooManySchemas:
                break
            room -= max(0, one.own_bytes + one.definition_bytes - most_bytes)
        return one.draft

    def _operations(self) -> Iterator[_Operation]:
        for path, described in members_of(self._document.get("paths")).items():
            pointer = pointer_join("/paths", path)
            found = self._references.resolve(described, pointer)
            if isinstance(found, Unresolved):
                nothing = Part({}, pointer)
                yield _Operation(
                    path, nothing, "", nothing, path, explain_unresolved(found, pointer)
                )
                continue
            value, value_pointer = found
            if isinstance(value, dict):
                item = Part(value, value_pointer)
                for method in METHODS:
                    if isinstance(value.get(method), dict):
                        yield self._operation(path, item, method)

    def _operation(self, path: str, item: Part, method: str) -> _Operation:
        pointer = pointer_join(item.pointer, method)
        found = self._references.resolve(item.value[method], pointer)
        if isinstance(found, Unresolved):
            name = f"{method.upper()} {path}"
            return _Operation(
                path, item, method, Part({}, pointer), name, explain_unresolved(found, pointer)
            )
        value, place = found
        part = Part(members_of(value), place)
        return _Operation(
            path, item, method, part, self._name(part.value.get("operationId"), method, path)
        )

    def _sized(self, operation: _Operation, max_definition_bytes: int) -> _SizedDraft:
        if operation.refusal:
            return _refused(operation, operation.refusal, "import.reference")
        context = Context(self._document, self._references, self._schemas, max_definition_bytes)
        draft = self._draft(operation, context)
        definition_bytes = sum(context.definition_bytes.values())
        spec: Object = {
            "id": draft.tool_id,
            "name": draft.name,
            "definition": draft.members,
            **draft.siblings,
        }
        return _SizedDraft(
            operation, draft, len(dumps(spec).encode()) + 100 - definition_bytes, definition_bytes
        )

    def _draft(self, read: _Operation, context: Context) -> Draft:
        path, item, method, operation, name = (
            read.path,
            read.item,
            read.method,
            read.part,
            read.name,
        )
        inputs = inputs_of(path, item, operation, context)
        output = output_of(operation, context)
        draft = Draft(
            operation.pointer,
            name,
            f"{self._prefix}{name}",
            {"description": _description(operation, item)},
        )
        draft.members |= {"parameters": inputs.schema} if inputs.schema is not None else {}
        if output.schema is not None:
            results = {
                name: value
                for name, value in output.examples.items()
                if name not in inputs.examples
            }
            draft.members["returnType"] = with_examples(output.schema, results)
        draft.members |= (
            {"examples": examples} if (examples := [*examples_of(inputs, output)]) else {}
        )
        own = self._document.get(OWN)
        if isinstance(own, dict):
            _restore(draft, own, operation)
        else:
            configuration = configuration_of(item, operation, context, inputs.authorization)
            draft.siblings |= (
                {"configuration": configuration.schema} if configuration.schema is not None else {}
            )
            wire: Object = {
                **inputs.wire,
                **output.wire,
                **dict(_marks(operation)),
                **configuration.wire(),
            }
            draft.siblings[EXTENSION] = {"method": method.upper(), "path": path, **wire}
        if "callbacks" in operation.value:
            pointer = pointer_join(operation.pointer, "callbacks")
            context.report.dropped(
                pointer, "Callbacks were not imported: the API calls them, not a model."
            )
        context.report_unused(operation, _OPERATION)
        wanted = operation.value.get("operationId")
        if isinstance(wanted, str) and wanted.strip() and wanted.strip() != name:
            pointer = pointer_join(operation.pointer, "operationId")
            context.report.rewritten(
                pointer, f"Another operation has this name; this one became `{name}`."
            )
        draft.losses = list(context.report)
        return draft

    def _name(self, operation_id: JSON, method: str, path: str) -> str:
        wanted = operation_id.strip() if isinstance(operation_id, str) else ""
        wanted = wanted or "_".join([method, *_words(path)])
        name, number = wanted, 2
        while name in self._names:
            name, number = f"{wanted}_{number}", number + 1
        self._names.add(name)
        return name


def _refused(operation: _Operation, reason: str, rule: str) -> _SizedDraft:
    draft = Draft(operation.part.pointer, operation.name, "", {}, refusal=reason, refusal_rule=rule)
    return _SizedDraft(operation, draft, 0, 0)


def _restore(draft: Draft, own: Object, operation: Part) -> None:
    """Restore the members that an export by Toolshelf stores in its extension."""
    tool_id, name, description = own.get("id"), own.get("name"), operation.value.get("description")
    if isinstance(name, str):
        draft.name = name
    draft.tool_id = tool_id if isinstance(tool_id, str) else draft.name
    draft.has_own_id = True
    draft.members["description"] = description if isinstance(description, str) else ""
    if "configuration" in own:
        draft.siblings["configuration"] = own["configuration"]


def _marks(operation: Part) -> Iterator[tuple[str, JSON]]:
    for member in ("tags", "deprecated"):
        if operation.value.get(member):
            yield member, operation.value[member]


def _description(operation: Part, item: Part) -> str:
    """The summary and the description, without repetition."""
    texts = [
        text.strip()
        for member in ("summary", "description")
        if isinstance(text := operation.value.get(member, item.value.get(member)), str)
        and text.strip()
    ]
    if len(texts) == 2 and texts[1].startswith(texts[0].rstrip(".")):
        return texts[1]
    return "\n\n".join(texts)
