"""Toolkits and tags of tools, and the number of tools in each."""

import pytest

from catalog.lifecycle import archive, restore
from catalog.models import Tool, ToolTag
from catalog.publishing import publish, publish_many
from catalog.search import tag_counts
from catalog.search.tag_counts import Group
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

    assert tag_counts.largest("toolkit", 10) == [
        Group("mail", "Mail", 2),
        Group("clock", "clock", 1),
    ]
    assert tag_counts.largest("toolkit", 1) == [Group("mail", "Mail", 2)]


def test_tags_and_toolkits_are_counted_separately():
    make_tool("mail.send", tags=["mail", "office"])

    assert tag_counts.largest("tag", 10) == [Group("mail", "mail", 1), Group("office", "office", 1)]


def test_archived_tools_are_not_counted_until_they_are_restored():
    tool = make_tool("mail.send", tags=["office"])
    make_tool("mail.read")

    archive(tool)
    without = tag_counts.largest("toolkit", 10), tag_counts.largest("tag", 10)
    restore(tool)

    assert without == ([Group("mail", "mail", 1)], [])
    assert tag_counts.largest("tag", 10) == [Group("office", "office", 1)]


def test_groups_are_listed_in_the_order_of_their_keys():
    for toolkit in ("c", "a", "b"):
        make_tool(f"{toolkit}.tool")

    assert [group.key for group in tag_counts.in_order("toolkit", 2)] == ["a", "b"]
    assert [group.key for group in tag_counts.in_order("toolkit", 2, beyond="b")] == ["c"]
    assert tag_counts.with_keys("toolkit", ["b", "x"]) == {"b": Group("b", "b", 1)}
