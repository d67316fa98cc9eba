"""Several tools at once: from the list to their tags, toolkit, status, exports and comparison."""

import json

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from catalog.accounts.shared_rates import Rate
from catalog.audit import AuditEvent
from catalog.bulk_changes import MAX_TOOLS
from catalog.metadata import Organisation, organise
from catalog.models import Tool
from tests.factories import make_tool, make_user, properties
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client):
    user = make_user("ada")
    user.groups.add(Group.objects.get(name="publisher"))
    client.force_login(user)
    return client


def tools(*names):
    return [make_tool(name) for name in names]


def change(client, do, *names, **fields):
    return client.post("/selection/change/", {"do": do, "tool": names, **fields}, follow=True)


def stored(name):
    return Tool.objects.get(tool_id=name)


def test_each_row_can_be_selected_without_a_script(client):
    tools("a", "b")

    tree = page(client, "/tools/")

    boxes = tree.css("input.result-pick")
    assert [box.attributes["value"] for box in boxes] == ["a", "b"]
    assert {box.attributes["form"] for box in boxes} == {
        tree.css_first(".selection-bar").attributes["id"]
    }
    assert tree.css_first(".selection-bar").attributes["action"] == "/selection/"


def test_the_list_of_a_visitor_holds_no_token(client):
    tools("a")

    answer = client.get("/tools/")

    assert b"csrfmiddlewaretoken" not in answer.content
    assert not answer.cookies


def test_the_page_shows_the_selected_tools(signed_in):
    tools("a", "b", "c")

    tree = page(signed_in, "/selection/?tool=a&tool=c&tool=missing")

    assert text_of(tree, "h1") == "2 selected tools"
    assert texts_of(tree, ".selection-tools .check") == ["a", "c"]


def test_an_id_that_is_the_name_is_not_repeated(signed_in):
    make_tool("mail.send", name="send")
    make_tool("translate", name="translate")

    tree = page(signed_in, "/selection/?tool=mail.send&tool=translate")

    assert texts_of(tree, ".selection-tools .id") == ["mail.send"]


def test_all_results_of_a_search_can_be_selected(signed_in):
    for number in range(25):
        make_tool(f"tool{number:02}", description="fruit")
    make_tool("other")

    link = page(signed_in, "/tools/?q=fruit").css_first(".results-all a").attributes["href"]

    assert text_of(page(signed_in, link), "h1") == "25 selected tools"


def test_tags_are_added_and_removed(signed_in):
    tools("a", "b")

    change(signed_in, "tag", "a", "b", tags="billing, finance")
    answer = change(signed_in, "untag", "a", tags="finance")

    assert stored("a").tags == ["billing"]
    assert set(stored("b").tags) == {"billing", "finance"}
    assert "1 tool untagged." in answer.content.decode()


def test_the_page_suggests_tags_and_toolkits(signed_in):
    make_tool("mail.send", tags=["letters"])

    tree = page(signed_in, "/selection/?tool=mail.send")

    assert texts_of(tree, ".tag-suggestions button") == ["letters"]
    assert [one.attributes["value"] for one in tree.css("#toolkits option")] == ["mail"]


def test_tools_are_moved_to_a_toolkit(signed_in):
    tools("a", "b")

    change(signed_in, "move", "a", "b", toolkit="mail")

    assert {stored("a").toolkit, stored("b").toolkit} == {"mail"}


def test_tools_are_deprecated_with_a_successor(signed_in):
    tools("a", "b", "new")

    change(signed_in, "deprecate", "a", "b", note="Old.", superseded_by="new")

    assert stored("a").deprecation_note == stored("b").deprecation_note == "Old."
    assert stored("a").superseded_by.tool_id == "new"


def test_archived_tools_can_be_restored_by_the_page_that_follows(signed_in):
    tools("a", "b", "c")

    answer = change(signed_in, "archive", "a", "b")

    assert [stored(name).archived for name in "abc"] == [True, True, False]
    assert "2 tools archived." in answer.content.decode()
    assert b'value="restore"' in answer.content
    change(signed_in, "restore", "a", "b")
    assert not stored("a").archived
    assert not stored("b").archived


