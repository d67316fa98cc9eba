"""Documents of other formats, through page, API and command."""

import io
import json

import pytest
from django.conf import settings
from django.core.management import call_command
from selectolax.lexbor import LexborHTMLParser

from catalog.models import HeldChange, Revision, Tool
from catalog.publishing import publish, publish_many
from catalog.revision_origins import RevisionOrigin
from catalog.uploads.choices import ImportOptions
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload
from tests.corpora import DATA
from tests.factories import make_spec, make_user, properties, spec_text
from toolspec.imports import import_document
from toolspec.spec import read_spec

PETS = {
    "openapi": "3.0.3",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "operationId": "getPet",
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
                ],
                "responses": {"200": {"description": "", "content": {"text/csv": {}}}},
            }
        }
    },
}

pytestmark = pytest.mark.django_db


def uploaded(name, data, *, prefix=None, **options):
    pieces = pieces_of(name, io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES)
    return list(upload(pieces, by=None, options=ImportOptions(prefix), **options))


# -- importing --------------------------------------------------------------------------------------------------------


def test_tools_that_one_request_has_no_time_for_are_rejected_and_the_others_are_stored(
    program, monkeypatch
):
    monkeypatch.setattr("catalog.api.bulk.REQUEST_S", 0.0)

    report = program.send("POST", "/uploads", f"[{json.dumps(PETS)}, {spec_text('other')}]").json()

    late, other = report["specs"]
    assert [problem["rule"] for problem in late["problems"]] == ["import.too-long"]
    assert "load_specs" in late["problems"][0]["message"]
    assert other["outcome"] == "created"


def test_an_api_document_is_uploaded_as_its_operations(program):
    report = program.send("POST", "/uploads", json.dumps(PETS)).json()

    [entry] = report["specs"]
    assert entry["outcome"] == "created"
    assert entry["tool"]["id"] == "pets.getPet"
    assert entry["imported"] == {
        "format": "OpenAPI 3",
        "pointer": "/paths/~1pets~1{id}/get",
        "notes": [],
        "losses": [
            {
                "pointer": "/paths/~1pets~1{id}/get/responses/200/content/text~1csv",
                "what": "dropped",
                "reason": "The response is not JSON but text/csv.",
            }
        ],
        "spec": None,
    }
    assert Tool.objects.get().tool_id == "pets.getPet"


def test_a_dry_run_shows_each_converted_spec(program):
    report = program.send("POST", "/uploads?dry_run=1&prefix=zoo", json.dumps(PETS)).json()

    assert report["specs"][0]["imported"]["spec"]["definition"]["id"] == "zoo.getPet"
    assert not Tool.objects.exists()


# -- tools that exist already -----------------------------------------------------------------------------------------


def api_called(title, summary="Get it."):
    operation = {"operationId": "get", "summary": summary}
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": "1"},
        "paths": {"/a": {"get": operation}},
    }


def tool_list(*, description="One.", **members):
    return {
        "tools": [{"name": "get", "description": description, "inputSchema": {"type": "object"}}],
        **members,
    }


def test_an_import_from_the_same_document_revises_its_tools(program):
    program.send("POST", "/uploads", json.dumps(api_called("Pets")))

    report = program.send("POST", "/uploads", json.dumps(api_called("Pets", "Get a pet."))).json()

    [entry] = report["specs"]
    assert (entry["outcome"], entry["verdict"]) == ("revised", "wording")
    [second, first] = program.send("GET", "/tools/pets.get/revisions").json()["items"]
    assert first["origin"] == second["origin"] == {"kind": "openapi-3", "name": "Pets"}


def test_an_import_from_another_document_does_not_revise_a_tool():
    uploaded("one.json", json.dumps(api_called("One")).encode(), prefix="api")

    [entry] = uploaded("two.json", json.dumps(api_called("Two")).encode(), prefix="api")
    [unchanged] = uploaded("one.json", json.dumps(api_called("One")).encode(), prefix="api")

    assert unchanged.outcome == "unchanged"
    [again] = uploaded("two.json", json.dumps(api_called("Two", "Other.")).encode(), prefix="api")
    assert again.outcome == "rejected"
    [fault] = again.faults
    assert fault.problem.rule == "publish.other-origin"
    assert fault.problem.message == (
        "'api.get' exists already (from OpenAPI 3 “One”). "
        "Overwrite it (`replace`), or use another prefix (`prefix`)."
    )
    assert entry.outcome == "unchanged"  # the same text: nothing is lost


