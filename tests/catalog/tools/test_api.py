"""Programs publish, read, revise, archive and restore tools."""

import json

import pytest

from accounts.models import User
from catalog.organise.lifecycle import archive
from catalog.tools.models import Revision, Tool
from catalog.tools.publishing import publish
from tests.catalog.answers import assert_problem, ids
from tests.factories import GET_WEATHER, make_tool, spec_text
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db


def test_a_program_with_a_token_publishes_a_spec(program):
    answer = program.send("POST", "/tools", GET_WEATHER.read_bytes())

    assert answer.status_code == 201
    assert answer.json()["outcome"] == "created"
    assert answer["Location"] == f"/api/v1/tools/{answer.json()['tool']['slug']}"
    assert program.get(answer["Location"]).json()["spec"] == json.loads(GET_WEATHER.read_bytes())
    assert Revision.objects.get().created_by == User.objects.get(username="program")


def test_the_next_text_is_a_revision_and_the_same_text_none(program):
    program.send("POST", "/tools", spec_text("greet", description="one"))

    revised = program.send("POST", "/tools", spec_text("greet", description="two"))
    again = program.send("POST", "/tools", spec_text("greet", description="two"))

    assert (revised.status_code, revised.json()["outcome"], revised.json()["tool"]["revision"]) == (
        201,
        "revised",
        2,
    )
    assert (again.status_code, again.json()["outcome"]) == (200, "unchanged")


def test_a_dry_run_stores_nothing(program):
    answer = program.send("POST", "/tools?dry_run=1", spec_text("greet"))

    assert (answer.status_code, answer.json()["outcome"], answer.json()["dry_run"]) == (
        200,
        "created",
        True,
    )
    assert not Tool.objects.exists()


BAD_SPECS = {
    "not JSON": (b"{", (400,), "json.syntax"),
    "empty": (b"", (400,), "json.syntax"),
    "UTF-16": ('{"definition": {}}'.encode("utf-16-le"), (400,), "json.encoding"),
    "NUL": (b'{"definition": {"name": "a\\u0000", "description": ""}}', (400,), "json.nul"),
    "a member twice": (
        b'{"definition": {"name": "a", "name": "b", "description": ""}}',
        (400,),
        None,
    ),
    "NaN": (b'{"definition": {"name": "a", "description": "", "x": NaN}}', (400,), None),
    "a number": (b"5", (422,), "spec.type"),
    "no definition": (b"{}", (422,), "spec.required"),
    "wrong types": (b'{"definition": {"name": 5, "description": []}}', (422,), "spec.type"),
    "remote reference": (
        b'{"definition": {"name": "a", "description": "", "parameters": {"$ref": "http://127.0.0.1:1/x"}}}',
        (422,),
        "gate.ref-remote",
    ),
    "1.1 MB": (spec_text("a", description="x" * 1_100_000).encode(), (413,), "json.too-large"),
}


@pytest.mark.parametrize(("body", "statuses", "rule"), BAD_SPECS.values(), ids=BAD_SPECS)
def test_a_bad_spec_is_refused_with_its_problems_and_nothing_is_stored(
    program, body, statuses, rule
):
    answer = program.send("POST", "/tools", body)

    assert answer.status_code in statuses
    assert_problem(answer, answer.status_code, rule)
    assert not Tool.objects.exists()


def test_every_problem_of_a_spec_has_a_pointer_line_and_column(program):
    answer = program.send("POST", "/tools", '{\n  "definition": {\n    "name": 5\n  }\n}')

    errors = assert_problem(answer, 422)["errors"]
    assert [(error["pointer"], error["line"], error["column"]) for error in errors] == [
        ("/definition", 2, 17),
        ("/definition/name", 3, 13),
    ]


