"""Documents of other formats, through page, API and command."""

import io
import json

import pytest
from django.conf import settings
from django.core.management import call_command
from selectolax.lexbor import LexborHTMLParser

from accounts.tokens import create_token
from catalog.proposals.actions import approve
from catalog.proposals.models import Proposal
from catalog.sources.models import Source
from catalog.sources.sync import begin, sync
from catalog.tools.models import Revision, Tool
from catalog.tools.publishing import publish
from catalog.uploads import documents
from catalog.uploads.choices import ImportOptions
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload
from tests.catalog.sources.documents import change_settings
from tests.conftest import Program
from tests.corpora import DATA
from tests.factories import make_spec, make_user, properties, spec_text

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
    monkeypatch.setattr("catalog.uploads.api.REQUEST_S", 0.0)

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


def test_a_document_becomes_a_source_without_a_connection(program):
    program.send("POST", "/uploads", json.dumps(PETS))

    source = Source.objects.get()
    assert (source.name, source.kind, source.title) == ("pets", "document", "Pets")
    assert source.owner.username == "program"
    assert json.loads(source.document) == PETS
    assert source.last_sync.created == 1
    assert source.tools.get().remote_name == "getPet"
    assert not Tool.objects.runnable().exists()
    assert Tool.objects.get().current.origin == {"kind": "source", "name": "pets"}


@pytest.mark.parametrize(
    ("query", "name", "tool_id"),
    [
        ("", "pets", "pets.getPet"),
        ("?prefix=zoo", "zoo", "zoo.getPet"),
        ("?prefix=The+Zoo", "the-zoo", "The Zoo.getPet"),
        ("?prefix=", "pets", "getPet"),
    ],
)
def test_the_prefix_or_the_title_names_the_source(program, query, name, tool_id):
    program.send("POST", f"/uploads{query}", json.dumps(PETS))

    assert (Source.objects.get().name, Tool.objects.get().tool_id) == (name, tool_id)


def test_a_dry_run_stores_no_source(program):
    program.send("POST", "/uploads?dry_run=1", json.dumps(PETS))

    assert not Source.objects.exists()


def test_a_document_without_a_valid_tool_makes_no_source(program):
    tools = [{"name": "b", "inputSchema": {"$ref": "https://example.com"}}]

    report = program.send("POST", "/uploads", json.dumps({"tools": tools})).json()

    assert report["counts"]["rejected"] == 1
    assert not Source.objects.exists()


def test_a_document_of_another_version_is_refused_until_it_is_to_replace_the_first(program):
    program.send("POST", "/uploads", json.dumps(api_called("Pets")))
    again = json.dumps(api_called("Pets", "Get a pet."))

    refused = program.send("POST", "/uploads", again)
    checked = program.send("POST", "/uploads?dry_run=1", again)
    [entry] = program.send("POST", "/uploads?replace=1", again).json()["specs"]

    assert refused.status_code == checked.status_code == 409
    assert refused.json()["detail"] == (
        "The source 'pets' exists already. "
        "Replace its document (`replace`), or use another prefix (`prefix`), such as pets-2."
    )
    assert (entry["outcome"], entry["verdict"]) == ("revised", "wording")
    source = Source.objects.get()
    assert source.document == again
    assert source.syncs.count() == 2
    [second, first] = program.send("GET", "/tools/pets.get/revisions").json()["items"]
    assert first["origin"] == second["origin"] == {"kind": "source", "name": "pets"}


def test_the_same_document_again_changes_nothing(program):
    program.send("POST", "/uploads", json.dumps(PETS))

    report = program.send("POST", "/uploads", json.dumps(PETS)).json()

    assert report["counts"] == {"created": 0, "revised": 0, "unchanged": 1, "rejected": 0}


def test_nothing_is_stored_if_one_document_of_several_is_refused(program):
    program.send("POST", "/uploads", json.dumps(api_called("Pets")))

    both = json.dumps([PETS, api_called("Zoo")])

    assert program.send("POST", "/uploads", both).status_code == 409
    assert program.send("POST", "/uploads", both.replace("Pets", "Zoo")).status_code == 409
    assert Source.objects.count() == 1


