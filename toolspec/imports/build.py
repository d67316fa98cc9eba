"""Build specs from drafts: with unique ids, in a fixed order of members, and valid if possible."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from toolspec.conversion_report import Report
from toolspec.errors import JSONTextError, Problem, SpecError
from toolspec.imports.repair import without_refused
from toolspec.imports.results import (
    MAX_BYTES_TOGETHER,
    TOO_LARGE_TOGETHER,
    TOO_LONG,
    TOO_LONG_RULE,
    Deadline,
    Draft,
    ImportedSpec,
    Object,
)
from toolspec.schema.policy import select_acceptable_schemas
from toolspec.spec import MAX_NAME_CHARACTERS, ToolSpec, check_document, visible_id
from toolspec.text.containers import children_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps, parse

ROUNDS: Final = 4  # of removing invalid keywords: some problems are only found once others are gone
_RETURN_TYPE: Final = "/definition/returnType"


class Finisher:
    """Finishes the drafts of one document.

    Args:
        max_spec_bytes: the longest spec that the site accepts.
        deadline: drafts that are not finished by then are refused.
        sharing: drafts whose schemas share their definitions, which are checked here, once for all
            drafts.
    """

    def __init__(
        self, max_spec_bytes: int, deadline: Deadline, sharing: Sequence[Draft] = ()
    ) -> None:
        self._max_spec_bytes = max_spec_bytes
        self._deadline = deadline
        self._sharing = sharing  # keeps the schemas, so that each id stays that of one schema
        self._known: set[int] = set()
        for member in ("parameters", "returnType"):
            schemas = [draft.members[member] for draft in sharing if member in draft.members]
            self._known |= {id(schema) for schema in select_acceptable_schemas(schemas)}
        self._ids: set[str] = set()
        self._bytes = 0

    def finish(self, draft: Draft) -> ImportedSpec:
        if draft.refusal:
            return _refuse(draft, draft.refusal_rule, draft.refusal)
        if self._deadline.is_over:
            return _refuse(draft, TOO_LONG_RULE, TOO_LONG)
        if self._bytes > MAX_BYTES_TOGETHER:
            return _refuse(draft, "import.too-large", TOO_LARGE_TOGETHER)
        report = Report()
        report.extend(draft.losses)
        document = self._build_document(draft, report)
        for _ in range(ROUNDS):
            text = dumps(document, blanks=False)
            spec, problems = self._read(text, document, draft)
            if not problems:
                break
            repaired = _repair(document, problems, draft, report)
            if repaired is None:
                break
            document = repaired
        self._bytes += len(text.encode())
        if self._bytes > MAX_BYTES_TOGETHER:
            return _refuse(draft, "import.too-large", TOO_LARGE_TOGETHER)
        losses = tuple(report)
        return ImportedSpec(draft.pointer, text, document, spec, losses, problems, draft.has_own_id)

    def _read(
        self, text: str, document: Object, draft: Draft
    ) -> tuple[ToolSpec | None, tuple[Problem, ...]]:
        size = len(text.encode())
        if size > self._max_spec_bytes:
            return None, (_too_large(document, draft, size, self._max_spec_bytes),)
        try:
            parse(text)
            # not the parsed value: `document` shares its definitions with the other specs
            return check_document(text, document, known=self._known), ()
        except (JSONTextError, SpecError) as error:
            return None, tuple(error.problems)

    def _build_document(self, draft: Draft, report: Report) -> Object:
        tool_id = self._make_unique_id(draft, report)
        name = _shorten("name", draft.name, draft, report)
        definition = _with_id(tool_id, {"name": name, **draft.members})
        return {"definition": definition, **draft.siblings}

    def _make_unique_id(self, draft: Draft, report: Report) -> str:
        """The draft's id, cut if it is too long.

        It has a number if another tool of the document has the same.
        """
        preferred = visible_id(draft.tool_id) or draft.tool_id
        if preferred != draft.tool_id:
            reason = "Leading, trailing and invisible spaces were removed from the id."
            report.rewritten(draft.pointer, reason)
        preferred = tool_id = _shorten("id", preferred, draft, report)
        number = 2
        while tool_id in self._ids:
            tool_id = f"{preferred}_{number}"
            number += 1
        if tool_id != preferred:
            reason = f"Another tool has the id {preferred!r}; this one became {tool_id!r}."
            report.rewritten(draft.pointer, reason)
        self._ids.add(tool_id)
        return tool_id


def text_with_id(imported: ImportedSpec, tool_id: str) -> str:
    """The text of an imported spec if its id is `tool_id`."""
    definition = imported.document["definition"]
    assert isinstance(definition, dict)  # noqa: S101 - for mypy: a finished draft has one
    others = {name: value for name, value in definition.items() if name != "id"}
    return dumps({**imported.document, "definition": _with_id(tool_id, others)}, blanks=False)


def _with_id(tool_id: str, definition: Object) -> Object:
    """`definition`, which has a name, with an id if that is not the name."""
    return definition if tool_id == definition["name"] else {"id": tool_id, **definition}


def id_for(text: str) -> str:
    """The id of a tool whose document, or prefix and name, make `text`.

    It has no number for one that is taken.
    """
    return _cut(visible_id(text) or text)


def _shorten(member: str, text: str, draft: Draft, report: Report) -> str:
    if len(text) > MAX_NAME_CHARACTERS:
        reason = f"The {member} was truncated:"
        reason += f" at most {MAX_NAME_CHARACTERS} characters are allowed."
        report.rewritten(draft.pointer, reason)
    return _cut(text)


def _cut(text: str) -> str:
    """`text` if it is short enough, else its start and that of its SHA-256; a number still fits."""
    if len(text) <= MAX_NAME_CHARACTERS:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{text[: MAX_NAME_CHARACTERS - 13]}_{digest}"


def _refuse(draft: Draft, rule: str, message: str) -> ImportedSpec:
    """An import without a spec, because of `message`."""
    document: Object = {"definition": {"name": draft.name}}
    problems = (Problem("", message, rule),)
    losses = tuple(draft.losses)
    return ImportedSpec(
        draft.pointer, text="", document=document, spec=None, losses=losses, problems=problems
    )


def _too_large(document: Object, draft: Draft, size: int, most: int) -> Problem:
    pointer, part_bytes = _largest_part(document)
    message = (
        f"The spec has {size:,} bytes; at most {most:,} are allowed. Its largest part is "
        f"`{pointer}` ({part_bytes:,} bytes), from {draft.origin(pointer)} in the document. "
        "Shorten it there."
    )
    return Problem(pointer, message, "json.too-large")


def _largest_part(document: Object) -> tuple[str, int]:
    """The pointer and size of the smallest part that is still more than half of `document`."""
    half = len(dumps(document).encode()) // 2
    pointer, size = "", 2 * half
    part: JSON = document
    while True:
        sizes = {key: len(dumps(inner).encode()) for key, inner in children_of(part)}
        largest = max(sizes, key=sizes.__getitem__, default=None)
        if largest is None or sizes[largest] <= half:
            return pointer, size
        pointer, size = pointer_join(pointer, largest), sizes[largest]
        part = dict(children_of(part))[largest]


def _repair(
    document: Object, problems: tuple[Problem, ...], draft: Draft, report: Report
) -> Object | None:
    """`document` without its invalid keywords, or without the return type if only that is."""
    repaired = without_refused(document, problems, draft.origin, report)
    if repaired is not None:
        return repaired
    definition = document["definition"]
    is_return_type = all(problem.pointer.startswith(_RETURN_TYPE) for problem in problems)
    if not isinstance(definition, dict) or not is_return_type:
        return None
    reason = f"The return type was removed: {problems[0].message}"
    report.dropped(draft.origin(_RETURN_TYPE), reason)
    rest = {name: value for name, value in definition.items() if name != "returnType"}
    return {**document, "definition": rest}
