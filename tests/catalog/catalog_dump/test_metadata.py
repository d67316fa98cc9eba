"""Metadata of tools in the file of a whole catalog: it comes back, or the report says what did not."""

import hashlib
import io
import json

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from selectolax.lexbor import LexborHTMLParser

from catalog.access import Access, change_toolkit_access
from catalog.accounts.models import SCOPES
from catalog.accounts.tokens import create_token
from catalog.catalog_dump.format import CatalogReader
from catalog.catalog_dump.writer import whole_catalog
from catalog.errors import Problem
from catalog.lifecycle import archive, deprecate
from catalog.linting.waivers import waive
from catalog.metadata import Organisation, organise
from catalog.models import Tool, Upload, UploadedSpec, Waiver
from catalog.publishing import publish
from catalog.shortcuts import toolkit_for
from catalog.uploads import jobs as uploading
from catalog.uploads import results
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload, upload_batches
from tests.conftest import Program
from tests.factories import make_spec, make_tool, make_user

pytestmark = pytest.mark.django_db


def uploaded(data, **options):
    pieces = pieces_of("catalog.ndjson", io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES)
    return list(upload(pieces, **{"by": None} | options))


def export_of_now():
    return "".join(whole_catalog()).encode()


def forget_everything():
    Tool.objects.update(current=None, superseded_by=None)
    Tool.objects.all().delete()


def losses(entries):
    return [
        (entry.tool_id, loss.pointer)
        for entry in entries
        if entry.origin
        for loss in entry.origin.losses
    ]


def catalog_file(*lines):
    """A file of these lines, whose last one does not tell the truth."""
    written = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return b"\n".join(
        [b'{"toolshelf":"catalog","version":2}', *written, b'{"tools":0,"revisions":0,"sha256":""}']
    )


def revision_line(tool_id, **more):
    source = make_spec(tool_id)
    members = {"id": tool_id, "revision": 1, "current": True, "archived": False}
    return {**members, "sha256": source.sha256, "source": source.source, **more}


@pytest.fixture
def catalog(ada):
    """Tools with every kind of metadata."""
    for description in ("A", "B"):
        publish(make_spec("a.weather", description=description, tags=["spec"]), by=ada)
    weather = Tool.objects.get(tool_id="a.weather")
    organise(weather, Organisation(toolkit="Sky & «sea»", add_tags=["outdoors", "Früh"]), by=ada)
    waive(
        weather,
        rule="return-type-missing",
        pointer="/definition",
        reason="Text, as everybody knows.",
        by=ada,
    )
    waive(weather, rule="parameter-undescribed", reason="Its name says it.", by=ada)
    make_tool("z.weather")
    deprecate(weather, note="Too coarse.", superseded_by="z.weather")
    organise(make_tool("b.alone"), Organisation(toolkit=""), by=None)
    deprecate(make_tool("c.old", deprecated=True), superseded_by="a.weather")
    archive(publish(make_spec("d.archived"), by=ada).tool)
    make_tool("e.plain")


def test_an_empty_catalog_gets_all_metadata_and_exports_the_same_bytes(catalog):
    data = export_of_now()
    forget_everything()

    entries = uploaded(data)

    assert losses(entries) == []
    assert export_of_now() == data
    weather = Tool.objects.get(tool_id="a.weather")
    assert (weather.owner.username, weather.toolkit, weather.toolkit_chosen) == (
        "ada",
        "Sky & «sea»",
        True,
    )
    assert weather.tags == ["spec", "Früh", "outdoors"]
    assert (weather.deprecated, weather.deprecation_note) == (True, "Too coarse.")
    assert weather.superseded_by.tool_id == "z.weather"
    assert Tool.objects.get(tool_id="c.old").superseded_by == weather
    assert Tool.objects.get(tool_id="d.archived").archived
    assert weather.waivers.count() == 2


def test_metadata_is_one_line_before_the_revisions_of_a_tool(catalog):
    lines = [json.loads(line) for line in export_of_now().splitlines()]

    assert lines[1] == {
        "tool": "a.weather",
        "owner": "ada",
        "toolkit": "Sky & «sea»",
        "tags": ["Früh", "outdoors"],
        "deprecation": {"note": "Too coarse.", "superseded_by": "z.weather"},
        "waivers": [
            {"rule": "parameter-undescribed", "pointer": "", "reason": "Its name says it."},
            {
                "rule": "return-type-missing",
                "pointer": "/definition",
                "reason": "Text, as everybody knows.",
            },
        ],
    }
    assert [line.get("id") for line in lines[2:4]] == ["a.weather", "a.weather"]


