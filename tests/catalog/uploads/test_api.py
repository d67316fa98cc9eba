"""Programs have a spec checked, and upload many."""

import io
import json

import pytest

from catalog.tools.models import Tool
from tests.catalog.answers import assert_problem
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user, spec_text
from tests.work import at_most

pytestmark = pytest.mark.django_db


def test_a_long_report_comes_in_parts_of_at_most_two_megabytes(program):
    tools = [
        {"name": f"tool{number}", "description": "a" * 9_000, "inputSchema": {"type": "object"}}
        for number in range(300)
    ]
    document = json.dumps({"tools": tools})

    response = program.send("POST", "/uploads?dry_run=1", document)
    of_another = Program(make_token(user=make_user("other"))).get(response.json()["next"])

    assert of_another.status_code == 404
    assert response.json()["counts"]["created"] == 300
    ids = [one["tool"]["id"] for one in response.json()["specs"]]
    while following := response.json()["next"]:
        response = program.get(following)
        ids += [one["tool"]["id"] for one in response.json()["specs"]]
        assert len(response.content) < 2_000_000
    assert ids == [f"tool{number}" for number in range(300)]


@pytest.mark.parametrize("is_form", [False, True], ids=["body", "form"])
def test_an_upload_of_too_many_bytes_is_refused_with_the_ways(program, settings, is_form):
    settings.MAX_UPLOAD_BYTES = 300
    body, kind = spec_text("a").ljust(301), "application/json"
    if is_form:
        header = 'Content-Disposition: form-data; name="files"; filename="a.json"'
        body = f"--x\r\n{header}\r\n\r\n{body}\r\n--x--\r\n"
        kind = "multipart/form-data; boundary=x"

    answer = program.send("POST", "/uploads", body, kind)

    assert_problem(answer, 413, "upload.too-large")
    assert "manage.py load_specs, or add the document as a source" in answer.json()["detail"]
    assert not Tool.objects.exists()


@pytest.mark.parametrize("query", ["", "?dry_run=1"])
def test_an_upload_of_too_many_specs_is_refused_as_a_whole(program, settings, query):
    settings.MAX_UPLOAD_SPECS = 2
    text = f"[{spec_text('a')},{spec_text('b')},{spec_text('c')}]"

    answer = program.send("POST", f"/uploads{query}", text)

    assert_problem(answer, 413, "upload.too-many")
    assert not Tool.objects.exists()


def test_many_entries_are_refused_after_the_first_of_them(program):
    with at_most(3_000_000):
        answer = program.send("POST", "/uploads", b"[" + b"1," * 300_000 + b"1]")

    assert_problem(answer, 413, "upload.too-many")


def test_anyone_can_have_a_spec_checked(stranger):
    good = stranger.send("POST", "/specs/check", spec_text("a")).json()
    bad = stranger.send("POST", "/specs/check", "{}").json()

    assert (good["valid"], good["problems"]) == (True, [])
    assert 0 < good["score"] < 100
    members = "pointer message rule keyword schema_pointer line column severity help fix"
    assert good["advice"][0].keys() == set(members.split())
    assert not bad["valid"]
    assert (bad["advice"], bad["score"]) == ([], None)
    assert bad["problems"][0]["rule"] == "spec.required"
    assert not Tool.objects.exists()


def test_of_many_uploaded_specs_each_has_its_outcome(program):
    make_tool("same")
    body = "\n".join([json.dumps(json.loads(spec_text("new"))), "{}", "not json"]) + "\n"

    report = program.send("POST", "/uploads", body, content_type="application/x-ndjson").json()

    assert report["counts"] == {"created": 1, "revised": 0, "unchanged": 0, "rejected": 2}
    created, no_definition, no_json = report["specs"]
    assert (created["outcome"], created["line"], created["tool"]["slug"]) == ("created", 1, "new")
    assert (no_definition["line"], no_definition["problems"][0]["line"]) == (2, 2)
    assert no_json["problems"][0]["rule"].startswith("json.")


@pytest.mark.parametrize("kind", ["array", "files"])
def test_specs_are_uploaded_as_an_array_and_as_files(program, kind):
    texts = [spec_text(f"tool{number}") for number in range(3)]
    if kind == "array":
        answer = program.send("POST", "/uploads", f"[{','.join(texts)}]")
    else:
        files = [io.BytesIO(text.encode()) for text in texts]
        for number, file in enumerate(files):
            file.name = f"{number}.json"
        answer = program.post("/api/v1/uploads", {"files": files})

    assert answer.status_code == 200
    assert answer.json()["counts"]["created"] == 3
    assert {tool.current.spec.source for tool in Tool.objects.with_current()} == set(texts)


GOOD_PART = (
    'Content-Disposition: form-data; name="files"; filename="a.json"\r\n'
    f"Content-Type: application/json\r\n\r\n{spec_text('a')}"
)


def form_of(*parts: str, end: str = "--x--\r\n") -> str:
    return "".join(f"--x\r\n{part}\r\n" for part in parts) + end


@pytest.mark.parametrize(
    ("parts", "end", "message"),
    [
        (["nonsense\r\n\r\n{}"], "--x--", "Part 1 of the form has no header"),
        (
            [GOOD_PART, "Content-Type: application/json\r\n\r\n{}"],
            "--x--",
            "Part 2 of the form has no header",
        ),
        (
            ["Content-Disposition: form-data; filename=a.json\r\n\r\n{}"],
            "--x--",
            "Part 1 of the form has no header",
        ),
        (["\r\n{}"], "--x--", "Part 1 of the form has no header"),
        (
            [GOOD_PART, 'Content-Disposition: form-data; name="b"\r\n\r\n{}'],
            "--x--",
            "Part 2 of the form, 'b', has no",
        ),
        ([GOOD_PART], "", "ends before its last boundary"),
        ([], "--x--", "contains no file"),
    ],
)
def test_a_part_of_a_form_that_is_no_file_refuses_the_upload_and_is_reported(
    program, parts, end, message
):
    answer = program.send(
        "POST", "/uploads", form_of(*parts, end=end), "multipart/form-data; boundary=x"
    )

    body = assert_problem(answer, 422, "upload.part")
    assert message in body["errors"][0]["message"]
    assert not Tool.objects.exists()


def test_a_form_that_cannot_be_read_at_all_is_refused(program):
    no_boundary = program.send("POST", "/uploads", form_of(GOOD_PART), "multipart/form-data")
    long_header = program.send(
        "POST", "/uploads", form_of(f"X: {'x' * 5000}"), "multipart/form-data; boundary=x"
    )

    assert "Invalid boundary" in assert_problem(no_boundary, 400)["detail"]
    assert "header size exceeded" in assert_problem(long_header, 400)["detail"]
