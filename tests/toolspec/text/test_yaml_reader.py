"""Documents in YAML: their JSON values, the errors, and the interfaces that accept them."""

import io
import json
import re
from contextlib import suppress

import pytest
import yaml
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from hypothesis import example, given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from catalog.tools.models import Tool
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload
from tests.corpora import DATA
from tests.factories import spec_text
from tests.work import at_most
from toolspec.errors import DocumentError
from toolspec.imports import import_document
from toolspec.text.reader import dumps
from toolspec.text.reader import loads as loads_json
from toolspec.text.yaml_reader import MAX_NODES, documents_in, loads, looks_like_yaml

PETS = b"""\
# a shop
openapi: 3.0.3
info: {title: Pets, version: 1.10}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters:
        - {name: id, in: path, required: true, schema: {type: string, enum: [no, on]}}
      responses:
        200: {description: ''}
"""
SPEC = b"definition:\n  name: Flip\n  description: Flips a coin.\n"
APIS = sorted((DATA / "openapi").glob("*.json"))


def problem_of(text, **options):
    with pytest.raises(DocumentError) as refused:
        loads(text, **options)
    [problem] = refused.value.problems
    return problem


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "as_json"),
    [
        ("no", '"no"'), ("on", '"on"'), ("Yes", '"Yes"'), ("true", "true"), ("False", "false"), ("tRUE", '"tRUE"'),
        ("~", "null"), ("null", "null"), ("", "null"), ("nil", '"nil"'),
        ("2020-01-01", '"2020-01-01"'), ("12:30:45", '"12:30:45"'), ("1_000", '"1_000"'), ("1.2.3", '"1.2.3"'),
        ("012", "12"), ("0o17", "15"), ("0x1F", "31"), ("0b11", '"0b11"'), ("+1", "1"), ("-0", "-0"), ("-7", "-7"),
        ("19.90", "19.90"), ("1e5", "1e5"), (".5", "0.5"), ("5.", "5.0"), ("-.5E-3", "-0.5E-3"),
        ("12345678901234567890", "12345678901234567890"), ("'12'", '"12"'), ('"\\u00e9"', '"é"'),
        ("!!str 12", '"12"'), ("! 12", '"12"'), ("!!int '12'", "12"), ("!!float 3", "3"), ("!!null ''", "null"),
        ("{200: a, 1.10: b, true: c, 2020-01-01: d}", '{"200": "a", "1.10": "b", "true": "c", "2020-01-01": "d"}'),
        ("\n- &a {x: 1}\n- *a\n", '[{"x": 1}, {"x": 1}]'),
        ("\n- &a {x: 1, y: 2}\n- {<<: *a, y: 3, '<<': 4}\n", '[{"x": 1, "y": 2}, {"y": 3, "<<": 4, "x": 1}]'),
        ("{<<: [{x: 1}, {x: 2, y: 3}]}", '{"x": 1, "y": 3}'),
        ("|\n  a\n  b\n", '"a\\nb\\n"'), (">-\n  a\n  b\n", '"a b"'), ("a\u2028b # c", '"a\u2028b"'),
        ("'a \ufeff b'", '"a \ufeff b"'),
    ],
)  # fmt: skip
def test_values_are_those_of_the_core_schema(written, as_json):
    value = loads(f"value: {written}").value["value"]

    assert dumps(value) == as_json


