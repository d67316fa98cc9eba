import gzip
import hashlib
import io
import json
import zipfile
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator

from catalog.accounts.models import User
from catalog.api.schemas.search import ToolsOut
from catalog.hooks import hooks
from catalog.lifecycle import archive
from catalog.models import Revision, Tool
from catalog.publishing import publish
from catalog.specs.spec import read_spec
from tests.conftest import Program
from tests.factories import GET_WEATHER, make_spec, make_token, make_tool, make_user, properties, spec_text

pytestmark = pytest.mark.django_db


def ids(answer) -> list[str]:
    return [item["id"] for item in answer.json()["items"]]


def assert_problem(answer, status, rule=None):
    """It is an RFC 9457 answer; `rule` is that of its first error."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["detail"]
    if rule:
        assert body["errors"][0]["rule"] == rule
    return body


# -- finding ----------------------------------------------------------------------------------------------------------


def test_the_number_of_queries_does_not_depend_on_the_number_of_results(stranger):
    make_tool("find_fruit", description="Finds fruit.")
    for number in range(9):
        make_tool(f"wash{number}", description="Washes vegetables.")
    stranger.ask("/tools", q="anything")  # loads what processes load once

    with CaptureQueriesContext(connection) as of_one:
        assert len(ids(stranger.ask("/tools", q="fruit"))) == 1
    with CaptureQueriesContext(connection) as of_nine:
        assert len(ids(stranger.ask("/tools", q="vegetables"))) == 9

    assert len(of_nine) == len(of_one)


def test_anyone_can_search(stranger):
    make_tool("greet", description="Says hello.", parameters=properties(who={"type": "string"}))

    answer = stranger.ask("/tools", q="hello who")

    assert answer.status_code == 200
    [item] = answer.json()["items"]
    assert item | {"created_at": "", "updated_at": ""} == {
        "id": "greet",
        "slug": "greet",
        "name": "greet",
        "description": "Says hello.",
        "revision": 1,
        "runnable": False,
        "configurable": False,
        "examples": False,
        "returns": False,
        "archived": False,
        "score": 87,
        "usable": ["mcp", "mcp-2026-07-28", "openai", "anthropic", "gemini", "langchain", "openapi"],
        "owner": None,
        "toolkit": "",
        "tags": [],
        "deprecation": None,
        "created_at": "",
        "updated_at": "",
        "matched": [
            {"field": "description", "parameter": None, "text": "Says hello.", "marks": [[5, 10]]},
            {"field": "parameter", "parameter": "who", "text": "who", "marks": [[0, 3]]},
        ],
        "exact": True,
    }
    assert answer.json() | {"items": []} == {
        "items": [], "next": None, "count": 1, "count_is_exact": True, "match": "all", "problems": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "query", [{}, {"q": "hello"}, {"q": "hello who", "limit": "1"}, {"q": "person"}, {"id": "greet"}, {"id": "nobody"}]
)
def test_what_is_found_has_the_shape_that_is_documented(stranger, query):
    make_tool("greet", description="Says hello.", tags=["mail"], deprecated=True, configuration={"type": "object"})
    make_tool("wave", description="hello", parameters=properties(who={"type": "string", "description": "The person."}))

    found = stranger.ask("/tools", **query).json()

    documented = ToolsOut.model_json_schema(mode="serialization")
    for shape in (documented, *documented["$defs"].values()):
        shape |= {"additionalProperties": False, "required": list(shape["properties"])}
    Draft202012Validator(documented).validate(found)
    for item in found["items"]:
        assert {datetime.fromisoformat(item[name]).tzinfo for name in ("created_at", "updated_at")} == {UTC}


def test_a_tool_is_the_same_in_a_search_as_by_itself(stranger):
    publish(make_spec("wave"), by=make_user("ada"))
    make_tool("greet", tags=["mail"], deprecated=True)

    for item in stranger.ask("/tools").json()["items"]:
        tool = stranger.ask(f"/tools/{item['slug']}").json()
        assert {name: tool[name] for name in tool if name not in {"sha256", "spec"}} == {
            name: item[name] for name in item if name not in {"matched", "exact"}
        }


def test_a_tool_is_looked_up_by_its_exact_id(stranger):
    make_tool("Get weather")
    make_tool("get weather")

    assert ids(stranger.ask("/tools", id="Get weather")) == ["Get weather"]
    assert ids(stranger.ask("/tools", id="nobody")) == []


def test_facets_of_the_api_are_those_of_the_page(stranger, monkeypatch):
    make_tool("a", configuration={}, returnType={"type": "string"})
    make_tool("b", examples=[{}])
    make_tool("c", archived=True)
    for name in ("runnable_tool_ids", "installed_tool_ids"):
        monkeypatch.setattr(hooks, name, lambda: frozenset({"a"}))

    assert ids(stranger.ask("/tools")) == ["a", "b"]
    assert ids(stranger.ask("/tools", configurable=1)) == ["a"]
    assert ids(stranger.ask("/tools", runnable="true")) == ["a"]
    assert ids(stranger.ask("/tools", runnable=0)) == ["b"]
    assert ids(stranger.ask("/tools", examples="yes")) == ["b"]
    assert ids(stranger.ask("/tools", returns=1)) == ["a"]
    assert ids(stranger.ask("/tools", include="archived")) == ["a", "b", "c"]
    assert ids(stranger.ask("/tools", runnable="", configurable="", include="", cursor="", q="")) == ["a", "b"]


@pytest.mark.parametrize("words", ["", "fruit"])
def test_the_cursor_leads_to_the_next_page_and_the_last_has_none(stranger, words):
    for number in range(5):
        make_tool(f"fruit {number}")

    first = stranger.ask("/tools", q=words, limit=3)
    second = stranger.ask("/tools", q=words, limit=3, cursor=first.json()["next"])

    assert sorted(ids(first) + ids(second)) == [f"fruit {number}" for number in range(5)]
    assert second.json()["next"] is None


@pytest.mark.parametrize(
    "query",
    ["limit=-1", "limit=0", "limit=101", "limit=99999999", "limit=abc", "limit=" + "9" * 5000, "limit=1.5",
     "cursor=x", "cursor=WyJhbGwiXQ", "runnable=maybe", "include=everything"],
)  # fmt: skip
def test_a_wrong_query_is_answered_with_422_and_its_parameter(stranger, query):
    body = assert_problem(stranger.get(f"/api/v1/tools?{query}"), 422)

    assert body["errors"][0]["pointer"] == "/" + query.partition("=")[0]


@pytest.mark.parametrize(
    "query",
    ["q=%ED%A0%80", "q=%5E", "q='%20OR%201=1--", "q=" + "a" * 6000, "q=" + "%25" * 1000, "q=a&q=b&q[]=c", "q=%20%20",
     "sort=__class__", "owner__password__startswith=p", "page=NaN", "offset=-1",
     "&".join(f"p{n}=1" for n in range(500))],
)  # fmt: skip
def test_a_strange_query_does_no_harm(stranger, query):
    for path in ("/api/v1/tools", "/tools/"):
        assert stranger.get(f"{path}?{query}").status_code == 200


def test_a_nul_in_an_address_is_refused(stranger):
    for path in ("/api/v1/tools", "/tools/"):
        assert stranger.get(f"{path}?q=a%00b").status_code == 400


# -- publishing -------------------------------------------------------------------------------------------------------


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

    assert (revised.status_code, revised.json()["outcome"], revised.json()["tool"]["revision"]) == (201, "revised", 2)
    assert (again.status_code, again.json()["outcome"]) == (200, "unchanged")


def test_a_dry_run_stores_nothing(program):
    answer = program.send("POST", "/tools?dry_run=1", spec_text("greet"))

    assert (answer.status_code, answer.json()["outcome"], answer.json()["dry_run"]) == (200, "created", True)
    assert not Tool.objects.exists()


BAD_SPECS = {
    "not JSON": (b"{", (400,), "json.syntax"),
    "empty": (b"", (400,), "json.syntax"),
    "UTF-16": ('{"definition": {}}'.encode("utf-16-le"), (400,), "json.encoding"),
    "NUL": (b'{"definition": {"name": "a\\u0000", "description": ""}}', (400,), "json.nul"),
    "a member twice": (b'{"definition": {"name": "a", "name": "b", "description": ""}}', (400,), None),
    "NaN": (b'{"definition": {"name": "a", "description": "", "x": NaN}}', (400,), None),
    "a number": (b"5", (422,), "spec.type"),
    "no definition": (b"{}", (422,), "spec.required"),
    "wrong types": (b'{"definition": {"name": 5, "description": []}}', (422,), "spec.type"),
    "remote reference": (
        b'{"definition": {"name": "a", "description": "", "parameters": {"$ref": "http://127.0.0.1:1/x"}}}',
        (422,),
        "gate.ref-remote",
    ),
    "300 KB": (spec_text("a", description="x" * 300_000).encode(), (413,), "json.too-large"),
    "10 MB": (spec_text("a", description="x" * 10_000_000).encode(), (413,), "json.too-large"),
}


@pytest.mark.parametrize(("body", "statuses", "rule"), BAD_SPECS.values(), ids=BAD_SPECS)
def test_a_bad_spec_is_refused_with_its_problems_and_nothing_is_stored(program, body, statuses, rule):
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


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/tools"), ("POST", "/uploads"), ("PUT", "/tools/greet"), ("DELETE", "/tools/greet"),
     ("POST", "/tools/greet/restore")],
)  # fmt: skip
def test_changes_need_a_token_that_may_publish(stranger, method, path):
    make_tool("greet")

    assert_problem(stranger.send(method, path, spec_text("new")), 401)
    reader = Program(make_token("read"))
    assert_problem(reader.send(method, path, spec_text("new")), 403)
    assert Tool.objects.available().count() == 1


def test_a_page_of_another_site_cannot_publish(browser):
    body = {"data": spec_text("greet"), "content_type": "application/json"}

    assert browser.post("/api/v1/tools", **body, headers={"Origin": "https://evil.example"}).status_code == 403
    assert browser.post("/api/v1/tools", spec_text("greet"), content_type="text/plain").status_code == 415
    assert not Tool.objects.exists()


# -- one tool ---------------------------------------------------------------------------------------------------------


def test_a_tool_is_given_with_its_spec_and_exact_numbers(stranger):
    publish(read_spec('{"definition": {"id": "a", "name": "a", "description": "", "x": 1.50}}'), by=None)

    answer = stranger.ask("/tools/a")

    assert b'"x": 1.50' in answer.content
    assert answer.json()["revision"] == 1


def test_nothing_at_an_address_is_404(program):
    make_tool("greet")

    nobody = ("/tools/x", "/tools/x/spec", "/tools/x/revisions", "/tools/x/diff?from=1&to=1", "/tools/x/export/mcp")
    nothing = ("/tools/greet/revisions/2/spec", "/tools/greet/diff?from=1&to=2", "/tools/greet/export/soap")
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

    answer = program.send("PUT", "/tools/greet", spec_text("greet", description="two"), **{"If-Match": seen})

    assert answer.status_code == 200
    assert (answer.json()["revision"], answer.json()["description"]) == (2, "two")
    assert answer["ETag"] != seen
    late = program.send("PUT", "/tools/greet", spec_text("greet", description="three"), **{"If-Match": seen})
    assert_problem(late, 412)
    assert Revision.objects.count() == 2


def test_what_the_site_finds_by_itself_makes_no_view_of_a_tool_outdated(program):
    tool = make_tool("greet", description="one")
    Tool.objects.filter(pk=tool.pk).update(score=None)
    seen = program.ask("/tools/greet")["ETag"]
    Tool.objects.filter(pk=tool.pk).update(score=90)

    assert program.ask("/tools/greet")["ETag"] != seen
    answer = program.send("PUT", "/tools/greet", spec_text("greet", description="two"), **{"If-Match": seen})

    assert answer.status_code == 200


def test_put_without_if_match_is_refused(program):
    make_tool("greet")

    assert_problem(program.send("PUT", "/tools/greet", spec_text("greet", description="two")), 428)


def test_put_of_another_tools_spec_is_refused(program):
    make_tool("greet")

    answer = program.send("PUT", "/tools/greet", spec_text("other"), **{"If-Match": "*"})

    assert_problem(answer, 422, "publish.other-tool")


def test_a_deleted_tool_is_archived_and_can_be_restored(program):
    make_tool("greet")

    assert program.send("DELETE", "/tools/greet").status_code == 204
    assert program.send("DELETE", "/tools/greet").status_code == 204
    assert ids(program.ask("/tools", q="greet")) == []
    assert program.ask("/tools/greet").json()["archived"]
    assert program.send("POST", "/tools/greet/restore").status_code == 204
    assert ids(program.ask("/tools", q="greet")) == ["greet"]


# -- specs, revisions, differences ------------------------------------------------------------------------------------


def test_the_text_of_a_spec_comes_back_byte_for_byte(stranger):
    text = GET_WEATHER.read_bytes()
    slug = publish(read_spec(text), by=None).tool.slug

    answer = stranger.ask(f"/tools/{slug}/spec")

    assert answer.content == text
    assert answer["Content-Type"] == "application/json"
    assert answer["ETag"] == f'"{hashlib.sha256(text).hexdigest()}"'
    known = stranger.get(f"/api/v1/tools/{slug}/spec", headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_a_downloaded_spec_is_named_by_its_slug(stranger):
    tool = make_tool('a"; filename="evil.exe')

    answer = stranger.ask(f"/tools/{tool.slug}/spec", download=1)

    assert answer["Content-Disposition"] == f'attachment; filename="{tool.slug}.json"'


def test_each_revision_keeps_its_text(stranger):
    for description in ("one", "two"):
        make_tool("greet", description=description)

    assert stranger.ask("/tools/greet/revisions/1/spec").content == spec_text("greet", description="one").encode()


def test_revisions_are_listed_from_the_newest_on(stranger, ada):
    for number in range(3):
        publish(make_spec("greet", description=str(number)), by=ada)

    first = stranger.ask("/tools/greet/revisions", limit=2).json()
    rest = stranger.ask("/tools/greet/revisions", limit=2, cursor=first["next"]).json()

    assert [item["number"] for item in first["items"] + rest["items"]] == [3, 2, 1]
    assert {item["by"] for item in first["items"]} == {"ada"}
    assert rest["next"] is None


def test_two_revisions_are_compared(stranger):
    for description in ("one", "two"):
        make_tool("greet", description=description)

    answer = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2})

    assert answer.json() == {
        "from": 1,
        "to": 2,
        "text": '--- revision 1\n+++ revision 2\n@@ -2,6 +2,6 @@\n   "definition": {\n     "id": "greet",\n'
        '     "name": "greet",\n-    "description": "one"\n+    "description": "two"\n   }\n }\n',
        "added": 1,
        "removed": 1,
        "laid_out": False,
        "verdict": "compatible",
        "changes": [
            {
                "part": "definition",
                "place": "",
                "kind": "description-changed",
                "message": "The description changed.",
                "verdict": "compatible",
                "before": "/definition/description",
                "after": "/definition/description",
                "note": "",
                "is_by_convention": False,
                "proof": None,
            }
        ],
    }


def test_a_new_optional_parameter_is_compatible_and_strictly_unknown(stranger):
    for members in ({}, {"unit": {"type": "string"}}):
        make_tool("greet", parameters={"type": "object", "properties": members})

    usual = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2}).json()
    strict = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2, "strict": "true"}).json()

    [change] = usual["changes"]
    assert (usual["verdict"], strict["verdict"]) == ("compatible", "unknown")
    assert strict["changes"] == [{**change, "verdict": "unknown", "is_by_convention": False}]
    assert change["is_by_convention"]
    assert "callers that send other values as `unit` are now rejected" in change["note"]
    assert not isinstance(change["proof"]["value"]["unit"], str)


def test_a_breaking_change_comes_with_its_proof(stranger):
    for kind in ("number", "integer"):
        make_tool("greet", parameters={"type": "object", "properties": {"count": {"type": kind}}})

    answer = stranger.ask("/tools/greet/diff", **{"from": 1, "to": 2}).json()

    [change] = answer["changes"]
    assert answer["verdict"] == change["verdict"] == "breaking"
    assert change["place"] == "count"
    assert change["proof"]["pointer"] == "/count"


@pytest.mark.parametrize("query", ["", "from=1", "from=0&to=1", "from=x&to=1", "from=1&to=" + "9" * 30])
def test_a_comparison_needs_two_revisions(stranger, query):
    make_tool("greet")

    assert_problem(stranger.get(f"/api/v1/tools/greet/diff?{query}"), 422)


# -- exports ----------------------------------------------------------------------------------------------------------


def test_a_tool_is_exported_with_what_was_lost(stranger):
    slug = publish(read_spec(GET_WEATHER.read_bytes()), by=None).tool.slug

    answer = stranger.ask(f"/tools/{slug}/export/mcp").json()

    assert set(answer["document"]) == {"name", "title", "description", "inputSchema", "outputSchema"}
    assert {"/definition/name", "/definition/examples", "/configuration"} <= {
        loss["pointer"] for loss in answer["losses"]
    }


# -- checking and uploading many --------------------------------------------------------------------------------------


def test_anyone_can_have_a_spec_checked(stranger):
    good = stranger.send("POST", "/specs/check", spec_text("a")).json()
    bad = stranger.send("POST", "/specs/check", "{}").json()

    assert (good["valid"], good["problems"]) == (True, [])
    assert 0 < good["score"] < 100
    assert good["advice"][0].keys() == {
        *("pointer", "message", "rule", "keyword", "schema_pointer", "line", "column", "severity", "help", "fix")
    }
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


@pytest.mark.parametrize("kind", ["array", "files", "zip"])
def test_specs_are_uploaded_as_an_array_as_files_and_as_an_archive(program, kind):
    texts = [spec_text(f"tool{number}") for number in range(3)]
    if kind == "array":
        answer = program.send("POST", "/uploads", f"[{','.join(texts)}]")
    elif kind == "files":
        files = [io.BytesIO(text.encode()) for text in texts]
        for number, file in enumerate(files):
            file.name = f"{number}.json"
        answer = program.post("/api/v1/uploads", {"files": files})
    else:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archived:
            for number, text in enumerate(texts):
                archived.writestr(f"{number}.json", text)
        answer = program.send("POST", "/uploads", packed.getvalue(), content_type="application/zip")

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
        ([GOOD_PART, "Content-Type: application/json\r\n\r\n{}"], "--x--", "Part 2 of the form has no header"),
        (["Content-Disposition: form-data; filename=a.json\r\n\r\n{}"], "--x--", "Part 1 of the form has no header"),
        (["\r\n{}"], "--x--", "Part 1 of the form has no header"),
        ([GOOD_PART, 'Content-Disposition: form-data; name="b"\r\n\r\n{}'], "--x--", "Part 2 of the form, 'b', has no"),
        ([GOOD_PART], "", "ends before its last boundary"),
        ([], "--x--", "contains no file"),
    ],
)
def test_a_part_of_a_form_that_is_no_file_refuses_the_upload_and_is_reported(program, parts, end, message):
    answer = program.send("POST", "/uploads", form_of(*parts, end=end), "multipart/form-data; boundary=x")

    body = assert_problem(answer, 422, "upload.part")
    assert message in body["errors"][0]["message"]
    assert not Tool.objects.exists()


def test_a_form_with_a_readable_file_in_each_part_is_read(program):
    answer = program.send("POST", "/uploads", form_of(GOOD_PART), "multipart/form-data; boundary=x")

    assert answer.json()["counts"]["created"] == 1


def test_a_form_that_cannot_be_read_at_all_is_refused(program):
    no_boundary = program.send("POST", "/uploads", form_of(GOOD_PART), "multipart/form-data")
    long_header = program.send("POST", "/uploads", form_of(f"X: {'x' * 5000}"), "multipart/form-data; boundary=x")

    assert "Invalid boundary" in assert_problem(no_boundary, 400)["detail"]
    assert "header size exceeded" in assert_problem(long_header, 400)["detail"]


@pytest.mark.parametrize("kind", ["text/xml", "image/png", "application/xml", "text/html"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/tools"), ("POST", "/uploads"), ("POST", "/specs/check")])
def test_a_spec_with_another_content_type_than_json_is_refused(program, method, path, kind):
    answer = program.send(method, path, spec_text("greet"), kind)

    assert kind in assert_problem(answer, 415)["detail"]
    assert not Tool.objects.exists()


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.tool+json"])
def test_a_spec_may_be_any_kind_of_json(program, kind):
    assert program.send("POST", "/tools", spec_text("greet"), kind).status_code == 201


def test_the_examples_of_the_documentation_call_this_very_site(stranger):
    page = stranger.get("/api/v1/docs", headers={"Host": "localhost"}).content.decode()

    assert " http://localhost/api/v1/uploads" in page
    assert "127.0.0.1" not in page


def test_a_dry_run_of_many_stores_nothing(program):
    report = program.send("POST", "/uploads?dry_run=1", f"[{spec_text('a')},{spec_text('b')}]").json()

    assert (report["dry_run"], report["counts"]["created"]) == (True, 2)
    assert not Tool.objects.exists()


def test_a_packed_body_is_not_unpacked(program):
    answer = program.send("POST", "/tools", gzip.compress(spec_text("a").encode()), **{"Content-Encoding": "gzip"})

    assert 400 <= answer.status_code < 500
    assert not Tool.objects.exists()


# -- the document of the API ------------------------------------------------------------------------------------------


def test_each_operation_has_a_summary_and_its_answers_an_example(stranger):
    document = stranger.ask("/openapi.json").json()

    tools = [
        (path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation["tags"] == ["tools"]
    ]
    assert len(tools) >= 19
    for path, method, operation in tools:
        assert operation["summary"], path
        assert operation["description"], path
        content = [answer.get("content") for status, answer in operation["responses"].items() if status == "200"]
        if method == "get" or path.endswith(("/uploads", "/check")):
            [[(_, described)]] = [list(one.items()) for one in content]
            if described["schema"].get("format") == "binary":
                continue
            name = described["schema"].get("$ref", "").rpartition("/")[2]
            assert "example" in described or "example" in document["components"]["schemas"][name], path