def test_an_import_from_another_document_revises_a_tool_if_one_says_so(program):
    program.send("POST", "/uploads?prefix=api", json.dumps(api_called("One")))

    path = "/uploads?prefix=api&replace=1"
    [entry] = program.send("POST", path, json.dumps(api_called("Two", "Other."))).json()["specs"]

    assert entry["outcome"] == "revised"
    [newest, _] = program.send("GET", "/tools/api.get/revisions").json()["items"]
    assert newest["origin"] == {"kind": "openapi-3", "name": "Two"}


def test_lists_without_a_name_do_not_revise_each_others_tools(program):
    program.send("POST", "/uploads", json.dumps(tool_list()))

    [entry] = program.send("POST", "/uploads", json.dumps(tool_list(description="Two."))).json()[
        "specs"
    ]

    assert [problem["rule"] for problem in entry["problems"]] == ["publish.other-origin"]


def test_lists_of_the_same_server_revise_their_tools(program):
    program.send("POST", "/uploads", json.dumps(tool_list(serverInfo={"name": "mail"})))

    again = tool_list(description="Two.", serverInfo={"name": "mail"})
    [entry] = program.send("POST", "/uploads", json.dumps(again)).json()["specs"]

    assert entry["outcome"] == "revised"


def test_an_import_does_not_revise_a_tool_that_was_published_by_hand():
    publish(make_spec("mail.get"), by=None)

    [entry] = uploaded("mail.json", json.dumps(tool_list()).encode())

    assert entry.faults[0].problem.rule == "publish.other-origin"
    assert "from a spec" in entry.faults[0].problem.message


def test_an_import_revises_a_tool_whose_origin_is_not_known():
    publish(make_spec("mail.get"), by=None)
    Revision.objects.update(origin_kind=None)

    [entry] = uploaded("mail.json", json.dumps(tool_list()).encode())

    assert entry.outcome == "revised"


def test_a_tool_that_was_edited_by_hand_is_still_revised_by_its_document():
    uploaded("mail.json", json.dumps(tool_list()).encode())
    publish(make_spec("get", id="mail.get"), by=None)

    [entry] = uploaded("mail.json", json.dumps(tool_list(description="Two.")).encode())

    assert entry.outcome == "revised"


def test_an_import_does_not_revise_a_tool_of_another_owner(ada):
    other = make_user("grace")
    uploaded_by(ada, tool_list())

    [refused] = uploaded_by(other, tool_list(description="Two."))
    [replaced] = uploaded_by(other, tool_list(description="Two."), replace=True)

    assert refused.faults[0].problem.rule == "publish.other-owner"
    assert replaced.outcome == "held"
    assert HeldChange.objects.get().proposed_by == other


def test_staff_revise_tools_of_others_by_an_import(ada):
    staff = make_user("grace", is_staff=True)
    uploaded_by(ada, tool_list())

    [entry] = uploaded_by(staff, tool_list(description="Two."))

    assert entry.outcome == "revised"


def one_line(tool_id, **members):
    return json.dumps(json.loads(spec_text(tool_id, **members)))


def test_an_import_that_was_stored_on_several_lines_is_unchanged():
    data = json.dumps(PETS).encode()
    for imported in import_document(PETS, prefix="pets").specs:
        indented = read_spec(json.dumps(imported.document, indent=2))
        publish_many(
            [indented], by=None, origins={indented.sha256: RevisionOrigin("openapi-3", "pets")}
        )

    assert {entry.outcome for entry in uploaded("pets.json", data, prefix="pets")} == {"unchanged"}