def test_lists_without_a_name_are_sources_with_names_of_their_own(program):
    program.send("POST", "/uploads", json.dumps(tool_list()))

    [entry] = program.send("POST", "/uploads", json.dumps(tool_list(description="Two."))).json()[
        "specs"
    ]

    assert entry["outcome"] == "held"
    assert [problem["rule"] for problem in entry["problems"]] == ["publish.other-origin"]
    names = Source.objects.values_list("name", flat=True)
    assert sorted(names) == ["mcp-tools", "mcp-tools-2"]


def test_a_document_whose_name_another_process_has_just_used_is_refused(monkeypatch):
    uploaded("pets.json", json.dumps(PETS).encode())
    monkeypatch.setattr(documents, "stored_source", lambda *_, **__: None)
    monkeypatch.setattr(documents, "_free_name", lambda document, used: document.name)

    [refused] = uploaded("pets.json", json.dumps(api_called("Pets")).encode())

    assert refused.faults[0].problem.rule == "source.refused"
    assert json.loads(Source.objects.get().document) == PETS


def test_a_request_has_a_limited_number_of_documents(program):
    apis = [api_called(f"Api {number}") for number in range(101)]

    refused = program.send("POST", "/uploads", json.dumps(apis))

    assert refused.status_code == 413
    assert "at most 100 documents in other formats" in refused.json()["detail"]
    assert not Source.objects.exists()


def test_a_document_whose_tool_is_gone_marks_it(program):
    program.send("POST", "/uploads", json.dumps(tool_list(serverInfo={"name": "mail"})))

    renamed = json.dumps(tool_list(serverInfo={"name": "mail"})).replace('"get"', '"fetch"')
    program.send("POST", "/uploads?replace=1", renamed)

    gone = Source.objects.get().tools.exclude(gone_at=None)
    assert [row.tool_id for row in gone] == ["get"]


def test_only_its_owner_and_administrators_replace_a_document(ada):
    staff = make_user("grace", is_staff=True)
    uploaded_by(ada, tool_list())

    [refused] = uploaded_by(make_user("eve"), tool_list(description="Two."), replace=True)
    [replaced] = uploaded_by(staff, tool_list(description="Two."), replace=True)

    assert refused.faults[0].problem.rule == "source.refused"
    assert refused.faults[0].problem.message == (
        "The source 'mail' exists already. Use another prefix (`prefix`), such as mail-2."
    )
    assert not refused.can_replace
    assert replaced.outcome == "revised"


def test_its_owner_does_not_replace_a_document_that_an_administrator_has_connected(ada):
    uploaded_by(ada, PETS)
    change_settings(Source.objects.get(), kind="openapi")

    [refused] = uploaded_by(ada, api_called("Pets"), replace=True)

    assert refused.faults[0].problem.rule == "source.refused"
    assert json.loads(Source.objects.get().document) == PETS


def test_a_tool_from_elsewhere_waits_for_review_unless_it_is_to_be_replaced(ada):
    publish(make_spec("mail.get"), by=ada)

    [held] = uploaded_by(ada, tool_list(), dry_run=True)
    [replaced] = uploaded_by(ada, tool_list(), replace=True)

    assert held.outcome == "held"
    assert held.faults[0].problem.message == (
        "A tool with this id was in the catalog before the source listed it. "
        "The change waits for review."
    )
    assert replaced.outcome == "revised"


def test_a_tool_of_another_person_waits_for_their_review(ada):
    publish(make_spec("mail.get"), by=ada)
    eve = make_user("eve")

    [held] = uploaded_by(eve, tool_list(), replace=True)

    change = Proposal.objects.get()
    assert (held.outcome, held.change) == ("held", change.pk)
    approve(change, by=ada)
    assert Tool.objects.get().current.origin == {"kind": "source", "name": "mail"}
    assert Tool.objects.get().source_tool.source.owner == eve


def test_a_tool_of_another_source_moves_when_it_is_to_be_replaced(ada):
    uploaded_by(ada, tool_list(), prefix="")
    other = tool_list(description="Two.", serverInfo={"name": "post"})

    [entry] = uploaded_by(ada, other, prefix="", replace=True)

    assert entry.outcome == "revised"
    assert Tool.objects.get().source_tool.source.name == "post"


