"""Make a source of a document in another format, whose first sync is a part of the report of the upload."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from catalog.accounts.models import User
from catalog.errors import OutgoingError
from catalog.models import Source
from catalog.revision_origins import MAX_NAME_CHARS, RevisionOrigin
from catalog.sources.listings import document_tools
from catalog.sources.registration import (
    SourceExists,
    SourceForm,
    add_source,
    change_source,
    free_name,
    may_replace_document,
)
from catalog.sources.sync import Outcome, Result, SentDocument, begin, carry_out, check
from catalog.uploads.choices import ImportOptions, name_in
from catalog.uploads.parse import Candidate, ForeignDocument, ImportedTool, Origin, Parsed
from catalog.uploads.pieces import Piece
from toolspec.member_names import misnamed_members
from toolspec.spec import naming_in

ImportedResult = tuple[
    Candidate, Outcome, str | None
]  # the verdict on its change, if it was compared
Report = Callable[[list[ImportedResult]], None]


def require_free_names(candidates: Iterable[Parsed], options: ImportOptions, *, by: User) -> None:
    """Check that each document becomes a new source, or replaces the document of one.

    Raises:
        SourceExists: one does not.
    """
    names: set[str] = set()
    for document in candidates:
        if isinstance(document, ForeignDocument):
            stored_source(document, by=by, replaces=options.replace, used=names)
            names.add(document.name)


def stored_source(
    document: ForeignDocument, *, by: User | None, replaces: bool, used: Iterable[str] = ()
) -> Source | None:
    """The source whose document this one replaces; None if it becomes a new source.

    Args:
        document: to store.
        by: who sends it.
        replaces: whether they want to replace the document.
        used: names of other documents that are sent with it.

    Raises:
        SourceExists: they have not said so, or they may not.
    """
    stored = Source.objects.filter(name=document.name).select_related("owner").first()
    is_used = document.name in used
    if stored is None and not is_used:
        return None
    may_replace = stored is not None and may_replace_document(by, stored)
    is_same = stored is not None and stored.document == document.text
    if may_replace and not is_used and (replaces or is_same):
        return stored
    if not (document.prefix or document.title):
        return None  # it has no name of its own
    raise SourceExists(document.name, _free_name(document, used), may_replace=may_replace)


def _free_name(document: ForeignDocument, used: Iterable[str] = ()) -> str:
    return free_name(document.name, {*Source.objects.values_list("name", flat=True), *used})


def store_document(
    document: ForeignDocument,
    report: Report,
    *,
    by: User | None,
    options: ImportOptions,
    dry_run: bool,
) -> None:
    """Store the document as a source without a connection, or as the next one of its source, and sync it.

    A document without a valid tool is not stored.

    Args:
        document: converted.
        report: is called with the results of a batch of its tools, in the transaction that stores it.
        by: the sender, who becomes the owner of a new source.
        options: of the upload.
        dry_run: store nothing.

    Raises:
        SourceExists: as `stored_source`.
        AlreadySyncing: somebody else is sending the document.
        OutgoingError: the sync has stopped.
    """
    stored = stored_source(document, by=by, replaces=options.replace)
    source = stored or Source(kind="document", name=_free_name(document), owner=by)
    source.prefix, source.title = document.prefix, document.title
    choices = options.choices
    names = {tool.key: name_in(tool.imported, document.prefix) for tool in document.tools}
    left_out = [name for key, name in names.items() if key in choices.skip]
    new_ids = {names[key]: new_id for key, new_id in choices.new_ids.items() if key in names}
    if not dry_run:
        source.left_out = [*dict.fromkeys([*source.left_out, *left_out])]
    tools = {id(tool.imported): tool for tool in document.tools}

    def on_batch(results: list[Result]) -> None:
        report([_imported_result(document, tools[id(one.tool.imported)], one) for one in results])

    listed = document_tools(source, document.imported, new_ids, left_out)
    name = (document.title or document.prefix)[:MAX_NAME_CHARS]
    origin = RevisionOrigin(document.imported.format_key, name)
    sent = SentDocument(listed, origin, options.replace, on_batch)
    if dry_run or not any(tool.spec for tool in listed):
        check(source, sent, by=by)
        return
    form = SourceForm({"document": document.text}, source=source)
    if stored is None:
        add_source(form, by=by)
    else:
        change_source(form)
    record = carry_out(begin(source, by=by), sent=sent)
    if record.error:
        raise OutgoingError(record.error)


def _imported_result(
    document: ForeignDocument, tool: ImportedTool, result: Result
) -> ImportedResult:
    imported, listed = tool.imported, result.tool
    offered_id = imported.tool_id if imported.spec and not imported.has_own_id else ""
    new_id = listed.tool_id if offered_id and listed.tool_id != offered_id else ""
    text = listed.spec.source if listed.spec else imported.text
    part = imported.pointer.removesuffix(tool.pointer)
    losses = [replace(loss, pointer=loss.pointer.removeprefix(part)) for loss in imported.losses]
    origin = Origin(
        document.imported.label,
        tool.pointer,
        tool.line,
        tuple(losses),
        document.imported.notes if tool is document.tools[0] else (),
        text,
        tool.key,
        offered_id,
        new_id,
    )
    naming = (new_id, naming_in(imported.document)[1]) if new_id else None
    warnings = misnamed_members(listed.spec.document) if listed.spec else ()
    spec = listed.spec or listed.problems
    candidate = Candidate(Piece(document.label, text.encode()), spec, origin, warnings, naming)
    return candidate, result.outcome, result.verdict