@pytest.mark.parametrize(
    ("text", "place", "rule", "message"),
    [
        ("a: 1\n'a': 2", (2, 1), "yaml.duplicate", "'a' is a duplicate"),
        ("200: 1\n'200': 2", (2, 1), "yaml.duplicate", "'200' is a duplicate"),
        ("a:\n\tb: 1", (2, 1), "yaml.tab", "indented with spaces"),
        ("a: b: c", (1, 5), "yaml.syntax", "Check the indentation"),
        ("a: @b", (1, 4), "yaml.syntax", "must be quoted"),
        ("a: 'b\nc: d", (2, 5), "yaml.syntax", "starts on line 1"),
        ("a: [1\nb: 2", (2, 2), "yaml.syntax", "did not find expected ',' or ']'"),
        ("a: .inf", (1, 4), "yaml.number", "JSON has no .inf"),
        ("a: -.INF", (1, 4), "yaml.number", "JSON has no -.INF"),
        ("a: .nan", (1, 4), "yaml.number", "JSON has no .nan"),
        ("a: 1e400", (1, 4), "json.number-range", "out of range"),
        ("a: " + "1" * 301, (1, 4), "json.number-digits", "at most 300"),
        ("a: 0x" + "1" * 300, (1, 4), "json.number-digits", "at most 200"),
        ("a: !!python/object:os.system x", (1, 4), "yaml.tag", "!!python/object:os.system"),
        ("a: !!timestamp 2020-01-01", (1, 4), "yaml.tag", "!!timestamp"),
        ("a: !!binary aGk=", (1, 4), "yaml.tag", "!!binary"),
        ("a: !mine {}", (1, 4), "yaml.tag", "!mine"),
        ("a: !!set {b}", (1, 4), "yaml.tag", "!!set"),
        ("a: !!int x", (1, 4), "yaml.tag", "'x' is not of type int"),
        ("? [a]\n: b", (1, 3), "yaml.name", "must be a string"),
        ("&a x: 1\n*a : 1", (2, 1), "yaml.name", "must be a string"),
        ("a:\n  ?\n  : 1", (2, 4), "yaml.name", "before this colon is missing"),
        ("a: *b", (1, 4), "yaml.alias", "names no anchor before it"),
        ("&a [*a]", (1, 5), "yaml.alias", "is inside the value that it names"),
        ("a: &a 1\nb: {<<: *a}", (2, 9), "yaml.merge", "takes a mapping"),
        ('a: "\\0"', (1, 4), "yaml.character", "U+0000"),
        ("a: \x07", (1, 4), "yaml.character", "U+0007"),
        (b"a: \xff", (1, 4), "json.encoding", "0xff"),
        ("a: 1".encode("utf-16-le"), (1, 1), "json.encoding", "UTF-16"),
        ("a: 1\n---\nb: 2", (2, 1), "yaml.syntax", "second document"),
        ("# nothing", (1, 1), "yaml.syntax", "empty"),
        ("[" * 65, (1, 65), "json.depth", "64 levels"),
        ("%TAG !a! b\n" * 11, (11, 1), "yaml.directives", "At most 10"),
        ("%YAML 3.0\n--- a", (1, 1), "yaml.syntax", "not valid YAML"),
    ],
)  # fmt: skip
def test_a_value_that_json_cannot_represent_is_refused_with_its_position(
    text, place, rule, message
):
    problem = problem_of(text)

    assert ((problem.line, problem.column), problem.rule) == (place, rule)
    assert message in problem.message


def test_a_refusal_points_into_the_document():
    assert problem_of("a:\n  - b: 1\n    c/d: .inf").pointer == "/a/0/c~1d"


LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
HOSTILE = {
    "laughs": LAUGHS,
    "many aliases": "- &a [" + "x, " * 500 + "]\n" + "- *a\n" * 20_000,
    "merged laughs": LAUGHS + "b: {<<: [{x: *a39}]}",
    "scalars": "[" + "1," * 210_000 + "1]",
    "anchors": "".join(f"- &a{i} 1\n" for i in range(30_000)),
    "names": "".join(f"{i}:\n" for i in range(50_000)),
    "tags": "".join(f"%TAG !a{i}! x\n" for i in range(20_000)) + "--- a",
    "brackets": "[" * 400_000,
    "questions": "? " * 200_000,
    "a long text": "a: '" + "x \n " * 100_000 + "'",
    "floats": "- 1.5e3\n" * 50_000,
    "documents": "--- a\n" * 60_000,
}


@pytest.mark.deep
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_of_400_kilobytes_takes_long(name):
    text = HOSTILE[name].encode()

    with at_most(12_000_000):
        for piece in pieces_of("x.yaml", io.BytesIO(text)):
            if piece.refusal is None:
                with suppress(DocumentError):
                    loads(piece.text, max_bytes=8_000_000)


@pytest.mark.parametrize("name", ["laughs", "many aliases", "merged laughs", "scalars"])
def test_aliases_that_repeat_too_much_are_refused(name):
    assert problem_of(HOSTILE[name], max_bytes=8_000_000).rule == "yaml.too-large"
    assert MAX_NODES == 200_000


def test_documents_of_one_file_are_separated_by_markers():
    data = b"# first\n%YAML 1.2\n---\na: '---'\nb: |\n  ---\n--- # second\nc: 1\n...\n# third\nd: 2\n---\n---\n"

    assert [(line, loads(text).value) for line, text in documents_in(data)] == [
        (1, {"a": "---", "b": "---\n"}),
        (7, {"c": 1}),
        (9, {"d": 2}),
    ]


@pytest.mark.parametrize(
    ("start", "is_yaml"),
    [
        (b"openapi: 3.1.0\n", True), (b"# x\n\n---\n", True), (b"- name: x\n", True), (b'"openapi": "3.0"\n', True),
        (b'{"openapi": "3.0"}', False), (b"[1]", False), (b"", False), (b"not JSON", False), (b"-1", False),
        (b"http://x", False),
    ],
)  # fmt: skip
def test_yaml_is_recognised_by_its_first_line(start, is_yaml):
    assert looks_like_yaml(start) is is_yaml


def test_a_long_document_may_repeat_a_large_schema_often():
    schema = "".join(
        f"  p{number}: {{type: string, description: What it is, in a few words.}}\n"
        for number in range(200)
    )

    value = loads(f"schema: &schema\n{schema}uses:\n" + "- *schema\n" * 50).value

    assert len(value["uses"]) == 50
    assert value["uses"][49] == value["schema"]


