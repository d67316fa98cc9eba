"""Reconcile the catalog with a source: publish its tools, or hold them for review, by its policy.

Tools are published in batches, each in one transaction with the rows that record them; a process
that is stopped between two batches leaves complete batches, and the next sync goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalog.access.rights import may
from catalog.index import vocabulary
from catalog.index.document import SearchDocument, document_of
from catalog.proposals.actions import REASON_LENGTH, Decisions, PendingSpec, close_held, hold
from catalog.revisions.differences import verdicts_on
from catalog.sources.declared import is_declared
from catalog.sources.destinations import destinations
from catalog.sources.listings import ListedTool
from catalog.sources.models import Source, SourceSync, SourceTool
from catalog.sources.redacting import without_credentials
from catalog.tools.models import Revision, Tool
from catalog.tools.origins import RevisionOrigin
from catalog.tools.publishing import Publication, publish_many, with_stored_layout
from toolshelf_core.encryption import Unreadable
from toolspec.diff import HARMLESS
from toolspec.errors import Problem, SpecError
from toolspec.lint import UNSEARCHED, injected_phrases, unsearched_text
from toolspec.spec import ToolSpec

BATCH: Final = 300  # tools per transaction: other writers wait for about 60 ms
FEW: Final = 5  # up to this many are assessed immediately, because a user may be waiting
MAX_STORED_CHANGES: Final = 1_000  # of one sync, for its report
MAX_VERDICTS: Final = 200  # on the revisions of one document while its sender waits
MAX_PHRASE: Final = 120
EXISTED: Final = "A tool with this id was in the catalog before the source listed it."
_HELD_BECAUSE: Final = {
    "breaking": "The change is breaking.",
    "unknown": "The change may be breaking.",
    "wording": "Words that models read have changed.",
}

Outcome = Publication | PendingSpec | SpecError


@dataclass(frozen=True, slots=True)
class Result:
    """What a sync does with one listed tool.

    `verdict`: on its revision; None if it was not compared.
    """

    tool: ListedTool
    outcome: Outcome
    verdict: str | None


OnBatch = Callable[[list[Result]], None]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a source contains, as it was read or sent by a person.

    Attributes:
        listed: its tools.
        origin: of the revisions that the first sync of the source may follow.
        replaces: whether a sync may follow revisions of any origin.
        on_batch: is called with the outcomes of a batch, inside the transaction that stores them;
            also with the unchanged tools.
        skipped: the names of tools that are listed, and stay as they are.
    """

    listed: list[ListedTool]
    origin: RevisionOrigin
    replaces: bool = False
    on_batch: OnBatch | None = None
    skipped: frozenset[str] = frozenset()


def headers_of(source: Source) -> dict[str, str]:
    """The headers that are sent to a source; {} if they cannot be decrypted."""
    try:
        return source.headers
    except Unreadable:
        return {}  # so they were not sent


