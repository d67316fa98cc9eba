import io
import json
import tracemalloc
import zipfile
from itertools import islice

import pytest

from catalog.uploads import readers
from catalog.uploads.pieces import Piece
from catalog.uploads.readers import pieces_of
from tests.factories import real_specs
from tests.work import at_most
from toolspec.errors import Problem


def pieces(name, data, **options):
    return list(pieces_of(name, io.BytesIO(data), **options))


def places(name, data, **options):
    return [(piece.text, piece.line, piece.column) for piece in pieces(name, data, **options)]


def refusals(name, data, **options):
    return [piece.refusal.message for piece in pieces(name, data, **options) if piece.refusal]


def zipped(**entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return file.getvalue()


# -- what a file holds ------------------------------------------------------------------------------------------------


def test_a_document_is_one_piece_byte_for_byte():
    assert places("a.json", b'\n{"a":\n1}\n') == [(b'\n{"a":\n1}\n', 1, 1)]


def test_two_documents_one_after_the_other_are_one_text_which_is_for_the_reader_to_refuse():
    assert places("a.json", b"{}{}") == [(b"{}{}", 1, 1)]


def test_the_elements_of_an_array_are_pieces_with_their_positions():
    assert places("a.json", b' [\n {"a":"]}\\""},\n\n  {"b":[1,2]}  ,3]\n') == [
        (b'{"a":"]}\\""}', 2, 2),
        (b'{"b":[1,2]}', 4, 3),
        (b"3", 4, 17),
    ]


def test_the_lines_of_ndjson_are_pieces_and_empty_ones_are_none():
    assert places("a.ndjson", b'{"a":1}\n\n  \nnot json\r\n{}') == [
        (b'{"a":1}', 1, 1),
        (b"not json", 4, 1),
        (b"{}", 5, 1),
    ]


def test_ndjson_is_known_by_its_first_line_too():
    assert [text for text, _, _ in places("body", b'{"a":1}\n{"b":2}\n')] == [
        b'{"a":1}',
        b'{"b":2}',
    ]


def test_a_document_of_several_lines_is_not_read_as_ndjson():
    assert len(places("a.json", b'{\n"a": 1\n}\n')) == 1


def test_an_empty_array_has_no_pieces_and_an_empty_file_is_refused():
    assert pieces("a.json", b"[]") == []
    assert refusals("a.json", b" \n") == ["The file is empty."]


@pytest.mark.parametrize("chunk_bytes", [1, 7, 64, 65_536])
@pytest.mark.parametrize("indent", [None, 2])
def test_however_a_file_is_read_the_pieces_are_the_same(monkeypatch, chunk_bytes, indent):
    monkeypatch.setattr(readers, "CHUNK_BYTES", chunk_bytes)
    documents = [json.loads(text) for text in real_specs()[:40]]
    data = json.dumps(documents, indent=indent, ensure_ascii=False).encode()

    found = pieces("a.json", data)

    assert [json.loads(piece.text) for piece in found] == documents
    lines = data.decode().split("\n")
    for piece in found:
        assert lines[piece.line - 1][piece.column - 1 :].startswith(
            piece.text.decode().split("\n")[0]
        )


def test_a_problem_of_a_piece_has_its_position_in_the_file():
    piece = Piece("a.json", b'{\n"x": 1}', line=10, column=5)

    assert piece.in_source(Problem("", "m", "r", line=1, column=3)).column == 7
    assert piece.in_source(Problem("", "m", "r", line=1, column=3)).line == 10
    second = piece.in_source(Problem("", "m", "r", line=2, column=3))
    assert (second.line, second.column) == (11, 3)


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"[1,,2]", (1, 4, "An element is expected here.")),
        (b"[1,]", (1, 4, "An element is expected here.")),
        (b"[", (1, 2, "An element is expected here.")),
        (b'[\n1,\n"no end', (3, 1, "An element is expected here.")),
        (b'[{"a":1}, {"b"', (1, 11, "This element has no end.")),
        (b"[1 2]", (1, 3, "A comma, or ']' at the end of the text, is expected here.")),
        (b"[1}", (1, 3, "A comma, or ']' at the end of the text, is expected here.")),
        (b'[{"a":1]]]', (1, 9, "A comma, or ']' at the end of the text, is expected here.")),
        (b"[1] x", (1, 3, "A comma, or ']' at the end of the text, is expected here.")),
    ],
)
def test_a_broken_array_is_refused_where_it_breaks(data, refusal):
    [problem] = [piece.refusal for piece in pieces("a.json", data) if piece.refusal]

    line, column, message = refusal
    assert (problem.line, problem.column) == (line, column)
    assert problem.message == f"{message} The rest of the array was skipped."


