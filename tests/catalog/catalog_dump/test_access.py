"""Maintainers and visibility of tools in the file of a whole catalog: loading it makes no restricted tool public."""

import io
import json

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, Group

from catalog.access import Access, access_of, change_tool_access, change_toolkit_access
from catalog.catalog_dump.writer import whole_catalog
from catalog.models import Audience, Tool, Toolkit
from catalog.publishing import publish
from catalog.shortcuts import toolkit_for
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_tool, make_user

pytestmark = pytest.mark.django_db


def loaded(data, by=None):
    pieces = pieces_of("catalog.ndjson", io.BytesIO(data), max_bytes=settings.MAX_SPEC_BYTES)
    return list(upload(pieces, by=by))


def dumped():
    return "".join(whole_catalog()).encode()


def remove_tools():
    Tool.objects.update(current=None)
    Tool.objects.all().delete()
    Toolkit.objects.all().delete()
    Audience.objects.all().delete()


def names_seen_by(person):
    return set(Tool.objects.visible_to(person).values_list("tool_id", flat=True))


def losses(entries):
    return [loss.pointer for entry in entries if entry.origin for loss in entry.origin.losses]


@pytest.fixture
def catalog(ada):
    """A tool for a team, a tool of a toolkit for signed-in people, and a tool of everyone's."""
    Group.objects.create(name="team")
    one = publish(make_spec("kit.one"), by=ada).tool
    change_tool_access(
        one, Access(visibility="groups", groups=["team"], maintainers=["ada"]), by=ada
    )
    make_tool("signed.two")
    change_toolkit_access(
        toolkit_for(None, "organise", "signed"),
        Access(owner="ada", visibility="signed-in"),
        by=None,
    )
    make_tool("open.three")


def test_an_empty_site_gets_the_same_settings(catalog):
    data = dumped()
    remove_tools()

    assert losses(loaded(data)) == []

    assert dumped() == data
    assert access_of(Tool.objects.get(tool_id="kit.one")).groups == ["team"]
    assert access_of(Toolkit.objects.get(key="signed")) == Access("ada", [], [], "signed-in", [])
    assert names_seen_by(AnonymousUser()) == {"open.three"}
    assert names_seen_by(make_user("grace")) == {"open.three", "signed.two"}


def test_without_the_groups_only_the_owner_and_administrators_see_the_tool(catalog, ada):
    data = dumped()
    remove_tools()
    Group.objects.filter(name="team").delete()

    assert losses(loaded(data)) == ["/access/groups/0"]

    assert "kit.one" in names_seen_by(ada)
    assert "kit.one" in names_seen_by(make_user("chief", is_staff=True))
    for person in (AnonymousUser(), make_user("grace")):
        assert "kit.one" not in names_seen_by(person)


def test_somebody_else_restricts_the_tools_instead_of_the_toolkit(catalog):
    data = dumped()
    remove_tools()
    grace = make_user("grace")

    loaded(data, by=grace)

    assert not Toolkit.objects.exists()
    assert Tool.objects.get(tool_id="signed.two").visibility == "signed-in"
    assert names_seen_by(AnonymousUser()) == {"open.three"}


def test_a_toolkit_that_restricts_more_here_stays(catalog, ada):
    data = dumped()
    remove_tools()
    make_tool("signed.here")
    change_toolkit_access(
        toolkit_for(None, "organise", "signed"),
        Access(owner="ada", visibility="groups", groups=["team"]),
        by=None,
    )

    loaded(data)

    assert names_seen_by(make_user("grace")) == {"open.three"}
    assert Toolkit.objects.get().visibility == "groups"


def test_the_export_of_a_person_has_no_names_but_the_restriction(catalog):
    grace = make_user("grace")
    grace.groups.add(Group.objects.get(name="team"))

    text = b"".join(Program(make_token(user=grace)).ask("/catalog").streaming_content)
    everything = b"".join(
        Program(make_token(user=make_user("chief", is_staff=True)))
        .ask("/catalog")
        .streaming_content
    )

    access = {
        line["tool"]: line.get("access")
        for line in map(json.loads, text.splitlines())
        if "tool" in line
    }
    assert access["kit.one"] == {"visibility": "groups"}
    assert b"team" not in text
    assert everything == dumped()
    remove_tools()
    loaded(text)
    assert names_seen_by(AnonymousUser()) == {"open.three"}


def test_an_export_is_written_anew_if_only_the_maintainers_of_a_toolkit_change(catalog):
    program = Program(make_token(user=make_user("chief", is_staff=True)))
    before = program.ask("/catalog")["ETag"]

    change_toolkit_access(
        Toolkit.objects.get(), Access(maintainers=["chief"], visibility="signed-in"), by=None
    )

    assert program.ask("/catalog")["ETag"] != before


@pytest.mark.parametrize("access", ["everyone", {"visibility": 1}, {"visibility": "the moon"}])
def test_settings_that_cannot_be_read_restrict_the_tool(access):
    make_tool("plain")
    first, *rest = dumped().splitlines()
    remove_tools()
    line = json.dumps({"tool": "plain", "access": access}).encode()

    loaded(b"\n".join([first, line, *rest]))

    assert names_seen_by(AnonymousUser()) == set()
    assert Tool.objects.get().visibility == "groups"
