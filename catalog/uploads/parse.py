"""What the pieces of an upload become before they are stored: specs as they are, or imported from other formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from django.conf import settings

from catalog.conversion_report import Loss
from catalog.errors import DocumentError, Problem
from catalog.jsontext import yaml_reader
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.positions import locate
from catalog.jsontext.reader import JSON, dumps, loads
from catalog.models import Revision
from catalog.specs.importers import MAX_DOCUMENT_BYTES, ImportedSpec, detect, import_document, prefix_for
from catalog.specs.spec import ToolSpec, read_spec
from catalog.uploads.readers import ENDINGS, Piece

# What the reader of specs says of a document that is in another format.
_OTHER_FORMAT: Final = frozenset({"spec.required", "spec.type", "json.too-large"})


CATALOG_FILE: Final = "Toolshelf catalog"  # as a format, by its name
YAML: Final = "YAML"  # as the format of a spec, which is stored as JSON

Locate = Callable[[Iterable[str]], dict[str, tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an imported spec comes from: a format, and the place of the tool in its document.

    `notes` speak of the document as a whole, and stand with its first tool. Of a catalog file the losses are of what
    people say of the tool, and their pointers stand in the lines of the file.
    """

    format: str
    pointer: str
    line: int
    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()
    text: str = field(default="", repr=False)

    @property
    def is_catalog(self) -> bool:
        """Whether it stood in a catalog file."""
        return self.format == CATALOG_FILE


@dataclass(frozen=True, slots=True)
class Candidate:
    """A spec to be published, or what is wrong with it; `origin` where it was imported."""

    piece: Piece
    spec: ToolSpec | tuple[Problem, ...]
    origin: Origin | None = None

    @property
    def line(self) -> int:
        """Where it begins in the file."""
        return self.origin.line if self.origin else self.piece.line


def candidates_in(pieces: Iterable[Piece], *, prefix: str | None) -> Iterator[Candidate]:
    """Each spec in `pieces`; a document of another format gives one for each of its tools.

    Args:
        pieces: as `unpacking` gives them.
        prefix: what the ids of imported tools start with; None: as the document has it (see `prefix_for`).
    """
    for piece in pieces:
        if piece.refusal:
            yield Candidate(piece, (piece.refusal,))
            continue
        if piece.is_yaml:
            yield from _of_yaml(piece, prefix)
            continue
        spec = _read(piece.text)
        if isinstance(spec, ToolSpec) or piece.kept or not _may_be_of_another_format(spec):
            yield Candidate(piece, spec)
        else:
            yield from _imported(piece, spec, prefix)


def _read(text: bytes) -> ToolSpec | tuple[Problem, ...]:
    try:
        return read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except DocumentError as error:
        return error.problems


def _may_be_of_another_format(problems: tuple[Problem, ...]) -> bool:
    return any(problem.rule in _OTHER_FORMAT and not problem.pointer for problem in problems)


def _imported(piece: Piece, problems: tuple[Problem, ...], prefix: str | None) -> Iterator[Candidate]:
    try:
        document = loads(piece.text, max_bytes=MAX_DOCUMENT_BYTES)
    except DocumentError as error:
        yield Candidate(piece, error.problems)
        return
    if detect(document) is None:
        yield Candidate(piece, problems)
    else:
        yield from _tools_in(document, piece, partial(locate, piece.text.decode()), prefix)


def _of_yaml(piece: Piece, prefix: str | None) -> Iterator[Candidate]:
    """The candidates in a document of YAML; of a list of objects, each is one of its own, as in an array of JSON."""
    try:
        read = yaml_reader.loads(piece.text, max_bytes=MAX_DOCUMENT_BYTES)
    except DocumentError as error:
        yield Candidate(piece, error.problems)
        return
    parts: list[tuple[str, JSON]] = [("", read.value)]
    if isinstance(read.value, list) and all(isinstance(one, dict) for one in read.value):
        parts = [(pointer_join("", index), one) for index, one in enumerate(read.value)]
    for base, document in parts:
        where = partial(_located, read.locate, base)
        if detect(document) is None:
            yield _spec_of_yaml(document, piece, where)
        else:
            yield from _tools_in(document, piece, where, prefix)