@pytest.mark.parametrize(
    ("kind", "name", "outcome"),
    [("mcp", "mail", "revised"), (None, None, "revised"), ("mcp", "other", "held")],
)
def test_the_first_sync_takes_over_what_its_person_uploaded_from_the_document_before(
    ada, kind, name, outcome
):
    publish(make_spec("get", id="mail.get"), by=ada)
    Revision.objects.update(origin_kind=kind, origin_name=name)

    [entry] = uploaded_by(ada, tool_list())

    assert entry.outcome == outcome


def test_what_another_person_uploaded_before_stays_theirs(ada):
    publish(make_spec("get", id="mail.get"), by=ada)
    Revision.objects.update(origin_kind="mcp", origin_name="mail")

    [entry] = uploaded_by(make_user("eve"), tool_list())

    assert entry.outcome == "held"


def test_a_tool_that_was_edited_by_hand_is_still_revised_by_its_document():
    uploaded("mail.json", json.dumps(tool_list()).encode())
    publish(make_spec("get", id="mail.get"), by=None)

    [entry] = uploaded_by(None, tool_list(description="Two."), replace=True)

    assert entry.outcome == "revised"


def test_the_tools_on_the_lines_of_a_file_are_one_source():
    lines = [json.dumps({"name": name, "parameters": properties()}) for name in ("a", "b", "a")]

    entries = uploaded("functions.ndjson", "\n".join(lines).encode())

    assert [(entry.tool_id, entry.line) for entry in entries] == [("a", 1), ("b", 2), ("a_2", 3)]
    assert [entry.origin.pointer for entry in entries] == ["", "", ""]
    assert Source.objects.get().name == "functions"
    assert sync(Source.objects.get()).unchanged == 3


def test_lines_beyond_the_tools_that_a_document_may_have_are_rejected(monkeypatch):
    monkeypatch.setattr("toolspec.imports.MAX_TOOLS", 2)
    lines = [json.dumps({"name": name, "parameters": properties()}) for name in "abcd"]

    entries = uploaded("functions.ndjson", "\n".join(lines).encode())

    assert [(entry.outcome, entry.line) for entry in entries] == [
        ("created", 1),
        ("created", 2),
        ("rejected", 3),
        ("rejected", 4),
    ]
    assert [fault.problem.rule for fault in entries[2].faults] == ["import.too-many"]


def test_a_list_with_more_tools_than_a_document_may_have_is_rejected_in_part(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr("toolspec.imports.MAX_TOOLS", 1)
    file = tmp_path / "mail.json"
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("send", "read")]
    file.write_text(json.dumps({"tools": tools}))

    with pytest.raises(SystemExit) as ended:
        call_command("load_specs", str(file))

    assert ended.value.code == 1
    assert "import.too-many" in capsys.readouterr().out
    assert Tool.objects.get().tool_id == "mail.send"


def test_a_token_of_a_toolkit_imports_the_tools_of_this_toolkit_alone(ada):
    program = Program(create_token(ada, scopes=["publish"], toolkits=["zoo"])[1])

    refused = program.send("POST", "/uploads", json.dumps(PETS)).json()
    report = program.send("POST", "/uploads?prefix=zoo", json.dumps(PETS)).json()

    assert refused["specs"][0]["problems"][0]["rule"] == "publish.not-allowed"
    assert report["specs"][0]["outcome"] == "created"


def one_line(tool_id, **members):
    return json.dumps(json.loads(spec_text(tool_id, **members)))


def uploaded_by(person, document, *, dry_run=False, **options):
    pieces = pieces_of(
        "mail.json", io.BytesIO(json.dumps(document).encode()), max_bytes=settings.MAX_SPEC_BYTES
    )
    return list(upload(pieces, by=person, dry_run=dry_run, options=ImportOptions(**options)))


def test_the_revisions_page_shows_where_each_came_from(client):
    uploaded("pets.json", json.dumps(PETS).encode())

    page = client.get("/tools/pets.getPet/changes/").content.decode()

    assert "the source “pets”" in page


def test_the_page_takes_an_empty_prefix_and_the_choice_to_replace(browser):
    publish(make_spec("get"), by=None)
    text = json.dumps(api_called("Pets"))

    replaced = browser.post(
        "/add/", {"text": text, "no_prefix": "on", "replace": "on"}, follow=True
    )
    refused = browser.post("/add/", {"text": text.replace("Get it.", "Get."), "no_prefix": "on"})

    assert replaced.status_code == 200
    assert Tool.objects.get().current.number == 2
    badges = LexborHTMLParser(replaced.content).css(".badge")
    assert [badge.text(strip=True) for badge in badges] == ["changed", "wording"]
    assert "source.exists" in refused.content.decode()


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

    assert '<code class="soft breakable entry-operation">GET /pets/{id}</code>' in page
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