def test_a_tool_without_metadata_has_no_metadata_line():
    make_tool("plain")

    assert b'"tool"' not in export_of_now()


def test_of_people_only_the_names_of_owners_are_in_the_file(catalog, ada):
    ada.email = "ada@example.org"
    ada.set_password("the password")
    ada.save()
    publish(make_spec("e.plain", description="By somebody."), by=make_user("grace"))

    data = export_of_now()

    assert b"ada@example.org" not in data
    assert b"grace" not in data
    assert ada.password.encode() not in data


def test_a_second_import_changes_nothing_and_loses_nothing(catalog):
    data = export_of_now()
    before = list(Tool.objects.values().order_by("pk"))

    entries = uploaded(data)

    assert {entry.outcome for entry in entries} == {"unchanged"}
    assert losses(entries) == []
    assert list(Tool.objects.values().order_by("pk")) == before
    assert Waiver.objects.count() == 2


def test_lists_and_searches_find_imported_metadata(catalog, browser):
    data = export_of_now()
    forget_everything()

    uploaded(data)

    for query in ("tag:outdoors", "owner=ada", "toolkit=Sky+%26+«sea»"):
        asked = query if "=" in query else f"q={query}"
        assert "a.weather" in browser.get(f"/tools/?{asked}").content.decode(), query


def test_waivers_count_after_an_import(catalog):
    data = export_of_now()
    score = Tool.objects.get(tool_id="a.weather").score
    forget_everything()

    uploaded(data, batch=3)

    assert Tool.objects.get(tool_id="a.weather").score == score


def test_an_unknown_owner_is_a_loss_and_the_rest_is_restored(catalog, ada):
    data = export_of_now()
    forget_everything()
    ada.delete()

    entries = uploaded(data)

    assert losses(entries) == [("a.weather", "/owner"), ("d.archived", "/owner")]
    assert entries[0].origin.losses[0].reason == "There is no user 'ada' here."
    assert Tool.objects.get(tool_id="a.weather").toolkit == "Sky & «sea»"
    assert Tool.objects.get(tool_id="a.weather").owner is None


def test_a_tool_without_an_owner_gets_none_when_it_is_imported(ada):
    data = catalog_file(revision_line("free"))

    uploaded(data, by=ada)

    assert Tool.objects.get(tool_id="free").owner is None


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_a_successor_may_follow_later_in_the_file(batch):
    data = catalog_file(
        {"tool": "a", "deprecation": {"superseded_by": "c"}},
        revision_line("a"),
        {"tool": "b", "deprecation": {"note": "See a.", "superseded_by": "a"}},
        revision_line("b"),
        revision_line("c"),
    )

    entries = uploaded(data, batch=batch)

    assert losses(entries) == []
    followed = dict(Tool.objects.values_list("tool_id", "superseded_by__tool_id"))
    assert followed == {"a": "c", "b": "a", "c": None}


def test_a_successor_may_be_here_already():
    make_tool("here")

    uploaded(
        catalog_file({"tool": "a", "deprecation": {"superseded_by": "here"}}, revision_line("a"))
    )

    assert Tool.objects.get(tool_id="a").superseded_by.tool_id == "here"


def test_a_successor_that_others_publish_meanwhile_is_seen_at_once(stranger):
    data = catalog_file({"tool": "a", "deprecation": {"superseded_by": "z"}}, revision_line("a"))
    pieces = pieces_of("catalog.ndjson", io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES)
    entries = upload(pieces, by=None, batch=1)
    next(entries)
    make_tool("z")
    assert stranger.ask("/tools").json()["items"][0]["deprecation"]["superseded_by"] is None

    list(entries)

    assert stranger.ask("/tools").json()["items"][0]["deprecation"]["superseded_by"]["id"] == "z"


def test_a_successor_that_never_comes_is_a_loss():
    data = catalog_file(
        {"tool": "a", "deprecation": {"note": "n", "superseded_by": "gone"}}, revision_line("a")
    )

    entries = uploaded(data)

    last = entries[-1]
    assert (last.tool_id, last.line, last.outcome) == ("a", 3, "unchanged")
    assert last.origin.losses[0].reason == "There is no tool 'gone'."
    assert (Tool.objects.get().deprecated, Tool.objects.get().deprecation_note) == (True, "n")