def uploaded_by(person, document, **options):
    pieces = pieces_of(
        "mail.json", io.BytesIO(json.dumps(document).encode()), max_bytes=settings.MAX_SPEC_BYTES
    )
    return list(upload(pieces, by=person, options=ImportOptions(**options)))


def test_the_revisions_page_shows_where_each_came_from(client):
    uploaded("pets.json", json.dumps(PETS).encode())

    page = client.get("/tools/pets.getPet/changes/").content.decode()

    assert "OpenAPI 3 “Pets”" in page


def test_the_page_takes_an_empty_prefix_and_the_choice_to_replace(browser):
    publish(make_spec("get"), by=None)
    text = json.dumps(api_called("Pets"))

    refused = browser.post("/add/", {"text": text, "no_prefix": "on"})
    replaced = browser.post(
        "/add/", {"text": text, "no_prefix": "on", "replace": "on"}, follow=True
    )

    assert "publish.other-origin" in refused.content.decode()
    assert replaced.status_code == 200
    assert Tool.objects.get().current.number == 2
    badges = LexborHTMLParser(replaced.content).css(".badge")
    assert [badge.text(strip=True) for badge in badges] == ["changed", "wording"]


def test_a_dry_run_counts_equal_specs_as_a_real_upload_does():
    text = "\n".join([one_line("same")] * 9).encode()

    dry = uploaded("same.ndjson", text, dry_run=True, batch=2)
    real = uploaded("same.ndjson", text, batch=2)

    assert (
        [entry.outcome for entry in dry]
        == [entry.outcome for entry in real]
        == ["created", *["unchanged"] * 8]
    )


def test_a_dry_run_counts_revisions_of_earlier_batches_as_a_real_upload_does():
    texts = [
        one_line("tool", description=text) for text in ("One.", "Two.", "Two.", "One.", "Three.")
    ]

    dry = uploaded("tool.ndjson", "\n".join(texts).encode(), dry_run=True, batch=2)
    real = uploaded("tool.ndjson", "\n".join(texts).encode(), batch=2)

    assert [(one.outcome, one.revision) for one in dry] == [
        (one.outcome, one.revision) for one in real
    ]


# -- members that are probably misspelt -------------------------------------------------------------------------------


def test_a_misspelt_member_is_a_warning_of_the_report(program):
    spec = {"definition": {"name": "f", "description": "d", "paramters": {"type": "object"}}}

    [entry] = program.send("POST", "/uploads", json.dumps(spec)).json()["specs"]

    assert entry["outcome"] == "created"
    [warning] = entry["warnings"]
    assert warning["pointer"] == "/definition/paramters"
    assert "did you mean `parameters`" in warning["message"]


# -- places -----------------------------------------------------------------------------------------------------------


def test_a_misspelt_member_has_its_position_in_the_file():
    texts = "[\n", one_line("good"), ",\n", one_line("odd", paramters={"type": "object"}), "\n]"

    [_, entry] = uploaded("two.json", "".join(texts).encode())

    [warning] = entry.warnings
    assert (warning.line, texts[3][warning.column - 1 :]) == (3, '{"type": "object"}}}')


def test_rejected_specs_of_a_yaml_file_are_named_as_those_of_a_json_file():
    entries = uploaded(
        "odd.yaml",
        b"- definition:\n    id: acme.f\n    name: f\n    description: 7\n"
        b"- definition:\n    name: g\n    description: 7\n"
        b"- definition: 5\n",
    )

    assert [(entry.outcome, entry.tool_id, entry.name) for entry in entries] == [
        ("rejected", "acme.f", "f"),
        ("rejected", "g", "g"),
        ("rejected", None, None),
    ]


def test_a_misspelt_member_of_a_yaml_file_has_its_position_there():
    [entry] = uploaded(
        "odd.yaml",
        b"---\ndefinition:\n  name: f\n  description: d\n  paramters:\n    type: object\n",
    )

    [warning] = entry.warnings
    assert (warning.line, warning.column) == (6, 5)


def test_an_entry_has_the_pointer_and_line_of_the_tool_in_its_document():
    text = json.dumps(PETS, indent=2)

    [entry] = uploaded("pets.json", text.encode(), dry_run=True)

    assert text.splitlines()[entry.line - 1].strip() == '"get": {'


