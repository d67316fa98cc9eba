"""`export_catalog` writes the current specs with what people set for the tools, and `load_specs` reads them."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.core.management import CommandError, call_command

from catalog.access.models import Toolkit
from catalog.organise.access import Access, change_tool_access, change_toolkit_access
from catalog.organise.lifecycle import archive, deprecate
from catalog.organise.metadata import Organisation, organise
from catalog.tools.lookup import toolkit_for
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from tests.factories import make_spec, make_tool, make_user

pytestmark = pytest.mark.django_db
GROUPS = Access(owner="ada", visibility="groups", groups=["team"])


@pytest.fixture
def export(tmp_path, capsys):
    """Export to a file: (its path, its lines, what the command reports)."""

    def export(*words):
        path = tmp_path / "catalog.ndjson"
        call_command("export_catalog", str(path), *words)
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        return path, lines, capsys.readouterr().err

    return export


@pytest.fixture
def load(capsys):
    """Load a file as on another site, where no tools are: the report."""

    def load(path, *, keep=()):
        Tool.objects.exclude(tool_id__in=keep).update(current=None)
        Tool.objects.exclude(tool_id__in=keep).delete()
        capsys.readouterr()
        with suppress(SystemExit):
            call_command("load_specs", str(path), "--json")
        return json.loads(capsys.readouterr().out)

    return load


@pytest.fixture
def ada():
    return make_user("ada")


def losses(report):
    return [
        loss["pointer"]
        for spec in report["specs"]
        for loss in (spec["imported"] or {"losses": []})["losses"]
    ]


def names_seen_by(person):
    return set(Tool.objects.visible_to(person).values_list("tool_id", flat=True))


def test_each_line_has_the_current_spec_and_what_people_set(export, ada):
    publish(make_spec("a", description="Old."), by=None)
    tool = publish(make_spec("a", description="New."), by=None).tool
    organise(tool, Organisation("Weather", ["outdoors"], [], "ada"), by=None)

    _, [line], _ = export()

    assert line["tool"] == {"toolkit": "Weather", "tags": ["outdoors"], "owner": "ada"}
    assert line["spec"]["definition"]["description"] == "New."


def test_the_command_says_what_stays_behind(export):
    publish(make_spec("a", description="Old."), by=None)
    deprecate(publish(make_spec("a", description="New."), by=None).tool, note="", superseded_by="")
    archive(make_tool("b"))

    _, lines, message = export()

    assert [line["spec"]["definition"]["id"] for line in lines] == ["a"]
    assert message == (
        "1 tools exported. Left behind: 1 earlier revisions, 1 archived tools, 1 deprecations, 0 waivers.\n"
    )


def test_another_site_gets_the_same_export(export, load, ada):
    Group.objects.create(name="team")
    tool = make_tool("Ünïcode «tool»", description="\u2028\u0085 \U0001f600 </script> 1.0e3")
    organise(tool, Organisation("Weather", ["outdoors"], [], "ada"), by=None)
    change_tool_access(make_tool("kit.one"), GROUPS, by=None)
    make_tool("open")
    path, _, _ = export()
    before = path.read_bytes()

    report = load(path)

    assert report["counts"]["created"] == 3
    assert losses(report) == []
    export()
    assert path.read_bytes() == before
    assert names_seen_by(AnonymousUser()) == {"open", "Ünïcode «tool»"}


def test_a_tool_whose_text_is_stored_already_is_unchanged(export, load):
    publish(make_spec("a"), by=None)
    path, _, _ = export()

    report = load(path, keep=["a"])

    assert [spec["outcome"] for spec in report["specs"]] == ["unchanged"], report


def test_a_restricted_toolkit_restricts_each_exported_tool(export, load, ada):
    make_tool("kit.one")
    access = Access(owner="ada", visibility="signed-in")
    change_toolkit_access(toolkit_for(None, "organise", "kit"), access, by=None)
    path, _, _ = export()
    Toolkit.objects.all().delete()

    load(path)

    assert names_seen_by(AnonymousUser()) == set()
    assert names_seen_by(make_user("grace")) == {"kit.one"}


def test_without_its_groups_only_the_owner_and_administrators_see_a_tool(export, load, ada):
    Group.objects.create(name="team")
    change_tool_access(make_tool("kit.one"), GROUPS, by=None)
    path, _, _ = export()
    Group.objects.filter(name="team").delete()

    report = load(path)

    assert losses(report) == ["/tool/groups/0"]
    assert names_seen_by(ada) == {"kit.one"}
    assert names_seen_by(make_user("chief", is_staff=True)) == {"kit.one"}
    assert names_seen_by(make_user("grace")) == set()


def test_a_toolkit_that_is_stricter_on_the_other_site_decides(export, load, ada):
    Group.objects.create(name="team")
    change_tool_access(make_tool("kit.one"), Access(owner="ada", visibility="signed-in"), by=None)
    path, _, _ = export()
    change_toolkit_access(toolkit_for(None, "organise", "kit"), GROUPS, by=None)

    load(path)

    assert names_seen_by(make_user("grace")) == set()
    assert names_seen_by(ada) == {"kit.one"}


def test_an_unknown_owner_is_reported(export, load, ada):
    organise(make_tool("a"), Organisation(None, [], [], "ada"), by=None)
    path, _, _ = export()
    ada.delete()

    report = load(path)

    assert losses(report) == ["/tool/owner"]
    assert Tool.objects.get().owner is None


def test_an_existing_tool_keeps_its_own_metadata(export, load):
    tool = make_tool("a")
    organise(tool, Organisation("Weather", [], [], ""), by=None)
    path, _, _ = export()
    organise(tool, Organisation("Garden", [], [], ""), by=None)

    report = load(path, keep=["a"])

    assert losses(report) == ["/tool"]
    assert Tool.objects.get().toolkit == "Garden"


def test_a_query_selects_the_tools(export):
    make_tool("kit.one")
    make_tool("other.two")

    _, lines, _ = export("--query", "toolkit:kit")

    assert [line["spec"]["definition"]["id"] for line in lines] == ["kit.one"]


def test_a_query_that_is_not_valid_is_refused(export):
    with pytest.raises(CommandError, match="The query is not valid"):
        export("--query", "no-such-filter:kit is:nothing")


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ('{"tool":{"visibility":"everybody"},"spec":SPEC}', "/tool/visibility"),
        ('{"tool":{"groups":"team"},"spec":SPEC}', "/tool/groups"),
        ('{"tool":{"tags":[1]},"spec":SPEC}', "/tool/tags/0"),
        ('{"tool":{"owner":"a\\u0000"},"spec":SPEC}', "/tool/owner"),
        ('{"tool":{"more":1},"spec":SPEC}', "/tool/more"),
        ('{"tool":{},"spec":SPEC,"more":1}', ""),
        ('{"tool":{"owner":"ada"},"spec":', "/spec"),
    ],
)
def test_a_line_that_is_not_valid_is_rejected_and_the_others_are_loaded(
    tmp_path, load, changed, pointer
):
    path = tmp_path / "catalog.ndjson"
    spec = json.dumps({"definition": {"name": "a", "description": ""}})
    path.write_text(f'{{"tool": {{}}, "spec": {spec}}}\n{changed.replace("SPEC", spec)}\n')

    report = load(path)

    assert [entry["outcome"] for entry in report["specs"]] == ["created", "rejected"]
    [problem] = report["specs"][1]["problems"]
    assert (problem["pointer"], problem["line"]) == (pointer, 2)


def test_problems_of_a_spec_have_the_line_of_the_file(tmp_path, load):
    path = tmp_path / "catalog.ndjson"
    path.write_text('{"tool":{},"spec":{"definition":{"name":7,"description":""}}}\n')

    report = load(path)

    assert report["specs"][0]["problems"][0]["line"] == 1


def test_the_api_refuses_an_export_and_names_the_command(program, export):
    make_tool("a")
    path, _, _ = export()

    report = program.send("POST", "/uploads", path.read_text()).json()

    [problem] = report["specs"][0]["problems"]
    assert problem["rule"] == "export.command"
    assert "manage.py load_specs" in problem["message"]


EARLIER = '{"toolshelf":"catalog","version":2}\n{"id":"a","revision":1,"source":"{}"}\n'


def test_an_earlier_export_is_refused_with_the_way_by_the_command(tmp_path, load):
    path = tmp_path / "catalog.ndjson"
    path.write_text(EARLIER)

    report = load(path)

    [problem] = report["specs"][0]["problems"]
    assert problem["rule"] == "export.earlier"
    assert "83165c8" in problem["message"]


def test_an_earlier_export_is_refused_with_the_way_by_the_api(program):
    report = program.send("POST", "/uploads", EARLIER).json()

    [problem] = report["specs"][0]["problems"]
    assert "83165c8" in problem["message"]


def test_the_operation_that_exported_the_catalog_is_gone(stranger):
    assert stranger.ask("/catalog").status_code == 404


def test_the_file_is_written_as_a_whole_or_not_at_all(export, tmp_path):
    make_tool("a")

    export()

    assert [path.name for path in tmp_path.iterdir()] == ["catalog.ndjson"]