def test_tools_of_others_are_named_and_skipped(signed_in):
    client = signed_in
    tools("mine", "theirs")
    organise(stored("theirs"), Organisation(owner=make_user("olivia").username), by=None)

    answer = change(client, "archive", "mine", "theirs")

    assert stored("mine").archived
    assert not stored("theirs").archived
    assert "1 tool skipped. theirs: Only the owner (olivia)" in answer.content.decode()


def test_each_change_is_in_the_audit_log(signed_in):
    tools("a", "b")

    change(signed_in, "archive", "a", "b")

    assert AuditEvent.objects.filter(action="tool.archive").count() == 2


def test_a_change_needs_a_session_and_a_token(client):
    tools("a")

    assert change(client, "archive", "a").redirect_chain[0][0].startswith("/sign-in/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_user("eve"))
    assert strict.post("/selection/change/", {"do": "archive", "tool": "a"}).status_code == 403
    assert not stored("a").archived


def test_tags_without_a_tag_and_an_unknown_change_do_nothing(signed_in):
    tools("a")

    assert "Enter at least one tag." in change(signed_in, "tag", "a").content.decode()
    assert change(signed_in, "explode", "a").status_code == 404


def test_the_selection_is_exported_as_one_list(client):
    tools("a", "b")

    answer = client.get("/selection/export/?format=openai&tool=a&tool=b")

    assert [one["function"]["name"] for one in json.loads(answer.content)] == ["a", "b"]
    assert client.get("/selection/export/?format=x&tool=a").status_code == 404


def test_two_tools_are_compared(client):
    make_tool("a", description="Says hello.")
    make_tool("b", description="Says goodbye.")

    tree = page(client, "/selection/compare/?tool=a&tool=b")

    assert text_of(tree, "h1") == "a and b"
    assert "goodbye" in text_of(tree, ".diff-view")
    assert client.get("/selection/compare/?tool=a").status_code == 302


def test_any_name_heads_the_column_of_its_tool(client):
    make_tool("a", name="in | out", parameters=properties(x={}))
    make_tool("b", name="<b>|hidden", parameters=properties(x={}))

    tree = page(client, "/selection/compare/?tool=a&tool=b")

    assert texts_of(tree, ".compared thead th") == ["Property", "<b>|hidden", "in | out"]


def test_two_tools_are_compared_property_by_property(client):
    make_tool(
        "a", parameters={**properties(both={"type": "string"}, first={}), "required": ["both"]}
    )
    make_tool("b", parameters=properties(both={"type": "integer"}, second={"type": "array"}))

    tree = page(client, "/selection/compare/?tool=a&tool=b")

    assert texts_of(tree, "#compared-1 + p") == ["1 in both, 1 only in a, 1 only in b"]
    assert [texts_of(row, "th, td") for row in tree.css(".compared tbody tr")] == [
        ["both", "string required", "integer"],
        ["first", "any value", "not there"],
        ["second", "not there", "array"],
    ]
    assert "open" not in tree.css_first("details.section").attributes
    unfolded = page(client, "/selection/compare/?tool=a&tool=b&view=split")
    assert "open" in unfolded.css_first("details.section").attributes


def test_at_most_so_many_tools_are_selected(client, monkeypatch):
    monkeypatch.setattr("catalog.views.selection.MAX_TOOLS", 2)
    tools("a", "b", "c")

    assert MAX_TOOLS == 500
    assert text_of(page(client, "/selection/?tool=a&tool=b&tool=c"), "h1") == "2 selected tools"


def test_each_change_has_its_own_undo(signed_in):
    tools("a", "b", "c")
    change(signed_in, "archive", "c")
    first = signed_in.post("/selection/change/", {"do": "archive", "tool": ["a", "c"]}).headers[
        "Location"
    ]
    change(signed_in, "archive", "b")  # in another tab

    offered = page(signed_in, first).css_first("form.notice")

    assert [field.attributes["value"] for field in offered.css("[name=tool]")] == [
        "a"
    ]  # "c" was archived before
    assert page(signed_in, "/selection/?change=other").css_first("form.notice") is None


def test_a_session_stores_few_changes(signed_in):
    tools("a")
    for _ in range(5):
        change(signed_in, "tag", "a", tags="x")

    assert len(signed_in.session["selection_changes"]) == 3


def test_exports_of_selections_are_limited(client, monkeypatch):
    tools("a")
    monkeypatch.setattr("catalog.accounts.rate_limits.EXPORTS", Rate(2, 60))

    answers = [client.get("/selection/export/?tool=a") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) > 0