def test_a_spec_is_not_imported(program):
    report = program.send("POST", "/uploads", spec_text("a")).json()

    assert report["specs"][0]["imported"] is None


def test_a_document_of_no_known_format_has_the_problems_of_a_spec(program):
    report = program.send("POST", "/uploads", '{"name": "x"}').json()

    assert [problem["rule"] for problem in report["specs"][0]["problems"]] == ["spec.required"]


def test_a_document_without_tools_is_rejected_with_that_reason(program):
    report = program.send("POST", "/uploads", '{"openapi": "3.0.0", "paths": {"/a": {}}}').json()

    [problem] = report["specs"][0]["problems"]
    assert problem["rule"] == "import.empty"


def test_a_document_whose_paths_lead_out_of_it_has_them_rejected(program):
    report = program.send(
        "POST", "/uploads", '{"openapi": "3.0.0", "paths": {"/a": {"$ref": "b.json"}}}'
    ).json()

    [entry] = report["specs"]
    [problem] = entry["problems"]
    assert entry["imported"]["pointer"] == "/paths/~1a"
    assert problem["rule"] == "import.reference"
    assert "not fetched" in problem["message"]


def test_a_tool_that_is_not_acceptable_is_rejected_alone():
    tools = [
        {"name": "a", "inputSchema": properties()},
        {"name": "b", "inputSchema": {"$ref": "https://example.com"}},
    ]

    entries = uploaded("server.json", json.dumps({"tools": tools}).encode())

    assert [entry.outcome for entry in entries] == ["created", "rejected"]
    assert json.loads(entries[1].text)["definition"]["id"] == "server.b"
    assert entries[1].faults[0].problem.rule == "gate.ref-remote"


def test_documents_may_be_longer_than_a_spec(settings):
    settings.MAX_SPEC_BYTES = 20_000
    tools = [
        {"name": f"tool{number}", "inputSchema": properties(), "description": "x" * 1_000}
        for number in range(50)
    ]

    entries = uploaded("server.json", json.dumps({"tools": tools}).encode())

    assert [entry.outcome for entry in entries] == ["created"] * 50


def test_long_texts_that_are_no_documents_are_refused_as_before():
    [entry] = uploaded("a.json", json.dumps({"definition": {"name": "x" * 1_200_000}}).encode())

    assert entry.faults[0].problem.rule == "json.too-large"


@pytest.mark.corpora
@pytest.mark.parametrize(
    "name", ["mcp_lists/redis-mcp.json", "openapi/oad-traccar-org.json", "bfcl_raw_openai.jsonl"]
)
def test_load_specs_reads_documents_of_other_formats(capsys, name):
    call_command("load_specs", str(DATA / name))

    report = json.loads(capsys.readouterr().out)
    assert report["counts"]["rejected"] == 0
    assert report["counts"]["created"] == Tool.objects.count() > 50


def test_load_specs_takes_a_prefix(capsys, tmp_path):
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(PETS))

    call_command("load_specs", str(file), prefix="zoo")

    assert Tool.objects.get().tool_id == "zoo.getPet"


def test_the_page_names_the_operation_that_a_tool_was_imported_from(browser):
    page = browser.post("/add/preview/", {"text": json.dumps(PETS)}).content.decode()

    assert '<code class="entry-operation">GET /pets/{id}</code>' in page
    assert "Imported from OpenAPI 3: " not in page


def test_the_page_shows_the_converted_specs_and_the_losses(browser):
    page = browser.post(
        "/add/preview/", {"text": json.dumps(PETS), "prefix": "zoo"}
    ).content.decode()

    assert "Imported from OpenAPI 3" in page
    assert "The response is not JSON but text/csv." in page
    assert "zoo.getPet" in page
    assert "The converted spec" in page


def test_refused_lines_are_named_by_their_own_line():
    [_, _, entry] = uploaded("a.ndjson", b"{}\n{}\n" + b'"' + b"x" * 1_200_000 + b'"\n')

    assert (entry.line, entry.faults[0].problem.line) == (3, 3)
