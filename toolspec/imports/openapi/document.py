"""OpenAPI 3.x and Swagger 2.0 documents: one tool per operation.

Why no existing parser is used: `openapi-spec-validator` and `prance` fetch the URLs that a document
refers to, so an upload could reach into the network of the site. `openapi-pydantic` does not
support Swagger 2.0, rejects a whole document for one mistake, and turns numbers into floats. None
of them converts schemas to 2020-12, and the rest is little code on top of `toolspec.text.reader`.

    parts           shared by these readers
    references      references inside the document
    schemas         its schemas as JSON Schema 2020-12
    parameters      parameters and results of an operation
    bodies          bodies of requests and responses
    configuration   servers and secrets

Sources: OpenAPI 3.1.1 and 3.0.4, "Paths Object" to "Responses Object"; Swagger 2.0, the same
sections.
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

# Of definitions, which every tool may carry however many tools there are.
MIN_SHARE_BYTES: Final = 4 * 1024
FITTINGS: Final = 4
_MARKS: Final = ("tags", "deprecated")
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
EXTENSION: Final = "x-openapi"
_OPERATION: Final = frozenset({
    "operationId", "summary", "description", "parameters", "requestBody", "responses", "security",
    "servers", "tags", "deprecated", "callbacks", "consumes", "produces", "schemes",
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
    if _is_encoded(text):
        text = unquote(text, errors="strict")
    characters = []
    for character in unicodedata.normalize("NFC", text):
        is_letter = unicodedata.category(character)[0] in "LMN"
        characters.append(character if is_letter else " ")
    return "".join(characters).split()


def _is_encoded(text: str) -> bool:
    """Whether `text` has percent-encoded letters of another script."""
    try:
        return not unquote(text, errors="strict").isascii() and text.isascii()
    except UnicodeDecodeError:
        return False


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation of the document, in a path item.

    `refusal`: why it cannot become a tool, "" if it can.
    """

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

    @property
    def bytes(self) -> int:
        return self.own_bytes + self.definition_bytes

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

        Every tool carries the definitions that it reaches. If those of all tools together are too
        large, each tool carries the nearest ones, up to the largest power of two in bytes with
        which all specs fit `MAX_BYTES_TOGETHER`: with a power of two, small changes of a document
        leave the other specs unchanged.
        """
        sized: list[_SizedDraft] = []
        share, total = 1 << (self._max_spec_bytes - 1).bit_length(), 0
        try:
            operations = self._read_operations()
            for operation in islice(operations, MAX_TOOLS):
                if total > MAX_BYTES_TOGETHER:
                    sized.append(_refuse(operation, TOO_LARGE_TOGETHER, "import.too-large"))
                    continue
                if self._deadline.is_near:
                    sized.append(_refuse(operation, TOO_LONG, TOO_LONG_RULE))
                    continue
                sized.append(self._size_draft(operation, share))
                total += sized[-1].bytes_within(share)
                while total > MAX_BYTES_TOGETHER and share > MIN_SHARE_BYTES:
                    share //= 2
                    total = sum(each.bytes_within(share) for each in sized)
            if next(operations, None) is not None:
                self.notes.append(TOO_MANY_TOOLS)
        except TooManySchemas as error:
            self.notes.append(str(error))
        if self._document.get("webhooks"):
            self.notes.append("Webhooks were not imported: the API calls them, not a model.")
        for each in sized:
            yield self._fit(each, share)

    def _fit(self, sized: _SizedDraft, share: int) -> Draft:
        """The draft with definitions of at most `share` bytes, and as many as the spec may have.

        How many bytes the definitions save is known only afterwards: some are merged with the
        schema that refers to them, and what replaces dropped ones needs room.
        """
        most_bytes = min(self._max_spec_bytes, sized.own_bytes + share)
        room = most_bytes - sized.own_bytes
        for _ in range(FITTINGS):
            if sized.bytes <= most_bytes or self._deadline.is_near:
                break
            try:
                sized = self._size_draft(sized.operation, room)
            except TooManySchemas:
                break
            room -= max(0, sized.bytes - most_bytes)
        return sized.draft

    def _read_operations(self) -> Iterator[_Operation]:
        for path, described in members_of(self._document.get("paths")).items():
            pointer = pointer_join("/paths", path)
            result = self._references.resolve(described, pointer)
            if isinstance(result, Unresolved):
                nothing = Part({}, pointer)
                refusal = explain_unresolved(result, pointer)
                yield _Operation(path, nothing, "", nothing, path, refusal)
                continue
            value, value_pointer = result
            if isinstance(value, dict):
                item = Part(value, value_pointer)
                for method in METHODS:
                    if isinstance(value.get(method), dict):
                        yield self._read_operation(path, item, method)

    def _read_operation(self, path: str, item: Part, method: str) -> _Operation:
        pointer = pointer_join(item.pointer, method)
        result = self._references.resolve(item.value[method], pointer)
        if isinstance(result, Unresolved):
            name, refusal = f"{method.upper()} {path}", explain_unresolved(result, pointer)
            return _Operation(path, item, method, Part({}, pointer), name, refusal)
        value, place = result
        part = Part(members_of(value), place)
        name = self._make_name(part.value.get("operationId"), method, path)
        return _Operation(path, item, method, part, name)

    def _size_draft(self, operation: _Operation, max_definition_bytes: int) -> _SizedDraft:
        if operation.refusal:
            return _refuse(operation, operation.refusal, "import.reference")
        context = Context(self._document, self._references, self._schemas, max_definition_bytes)
        draft = self._draft(operation, context)
        definition_bytes = sum(context.definition_bytes.values())
        spec: Object = {"id": draft.tool_id, "name": draft.name, "definition": draft.members}
        own_bytes = len(dumps(spec | draft.siblings).encode()) + 100 - definition_bytes
        return _SizedDraft(operation, draft, own_bytes, definition_bytes)

    def _draft(self, read: _Operation, context: Context) -> Draft:
        operation, name = read.part, read.name
        inputs = inputs_of(read.path, read.item, operation, context)
        output = output_of(operation, context)
        members: Object = {"description": _description(operation, read.item)}
        if inputs.schema is not None:
            members["parameters"] = inputs.schema
        if output.schema is not None:
            results: Object = {}
            for key, value in output.examples.items():
                if key not in inputs.examples:
                    results[key] = value
            members["returnType"] = with_examples(output.schema, results)
        examples = list(examples_of(inputs, output))
        if examples:
            members["examples"] = examples
        draft = Draft(operation.pointer, name, f"{self._prefix}{name}", members)
        own = self._document.get(OWN)
        if isinstance(own, dict):
            _restore(draft, own, operation)
        else:
            configuration = configuration_of(read.item, operation, context, inputs.authorization)
            if configuration.schema is not None:
                draft.siblings["configuration"] = configuration.schema
            wire: Object = {"method": read.method.upper(), "path": read.path}
            wire |= inputs.wire | output.wire
            wire |= {mark: operation.value[mark] for mark in _MARKS if operation.value.get(mark)}
            draft.siblings[EXTENSION] = wire | configuration.wire()
        _report_rest(operation, name, context)
        draft.losses = list(context.report)
        return draft

    def _make_name(self, operation_id: JSON, method: str, path: str) -> str:
        preferred = operation_id.strip() if isinstance(operation_id, str) else ""
        preferred = name = preferred or "_".join([method, *_words(path)])
        number = 2
        while name in self._names:
            name = f"{preferred}_{number}"
            number += 1
        self._names.add(name)
        return name


def _report_rest(operation: Part, name: str, context: Context) -> None:
    """Report what the tool `name` does not have of its operation."""
    if "callbacks" in operation.value:
        reason = "Callbacks were not imported: the API calls them, not a model."
        context.report.dropped(pointer_join(operation.pointer, "callbacks"), reason)
    context.report_unused(operation, _OPERATION)
    operation_id = operation.value.get("operationId")
    if isinstance(operation_id, str) and operation_id.strip() not in {"", name}:
        reason = f"Another operation has this name; this one became `{name}`."
        context.report.rewritten(pointer_join(operation.pointer, "operationId"), reason)


def _refuse(operation: _Operation, reason: str, rule: str) -> _SizedDraft:
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


def _description(operation: Part, item: Part) -> str:
    """The summary and the description, without repetition."""
    texts = []
    for member in ("summary", "description"):
        text = operation.value.get(member, item.value.get(member))
        if isinstance(text, str) and text.strip():
            texts.append(text.strip())
    if len(texts) == 2 and texts[1].startswith(texts[0].rstrip(".")):
        return texts[1]
    return "\n\n".join(texts)
