"""Turn the pieces of an upload into specs: read them as they are, or import them from other formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Final

from django.conf import settings

from catalog.sources.listings import APIS
from catalog.sources.recognition import name_from
from catalog.uploads.choices import ImportOptions, key_of
from catalog.uploads.file_types import ENDINGS
from catalog.uploads.pieces import Piece, label_of
from toolspec.conversion_report import Loss
from toolspec.errors import DocumentError, Problem
from toolspec.foreign_documents import foreign_document
from toolspec.imports import (
    Deadline,
    Imported,
    ImportedSpec,
    detect,
    import_document,
    name_of,
    prefix_for,
)
from toolspec.imports.results import LABELS, TOO_MANY_TOOLS
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
_API_LABELS: Final = frozenset({LABELS["openapi-3"], LABELS["swagger-2"]})
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
            case ["paths", path, method] if self.format in _API_LABELS:
                return f"{method.upper()} {path}"
        return ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A spec to publish, or its problems; `origin` if it was converted.

    `warnings` are the members of a valid spec that are probably misspelt, with their positions in
    the source if the source contains the spec as it is. `naming` are the id and the name that an
    invalid spec in YAML declares.
    """

    piece: Piece
    spec: ToolSpec | tuple[Problem, ...]
    origin: Origin | None = None
    warnings: tuple[Problem, ...] = ()
    naming: tuple[str | None, str | None] | None = None

    @property
    def label(self) -> str:
        """The file that contains it."""
        return self.piece.source

    @property
    def line(self) -> int:
        """The line of the file on which it begins."""
        return self.origin.line if self.origin else self.piece.line


@dataclass(frozen=True, slots=True)
class ImportedTool:
    """A tool of a document: its key (see choices.py), and its pointer and line in the file."""

    imported: ImportedSpec
    key: str
    pointer: str
    line: int