def test_tools_that_supersede_each_other_do_not_come_about():
    data = catalog_file(
        {"tool": "a", "deprecation": {"superseded_by": "b"}},
        revision_line("a"),
        {"tool": "b", "deprecation": {"superseded_by": "a"}},
        revision_line("b"),
        {"tool": "c", "deprecation": {"superseded_by": "c"}},
        revision_line("c"),
    )

    entries = uploaded(data)

    assert len(losses(entries)) == 2
    assert Tool.objects.exclude(superseded_by=None).count() == 1


def test_existing_tools_keep_their_metadata_and_the_report_mentions_it(ada):
    make_tool("mine")
    organise(Tool.objects.get(), Organisation(add_tags=["here"]), by=None)
    data = catalog_file(
        {"tool": "mine", "tags": ["there"], "owner": "ada", "colour": 1}, revision_line("mine")
    )

    [entry] = uploaded(data)[:1]

    assert entry.outcome == "unchanged"
    assert losses([entry]) == [("mine", "/colour"), ("mine", "/owner"), ("mine", "/tags")]
    assert (Tool.objects.get().tags, Tool.objects.get().owner) == (["here"], None)


def test_unknown_members_are_reported():
    data = catalog_file(
        {
            "tool": "a",
            "colour": "red",
            "deprecation": {"since": "2024"},
            "waivers": [{"rule": "return-type-missing", "reason": "so", "by": "ada"}],
        },
        revision_line("a", stars=5),
    )

    [entry] = uploaded(data)[:1]

    assert losses([entry]) == [
        ("a", "/stars"),
        ("a", "/colour"),
        ("a", "/deprecation/since"),
        ("a", "/waivers/0/by"),
    ]
    assert Waiver.objects.get().reason == "so"


@pytest.mark.parametrize(
    ("member", "value", "pointer"),
    [
        ("toolkit", "x" * 101, "/toolkit"),
        ("toolkit", "!?", "/toolkit"),
        ("tags", ["ok", "a,b"], "/tags/1"),
        ("tags", ["ok", "OK"], "/tags/1"),
        ("tags", [f"t{number}" for number in range(51)], "/tags/50"),
        ("deprecation", {"note": "x" * 501}, "/deprecation/note"),
        ("waivers", [{"rule": "no-such-rule", "reason": "r"}], "/waivers/0/rule"),
        ("waivers", [{"rule": "return-type-missing"}], "/waivers/0/reason"),
        ("waivers", [{"rule": "return-type-missing", "reason": "r"}] * 2, "/waivers/1"),
    ],
)
def test_metadata_that_cannot_be_restored_is_reported_as_lost(member, value, pointer):
    [entry] = uploaded(catalog_file({"tool": "a", member: value}, revision_line("a")))[:1]

    assert entry.outcome == "created"
    assert losses([entry]) == [("a", pointer)]