@pytest.mark.parametrize(
    "start", [b"\n \t" * 20_000, b"#\n" * 30_000, b"- " * 30_000, b"a" * 60_000, b" " * 60_000]
)
def test_recognising_yaml_takes_no_long_time(start):
    with at_most(1_000):
        assert not looks_like_yaml(start)


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


class Dumper(yaml.CSafeDumper):
    """Quotes texts that are numbers in YAML 1.2 only, such as 0E0 and 0o7; PyYAML knows YAML 1.1."""


Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+"),
    list("-+.0123456789"),
)


@given(value=VALUES, flow=st.booleans(), width=st.sampled_from([20, 1_000]))
@example(value="0E0", flow=False, width=20)
@example(value=["0o7", {"1e3": "+.5"}], flow=True, width=20)
@settings_of_hypothesis(max_examples=100, deadline=None)
def test_values_written_as_yaml_are_read_back(value, flow, width):
    text = yaml.dump(value, Dumper=Dumper, default_flow_style=flow, width=width, allow_unicode=True)

    assert loads(text).value == loads_json(json.dumps(value))


@pytest.mark.corpora
@pytest.mark.parametrize("path", APIS, ids=[path.stem for path in APIS])
def test_an_api_document_is_imported_from_yaml_as_from_json(path):
    document = loads_json(path.read_bytes(), max_bytes=8_000_000)
    text = yaml.dump(
        json.loads(path.read_text()), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True
    )

    read = loads(text, max_bytes=8_000_000)

    assert read.value == document
    assert import_document(read.value) == import_document(document)


# -- interfaces -------------------------------------------------------------------------------------------------------


def uploaded(name, data, **options):
    return list(
        upload(
            pieces_of(name, io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES), by=None, **options
        )
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "kind", ["application/yaml", "application/openapi+yaml", "application/octet-stream"]
)
def test_the_api_accepts_yaml(program, kind):
    [entry] = program.send("POST", "/uploads?dry_run=1", PETS, content_type=kind).json()["specs"]

    assert (entry["outcome"], entry["tool"]["id"], entry["line"]) == ("created", "pets.getPet", 7)
    assert entry["imported"]["format"] == "OpenAPI 3"
    assert entry["imported"]["spec"]["definition"]["parameters"]["properties"]["id"]["enum"] == [
        "no",
        "on",
    ]


@pytest.mark.django_db
def test_a_spec_in_yaml_is_stored_as_json_and_the_report_says_so():
    [entry] = uploaded("flip.yml", b"---\n" + SPEC)

    assert (entry.outcome, entry.tool_id, entry.origin.format) == ("created", "Flip", "YAML")
    assert json.loads(Tool.objects.get().current.source) == yaml.safe_load(SPEC)


@pytest.mark.django_db
def test_a_problem_of_a_spec_in_yaml_has_its_position_in_the_file():
    [_, entry] = uploaded("two.yaml", SPEC + b"---\ndefinition:\n  name: Flop\n  description: 7\n")

    [fault] = entry.faults
    assert (entry.outcome, entry.line) == ("rejected", 4)
    assert (fault.problem.pointer, fault.problem.line, fault.problem.column) == (
        "/definition/description",
        7,
        16,
    )
    assert fault.excerpt == "  description: 7"


@pytest.mark.django_db
def test_entries_of_a_list_are_specs_of_their_own():
    entries = uploaded(
        "two.yaml", b"- definition: {name: A, description: a}\n- definition: {name: B}\n"
    )

    assert [(entry.outcome, entry.source) for entry in entries] == [
        ("created", "two.yaml"),
        ("rejected", "two.yaml"),
    ]
    assert entries[1].faults[0].problem.line == 2


@pytest.mark.django_db
def test_json_in_a_file_named_yaml_is_read_as_json():
    [entry] = uploaded("flip.yaml", spec_text("flip").encode())

    assert (entry.outcome, entry.origin) == ("created", None)


@pytest.mark.django_db
def test_load_specs_reads_the_yaml_files_of_a_folder_and_check_specs_wants_json(capsys, tmp_path):
    (tmp_path / "pets.yaml").write_bytes(PETS)
    (tmp_path / "flip.yml").write_bytes(SPEC)

    call_command("load_specs", str(tmp_path))

    assert json.loads(capsys.readouterr().out)["counts"]["created"] == 2
    with pytest.raises(SystemExit):
        call_command("check_specs", str(tmp_path / "flip.yml"))
    assert "A spec must be JSON" in capsys.readouterr().out


@pytest.mark.django_db
def test_the_page_accepts_yaml_pasted_and_as_a_file(browser):
    pasted = browser.post(
        "/add/", {"text": PETS.decode(), "dry_run": "on"}, follow=True
    ).content.decode()
    form = browser.get("/add/").content.decode()
    sent = browser.post(
        "/add/", {"files": SimpleUploadedFile("pets.yaml", PETS)}, follow=True
    ).content.decode()

    assert "Imported from OpenAPI 3" in pasted
    assert "pets.getPet" in sent
    assert ".yaml,.yml" in form
