"""Turn the pieces of an upload into specs: read them as they are, or import them from other formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from django.conf import settings

from catalog.revision_origins import MAX_NAME_CHARS, PUBLISHED, RevisionOrigin
from catalog.uploads.choices import NO_CHOICES, Choices, ImportOptions, key_of
from catalog.uploads.file_types import ENDINGS
from catalog.uploads.pieces import Piece
from toolspec.conversion_report import Loss
from toolspec.errors import DocumentError, Problem
from toolspec.foreign_documents import foreign_document
from toolspec.imports import (
    ImportedSpec,
    detect,
    import_document,
    is_own_export,
    name_of,
    prefix_for,
    text_with_id,
)
from toolspec.imports.results import LABELS, NO_DEADLINE, Deadline
from toolspec.member_names import misnamed_members
from toolspec.spec import ToolSpec, naming_in, read_spec
from toolspec.text import yaml_reader
from toolspec.text.pointers import pointer_join, split_pointer
from toolspec.text.positions import locate
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps, loads

# The rules that the spec reader reports for a document in another format.
_OTHER_FORMAT: Final = frozenset({"spec.required", "spec.type", "spec.foreign", "json.too-large"})


EXPORT: Final = "Toolshelf export"  # the format of `export_catalog`
_APIS: Final = frozenset({LABELS["openapi-3"], LABELS["swagger-2"]})
YAML: Final = "YAML"  # the format of an uploaded spec; JSON is stored

Locate = Callable[[Iterable[str]], dict[str, tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an imported spec: a format, and the pointer and line of the tool in its document.

    `notes` concern the whole document and belong to its first tool only. For an export the losses
    concern what people set for the tool, and their pointers refer to the line of the file.

    `key` identifies an imported tool within its upload (see choices.py). `offered_id` is the id
    that the import made up, which a person may change to `new_id`; both are "" if there is none.
    """

    format: str
    pointer: str
    line: int
    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()
    text: str = field(default="", repr=False)
    key: str = ""
    offered_id: str = ""
    new_id: str = ""

    @property
    def operation(self) -> str:
        """The operation of an API: "GET /v1/users"; "" for other tools."""
        match split_pointer(self.pointer):
            case ["paths", path, method] if self.format in _APIS:
                return f"{method.upper()} {path}"
        return ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A spec to publish, or its problems; `origin` if it was imported.

    `warnings` are the members of a valid spec that are probably misspelt, with their positions in
    the source if the source contains the spec as it is. `naming` are the id and the name that an
    invalid spec in YAML declares.
    """

    piece: Piece
    spec: ToolSpec | tuple[Problem, ...]
    origin: Origin | None = None
    revision_origin: RevisionOrigin = PUBLISHED
    warnings: tuple[Problem, ...] = ()
    naming: tuple[str | None, str | None] | None = None

    @property
    def line(self) -> int:
        """The line of the file on which it begins."""
        return self.origin.line if self.origin else self.piece.line


@dataclass(slots=True)
class CandidateReader:
    """Reads the specs in the pieces of one upload; a document of another format yields one for each of its tools.

    Attributes:
        prefix: the start of the ids of imported tools; None takes it from the document (see
            `prefix_for`).
        choices: contains the new ids of imported tools. Tools to leave out are read, too.
        deadline: of the imports.
    """

    prefix: str | None
    choices: Choices = NO_CHOICES
    deadline: Deadline = NO_DEADLINE
    _numbers: Counter[str] = field(
        default_factory=Counter
    )  # of the pieces that were read, by source
    _are_new: dict[str, bool] = field(
        default_factory=dict
    )  # whether the id is new, by the ids of the tools

    def read(self, pieces: Iterable[Piece]) -> Iterator[Candidate]:
        """The specs in `pieces`.

        A tool is refused if an earlier document of the upload has its id, and one of the two ids is
        new. Otherwise it would become a revision of the other tool.
        """
        for piece in pieces:
            self._numbers[piece.source] += 1
            for candidate in _candidates_in(piece, str(self._numbers[piece.source]), self):
                yield self._with_own_id(candidate) if self.choices.new_ids else candidate

    def _with_own_id(self, candidate: Candidate) -> Candidate:
        spec, origin = candidate.spec, candidate.origin
        if not isinstance(spec, ToolSpec) or (origin and origin.key in self.choices.skip):
            return candidate
        is_new = bool(origin and origin.new_id)
        if spec.tool_id in self._are_new and (is_new or self._are_new[spec.tool_id]):
            return replace(candidate, spec=(_shared_id(spec.tool_id),), warnings=())
        self._are_new.setdefault(spec.tool_id, is_new)
        return candidate


def read_candidates(pieces: Iterable[Piece], options: ImportOptions) -> Iterator[Candidate]:
    """The specs in the pieces of one upload."""
    deadline = Deadline(options.seconds)
    return CandidateReader(options.prefix, options.choices, deadline).read(pieces)


def _candidates_in(piece: Piece, number: str, reader: CandidateReader) -> Iterator[Candidate]:
    if piece.refusal:
        yield Candidate(piece, (piece.refusal,))
        return
    if piece.is_yaml:
        yield from _of_yaml(piece, number, reader)
        return
    spec = _read(piece.text)
    if isinstance(spec, ToolSpec):
        yield Candidate(piece, spec, warnings=_misnamed(spec, piece, partial(locate, spec.source)))
    elif piece.exported or not _may_be_of_another_format(spec):
        yield Candidate(piece, spec)
    else:
        yield from _imported(piece, number, spec, reader)


def _read(text: bytes) -> ToolSpec | tuple[Problem, ...]:
    try:
        return read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    except DocumentError as error:
        return error.problems


def _misnamed(spec: ToolSpec, piece: Piece, where: Locate) -> tuple[Problem, ...]:
    """The misspelt members of `spec` with their positions in the source; `where` locates them in the piece."""
    problems = misnamed_members(spec.document)
    if not problems:
        return ()
    return tuple(piece.in_source(problem) for problem in _positioned(problems, where))


def _positioned(problems: Iterable[Problem], where: Locate) -> list[Problem]:
    problems = list(problems)
    positions = where(dict.fromkeys(problem.pointer for problem in problems))
    return [
        replace(problem, line=line, column=column)
        for problem in problems
        for line, column in [positions[problem.pointer]]
    ]


def _may_be_of_another_format(problems: tuple[Problem, ...]) -> bool:
    return any(problem.rule in _OTHER_FORMAT and not problem.pointer for problem in problems)


def _imported(
    piece: Piece, number: str, problems: tuple[Problem, ...], reader: CandidateReader
) -> Iterator[Candidate]:
    try:
        document = loads(piece.text, max_bytes=settings.MAX_DOCUMENT_BYTES)
    except DocumentError as error:
        yield Candidate(piece, error.problems)
        return
    if detect(document) is not None:
        yield from _tools_in(document, piece, number, partial(locate, piece.text.decode()), reader)
    elif foreign := foreign_document(document):
        yield Candidate(piece, (Problem("", foreign, "spec.foreign", line=1, column=1),))
    else:
        yield Candidate(piece, problems)


def _of_yaml(piece: Piece, number: str, reader: CandidateReader) -> Iterator[Candidate]:
    """The candidates in a YAML document; in a list of objects, each object is one, as in a JSON array."""
    try:
        read = yaml_reader.loads(piece.text, max_bytes=settings.MAX_DOCUMENT_BYTES)
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
            yield from _tools_in(document, piece, number + base, where, reader)


def _located(whole: Locate, base: str, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The positions of values; `pointers` start at `base`, `whole` locates pointers of the whole document."""
    pointers = list(pointers)
    return dict(
        zip(pointers, whole([base + pointer for pointer in pointers]).values(), strict=True)
    )