@dataclass
class Reconciliation:
    """Applies what a source lists to the catalog.

    Attributes:
        dry_run: store nothing.
        rows: the tools that it listed before, by id.
        declared: the ids of the tools of the catalog that have a revision from this source.
        changes: what happened to single tools, for the report.
        verdicts_left: how many revisions may still be compared; None: any number.
    """

    source: Source
    record: SourceSync
    contents: Contents
    dry_run: bool = False
    rows: dict[str, SourceTool] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    changes: list[dict[str, Any]] = field(default_factory=list)
    verdicts_left: int | None = None

    def __post_init__(self) -> None:
        self.sha256_of = {tool.tool_id: tool.sha256 for tool in self.contents.listed}
        if self.dry_run or not self.source.is_connected:
            self.verdicts_left = MAX_VERDICTS  # somebody waits

    def apply(self) -> None:
        rows = SourceTool.objects.filter(source_id=self.source.pk)
        if not self.dry_run:
            # of earlier versions, which stored untrimmed ids: the change of such a tool was not
            # compared
            published = rows.filter(catalog_tool__isnull=False)
            published.exclude(tool_id=F("catalog_tool__tool_id")).delete()
        self.rows = {row.tool_id: row for row in rows}
        ours = Revision.objects.filter(origin_kind="source", origin_name=self.source.name)
        ours = ours.filter(tool__source_tool__source_id=self.source.pk)
        self.declared = set(ours.values_list("tool__tool_id", flat=True))
        self.record.listed = len(self.contents.listed)
        if not self.dry_run:
            self._mark_gone()
        for start in range(0, len(self.contents.listed), BATCH):
            self._apply(self.contents.listed[start : start + BATCH])
        self.record.changes_json = (
            json.dumps(self.changes[:MAX_STORED_CHANGES]) if self.changes else ""
        )

    def _report(self, tool_id: str, outcome: str, **more: str | int) -> None:
        setattr(self.record, outcome, getattr(self.record, outcome) + 1)
        self.changes.append({"tool_id": tool_id, "outcome": outcome, **more})

    def _mark_gone(self) -> None:
        """Mark the tools that are no longer listed, and unmark those that are listed again."""
        now, ids = timezone.now(), {tool.tool_id for tool in self.contents.listed}
        for row in self.rows.values():
            if row.remote_name in self.contents.skipped:
                continue
            if row.tool_id not in ids and row.gone_at is None:
                row.gone_at = now
                self._report(row.tool_id, "gone")
            elif row.tool_id in ids and row.gone_at is not None:
                row.gone_at = None
                self._report(row.tool_id, "returned")
        if self.record.gone or self.record.returned:
            SourceTool.objects.bulk_update(self.rows.values(), ["gone_at"], batch_size=500)
            vocabulary.change_state()  # other tools run now

    def _is_changed(self, tool: ListedTool) -> bool:
        if self.contents.on_batch:
            return True  # a person may propose again what was rejected
        row = self.rows.get(tool.tool_id)
        is_known = row is not None and row.listed_sha256 == tool.sha256
        return not is_known or (row is not None and self._is_undeclared(row))

    def _is_undeclared(self, row: SourceTool) -> bool:
        """Whether a tool counts as published although no revision of it came from this source."""
        return bool(row.published_sha256) and row.tool_id not in self.declared

    def _apply(self, tools: Sequence[ListedTool]) -> None:
        """Publish or hold those tools of a batch that have changed, in one transaction."""
        changed = [tool for tool in tools if tool.spec and self._is_changed(tool)]
        imported = with_stored_layout([tool.spec for tool in changed if tool.spec])
        specs = {spec.tool_id: spec for spec in imported}
        # before the transaction, because both take long: a verdict 1 to 50 ms
        verdicts = verdicts_on(imported, self.verdicts_left)
        if self.verdicts_left is not None:
            self.verdicts_left -= len(verdicts)
        documents = {spec.sha256: document_of(spec) for spec in imported}
        with transaction.atomic():
            outcomes = self._publish_or_hold(specs, verdicts, documents)
            results = []
            for tool in tools:
                spec = specs.get(tool.tool_id) if tool.spec else None
                if tool.spec and spec is None:
                    self.record.unchanged += 1
                    continue
                outcome = outcomes[spec.tool_id] if spec else SpecError(tool.problems)
                verdict = verdicts.get(spec.sha256) if spec else None
                self._record(tool, outcome, verdict or "")
                results.append(Result(tool, outcome, verdict))
            if changed and not self.dry_run:
                vocabulary.change_state()  # other tools may run now
            if self.contents.on_batch:
                self.contents.on_batch(results)

    def _publish_or_hold(
        self,
        specs: Mapping[str, ToolSpec],
        verdicts: Mapping[str, str],
        documents: Mapping[str, SearchDocument],
    ) -> dict[str, Outcome]:
        """What happens to each of the specs, by the ids of their tools."""
        current = _current_revisions(specs)
        decisions = self._decisions(specs)
        outcomes: dict[str, Outcome] = {}
        for tool_id, spec in specs.items():
            base = current.get(tool_id)
            if refusal := decisions.refusal(spec) if decisions else "":
                problem = Problem("/definition/id", refusal, "publish.not-allowed")
                outcomes[tool_id] = SpecError([problem])
                continue
            verdict = ""
            if base is not None:
                default = "identical" if base.sha256 == spec.sha256 else "unknown"
                verdict = verdicts.get(spec.sha256, default)
            reason = (decisions.reason_to_hold(spec) if decisions else "") or (
                self._reason_to_hold(spec, base, verdict)
            )
            if reason:
                outcomes[tool_id] = self._hold(spec, base, verdict, reason)
        published = [spec for tool_id, spec in specs.items() if tool_id not in outcomes]
        publications = publish_many(
            published,
            by=self.record.by,
            dry_run=self.dry_run,
            assess=len(published) <= FEW,
            documents=documents,
            origins={spec.sha256: self._origin for spec in published},
            initial={spec.tool_id: {"owner": self.source.owner} for spec in published},
        )
        outcomes |= zip([spec.tool_id for spec in published], publications, strict=True)
        return outcomes

    def _decisions(self, specs: Mapping[str, ToolSpec]) -> Decisions | None:
        """What the sender of a document may publish; None for a connected source."""
        by = self.record.by
        if self.source.is_connected or by is None:
            return None
        return Decisions.about(list(specs.values()), by)

    def _hold(
        self, spec: ToolSpec, base: Revision | None, verdict: str, reason: str
    ) -> PendingSpec:
        if self.dry_run:
            return PendingSpec(spec, reason, None)
        by = self.record.by
        is_seen = base is not None and (self.source.is_connected or bool(may(by, "see", base.tool)))
        change = hold(
            spec,
            origin=self._origin,
            base=base,
            verdict=verdict if is_seen else "",
            reason=reason[:REASON_LENGTH],
            source=self.source,
            definition_sha256=self.sha256_of[spec.tool_id],
        )
        return PendingSpec(spec, reason, change)

    def _record(self, tool: ListedTool, outcome: Outcome, verdict: str) -> None:
        """Store what happened to a listed tool; `verdict`: on its change, "" if it has none."""
        if isinstance(outcome, SpecError):
            self._report_refused(tool, outcome)
            return
        if isinstance(outcome, PendingSpec):
            change = outcome.change
            base = change.base if change else None
            self._store_row(tool, base.tool if base else None, published=False)
            more: dict[str, str | int] = {"message": outcome.reason[:REASON_LENGTH]}
            if base is not None and change is not None:
                more |= {"slug": base.tool.slug, "verdict": change.verdict}
            if change is not None:
                more["change"] = change.pk
            self._report(tool.tool_id, "held", **more)
            return
        if not self.dry_run:
            close_held(tool.tool_id, self.source)
        self._store_row(tool, outcome.tool, published=True)
        if outcome.outcome == "unchanged":
            self.record.unchanged += 1
            return
        facts: dict[str, str | int] = {"verdict": verdict} if verdict else {}
        self._report(
            tool.tool_id,
            outcome.outcome,
            slug=outcome.tool.slug,
            revision=outcome.revision.number,
            **facts,
        )

    def _report_refused(self, tool: ListedTool, error: SpecError) -> None:
        message = " ".join(problem.message for problem in error.problems[:3])
        headers, address = headers_of(self.source), self.source.address
        tool_id, message = (
            without_credentials(text, headers, address) for text in (tool.tool_id, message)
        )
        self._report(tool_id, "refused", message=message)

    def _reason_to_hold(self, spec: ToolSpec, base: Revision | None, verdict: str) -> str:
        """Why the policy does not let this change become current; "" if it does."""
        if base is not None and base.sha256 == spec.sha256 and self._may_repeat(base):
            return ""
        if base is not None and (other := self._source_that_runs(base.tool)):
            return f"The source {other.name} runs this tool, and would no longer."
        row = self.rows.get(spec.tool_id)
        published = row is not None and bool(row.published_sha256) and not self._is_undeclared(row)
        is_claimed = base is not None and self._is_claimed(base)
        if base is not None and not published and not is_claimed:
            return EXISTED
        if self.source.policy == "automatic" or not self.source.is_connected:
            return ""
        if self.source.policy == "review":
            return "The policy of the source holds all changes."
        if base is not None and not is_claimed and not is_declared(base, self.source):
            return f"Revision {base.number} was published here, not by the source, and would be overwritten."
        if base is not None and destinations(base.spec.document) != destinations(spec.document):
            return "The URL that receives requests or credentials has changed."
        if verdict and verdict not in HARMLESS:
            return _HELD_BECAUSE[verdict]
        if phrase := _new_instruction(spec, base):
            return f"A description instructs the model: “{phrase[:MAX_PHRASE]}”."
        if unsearched_text(spec.document) is not None:
            return UNSEARCHED
        return ""

    def _may_repeat(self, base: Revision) -> bool:
        """Whether the source may declare what the tool's current revision says already."""
        return not self.source.is_connected or is_declared(base, self.source)

    def _source_that_runs(self, tool: Tool) -> Source | None:
        """The connected source that runs the tool; a document without connection leaves it alone."""
        if self.source.is_connected:
            return None
        rows = SourceTool.objects.filter(catalog_tool=tool).exclude(source__kind="document")
        row = rows.select_related("source").defer("source__document").first()
        return row.source if row else None

    def _is_claimed(self, base: Revision) -> bool:
        """Whether the sync may follow this revision.

        Its sender said so, or this is the first sync and its owner imported it from this document.
        """
        if self.contents.replaces:
            return True
        if self.rows:
            return False
        owner = self.source.owner_id
        is_own = base.tool.owner_id == owner and bool(owner or not self.source.is_connected)
        is_same = base.origin_kind is None or self.contents.origin.is_same(
            base.origin_kind, base.origin_name or ""
        )
        return is_own and is_same

    @property
    def _origin(self) -> RevisionOrigin:
        return RevisionOrigin("source", self.source.name)

    def _store_row(self, tool: ListedTool, catalog_tool: Tool | None, *, published: bool) -> None:
        defaults: dict[str, Any] = {
            "remote_name": tool.remote_name,
            "listed_sha256": tool.sha256,
            "gone_at": None,
        }
        if self.dry_run:
            return
        if catalog_tool is not None and self.source.takes(catalog_tool, published=published):
            defaults["catalog_tool"] = catalog_tool
        if published:
            defaults["published_sha256"] = tool.sha256
        elif tool.tool_id not in self.declared:
            defaults["published_sha256"] = ""
        SourceTool.objects.update_or_create(
            source=self.source, tool_id=tool.tool_id, defaults=defaults
        )


def _new_instruction(spec: ToolSpec, base: Revision | None) -> str:
    """A phrase of `spec`, not of `base`, that instructs the model; "" if there is none."""
    known = (
        {phrase for _, phrase in injected_phrases(base.spec.document)}
        if base is not None
        else set()
    )
    phrases = (phrase for _, phrase in injected_phrases(spec.document))
    return next((phrase for phrase in phrases if phrase not in known), "")


def _current_revisions(tool_ids: Collection[str]) -> dict[str, Revision]:
    """The current revisions of the tools with these ids that exist, with their tools."""
    revisions = Revision.objects.filter(tool__current_id=F("id"), tool__tool_id__in=tool_ids)
    return {revision.tool.tool_id: revision for revision in revisions.select_related("tool")}