# -- documents that are sent again ------------------------------------------------------------------------------------


def uploaded_files(documents, *, prefix=None, replace=False):
    pieces = [
        piece
        for name, document in documents.items()
        for piece in pieces_of(name, io.BytesIO(json.dumps(document).encode()))
    ]
    return list(upload(pieces, by=None, options=ImportOptions(prefix, replace)))


def test_of_two_documents_of_one_upload_the_second_does_not_replace_the_first():
    files = {"a.json": api_called("A"), "b.json": api_called("B")}

    first, second = uploaded_files(files, prefix="acme", replace=True)

    assert first.outcome == "created"
    assert second.faults[0].problem.rule == "source.refused"
    assert json.loads(Source.objects.get().document) == api_called("A")


def test_documents_whose_titles_have_no_latin_letters_are_different_sources():
    for title in ("支付", "天气", "支付"):
        [entry] = uploaded_files({"a.json": api_called(title)}, replace=True)

    assert entry.outcome == "unchanged"
    assert dict(Source.objects.values_list("title", "name")) == {
        "支付": "source",
        "天气": "source-2",
    }


def test_a_list_without_a_name_replaces_no_other_list():
    uploaded_files({"": tool_list()}, replace=True)
    uploaded_files({"": tool_list(description="Two.")}, replace=True)

    assert Source.objects.count() == 2


def test_a_document_does_not_take_a_tool_from_a_source_that_runs_it(ada):
    uploaded_by(ada, PETS)
    source = change_settings(Source.objects.get(), kind="openapi")
    other = {"info": {"title": "Other"}, "tools": [{"name": "pets.getPet", "inputSchema": {}}]}

    [entry] = uploaded_by(ada, other, prefix="", replace=True)

    assert entry.outcome == "held"
    assert Tool.objects.get(tool_id="pets.getPet").source_tool.source == source


def test_a_token_of_a_toolkit_replaces_no_document_of_another_toolkit(ada):
    uploaded_by(ada, tool_list(), prefix="mail")
    program = Program(create_token(ada, scopes=["publish"], toolkits=["zoo"])[1])

    report = program.send(
        "POST", "/uploads?prefix=mail&replace=1", json.dumps(tool_list(description="Two."))
    ).json()

    assert report["counts"]["rejected"] == 1
    assert json.loads(Source.objects.get().document) == tool_list()
    assert Source.objects.get().tools.get().gone_at is None


def test_a_token_of_a_toolkit_makes_no_source_of_another_one(ada):
    program = Program(create_token(ada, scopes=["publish"], toolkits=["zoo"])[1])

    program.send("POST", "/uploads", json.dumps(PETS))

    assert not Source.objects.exists()


def test_a_document_that_is_being_synced_is_not_replaced(ada):
    uploaded_by(ada, tool_list(), prefix="mail")
    begin(Source.objects.get(), by=None)

    [entry] = uploaded_by(ada, tool_list(description="Two."), prefix="mail", replace=True)

    assert "being synced already" in entry.faults[0].problem.message
    assert json.loads(Source.objects.get().document) == tool_list()


def test_a_held_tool_is_revised_once_it_is_to_be_replaced(ada):
    publish(make_spec("get", id="mail.get"), by=ada)
    Revision.objects.update(origin_kind="mcp", origin_name="other")
    [held] = uploaded_by(ada, tool_list(), prefix="mail")

    [replaced] = uploaded_by(ada, tool_list(), prefix="mail", replace=True)

    assert (held.outcome, replaced.outcome) == ("held", "revised")
    assert not Proposal.objects.filter(state=Proposal.HELD).exists()


def test_a_tool_that_is_in_the_catalog_as_it_is_listed_is_unchanged(ada):
    [first] = uploaded_by(ada, tool_list(), prefix="mail")
    Source.objects.all().delete()

    [again] = uploaded_by(make_user("eve"), tool_list(), prefix="mail")

    assert (first.outcome, again.outcome) == ("created", "unchanged")
    assert not Proposal.objects.exists()