def test_a_page_of_another_site_cannot_publish(browser):
    body = {"data": spec_text("greet"), "content_type": "application/json"}

    foreign = browser.post("/api/v1/tools", **body, headers={"Origin": "https://evil.example"})
    of_a_form = browser.post("/api/v1/tools", spec_text("greet"), content_type="text/plain")

    assert (foreign.status_code, of_a_form.status_code) == (403, 415)
    assert not Tool.objects.exists()


def test_a_tool_is_given_with_its_spec_and_exact_numbers(stranger):
    publish(
        read_spec('{"definition": {"id": "a", "name": "a", "description": "", "x": 1.50}}'), by=None
    )

    answer = stranger.ask("/tools/a")

    assert b'"x": 1.50' in answer.content
    assert answer.json()["revision"] == 1


def test_nothing_at_an_address_is_404(program):
    make_tool("greet")

    nobody = (
        "/tools/x",
        "/tools/x/spec",
        "/tools/x/revisions",
        "/tools/x/diff?from=1&to=1",
        "/tools/x/export/mcp",
    )
    nothing = (
        "/tools/greet/revisions/2/spec",
        "/tools/greet/diff?from=1&to=2",
        "/tools/greet/export/soap",
    )
    for path in (*nobody, *nothing):
        assert_problem(program.ask(path), 404)
    for method, path in (("PUT", "/tools/x"), ("DELETE", "/tools/x"), ("POST", "/tools/x/restore")):
        assert_problem(program.send(method, path, spec_text("x"), **{"If-Match": '"1"'}), 404)


def test_a_tool_that_one_has_is_not_sent_again(stranger):
    tool = make_tool("greet")
    etag = stranger.ask("/tools/greet")["ETag"]

    assert stranger.get("/api/v1/tools/greet", headers={"If-None-Match": etag}).status_code == 304
    archive(tool)
    assert stranger.get("/api/v1/tools/greet", headers={"If-None-Match": etag}).status_code == 200


def test_put_makes_a_revision_on_top_of_the_one_that_was_seen(program):
    make_tool("greet", description="one")
    seen = program.ask("/tools/greet")["ETag"]

    answer = program.send(
        "PUT", "/tools/greet", spec_text("greet", description="two"), **{"If-Match": seen}
    )

    assert answer.status_code == 200
    assert (answer.json()["revision"], answer.json()["description"]) == (2, "two")
    assert answer["ETag"] != seen
    late = program.send(
        "PUT", "/tools/greet", spec_text("greet", description="three"), **{"If-Match": seen}
    )
    assert_problem(late, 412)
    assert Revision.objects.count() == 2


def test_what_the_site_finds_by_itself_makes_no_view_of_a_tool_outdated(program):
    tool = make_tool("greet", description="one")
    Tool.objects.filter(pk=tool.pk).update(score=None)
    seen = program.ask("/tools/greet")["ETag"]
    Tool.objects.filter(pk=tool.pk).update(score=90)

    assert program.ask("/tools/greet")["ETag"] != seen
    answer = program.send(
        "PUT", "/tools/greet", spec_text("greet", description="two"), **{"If-Match": seen}
    )

    assert answer.status_code == 200


def test_put_without_if_match_or_of_another_tools_spec_is_refused(program):
    make_tool("greet")

    unseen = program.send("PUT", "/tools/greet", spec_text("greet", description="two"))
    other = program.send("PUT", "/tools/greet", spec_text("other"), **{"If-Match": "*"})

    assert_problem(unseen, 428)
    assert_problem(other, 422, "publish.other-tool")


def test_a_deleted_tool_is_archived_and_can_be_restored(program):
    make_tool("greet")

    assert program.send("DELETE", "/tools/greet").status_code == 204
    assert program.send("DELETE", "/tools/greet").status_code == 204
    assert ids(program.ask("/tools", q="greet")) == []
    assert program.ask("/tools/greet").json()["archived"]
    assert program.send("POST", "/tools/greet/restore").status_code == 204
    assert ids(program.ask("/tools", q="greet")) == ["greet"]
