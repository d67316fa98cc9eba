"""Toolkits and tags of tools, and the number of tools in each."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.models import Group as AccountGroup

from catalog.access.models import Audience
from catalog.index.visibility import ALL_TOOLS
from catalog.organise.access import Access, change_tool_access
from catalog.organise.lifecycle import archive, restore
from catalog.search.groups import Group, page_of, visible_groups
from catalog.tools.models import Tool, ToolTag
from catalog.tools.publishing import publish, publish_many
from tests.factories import make_spec, make_tool, make_user

pytestmark = pytest.mark.django_db


def test_the_toolkit_of_a_tool_is_the_beginning_of_its_id():
    assert make_tool("GitHub.create_issue").toolkit == "GitHub"
    assert make_tool("now").toolkit == ""


def test_a_prefix_without_letters_and_digits_is_not_a_toolkit():
    assert make_tool("- -.now").toolkit == ""


def test_the_tags_of_a_tool_are_those_of_its_spec_without_duplicates():
    tool = make_tool(tags=["Send  mail", "send-mail", "office", "!!", 3])

    assert tool.tags == ["Send mail", "office"]
    assert set(ToolTag.objects.filter(tool=tool).values_list("key", "sort_name")) == {
        ("sendmail", tool.sort_name),
        ("office", tool.sort_name),
    }


def test_a_revision_without_a_tag_removes_it():
    make_tool("now", tags=["time", "clock"])

    tool = make_tool("now", tags=["clock"])

    assert tool.tags == ["clock"]
    assert list(ToolTag.objects.values_list("key", flat=True)) == ["clock"]


def test_tags_that_users_added_survive_a_revision():
    tool = make_tool("now", tags=["clock"])
    Tool.objects.filter(pk=tool.pk).update(added_tags="mine\nclock")

    tool = make_tool("now", tags=["time"])

    assert tool.tags == ["time", "mine", "clock"]


def test_a_toolkit_that_a_user_chose_survives_a_revision():
    tool = make_tool("github.create_issue")
    Tool.objects.filter(pk=tool.pk).update(toolkit="Trackers", toolkit_chosen=True)

    tool = make_tool("github.create_issue", description="Anew.")

    assert (tool.toolkit, tool.toolkit_key) == ("Trackers", "trackers")


def test_a_deprecated_spec_deprecates_its_tool_until_the_next_revision():
    since = make_tool("now", deprecated=True).deprecated_at
    still = make_tool("now", deprecated=True, description="Anew.").deprecated_at
    no_more = make_tool("now").deprecated_at

    assert since is not None
    assert still == since
    assert no_more is None


def test_the_first_publisher_owns_a_tool():
    ada, grace = make_user("ada"), make_user("grace")
    publish(make_spec("now"), by=ada)

    tool = publish(make_spec("now", description="Anew."), by=grace).tool

    assert tool.owner == ada


def test_the_largest_toolkits_come_first_with_the_spelling_of_their_first_tool():
    publish_many(
        [make_spec(tool_id) for tool_id in ("Mail.send", "mail.read", "clock.now", "plain")],
        by=None,
    )

    assert visible_groups("toolkit", ALL_TOOLS) == [
        Group("mail", "Mail", 2),
        Group("clock", "clock", 1),
    ]
    assert visible_groups("toolkit", ALL_TOOLS)[:1] == [Group("mail", "Mail", 2)]


def test_tags_and_toolkits_are_counted_separately():
    make_tool("mail.send", tags=["mail", "office"])

    assert visible_groups("tag", ALL_TOOLS) == [
        Group("mail", "mail", 1),
        Group("office", "office", 1),
    ]


def test_archived_tools_are_not_counted_until_they_are_restored():
    tool = make_tool("mail.send", tags=["office"])
    make_tool("mail.read")

    archive(tool)
    without = visible_groups("toolkit", ALL_TOOLS), visible_groups("tag", ALL_TOOLS)
    restore(tool)

    assert without == ([Group("mail", "mail", 1)], [])
    assert visible_groups("tag", ALL_TOOLS) == [Group("office", "office", 1)]


def test_groups_are_listed_by_size_or_in_the_order_of_their_keys_on_pages():
    for tool_id in ("c.one", "a.one", "b.one", "b.two"):
        make_tool(tool_id)

    by_size, after_b = page_of("toolkit", ALL_TOOLS, limit=1)
    rest, end = page_of("toolkit", ALL_TOOLS, limit=2, after=after_b)
    by_name, after_a = page_of("toolkit", ALL_TOOLS, by_name=True, limit=1)
    next_by_name, _ = page_of("toolkit", ALL_TOOLS, by_name=True, after=after_a, limit=1)

    assert [group.key for group in by_size + rest] == ["b", "a", "c"]
    assert end is None
    assert [group.key for group in by_name + next_by_name] == ["a", "b"]


def test_a_group_is_spelled_as_in_the_first_tool_that_the_person_sees():
    hidden = make_tool("Mail.send", tags=["In-Box"])
    make_tool("mail.read", tags=["inbox"])
    team = AccountGroup.objects.create(name="team")
    change_tool_access(hidden, Access(visibility="groups", groups=[team.name]), by=None)

    visitors = Audience.objects.visibility_for(AnonymousUser())

    assert visible_groups("toolkit", visitors) == [Group("mail", "mail", 1)]
    assert visible_groups("tag", visitors) == [Group("inbox", "inbox", 1)]
    assert visible_groups("toolkit", ALL_TOOLS) == [Group("mail", "Mail", 2)]
    assert visible_groups("tag", ALL_TOOLS) == [Group("inbox", "In-Box", 2)]