def _located(whole: Locate, base: str, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Where the values are that pointers into the part at `base` of the whole name."""
    pointers = list(pointers)
    return dict(zip(pointers, whole([base + pointer for pointer in pointers]).values(), strict=True))


def _spec_of_yaml(document: JSON, piece: Piece, where: Locate) -> Candidate:
    """A spec is JSON, so that is what is stored; what is wrong with it has its place in what was uploaded."""
    spec = _read(dumps(document).encode())
    if isinstance(spec, ToolSpec):
        text = dumps(document, indent=2)
        spec = _read(text.encode())
        line = where([""])[""][0] + piece.line - 1
        return Candidate(Piece(piece.source, text.encode()), spec, Origin(YAML, "", line, (), text=text))
    places = where(dict.fromkeys(problem.pointer for problem in spec))
    return Candidate(
        piece,
        tuple(replace(problem, line=places[problem.pointer][0], column=places[problem.pointer][1]) for problem in spec),
    )


def _tools_in(document: JSON, piece: Piece, where: Locate, prefix: str | None) -> Iterator[Candidate]:
    imported = import_document(document, prefix=_prefix(piece, document) if prefix is None else prefix)
    if not imported.specs:
        reason = " ".join((f"There is no tool in this {imported.label} document.", *imported.notes))
        yield Candidate(piece, (Problem("", reason, "import.empty", line=1, column=1),))
        return
    lines = where(dict.fromkeys(spec.pointer for spec in imported.specs))
    notes = imported.notes
    for spec in imported.specs:
        line = lines[spec.pointer][0] + piece.line - 1
        yield _candidate(piece, spec, Origin(imported.label, spec.pointer, line, spec.losses, notes, spec.text))
        notes = ()


def _candidate(piece: Piece, imported: ImportedSpec, origin: Origin) -> Candidate:
    text = imported.text.encode()
    is_too_long = len(text) > settings.MAX_SPEC_BYTES  # a site may take less than the reader does
    spec = _read(text) if is_too_long or imported.spec is None else imported.spec
    return Candidate(Piece(piece.source, text), imported.problems or spec, origin)


def _prefix(piece: Piece, document: JSON) -> str:
    return prefix_for(document, piece.source if piece.source.lower().endswith(ENDINGS) else "")


class MissingRevisions:
    """Of the revisions in a catalog file, those that this catalog does not have yet.

    A tool that is new gets all of them, in order, and so the same numbers. A tool that is there gets those whose text
    it never had: what was published here since the file was written is not undone.
    """

    def __init__(self) -> None:
        self._tool_id: str | None = None
        self._stored: _Stored | None = None  # None where the tool is new

    def go_on_with(self, tool_id: str | None) -> None:
        """This tool is one that the upload made, before it was interrupted."""
        self._tool_id = tool_id

    def among(self, candidates: list[Candidate]) -> list[Candidate]:
        """`candidates` without what is there already; call it for each batch before that is stored.

        The newest revision stays among them where it is the newest here too, so that a report names the tool.
        """
        stored = self._look_up(candidates)
        return [candidate for candidate in candidates if self._is_missing(candidate, stored)]

    def _is_missing(self, candidate: Candidate, stored: dict[str, _Stored]) -> bool:
        kept, spec = candidate.piece.kept, candidate.spec
        if kept is None or not isinstance(spec, ToolSpec):
            return True
        if spec.tool_id != self._tool_id:
            self._tool_id, self._stored = spec.tool_id, stored.get(spec.tool_id)
        if self._stored is None or spec.sha256 not in self._stored.hashes:
            return True
        return kept.current and spec.sha256 == self._stored.newest

    def _look_up(self, candidates: list[Candidate]) -> dict[str, _Stored]:
        ids = {
            candidate.spec.tool_id
            for candidate in candidates
            if candidate.piece.kept and isinstance(candidate.spec, ToolSpec) and candidate.spec.tool_id != self._tool_id
        }
        found: dict[str, _Stored] = {}
        rows = Revision.objects.filter(tool__tool_id__in=ids).order_by("number") if ids else Revision.objects.none()
        for tool_id, sha256 in rows.values_list("tool__tool_id", "sha256"):
            stored = found.setdefault(tool_id, _Stored())
            stored.hashes.add(sha256)
            stored.newest = sha256
        return found


@dataclass(slots=True)
class _Stored:
    """The texts that a tool has had, by their hashes, and that of its newest."""

    hashes: set[str] = field(default_factory=set)
    newest: str = ""
