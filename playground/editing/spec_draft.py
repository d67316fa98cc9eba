"""The draft of a tool's next revision, as the page that edits it shows it. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from django.conf import settings

from accounts.models import User
from catalog.revisions.differences import difference_from
from catalog.tools.lookup import revision_of
from catalog.tools.models import Revision, Tool
from catalog.tools.page import Section, SpecText, document_sections
from playground.configurations.compiled_spec import CompiledSpec
from playground.form import Submission, begin, read_submission
from playground.form.parse import Sent
from playground.runs.conclusion import dump_problems
from playground.runs.models import Run
from toolshelf_core.encryption import PageTokens
from toolspec.diff import Change, Difference
from toolspec.errors import DocumentError, Problem
from toolspec.lint import Fix, LocatedFinding, apply_fix, lint_with_positions
from toolspec.lint.assessment import WaivedFinding
from toolspec.quick_fixes import QuickFix, edit_to
from toolspec.schema.widening import describe, widen
from toolspec.spec import ToolSpec, read_spec
from toolspec.text.patch import Operation, PatchError
from toolspec.text.positions import locate
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON
from toolspec.text.text_patch import patch_text

MAX_FINDINGS: Final = 50  # on the page
MAX_FIXED_CHARACTERS: Final = 300_000  # while one types; each fix reads the whole text
RETURN_TYPE: Final = "/definition/returnType"


@dataclass(frozen=True)
class DraftFinding:
    """A finding of lint in the draft, and the edit of its text that fixes it.

    `edit`: None if there is no fix, or no time to apply it; `SpecDraft.with_fix` does.
    """

    advice: LocatedFinding
    edit: QuickFix | None = None


@dataclass(frozen=True)
class SpecDraft:
    """A text that may become the next revision of `tool`.

    Attributes:
        tool: with its current revision.
        spec: None if the text is not a valid spec of this tool.
        problems: why it is not.
    """

    tool: Tool
    text: str
    spec: ToolSpec | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def current(self) -> Revision:
        return revision_of(self.tool)

    @property
    def number(self) -> int:
        """The number of the revision that it may become."""
        return self.current.number + 1

    @property
    def is_changed(self) -> bool:
        """Whether its text differs from the current revision, as it is or laid out."""
        return self.text not in (self.current.source, SpecText(self.current.source).text)

    @cached_property
    def difference(self) -> Difference:
        """What the draft changes for callers."""
        if self.spec is None or not self.is_changed:
            return Difference(())
        return difference_from(self.current, self.spec)

    @property
    def breaking(self) -> int:
        """The number of breaking changes."""
        return sum(change.verdict == "breaking" for change in self.difference.changes)

    @cached_property
    def changes(self) -> list[tuple[Change, int, int]]:
        """The changes, each with line and column of its part in the text; 0 without one."""
        changes = self.difference.changes
        pointers = {change.after for change in changes if change.after is not None}
        positions = locate(self.text, pointers)
        absent = (0, 0)
        return [(change, *positions.get(change.after or "", absent)) for change in changes]

    @cached_property
    def compiled_spec(self) -> CompiledSpec:
        """The draft's definition; everything else, as its configuration, is the current one."""
        assert self.spec is not None  # noqa: S101 - for mypy: a draft with problems is not run
        document = {
            **self.current.spec.document,
            "definition": self.spec.document["definition"],
        }
        return CompiledSpec(read_spec(print_json(document)))

    def with_verdict(self, run: Run) -> Run:
        """A copy of `run` with the verdict of the draft's return type. It is not stored."""
        checked = copy(run)
        if self.spec is None or not run.has_response or run.response_cut:
            return checked
        result = self.compiled_spec.check_response(run.response, None)
        checked.verdict, checked.verdict_reason = result.verdict, result.reason or ""
        checked.problems_json = dump_problems(result.problems)
        checked.problems_truncated = result.truncated
        return checked

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The documentation of its schemas."""
        return document_sections(self.spec) if self.spec else ()

    @cached_property
    def positions(self) -> Mapping[str, tuple[int, int]]:
        """Line and column of each documented schema, by its JSON Pointer."""
        pointers = [pointer for section in self.sections for pointer in section.pointers]
        return locate(self.text, pointers) if pointers else {}

    @cached_property
    def findings(self) -> list[DraftFinding]:
        """The unwaived findings, the most severe first, at most `MAX_FINDINGS`."""
        return list(self._add_edits(self._unwaived[:MAX_FINDINGS]))

    @property
    def finding_count(self) -> int:
        return len(self._unwaived)

    @cached_property
    def _unwaived(self) -> list[LocatedFinding]:
        if self.spec is None:
            return []
        waived = [waiver.waived for waiver in self.tool.waivers.all()]
        return [
            advice for advice in lint_with_positions(self.spec) if not _is_waived(advice, waived)
        ]

    def _add_edits(self, unwaived: Iterable[LocatedFinding]) -> Iterator[DraftFinding]:
        left = MAX_FIXED_CHARACTERS
        for advice in unwaived:
            edit = None
            if advice.fix:
                left -= len(self.text)
                edit = self._find_edit(advice.fix) if left > 0 else None
            yield DraftFinding(advice, edit)

    def _find_edit(self, fix: Fix) -> QuickFix | None:
        try:
            return edit_to(fix.title, self.text, apply_fix(self.text, fix))
        except PatchError:
            return None

    def with_fix(self, key: str) -> SpecDraft:
        """The draft with the fix of a finding applied; the same draft if it has no such fix."""
        for advice in self._unwaived:
            if advice.fix is not None and advice.fix.key == key:
                try:
                    return read_draft(self.tool, apply_fix(self.text, advice.fix))
                except PatchError:
                    return self
        return self

    def with_response(self, response: JSON, *, at: str | None = None) -> SpecDraft | None:
        """The draft with the smallest edit of the return type that accepts `response`.

        Without a return type, it gets one. None if there is no such edit. `at`: a JSON Pointer into
        the response; only what does not match there is accepted.
        """
        if self.spec is None:
            return None
        if self.spec.return_type is None:
            edits = [Operation("add", RETURN_TYPE, describe(response))]
        else:
            operations = widen(self.spec.return_type, response, at=at)
            if operations is None:
                return None
            edits = [_move_below_return_type(operation) for operation in operations]
        return read_draft(self.tool, patch_text(self.text, edits)) if edits else self

    def read_forms(
        self, sent: list[tuple[str, Sent]], person: User, *, is_checked: bool = False
    ) -> list[Submission]:
        """The forms that people and agents fill in to call the tool, with what the page has sent.

        `is_checked`: with the problems of the parameters, and with what cannot be read in the
        configuration.
        """
        if self.spec is None:
            return []
        compiled = CompiledSpec(self.spec)
        seal = PageTokens(str(person.pk), self.tool.slug)
        forms = []
        schemas = {"parameters": compiled.parameters}
        if compiled.configuration_form is not None:
            schemas["configuration"] = compiled.configuration_form
        for name, schema in schemas.items():
            if not any(key.startswith(f"{name}:") for key, _ in sent):
                forms.append(begin(schema, name=name, seal=seal))
                continue
            checks = is_checked and name == "parameters"
            form = read_submission(schema, sent, name=name, seal=seal, is_checked=checks)
            forms.append(form.mark_unread() if is_checked and not checks else form)
        return forms


def _move_below_return_type(operation: Operation) -> Operation:
    source = RETURN_TYPE + operation.source if operation.op == "move" else ""
    return replace(operation, path=RETURN_TYPE + operation.path, source=source)


def _is_waived(advice: LocatedFinding, waived: Iterable[WaivedFinding]) -> bool:
    return any(each.covers(advice.rule, advice.problem.pointer) for each in waived)


def read_draft(tool: Tool, text: str) -> SpecDraft:
    """The draft in `text`; one that is not a valid spec of `tool` has problems."""
    try:
        spec = read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except DocumentError as error:
        return SpecDraft(tool, text, problems=error.problems)
    if spec.tool_id != tool.tool_id:
        line, column = locate(text, ["/definition/id"])["/definition/id"]
        message = (
            f"This page edits the tool `{tool.tool_id}`, but the spec is for `{spec.tool_id}`. "
            "Restore the id, or publish the other tool with Add."
        )
        problem = Problem("/definition/id", message, "publish.other-tool", line=line, column=column)
        return SpecDraft(tool, text, problems=(problem,))
    return SpecDraft(tool, text, spec)


def open_draft(tool: Tool) -> SpecDraft:
    """The current revision of `tool` as a draft, on several lines."""
    return read_draft(tool, SpecText(revision_of(tool).source).text)