def _spec_of_yaml(document: JSON, piece: Piece, where: Locate) -> Candidate:
    """Convert the document to JSON, which is stored; problems get the positions in the uploaded YAML."""
    spec = _read(dumps(document).encode())
    if isinstance(spec, ToolSpec):
        text = print_json(document)
        spec = _read(text.encode())
        line = where([""])[""][0] + piece.line - 1
        warnings = _misnamed(spec, piece, where) if isinstance(spec, ToolSpec) else ()
        return Candidate(
            Piece(piece.source, text.encode()),
            spec,
            Origin(YAML, "", line, (), text=text),
            warnings=warnings,
        )
    return Candidate(piece, tuple(_positioned(spec, where)), naming=naming_in(document))


def _tools_in(
    document: JSON, piece: Piece, number: str, where: Locate, reader: CandidateReader
) -> Iterator[Candidate]:
    prefix, choices = reader.prefix, reader.choices
    start = (
        prefix_for(document, piece.source if _has_file(piece) else "") if prefix is None else prefix
    )
    imported = import_document(
        document,
        prefix=start,
        max_spec_bytes=settings.MAX_SPEC_BYTES,
        deadline=reader.deadline,
    )
    if not imported.specs:
        reason = " ".join((f"This {imported.label} document contains no tools.", *imported.notes))
        yield Candidate(piece, (Problem("", reason, "import.empty", line=1, column=1),))
        return
    name = name_of(document) or _file_stem(piece) or start
    revision_origin = (
        PUBLISHED
        if is_own_export(document)
        else RevisionOrigin(imported.format_key, name[:MAX_NAME_CHARS])
    )
    lines = where(dict.fromkeys(spec.pointer for spec in imported.specs))
    notes = imported.notes
    keys = [
        key_of(piece.source, number, spec.tool_id, start, has_own_id=spec.has_own_id)
        for spec in imported.specs
    ]
    ids = {
        key: _id_of(spec, key, choices)
        for key, spec in zip(keys, imported.specs, strict=True)
        if spec.spec
    }
    shared = choices.with_shared_id(ids)
    for key, spec in zip(keys, imported.specs, strict=True):
        line = lines[spec.pointer][0] + piece.line - 1
        offered_id = spec.tool_id if spec.spec and not spec.has_own_id else ""
        new_id = ids[key] if offered_id and ids[key] != offered_id else ""
        text = text_with_id(spec, new_id) if new_id else spec.text
        origin = Origin(
            imported.label, spec.pointer, line, spec.losses, notes, text, key, offered_id, new_id
        )
        found = (_shared_id(new_id or spec.tool_id),) if key in shared else _spec_of(spec, text)
        warnings = misnamed_members(found.document) if isinstance(found, ToolSpec) else ()
        yield Candidate(
            Piece(piece.source, text.encode()), found, origin, revision_origin, warnings
        )
        notes = ()


def _id_of(imported: ImportedSpec, key: str, choices: Choices) -> str:
    return imported.tool_id if imported.has_own_id else choices.new_ids.get(key, imported.tool_id)


def _spec_of(imported: ImportedSpec, text: str) -> ToolSpec | tuple[Problem, ...]:
    """The spec or its problems; `text` differs from that of the import if the tool has a new id, which may be wrong."""
    if text == imported.text:
        return imported.problems or imported.spec or _read(text.encode())
    spec = _read(text.encode())
    if isinstance(spec, ToolSpec):
        return spec
    return tuple(
        replace(problem, line=None, column=None) for problem in spec
    )  # the person does not see the text


def _shared_id(tool_id: str) -> Problem:
    message = f"Another tool of this upload gets the id {tool_id!r}, too. Choose another id, or leave one of them out."
    return Problem("/definition/id", message, "import.same-id")


def _has_file(piece: Piece) -> bool:
    return piece.source.lower().endswith(ENDINGS)


def _file_stem(piece: Piece) -> str:
    """The name of the file, without folder and ending; "" if the text did not come from a file."""
    return (
        piece.source.replace("\\", "/").rpartition("/")[2].partition(".")[0]
        if _has_file(piece)
        else ""
    )