@pytest.mark.parametrize(
    ("line", "pointer"),
    [
        ({"tool": 7}, "/tool"),
        ({"tool": "a", "owner": None}, "/owner"),
        ({"tool": "a", "toolkit": []}, "/toolkit"),
        ({"tool": "a", "tags": "x"}, "/tags"),
        ({"tool": "a", "tags": ["x", 1]}, "/tags/1"),
        ({"tool": "a", "tags": ["x"] * 1_001}, "/tags"),
        ({"tool": "a", "deprecation": True}, "/deprecation"),
        ({"tool": "a", "deprecation": {"note": 1}}, "/deprecation/note"),
        ({"tool": "a", "waivers": {}}, "/waivers"),
        ({"tool": "a", "waivers": [1]}, "/waivers/0"),
        ({"tool": "a", "waivers": [{}] * 1_001}, "/waivers"),
        ({"tool": "a", "waivers": [{"rule": 1}]}, "/waivers/0/rule"),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_refused_alone(line, pointer):
    entries = uploaded(catalog_file(line, revision_line("a")))

    assert [(entry.line, entry.outcome) for entry in entries[:2]] == [
        (2, "rejected"),
        (3, "created"),
    ]
    assert (entries[0].faults[0].problem.rule, entries[0].faults[0].problem.pointer) == (
        "catalog.line",
        pointer,
    )


def test_each_line_of_a_half_broken_file_has_its_own_outcome(catalog):
    lines = export_of_now().splitlines()
    forget_everything()
    lines[1] = lines[1].replace(b'"owner":"ada"', b'"owner":["ada"]')
    lines[2] = lines[2][:-5]
    lines.insert(5, b"nonsense")

    entries = uploaded(b"\n".join(lines))

    by_line = {entry.line: (entry.outcome, entry.tool_id) for entry in entries}
    assert by_line[2] == by_line[3] == by_line[6] == ("rejected", None)
    assert by_line[4] == ("created", "a.weather")
    assert [entry.tool_id for entry in entries if entry.outcome == "created"] == sorted(
        Tool.objects.values_list("tool_id", flat=True)
    )
    assert entries[-1].faults[0].problem.rule == "catalog.cut"
    assert Tool.objects.get(tool_id="d.archived").archived


def test_a_file_of_the_first_version_is_read_as_before(ada):
    source = make_spec("a")
    lines = (
        '{"toolshelf":"catalog","version":1}\n'
        f'{{"id":"a","revision":1,"current":true,"archived":true,"sha256":"{source.sha256}",'
        f'"source":{json.dumps(source.source)}}}\n'
    )
    end = {"tools": 1, "revisions": 1, "sha256": hashlib.sha256(lines.encode()).hexdigest()}

    [entry] = uploaded(f"{lines}{json.dumps(end)}\n".encode(), by=ada)

    assert (entry.outcome, entry.origin) == ("created", None)
    assert (Tool.objects.get().owner, Tool.objects.get().archived) == (ada, True)


def test_a_file_of_the_first_version_has_no_metadata():
    reader = CatalogReader()
    reader.read(b'{"toolshelf":"catalog","version":1}')

    assert isinstance(reader.read(b'{"tool":"a"}'), Problem)


def test_a_dry_run_reports_the_losses_and_stores_nothing(catalog, ada):
    data = export_of_now()
    forget_everything()
    ada.delete()

    entries = uploaded(data, dry_run=True)

    assert losses(entries) == [("a.weather", "/owner"), ("d.archived", "/owner")]
    assert not Tool.objects.exists()
    assert not Waiver.objects.exists()


def test_the_largest_metadata_fits_into_a_line(ada, settings):
    settings.MAX_SPEC_BYTES = 20_000
    tool = make_tool("waived")
    rows = [
        Waiver(tool=tool, rule="return-type-missing", pointer=f"/{n}", reason="ü" * 500)
        for n in range(500)
    ]
    Waiver.objects.bulk_create(rows)
    data = export_of_now()
    forget_everything()

    assert losses(uploaded(data)) == []
    assert export_of_now() == data


def test_the_report_of_the_api_lists_the_losses(program):
    data = catalog_file({"tool": "a", "owner": "nobody"}, revision_line("a"))

    report = program.send("POST", "/uploads", data, content_type="application/x-ndjson").json()

    assert report["specs"][0]["imported"] == {
        "format": "Toolshelf catalog",
        "pointer": "",
        "notes": [],
        "losses": [
            {"pointer": "/owner", "what": "dropped", "reason": "There is no user 'nobody' here."}
        ],
        "spec": None,
    }


def test_people_restore_neither_toolkits_nor_owners_of_others(ada):
    make_tool("official.one")
    change_toolkit_access(
        toolkit_for(None, "organise", "official"),
        Access(owner="ada", visibility="everyone"),
        by=None,
    )
    eve, chief = make_user("eve"), make_user("chief", is_staff=True)

    def file(tool_id, owner="ada"):
        return catalog_file(
            {"tool": tool_id, "toolkit": "official", "owner": owner}, revision_line(tool_id)
        )

    assert losses(uploaded(file("a"), by=eve)) == [("a", "/owner"), ("a", "/toolkit")]
    assert losses(uploaded(file("b", "eve"), by=eve)) == [("b", "/toolkit")]
    assert losses(uploaded(file("c"), by=ada)) == []
    assert losses(uploaded(file("d"), by=chief)) == []
    assert losses(uploaded(file("e"))) == []
    assert list(
        Tool.objects.values_list("tool_id", "toolkit", "owner__username").order_by("tool_id")
    ) == [
        ("a", "", "eve"),
        ("b", "", "eve"),
        ("c", "official", "ada"),
        ("d", "official", "ada"),
        ("e", "official", "ada"),
        ("official.one", "official", None),
    ]


def test_a_token_that_is_limited_to_toolkits_restores_no_others():
    limited = Program(create_token(make_user("eve"), scopes=SCOPES, toolkits=["mine"])[1])
    data = catalog_file({"tool": "mine.a", "toolkit": "theirs"}, revision_line("mine.a"))

    report = limited.send("POST", "/uploads", data, content_type="application/x-ndjson").json()

    [loss] = report["specs"][0]["imported"]["losses"]
    assert (loss["pointer"], loss["reason"]) == (
        "/toolkit",
        "This token is limited to the toolkits mine.",
    )
    assert Tool.objects.get().toolkit == "mine"


def test_the_page_lists_the_losses(browser):
    text = catalog_file({"tool": "a", "owner": "nobody"}, revision_line("a")).decode()

    page = browser.post("/upload/", {"text": text}, follow=True).content.decode()

    assert "1 difference from the catalog file" in " ".join(page.split())
    assert "There is no user &#x27;nobody&#x27; here." in page


def test_the_upload_page_leads_to_the_export_that_it_takes_back(browser, catalog):
    page = LexborHTMLParser(browser.get("/upload/").content)

    link = page.css_first('.page-actions a[download="catalog.ndjson"]')

    assert link.text(strip=True) == "Export the catalog"
    data = b"".join(browser.get(link.attributes["href"]).streaming_content)
    assert data == export_of_now()
    forget_everything()
    file = SimpleUploadedFile("catalog.ndjson", data)
    browser.post("/upload/", {"files": file})
    assert export_of_now() == data


def test_load_specs_reads_the_output_of_export_catalog(catalog, tmp_path, capsys):
    file = tmp_path / "catalog.ndjson"
    call_command("export_catalog", str(file))
    forget_everything()

    call_command("load_specs", str(file))

    assert json.loads(capsys.readouterr().out)["counts"]["rejected"] == 0
    assert export_of_now() == file.read_bytes()


class _PowerCut(BaseException):
    pass


def test_long_metadata_makes_batches_shorter():
    long = {"waivers": [{"rule": "return-type-missing", "reason": "x" * 3_000_000}]}
    lines = [line for name in "abcd" for line in ({"tool": name, **long}, revision_line(name))]
    pieces = pieces_of(
        "catalog.ndjson", io.BytesIO(catalog_file(*lines)), max_bytes=settings.MAX_SPEC_BYTES
    )

    batches = [len(entries) for entries in upload_batches(pieces, by=None)]

    assert batches == [2, 2, 1]  # the last one is of the last line


@pytest.mark.deep
@pytest.mark.parametrize("cut_after", range(1, 7))
def test_a_large_import_that_is_interrupted_comes_to_the_same_end(
    catalog, ada, monkeypatch, settings, tmp_path, cut_after
):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(uploading, "SHORT_BATCH", 1)
    data = export_of_now()
    forget_everything()
    upload = uploading.create([("catalog.ndjson", io.BytesIO(data))], by=ada)
    write = results.ResultWriter.write

    def cut(self, entries, read):
        if UploadedSpec.objects.count() >= cut_after:
            raise _PowerCut
        write(self, entries, read)

    monkeypatch.setattr(results.ResultWriter, "write", cut)
    with pytest.raises(_PowerCut):
        uploading.carry_out(upload)
    monkeypatch.setattr(results.ResultWriter, "write", write)

    uploading.carry_out(Upload.objects.get())

    assert export_of_now() == data
    assert Upload.objects.get().counts == {
        "created": 6,
        "revised": 1,
        "unchanged": 0,
        "rejected": 0,
    }


def test_many_tools_without_their_successor_are_reported_in_batches():
    lines = []
    for number in range(7):
        tool_id = f"tool{number}"
        lines += [
            {"tool": tool_id, "deprecation": {"superseded_by": "gone"}},
            revision_line(tool_id),
        ]

    entries = uploaded(catalog_file(*lines), batch=3)

    imported = [entry.tool_id for entry in entries if entry.origin]
    assert imported == [f"tool{number}" for number in range(7)]
