"""Drafts as specs: with ids of their own, in one order of members, and accepted by the reader of specs."""

from __future__ import annotations

import hashlib
from typing import Final

from catalog.conversion_report import Report
from catalog.errors import Problem, SpecError
from catalog.jsontext.reader import dumps
from catalog.specs.importers.repair import without_refused
from catalog.specs.importers.results import MAX_CHARS, Draft, ImportedSpec, Object
from catalog.specs.spec import MAX_NAME_CHARACTERS, ToolSpec, read_spec

ROUNDS: Final = 4  # of leaving out what is refused: less is found while there is worse
_TOO_LARGE: Final = Problem("", "The specs of this document are too long together.", "import.too-large")
_RETURN_TYPE: Final = "/definition/returnType"


class Finisher:
    """Finishes the drafts of one document."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._chars = 0

    def finished(self, draft: Draft) -> ImportedSpec:
        if self._chars > MAX_CHARS:
            return _refused(draft, _TOO_LARGE)
        if draft.refusal:
            return _refused(draft, Problem("", draft.refusal, "import.not-a-tool"))
        report = Report()
        report.extend(draft.losses)
        document = self._document(draft, report)
        for _ in range(ROUNDS):
            text = dumps(document, indent=2)
            spec, problems = _read(text)
            repaired = _repaired(document, problems, draft, report) if problems else None
            if repaired is None:
                break
            document = repaired
        self._chars += len(text)
        if self._chars > MAX_CHARS:
            return _refused(draft, _TOO_LARGE)
        return ImportedSpec(draft.pointer, text, document, spec, tuple(report), problems)

    def _document(self, draft: Draft, report: Report) -> Object:
        tool_id = self._own_id(draft, report)
        name = draft.name
        if len(name) > MAX_NAME_CHARACTERS:
            report.rewritten(draft.pointer, f"The name was cut: at most {MAX_NAME_CHARACTERS} characters are taken.")
            name = cut(name)
        definition: Object = {"name": name, **draft.members}
        if tool_id != name:
            definition = {"id": tool_id, **definition}
        return {"definition": definition, **draft.around}

    def _own_id(self, draft: Draft, report: Report) -> str:
        """The draft's id; cut where it is too long, and numbered where another tool of the document has it."""
        wanted = draft.tool_id
        if len(wanted) > MAX_NAME_CHARACTERS:
            report.rewritten(draft.pointer, f"The id was cut: at most {MAX_NAME_CHARACTERS} characters are taken.")
            wanted = cut(wanted)
        tool_id, number = wanted, 2
        while tool_id in self._ids:
            tool_id, number = f"{wanted}_{number}", number + 1
        if tool_id != wanted:
            report.rewritten(draft.pointer, f"Another tool has the id {wanted!r}; this one is {tool_id!r}.")
        self._ids.add(tool_id)
        return tool_id


def cut(name: str) -> str:
    """The start of `name`, and what tells it apart from others that start so; with room for a number."""
    return f"{name[: MAX_NAME_CHARACTERS - 13]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _refused(draft: Draft, problem: Problem) -> ImportedSpec:
    return ImportedSpec(draft.pointer, "", {"definition": {"name": draft.name}}, None, tuple(draft.losses), (problem,))


def _read(text: str) -> tuple[ToolSpec | None, tuple[Problem, ...]]:
    try:
        return read_spec(text), ()
    except SpecError as error:
        return None, error.problems


def _repaired(document: Object, problems: tuple[Problem, ...], draft: Draft, report: Report) -> Object | None:
    """`document` without what is refused; without its return type where only that is."""
    repaired = without_refused(document, problems, draft.origin, report)
    if repaired is not None:
        return repaired
    definition = document["definition"]
    if isinstance(definition, dict) and all(problem.pointer.startswith(_RETURN_TYPE) for problem in problems):
        report.dropped(draft.origin(_RETURN_TYPE), f"The schema of what it returns was left out: {problems[0].message}")
        return {**document, "definition": {name: value for name, value in definition.items() if name != "returnType"}}
    return None