@dataclass(frozen=True, slots=True)
class ForeignDocument:
    """A document in another format, whose tools come from a source of their own.

    Attributes:
        label: the file that contains it.
        name: of the source.
        title: of the API, the name of the server, or that of the file; "" if there is none.
        prefix: of the ids of its tools.
    """

    label: str
    name: str
    title: str
    prefix: str
    text: str = field(repr=False)
    imported: Imported = field(repr=False)
    tools: tuple[ImportedTool, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Part:
    """A document in another format, or a part of a list of tools; `where` locates its values in the piece."""

    piece: Piece
    number: str
    document: JSON
    where: Locate
    text: str

    @property
    def title(self) -> str:
        """Of the API, the name of the server, or that of the file; "" if there is none."""
        return label_of(name_of(self.document)) or _file_stem(self.piece)

    def prefix(self, wanted: str | None) -> str:
        """Of the ids of its tools."""
        if wanted is not None:
            return wanted
        return prefix_for(self.document, self.piece.source if _has_file(self.piece) else "")


Parsed = Candidate | ForeignDocument


def read_candidates(pieces: Iterable[Piece], options: ImportOptions) -> Iterator[Parsed]:
    """The specs in the pieces of one upload, and its documents in other formats, which are converted.

    Lists of tools in one file, such as those on the lines of an NDJSON file, are one document, which follows the specs
    of the file.
    """
    deadline = Deadline(options.seconds)
    for _, of_file in groupby(pieces, key=attrgetter("source")):
        lists: dict[tuple[str, str], list[Part]] = {}
        sizes: Counter[tuple[str, str]] = Counter()
        for number, piece in enumerate(of_file, 1):
            for parsed in _parse(piece, str(number)):
                if isinstance(parsed, Candidate):
                    yield parsed
                    continue
                key = (parsed.title, parsed.prefix(options.prefix))
                if detect(parsed.document) in APIS:
                    yield from _import([parsed], *key, deadline)
                    continue
                sizes[key] += len(parsed.text)
                if sizes[key] > settings.MAX_DOCUMENT_BYTES:
                    yield Candidate(parsed.piece, (_too_large(),))
                else:
                    lists.setdefault(key, []).append(parsed)
        for key, parts in lists.items():
            yield from _import(parts, *key, deadline)


def _too_large() -> Problem:
    message = f"These tools have more than {settings.MAX_DOCUMENT_BYTES:,} bytes together."
    return Problem("", message, "json.too-large", line=1, column=1)


def _parse(piece: Piece, number: str) -> Iterator[Candidate | Part]:
    if piece.refusal:
        yield Candidate(piece, (piece.refusal,))
        return
    if piece.is_yaml:
        yield from _of_yaml(piece, number)
        return
    spec = _read(piece.text)
    if isinstance(spec, ToolSpec):
        yield Candidate(piece, spec, warnings=_misnamed(spec, piece, partial(locate, spec.source)))
    elif piece.exported or not _may_be_of_another_format(spec):
        yield Candidate(piece, spec)
    else:
        yield _foreign(piece, number, spec)


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


def _foreign(piece: Piece, number: str, problems: tuple[Problem, ...]) -> Candidate | Part:
    try:
        document = loads(piece.text, max_bytes=settings.MAX_DOCUMENT_BYTES)
    except DocumentError as error:
        return Candidate(piece, error.problems)
    if detect(document) is not None:
        text = piece.text.decode()
        return Part(piece, number, document, partial(locate, text), text)
    if foreign := foreign_document(document):
        return Candidate(piece, (Problem("", foreign, "spec.foreign", line=1, column=1),))
    return Candidate(piece, problems)


def _of_yaml(piece: Piece, number: str) -> Iterator[Candidate | Part]:
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
            text = dumps(document) if base else piece.text.decode()
            yield Part(piece, number + base, document, where, text)


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


def _import(parts: list[Part], title: str, prefix: str, deadline: Deadline) -> Iterator[Parsed]:
    """Convert the document that these parts make, or refuse it if it has too many tools."""
    first = parts[0]
    is_list = len(parts) > 1
    text = dumps([part.document for part in parts]) if is_list else first.text
    imported = import_document(
        [part.document for part in parts] if is_list else first.document,
        prefix=prefix,
        max_spec_bytes=settings.MAX_SPEC_BYTES,
        deadline=deadline,
    )
    if not imported.specs:
        reason = " ".join((f"This {imported.label} document contains no tools.", *imported.notes))
        yield Candidate(first.piece, (Problem("", reason, "import.empty", line=1, column=1),))
        return
    tools: list[ImportedTool] = []
    for index, specs in groupby(imported.specs, key=_index_of if is_list else _zero):
        base = pointer_join("", index) if is_list else ""
        own = [(spec.pointer.removeprefix(base), spec) for spec in specs]
        tools += _tools_in(parts[index], own, prefix)
    name = name_from(prefix or title or imported.label)
    yield ForeignDocument(first.piece.source, name, title, prefix, text, imported, tuple(tools))
    if TOO_MANY_TOOLS in imported.notes:
        last = _index_of(imported.specs[-1]) if is_list else 0
        problem = Problem("", TOO_MANY_TOOLS, "import.too-many", line=1, column=1)
        for part in parts[last + 1 :] or parts[-1:]:
            yield Candidate(part.piece, (problem,))


def _index_of(spec: ImportedSpec) -> int:
    """The index of the part of a list that contains a tool."""
    return int(split_pointer(spec.pointer)[0])


def _zero(_: ImportedSpec) -> int:
    return 0


def _tools_in(
    part: Part, specs: list[tuple[str, ImportedSpec]], prefix: str
) -> Iterator[ImportedTool]:
    """The tools of a part, each with its pointer there."""
    lines = part.where(dict.fromkeys(pointer for pointer, _ in specs))
    for pointer, spec in specs:
        line = lines[pointer][0] + part.piece.line - 1
        yield ImportedTool(
            spec, key_of(part.piece.source, part.number, spec, prefix), pointer, line
        )


def _has_file(piece: Piece) -> bool:
    return piece.source.lower().endswith(ENDINGS)


def _file_stem(piece: Piece) -> str:
    """The name of the file, without folder and ending; "" if the text did not come from a file."""
    return (
        piece.source.replace("\\", "/").rpartition("/")[2].partition(".")[0]
        if _has_file(piece)
        else ""
    )
