"""Make a source of a document in another format; its first sync is part of the upload's report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from django.conf import settings
from django.utils import timezone

from accounts.models import User
from catalog.access.rights import limit_of_toolkits
from catalog.sources.discovery import Connection
from catalog.sources.listings import ListedTool, document_tools
from catalog.sources.models import Source, SourceSync
from catalog.sources.reading import Reading
from catalog.sources.reconciliation import Contents, Outcome, Result
from catalog.sources.registration import (
    SourceExists,
    SourceForm,
    add_source,
    change_source,
    free_name,
    may_replace_document,
)
from catalog.sources.schedule import carry_out_in_background
from catalog.sources.sync import begin, carry_out, check
from catalog.tools.models import Tool
from catalog.tools.origins import MAX_NAME_CHARS, RevisionOrigin
from catalog.uploads.choices import ImportOptions, name_in
from catalog.uploads.parse import Candidate, ForeignDocument, ImportedTool, Origin, Parsed
from catalog.uploads.pieces import Piece
from toolshelf_core.errors import OutgoingError
from toolspec.catalog_names import group_key, toolkit_of
from toolspec.errors import DocumentError, Problem
from toolspec.member_names import misnamed_members
from toolspec.spec import naming_in

WAIT_S: Final = 5.0  # for the first sync of a connected source

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
        SourceExists: they have not asked for that, or they may not.
    """
    stored = _find_source(document)
    is_used = stored.name in used if stored else document.name in used
    if stored is None and not is_used:
        return None
    has_own_name = bool(document.prefix or document.title)
    may_replace = stored is not None and not is_used and may_replace_document(by, stored)
    is_same = stored is not None and stored.document == document.text
    if may_replace and (is_same or (replaces and has_own_name)):
        return stored
    if not has_own_name:
        return None
    raise SourceExists(document.name, _free_name(document, used), may_replace=may_replace)


def _find_source(document: ForeignDocument) -> Source | None:
    """The source whose tools have the ids of this document's tools.

    Names are shortened, and have Latin letters only, so documents with different prefixes may lead
    to one name.
    """
    sources = Source.objects.select_related("owner")
    if document.prefix and (found := sources.filter(prefix=document.prefix).first()):
        return found
    named = sources.filter(name=document.name).first()
    return named if named is not None and named.id_prefix == document.prefix else None


def _free_name(document: ForeignDocument, used: Iterable[str] = ()) -> str:
    return free_name(document.name, {*Source.objects.values_list("name", flat=True), *used})


def store_document(
    document: ForeignDocument,
    report: Report | None = None,
    *,
    by: User | None,
    options: ImportOptions,
    dry_run: bool = False,
    used_names: set[str],
) -> Source | None:
    """Store the document as a new source, or as the next document of its source, and sync it.

    A document without a valid tool is not stored. With a connection in `options`, the source is
    synced in the background, which may take longer than a request, and without calling `report`.

    Args:
        document: converted.
        report: is called with the results of a batch of its tools, in the transaction that stores
            them.
        by: the sender, who becomes the owner of a new source.
        options: of the upload.
        dry_run: store nothing.
        used_names: of the sources of earlier documents of the upload; that of this one is added.

    Returns:
        The source; None if nothing is stored.

    Raises:
        SourceExists: as `stored_source`.
        AlreadySyncing: somebody else is sending the document.
        DocumentError: the source is of another kind, or its settings are invalid.
        OutgoingError: the sync has stopped.
    """
    stored = stored_source(document, by=by, replaces=options.replace, used=used_names)
    _require_kind(stored, options.connection)
    name = stored.name if stored else _free_name(document, used_names)
    used_names.add(name)
    connection = options.connection or Connection("document", Reading(document=document.text))
    source = stored or Source(kind="document", name=name, owner=by)
    if not source.is_connected:
        source.kind = connection.kind
    names = {tool.key: name_in(tool.imported, document.prefix) for tool in document.tools}
    skipped = [name for key, name in names.items() if key in options.choices.skip]
    new_ids = {
        names[key]: new_id for key, new_id in options.choices.new_ids.items() if key in names
    }
    earlier = [] if options.offers_all else source.left_out
    left_out = earlier if dry_run else _names_left_out(source, earlier, skipped)
    _describe(source, document, left_out)
    tools = {id(tool.imported): tool for tool in document.tools}

    def on_batch(results: list[Result]) -> None:
        if report:
            report(
                [_imported_result(document, tools[id(one.tool.imported)], one) for one in results]
            )

    listed = document_tools(source, document.imported, new_ids, skipped)
    if not dry_run:
        listed = [tool for tool in listed if tool.remote_name not in skipped]
    origin_name = (document.title or document.prefix)[:MAX_NAME_CHARS]
    origin = RevisionOrigin(document.imported.format_key, origin_name)
    sent = Contents(listed, origin, options.replace, on_batch, frozenset(skipped))
    if dry_run or not any(_may_store(tool, by) for tool in listed):
        check(source, sent, by=by)
        return None
    if stored is None:
        form = SourceForm(connection.settings_of(name), allow_command=settings.SOURCE_COMMANDS)
        _describe(form.instance, document, left_out)
        source = add_source(form, by=by)
    _require_toolkits_of(source, by)
    record = begin(source, by=by)
    if stored:
        _replace_document(record, document, left_out, connection)
    if options.connection:
        reading = replace(connection.reading, new_ids=new_ids, replaces=options.replace)
        thread = carry_out_in_background(
            record, reading, sent if stored else None, connection.configuration
        )
        thread.join(WAIT_S)
        return source
    carry_out(record, sent=sent)
    if record.error:
        raise OutgoingError(record.error)
    return source


