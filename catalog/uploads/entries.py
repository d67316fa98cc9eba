"""The results of an upload: one entry for each spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from catalog.uploads.parse import EXPORT, YAML, Origin
from toolspec.errors import Problem
from toolspec.text.pretty import is_one_line, pretty_print

SOURCE_EXISTS = "source.exists"  # the rules of documents and tools that their sender may replace
OTHER_ORIGIN = "publish.other-origin"

Outcome = Literal["created", "revised", "unchanged", "held", "rejected"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of an uploaded spec, with its line and column in the source.

    `excerpt` is a part of the offending line, and `caret` the position in it; "" if the problem has
    no line.
    """

    problem: Problem
    excerpt: str = ""
    caret: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """The result for one spec of an upload.

    Attributes:
        source: the file that contains it.
        line: its first line in that file.
        tool_id, name: of the tool; for an invalid spec the declared ones, None if they are not
        readable. slug, revision, archived: of the tool; None, and False, if it was rejected or
        held. faults: why it was rejected or held. text: the rejected text, for correcting it; "" if
        it could not be read at all. In a dry run also the text that
            would become a revision of an existing tool, for comparing them.
        origin: the format that it was imported from; None if it was uploaded as a spec. For an
            export only if something was lost.
        verdict: the impact on callers, as in a semantic diff; None for a new tool, and if there was
            no time to compare (`MAX_VERDICTS`).
        change: the primary key of the change that waits for approval, if it was held; None in a dry
            run.
        description: of the tool; "" in a stored report.
        warnings: members that the format does not define and that are probably misspelt; in a dry
            run also lint errors.
    """

    source: str
    line: int
    outcome: Outcome
    tool_id: str | None = None
    name: str | None = None
    slug: str | None = None
    revision: int | None = None
    archived: bool = False
    faults: tuple[Fault, ...] = ()
    text: str = field(default="", repr=False)
    origin: Origin | None = None
    verdict: str | None = None
    warnings: tuple[Problem, ...] = ()
    change: int | None = None
    description: str = ""

    @property
    def is_breaking(self) -> bool:
        """Whether it is a revision that breaks callers."""
        return self.outcome == "revised" and self.verdict == "breaking"

    @property
    def is_import(self) -> bool:
        """Whether it is a tool of a document in another format."""
        return self.origin is not None and self.origin.format not in {EXPORT, YAML}

    @property
    def can_replace(self) -> bool:
        """Whether it was rejected or held, but the option to replace or another id prefix lets it in."""
        return any(fault.problem.rule in {SOURCE_EXISTS, OTHER_ORIGIN} for fault in self.faults)

    @property
    def source_exists(self) -> bool:
        """Whether it is a document whose source has another one already."""
        return any(fault.problem.rule == SOURCE_EXISTS for fault in self.faults)

    @property
    def is_choice(self) -> bool:
        """Whether a preview lets the person leave it out: an imported tool that publishing would store."""
        is_published = self.outcome in {"created", "revised", "held"}
        return self.is_import and bool(self.key) and (is_published or self.has_editable_id)

    @property
    def has_editable_id(self) -> bool:
        """Whether a preview lets the person change its id, which an import made up."""
        is_same = self.outcome == "unchanged" and not self.has_new_id
        return bool(self.origin and self.key and self.origin.offered_id) and not is_same

    @property
    def has_new_id(self) -> bool:
        """Whether the person has changed the id that the import offers."""
        return bool(self.origin and self.origin.new_id)

    @property
    def has_wrong_id(self) -> bool:
        """Whether it was rejected for its id."""
        return self.outcome == "rejected" and any(
            fault.problem.pointer == "/definition/id" for fault in self.faults
        )

    @property
    def key(self) -> str:
        """Of an imported tool (see choices.py); "" for others."""
        return self.origin.key if self.origin else ""

    @property
    def text_to_correct(self) -> str:
        """The text of a rejected spec for an editor, on several lines."""
        return pretty_print(self.text) if is_one_line(self.text) else self.text

    @property
    def pair(self) -> tuple[int, int] | None:
        """The previous revision and its own, as used in a URL; None if there is no previous one."""
        return (self.revision - 1, self.revision) if self.revision and self.revision > 1 else None