def test_the_elements_before_an_error_of_an_array_are_read():
    assert places("a.json", b'[{"a":1},\n{"b":2},,{}]')[:2] == [
        (b'{"a":1}', 1, 2),
        (b'{"b":2}', 2, 1),
    ]


def test_an_array_that_is_not_utf_8_is_refused_with_its_line():
    [piece] = pieces("a.json", b'[1,\n"\xff"]')

    assert (piece.refusal.rule, piece.refusal.line) == ("json.encoding", 2)


def test_an_array_has_at_most_the_size_of_a_document():
    assert refusals("a.json", b"[" + b"1," * 100 + b"1]", max_document_bytes=100) == [
        "This array has more than 100 bytes; write one spec per line (NDJSON)."
    ]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b'["' + b"x" * 1000 + b'",{}]'),
        ("a.ndjson", b"x" * 1000 + b"\n{}\n"),
    ],
)
def test_a_text_that_is_too_long_is_skipped_and_the_rest_read(name, data):
    long, short = pieces(name, data, max_bytes=100)

    assert (long.refusal.rule, long.refusal.message) == (
        "json.too-large",
        "This spec has more than 100 bytes.",
    )
    assert short.text == b"{}"


def test_a_document_that_is_too_long_is_refused():
    assert refusals("a.json", b"{" + b" " * 1000, max_bytes=100) == [
        "This spec has more than 100 bytes."
    ]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("start", "part", "times"),
    [
        (b'["', b"x", 32_000_000),
        (b"", b"[", 2_000_000),
        (b'["', b'\\"', 8_000_000),
        (b"[", b" ", 32_000_000),
        (b"[", b"\n", 32_000_000),
        (b"[[", b"[],", 8_000_000),
        (b'["', b'","', 8_000_000),
        (b"", b"[,", 8_000_000),
    ],
    ids=["no end", "deep", "escapes", "spaces", "lines", "brackets", "strings", "commas"],
)
def test_no_array_takes_long(start, part, times):
    data = start + part * times  # made here, because together they take 190 MB

    with at_most(25_000_000):
        list(islice(pieces_of("a.json", io.BytesIO(data)), 2_001))  # as an upload reads it


def test_a_file_of_lines_is_never_in_memory_as_a_whole():
    file = io.BytesIO(b"\n".join([b'{"a": "' + b"x" * 1000 + b'"}'] * 20_000))
    tracemalloc.start()

    count = sum(1 for _ in pieces_of("a.ndjson", file))

    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak_bytes < 1_000_000


def test_a_name_is_shown_on_one_line():
    [piece] = pieces("a\nb\x1b[31m\u202e" + "x" * 500, b"{}")

    assert piece.source.isprintable()
    assert len(piece.source) <= 200


# -- archives ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [None, "json", "ndjson", "yaml"])
@pytest.mark.parametrize("archive", [zipped(**{"a.json": "{}"}), zipped()])
def test_an_archive_is_refused_with_what_to_do(archive, kind):
    assert refusals("z.zip", archive, kind=kind) == [
        "ZIP archives are not read. Unpack it, and upload the files in it; you can choose several."
    ]


# Bounded work


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\n"])
def test_blank_lines_take_little_work(blank):
    with at_most(2_000):
        found = list(
            pieces_of(
                "specs.ndjson", io.BytesIO(blank * 100_000 + b'  {"a": 1}\n' + blank * 100_000)
            )
        )

    assert [(piece.text, piece.line) for piece in found] == [(b'  {"a": 1}', 100_001)]