def _require_kind(stored: Source | None, connection: Connection | None) -> None:
    """Check that a connected source stays of its kind, which decides how its tools run.

    Raises:
        DocumentError: it does not.
    """
    if stored is None or connection is None:
        return
    if not stored.is_connected or stored.kind == connection.kind:
        return
    message = (
        f"The source {stored.name!r} is an API, and an MCP server cannot replace it. "
        "Enter another id prefix, or remove that source first."
    )
    raise DocumentError([Problem("", message, "source.kind")])


def _limit(by: User | None, toolkit: str) -> str:
    """Why a token of `by` does not allow changes in this toolkit; "" if it does."""
    answer = limit_of_toolkits(by, toolkit) if by is not None else None
    return answer.reason if answer is not None else ""


def _may_store(tool: ListedTool, by: User | None) -> bool:
    """Whether a listed tool is valid, and a token of `by` is not limited to other toolkits."""
    return bool(tool.spec) and not _limit(by, group_key(toolkit_of(tool.tool_id)))


def _require_toolkits_of(source: Source, by: User | None) -> None:
    """Check that a token of `by` is not limited to other toolkits than those of the source's tools.

    Raises:
        DocumentError: it is.
    """
    for tool in Tool.objects.filter(source_tool__source=source):
        if refusal := _limit(by, tool.toolkit_key):
            raise DocumentError([Problem("", refusal, "publish.not-allowed")])


def _names_left_out(source: Source, earlier: list[str], skipped: list[str]) -> list[str]:
    """The names of tools that later syncs leave out too.

    A skipped tool that is in the catalog already is not one of them: it stays there.
    """
    if source.pk is not None:
        published = set(source.tools.values_list("remote_name", flat=True))
        skipped = [name for name in skipped if name not in published]
    return [*dict.fromkeys([*earlier, *skipped])]


def _describe(source: Source, document: ForeignDocument, left_out: list[str]) -> None:
    source.prefix, source.title, source.left_out = document.prefix, document.title, left_out


def _replace_document(
    record: SourceSync,
    document: ForeignDocument,
    left_out: list[str],
    connection: Connection,
) -> None:
    """Store the document in the source, which `record` has claimed, as it is now.

    Raises:
        DocumentError: it is refused; the claim ends.
    """
    source = Source.objects.get(pk=record.source_id)
    _describe(source, document, left_out)
    try:
        change_source(SourceForm(connection.settings_of(source.name), source=source))
    except DocumentError as error:
        record.ended_at, record.error = timezone.now(), str(error)
        record.save()
        raise


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
